"""Single games for people: finding them, drawing boards, describing moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from rich.text import Text

from arena.analysis.analysis import GameAnalysis, JudgedMove, PositionAnalysis
from arena.analysis.worth import Worth
from arena.common.errors import InputError
from arena.common.text import counted, duration, listed, one_line, plain_lines, quote
from arena.contest.retirement import forfeit
from arena.contest.session import ContestResults
from arena.game.play import outcome as end_of
from arena.game.record import GameRecord
from arena.report.screen.fitting import fitted
from arena.rules import DISCS, MARKS, Goal, Position, Ruleset, draw
from arena.settings.contest import ScheduledGame

KEY_DIGITS = 6  # least digits of a game key that may stand for the game


@dataclass(frozen=True, slots=True)
class OwnSeat:
    seat: int
    """0 for the bot that moves first from the empty board."""

    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownGame:
    number: int
    opening: int
    names: tuple[str, str]
    rules: Ruleset

    record: GameRecord
    """The game as played; if it was not played, the made-up record of its forfeit."""

    analysis: GameAnalysis | None = None
    forfeit: GameRecord | None = None
    """The made-up record that counts instead of `record` if a bot is retired; else None."""

    own: OwnSeat | None = None
    """The seat of the author's bot, if the game is shown to this author; else None."""

    is_over: bool = True
    """False for an abandoned game, in whose record verdict and winner mean nothing."""

    @classmethod
    def of(
        cls,
        game: ScheduledGame,
        record: GameRecord,
        analysis: GameAnalysis | None = None,
        forfeit: GameRecord | None = None,
    ) -> ShownGame:
        return cls(
            number=game.number,
            opening=game.opening,
            names=(game.first, game.second),
            rules=game.key.rules,
            record=record,
            analysis=analysis,
            forfeit=forfeit,
        )

    @classmethod
    def at(cls, position: Position, names: tuple[str, str]) -> ShownGame:
        """Return the game of a position, over or not, without times and nodes."""
        winner, verdict, reason = end_of(position)
        record = GameRecord(
            key="",
            columns=position.moves,
            opening_plies=0,
            charged_ns=(),
            nodes=(),
            winner=winner,
            verdict=verdict,
            reason=reason,
        )
        rules, is_over = position.rules, position.is_over
        return cls(number=1, opening=1, names=names, rules=rules, record=record, is_over=is_over)

    @property
    def is_played(self) -> bool:
        return self.record is not self.forfeit

    @property
    def result(self) -> GameRecord:
        return self.forfeit or self.record


class ContestGames:
    def __init__(self, place: str, games: Sequence[ScheduledGame], results: ContestResults) -> None:
        """Hold all scheduled `games` of a contest, and its `results` so far.

        `place` is the contest's folder, for messages.
        """
        self._place, self._games, self._results = place, games, results

    def __iter__(self) -> Iterator[ShownGame]:
        for game, record, is_forfeit in self._results.settled.games:
            yield self._shown(game, record if is_forfeit else None)

    def find(self, word: str) -> ShownGame:
        """Return the game with this number or beginning of a key.

        Raises InputError if there is none or it has no result yet.
        """
        game = self._scheduled(word)
        made_up = forfeit(game, self._results.settled.retired)
        if made_up is None and game.key.digest not in self._results.records:
            raise self._not_yet(game)
        return self._shown(game, made_up)

    def played(self, word: str) -> tuple[ScheduledGame, GameRecord]:
        """Return a game as scheduled and its record; `word` as in `find`.

        Raises InputError if the game was not played.
        """
        game = self._scheduled(word)
        record = self._results.records.get(game.key.digest)
        if record is not None:
            return game, record
        if forfeit(game, self._results.settled.retired) is None:
            raise self._not_yet(game)
        retired = [
            name for name in (game.first, game.second) if name in self._results.settled.retired
        ]
        raise InputError(
            f"{self._place}: game {game.number} was not played, as {listed(retired)} "
            f"{'was' if len(retired) == 1 else 'were'} retired and forfeited it; "
            "there is nothing to play again"
        )

    def _scheduled(self, word: str) -> ScheduledGame:
        for game in self._games:
            if names_game(word, game.number, game.key.digest):
                return game
        if any(names_game(word, 0, key) for key in self._results.records):
            raise InputError(
                f"{self._place}: game {word} no longer belongs to this contest: a bot or a "
                "setting has changed since; its record is kept, but cannot be shown"
            )
        raise InputError(
            f"{self._place}: there is no game {word}; games are numbered 1 to {len(self._games)}"
        )

    def _not_yet(self, game: ScheduledGame) -> InputError:
        again = f"arena resume {quote(self._place)}"
        return InputError(f"{self._place}: game {game.number} has not been played yet; {again}")

    def _shown(self, game: ScheduledGame, made_up: GameRecord | None) -> ShownGame:
        played = self._results.records.get(game.key.digest)
        record = played or made_up
        assert record is not None
        analysis = self._results.analyses.get(record.key) if played else None
        return ShownGame.of(game, record, analysis, made_up)


def names_game(word: str, number: int, key: str) -> bool:
    return word == str(number) or (len(word) >= KEY_DIGITS and key.startswith(word))


def outcome(names: tuple[str, str], record: GameRecord) -> str:
    if record.winner is None:
        return f"draw: {record.reason}" if record.is_game else f"no game: {record.reason}"
    winner, loser = names[record.winner], names[1 - record.winner]
    if record.verdict.is_fault:
        return f"{winner} wins: {loser} {record.reason} [{record.verdict.name}]"
    return f"{winner} wins: {record.reason}"


# Styles of an empty cell, of player 1's discs and of player 2's.
STYLES = ("grey66 on dodger_blue3", "bold bright_white on red3", "bold black on gold1")
LINE = "bold black on bright_white"  # style of discs on a complete line
LAST = "underline"  # added to the style of the last disc
EMPTY = "·"
WIDEST = 3  # characters of a cell, if the board then fits


def board_text(position: Position, width: int, widest: int = WIDEST) -> Text:
    """Draw the board below its column numbers, at most `width` characters wide.

    Complete lines and the last disc are highlighted.
    """
    rows, columns = position.rules.rows, position.rules.columns
    cell = min(max(width // columns, 1), widest)
    made = {each for player in (0, 1) for line in position.lines_of(player) for each in line}
    rack = position.rack()
    last = position.moves[-1:]
    text = Text(no_wrap=True)
    for column in range(columns):
        text.append(str(column)[-cell:].center(cell), "bold")
    for row in reversed(range(rows)):
        text.append("\n")
        for column in range(columns):
            disc = rack[column][row]
            style = LINE if column * rows + row in made else STYLES[disc]
            if (column,) == last and disc and not any(rack[column][row + 1 :]):
                style = f"{style} {LAST}"
            text.append((DISCS[disc] if disc else EMPTY).center(cell), style)
    return text


def value_in_words(value: int, ply: int, rules: Ruleset) -> str:
    """Return perfect play's result: `wins at ply 31`, `loses by 2 lines` or `draws`.

    `value` is for the side to move after `ply` discs.
    """
    if value == 0:
        return "draws"
    verb = "wins" if value > 0 else "loses"
    if rules.goal is Goal.MOST:
        return f"{verb} by {counted(abs(value), 'line')}"
    # a value counts the discs that the winner has left; the last ply is number `cells`
    mover_is_last = (rules.cells - ply) % 2 == 1
    last = rules.cells if mover_is_last == (value > 0) else rules.cells - 1
    return f"{verb} at ply {last - 2 * (abs(value) - 1)}"


def worth_in_words(worth: Worth) -> str:
    """Return a move's worth: `wins`, `draws`, `loses` or `gives about 35 %`."""
    if worth.exact is None:
        return f"gives about {percent(worth.chance)}"
    return "draws" if worth.exact == 0 else "wins" if worth.exact > 0 else "loses"


def percent(chance: float) -> str:
    return f"{min(99, max(1, round(100 * chance)))} %"


def judged_in_words(move: JudgedMove, rules: Ruleset, value: int | None = None) -> str:
    """Return a move's worth, and for a blunder the better move.

    `value` is the move's exact value, if the game's end is known from there on.
    """
    position = move.position
    worth = worth_in_words(move.worth).removeprefix("gives ")
    better = best_worth_in_words(position)
    if value is not None and position.value is not None:
        worth = value_in_words(value, move.ply, rules)
        better = value_in_words(position.value, move.ply, rules)
    if not move.is_blunder:
        return worth
    return f"{worth}: a blunder; column {any_of(position.best)} {better}"


def best_worth_in_words(position: PositionAnalysis) -> str:
    return worth_in_words(position.worth(position.best[0]))


def any_of(columns: Sequence[int]) -> str:
    return listed([*map(str, columns)], "or")


OUTPUT_WIDTH = 132  # characters of a printed line
WON, EVEN, LOST, FULL = "W", "=", "L", ""  # exact worths of a column
LEGEND = "W wins, = draws, L loses, ~35: about 35 % of the points (an estimate)"
LINES_LEGEND = "+2 wins by 2 lines, = draws, ~35: about 35 % of the points (an estimate)"


class Replay:
    def __init__(self, game: ShownGame) -> None:
        self.game = game
        record, analysis = game.record, game.analysis
        self._names = one_line(game.names[0]), one_line(game.names[1])
        self._words: Mapping[int, str] = {}
        self._positions: Mapping[int, PositionAnalysis] = {}
        self.blunders: tuple[int, ...] = ()  # discs on the board after each blunder
        if analysis is not None:
            self._words = {
                move.ply: judged_in_words(move, game.rules, analysis.values.get(move.ply))
                for move in analysis.judged(record)
            }
            self._positions = {position.ply: position for position in analysis.positions}
            self.blunders = tuple(move.ply + 1 for move in analysis.blunders(record))

    @property
    def plies(self) -> int:
        return len(self.game.record.columns)

    @property
    def opening_plies(self) -> int:
        return self.game.record.opening_plies

    def position(self, ply: int) -> Position:
        return Position(self.game.rules, self.game.record.columns[:ply])

    def title(self) -> str:
        one, other = self._names
        return f"Game {self.game.number}: {one} ({MARKS[0]}) against {other} ({MARKS[1]})"

    def move(self, ply: int) -> str:
        """Return a line about ply number `ply`; empty for 0.

        A fault in place of a move counts as a ply.
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
        """Return a few characters on each column's worth after `ply` discs; [] if unknown.

        `W`, `=`, `L` and `+2` (lines) are exact; `~35` is an estimate in per cent.
        """
        position = self._positions.get(ply)
        return (
            [] if position is None else [_cell(each, self.game.rules) for each in position.columns]
        )

    def legend(self) -> str:
        if not self._positions:
            return ""
        return LINES_LEGEND if self.game.rules.goal is Goal.MOST else LEGEND

    def ending(self) -> Iterator[str]:
        game, names = self.game, self._names
        yield one_line(outcome(names, game.record))
        if game.forfeit and game.is_played:
            counts = one_line(outcome(names, game.forfeit))
            yield f"This game was played but does not count: {counts}"
        elif game.forfeit:
            yield "This game was not played."

    def output(self) -> list[str]:
        if not self.game.record.output.strip():
            return []
        return plain_lines(self.game.record.output, OUTPUT_WIDTH)

    def lines(self) -> Iterator[str]:
        game, record = self.game, self.game.record
        yield self.title()
        yield f"{game.rules}; opening {game.opening}{f', key {record.key}' if record.key else ''}"
        if self._positions:
            yield f"Below a board: each column's worth for the player to move; {self.legend()}"
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
            yield from ("", "Last output of the loser:", *output)

    def _worth_line(self, ply: int) -> Iterator[str]:
        if worths := self.worths(ply):
            yield "  ".join(f"{column}: {worth or '-'}" for column, worth in enumerate(worths))


def _cell(worth: Worth | None, rules: Ruleset) -> str:
    if worth is None:
        return FULL
    if worth.exact is None:
        return f"~{percent(worth.chance).removesuffix(' %')}"
    if worth.exact and rules.goal is Goal.MOST:
        return f"{worth.exact:+d}"
    return WON if worth.exact > 0 else LOST if worth.exact < 0 else EVEN


WORTH = 5  # characters of a cell if a row of worths is below the board
LEAST_WORTH = 3  # with narrower cells, worths are left out
QUIET = "bright_black"  # style of less important text
WORTH_STYLES = {WON: "bold green", LOST: "red", EVEN: "bold"}  # an estimate has none


def frame(replay: Replay, ply: int, width: int, height: int, keys: str) -> Text:
    """Draw a game after `ply` discs, in at most `height` lines of `width` cells.

    `keys` is a line about keys. A low terminal leaves out, in this order: legend, title, `keys`,
    the lines below the board, the board's upper rows.
    """
    worths = replay.worths(ply)
    position = replay.position(ply)
    board = list(board_text(position, width, WORTH if replay.legend() else WIDEST).split("\n"))
    cell = board[0].cell_len // position.rules.columns
    if worths and cell >= LEAST_WORTH:
        board.append(_worth_row(worths, cell))
    if len(board) > height - 1:  # keep the lower rows, where the discs are
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
    moved = [Text(line) for line in wrap(replay.move(ply), width)]
    if ply in replay.blunders:
        for line in moved:
            line.stylize("red")
    if ply < replay.plies:
        return [*moved, Text(f"after {ply} of {replay.plies} plies, {MARKS[ply % 2]} to move")]
    answers = replay.opening_plies + len(replay.game.record.charged_ns)
    fault = [replay.move(ply + 1)] if answers > replay.plies else []
    ending = [Text(line) for text in replay.ending() for line in wrap(text, width)]
    ending[0].stylize("bold")
    lines = [*ending[:1], *moved, *map(Text, fault), *ending[1:]]
    if output := replay.output():
        lines += [Text("Last output of the loser:", QUIET), *map(Text, output)]
    return lines
