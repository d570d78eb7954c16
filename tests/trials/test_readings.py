"""How a bot reads the board: what tells it, and what is said of it."""

from __future__ import annotations

import json
import random
import shutil
import tomllib
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from arena.common.names import house_folder
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.intake.submission import read_submission
from arena.report.check import check_lines, check_page, check_record
from arena.rules import RULESETS, Position, Ruleset
from arena.trials.examine import examine, situations
from arena.trials.preflight import Preflight
from arena.trials.readings import Reading, Situation, likeliest
from arena.trials.trial import Terms
from support.bots import as_entered

CLASSIC = RULESETS["classic"]
ENTRY = """
entry = { class = "ComputerPlayer", method = "pick_move" }
make.named = { id = "side", difficulty_level = 1 }
"""
RIGHT = 'board = { form = "tuples", by_columns = true, top = false }'
CELLS = 'board = { form = "tuples", by_columns = true, top = false, %s }'
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


def telling(rules: Ruleset) -> list[Situation]:
    return [situation for situation in situations(rules) if situation.columns]


def winning(rules: Ruleset, rack: list[list[int]], player: int) -> list[int]:
    """Return the columns in which a disc on the lowest empty cell makes a line, by brute force."""

    def has_line(column: int, row: int, step: tuple[int, int]) -> bool:
        cells = [(column + step[0] * n, row + step[1] * n) for n in range(rules.connect)]
        return all(
            0 <= c < rules.columns and 0 <= r < rules.rows and rack[c][r] == player
            for c, r in cells
        )

    found = []
    for column, stack in enumerate(rack):
        if 0 in stack:
            row = stack.index(0)
            stack[row] = player
            places = product(range(rules.columns), range(rules.rows), STEPS)
            if any(has_line(*place) for place in places):
                found.append(column)
            stack[row] = 0
    return found


@pytest.mark.parametrize("rules", [*RULESETS.values(), Ruleset(5, 6), Ruleset(4, 4, 3)], ids=str)
def test_each_reading_of_a_telling_position_has_one_best_column_of_its_own(rules: Ruleset) -> None:
    found = telling(rules)
    for situation in found:
        position = Position(rules, situation.moves)
        rack = [list(stack) for stack in position.rack()]
        me, other = position.to_move + 1, 2 - position.to_move
        columns = situation.columns
        assert len(set(columns.values())) == len(columns)
        right = columns[Reading.RIGHT]
        assert winning(rules, rack, me if situation.is_win else other) == [right]
        if Reading.EXCHANGED in columns:
            assert winning(rules, rack, other) == [columns[Reading.EXCHANGED]]
        if Reading.MIRRORED in columns:
            assert columns[Reading.MIRRORED] == rules.columns - 1 - right
        assert all(0 <= column < rules.columns for column in columns.values())
        assert len(position.legal()) == rules.columns
    counts = {reading: sum(reading in each.columns for each in found) for reading in Reading}
    assert counts[Reading.RIGHT] >= 16
    if rules in RULESETS.values():
        assert counts.pop(Reading.UPSIDE_DOWN) == 0
        assert counts[Reading.RIGHT] == 18
        assert counts[Reading.EXCHANGED] == 14
        assert min(counts.values()) >= 10


def reading_of(
    choose: Callable[[Position], int | None], rules: Ruleset = CLASSIC
) -> Reading | None:
    """Return how a player without a process seems to read the board; None if that is unclear."""
    answers = [
        (each.columns, each.seat, choose(Position(rules, each.moves))) for each in telling(rules)
    ]
    found = likeliest(answers)
    return found.reading if found else None


@pytest.mark.parametrize("rules", RULESETS.values(), ids=str)
def test_of_players_who_do_not_look_ahead_nothing_is_said(rules: Ruleset) -> None:
    habits: list[Callable[[Position], int]] = [
        lambda position: min(position.legal(), key=lambda c: abs(2 * c - rules.columns + 1)),
        lambda position: min(position.legal(), key=position.moves.count),
        lambda position: min(position.legal()[::-1], key=position.moves.count),
        lambda position: max(position.legal(), key=position.moves.count),
        lambda position: position.moves[-1],
    ]
    # No column is full, so a fixed order of columns is the same as its first.
    habits += [lambda _, column=column: column for column in range(rules.columns)]  # type: ignore[misc]
    assert {reading_of(habit, rules) for habit in habits} == {None}
    draw = random.Random(1)
    drawn = [reading_of(lambda position: draw.choice(position.legal()), rules) for _ in range(1000)]
    assert drawn.count(None) >= 999


def test_a_fault_is_a_miss_and_few_answers_are_no_proof() -> None:
    right = [(each.columns, each.seat, each.columns[Reading.RIGHT]) for each in telling(CLASSIC)]
    found = likeliest(right)
    assert found and (found.reading, found.hits) == (Reading.RIGHT, 18)
    assert (
        likeliest([*right[:15], *((columns, seat, None) for columns, seat, _ in right[15:])])
        is None
    )
    assert likeliest(right[:6]) is None


@pytest.fixture(scope="module")
def searches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bot that searches, alone in its folder: each load copies all that is there."""
    folder = tmp_path_factory.mktemp("searches")
    return Path(shutil.copy(house_folder() / "quartets.py", folder))


def checked(zygote: Zygote, bot: Path, table: str) -> Preflight:
    """Check a bot with an interface of its own, tried as with `arena check --interface`."""
    described = json.dumps(tomllib.loads(table) | {"explain": True})
    submission = read_submission(bot, own={"mine": described})
    assert submission.entry_point.interface == "mine"
    entered = as_entered(submission, bot.parent)
    terms = Terms(CLASSIC, Limits(move_seconds=2, nodes=None), 1)
    return Preflight(
        submission=submission,
        search="none",
        is_counted=False,
        counters=(),
        imports=(),
        examination=examine(zygote, entered, terms),
    )


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (RIGHT, "It reads the board rightly. In "),
        (
            CELLS % "first = 2, second = 1",
            "it seems to take its opponent's discs for its own. Exchange `first` and `second` in "
            "[side]. In ",
        ),
        (RIGHT + "\nside = { first = 2, second = 1 }", "Exchange `first` and `second` in [side]"),
        (
            CELLS % "own = 1, other = 2",
            "opponent's discs for its own as player 2. In [board], give `first` and `second` in "
            "place of `own` and `other`. In ",
        ),
        (
            RIGHT.replace("false", "true"),
            "it seems to see the board upside down. Set `top = false` in [board]. In ",
        ),
        pytest.param(
            RIGHT + "\nmove.base = 1",
            "it seems to count columns from 0. Set `base = 0` in [move]. In ",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_wrong_description_of_a_searching_bot_is_noticed(
    zygote: Zygote, searches: Path, table: str, said: str
) -> None:
    result = checked(zygote, searches, ENTRY + table)
    page = check_page(result, CLASSIC, Limits())
    first = " ".join(page.split("\n\n")[1].splitlines()).replace("**", "")
    assert said in first
    assert first.startswith("WARNING: ") == (table != RIGHT)
    listed = check_lines([result])
    assert any(said in line.plain for line in listed) == (table != RIGHT)
    reading = check_record(result)["reading"]
    assert (reading["reading"] == "right") == (table == RIGHT)


def test_the_first_position_is_shown_as_the_bot_got_it(zygote: Zygote, searches: Path) -> None:
    page = check_page(
        checked(zygote, searches, ENTRY + RIGHT.replace("false", "true")),
        CLASSIC,
        Limits(),
    )
    section = page.partition("## How it sees the board\n")[2].partition("\n## ")[0]
    assert section.strip().startswith("Here the bot can make a line, in column ")
    assert ".\nColumns count from 0 on the left." in section
    picture = section.partition("position (X is this bot):\n")[2].splitlines()[:6]
    cells = [line.split() for line in picture]
    mirrored, turned = [row[::-1] for row in cells], cells[::-1]
    assert [len(row) for row in cells] == [7] * 6
    assert cells not in (mirrored, turned)
    for line in ("call: pick_move", "answer: ", "column from the left, counted from 0: "):
        assert section.count(line) == 1


WEAK = """
import random

class ComputerPlayer:
    def __init__(self, id):
        pass

    def pick_move(self, rack):
        return random.choice([column for column, stack in enumerate(rack) if 0 in stack])
"""


@pytest.mark.parametrize("top", ["false", "true"])
def test_of_a_bot_that_plays_at_random_nothing_is_claimed(
    zygote: Zygote, tmp_path: Path, top: str
) -> None:
    bot = tmp_path / "weak.py"
    bot.write_text(WEAK.replace("import random", "import random\nrandom.seed(3)"))
    result = checked(zygote, bot, ENTRY + RIGHT.replace("false", top))
    assert (
        check_page(result, CLASSIC, Limits())
        .splitlines()[2]
        .startswith("Whether it reads the board rightly is unknown")
    )
    assert not check_lines([result])
