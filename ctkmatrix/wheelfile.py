"""One wheel as a file: what it says it is, which Pythons it is for, and what its files' hashes must be once installed."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.metadata import parse_email
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from ctkmatrix import wheels
from ctkmatrix.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from packaging.tags import Tag

_SYSTEMS = {"win": "Windows", "macosx": "macOS", "musllinux": "a Linux with musl, such as Alpine"}


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel whose file name and METADATA agree. ``package`` and ``version`` are normalised; ``sha256`` is the whole file's."""

    path: Path
    package: str
    version: str
    tags: frozenset[Tag]
    sha256: str

    @property
    def file(self) -> str:
        """Its file name: what may be published of where it lies."""
        return self.path.name

    def rank(self, python: str, machine: str) -> int | None:
        """Return how well it fits *python*, ``3.N`` or ``3.Nt``, on *machine*: 0 is best, ``None`` is not at all."""
        return wheels.rank(self.tags, python, machine)

    def misfit(self, pythons: Iterable[str], machine: str) -> str:
        """Say why it fits none of *pythons* on *machine*, as the end of a sentence; empty where it fits one."""
        if any(self.rank(python, machine) is not None for python in pythons):
            return ""
        platforms = sorted({tag.platform for tag in self.tags})
        if not any(wheels.fits(tag, machine) for tag in self.tags):
            return _wrong_platform(platforms, machine)
        interpreters = sorted({f"{tag.interpreter}-{tag.abi}" for tag in self.tags})
        return f"is for {', '.join(interpreters)}, and matrix.toml has Python {', '.join(pythons)}"


def read(path: Path) -> Wheel:
    """Read the wheel at *path*. Raises UsageError where it is none, or where its file name and its METADATA disagree."""
    try:
        package, version, _, tags = parse_wheel_filename(path.name)
    except InvalidWheelFilename as error:
        raise UsageError(f"{path}: this is no wheel's file name ({error}): leave the name as the build gave it") from error
    said = parse_email(_member(path, "METADATA"))[0]
    inside = (canonicalize_name(said.get("name", "")), _version(said.get("version", "")))
    if inside != (package, str(version)):
        raise UsageError(
            f"{path}: the file name says {package} {version}, and its METADATA {' '.join(inside).strip() or 'nothing'}: "
            "build it again, and leave its name as it is"
        )
    return Wheel(path.resolve(), package, str(version), tags, sha256(path))


def sha256(path: Path) -> str:
    """Return the SHA-256 of the file at *path*, in hexadecimal. Raises UsageError where it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error


def record(path: Path) -> str:
    """Return the RECORD of the wheel at *path*. Raises UsageError where there is none."""
    return _member(path, "RECORD").decode()


def spoilt(record: str, site_packages: Path) -> tuple[str, ...]:
    """Return the files of the wheel's *record* that are not in *site_packages* with the hash that it gives.

    Not looked at: what has no hash there (RECORD itself), and what is installed in other places (scripts, ``.data/``).
    """
    rows = [row for row in csv.reader(io.StringIO(record)) if len(row) == 3 and row[1]]
    inside = [(name, digest) for name, digest, _ in rows if not name.startswith("../") and ".data/" not in name]
    return tuple(name for name, digest in inside if not _has(site_packages / name, digest))


def _has(path: Path, said: str) -> bool:
    """Whether the file at *path* has the hash *said*, ``algorithm=digest`` in URL-safe base64 without padding."""
    algorithm, _, digest = said.partition("=")
    try:
        with path.open("rb") as file:
            got = hashlib.file_digest(file, algorithm).digest()
    except OSError:
        return False
    return base64.urlsafe_b64encode(got).decode().rstrip("=") == digest


def _member(path: Path, name: str) -> bytes:
    """Return the file called *name* in the wheel's one ``.dist-info``."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = [one for one in archive.namelist() if one.count("/") == 1 and one.endswith(f".dist-info/{name}")]
            if len(found) == 1:
                return archive.read(found[0])
    except (OSError, zipfile.BadZipFile, zlib.error) as error:
        raise UsageError(f"{path}: cannot be read as a wheel: {error}; build or download it again") from error
    raise UsageError(f"{path}: a wheel has one .dist-info/{name}, and this has {len(found)}: build or download it again")


def _version(text: str) -> str:
    """Return *text* as a normalised version, or as it is where it is none: it is then told."""
    try:
        return str(Version(text))
    except InvalidVersion:
        return text


def _wrong_platform(platforms: Iterable[str], machine: str) -> str:
    """Say for which system or CPU wheels with these *platforms* are."""
    named = ", ".join(platforms)
    system = next((system for word, system in _SYSTEMS.items() if named.startswith(word)), "")
    if system:
        return f"is for {system} ({named}): take the wheel for manylinux, {machine}"
    return f"is for {named}, and this machine is Linux on {machine}"
