"""What a case's failure says is shown, and steers nothing."""

from __future__ import annotations

import unicodedata
from xml.etree import ElementTree as ET

from ctkmatrix.plaintext import harmless, one_line

HOSTILE = "\x1b[2J\x1b]0;owned\x07\x1b[31;1mred\x1b[0m\r\nline\x08\x00\x9b1m two\u2028three \u202eback\udcff"
GONE = "\N{REPLACEMENT CHARACTER}"
REORDER = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""Unicode's bidirectional classes of the characters that are there to reorder others."""


def test_escape_sequences_go_whole() -> None:
    """With the parameters behind them, which would be noise; lines stay lines."""
    assert harmless(HOSTILE).splitlines() == ["red", f"line{GONE}{GONE} two", f"three {GONE}back{GONE}"]


def test_of_all_of_unicode_only_what_steers_is_replaced() -> None:
    """Controls, what reorders a line, and what no UTF-8 or XML has; all else, such as thin spaces, is left as it is."""
    for number in range(0x110000):
        sign = chr(number)
        steers = unicodedata.category(sign) in {"Cc", "Cs", "Zl", "Zp"} or unicodedata.bidirectional(sign) in REORDER
        steers = (steers or sign in "\ufffe\uffff") and sign not in "\t\n"
        assert (harmless(f"{sign} ") in {"\n ", f"{GONE} "}) if steers else (harmless(f"{sign} ") == f"{sign} "), hex(number)


def test_one_line_is_one_line() -> None:
    """Whatever breaks a line becomes a space; fixed and thin spaces, which stand between digits, stay."""
    assert one_line("a\n\n b\r\nc\vd\x85e\u2029f\t\tg\n") == "a b c d e f g"
    assert one_line("12\N{NARROW NO-BREAK SPACE}345 ns") == "12\N{NARROW NO-BREAK SPACE}345 ns"
    assert len(one_line(HOSTILE).splitlines()) == 1


def test_xml_can_write_all_of_it() -> None:
    """XML 1.0 has no way to write most control characters."""
    element = ET.Element("a", {"b": one_line("".join(map(chr, range(0x11000))))})
    assert ET.fromstring(ET.tostring(element, encoding="unicode").encode()).get("b")
