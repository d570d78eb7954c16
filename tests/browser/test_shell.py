"""The page around the views: strangers' text in it stays text."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.browser import Visitor, overflow

from arena.report.html import Chunk, page

pytestmark = pytest.mark.slow

HOSTILE = ("<script>alert(1)</script>", "x" * 300, "בוט", "</script><img src=x onerror=alert(1)>")


def _overview(*names: str) -> dict[str, object]:
    bots = [
        {"name": name, "rank": place, "points": 1.0, "games": 2, "rating": 1500.0, "house": False}
        for place, name in enumerate(names, 1)
    ]
    contest = {"name": names[0]}
    return {"view": "contest", "contest": contest, "bots": bots, "chunk_games": 500, "last_game": 0}


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_hostile_names_are_shown_as_text(visitor: Visitor, tmp_path: Path, width: int) -> None:
    file = tmp_path / "report.html"
    chunk = Chunk("overview", _overview(*HOSTILE))
    file.write_text(page(HOSTILE[0], [chunk], table=chunk.data["bots"]), encoding="utf-8")
    with visitor.page(file, width=width) as shown:
        shown.locator("header").wait_for()
        assert [cell.inner_text() for cell in shown.locator("tbody bdi").all()] == [*HOSTILE]
        assert shown.title() == HOSTILE[0]
        assert overflow(shown) <= 0


def test_a_script_that_got_into_the_page_is_not_run(visitor: Visitor, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    chunk = Chunk("overview", _overview("ann"))
    text = page("ann", [chunk], table=chunk.data["bots"])
    file.write_text(text.replace("</body>", "<script>document.title = 'run'</script></body>"))
    refused = pytest.raises(AssertionError, match="Content Security Policy")
    with refused, visitor.page(file) as shown:
        shown.locator("header").wait_for()
        assert shown.title() == "ann"
