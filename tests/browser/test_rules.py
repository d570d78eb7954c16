"""The page's own rules, which draw positions, against the rules of the game."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.game.limits import Limits
from arena.report.html.report import replays_page
from arena.rules import Goal, Position, Ruleset
from support.browser import Visitor

pytestmark = pytest.mark.slow

BOARDS = (
    Ruleset(),
    Ruleset(goal=Goal.MOST),
    Ruleset(rows=8, columns=8),
    Ruleset(rows=1, columns=9, connect=2),
    Ruleset(rows=5, columns=4, connect=3, goal=Goal.MOST),
    Ruleset(rows=2, columns=2, connect=5),
    Ruleset(rows=1, columns=1, connect=2),
    Ruleset(rows=4, columns=12, connect=2, goal=Goal.MOST),
)

GAMES = 6
"""Random games on each board."""


def _random_games() -> Iterator[tuple[Ruleset, list[int]]]:
    """Yield games up to some ply."""
    draw = random.Random(1)
    for rules in BOARDS:
        for _ in range(GAMES):
            position = Position(rules)
            stop = draw.randint(0, rules.cells)
            while position.ply < stop and not position.is_over:
                position.play(draw.choice(position.legal()))
            yield rules, list(position.moves)


def _by_arena(rules: Ruleset, moves: list[int]) -> dict[str, Any]:
    """Return a position as Arena's rules see it."""
    position = Position(rules, moves)
    lines = [[player, sorted(line)] for player in (0, 1) for line in position.lines_of(player)]
    return {
        "made": list(position.lines_made),
        "winner": position.winner,
        "isOver": position.is_over,
        "toMove": position.to_move,
        "legal": position.legal(),
        "rack": [list(column) for column in position.rack()],
        "lines": sorted(lines),
    }


BY_PAGE = """games => games.map(([rules, moves]) => {
    const position = Arena.position(rules, moves);
    const rack = Array.from({ length: rules.columns }, () => Array(rules.rows).fill(0));
    for (const disc of position.discs) rack[disc.column][disc.row] = disc.player + 1;
    const { made, winner, isOver, toMove, lines } = position;
    return {
        made, winner, isOver, toMove, rack,
        legal: rack.map((_, column) => column).filter(position.canPlay),
        lines: lines.map((line) => [line.player, line.cells.map(([c, r]) => c * rules.rows + r)]),
    };
})"""


def test_positions_winners_and_lines_are_those_of_the_rules(
    visitor: Visitor, tmp_path: Path
) -> None:
    file = tmp_path / "report.html"
    players = [("ann", None), ("bob", None)]
    file.write_text(replays_page(Ruleset(), Limits(), players, []), encoding="utf-8")
    games = list(_random_games())
    sent = [
        [
            {"rows": r.rows, "columns": r.columns, "connect": r.connect, "goal": r.goal.value},
            moves,
        ]
        for r, moves in games
    ]
    with visitor.page(file) as shown:
        found = shown.evaluate(BY_PAGE, sent)
        refused = [shown.evaluate(REFUSAL, moves) for moves in REFUSED.values()]
    for position in found:
        position["lines"] = sorted([player, sorted(cells)] for player, cells in position["lines"])
    assert found == [_by_arena(rules, moves) for rules, moves in games]
    assert refused == list(REFUSED)
    for why, moves in REFUSED.items():
        with pytest.raises(ValueError, match=why):
            Position(Ruleset(), moves)


REFUSED = {
    "column 0 is full": [0] * 7,
    "column 7 does not exist": [7],
    "column -1 does not exist": [-1],
    "the game is over": [0, 1, 0, 1, 0, 1, 0, 1],
}
REFUSAL = """moves => {
    try { Arena.position({ rows: 6, columns: 7, connect: 4, goal: "first" }, moves); }
    catch (error) { return error.message; }
}"""
