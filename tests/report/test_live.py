"""The view of a contest under way: what stands where, in whatever terminal."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from arena.contest.retirement import settle
from arena.contest.run import Playing
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.report.screen.fitting import cut, fitted
from arena.report.screen.live import REST, ReplayFrame, Scene, view
from arena.report.screen.progress import Progress
from arena.report.tally import BotFault, Standing
from support.scripted import contest_of, games_between, lost

HOSTILE = (
    "\x1b[31mred\x1b[2J",
    "L" * 300,
    "שלום עולם",
    "漢字" * 40,
    "<script>",
    "[bold]x[/bold]",
    "",
)

(GAME,) = games_between(("ann", "bob"))
WON = GameRecord(
    key=GAME.key.digest,
    columns=(3, 3, 2, 4, 4, 2, 0, 5, 0, 5, 0, 6, 0),
    opening_plies=2,
    charged_ns=(10**6,) * 11,
    nodes=(-1,) * 11,
    winner=0,
    verdict=Verdict.LINE,
    reason="made a line with column 0",
)


def standing(name: str, *, points: float = 5, faults: int = 0) -> Standing:
    return Standing(
        name=name, rank=1, points=points, games=10, faults=faults, is_retired=bool(faults)
    )


def lane(number: int, *names: str) -> Playing:
    game = replace(GAME, first=names[0], second=names[1], number=812)
    return Playing(lane=number, game=game, following=4, seconds=1.0 * number)


def scene(names: Sequence[str], lanes: int = 2, *, watched: ReplayFrame | None = None) -> Scene:
    pairs = zip(names, [*names[1:], names[0]], strict=True)
    return Scene(
        share=0.25,
        facts=["1,008/4,032 games", "152.3 games/s", "about 25 s left", "faults: 2"],
        standings=[standing(name, points=10 - place / 10) for place, name in enumerate(names)],
        lanes=[lane(number, *pair) for number, pair in zip(range(lanes), pairs, strict=False)],
        watched=watched,
        faults=[BotFault(name, Verdict.ERROR, reason=name, game=4, times=2) for name in names],
    )


def lines_of(shown: Scene, width: int, height: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    console.print(view(shown, width, height))
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined,no-any-return]


CLASS = ["ann", "bob", *(f"student{number:02}" for number in range(28))]
ENDED = ReplayFrame(game=GAME, record=WON, ply=13)


@given(
    names=st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=70)), min_size=1),
    width=st.integers(12, 200),
    height=st.integers(1, 60),
    lanes=st.integers(0, 70),
    is_watched=st.booleans(),
)
@example(names=["L" * 300] * 8, width=12, height=1, lanes=8, is_watched=False)
@example(names=["L" * 300] * 7, width=19, height=20, lanes=3, is_watched=False)
def test_whatever_bots_are_called_it_stays_within_the_terminal(
    names: list[str], width: int, height: int, lanes: int, is_watched: bool
) -> None:
    watched = replace(ENDED, game=replace(GAME, first=names[0], second=names[-1]))
    lines = lines_of(scene(names, lanes, watched=watched if is_watched else None), width, height)
    assert len(lines) <= max(height, 12)  # the terminal's view is cut
    assert all(cell_len(line) <= width for line in lines)
    assert all(letter.isprintable() or letter == "\u200e" for line in lines for letter in line)


def test_a_usual_terminal_shows_lanes_standings_board_and_faults() -> None:
    lines = lines_of(scene(CLASS, watched=ENDED), 80, 23)
    assert lines[0].startswith("━" * 6 + "─" * 20 + "  25% · 1,008/4,032 games · 152.3 games/s")
    assert " ".join(lines[3].split()) == "lane 1 ann – bob game 812, then 4 more"
    assert " ".join(lines[4].split()) == "lane 2 bob – student00 game 812, then 4 more 1 s"
    text = "\n".join(lines)
    for part in ("\n1  ann ", " 100% ", "game 1: ply 13 of 13", "X ann won", "made a line with"):
        assert part in text
    assert " 0  1  2  3  4  5  6" in text
    assert text.count("ERROR") == 4
    assert "20 more" in text


def test_a_tall_terminal_is_filled_with_standings_and_a_small_one_keeps_the_leaders() -> None:
    text = "\n".join(lines_of(scene(CLASS, watched=ENDED), 200, 59))
    assert all(f" {name} " in text for name in CLASS)
    assert "more\n" not in text.partition("ERROR")[0].partition("bot")[2]
    lines = lines_of(scene(CLASS, watched=ENDED), 40, 7)
    assert "25% · 1,008/4,032 games" in lines[0]
    assert any(line.startswith("lane 2   bob – stu") for line in lines)
    assert any(line.startswith("1  ann ") for line in lines)
    assert len(lines) <= 7


def test_of_many_lanes_those_are_shown_that_play_for_longest() -> None:
    text = "\n".join(lines_of(scene(CLASS, lanes=30), 50, 12))
    assert "lane 30" in text and "lane 1 " not in text


def test_a_game_is_replayed_to_its_end_until_another_has_ended() -> None:
    latest = games_between(("c", "d"))[0], replace(WON, key="later")
    watched = ReplayFrame.begin(GAME, WON)
    plies = [watched.ply]
    while (watched := watched.next(latest)).record is WON:
        plies.append(watched.ply)
    assert plies == [*range(2, 14), *[13] * REST]
    assert watched == ReplayFrame.begin(*latest)
    watched = ENDED
    for _ in range(3 * REST):
        watched = watched.next((GAME, WON))
    assert (watched.record, watched.ply) == (WON, 13)


def test_what_runs_from_right_to_left_ends_with_a_mark() -> None:
    assert fitted("שלום", 10) == "שלום\u200e"
    assert fitted("ann", 10) == "ann"
    assert cut("漢字漢字", 4) == "漢 …"


def shown_by(console: Console, *, retire_after: int = 0) -> str:
    """Return everything that a run of two faults and a won game prints."""
    games = games_between(("x", "a"), ("x", "a"), ("a", "x"))
    records = [lost(games[0], "x"), lost(games[1], "x"), replace(WON, key=games[2].key.digest)]
    running = [Playing(lane=0, game=games[2], following=0, seconds=7.0)]
    with Progress(contest_of(games, retire_after=retire_after), games, (), {}, console) as progress:
        for end, record in enumerate(records, 1):
            known = {each.key: each for each in records[:end]}
            retired = settle(games, known, retire_after).retired
            progress.update([record], retired, running)
            progress._draw_at = 0.0
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def terminal(kind: str) -> Console:
    environment = {"TERM": kind, "COLUMNS": "80", "LINES": "24"}
    return Console(
        file=io.StringIO(), force_terminal=True, _environ=environment, legacy_windows=False
    )


def test_a_terminal_shows_the_view_and_is_left_clean() -> None:
    text = shown_by(terminal("xterm-256color"))
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1  # the cursor
    assert "x – a" not in text and "a – x" in text
    assert text.count("TIMEOUT  x lost (game 1)") == 1 + 1  # printed, and in the view of then
    assert "TIMEOUT  x lost (game 2, 2 times)" in text
    assert "3/3 games · " in text.rpartition("\x1b[2K")[2]


@pytest.mark.parametrize(
    ("slow", "pause"),
    [("arena.report.tally.Scoreboard.standing", 0.25), ("arena.report.screen.progress.view", 5.0)],
)
def test_neither_slow_ratings_nor_a_slow_terminal_freeze_the_view(
    monkeypatch: pytest.MonkeyPatch, slow: str, pause: float
) -> None:
    now = 1000.0

    def wait(*_: object) -> list[tuple[str, float, int]] | str:
        nonlocal now
        now += 3.0
        return [] if slow.endswith("standing") else ""

    monkeypatch.setattr("arena.report.screen.progress.monotonic", lambda: now)
    monkeypatch.setattr(slow, wait)
    games = games_between(("x", "a"), ("a", "x"))
    with Progress(contest_of(games), games, (), {}, terminal("xterm-256color")) as progress:
        progress.update([lost(games[0], "x")], {}, [])
        assert progress._draw_at == now + pause


@pytest.mark.parametrize("kind", ["dumb", "unknown"])
def test_a_dumb_terminal_gets_lines_and_no_controls(kind: str) -> None:
    text = shown_by(terminal(kind), retire_after=1)
    lines = text.splitlines()
    assert lines[0] == "TIMEOUT  x lost (game 1)"
    assert "lane" not in text
    assert "\x1b[2K" not in text and "\x1b[?25l" not in text
    assert sum("x is retired after losing 1 of 1 games by TIMEOUT" in line for line in lines) == 1
