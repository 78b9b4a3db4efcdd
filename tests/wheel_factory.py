"""Wheels for tests: tiny ones from text, and real packages put into a wheel again, changed or not."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from importlib import metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Change = Callable[[str, bytes], bytes]


def tiny(  # noqa: PLR0913, PLR0917 -- a wheel says as much
    directory: Path,
    package: str = "cuda-core",
    version: str = "1.2.2",
    tag: str = "cp313-cp313-manylinux_2_28_x86_64",
    inside: tuple[str, str] | None = None,
    build: str = "",
) -> Path:
    """Write a wheel of one module; *inside* is what its METADATA says, (name, version), where that is not what its name says."""
    name, number = inside or (package, version)
    stem = f"{package.replace('-', '_')}-{version}"
    said = f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n"
    files = {"tiny.py": b"", f"{stem}.dist-info/METADATA": said.encode(), f"{stem}.dist-info/WHEEL": b"Wheel-Version: 1.0\n"}
    return write(directory / f"{'-'.join(filter(None, (stem, build, tag)))}.whl", files, stem)


def again(site_packages: Path, package: str, directory: Path, change: Change, version: str = "") -> Path:
    """Put the installed *package* into a wheel again, each of its files (name, content) as *change* returns it.

    version
        What it then says it is, instead of what it is.
    """
    found = next(iter(metadata.distributions(name=package, path=[str(site_packages)])))
    old, stem = (f"{package.replace('-', '_')}-{number}" for number in (found.version, version or found.version))
    left_out = {f"{old}.dist-info/{name}" for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json")}
    names = [str(file) for file in found.files or () if "__pycache__" not in str(file) and str(file) not in left_out]
    files = {name.replace(old, stem): change(name, (site_packages / name).read_bytes()) for name in names}
    said = f"{stem}.dist-info/METADATA"
    files[said] = files[said].replace(
        f"Version: {found.version}\n".encode(), f"Version: {version or found.version}\n".encode(), 1
    )
    tag = next(line for line in (found.read_text("WHEEL") or "").splitlines() if line.startswith("Tag: "))
    return write(directory / f"{stem}-{tag.removeprefix('Tag: ')}.whl", files, stem)


def write(path: Path, files: Mapping[str, bytes], stem: str) -> Path:
    """Write *files* and their RECORD as the wheel *path*."""
    rows = [f"{name},sha256={_digest(content)},{len(content)}" for name, content in files.items()]
    record = f"{stem}.dist-info/RECORD"
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)  # with no time of day: equal content is an equal file
        archive.writestr(zipfile.ZipInfo(record), "\n".join([*rows, f"{record},,", ""]))
    return path


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
