"""Plants a regression in a copy of a real wheel: what `nox -s validate` must find, and nothing else.

`python -m tests.plant PLANT DIRECTORY [3.N]` writes the wheel of the matrix's newest cell for Python 3.N, changed by PLANT, into
DIRECTORY; the plant ``none`` changes nothing. Then, for example, `nox -s validate -- --candidate cuda-core=DIRECTORY
--reference cuda-core==1.2.2 --python 3.N --metric instructions`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from ctkmatrix import envs, matrix
from ctkmatrix.job import Place
from tests import wheel_factory

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Plant:
    """In the files of *package* whose names end in *file*, *text* is followed by *more*; empty texts change nothing.

    ``found`` are the (case, variant) that this makes slower; cases that are close to them, and are not, are ``spared``.
    """

    package: str
    file: str = ""
    text: str = ""
    more: str = ""
    found: tuple[tuple[str, str], ...] = ()
    spared: tuple[str, ...] = ()

    def change(self, name: str, content: bytes) -> bytes:
        """Return the *content* of the wheel's file *name* with the plant."""
        if not self.file or not name.endswith(self.file):
            return content
        before = content.decode()
        if before.count(self.text) != 1:
            raise ValueError(f"{name} holds {before.count(self.text)} times what is to be changed: {self.text!r}")
        return before.replace(self.text, self.text + self.more).encode()


_PINNED = "_memory/_legacy.py"
_ALLOCATED = "            err, ptr = driver.cuMemAllocHost(size)\n"
_CORE = ("memory.alloc_free", "memory.alloc_free_pinned", "memory.fill", "event.record")

PLANTS = {
    "none": Plant("cuda-core", spared=_CORE),
    "path": Plant(
        "cuda-core",
        _PINNED,
        _ALLOCATED,
        "            size = sum(part for part in (size, 0))\n",
        (("memory.alloc_free_pinned", "core"),),
        _CORE,
    ),
    "call": Plant(
        "cuda-core",
        _PINNED,
        _ALLOCATED,
        "            raise_if_driver_error(driver.cuCtxGetCurrent()[0])\n",
        (("memory.alloc_free_pinned", "core"),),
        _CORE,
    ),
    "enum": Plant(
        "cuda-bindings",
        "_internal/_fast_enum.py",
        "    def value(self) -> int:\n",
        "        str(self._name)\n",
        (("enum.value", "bindings"),),
        ("enum.*", "event.record"),
    ),
}


def write(plant: Plant, python: str, directory: Path) -> Path:
    """Write the changed wheel for *python* into *directory*; return its path."""
    place = Place(ROOT)
    cells = matrix.load(place.root / "matrix.toml").cells
    made = envs.ensure(matrix.newest(cell for cell in cells if cell.python == python), place.build)
    return wheel_factory.again(made.site_packages, plant.package, directory, plant.change)


if __name__ == "__main__":
    _, which, where, *asked = sys.argv
    print(write(PLANTS[which], asked[0] if asked else f"{sys.version_info.major}.{sys.version_info.minor}", Path(where)))
