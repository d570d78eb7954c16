"""`arena play`: a person on a terminal against a bot or another person.

The person is a player as a bot is. Commands other than a column raise an error, which passes
through the referee to the table.
"""

from __future__ import annotations

import re
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter_ns
from typing import Any, NoReturn

import click
from rich.text import Text

from arena.cli.files import ANY_PATH, parsed, read_text
from arena.cli.options import RULES, contest_from, game_options, one_bot, runs_bots
from arena.cli.screen import WIDE, ready_engine, remark, save_games, screen, typed_line
from arena.common.errors import InputError, LeftError, StorageError, TakenBackError
from arena.common.names import plain_name
from arena.common.text import counted, duration, one_line, plain_lines
from arena.contest.session import Session
from arena.courses.roster import find_submission
from arena.engine.machine_code import Piece, begin_compiling
from arena.game.bot_player import BotPlayer
from arena.game.limits import Limits
from arena.game.play import NOTHING_SEEN
from arena.game.play import play as play_game
from arena.game.player import Answer, Fault, Player
from arena.game.record import NOBODY, Bot, GameKey, GameRecord
from arena.game.starter import new_starter
from arena.host.protocol import UNMETERED
from arena.intake.submission import Submission
from arena.report.replay import ShownGame, board_text
from arena.rules import MARKS, Goal, Position, Ruleset, draw, format_moves, parse_game
from arena.settings.contest import Contest
from arena.trials.pace import refuses

YOU = "You"  # The person's name in sentences.


@dataclass(frozen=True)
class Opponent:
    name: str
    bot: Bot
    player: BotPlayer


class PlayTable:
    def __init__(
        self,
        terminal: Terminal,
        opponent: Opponent | None,
        limits: Limits,
        seed: int | None,
        *,
        person: int,
    ) -> None:
        """`person` is the seat of the person, 0 or 1, against an opponent."""
        self._terminal = terminal
        self._opponent = opponent
        self._limits = limits
        self._seed = secrets.randbits(60) if seed is None else seed
        self._begins = 0 if opponent is None else person
        self._spent: Spent = {}
        self._result: GameRecord | None = None
        persons = [PersonPlayer(terminal, self._begins, self._save, self._spent) for _ in range(2)]
        self._person = persons[person]
        players: list[Player] = [*persons]
        self._bots = [NOBODY, NOBODY]
        self._names = ["", ""]
        if opponent is not None:
            players[1 - person] = _PrintingBot(opponent, terminal, self._spent)
            self._bots[1 - person] = opponent.bot
            self._names[person], self._names[1 - person] = YOU, opponent.name
        self._players = players

    def play(self, position: Position) -> int:
        """Play from a position; return the exit code: 1 if the bot could not be loaded."""
        opponent = self._opponent
        if opponent is not None and (why := refuses(opponent.bot, position.rules)) is not None:
            raise InputError(f"{opponent.name} {why}")
        self._terminal.caption(self._header(position.rules))
        self._terminal.show(position)
        while True:
            try:
                if self._result is None and not position.is_over:
                    self._result = self._game(position)
                    position = Position(position.rules, self._result.columns)
                self._terminal.show(position)
                header = self._header(position.rules)
                self._terminal.caption(header, *self._ending(position))
                self._person.ask_afterwards(position)
            except TakenBackError:
                position, self._result = self._taken_back(), None
            except (LeftError, KeyboardInterrupt) as left:
                if isinstance(left, KeyboardInterrupt):
                    click.echo()  # end the prompt's line
                if moves := self._terminal.position.moves:
                    click.echo(f"moves: {format_moves(moves)}")
                if isinstance(left, KeyboardInterrupt):
                    raise
                # a fault before the first move
                result = self._result
                return int(result is not None and result.verdict.is_fault and not result.charged_ns)
            self._terminal.caption(self._header(position.rules))

    def _game(self, position: Position) -> GameRecord:
        key = GameKey(
            rules=position.rules,
            limits=self._limits,
            opening=position.moves,
            first=self._bots[0],
            second=self._bots[1],
            seed=self._seed,
        )
        return play_game(key, *self._players)

    def _taken_back(self) -> Position:
        rules, moves = self._terminal.position.rules, self._terminal.position.moves[:-1]
        if not isinstance(self._players[len(moves) % 2], PersonPlayer):
            moves = moves[:-1]
        return Position(rules, moves)

    def _header(self, rules: Ruleset) -> str:
        one, two = self._names
        who = f"{MARKS[0]}: {one}, {MARKS[1]}: {two}; " if one else ""
        return f"{who}{rules}; ? for help"

    def _save(self, position: Position, file: str) -> None:
        you = "you" if "person" in self._names else "person"  # a bot may have this name
        first, second = (
            you if name == YOU else name or mark
            for name, mark in zip(self._names, MARKS, strict=True)
        )
        budgets = (None if bot is NOBODY else bot.own(self._limits).nodes for bot in self._bots)
        players = list(zip((first, second), budgets, strict=True))
        game = self._page_game(position, (first, second))
        save_games(Path(file), position.rules, self._limits, players, [game])

    def _page_game(self, position: Position, names: tuple[str, str]) -> ShownGame:
        moves, result = position.moves, self._result
        begun = len(moves)
        while begun and begun - 1 in self._spent:
            begun -= 1
        spent = [self._spent[ply] for ply in range(begun, len(moves))]
        game = ShownGame.at(position, names)
        if result is not None:
            game = replace(game, record=result, is_over=game.is_over or result.verdict.is_fault)
            if result.verdict.is_fault and result.charged_ns:
                spent.append((result.charged_ns[-1], result.nodes[-1]))
        record = replace(
            game.record,
            opening_plies=begun,
            charged_ns=tuple(ns for ns, _ in spent),
            nodes=tuple(nodes for _, nodes in spent),
        )
        return replace(game, record=record)

    def _ending(self, position: Position) -> Iterator[str]:
        result = self._result
        if result is None:
            winner = position.winner
            yield "Tie game!" if winner is None else f"Win for {MARKS[winner]}!"
            return
        if result.winner is None:
            yield f"Tie game! {_sentence(result.reason)}"
            return
        fault = result.verdict.is_fault
        who = self._names[1 - result.winner if fault else result.winner]
        how = f"{who} {result.reason}." if who else _sentence(result.reason)
        yield f"Win for {MARKS[result.winner]}! {how}"
        if result.output.strip():
            yield "The end of its output, or its place in the code:"
            yield from plain_lines(result.output, WIDE)


def _sentence(clause: str) -> str:
    return f"{clause[:1].upper()}{clause[1:]}."


class _PrintingBot:
    def __init__(self, opponent: Opponent, terminal: Terminal, spent: Spent) -> None:
        self._spent = spent
        self._name = opponent.name
        self._player = opponent.player
        self._terminal = terminal

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        with self._terminal.busy(f"{self._name} is being loaded"):
            return self._player.sit(player, rules, opening, seed)

    def ask(self, seen: int) -> Answer | Fault:
        with self._terminal.busy(f"{self._name} is thinking"):
            answer = self._player.ask(seen)
        if not isinstance(answer, Fault):
            column, spent_ns, searched = answer
            nodes = "nodes not counted" if searched == UNMETERED else counted(searched, "node")
            self._terminal.say(f"{self._name}: column {column}, {duration(spent_ns)}, {nodes}")
            self._spent[self._terminal.position.ply] = spent_ns, searched
        return answer

    def dismiss(self) -> str:
        return self._player.dismiss()


class Terminal:
    def __init__(self) -> None:
        self._console = screen()
        self._live = self._console.is_terminal and sys.stdin is not None and sys.stdin.isatty()
        self._shown: tuple[Ruleset, tuple[int, ...]] | None = None
        self._caption: tuple[str, ...] = ()
        self._said: list[str] = []

    def show(self, position: Position) -> None:
        shown, self._shown = self._shown, (position.rules, position.moves)
        if self._live:
            self._redraw()
        elif shown != self._shown:
            click.echo(f"\n{draw(position)}{_score(position)}\n")

    @property
    def position(self) -> Position:
        assert self._shown is not None
        return Position(*self._shown)

    def caption(self, *lines: str) -> None:
        for line in lines:
            if not self._live and line not in self._caption:
                click.echo(line)
        self._caption = lines

    def say(self, line: str) -> None:
        self._said.append(line)
        if not self._live:
            click.echo(line)

    def ask(self, prompt: str) -> str | None:
        if self._live:
            self._redraw()
        answer = typed_line(prompt)
        self._said.clear()
        if answer is None or not self._live:
            click.echo(one_line(answer or ""))
        return answer

    def busy(self, what: str) -> AbstractContextManager[object]:
        return self._console.status(f"{what} …") if self._live else nullcontext()

    def _redraw(self) -> None:
        position = self.position
        self._console.clear()
        self._console.print(board_text(position, self._console.width))
        self._console.print(Text(_score(position)))
        for line in (*self._caption, *self._said):
            self._console.print(line, markup=False)


def _score(position: Position) -> str:
    if position.rules.goal is Goal.FIRST:
        return ""
    one, two = position.lines_made
    return f"\nlines: X {one}, O {two}"


HELP = """\
3           drop your disc in column 3
hint        the move of Arena's engine
undo        take your last move back, and the answer to it
save FILE   write the game: a page with its replay (FILE.html), FILE.json or FILE.pgn
quit        leave the game"""

HINT_NODES = 100_000  # Nodes of the search for a hint: some 10 ms.
Spent = dict[int, tuple[int, int]]  # (nanoseconds, nodes) of each answer, by its ply.

# Writes a page with the game to the file with this name. Raises InputError, StorageError.
Save = Callable[[Position, str], None]
COLUMN = re.compile(r"-?[0-9]{1,9}")


class PersonPlayer:
    """A person; a command raises TakenBackError or LeftError."""

    def __init__(self, terminal: Terminal, begins: int, save: Save, spent: Spent) -> None:
        """`begins` is the ply of the first move that a person makes."""
        self._terminal = terminal
        self._begins = begins
        self._save = save
        self._spent = spent
        self._position: Position

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> None:
        self._position = Position(rules, opening)

    def ask(self, seen: int) -> Answer:
        position = self._position
        if seen != NOTHING_SEEN:
            position.play(seen)
        started = perf_counter_ns()
        self._terminal.show(position)
        column = self._column(position)
        spent_ns = perf_counter_ns() - started
        self._spent[position.ply] = spent_ns, UNMETERED
        position.play(column)
        self._terminal.show(position)
        return column, spent_ns, UNMETERED

    def dismiss(self) -> str:
        return ""

    def ask_afterwards(self, position: Position) -> NoReturn:
        while True:
            typed = self._terminal.ask("undo, save FILE, or Enter to leave: ")
            try:
                if not typed:
                    raise LeftError
                if not self._execute(typed, position):
                    raise InputError("the game is over")
            except (InputError, StorageError) as error:
                self._terminal.say(str(error))

    def _column(self, position: Position) -> int:
        while True:
            typed = self._terminal.ask(f"{MARKS[position.to_move]}'s move: ")
            try:
                if not self._execute(typed, position):
                    return _column(typed or "", position)
            except (InputError, StorageError) as error:
                self._terminal.say(str(error))

    def _execute(self, typed: str | None, position: Position) -> bool:
        if typed is None:
            raise LeftError
        word, _, rest = typed.partition(" ")
        match word.lower(), rest.strip():
            case (("?" | "h" | "help"), ""):
                self._terminal.say(HELP)
            case "hint", "":
                self._terminal.say(_hint(position))
            case "undo", "":
                if position.ply <= self._begins:
                    raise InputError("there is no move of yours to take back")
                raise TakenBackError
            case "save", file:
                if not file:
                    raise InputError("save to which file? type save FILE")
                self._save(position, file)
                self._terminal.say(f"saved in {file}")
            case (("quit" | "q" | "exit"), ""):
                raise LeftError
            case _:
                return False
        return True


def _column(typed: str, position: Position) -> int:
    if not COLUMN.fullmatch(typed):
        if not typed:
            raise InputError("type a column, or ? for help")
        raise InputError(f"{one_line(typed, 40)!r} is neither a column nor a command; ? for help")
    column, columns = int(typed), position.rules.columns
    if not 0 <= column < columns:
        there = f"columns are 0 to {columns - 1}" if columns > 1 else "there is only column 0"
        raise InputError(f"column {column} does not exist: {there}")
    if not position.can_play(column):
        raise InputError(f"column {column} is full")
    return column


def _hint(position: Position) -> str:
    if position.is_over:
        raise InputError("the game is over")
    ready_engine(screen(stderr=True), (Piece.SEARCH,))
    # numba takes half a second to import
    from arena.engine import Engine
    from arena.engine.tree import MAX_STATIC

    found = Engine(position.rules).search(position, nodes=HINT_NODES)
    if abs(found.score) <= MAX_STATIC:
        return f"hint: column {found.column}"
    return f"hint: column {found.column}, which {'wins' if found.score > 0 else 'loses'}"


@click.command()
@click.argument("bot", required=False)
@click.option("--second", is_flag=True, help="The bot begins.")
@click.option(
    "--load",
    "file",
    type=ANY_PATH,
    metavar="FILE",
    help="Continue a game from a file of the report.",
)
@game_options
@one_bot
@runs_bots
def play(bot: str | None, second: bool, file: Path | None, one_bot: bool, **options: Any) -> int:
    """Play against BOT; without BOT two persons play each other.

    BOT is a path or the name of a bot that comes with Arena. Type a column's number, or hint, undo,
    save FILE, quit; ? explains them. The bot has a contest's limits. Without a terminal,
    lines are read and printed in order.

    \b
    Examples:
      arena play my_bot.py
      arena play novice --second --preset cs4100
    """
    if second and bot is None:
        raise InputError("--second: needs a BOT; name one, or leave it out")
    contest = contest_from(Contest(), options)
    position = Position(contest.rules)
    if file is not None:
        position = parsed(read_text(file), parse_game, f"{file}: not a saved game")
        if position.rules != contest.rules and any(
            options[name] is not None for name in ("preset", *RULES)
        ):
            raise InputError(
                f"{file}: a game on {position.rules}; leave out the options about the board"
            )
    found = None if bot is None else find_submission(bot, contest.interfaces, one_bot=one_bot)
    terminal = Terminal()
    with _opponent(found, contest, terminal) as opponent:
        table = PlayTable(terminal, opponent, contest.limits, options["seed"], person=int(second))
        return table.play(position)


@contextmanager
def _opponent(
    submission: Submission | None, contest: Contest, terminal: Terminal
) -> Iterator[Opponent | None]:
    if submission is None:
        yield None
        return
    with Session.throwaway(contest, (submission,)) as session:
        remark(*session.remarks)
        if submission.entry_point.engine is not None:
            ready_engine(screen(stderr=True), session.contest.engine)
        begin_compiling()  # for a hint or a page of the game
        bot = session.bots[submission.name]
        with terminal.busy("starting"):
            starter = new_starter()
        try:
            with BotPlayer(starter, bot, session.contest.limits) as player:
                yield Opponent(plain_name(submission.name) or "bot", bot, player)
        finally:
            starter.close()
