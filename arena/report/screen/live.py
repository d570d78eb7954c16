"""A view of a running contest that fits a terminal.

From the top: progress and time left; the lanes with their games; the standings, with a board beside
them; the last faults. Parts without room are left out.

The board replays an ended game, as watching a running one would cost time in every move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arena.common.text import rough_duration
from arena.contest.run import Playing
from arena.game.record import GameRecord
from arena.report.replay import board_text
from arena.report.screen.fitting import NAME_WIDTH, cut, fitted, fitted_table
from arena.report.tally import BotFault, Standing
from arena.rules import MARKS, Position
from arena.settings.contest import ScheduledGame

ROOMY = 20  # from this number of rows, empty lines separate the parts
BAR = 30  # greatest width of the progress bar
BESIDE = 72  # from this number of columns, the board stands beside the standings
QUIET = "bright_black"  # style of less important text
REST = 6  # frames that show the end of a game, at least
LONGEST = 60  # frames of a replay, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayFrame:
    """A game that has ended, shown at one of its plies."""

    game: ScheduledGame
    record: GameRecord
    ply: int
    rested: int = 0
    """Number of frames since the game's end was first shown."""

    @classmethod
    def begin(cls, game: ScheduledGame, record: GameRecord) -> ReplayFrame:
        return cls(game=game, record=record, ply=record.opening_plies)

    @property
    def is_at_end(self) -> bool:
        return self.ply == len(self.record.columns)

    def next(self, latest: tuple[ScheduledGame, GameRecord] | None) -> ReplayFrame:
        """Return the frame of the next ply or, after a pause at the end, of `latest`."""
        if not self.is_at_end:
            moves = len(self.record.columns) - self.record.opening_plies
            ply = min(self.ply + 1 + moves // LONGEST, len(self.record.columns))
            return replace(self, ply=ply)
        if self.rested >= REST and latest is not None and latest[1] is not self.record:
            return ReplayFrame.begin(*latest)
        return replace(self, rested=self.rested + 1)


class Scene(NamedTuple):
    share: float
    """Share of games played, 0 to 1."""

    facts: Sequence[str]
    standings: Sequence[Standing]
    lanes: Sequence[Playing]
    watched: ReplayFrame | None
    faults: Sequence[BotFault]
    """The latest fault is last."""


def view(scene: Scene, width: int, height: int) -> Group:
    space = [Text()] * (height >= ROOMY)
    done = round(scene.share * min(BAR, width // 3))
    bar = "━" * done + "─" * (min(BAR, width // 3) - done)
    facts = " · ".join([f"{bar} {scene.share:4.0%}", *scene.facts])
    parts: list[list[RenderableType]] = [[Text(line) for line in wrap(facts, width)]]
    left = max(height - len(parts[0]) - 2 * len(space), 0)
    if lanes := sorted(scene.lanes, key=lambda lane: -lane.seconds)[: left // 3]:
        parts.append([_lanes(lanes)])
    left -= len(lanes)
    if faults := scene.faults[-(left // 4) :] if left > 3 else ():
        left -= len(faults) + len(space)
    if left > 2 and scene.standings:
        parts.append([_body(scene, width, left)])
    parts.append([fault_line(fault, width) for fault in faults])
    first, *others = filter(None, parts)
    return Group(*first, *(line for part in others for line in (*space, *part)))


def fault_line(fault: BotFault, width: int) -> Text:
    times = f", {fault.times:,} times" if fault.times > 1 else ""
    name, rest = fitted(fault.name, width // 3), f" (game {fault.game:,}{times})"
    room = width - len(fault.verdict.name) - cell_len(name) - len(rest) - len("   ")
    line = f"{fault.verdict.name}  {name} {fitted(fault.reason, max(room, 0))}{rest}"
    return Text(cut(line, width), "red")


def _lanes(lanes: Sequence[Playing]) -> Table:
    table = Table.grid(padding=(0, 3, 0, 0))
    for each in sorted(lanes, key=lambda lane: lane.lane):
        names = " – ".join(fitted(name, NAME_WIDTH) for name in each.game.names)
        following = f", then {each.following} more" if each.following else ""
        cells = [f"lane {each.lane + 1}", names, f"game {each.game.number:,}{following}"]
        cells.append(rough_duration(each.seconds) if each.seconds >= 1 else "")
        table.add_row(*(Text(cell, no_wrap=True, overflow="ellipsis") for cell in cells))
    return table


def _body(scene: Scene, width: int, height: int) -> Table:
    board = [] if scene.watched is None else [*_board(scene.watched, width // 2)]
    if not board or width < BESIDE or len(board) > height:
        return _standings(scene.standings, width, height)
    body = Table.grid(padding=(0, 3, 0, 0))
    body.add_row(_standings(scene.standings, width // 2, height), Group(*board))
    return body


def _board(watched: ReplayFrame, width: int) -> Iterator[Text]:
    record = watched.record
    yield Text(f"game {watched.game.number:,}: ply {watched.ply} of {len(record.columns)}", "bold")
    for seat, name in enumerate(watched.game.names):
        won = " won" if watched.is_at_end and record.winner == seat else ""
        yield Text(f"{MARKS[seat]} {fitted(name, NAME_WIDTH)}{won}", "bold" if won else "")
    position = Position(watched.game.key.rules, record.columns[: watched.ply])
    yield from board_text(position, width).split()
    yield Text(fitted(record.reason, width) if watched.is_at_end else "")


def _standings(rows: Sequence[Standing], width: int, height: int) -> Table:
    more = len(rows) - height + 2 if len(rows) >= height else 0
    shown = rows[: len(rows) - more]
    cells = {
        "#": [str(row.rank) for row in shown],
        "bot": [fitted(row.name, NAME_WIDTH) for row in shown],
        "score": [f"{row.points / row.games:.0%}" for row in shown],
        "points": [f"{row.points:g}" for row in shown],
        "games": [f"{row.games:,}" for row in shown],
        "faults": [f"{row.faults:,}" if row.faults else "-" for row in shown],
    }
    if any(row.is_retired for row in shown):
        cells[""] = ["retired" * row.is_retired for row in shown]
    styles = [QUIET if row.is_retired else "red" if row.faults else "" for row in shown]
    table = fitted_table(cells, width, ("games", "points"), styles=styles)
    if more:
        table.add_row("", Text(f"{more:,} more", QUIET, no_wrap=True, overflow="ellipsis"))
    return table
