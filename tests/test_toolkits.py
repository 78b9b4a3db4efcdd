"""Where toolkits are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ctkmatrix import toolkits
from ctkmatrix.errors import EnvironmentFailed
from ctkmatrix.toolkits import find

if TYPE_CHECKING:
    from pathlib import Path


def newest(directory: Path) -> str:
    """Return the version of the toolkit in *directory*, by its headers."""
    header = next(directory.glob("nvidia/*/include/cuda.h"))
    number = int(header.read_text().split("#define CUDA_VERSION ")[1].split()[0])
    return f"{number // 1000}.{number % 1000 // 10}"


def system_toolkit(root: Path, version: str, nvcc: str = "") -> Path:
    """Lay out a toolkit as NVIDIA's installers do; its nvcc can only say its version and where it is."""
    major, minor = map(int, version.split("."))
    for name in ("bin", "include", "lib64"):
        (root / name).mkdir(parents=True)
    (root / "include" / "cuda.h").write_text(f"#define CUDA_VERSION {major * 1000 + minor * 10}\n")
    (root / "include" / "nvrtc.h").touch()
    (root / "lib64" / "libcudart_static.a").touch()
    words = f"release {version}, V{nvcc or version}.99"
    (root / "bin" / "nvcc").write_text(f"#!/bin/sh\necho '#$ TOP={root}/bin/..'\necho 'Cuda compilation tools, {words}'\n")
    (root / "bin" / "nvcc").chmod(0o755)
    return root


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without a system toolkit; returns an empty directory that is first on PATH."""
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setenv("PATH", f"{empty}:/usr/bin:/bin")
    monkeypatch.setattr(toolkits, "SYSTEM", tmp_path / "system")
    return empty


def test_wheels_with_nvcc(toolkit_13: Path) -> None:
    """From 13.0 on the wheels hold all that is needed; nvcc says its full version."""
    version = newest(toolkit_13)
    found = find(version, toolkit_13)
    assert (found.version, found.origin) == (version, "wheels")
    assert found.how == f"nvcc {found.nvcc_version} from PyPI wheels"
    assert found.nvcc_version.startswith(f"{version}.")
    assert found.nvrtc is not None
    assert (found.include / "cudaTypedefs.h").is_file()
    assert (found.lib / "libcudart_static.a").is_file()


def test_wheels_of_12_9_lack_nvcc(toolkit_12: Path, bare: Path) -> None:
    """Where no nvcc 12.9 is on the machine, the sentence says what does its work, and all headers are found."""
    found = find("12.9", toolkit_12)
    assert found.nvcc is None
    assert found.how.startswith("no nvcc 12.9 in PyPI wheels: host code by the C++ compiler, kernels by NVRTC 12.9.")
    assert all(any((include / name).is_file() for include in found.includes) for name in ("cuda.h", "nvrtc.h"))


def test_a_system_nvcc_of_exactly_12_9_is_better(
    toolkit_12: Path, bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A baseline by the toolkit's own nvcc is worth more than the wheels without one; another version does not count."""
    monkeypatch.setenv("CUDA_HOME", str(system_toolkit(tmp_path / "wrong", "12.8")))
    assert find("12.9", toolkit_12).origin == "wheels"
    root = system_toolkit(tmp_path / "right", "12.9")
    monkeypatch.setenv("CUDA_PATH", str(root))
    found = find("12.9", toolkit_12)
    assert (found.origin, found.nvcc) == ("system", root / "bin" / "nvcc")
    assert found.how == f"nvcc 12.9.99 of the system, in {root}"


def test_wheels_with_nvcc_come_before_the_system(toolkit_13: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The locked toolkit is the same on every machine, so it is taken even where the machine has one."""
    version = newest(toolkit_13)
    monkeypatch.setenv("CUDA_HOME", str(system_toolkit(tmp_path / "system", version)))
    assert find(version, toolkit_13).origin == "wheels"


@pytest.mark.parametrize("way", ["link", "script"])
def test_nvcc_on_path_leads_to_its_toolkit(bare: Path, tmp_path: Path, way: str) -> None:
    """A link or a script of that name is followed to the real nvcc, which is never called through a link."""
    root = system_toolkit(tmp_path / "toolkit", "11.1")
    if way == "link":
        (bare / "nvcc").symlink_to(root / "bin" / "nvcc")
    else:
        (bare / "nvcc").write_text(f'#!/bin/sh\nexec {root}/bin/nvcc "$@"\n')
        (bare / "nvcc").chmod(0o755)
    assert find("11.1", None).nvcc == root / "bin" / "nvcc"


def test_the_installers_own_place_is_known(bare: Path, tmp_path: Path) -> None:
    """Without any variable, the directory of exactly that version is found."""
    root = system_toolkit(tmp_path / "system" / "cuda-11.1", "11.1")
    assert find("11.1", None).nvcc == root / "bin" / "nvcc"


def test_headers_and_nvcc_must_agree(bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A toolkit whose nvcc is of another version than its headers is not of exactly that version."""
    monkeypatch.setenv("CUDA_HOME", str(system_toolkit(tmp_path / "mixed", "11.1", nvcc="11.2")))
    with pytest.raises(EnvironmentFailed, match=r"no toolkit 11\.1"):
        find("11.1", None)


def test_nothing_there_says_where_it_was_looked_for(bare: Path, tmp_path: Path) -> None:
    """Neither wheels nor a system toolkit: the message names both places."""
    with pytest.raises(EnvironmentFailed, match=rf"no toolkit 11\.1: neither its wheels in {tmp_path} nor a system toolkit"):
        find("11.1", tmp_path)


def test_another_version_than_asked_says_both(toolkit_13: Path) -> None:
    """A directory with another toolkit is refused, with both versions."""
    with pytest.raises(EnvironmentFailed, match=rf"holds toolkit {newest(toolkit_13)}.* where 13\.99 was asked for"):
        find("13.99", toolkit_13)


def test_wheels_without_any_compiler_say_what_to_install(toolkit_12: Path, bare: Path, tmp_path: Path) -> None:
    """Headers alone cannot make kernels."""
    for name in ("include", "lib"):
        link = tmp_path / "nvidia" / "cuda_runtime" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(next(toolkit_12.glob(f"nvidia/cuda_runtime/{name}")))
    with pytest.raises(EnvironmentFailed, match=r"neither nvcc nor NVRTC: install cuda-toolkit\[cudart,nvrtc\]==12\.9\.\*"):
        find("12.9", tmp_path)


def test_an_nvcc_that_does_not_run_has_no_version(tmp_path: Path) -> None:
    """A broken nvcc never matches a version."""
    assert toolkits._nvcc_version(tmp_path / "nvcc") == "unknown"
