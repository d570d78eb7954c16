"""The report of a whole class: 9, 40 and 200 bots, in windows of all sizes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from arena.report.html.overview import contest_overview
from arena.report.html.report import contest_chunks
from arena.report.html.shell import Chunk
from arena.report.html.shell import page as page_of
from support.browser import Visitor, go, look, overflow
from support.classes import ABSENT, HEBREW, HOUSE, LONG, class_facts, grown

pytestmark = pytest.mark.slow

WIDTHS = (390, 768, 1440, 2560)
SIZES = {9: (9, 6, 1), 40: (40, 2, 1), 200: (40, 2, 5)}
"""By number of bots: students and openings of a contest, and how often each student is in it."""

AXED = {9: ("#/", f"#/bot/{LONG}"), 40: ("#/class",), 200: ("#/crosstable",)}
"""Views that axe looks at: rows are alike, and many take it long."""

NESTED = """() => [...document.querySelectorAll("main *")].filter((element) => {
    const { overflowX, overflowY } = getComputedStyle(element);
    return (/auto|scroll/.test(overflowY) && element.scrollHeight > element.clientHeight + 1)
        || (/auto|scroll/.test(overflowX) && element.scrollWidth > element.clientWidth + 1);
}).map((element) => element.outerHTML.slice(0, 100))"""
"""Finds elements that scroll inside the page."""

CUT = """(all) => all.filter((one) => one.scrollWidth > one.clientWidth)
    .map((one) => one.textContent)"""
"""Finds texts that have no room."""

FRAMES = """() => new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)));
})"""
"""Waits until what watches the width of the window has drawn again."""

Report = Callable[[int], Path]


@pytest.fixture(scope="module")
def overviews() -> dict[int, dict[str, Any]]:
    made = {}
    for size, (students, openings, times) in SIZES.items():
        overview = contest_overview(class_facts(students, openings), "homework4")
        made[size] = grown(overview, times) if times > 1 else overview
    return made


@pytest.fixture(scope="module")
def report(
    tmp_path_factory: pytest.TempPathFactory, overviews: dict[int, dict[str, Any]]
) -> Report:
    """Return a function from a number of bots to a page."""
    folder = tmp_path_factory.mktemp("class")

    def made(size: int) -> Path:
        file, overview = folder / f"{size}.html", overviews[size]
        if not file.exists():
            students, openings, _ = SIZES[size]
            chunks = [Chunk("overview", overview)]
            if size < 200:
                chunks += contest_chunks(class_facts(students, openings), overview)
            else:  # nobody looks at the games
                chunks += (Chunk(f"bot-{place}", []) for place in range(len(overview["bots"])))
            file.write_text(page_of("homework4", chunks, table=overview["bots"]))
        return file

    return made


@pytest.fixture
def forty(visitor: Visitor, report: Report) -> Iterator[Page]:
    with visitor.page(report(40)) as page:
        page.get_by_role("heading", level=1).wait_for()
        yield page


def view(page: Page, where: str, title: str) -> None:
    go(page, where)
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.locator("main [aria-busy=true]")).to_have_count(0)


def row(page: Page, name: str) -> Locator:
    named = page.get_by_role("link", name=name, exact=True)
    return page.locator(".leaderboard tr").filter(has=named)


@pytest.mark.parametrize("size", SIZES)
def test_everything_fits_at_every_width(visitor: Visitor, report: Report, size: int) -> None:
    views = {"#/": "Leaderboard", "#/class": "Class", "#/crosstable": "Crosstable"}
    if size < 200:
        views[f"#/bot/{LONG}"] = LONG
    with visitor.page(report(size)) as page:
        for where, title in views.items():
            view(page, where, title)
            for width in WIDTHS:
                look(page, width, dark=width < 1000)
                page.evaluate(FRAMES)
                if where == "#/":
                    cards = page.locator(".standings.cards")
                    expect(cards).to_have_count(int(width < 500))
                    for part in ("of-rank", "of-name", "of-grade", "of-interval", "of-points"):
                        box = row(page, LONG).locator(f".{part}").bounding_box()
                        assert box, (size, width, part)
                        assert box["x"] >= 0, (size, width, part)
                        assert box["x"] + box["width"] <= width, (size, width, part)
                assert overflow(page) <= 0, (size, where, width)
                assert page.evaluate(NESTED) == [], (size, where, width)
            if where in AXED[size]:
                assert visitor.faults(page) == [], (size, where)


def test_the_first_view_says_who_won_how_sure_that_is_and_who_did_not_play(forty: Page) -> None:
    board = class_facts(40, 2).board
    first, second = board["bot"][:2]
    headline = forty.locator(".headline")
    expect(headline).to_contain_text(f"{first} won with")
    expect(headline).to_contain_text(f"likely to be better than the next, {second}")
    for name, why in ABSENT.items():
        expect(headline.get_by_role("listitem").filter(has_text=name)).to_contain_text(why)
    for name in class_facts(40, 2).settled.retired:
        item = headline.get_by_role("listitem").filter(has_text=name)
        expect(item).to_contain_text("could not be loaded")


def test_bots_that_never_loaded_do_not_stretch_the_axis(forty: Page) -> None:
    facts = class_facts(40, 2)
    played = facts.board[~facts.board["bot"].isin([*facts.settled.retired])]
    axis = forty.locator("thead svg.axis text")
    ticks = [float(text.replace(",", "")) for text in axis.all_text_contents()]
    assert min(ticks) > facts.board["rating"].min() + 200
    assert min(ticks) < played["rating"].min() + 300
    shown = row(forty, next(iter(facts.settled.retired))).locator("svg.interval")
    expect(shown.locator(".arrow")).to_have_count(1)
    expect(shown.locator("circle")).to_have_count(0)


def test_columns_are_chosen_and_kept(forty: Page) -> None:
    heads = forty.get_by_role("columnheader")
    expect(heads).to_have_count(5)
    forty.get_by_text("Columns", exact=True).click()
    for name in ("won", "faults", "likely rank", "over next", "ms/move", "nodes/move", "drawn"):
        forty.get_by_role("checkbox", name=name).check()
    expect(heads).to_have_count(12)
    forty.reload()
    expect(heads).to_have_count(12)
    look(forty, 768, dark=False)  # there is no room for them
    expect(forty.locator(".standings.cards")).to_have_count(1)
    won = str(class_facts(40, 2).board["wins"][0])
    expect(forty.locator("td.of-wins").first).to_have_text(won)
    assert overflow(forty) <= 0
    look(forty, 1440, dark=False)
    expect(forty.locator(".standings.cards")).to_have_count(0)


def test_histograms_and_faults_have_everybody(forty: Page, overviews: dict[int, Any]) -> None:
    bots = overviews[40]["bots"]
    view(forty, "#/class", "Class")
    grades = forty.get_by_role("img", name=re.compile("^Grades of 43 bots: median"))
    counts = grades.locator("text:not(.quiet)").all_text_contents()
    assert sum(map(int, counts)) == sum(bot["grade"] is not None for bot in bots) == 43
    ratings = forty.get_by_role("img", name=re.compile("^Ratings of 38 bots"))
    assert {mark.split("◆")[-1] for mark in ratings.locator(".of-house").all_text_contents()} == {
        *HOUSE
    }
    forty.get_by_text("The same as a table").first.click()
    table = forty.get_by_role("table", name="Grades")
    graded = [bot["name"] for bot in bots if bot["grade"] is not None and bot["grade"] >= 9]
    for name in graded:
        expect(table.get_by_role("link", name=name, exact=True)).to_be_visible()
    for verdict in {verdict for bot in bots for verdict in bot["faults_by"]}:
        games = [bot["faults_by"].get(verdict, 0) for bot in bots]
        link = forty.locator(f'.kinds td.number a[href="#/games?verdict={verdict}"]')
        expect(link).to_have_text(str(sum(games)))
        expect(link.locator("xpath=../following-sibling::td[1]")).to_have_text(
            str(sum(map(bool, games)))
        )


def test_a_crosstable_of_200_is_searched_ordered_and_walked_through(
    visitor: Visitor, report: Report, overviews: dict[int, Any]
) -> None:
    names = [bot["name"] for bot in overviews[200]["bots"] if bot["rank"] is not None]
    with visitor.page(f"{report(200).as_uri()}#/crosstable") as page:
        heads = page.locator(".crosstable tbody th bdi")
        expect(heads.first).to_have_text(names[0])
        shown = heads.count()
        assert 10 < shown < 40
        page.locator(".crosstable [tabindex='0']").focus()
        for _ in range(shown):
            page.keyboard.press("ArrowDown")
        at = page.locator(".crosstable [tabindex='0']")
        expect(at).to_be_focused()
        expect(at).to_have_attribute("aria-label", re.compile(f"^{names[shown]}.* {names[1]}$"))
        page.get_by_role("searchbox", name="Find").fill(HEBREW)
        expect(page.locator(".crosstable tbody th.wanted bdi")).to_have_text(HEBREW)
        box = page.locator("canvas").bounding_box()
        assert box
        page.locator("canvas").click(position={"x": box["width"] - 2, "y": 2})
        expect(heads.first).to_have_text(names[0])
        expect(page.locator(".crosstable thead bdi").last).to_have_text(names[-1])
        page.get_by_role("combobox", name="Order").select_option("likeness")
        # those with the same results are neighbours
        page.get_by_role("searchbox", name="Find").fill(HEBREW)
        expect(heads.filter(has_text=HEBREW)).to_have_count(5)
        page.get_by_role("combobox", name="Zoom").select_option("far")
        expect(heads).not_to_have_count(shown)
        cell = page.locator(".crosstable a").first
        words = cell.get_attribute("aria-label") or ""
        cell.click()
        against = words.split(" against ")[1]
        expect(page.get_by_role("heading", level=1)).to_contain_text(f"against {against}")


def test_a_bots_page_has_its_best_win_and_its_worst_loss(forty: Page) -> None:
    facts = class_facts(40, 2)
    ranks = facts.board.set_index("bot")["rank"]
    name = str(facts.board["bot"][12])
    view(forty, f"#/bot/{name}", name)
    games = facts.games[~facts.games["fault"].astype(bool)]
    won = games[games["winner"] == name]["loser"].map(ranks).min()
    lost = games[games["loser"] == name]["winner"].map(ranks).max()
    facts_of = forty.locator(".extremes dd")
    expect(facts_of.nth(0)).to_contain_text(f", rank {won}")
    expect(facts_of.nth(1)).to_contain_text(f", rank {lost}")
    table = forty.get_by_role("table", name="opponent, the strongest first")
    opponents = [bot for bot in facts.board["bot"] if bot != name]
    expect(table.get_by_role("rowheader").locator("bdi")).to_have_text(opponents)


def test_a_tie_says_how_sure_it_is_and_no_number_or_name_is_cut(
    visitor: Visitor, overviews: dict[int, dict[str, Any]], tmp_path: Path
) -> None:
    overview = dict(overviews[9])
    ranked = sorted(overview["bots"], key=lambda bot: bot["rank"] or 99)
    first, second = [bot["name"] for bot in ranked if not bot["house"]][:2]
    tied = {"rank": 1, "rank_low": 1, "rank_high": 7}
    overview["bots"] = [
        bot | tied | {"same_as": [first if bot["name"] == second else second]}
        if bot["name"] in (first, second)
        else bot
        for bot in overview["bots"]
    ]
    overview["openings"] = [
        opening | {"first_wins": 418, "draws": 23, "second_wins": 339}
        for opening in overview["openings"]
    ]
    chunks = [Chunk("overview", overview), *contest_chunks(class_facts(9, 6), overview)]
    file = tmp_path / "report.html"
    file.write_text(page_of("homework4", chunks, table=overview["bots"]))
    with visitor.page(file) as page:
        expect(page.locator(".headline")).to_contain_text(
            "share the first place. That is not settled: ranks 1 to 7 are possible."
        )
        expect(row(page, first)).to_contain_text("same as 1 other")
        look(page, 390, dark=False)
        view(page, "#/openings", "Openings")
        expect(page.locator(".balance > span").first).to_be_visible()
        assert page.locator(".balance > span").evaluate_all(CUT) == []
        view(page, "#/games", "Games")
        short = page.locator(".games tbody bdi").filter(has_text=re.compile(r"^\S{3,9}$"))
        expect(short.first).to_be_visible()
        assert max(short.evaluate_all("all => all.map((one) => one.offsetHeight)")) < 30
        assert overflow(page) <= 0
        assert page.evaluate(NESTED) == []


@pytest.mark.parametrize("size", SIZES)
def test_on_paper_there_is_a_crosstable_or_its_map(
    visitor: Visitor, report: Report, size: int
) -> None:
    with visitor.page(f"{report(size).as_uri()}#/paper", width=720) as page:
        page.emulate_media(media="print")
        expect(page.locator(".crosstable:visible, .map:visible")).to_have_count(1)
        expect(page.locator(".leaderboard, .histogram svg").first).to_be_visible()


def test_without_scripts_the_page_has_the_table_and_says_what_it_lacks(
    visitor: Visitor, report: Report
) -> None:
    with visitor.page(report(9), scripts=False) as page:
        expect(page.get_by_text("scripts are blocked")).to_be_visible()
        facts = class_facts(9, 6)
        cells = page.locator("tbody tr td:nth-child(2)")
        expect(cells).to_have_text([*facts.board["bot"]])
        for name, why in ABSENT.items():
            expect(page.get_by_text(f"{name} did not play: it {why}")).to_be_visible()
