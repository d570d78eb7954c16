"""Contests of whole classes, of any size and in seconds: no game is played for them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from arena.contest.retirement import settle
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.report.facts import Facts, facts_of
from arena.rules import Position, Ruleset
from arena.scoring.grade_rules import GradeRule
from arena.settings.contest import BotEntry, Contest, Grading, Ranking, Schedule, ScheduledGame
from arena_lab.synthetic import Population, draw_class
from support.bots import record
from support.scripted import round_robin

LONG = "a_name_as_long_as_a_learning_system_has_"  # 40 characters
HEBREW = "בוט של דנה"
ARABIC = "روبوت ليلى"
STARTS, ENDS = ("an", "be", "cor", "dan", "el", "gus", "ha", "il", "jo"), ("na", "ra", "lin", "to")
HOUSE = {"random": -500.0, "greedy": -150.0, "reference": 300.0}
ABSENT = {
    "absent": "raised ModuleNotFoundError while loading: No module named 'torch'",
    "broken": "cannot be read: line 12: '(' was never closed",
    "twofold": "has two functions that could choose a move, pick_move and best_move",
}
KINDS = {
    Verdict.TIMEOUT: "took more than 5 s for a move",
    Verdict.ILLEGAL_MOVE: "returned column 3, which is full",
    Verdict.ERROR: "raised IndexError: list index out of range",
    Verdict.NODES: "used more than 10,000 nodes in one move (10,001); search less deep",
    Verdict.CRASH: "crashed its process (signal SIGSEGV)",
}
NOT_LOADED = "could not be loaded: NameError: name 'np' is not defined"

# Games by their opening and winner.
Lines = Mapping[tuple[tuple[int, ...], int | None], Sequence[tuple[int, ...]]]


@cache
def class_facts(students: int, openings: int = 1, retire_after: int = 5) -> Facts:
    """Return the facts of a round robin of a class with house players.

    Strengths are normally distributed. In classes of more than five, the last two never load and
    one in eight loses some games by a fault. Three more bots take no part.
    """
    draw = random.Random(1)
    names = [*names_of(students), *HOUSE]
    starts = tuple((column,) for column in (3, 2, 4, 1, 5, 0, 6))
    field = draw_class(Population(players=students, house=tuple(HOUSE.values())), 1)
    points = np.swapaxes(field.play(openings).points, 0, 1).ravel().tolist()
    faulty = {name: draw.choice(list(KINDS)) for name in names[4 : students - 2 : 8]}
    faulty |= dict.fromkeys(names[max(students - 2, 5) : students], Verdict.LOAD_ERROR)
    games = list(round_robin(names, [starts[number % 7] for number in range(openings)]))
    lines = _lines(starts)
    records = {}
    for place, (game, scored) in enumerate(zip(games, points, strict=True)):
        one = place % 2  # the seat of the bot that scored so: it moves first in every other game
        winner = None if scored == 0.5 else one if scored else 1 - one
        records[game.key.digest] = _record(game, winner, lines, faulty, draw)
    entries = {name: BotEntry(content_hash=name, house=name in HOUSE) for name in names}
    for name, why in ABSENT.items():
        entries[name] = BotEntry(refused=why, unloadable=True, content_hash=name)
    contest = Contest(
        bots=entries,
        schedule=Schedule(openings=openings, retire_after=retire_after),
        ranking=Ranking(anchors={name: 1500 + elo for name, elo in HOUSE.items()}),
        grades=Grading(rule=GradeRule.SCALE, scale=(900, 2100)),
    )
    return facts_of(Path("homework4"), contest, settle(games, records, retire_after), {})


def grown(overview: dict[str, Any], times: int) -> dict[str, Any]:
    """Return a contest's overview with `times` bots in place of each student's bot.

    It has the size of a large contest's, and takes no time to make.
    """
    playing, table = overview["bots"][: len(overview["crosstable"])], overview["crosstable"]
    bots, places = [], []
    for place, bot in enumerate(playing):
        for number in range(1 if bot["house"] else times):
            name = f"{bot['name']}{number or ''}"
            bots.append(bot | {"name": name, "rank": len(bots) + 1})
            places.append(place)
    cells = [[table[one][other] for other in places] for one in places]
    absent = overview["bots"][len(playing) :]
    return overview | {"bots": bots + absent, "crosstable": cells, "convergence": None}


def names_of(students: int) -> list[str]:
    """Return names: a long one and two from right to left among common ones."""
    common = (f"{start}{end}{number or ''}" for number in range(students)
              for end in ENDS for start in STARTS)  # fmt: skip
    return [LONG, HEBREW, ARABIC, *(next(common) for _ in range(students - 3))]


def _record(
    game: ScheduledGame,
    winner: int | None,
    lines: Lines,
    faulty: Mapping[str, Verdict],
    draw: random.Random,
) -> GameRecord:
    failing = next((name for name in game.names if name in faulty), "")
    verdict = faulty.get(failing)
    if verdict is Verdict.LOAD_ERROR:
        winner = 1 - game.names.index(failing)
        return record(game.key, game.key.opening, verdict, winner, reason=NOT_LOADED)
    moves = draw.choice(lines[game.key.opening, winner])
    if verdict and draw.random() < 0.3:
        seat = game.names.index(failing)
        moves = moves[: len(game.key.opening) + 4]
        moves = moves[: len(moves) - (len(moves) % 2 != seat)]
        how = {"verdict": verdict, "winner": 1 - seat, "reason": KINDS[verdict]}
    else:
        ended = Verdict.BOARD_FULL if winner is None else Verdict.LINE
        how = {"verdict": ended, "winner": winner, "reason": "so it went"}
    asked = len(moves) - len(game.key.opening) + how["verdict"].is_fault
    spent = {"charged_ns": (10**6,) * asked, "nodes": (900,) * asked}
    return record(game.key, moves, **how, **spent)


@cache
def _lines(starts: tuple[tuple[int, ...], ...]) -> Lines:
    """Return random games with each opening, won by either side and drawn."""
    draw = random.Random(1)
    found: dict[tuple[tuple[int, ...], int | None], list[tuple[int, ...]]] = {}
    for start in starts:
        while len([None for opening, _ in found if opening == start]) < 3:
            position = Position(Ruleset(), start)
            while not position.is_over:
                position.play(draw.choice(position.legal()))
            found.setdefault((start, position.winner), []).append(tuple(position.moves))
    return found
