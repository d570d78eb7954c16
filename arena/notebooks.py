"""Arena in notebooks: functions and classes of cells as bots, results as pictures.

A function or class is read like a submission, with what it needs from the cells that were run.
"""

from __future__ import annotations

import ast
import inspect
import io
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, fields, replace
from html import escape
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any

import click

from arena.api import configured
from arena.api import play as play_game
from arena.cli import arena
from arena.common.errors import InputError
from arena.common.home import NOT_CONFINED, at_home, home_mode
from arena.common.names import module_of
from arena.common.text import counted, duration, plain_lines
from arena.game.limits import Limits
from arena.game.record import GameRecord
from arena.intake.submission import read_submission
from arena.rules import MARKS, Goal, Position, Ruleset, draw
from arena.settings.contest import PRESETS, Contest

BotLike = str | Path | Callable[..., Any]  # A path or name; or a function or class of a cell.
MAGIC = re.compile(r"^[ \t]*[%!?].*", re.MULTILINE)  # IPython's own lines.
OUTPUT_LINES = 20  # Lines shown of what a bot printed.
CELL = 34  # Pixels of a cell of a drawn board.
COLOURS = ("#d33682", "#e5a50a")  # Of the discs X and O: as legible on white as on black.


@dataclass(frozen=True, slots=True, kw_only=True)
class NotebookGame(GameRecord):
    """A game's record, which a notebook shows as a board to step through."""

    names: tuple[str, str]
    rules: Ruleset

    def _repr_html_(self) -> str:
        rows = []
        for seat, name in enumerate(self.names):
            own = [n for n in range(len(self.charged_ns)) if self.seat_of_answer(n) == seat]
            nodes = [self.nodes[n] for n in own]
            counts = "nodes not counted" if -1 in nodes else counted(sum(nodes), "node")
            spent = duration(sum(self.charged_ns[n] for n in own))
            rows.append((f"{MARKS[seat]} {name}", f"{spent}, {counts}"))
        rows += [
            ("moves", " ".join(map(str, self.columns))),
            ("winner", "draw" if self.winner is None else self.names[self.winner]),
            (self.verdict.value, self.reason),
        ]
        return stepper_html(self.rules, self.columns) + table_html(rows) + _printed(self.output)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedMove:
    """The result of `ask`, with the fields of `arena ask --json`.

    >>> from arena import ask
    >>> asked = ask("quartets", "3 3 4")
    >>> asked.best, asked.worths[0]
    ([2, 5], 'loses at ply 7')
    """

    name: str
    position: Position
    column: int | None
    fault: str | None
    reason: str
    ms: float
    nodes: int | None

    columns: Sequence[float | None]
    """What each column is worth, as in `arena ask --json`; None for a full column."""

    worths: Sequence[str]
    """The same in words, like `loses at ply 7`."""

    best: Sequence[int]
    output: Sequence[str]

    def _repr_html_(self) -> str:
        did = self.reason or f"plays column {self.column}"
        nodes = "nodes not counted" if self.nodes is None else counted(self.nodes, "node")
        rows = [(self.name, f"{did}: {duration(self.ms * 1e6)}, {nodes}")]
        for column, worth in enumerate(self.worths):
            notes = ["best"] * (column in self.best) + ["its move"] * (column == self.column)
            rows.append((f"column {column}", ", ".join([worth, *notes])))
        return (
            stepper_html(self.position.rules, self.position.moves)
            + table_html(rows)
            + _printed("\n".join(self.output))
        )


@dataclass(frozen=True, slots=True)
class CheckedBot:
    """The result of `check`.

    >>> from arena import check
    >>> check("quartets").found["interface"]
    'pick_move'
    """

    found: dict[str, Any]
    """The object of `arena check --json`."""

    page: str
    """The page of `arena check --pages`, in Markdown."""

    def __str__(self) -> str:
        return self.page

    def _repr_markdown_(self) -> str:
        return self.page


def play(
    first: BotLike,
    second: BotLike,
    *,
    preset: str | None = None,
    rules: Ruleset | None = None,
    limits: Limits | None = None,
    opening: Sequence[int] = (),
    seed: int = 1,
    one_bot: bool = False,
    home: bool = False,
) -> GameRecord:
    """Play one game and return its record, which a notebook shows as a board.

    Each bot is a path, the name of one of Arena's bots, or a function or class of a cell. `rules`
    and `limits` override the `preset`, a key of PRESETS. `opening` are columns from 0, played
    before the bots move. `seed` is for the bots' random numbers. With `one_bot` a folder is one
    bot. With `home`, bots run in ordinary processes, which are not confined.

    A bot's fault is the record's verdict and raises nothing. Raises InputError if a bot is
    missing or cannot play by the rules, or if bots cannot be confined; IllegalMoveError for an
    illegal opening; MachineError.

    >>> from arena import play
    >>> record = play("random", "quartets", seed=1)
    >>> record.verdict.value, record.winner
    ('made a line', 1)
    """
    with home_mode(wanted=home), _path_of(first) as one, _path_of(second) as other:
        if at_home():
            click.echo(NOT_CONFINED, err=True)
        contest = configured(Contest(), preset, rules, limits, {"seed": seed})
        record = play_game((one, other), contest, opening, one_bot=one_bot)
    facts = {each.name: getattr(record, each.name) for each in fields(GameRecord)}
    board = _rules({"rules": rules, "preset": preset})
    return NotebookGame(names=(_name(first), _name(second)), rules=board, **facts)


def ask(bot: BotLike, moves: str | Sequence[int] = "", **options: Any) -> AskedMove:
    """Ask a bot for its move after `moves`, columns from 0, as `arena ask` does.

    The other arguments are the options of that command, like `preset="cs4100"`. Raises InputError.

    >>> from arena import ask
    >>> ask("quartets", "3 3 4").column
    2
    """
    words = moves.split() if isinstance(moves, str) else list(map(str, moves))
    with _told_home(options) as rest, _path_of(bot) as path:
        found = json.loads(_typed("ask", path, *words, "--json", *_options(rest)))
    names = AskedMove.__dataclass_fields__.keys() & found.keys()
    position = Position(_rules(options), tuple(found["moves"]))
    return AskedMove(name=_name(bot), position=position, **{key: found[key] for key in names})


def check(bot: BotLike, **options: Any) -> CheckedBot:
    """Check a bot as `arena check` does.

    The other arguments are options of that command. Raises InputError.

    >>> from arena import check
    >>> check("quartets").found["fault"] is None
    True
    """
    with _told_home(options) as rest, _path_of(bot) as path, TemporaryDirectory() as pages:
        found = json.loads(_typed("check", path, "--json", "--pages", pages, *_options(rest)))
        if len(found) > 1:
            raise InputError(f"{path}: has {len(found)} bots; name one of them")
        (page,) = Path(pages).glob("*.md")
        return CheckedBot(found[0], page.read_text("utf-8"))


@contextmanager
def _told_home(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Choose home mode in the block if `home` is among the options; yield the others."""
    rest = {name: value for name, value in options.items() if name != "home"}
    with home_mode(wanted=bool(options.get("home"))):
        yield rest


def _rules(options: dict[str, Any]) -> Ruleset:
    if options.get("rules") is not None:
        return options["rules"]  # type: ignore[no-any-return]
    preset = PRESETS.get(options.get("preset") or "")
    keys = ("rows", "columns", "connect")
    given: dict[str, Any] = {key: options[key] for key in keys if key in options}
    if "goal" in options:
        given["goal"] = Goal(options["goal"])
    return replace(preset.rules if preset else Ruleset(), **given)


def stepper_html(rules: Ruleset, columns: Sequence[int]) -> str:
    """Return a board to step through, by a radio button for each ply.

    It needs no script; arrow keys move among the buttons.
    """
    name = f"arena{token_hex(6)}"  # browsers group buttons by it, so no two outputs may share it
    discs, hidden, buttons = [], [], []
    heights = [0] * rules.columns
    for ply, column in enumerate(columns):
        x, y = column * CELL + CELL // 2, (rules.rows - heights[column]) * CELL - CELL // 2
        heights[column] += 1
        discs.append(f'<circle cx="{x}" cy="{y}" r="{CELL * 2 // 5}" fill="{COLOURS[ply % 2]}"/>')
    for ply in range(len(columns) + 1):
        label = f"ply {ply}: column {columns[ply - 1]}" if ply else "the empty board"
        checked = " checked" * (ply == len(columns))
        buttons.append(
            f'<input type="radio" name="{name}" class="p{ply}" title="{label}" '
            f'aria-label="{label}"{checked}>'
        )
        hidden.append(
            f".{name} .p{ply}:checked ~ svg circle:nth-of-type(n+{ply + 1}){{display:none}}"
        )
    width, height = rules.columns * CELL, rules.rows * CELL
    lines = "".join(f"M{x * CELL} 0v{height}" for x in range(rules.columns + 1))
    lines += "".join(f"M0 {y * CELL}h{width}" for y in range(rules.rows + 1))
    picture = draw(Position(rules, tuple(columns)))
    return (
        f'<div class="{name}" style="max-width:{width + 40}px"><style>{"".join(hidden)}</style>'
        f'{"".join(buttons)}<br><svg width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(picture)}"><path d="{lines}" stroke="currentColor" '
        f'stroke-opacity=".4" fill="none"/>{"".join(discs)}</svg>'
        # JupyterLab removes drawings and styles from notebooks that it does not trust
        f"<details><summary>as text</summary><pre>{escape(picture)}</pre></details></div>"
    )


def table_html(rows: Sequence[tuple[str, str]]) -> str:
    cells = (f"<tr><th>{escape(head)}</th><td>{escape(text)}</td></tr>" for head, text in rows)
    return f"<table>{''.join(cells)}</table>"


def _printed(output: str) -> str:
    lines = [line for line in plain_lines(output, 200) if line][-OUTPUT_LINES:]
    return f"<pre>{escape(chr(10).join(lines))}</pre>" if lines else ""


def _name(bot: BotLike) -> str:
    return Path(bot).stem if isinstance(bot, str | Path) else bot.__name__


@contextmanager
def _path_of(bot: BotLike) -> Iterator[str]:
    """Yield a path or name for the command line; of a function or class its file or notebook."""
    if isinstance(bot, str | Path):
        yield str(bot)
        return
    name = getattr(bot, "__name__", "")
    if not callable(bot) or not name.isidentifier():
        raise InputError(
            f"{bot!r}: expected a path, a name, or a function or class that is defined by def or "
            "class; give an object's class"
        )
    main = sys.modules["__main__"]
    cells = getattr(main, "In", None)
    if bot.__module__ != "__main__" or not cells:
        try:
            yield inspect.getsourcefile(bot) or ""
        except TypeError:
            raise InputError(f"{name}: is not written in Python, or not in a file") from None
        return
    with TemporaryDirectory() as folder:
        path = Path(folder, module_of(f"{name}.ipynb"))
        text = "".join(
            f"# %% {name}.ipynb, cell {number}\n{cell}\n"
            for number, cell in enumerate(_needed(name, cells))
            if cell.strip()
        )
        path.write_text(text, "utf-8")
        if not inspect.isclass(bot) and read_submission(path).problem is not None:
            # no interface has its name: make it a `pick_move`
            path.write_text(f"{text}pick_move = {name}\n", "utf-8")
        yield str(path)


def _needed(name: str, cells: Sequence[str]) -> list[str]:
    """Return the cells, blank except for statements that define `name` or what it needs."""
    texts = [MAGIC.sub("", cell).split("\n") for cell in cells]
    left: list[tuple[int, ast.stmt, set[str], set[str]]] = []
    for number, text in enumerate(texts):
        with suppress(SyntaxError):
            for statement in ast.parse("\n".join(text)).body:
                left.append((number, statement, *_names(statement)))
    wanted = {name, "*"}
    kept = [[""] * len(text) for text in texts]
    while new := [each for each in left if each[2] & wanted]:
        left = [each for each in left if each not in new]
        for number, statement, _, used in new:
            wanted |= used
            decorators = getattr(statement, "decorator_list", [])
            first = min(each.lineno for each in (statement, *decorators)) - 1
            lines = slice(first, statement.end_lineno)
            kept[number][lines] = texts[number][lines]
    return ["\n".join(lines) for lines in kept]


def _names(statement: ast.stmt) -> tuple[set[str], set[str]]:
    bound, used = set[str](), set[str]()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            bound.add(node.name)
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return {statement.name}, used  # its other names are local
    return bound, used


def _options(options: dict[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        if value is not None and value is not False:
            yield f"--{name.replace('_', '-')}"
            if value is not True:
                yield str(value)


def _typed(*words: str) -> str:
    """Return what a command prints. Raises InputError."""
    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            arena.main([*words], prog_name="arena", standalone_mode=False)
    except click.ClickException as error:
        raise InputError(error.format_message()) from None
    return printed.getvalue()
