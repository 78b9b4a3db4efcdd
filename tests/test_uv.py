"""Running uv: where it is, its surroundings, and its failures."""

import os
from pathlib import Path

import pytest

from ctkmatrix import uv
from ctkmatrix.errors import CtkmatrixError, EnvironmentFailed, Exit, MachineError


def fake(tmp_path: Path, script: str) -> str:
    """Write a uv that is a shell script, and return its path."""
    path = tmp_path / "uv"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_what_uv_prints_is_returned() -> None:
    """The real uv is found and answers."""
    assert uv.run(["--version"]).startswith("uv ")


def test_uv_set_in_the_environment_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``UV`` comes before PATH; uv itself sets it for what it starts."""
    monkeypatch.setenv("UV", fake(tmp_path, 'echo "$@"'))
    assert uv.run(["some", "words"]) == "some words --no-progress\n"


def test_a_missing_uv_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It concerns the machine: exit 13."""
    monkeypatch.delenv("UV", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match="python3 -m pip install uv") as caught:
        uv.run(["--version"])
    assert caught.value.exit is Exit.MACHINE


def test_the_callers_python_does_not_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would lead uv or an interpreter to other packages is dropped; HOME and the index stay."""
    leaks = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "UV_PYTHON", "UV_NO_VERIFY_HASHES")
    for name in leaks:
        monkeypatch.setenv(name, "/elsewhere")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "mirror")
    kept = uv.environ()
    assert not kept.keys() & set(leaks)
    assert (kept["HOME"], kept["UV_DEFAULT_INDEX"]) == (os.environ["HOME"], "mirror")


@pytest.mark.parametrize(
    ("said", "kind", "advice"),
    [
        ("error: No space left on device (os error 28)", MachineError, "no space is left"),
        ("error: Failed to fetch\n  cause: client error (Connect)\n  cause: dns error", MachineError, "check the network"),
        ("error: x\nhint: Packages were unavailable because the network was disabled.", MachineError, "check the network"),
        ("error: Hash mismatch for `x`", EnvironmentFailed, "Hash mismatch"),
        ("", EnvironmentFailed, "Resolved 3 packages"),
    ],
)
def test_a_failure_is_told_by_its_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, kind: type[CtkmatrixError], advice: str
) -> None:
    """Network and disk concern the machine, all else this environment; uv's errors are shown without its progress."""
    monkeypatch.setenv("UV", fake(tmp_path, f"printf 'Resolved 3 packages\\n%s' '{said}' >&2; exit 2"))
    with pytest.raises(kind) as caught:
        uv.run(["pip", "sync", "lock.txt"])
    assert "`uv pip sync` failed with status 2" in str(caught.value)
    assert advice in str(caught.value)
    if said:
        assert "Resolved" not in str(caught.value)


def test_an_index_that_cannot_be_reached_is_the_machines_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real uv, an empty cache, and a port on which nobody listens."""
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    with pytest.raises(MachineError, match="check the network"):
        uv.run(["pip", "install", "--target", str(tmp_path / "target"), "iniconfig"])


def test_a_uv_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for ever."""
    monkeypatch.setenv("UV", fake(tmp_path, "exec sleep 60"))
    with pytest.raises(EnvironmentFailed, match=r"`uv venv x` did not end within 0\.1 s"):
        uv.run(["venv", "x"], limit=0.1)


def test_a_uv_that_cannot_be_run_is_the_machines_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An executable file that is no program."""
    path = tmp_path / "uv"
    path.write_bytes(b"\x00\x01")
    path.chmod(0o755)
    monkeypatch.setenv("UV", str(path))
    with pytest.raises(MachineError, match="uv cannot be run"):
        uv.run(["--version"])
