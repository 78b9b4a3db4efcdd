"""Pins of a lock for one Python, and the wheels that they mean."""

import pytest

from ctkmatrix import wheels

LOCK = """\
# Made by hand
some-package==1.0 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
old==1.0 ; python_full_version < '3.12' \\
    --hash=sha256:cc
old==2.0 ; python_full_version >= '3.12' \\
    --hash=sha256:dd
nvidia_thing==13.0.88 ; platform_machine == 'x86_64' and sys_platform == 'linux'
windows-only==1.0 ; sys_platform == 'win32'
"""


@pytest.mark.parametrize(
    ("python", "machine", "old", "nvidia"),
    [("3.11", "x86_64", "1.0", True), ("3.12", "aarch64", "2.0", False), ("3.14t", "x86_64", "2.0", True)],
)
def test_pins_are_those_of_the_asked_python_and_machine(python: str, machine: str, old: str, nvidia: bool) -> None:
    """Markers decide, whatever runs this; names are normalised."""
    expected = {"some-package": "1.0", "old": old} | ({"nvidia-thing": "13.0.88"} if nvidia else {})
    assert wheels.pins(LOCK, python, machine) == expected


def test_a_wheel_by_its_url_is_a_pin_of_the_version_in_its_name() -> None:
    """A local version is quoted in a URL; the URL may have a directory for each hash."""
    lock = "cuda-core @ file:///wheels/0a1b/cuda_core-1.3.0.dev0%2Bgabc-cp312-cp312-linux_x86_64.whl \\\n    --hash=sha256:aa\n"
    assert wheels.pins(lock, "3.12", "x86_64") == {"cuda-core": "1.3.0.dev0+gabc"}


SIZES = {
    "some_package-1.0-py3-none-any.whl": 1,
    "some_package-1.0-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl": 2,
    "some_package-1.0-cp312-cp312-manylinux_2_17_aarch64.whl": 3,
    "some_package-1.0-cp312-cp312-musllinux_1_2_x86_64.whl": 4,
    "some_package-1.0-cp39-abi3-manylinux_2_17_x86_64.whl": 5,
    "some_package-1.0-cp314-cp314t-manylinux_2_17_x86_64.whl": 6,
    "some_package-1.0-cp314-cp314-manylinux_2_17_x86_64.whl": 7,
    "some_package-2.0-cp314-cp314-manylinux_2_17_x86_64.whl": 8,
    "old-2.0-cp314-cp314-manylinux_2_17_x86_64.whl": 9,
}


@pytest.mark.parametrize(
    ("python", "machine", "size"),
    [
        ("3.12", "x86_64", 2),
        ("3.12", "aarch64", 3),
        ("3.11", "x86_64", 5),
        ("3.11", "aarch64", 1),
        ("3.14t", "x86_64", 6),
        ("3.14", "x86_64", 7),
    ],
)
def test_the_wheel_is_the_one_an_installer_takes(python: str, machine: str, size: int) -> None:
    """The version's own before abi3 before any; never musl's, another machine's, or the default build's on 3.14t."""
    needed = wheels.Sizes(SIZES).needed("some-package==1.0\n", python, machine)
    assert list(needed.values()) == [size]


def test_each_pin_counts_and_an_unknown_one_is_left_out() -> None:
    """Two of the lock's packages have known wheels."""
    assert sorted(wheels.Sizes(SIZES).needed(LOCK, "3.14", "x86_64").values()) == [7, 9]


def test_linux_wheels_of_a_pylock_are_listed() -> None:
    """By file name, without a host; musl, macOS and Windows are left out; an index may tell no size."""
    text = """
    [[packages]]
    name = "a"
    wheels = [
        { url = "https://host.invalid/x/a-1-cp312-cp312-manylinux_2_17_x86_64.whl", size = 10 },
        { url = "https://host.invalid/x/a-1-cp312-cp312-linux_aarch64.whl" },
        { url = "https://host.invalid/x/a-1-py3-none-any.whl", size = 30 },
        { url = "https://host.invalid/x/a-1-cp312-cp312-musllinux_1_2_x86_64.whl", size = 40 },
        { url = "https://host.invalid/x/a-1-cp312-cp312-win_amd64.whl", size = 50 },
    ]
    """
    assert wheels.in_pylock(text) == {
        "a-1-cp312-cp312-manylinux_2_17_x86_64.whl": 10,
        "a-1-cp312-cp312-linux_aarch64.whl": None,
        "a-1-py3-none-any.whl": 30,
    }
