"""A view of a running contest that fits a terminal.

From the top: progress and time left; the lanes with their games; the standings, with a board beside
them; the last faults. Parts without room are left out.

The board replays a game that has ended, as watching a running game would cost time in every move.
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

ROOMY = 20  # from this number of rows, empty lines separate the parts
BAR = 30  # greatest width of the progress bar
LANE_WIDTH = 60  # columns of a lane when lanes stand side by side
PAIRING = 20  # least columns for the two names of a lane's game
VERSUS = " – "
GAP = "   "  # between columns and between parts
BESIDE = 72  # from this number of columns, the board stands beside the standings
CAPTION = 30  # least columns of the lines above and below such a board
BODY = 10  # rows that standings and board get before faults get any
QUIET = "bright_black"  # style of less important text

# a lane's game, and (games played, games in all) of this game's pairing
LaneView = tuple[Playing, tuple[int, int]]
LiveColumn = tuple[str, int, Callable[[Standing], str]]

# Columns after the name: title, width, function that returns a cell.
COLUMNS: Sequence[LiveColumn] = (
    ("score", 5, lambda row: f"{row.points / row.games:.0%}"),
    ("points", 7, lambda row: f"{row.points:g}"),
    ("games", 6, lambda row: f"{row.games:,}"),
    ("faults", 6, lambda row: f"{row.faults:,}" if row.faults else "-"),
)

NARROW = 50  # a narrower table leaves out points and games
RETIRED = " retired"
REST = 6  # frames that show the end of a game, at least
LONGEST = 60  # frames of a replay, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayFrame:
    """A game that has ended, shown at one of its plies."""

    game: ScheduledGame
    record: GameRecord

    ply: int
    """Discs on the board."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    share: float
    """Share of games played, 0 to 1."""

    facts: Sequence[str]
    standings: Sequence[Standing]

    lanes: Sequence[LaneView | None]
    """The lanes in order; None for an idle lane."""

    watched: ReplayFrame | None

    faults: Sequence[BotFault]
    """The latest fault is last."""


def view(scene: Scene, width: int, height: int) -> Text:
    """Draw a scene in at most `height` lines of `width` cells."""
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
    """Draw a fault as a line of at most `width` cells."""
    times = f", {fault.times:,} times" if fault.times > 1 else ""
    name, rest = fitted(fault.name, width // 3), f" (game {fault.game:,}{times})"
    room = width - len(fault.verdict.name) - cell_len(name) - len(rest) - len("   ")
    line = f"{fault.verdict.name}  {name} {fitted(fault.reason, max(room, 0))}{rest}"
    return Text(cut(line, width), "red")


def _facts(scene: Scene, width: int) -> Iterator[Text]:
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
    """Draw a line for each lane; put lanes side by side if there are more than `height`."""
    if height < 1 or not lanes:
        return []
    across = 1 if len(lanes) <= height else max(1, width // LANE_WIDTH)
    rows = min(-(-len(lanes) // across), height)
    numbered = list(enumerate(lanes, 1))
    hidden = len(lanes) - rows * across
    if hidden > 0:  # show the lanes that have played longest
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
    label = max((len(f"lane {number}") for number, _ in numbered), default=0)
    pairings = [_pairing(lane, max(width // 2, PAIRING)) for _, lane in numbered]
    longest = max(map(cell_len, pairings), default=0)
    cells = []
    for (number, lane), pairing in zip(numbered, pairings, strict=True):
        line = Text(padded(f"lane {number}", label) + GAP, QUIET)
        line.append(padded(pairing, longest), QUIET if lane is None else "")
        if lane is not None:
            line.append(GAP + GAP.join(_lane_facts(*lane)), QUIET)
        line.truncate(width)
        cells.append(line)
    return cells


def _lane_facts(playing: Playing, games: tuple[int, int]) -> Iterator[str]:
    yield f"{games[0]} of {games[1]}"
    if playing.seconds >= 1:
        yield rough_duration(playing.seconds)
    following = f", then {playing.following} more" if playing.following else ""
    yield f"game {playing.game.number:,}{following}"


def _pairing(lane: LaneView | None, width: int) -> str:
    if lane is None:
        return "idle"
    room = max(width - len(VERSUS), 2)
    names = lane[0].game.first, lane[0].game.second
    one, other = (cell_len(fitted(name, room)) for name in names)
    one = min(one, max(room // 2, room - other))
    return fitted(names[0], one) + VERSUS + fitted(names[1], room - one)


def _body(scene: Scene, width: int, height: int) -> list[Text]:
    if scene.watched is None:
        return _standings(scene.standings, width, height)
    board = _board(scene.watched, width // 2)
    across = max(line.cell_len for line in board)
    if width >= BESIDE and len(board) <= height and across <= width // 2:
        table = _standings(scene.standings, width - across - len(GAP), height)
        size = max((line.cell_len for line in table), default=0)
        lines = []
        for row, cells in zip_longest(table, board, fillvalue=Text()):
            lines.append(Text().append(row).append(" " * (size - row.cell_len) + GAP).append(cells))
        return lines
    return _standings(scene.standings, width, height)


def _board(watched: ReplayFrame, width: int) -> list[Text]:
    record = watched.record
    position = Position(watched.game.key.rules, record.columns[: watched.ply])
    board = list(board_text(position, width).split("\n"))
    room = max(CAPTION, *(line.cell_len for line in board))
    title = f"game {watched.game.number:,}: ply {watched.ply} of {len(record.columns)}"
    lines = [Text(cut(title, room), "bold")]
    for seat, name in enumerate((watched.game.first, watched.game.second)):
        won = " won" if watched.is_at_end and record.winner == seat else ""
        player = f"{MARKS[seat]} {fitted(name, room - 2 - len(won))}{won}"
        lines.append(Text(player, "bold" if won else ""))
    ending = fitted(record.reason, room) if watched.is_at_end else ""
    return [*lines, *board, Text(ending)]


def _standings(rows: Sequence[Standing], width: int, height: int) -> list[Text]:
    if height < 2 or not rows:
        return []
    fits = len(rows) < height
    shown = rows if fits else rows[: max(height - 2, 1)]
    longest = max(cell_len(fitted(row.name, width)) for row in shown)
    columns = COLUMNS if width >= NARROW else (COLUMNS[0], COLUMNS[-1])
    used = len("100 ") + sum(size + 1 for _, size, _ in columns) + len(RETIRED)
    name = max(min(longest, width - used), len("bot"))
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
