"""A game that was played: ply by ply on a terminal, or all of it in words with its boards.

Also the worth of moves in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from rich.text import Text

from arena.contest import GameAnalysis, JudgedMove, MoveAnalysis, PositionAnalysis, Worth
from arena.numbers import counted, duration
from arena.quoting import one_line, plain_lines
from arena.referee import GameRecord
from arena.report.board import WIDEST, board_text
from arena.report.fitting import fitted
from arena.report.shown import ShownGame, outcome
from arena.rules import MARKS, Goal, Position, Ruleset, draw


def value_in_words(value: int, ply: int, rules: Ruleset) -> str:
    """Return what perfect play comes to: `wins at ply 31`, `loses by 2 lines`, `draws`.

    `value` is the side's to move after `ply` discs.
    """
    if value == 0:
        return "draws"
    verb = "wins" if value > 0 else "loses"
    if rules.goal is Goal.MOST:
        return f"{verb} by {counted(abs(value), 'line')}"
    # the winner's discs that are left, counted from the end; the last ply is cell number `cells`
    mover_is_last = (rules.cells - ply) % 2 == 1
    last = rules.cells if mover_is_last == (value > 0) else rules.cells - 1
    return f"{verb} at ply {last - 2 * (abs(value) - 1)}"


def worth_in_words(worth: Worth) -> str:
    """Return what a move comes to: `wins`, `draws`, `loses`, or `gives about 35 %`."""
    if worth.exact is None:
        return f"gives about {percent(worth.chance)}"
    return "draws" if worth.exact == 0 else "wins" if worth.exact > 0 else "loses"


def percent(chance: float) -> str:
    """Write an estimate as people read it: `35 %`, at least 1 % and at most 99 %."""
    return f"{min(99, max(1, round(100 * chance)))} %"


def judged_in_words(move: JudgedMove) -> str:
    """Return what a move is worth by an estimate, and if it was a blunder, what would have been
    better: `about 35 %: a blunder; column 3 gives about 70 %`."""
    said = worth_in_words(move.worth).removeprefix("gives ")
    if not move.is_blunder:
        return said
    best = move.position.best
    return f"{said}: a blunder; column {any_of(best)} {best_worth_in_words(move.position)}"


def best_worth_in_words(position: PositionAnalysis) -> str:
    """Return what the best move comes to."""
    return worth_in_words(position.worth(position.best[0]))


def move_in_words(move: MoveAnalysis, rules: Ruleset) -> str:
    """Return what a move was worth, and if it was a blunder, what would have been better."""
    worth = value_in_words(move.value, move.ply, rules)
    if not move.is_blunder:
        return worth
    best = value_in_words(move.before, move.ply, rules)
    return f"{worth}: a blunder; column {any_of(move.best)} {best}"


def worths_in_words(analysis: GameAnalysis, record: GameRecord, rules: Ruleset) -> dict[int, str]:
    """Return what to say of each move of the bots, by its ply."""
    estimated = {move.ply: judged_in_words(move) for move in analysis.judged(record)}
    return estimated | {move.ply: move_in_words(move, rules) for move in analysis.moves}


def known_line(analysis: GameAnalysis, record: GameRecord) -> str:
    """Say from which ply on the moves of one game are known; empty if they all are."""
    if analysis.is_complete(record):
        return ""
    if not analysis.moves:
        return "What the moves are worth is estimated."
    return (
        f"What the moves are worth is estimated up to ply {analysis.moves[0].ply}, and known from "
        "there on."
    )


def any_of(columns: Sequence[int]) -> str:
    """Join columns: `3`, `3 or 4`, `3, 4 or 0`."""
    *most, last = map(str, columns)
    return f"{', '.join(most)} or {last}" if most else last


OUTPUT_WIDTH = 132
"""Characters of a line that a bot printed."""

WON, EVEN, LOST, FULL = "W", "=", "L", ""
"""What a column is worth where that is known."""

LEGEND = "W wins, = draws, L loses, ~35: about 35 % of the points (an estimate)"
LINES_LEGEND = "+2 wins by 2 lines, = draws, ~35: about 35 % of the points (an estimate)"


class Replay:
    """A game to be shown after any number of its discs."""

    def __init__(self, game: ShownGame) -> None:
        self.game = game
        """The game."""
        record, analysis = game.record, game.analysis
        self._names = one_line(game.names[0]), one_line(game.names[1])
        self._words: Mapping[int, str] = {}
        self._positions: Mapping[int, PositionAnalysis] = {}
        self.blunders: tuple[int, ...] = ()
        """The discs on the board after each blunder, in order."""
        if analysis is not None:
            self._words = worths_in_words(analysis, record, game.rules)
            self._positions = {position.ply: position for position in analysis.positions}
            self.blunders = tuple(move.ply + 1 for move in analysis.blunders(record))

    @property
    def plies(self) -> int:
        """Discs on the board at the end."""
        return len(self.game.record.columns)

    @property
    def opening_plies(self) -> int:
        """Discs of the opening."""
        return self.game.record.opening_plies

    @property
    def ends_without_move(self) -> bool:
        """True if the last answer was no move, but a fault."""
        return len(self.game.record.charged_ns) > self.plies - self.opening_plies

    def position(self, ply: int) -> Position:
        """Return the position after so many discs."""
        return Position(self.game.rules, self.game.record.columns[:ply])

    def title(self) -> str:
        """Return who played whom."""
        one, other = self._names
        return f"Game {self.game.number}: {one} ({MARKS[0]}) against {other} ({MARKS[1]})"

    def move(self, ply: int) -> str:
        """Return what is known of the answer that was given with `ply` - 1 discs on the board.

        Of a fault this is the answer after the last disc. Empty before the first disc.
        """
        record, index = self.game.record, ply - 1 - self.opening_plies
        if not ply:
            return ""
        if index < 0:
            return f"ply {ply}  {MARKS[(ply - 1) % 2]} column {record.columns[ply - 1]}  opening"
        parts = [
            f"ply {ply}",
            f"{MARKS[(ply - 1) % 2]} {fitted(self._names[(ply - 1) % 2], 24)}",
            f"column {record.columns[ply - 1]}" if ply <= self.plies else "no move",
            duration(record.charged_ns[index]),
        ]
        if record.nodes[index] >= 0:
            parts.append(f"{record.nodes[index]:,} nodes")
        if ply - 1 in self._words:
            parts.append(self._words[ply - 1])
        return "  ".join(parts)

    def worths(self, ply: int) -> list[str]:
        """Return a few characters for each column: what it is worth after so many discs.

        `W`, `=` and `L` are known, or `+2` lines; `~35` is an estimate. Empty if nothing is known.
        """
        position = self._positions.get(ply)
        return (
            [] if position is None else [_cell(each, self.game.rules) for each in position.columns]
        )

    def legend(self) -> str:
        """Return what the characters of `worths` mean; empty for a game without any."""
        if not self._positions:
            return ""
        return LINES_LEGEND if self.game.rules.goal is Goal.MOST else LEGEND

    def ending(self) -> Iterator[str]:
        """Yield lines about the end: who won and why, and whether the game counts."""
        game, names = self.game, self._names
        yield one_line(outcome(names, game.record))
        if game.analysis is not None and (known := known_line(game.analysis, game.record)):
            yield known
        if game.forfeit and game.is_played:
            counts = one_line(outcome(names, game.forfeit))
            yield f"This game was played but does not count: {counts}"
        elif game.forfeit:
            yield "This game was not played."

    def output(self) -> list[str]:
        """Return the last lines that the loser printed, if it lost by a fault."""
        if not self.game.record.output.strip():
            return []
        return plain_lines(self.game.record.output, OUTPUT_WIDTH)

    def lines(self) -> Iterator[str]:
        """Yield the whole game as lines of text, with the board after every move."""
        game, record = self.game, self.game.record
        yield self.title()
        yield f"{game.rules}; opening {game.opening}{f', key {record.key}' if record.key else ''}"
        if self._positions:
            yield f"Under a board: what each column is worth for whoever moves; {self.legend()}"
        yield from ("", draw(self.position(self.opening_plies)))
        yield from self._worth_line(self.opening_plies)
        for index in range(len(record.charged_ns)):
            ply = self.opening_plies + index + 1
            yield from ("", self.move(ply))
            if ply <= self.plies:
                yield from ("", draw(self.position(ply)))
                yield from self._worth_line(ply)
        yield ""
        yield from self.ending()
        if output := self.output():
            yield from ("", "The last the loser printed:", *output)

    def _worth_line(self, ply: int) -> Iterator[str]:
        if worths := self.worths(ply):
            yield "  ".join(f"{column}: {worth or '-'}" for column, worth in enumerate(worths))


def _cell(worth: Worth | None, rules: Ruleset) -> str:
    """Return what a column is worth, in at most three characters."""
    if worth is None:
        return FULL
    if worth.exact is None:
        return f"~{percent(worth.chance).removesuffix(' %')}"
    if worth.exact and rules.goal is Goal.MOST:
        return f"{worth.exact:+d}"
    return WON if worth.exact > 0 else LOST if worth.exact < 0 else EVEN


WORTH = 5
"""Characters of a cell of the board above what columns are worth."""

LEAST_WORTH = 3
"""Characters without which that is left out."""

QUIET = "bright_black"
"""Style of what is less important."""

WORTH_STYLES = {WON: "bold green", LOST: "red", EVEN: "bold"}
"""Styles of what a column is worth, where that is known; an estimate has none."""


def frame(replay: Replay, ply: int, width: int, height: int, keys: str) -> Text:
    """Draw a game after so many discs, in at most `height` lines of at most `width` cells.

    `keys` says which keys there are. A low terminal goes without the legend, then without the
    title, the keys, what is below the board, and the board's upper rows.
    """
    worths = replay.worths(ply)
    position = replay.position(ply)
    board = list(board_text(position, width, WORTH if replay.legend() else WIDEST).split("\n"))
    cell = board[0].cell_len // position.rules.columns
    if worths and cell >= LEAST_WORTH:
        board.append(_worth_row(worths, cell))
    if len(board) > height - 1:  # discs lie at the bottom
        board = [board[0], *board[len(board) - max(height - 2, 0) :]]
    below = _below(replay, ply, width)
    title = [Text(replay.title(), "bold"), Text(str(position.rules), QUIET), Text()]
    legend = [Text(line, QUIET) for line in wrap(replay.legend(), width)] if worths else []
    foot = [Text(keys, "reverse")]
    room = height - len(board) - len(below) - len(foot)
    lines = [*title[: max(room, 0)], *board, *below]
    if room >= len(title) + len(legend):
        lines += legend
    lines = [*lines, *foot][:height]
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return Text("\n", no_wrap=True, overflow="crop").join(lines)


def _worth_row(worths: list[str], cell: int) -> Text:
    row = Text()
    for worth in worths:
        row.append(worth.center(cell), WORTH_STYLES.get(worth, ""))
    return row


def _below(replay: Replay, ply: int, width: int) -> list[Text]:
    """Return lines about the last move and whose turn it is, or about the end."""
    said = [Text(line) for line in wrap(replay.move(ply), width)]
    if ply in replay.blunders:
        for line in said:
            line.stylize("red")
    if ply < replay.plies:
        return [*said, Text(f"after {ply} of {replay.plies} plies, {MARKS[ply % 2]} to move")]
    fault = [replay.move(ply + 1)] if replay.ends_without_move else []
    ending = [Text(line) for text in replay.ending() for line in wrap(text, width)]
    ending[0].stylize("bold")
    lines = [*ending[:1], *said, *map(Text, fault), *ending[1:]]
    if output := replay.output():
        lines += [Text("The last the loser printed:", QUIET), *map(Text, output)]
    return lines
