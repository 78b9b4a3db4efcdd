"""What a lock pins for one Python, and which wheels that means."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING
from urllib.parse import unquote

from packaging.requirements import Requirement
from packaging.tags import compatible_tags, cpython_tags
from packaging.utils import canonicalize_name, parse_wheel_filename

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from packaging.tags import Tag


def pins(text: str, python: str, machine: str) -> dict[str, str]:
    """Return ``{package: version}`` of those pins of the lock *text* that count for *python* on Linux on *machine*."""
    surroundings = _surroundings(python, machine)
    requirements = (Requirement(line.removesuffix("\\").strip()) for line in text.splitlines() if line[:1].isalnum())
    return {
        canonicalize_name(requirement.name): _version(requirement)
        for requirement in requirements
        if requirement.marker is None or requirement.marker.evaluate(surroundings)
    }


def rank(tags: Iterable[Tag], python: str, machine: str) -> int | None:
    """Return how well a wheel with *tags* fits *python* on Linux with glibc on *machine*: 0 is best, ``None`` is not at all."""
    order = {pair: number for number, pair in enumerate(_tags(python))}
    return min(
        (order[tag.interpreter, tag.abi] for tag in tags if fits(tag, machine) and (tag.interpreter, tag.abi) in order),
        default=None,
    )


def fits(tag: Tag, machine: str) -> bool:
    """Whether a wheel with *tag* is for Linux with glibc on *machine*, whatever the Python."""
    return tag.platform == "any" or (tag.platform.endswith(f"_{machine}") and _is_linux(tag.platform))


def in_pylock(text: str) -> dict[str, int | None]:
    """Return ``{file name: bytes}`` of every Linux wheel that a ``pylock.toml`` lists; ``None`` where the index tells no size."""
    found = (wheel for package in tomllib.loads(text)["packages"] for wheel in package["wheels"])
    names = ((wheel["url"].rpartition("/")[2], wheel.get("size")) for wheel in found)
    return {name: size for name, size in names if _is_linux(name)}


class Sizes:
    """The bytes of wheels, by their file names."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        """Sort *sizes*, ``{file name: bytes}``, by release."""
        self._releases: dict[tuple[str, str], list[tuple[str, int]]] = {}
        for wheel, size in sizes.items():
            package, version, _, _ = parse_wheel_filename(wheel)
            self._releases.setdefault((package, str(version)), []).append((wheel, size))

    def needed(self, lock: str, python: str, machine: str) -> dict[str, int]:
        """Return the wheels that an installer takes for the lock text *lock*, with their bytes; not known ones are left out."""
        order = {tag: rank for rank, tag in enumerate(_tags(python))}
        found = [self._best(release, order, machine) for release in pins(lock, python, machine).items()]
        return dict(wheel for best in found for wheel in best)

    def _best(self, release: tuple[str, str], order: Mapping[tuple[str, str], int], machine: str) -> list[tuple[str, int]]:
        """Return the wheel of *release* that fits best, or nothing."""
        ranked = [
            (order[tag.interpreter, tag.abi], wheel, size)
            for wheel, size in self._releases.get(release, [])
            for tag in parse_wheel_filename(wheel)[3]
            if (tag.interpreter, tag.abi) in order and fits(tag, machine)
        ]
        return [(wheel, size) for _, wheel, size in sorted(ranked)[:1]]


def _is_linux(wheel: str) -> bool:
    """Whether *wheel* may be installed on a Linux with glibc."""
    platforms = wheel.removesuffix(".whl").rpartition("-")[2].split(".")
    return any(name == "any" or name.startswith(("linux_", "manylinux")) for name in platforms)


def _version(pin: Requirement) -> str:
    """Return the version of a pin: what ``==`` says, or, of a wheel by its URL, what the file name says."""
    if pin.url:
        return str(parse_wheel_filename(unquote(pin.url.rpartition("/")[2]))[1])
    return next(iter(pin.specifier)).version


def _tags(python: str) -> Iterator[tuple[str, str]]:
    """Give the (interpreter, ABI) pairs that *python* takes, the best first."""
    version = (3, int(python.removesuffix("t").partition(".")[2]))
    for tag in (
        *cpython_tags(version, abis=[f"cp{version[0]}{version[1]}{'t' * python.endswith('t')}"], platforms=["any"]),
        *compatible_tags(version, f"cp{version[0]}{version[1]}", platforms=["any"]),
    ):
        yield tag.interpreter, tag.abi


def _surroundings(python: str, machine: str) -> dict[str, str]:
    """Return the environment markers of *python* on Linux on *machine*."""
    version = python.removesuffix("t")
    return {
        "implementation_name": "cpython",
        "os_name": "posix",
        "platform_machine": machine,
        "platform_python_implementation": "CPython",
        "platform_system": "Linux",
        "python_full_version": f"{version}.0",
        "python_version": version,
        "sys_platform": "linux",
    }
