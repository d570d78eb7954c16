"""A view of a contest under way, drawn into the rows and columns that a terminal has.

From above: how far it is and how long it takes, the lanes with their games, the standings with a
board beside or below them, and the last faults. Whatever there is no room for is left out.

The board replays a game that has ended: a lane tells nothing of a game before, as that would cost
time in every move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from rich.cells import cell_len
from rich.text import Text

from arena.common.text import rough_duration
from arena.contest.run import Playing
from arena.game.record import GameRecord
from arena.report.replay import board_text
from arena.report.screen.fitting import cut, fitted, padded
from arena.report.tally import BotFault, Standing
from arena.rules import MARKS, Position
from arena.settings.contest import ScheduledGame

ROOMY = 20
"""Rows from which on parts are kept apart by an empty line."""

BAR = 30
"""Columns of the bar that grows, at most."""

LANE_WIDTH = 60
"""Columns of a lane, where lanes stand side by side."""

PAIRING = 20
"""Columns that two names get before other facts about a lane."""

VERSUS = " – "
"""Between the names of two bots that play."""

GAP = "   "
"""Between columns and between parts."""

BESIDE = 72
"""Columns from which on the board stands beside the standings."""

CAPTION = 30
"""Columns of the lines around a board, at least, where it stands beside the standings."""

BODY = 10
"""Rows that the standings and the board get before faults do."""

LEAST_STANDINGS = 7
"""Rows that the standings keep before a board is drawn below them."""

LEAST_NAME = 12
"""Columns that names get, if they are that long, before further columns of the standings."""

QUIET = "bright_black"
"""Style of what is less important."""

LaneView = tuple[Playing, tuple[int, int]]
"""What a lane plays, and of that pairing the games that were played and all there are."""

LiveColumn = tuple[str, int, Callable[[Standing], str]]

COLUMNS: Sequence[LiveColumn] = (
    ("score", 5, lambda row: f"{row.points / row.games:.0%}"),
    ("points", 7, lambda row: f"{row.points:g}"),
    ("games", 6, lambda row: f"{row.games:,}"),
    ("faults", 6, lambda row: f"{row.faults:,}" if row.faults else "-"),
)
"""Columns of the standings after the name: title, width, and a bot's cell."""

LEFT_OUT = ("games", "points")
"""Columns that a narrow terminal goes without, in this order."""

RETIRED = " retired"


REST = 6
"""Frames for which the end of a game is shown, at least."""

LONGEST = 60
"""Frames in which a game is replayed, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayFrame:
    """A game that is replayed, at one of its plies."""

    game: ScheduledGame
    """The game's place in the contest."""

    record: GameRecord
    """The game as it was played."""

    ply: int
    """Discs on the board that is shown."""

    rested: int = 0
    """Frames since its end was shown first."""

    @classmethod
    def begin(cls, game: ScheduledGame, record: GameRecord) -> ReplayFrame:
        """Return a game at its opening."""
        return cls(game=game, record=record, ply=record.opening_plies)

    @property
    def is_at_end(self) -> bool:
        """True if the last disc has fallen."""
        return self.ply == len(self.record.columns)

    def next(self, latest: tuple[ScheduledGame, GameRecord] | None) -> ReplayFrame:
        """Return the next frame: a ply more, and after the end the game that ended last."""
        if not self.is_at_end:
            moves = len(self.record.columns) - self.record.opening_plies
            ply = min(self.ply + 1 + moves // LONGEST, len(self.record.columns))
            return replace(self, ply=ply)
        if self.rested >= REST and latest is not None and latest[1] is not self.record:
            return ReplayFrame.begin(*latest)
        return replace(self, rested=self.rested + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Everything that a view shows, as of one moment."""

    share: float
    """The part of the contest that is done, from 0 to 1."""

    facts: Sequence[str]
    """How far it is and how long it takes, as phrases."""

    standings: Sequence[Standing]
    """The bots that have played, the leading one first."""

    lanes: Sequence[LaneView | None]
    """The lanes in order; None for one that has nothing to play."""

    watched: ReplayFrame | None
    """The board to be drawn."""

    faults: Sequence[BotFault]
    """The faults, the last one last."""


def view(scene: Scene, width: int, height: int) -> Text:
    """Draw a scene in at most `height` lines of at most `width` cells."""
    space = [Text()] if height >= ROOMY else []
    top = list(_facts(scene, width))[:height]
    lanes = _lanes(scene.lanes, width, (height - len(top) + 2) // 3)
    left = height - len(top) - len(lanes) - 2 * len(space)
    room = min((left - BODY) // 2, left // 4)
    faults = [fault_line(fault, width) for fault in scene.faults[-room:]] if room > 0 else []
    if faults:
        left -= len(faults) + len(space)
    body = _body(scene, width, left)
    lines: list[Text] = []
    for part in filter(None, (top, lanes, body, faults)):
        lines += [*space, *part] if lines else part
    for line in lines:
        line.truncate(width)
    return Text("\n", no_wrap=True, overflow="crop").join(lines[:height])


def fault_line(fault: BotFault, width: int) -> Text:
    """Draw a fault in a line of at most `width` cells, which leaves out a part of a long reason."""
    times = f", {fault.times:,} times" if fault.times > 1 else ""
    name, rest = fitted(fault.name, width // 3), f" (game {fault.game:,}{times})"
    room = width - len(fault.verdict.name) - cell_len(name) - len(rest) - len("   ")
    said = f"{fault.verdict.name}  {name} {fitted(fault.reason, max(room, 0))}{rest}"
    return Text(cut(said, width), "red")


def _facts(scene: Scene, width: int) -> Iterator[Text]:
    """Yield a bar and the facts, as many on a line as there is room for."""
    room = min(BAR, width // 3)
    done = round(scene.share * room)
    line = Text("━" * done, "green").append("━" * (room - done), QUIET)
    line.append(f" {scene.share:4.0%}")
    for fact in scene.facts:
        if line.cell_len + len(" · ") + cell_len(fact) > width:
            yield line
            line = Text(cut(fact, width))
        else:
            line.append(f" · {fact}")
    yield line


def _lanes(lanes: Sequence[LaneView | None], width: int, height: int) -> list[Text]:
    """Draw the lanes, a line for each; side by side where that many do not fit."""
    if height < 1 or not lanes:
        return []
    across = 1 if len(lanes) <= height else max(1, width // LANE_WIDTH)
    rows = min(-(-len(lanes) // across), height)
    numbered = list(enumerate(lanes, 1))
    hidden = len(lanes) - rows * across
    if hidden > 0:  # those that are shown play for longest
        hidden += 1
        numbered.sort(key=lambda each: -each[1][0].seconds if each[1] else 0.0)
        numbered = sorted(numbered[: len(lanes) - hidden], key=lambda each: each[0])
    cells = _lane_cells(numbered, (width - (across - 1) * len(GAP)) // across)
    if hidden > 0:
        cells.append(Text(f"and {hidden} more lanes", QUIET))
    columns = [cells[start : start + rows] for start in range(0, len(cells), rows)]
    return [
        Text(GAP).join(cell for cell in row if cell is not None) for row in zip_longest(*columns)
    ]


def _lane_cells(numbered: Sequence[tuple[int, LaneView | None]], width: int) -> list[Text]:
    """Draw lanes with their numbers, each in exactly `width` cells."""
    facts = [_lane_facts(lane) for _, lane in numbered]
    label = max((len(f"lane {number}") for number, _ in numbered), default=0)
    while True:
        sizes = [max(map(len, column)) for column in zip(*facts, strict=True)]
        room = width - label - len(GAP) - sum(size + len(GAP) for size in sizes)
        if room >= PAIRING or not sizes:
            wanted = (cell_len(_pairing(lane, 3 * LANE_WIDTH)) for _, lane in numbered)
            room = min(room, max(wanted, default=room))
            break
        # the game is left out first, then the time, and how many were played last
        facts = [[*row[:-2], row[-1]] if len(row) == 3 else row[:-1] for row in facts]
    cells = []
    for (number, lane), row in zip(numbered, facts, strict=True):
        line = Text(padded(f"lane {number}", label) + GAP, QUIET)
        line.append(padded(_pairing(lane, room), room), QUIET if lane is None else "")
        for fact, size in zip(row, sizes, strict=True):
            line.append(GAP + padded(fact, size, right=True), QUIET)
        line.truncate(width)
        cells.append(line)
    return cells


def _lane_facts(lane: LaneView | None) -> list[str]:
    """Return what is said of a lane besides names: games played, the game, and its time."""
    if lane is None:
        return ["", "", ""]
    playing, (played, of) = lane
    following = f", then {playing.following} more" if playing.following else ""
    time = rough_duration(playing.seconds) if playing.seconds >= 1 else ""
    return [f"{played} of {of}", f"game {playing.game.number:,}{following}", time]


def _pairing(lane: LaneView | None, width: int) -> str:
    if lane is None:
        return "idle"
    room = max(width - len(VERSUS), 2)
    names = lane[0].game.first, lane[0].game.second
    one, other = (cell_len(fitted(name, room)) for name in names)
    one = min(one, max(room // 2, room - other))
    return fitted(names[0], one) + VERSUS + fitted(names[1], room - one)


def _body(scene: Scene, width: int, height: int) -> list[Text]:
    """Draw the standings, and the board beside or below them where there is room."""
    if scene.watched is None:
        return _standings(scene.standings, width, height)
    board = _board(scene.watched, width // 2, CAPTION)
    across = max(line.cell_len for line in board)
    if width >= BESIDE and len(board) <= height and across <= width // 2:
        table = _standings(scene.standings, width - across - len(GAP), height)
        size = max((line.cell_len for line in table), default=0)
        lines = []
        for row, cells in zip_longest(table, board, fillvalue=Text()):
            lines.append(Text().append(row).append(" " * (size - row.cell_len) + GAP).append(cells))
        return lines
    board = _board(scene.watched, width, width)
    across = max(line.cell_len for line in board)
    wanted = min(LEAST_STANDINGS, len(scene.standings) + 1)
    if across <= width and wanted + 1 + len(board) <= height:
        table = _standings(scene.standings, width, height - len(board) - 1)
        return [*table, Text(), *board]
    return _standings(scene.standings, width, height)


def _board(watched: ReplayFrame, width: int, caption: int) -> list[Text]:
    """Draw a game: who plays, the board in `width` cells, and how far it is or how it ended."""
    record = watched.record
    position = Position(watched.game.key.rules, record.columns[: watched.ply])
    board = list(board_text(position, width).split("\n"))
    room = max(caption, *(line.cell_len for line in board))
    title = f"game {watched.game.number:,}: ply {watched.ply} of {len(record.columns)}"
    lines = [Text(cut(title, room), "bold")]
    for seat, name in enumerate((watched.game.first, watched.game.second)):
        won = " won" if watched.is_at_end and record.winner == seat else ""
        said = f"{MARKS[seat]} {fitted(name, room - 2 - len(won))}{won}"
        lines.append(Text(said, "bold" if won else ""))
    ending = fitted(record.reason, room) if watched.is_at_end else ""
    return [*lines, *board, Text(ending)]


def _standings(rows: Sequence[Standing], width: int, height: int) -> list[Text]:
    """Draw the standings, with a last line for the bots that have no room."""
    if height < 2 or not rows:
        return []
    fits = len(rows) < height
    shown = rows if fits else rows[: max(height - 2, 1)]
    longest = max(cell_len(fitted(row.name, width)) for row in shown)
    columns = list(COLUMNS)
    for title in LEFT_OUT:
        if _room_for_names(columns, width) < min(longest, LEAST_NAME):
            columns = [column for column in columns if column[0] != title]
    name = max(min(longest, _room_for_names(columns, width)), len("bot"))
    header = Text(f"    {padded('bot', name)}", "bold")
    for title, size, _ in columns:
        header.append(" " + padded(title, size, right=True))
    lines = [header]
    for row in shown:
        line = Text(f"{row.rank:>3} {padded(fitted(row.name, name), name)}")
        for title, size, cell in columns:
            style = "red" if title == "faults" and row.faults else ""
            line.append(" " + padded(cell(row), size, right=True), style)
        lines.append(line.append(RETIRED if row.is_retired else "", QUIET))
    if not fits and height > 2:
        lines.append(Text(f"    and {len(rows) - len(shown):,} more", QUIET))
    return lines


def _room_for_names(columns: Sequence[LiveColumn], width: int) -> int:
    return width - len("100 ") - sum(size + 1 for _, size, _ in columns) - len(RETIRED)
