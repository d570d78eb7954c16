"""The page around the views: strangers' text in it stays text, and it loads only its own files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from arena.report.html import report as report_module
from arena.report.html.report import contest_report, write_report
from support.browser import Visitor
from support.reports import SCRIPT, contest_facts

pytestmark = pytest.mark.slow

FACTS = contest_facts()


def test_a_script_that_got_into_the_page_is_not_run(visitor: Visitor, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    text = contest_report(FACTS, "homework4")
    (tmp_path / "other.js").write_text("document.title = 'run'")
    strange = "<script>document.title = 'run'</script><script src='other.js'></script>"
    file.write_text(text.replace("</body>", f"{strange}</body>"))
    refused = pytest.raises(AssertionError, match=r"(?s)Content Security Policy.*other\.js")
    with refused, visitor.page(file) as shown:
        shown.get_by_role("heading", level=1).wait_for()
        assert shown.title() == "Leaderboard – homework4"


def test_games_beside_the_page_are_read_from_a_disk_and_only_of_its_own_edition(
    visitor: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_module, "MAX_INSIDE", 10)
    path = write_report(tmp_path / "report.html", FACTS, "homework4").path
    with visitor.page(path) as shown:
        shown.get_by_role("link", name=SCRIPT).first.click()
        expect(shown.locator(".games").get_by_role("rowheader").first).to_be_visible()
        write_report(path, FACTS, "homework4")
        shown.evaluate("() => { location.hash = '#/games?a=ann&b=random'; }")
        expect(shown.get_by_text(re.compile("made again"))).to_be_visible()
