"""Running one of our modules by itself, as the sessions do that write documents: what goes wrong is said as everywhere else."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ctkmatrix.errors import CtkmatrixError
from ctkmatrix.plaintext import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def standalone() -> Iterator[None]:
    """Say a CtkmatrixError in one message, without a traceback, and leave the program with its exit code."""
    try:
        yield
    except CtkmatrixError as error:
        print(f"ctkmatrix: {harmless(str(error))}", file=sys.stderr)
        sys.exit(int(error.exit))
