"""A page -> one HTML file."""

from __future__ import annotations

import base64
import hashlib
import re
import stat
import time
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from ctkmatrix import profiles
from ctkmatrix.errors import MachineError
from ctkmatrix.model import Metric
from ctkmatrix.profiles import INSTRUCTIONS, Profile
from ctkmatrix.render import SCRIPTS, TEMPLATES, render, write
from ctkmatrix.report import view
from tests.results_factory import HOSTILE, cases, cells, results

if TYPE_CHECKING:
    from pathlib import Path

BESIDE = {"summary.md", "matrix.csv"}
"""What the page links to beside it."""

VOID = {"meta", "link", "wbr", "br", "img", "input"}


class Outline(HTMLParser):
    """Collects ids and links, and holds that elements close in the order in which they opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one element."""
        self.tags.add(tag)
        self.open += [] if tag in VOID else [tag]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name in {"href", "src", "srcset", "action", "data"}]

    def handle_endtag(self, tag: str) -> None:
        """Close the element that is open."""
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def html() -> str:
    """Return the standard page."""
    return render(view(results()))


@pytest.fixture(scope="module")
def outline(html: str) -> Outline:
    """Return what the standard page consists of."""
    parser = Outline()
    parser.feed(html)
    assert parser.open == []
    return parser


def test_what_looks_like_markup_shows_as_text(html: str) -> None:
    """Names, titles and messages are escaped wherever they stand; the page's scripts and its data are all that is a script."""
    assert html.count("<script") == len(SCRIPTS) + 1
    assert html.count("&lt;script&gt;") > 3
    assert HOSTILE not in html


@pytest.mark.parametrize("metric", Metric)
def test_the_policy_allows_the_page_s_scripts_and_no_other(metric: Metric) -> None:
    """It holds the hash of what stands between the tags: files of ours as they are, and nothing that was measured."""
    html = render(view(results(metric=metric)))
    texts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert texts == [(TEMPLATES / name).read_text(encoding="utf-8") for name in SCRIPTS]
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    assert policy
    assert unescape(policy[1]) == f"default-src 'none'; style-src 'unsafe-inline'; script-src {allowed}"
    ours = [text for name, text in zip(SCRIPTS, texts, strict=True) if not name.startswith("vendor/")]
    assert not any(re.search(r"eval\(|innerHTML|fetch\(|import\(", text) for text in ours)


@pytest.mark.parametrize("metric", [Metric.INSTRUCTIONS, Metric.BOTH])
def test_a_page_with_counts_is_as_sound_as_one_of_times(metric: Metric) -> None:
    """Elements close, links lead somewhere, no id is there twice, nothing is fetched."""
    parser = Outline()
    parser.feed(render(view(results(metric=metric))))
    assert parser.open == []
    assert len(parser.ids) == len(set(parser.ids))
    assert {link.removeprefix("#") for link in parser.links} - BESIDE <= set(parser.ids)


def test_flame_graphs_go_where_the_page_goes(tmp_path: Path) -> None:
    """They are copied beside it and linked from there; graphs of cases that the run has not are left."""
    made = {
        case: Profile(
            case=case,
            case_version="5f1c",
            variant="core",
            cell=cells()[1].id,
            unit=INSTRUCTIONS,
            turns=100,
            outside=0,
            stacks={"a;b": 100},
            libraries={},
            provenance={},
        )
        for case in ("event.record", "another.case")
    }
    for profile in made.values():
        profiles.write(tmp_path / "reports", profile)
    page = write(results(), tmp_path / "page", tmp_path / "reports")
    outline = Outline()
    outline.feed(page.read_text(encoding="utf-8"))
    (link,) = {link for link in outline.links if link.startswith("profiles/")}
    assert link == f"profiles/event.record/core/{cells()[1].id}.svg"
    assert (page.parent / link).read_bytes() == (tmp_path / "reports" / link).read_bytes()
    assert not (page.parent / "profiles" / "another.case").exists()
    assert "flame graph" not in write(results(), tmp_path / "page").read_text(encoding="utf-8")


def test_the_page_needs_no_network(html: str, outline: Outline) -> None:
    """Nothing is fetched: links are fragments or files beside it, styles hold no url, and the policy forbids the rest."""
    assert all(link.startswith("#") or link in BESIDE for link in outline.links)
    assert not re.search(r"https?://|url\(|@import", re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL))
    assert "default-src 'none'" in unescape(html)


def test_fragments_lead_somewhere_and_ids_are_unique(outline: Outline) -> None:
    """Every link has its target, every target one owner."""
    assert len(outline.ids) == len(set(outline.ids))
    assert {link.removeprefix("#") for link in outline.links} - BESIDE <= set(outline.ids)


def test_the_banner_is_there_for_null_alone(html: str) -> None:
    """The class is only in the markup of a null run."""
    assert 'class="banner"' in html
    assert 'class="banner"' not in render(view(results(device_kind="gpu")))


def test_every_field_is_a_cell_of_the_table(html: str) -> None:
    """As many entries as rows times columns, each with its number or a word."""
    matrix = html.partition('id="matrix"')[2].partition("</section>")[0]
    entries = re.findall(r'<td class="[^"]*">[^<]+', matrix)
    assert len(entries) == sum(len([v for v in case.variants if v.name != "native"]) for case in cases(25)) * len(cells())


def test_writing_replaces_the_page_in_one_step(tmp_path: Path) -> None:
    """The directory is made, an old page replaced, nothing else left behind, and others may read it."""
    directory = tmp_path / "page"
    assert write(results(), directory) == directory / "index.html"
    first = (directory / "index.html").read_text(encoding="utf-8")
    write(results(device_kind="gpu"), directory)
    assert (directory / "index.html").read_text(encoding="utf-8") != first
    assert {path.name for path in directory.iterdir()} == {"index.html", *BESIDE}
    assert (directory / "index.html").stat().st_mode & stat.S_IROTH


def test_a_page_that_cannot_be_written_is_the_machines_fault(tmp_path: Path) -> None:
    """The message names the file."""
    (tmp_path / "page").write_text("in the way", encoding="utf-8")
    with pytest.raises(MachineError, match=r"summary\.md"):
        write(results(), tmp_path / "page")


def test_a_large_matrix_is_quick_and_small() -> None:
    """32 cells of 100 case variants: under 5 s and 3 MB."""
    many = results(rows=100)
    began = time.perf_counter()
    page = view(many)
    html = render(page)
    assert time.perf_counter() - began < 5
    assert sum(len(group.rows) for group in page.grids[0].groups) >= 100
    assert len(html.encode()) < 3_000_000
