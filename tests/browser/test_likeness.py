"""The likeness page in a browser: hostile names and sources, keyboard, every width, no script."""

from __future__ import annotations

import os
import re
from itertools import combinations
from pathlib import Path

import pytest
from playwright.sync_api import expect

from arena.similar.page import alike_pairs, likeness_page
from arena.similar.pairs import CommonCode, Mark, PairSide, SourcePair
from arena.similar.submissions import SourceCode, _checked
from support.browser import Visitor, look, overflow
from support.command_line import arena_ok
from support.hostile import HEBREW, RAW, SCRIPT

pytestmark = pytest.mark.slow

HOSTILE = (
    "</pre></mark><script>alert(1)</script><img src=x onerror=alert(2)>\n"
    "\u202eturned \x1b[31mred \x00 {{ 7 * 7 }} &lt; <!--\n" + "x" * 1_000_000 + "\n" + HEBREW
)


def code(name: str) -> SourceCode:
    lines = HOSTILE.count("\n") + 1
    found = {"text": HOSTILE[: 1 << 20], "name": f"{SCRIPT}.py"}
    words = [n % lines for n in range(20)]
    return _checked(found | {"lines": words, "hashes": [1], "starts": [0]}, name)


def page_of(folder: Path, names: tuple[str, ...]) -> Path:
    """Write a page on which each two of these submissions are alike in their first two lines."""
    sides = [PairSide(name=name, share=0.9, lines=2, marks=(Mark(1, 2, 1),)) for name in names]
    pairs = [SourcePair(*pair) for pair in combinations(sides, 2)]
    codes = {name: code(name) for name in names}
    common = CommonCode(names=(*RAW, HEBREW), lines=9, where=f"{SCRIPT}.py", text=HOSTILE[:300])
    text = likeness_page(RAW[0], alike_pairs(pairs, []), codes, [common], [*RAW], 0)
    path = folder / "likeness.html"
    path.write_text(text, "utf-8")
    return path


def test_hostile_names_and_sources_do_nothing(visitor: Visitor, tmp_path: Path) -> None:
    path = page_of(tmp_path, (*RAW, HEBREW))
    assert path.stat().st_size < 1_000_000
    with visitor.page(path) as page:
        expect(page.locator("script, img, iframe, form")).to_have_count(0)
        expect(page.locator("h1")).to_contain_text(RAW[0])
        expect(page.locator("tbody tr")).to_have_count(15)
        assert "\u202e" not in page.locator("pre").first.inner_text()
        for width in (390, 1440):
            for dark in (False, True):
                look(page, width, dark=dark)
                assert visitor.faults(page) == []
                assert overflow(page) <= 0


def test_a_marked_part_leads_to_its_like_by_the_keyboard(visitor: Visitor, tmp_path: Path) -> None:
    with visitor.page(page_of(tmp_path, ("ann", "ben", "cid"))) as page:
        page.get_by_role("link", name="side by side ann, cid").focus()
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("#pair2$"))
        pair = page.locator("#pair2")
        pair.locator("summary").focus()
        page.keyboard.press("Enter")
        link = pair.get_by_role("link", name="there: line 1").first
        expect(link).to_be_visible()
        link.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#p2b1")).to_be_in_viewport()
        expect(page).to_have_url(re.compile("#p2b1$"))


def test_a_contests_pairs_are_shown_with_their_play(
    visitor: Visitor, contest: Path, tmp_path: Path
) -> None:
    out = tmp_path / "likeness.html"
    arena_ok("similar", "--results", contest, "--least", 0.05, "--out", out, cwd=tmp_path)
    assert os.listdir(tmp_path) == ["likeness.html"]
    with visitor.page(out) as page:
        expect(page.locator("h1")).to_contain_text("homework")
        expect(page.get_by_text("It accuses nobody")).to_be_visible()
        assert visitor.faults(page) == []
