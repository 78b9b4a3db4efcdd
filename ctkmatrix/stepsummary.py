"""Puts a text where GitHub Actions shows it beside a job: the file that ``GITHUB_STEP_SUMMARY`` names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "GITHUB_STEP_SUMMARY"

MOST = 1024 * 1024
"""GitHub shows nothing of a step whose summary is more bytes than this."""


def append(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """Append *text* to the job's summary; return what to tell a person where it could not be, else nothing.

    Where no summary is asked for, nothing is done. A summary is no reason to fail: nothing is raised.
    """
    if not (name := environment.get(VARIABLE)):
        return ""
    path, content = Path(name), text.encode()
    try:
        size = path.stat().st_size + len(content)
        if size > MOST:
            return f"{VARIABLE}: the summary would be {size} bytes, and GitHub shows {MOST} at most: it was not appended"
        with path.open("ab") as file:
            file.write(content)
    except OSError as error:
        return f"{VARIABLE}: {name}: the summary could not be appended: {error.strerror}"
    return ""
