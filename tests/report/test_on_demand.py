"""Tables that are printed on demand: chosen columns, the crosstable, the tallies."""

from __future__ import annotations

import io
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table
from support.bots import key

from arena.contest import BotEntry, Contest, ScheduledGame, settle
from arena.errors import InputError
from arena.ranking import OPENINGS_CSV, TALLIES_CSV
from arena.referee import Bot, GameRecord, Verdict
from arena.report.facts import Facts, facts_of
from arena.report.tables import (
    all_columns,
    chosen_columns,
    chosen_table,
    crosstable_tables,
    tally_tables,
)
from arena.scoring import TieBreakName

MakeFacts = Callable[[int], Facts]


def facts(bots: int) -> Facts:
    """A contest in which the first of two bots by number wins; the last crashes as second."""
    names = [f"bot{number:02}" for number in range(bots)]
    seats = {name: Bot(content_hash=name, root="") for name in names}
    games, records = [], {}
    for pairing, (one, other) in enumerate(combinations(names, 2), 1):
        for first, second in ((one, other), (other, one)):
            played = key(seats[first], seats[second], opening=(3, 3))
            game = ScheduledGame(
                number=len(games) + 1,
                pairing=pairing,
                opening=1,
                first=first,
                second=second,
                key=played,
            )
            crashed = second == names[-1]
            games.append(game)
            records[played.digest] = GameRecord(
                key=played.digest,
                columns=(3, 3, 0),
                opening_plies=2,
                charged_ns=(1,),
                nodes=(-1,),
                winner=0 if first == one else 1,
                verdict=Verdict.CRASH if crashed else Verdict.LINE,
                reason="",
            )
    contest = Contest(bots={name: BotEntry() for name in names})
    return facts_of(Path("c"), contest, settle(games, records, 0), {})


def lines_of(table: Table, width: int, *, is_boxed: bool = True) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    lines: list[str] = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert all(len(line) <= width for line in lines)
    return [line for line in lines if (line[0] in "│┃" if is_boxed else "─" not in line)]


def test_every_tally_and_tie_break_is_a_column() -> None:
    board = all_columns(facts(3))
    assert {*TALLIES_CSV, *TieBreakName} <= set(board.columns)
    assert board.set_index("bot").loc["bot02", ["crash", "losses_by_fault", "losses"]].tolist() == [
        *(2, 2, 4)
    ]


def test_chosen_columns_come_in_their_order_and_only_once() -> None:
    board = chosen_columns(facts(3), ["points", "bot", "koya", "points"])
    assert list(board.columns) == ["points", "bot", "koya"]
    assert board["koya"].tolist() == [2, 0, 0]


@pytest.mark.parametrize(
    ("name", "hint"), [("bucholz", "did you mean buchholz?"), ("", "columns: rank, ")]
)
def test_a_column_that_is_not_there_is_said_in_one_line(name: str, hint: str) -> None:
    with pytest.raises(InputError, match="there is no such column") as error:
        chosen_columns(facts(2), ["bot", name])
    assert hint in str(error.value)


def test_chosen_columns_without_room_are_named() -> None:
    board = chosen_columns(facts(3), ["bot", "points", "sonneborn_berger", "buchholz"])
    table, left_out = chosen_table(board, 40)
    assert left_out == ["buchholz"]
    assert len(lines_of(table, 40)) == 4


@pytest.mark.parametrize("width", [40, 80, 132])
def test_the_crosstable_is_split_into_what_fits_and_complete(width: int) -> None:
    made = facts(30)
    tables = crosstable_tables(made, width)
    parts = [lines_of(table, width, is_boxed=False) for table in tables]
    assert (len(parts) > 1) == (width < 132)
    seen = []
    for head, *rows in parts:
        columns = head.split()[1:]
        line, bot, *cells = rows[0].split()
        assert (line, bot) == ("1", "bot00")
        assert cells == ["2" for column in columns if column != "1"]
        seen += columns
    assert seen == [str(line) for line in range(1, 31)]


def test_the_tallies_are_tables_of_bots_faults_and_openings() -> None:
    made = facts(3)
    bots, faults, openings = (lines_of(table, 80) for _, table in tally_tables(made, 80))
    assert len(bots) == 4
    assert [line.split()[1] for line in faults[1:]] == ["bot02"]
    assert openings[1].split("│")[1].strip() == "3 3"
    assert len(OPENINGS_CSV) == 9
