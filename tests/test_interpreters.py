"""Finding interpreters."""

import sys
import venv
from pathlib import Path

import pytest

from ctkmatrix import interpreters
from ctkmatrix.errors import EnvironmentFailed, Exit

THIS = f"{sys.version_info.major}.{sys.version_info.minor}"
REAL = Path(sys.executable).resolve()


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a machine with two directories on PATH and no interpreter anywhere, on which uv may download none."""
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'first'}:relative:{tmp_path / 'second'}")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("UV_PYTHON_INSTALL_DIR", str(tmp_path / "managed"))
    monkeypatch.setenv("UV_PYTHON_DOWNLOADS", "never")
    monkeypatch.delenv("UV", raising=False)
    interpreters._install.cache_clear()
    return tmp_path


def link(path: Path, target: Path = REAL) -> Path:
    """Put an interpreter at *path*."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    return path


def script(path: Path, text: str) -> Path:
    """Put an executable shell script at *path*."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("place", ["first", "second", f"pyenv/versions/{THIS}.1/bin", f"managed/cpython-{THIS}.1-linux-x/bin"])
def test_an_interpreter_is_found_wherever_it_is(places: Path, place: str) -> None:
    """On PATH, in pyenv's versions whether active or not, and among uv's own; links are followed."""
    link(places / place / f"python{THIS}")
    assert interpreters.find(THIS) == REAL


def test_an_inactive_shim_is_passed_over(places: Path) -> None:
    """A pyenv shim that comes first on PATH and answers «command not found» hides nothing, and is not run."""
    script(places / "first" / f"python{THIS}", f"touch {places}/ran; exit 127")
    link(places / "second" / f"python{THIS}")
    assert interpreters.find(THIS) == REAL
    assert not (places / "ran").exists()


def test_a_venvs_python_leads_to_what_it_was_made_from(places: Path) -> None:
    """A virtual environment on PATH may be gone tomorrow."""
    venv.create(places / "env", symlinks=True, with_pip=False)
    link(places / "first" / f"python{THIS}", places / "env" / "bin" / "python")
    assert interpreters.find(THIS) == REAL


def test_uvs_own_come_first_then_path_then_pyenv(places: Path) -> None:
    """And within uv's and pyenv's, the newest patch first, by version order."""
    order = [
        "managed/cpython-3.12.10-linux-x/bin",
        "managed/cpython-3.12.9-linux-x/bin",
        "first",
        "second",
        "pyenv/versions/3.12.11/bin",
        "pyenv/versions/3.12.2/bin",
        "pyenv/versions/odd-name/bin",
    ]
    for place in reversed(order):
        script(places / place / "python3.12", "")
    assert [str(path.parent.relative_to(places)) for path in interpreters._candidates("3.12")] == order


def test_an_optimised_build_comes_before_plain_ones(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain build that comes first is taken only where there is no other."""
    plain, optimised = (link(places / place / f"python{THIS}") for place in ("first", "second"))

    def probe(candidate: Path, _version: str) -> interpreters._Found:
        return interpreters._Found(candidate, candidate == optimised)

    monkeypatch.setattr(interpreters, "_probe", probe)
    monkeypatch.setattr(interpreters, "_candidates", lambda _version: iter([plain, optimised]))
    assert interpreters.find(THIS) == optimised
    monkeypatch.setattr(interpreters, "_candidates", lambda _version: iter([plain]))
    assert interpreters.find(THIS) == plain


@pytest.mark.parametrize(
    ("version", "target", "reason"),
    [
        ("3.99", REAL, f"is cpython {THIS}"),
        (f"{THIS}t", REAL, f"is cpython {THIS}"),
        (THIS, Path("/bin/true"), "does not work"),
        (THIS, Path("/bin/false"), "does not work"),
    ],
)
def test_what_is_not_what_it_is_called_is_refused(places: Path, version: str, target: Path, reason: str) -> None:
    """Another version, a default build under a free-threaded name, or no interpreter at all: said with its path."""
    path = link(places / "first" / f"python{version}", target)
    with pytest.raises(EnvironmentFailed) as caught:
        interpreters.find(version)
    assert f"no interpreter for Python {version}: {path} {reason}" in str(caught.value)


def test_an_interpreter_that_does_not_answer_is_given_up(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit holds for each: none starts within a microsecond."""
    monkeypatch.setattr(interpreters, "PROBE_LIMIT", 1e-6)
    link(places / "first" / f"python{THIS}")
    with pytest.raises(EnvironmentFailed, match="did not answer within"):
        interpreters.find(THIS)


@pytest.mark.parametrize(("name", "value"), [("UV_PYTHON_DOWNLOADS", "never"), ("UV_OFFLINE", "1")])
def test_without_downloads_the_message_says_what_to_do(
    places: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """What was looked at, what forbids a download, how to install one; the cell is incomplete, the run goes on."""
    monkeypatch.delenv("UV_PYTHON_DOWNLOADS")
    monkeypatch.setenv(name, value)
    with pytest.raises(EnvironmentFailed) as caught:
        interpreters.find("3.98")
    said = str(caught.value)
    assert said.startswith("no interpreter for Python 3.98: no python3.98 in uv's directory, on PATH or in pyenv's versions; ")
    assert f"{name} forbids uv to download one" in said
    assert "uv python install 3.98" in said
    assert caught.value.exit is Exit.INCOMPLETE


def test_uv_installs_what_is_nowhere(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last resort, into uv's own directory."""
    monkeypatch.delenv("UV_PYTHON_DOWNLOADS")
    directory = places / "managed" / f"cpython-{THIS}.3-linux-x" / "bin"
    uv = script(
        places / "uv", f'echo "$@" > {places}/asked; /bin/mkdir -p {directory}; /bin/ln -s {REAL} {directory}/python{THIS}'
    )
    monkeypatch.setenv("UV", str(uv))
    assert interpreters.find(THIS) == REAL
    asked = (places / "asked").read_text(encoding="utf-8")
    assert asked == f"python install --no-bin --install-dir {places}/managed {THIS} --no-progress\n"


def test_uv_is_asked_once_for_a_version(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight cells of a Python that cannot be had do not wait for the network eight times; each says why."""
    monkeypatch.delenv("UV_PYTHON_DOWNLOADS")
    monkeypatch.setenv("UV", str(script(places / "uv", f"echo x >> {places}/calls; echo 'error: no such thing' >&2; exit 1")))
    for _ in range(2):
        with pytest.raises(EnvironmentFailed, match="no such thing"):
            interpreters.find("3.97")
    assert (places / "calls").read_text(encoding="utf-8") == "x\n"
