"""A file of games: JSON with all that `arena replay` shows, or text like PGN.

It lies beside a feedback page, or is saved from a match, a contest or its report. It is read
without the contest's folder. Its content is not trusted: all moves are checked by the rules.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from textwrap import wrap
from typing import Any, TypeVar

from arena.analysis.analysis import GameAnalysis, PositionAnalysis, exact_values
from arena.analysis.worth import Worth
from arena.common.errors import InputError, SettingError, reading
from arena.common.plain import Table, from_plain
from arena.common.text import MAX_IN_CODE, counted, one_line, some_of
from arena.game.limits import Limits
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.interfaces import INTERFACES, Descriptions, Overrides
from arena.interfaces.description_reader import description
from arena.report.replay import OwnSeat, ShownGame, names_game
from arena.rules import Position, Ruleset
from arena.settings.contest import Contest

KIND, VERSION = "games of a contest", 1  # The file's first two values. A newer version is refused.
R = TypeVar("R")
MAX_BYTES = 32 << 20  # enough for thousands of games
MAX_GAMES = 100_000  # more do not fit in a file
MAX_NUMBER = 1 << 62  # largest number in a file
NUMBERS = 20  # games that a message names


@dataclass(frozen=True, slots=True, kw_only=True)
class BotTerms:
    """The terms on which the author's bot played: with them it can be asked again."""

    limits: Limits
    overrides: Overrides
    description: str = ""
    """Of the instructor's own interface as JSON; empty if Arena's interfaces are enough."""

    @property
    def own(self) -> Descriptions:
        interface = self.overrides.interface
        return {interface: self.description} if interface and self.description else {}


def terms_of(contest: Contest, bot: str) -> BotTerms:
    entry = contest.bots[bot]
    overrides, described = entry.overrides, ""
    if entry.entry_point.interface in contest.interfaces:
        overrides = replace(overrides, interface=entry.entry_point.interface)
        described = entry.entry_point.description
    return BotTerms(limits=contest.limits, overrides=overrides, description=described)


def plain_terms(terms: BotTerms) -> dict[str, Any]:
    """Return the terms as plain data.

    Leaves out options that are no numbers or texts, and texts that may be paths.
    """
    overrides = asdict(terms.overrides)
    overrides["options"] = {
        name: value
        for name, value in terms.overrides.options.items()
        if type(value) in (int, float, bool) or (type(value) is str and "/" not in value)
    }
    described = {"description": terms.description} if terms.description else {}
    return {"limits": asdict(terms.limits), **overrides, **described}


def read_terms(table: Table) -> BotTerms:
    overrides = _read_record(Overrides, table)
    described = table.text("description") if "description" in table.values else ""
    if described:
        try:
            description(json.loads(described))
        except (ValueError, RecursionError):
            table.refuse("description", "a description of an interface")
    elif overrides.interface not in (None, *INTERFACES):
        table.refuse("interface", f"one of {', '.join(INTERFACES)}")
    return BotTerms(
        description=described,
        limits=_read_record(Limits, table.table("limits")),
        overrides=overrides,
    )


def _read_record(kind: type[R], table: Table) -> R:
    """Return a record of the table's values; missing ones, as of an earlier Arena, get defaults."""
    try:
        return from_plain(kind, table.values)
    except SettingError as error:
        raise InputError(f"{table.place}: {one_line(str(error))}") from None


def game_file(
    contest: str, limits: str, games: Iterable[ShownGame], terms: BotTerms | None = None
) -> str:
    """Return the text of a file with these games, which share their rules.

    `contest` is the contest's name, `limits` its limits in words, `terms` those of the author's
    bot.
    """
    shown = list(games)
    rules = shown[0].rules
    document = {
        "kind": KIND,
        "version": VERSION,
        "contest": contest,
        "limits": limits,
        "rules": asdict(rules),
        "games": [_plain(game) for game in shown],
    }
    if terms is not None:
        document["terms"] = plain_terms(terms)
    return json.dumps(document, separators=(",", ":")) + "\n"


def require_room(path: Path, games: int, size: int = 0) -> None:
    """Raise InputError for more games, or bytes, than are read again."""
    if games > MAX_GAMES or size > MAX_BYTES:
        raise InputError(
            f"{path}: {counted(games, 'game')} are more than one file holds ({MAX_BYTES >> 20} "
            "MB); write those of one bot, or a .pgn"
        )


NO_GAMES = (
    "not a file of games that Arena wrote; name a contest's folder, a games.json, or a NAME.json "
    "of its feedback/"
)


class FileGames:
    def __init__(self, path: Path) -> None:
        """Read a file. Raises InputError that says where the mistake is."""
        document = Table(str(path), _read(path))
        if document.values.get("kind") != KIND:
            raise InputError(f"{path}: {NO_GAMES}")
        if document.values.get("version") != VERSION:
            raise InputError(f"{path}: written by a newer Arena; install that one to read it")
        self._place = str(path)
        contest, limits = (one_line(document.text(name)) for name in ("contest", "limits"))
        rules = _read_record(Ruleset, document.table("rules"))
        self.title = f"{contest}: {rules}; {limits}"
        self._games = [_game(table, rules) for table in document.tables("games")]
        self.terms = None  # terms of the author's bot; None in a file of an earlier Arena
        if "terms" in document.values:
            self.terms = read_terms(document.table("terms"))
        if len({game.number for game in self._games}) < len(self._games):
            document.refuse("games", "games with different numbers")

    def __iter__(self) -> Iterator[ShownGame]:
        return iter(self._games)

    def find(self, word: str) -> ShownGame:
        for game in self._games:
            if names_game(word, game.number, game.record.key):
                return game
        numbers = some_of([str(game.number) for game in self._games], NUMBERS) or "none"
        raise InputError(f"{self._place}: there is no game {one_line(word, 40)}; it has: {numbers}")


def _plain(game: ShownGame) -> dict[str, Any]:
    record, analysis = game.record, game.analysis
    return {
        "game": game.number,
        "opening": game.opening,
        "first": game.names[0],
        "second": game.names[1],
        "moves": list(record.columns),
        "opening_plies": record.opening_plies,
        "charged_ns": list(record.charged_ns),
        "nodes": list(record.nodes),
        "winner": record.winner,
        "verdict": record.verdict.name,
        "reason": record.reason,
        "output": record.output,
        "worth": None if analysis is None else [each.numbers for each in analysis.positions],
        # the key would identify the opponent; the seed, a hash, does not
        **({} if game.own is None else {"own_seat": game.own.seat, "own_seed": game.own.seed}),
    }


def _read(path: Path) -> object:
    with reading(path):
        if not path.is_file():  # a device might never end
            raise InputError(f"{path}: {'not a' if path.exists() else 'no such'} file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InputError(f"{path}: longer than a file of games can be")
    try:
        return json.loads(data.decode("utf-8-sig"))  # some editors write a byte-order mark
    except (ValueError, RecursionError):
        raise InputError(f"{path}: {NO_GAMES}") from None


def _game(table: Table, rules: Ruleset) -> ShownGame:
    record, own = _record(table, rules), None
    if "own_seat" in table.values:  # a file of an earlier Arena has none
        seed = table.number("own_seed", 0, (1 << 64) - 1)
        own = OwnSeat(table.number("own_seat", 0, 1), seed)
    return ShownGame(
        number=table.number("game", 1, MAX_NUMBER),
        opening=table.number("opening", 1, MAX_NUMBER),
        names=(one_line(table.text("first")), one_line(table.text("second"))),
        rules=rules,
        record=record,
        analysis=_analysis(table, rules, record),
        own=own,
    )


def _record(table: Table, rules: Ruleset) -> GameRecord:
    """Return a game's record.

    Raises InputError for an illegal move, or an end other than the board's or a fault.
    """
    columns = table.numbers("moves", 0, rules.columns - 1, rules.cells)
    try:
        position = Position(rules, columns)
    except ValueError as error:
        raise InputError(f"{table.place}: moves: {error}") from None
    opening_plies = table.number("opening_plies", 0, len(columns))
    charged = table.numbers("charged_ns", 0, MAX_NUMBER, rules.cells + 1)
    nodes = table.numbers("nodes", -1, MAX_NUMBER, rules.cells + 1)
    moves = len(columns) - opening_plies
    if not (len(nodes) == len(charged) and moves <= len(charged) <= moves + 1):
        table.refuse("charged_ns", f"a number for each of {counted(moves, 'answer')}")
    name = table.text("verdict")
    if name not in Verdict.__members__:
        table.refuse("verdict", f"one of {', '.join(Verdict.__members__)}")
    verdict = Verdict[name]
    winner = None if table.values.get("winner") is None else table.number("winner", 0, 1)
    if position.is_over is verdict.is_fault or (position.is_over and position.winner != winner):
        table.refuse("verdict", "the end that the board shows")
    return GameRecord(
        key="",
        columns=columns,
        opening_plies=opening_plies,
        charged_ns=charged,
        nodes=nodes,
        winner=winner,
        verdict=verdict,
        reason=one_line(table.text("reason"), MAX_IN_CODE),
        output=table.text("output"),
    )


def _analysis(table: Table, rules: Ruleset, record: GameRecord) -> GameAnalysis | None:
    rows = table.values.get("worth")
    if rows is None:
        return None
    expected = len(record.columns) - record.opening_plies + record.verdict.is_fault
    if not isinstance(rows, list) or len(rows) != expected:
        table.refuse("worth", f"a list for each of {counted(expected, 'position')}")
    positions: list[PositionAnalysis] = []
    position = Position(rules, record.columns[: record.opening_plies])
    for ply, row in enumerate(rows, record.opening_plies):
        if not (isinstance(row, list) and len(row) == rules.columns) or not all(
            _is_worth(number, rules) if position.can_play(column) else number is None
            for column, number in enumerate(row)
        ):
            table.refuse("worth", "a number for each column that has room, and null for others")
        worths = (None if number is None else Worth.of(number) for number in row)
        positions.append(PositionAnalysis(ply=ply, columns=tuple(worths)))
        if ply < len(record.columns):
            position.play(record.columns[ply])
    values = exact_values(record, positions)
    return GameAnalysis(key="", nodes=0, positions=tuple(positions), values=values)


def _is_worth(number: object, rules: Ruleset) -> bool:
    most = 4 * rules.cells  # above any number of lines and plies
    if type(number) is int:
        return -most <= number <= most
    return type(number) is float and 0 < number < 1


PGN_WIDTH = 80  # characters of a line of moves
RESULTS = {0: "1-0", 1: "0-1", None: "1/2-1/2"}  # by the winner's seat
NO_GAME = "*"


def pgn(event: str, games: Iterable[ShownGame]) -> Iterator[str]:
    """Yield each game's text: tags, then the columns played, numbered by two plies.

    Columns count from 0. The bots did not choose the first `OpeningPlies` of them.
    """
    for game in games:
        record, rules = game.record, game.rules
        result = RESULTS[record.winner] if record.is_game else NO_GAME
        tags = {
            "Event": event,
            "Round": str(game.number),
            "First": game.names[0],
            "Second": game.names[1],
            "Result": result,
            "Rules": str(rules),
            "Opening": str(game.opening),
            "OpeningPlies": str(record.opening_plies),
            "Verdict": record.verdict.name,
            "Reason": record.reason,
        }
        lines = [f'[{name} "{_quoted(value)}"]' for name, value in tags.items()]
        moves = wrap(_moves(record.columns, result), PGN_WIDTH, break_on_hyphens=False)
        yield "\n".join([*lines, "", *moves, "", ""])


def _quoted(value: str) -> str:
    return one_line(value).replace("\\", "\\\\").replace('"', '\\"')


def _moves(columns: Iterable[int], result: str) -> str:
    numbered = enumerate(columns)
    words = (f"{column}" if ply % 2 else f"{ply // 2 + 1}. {column}" for ply, column in numbered)
    return " ".join([*words, result])
