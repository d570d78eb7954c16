"""Bots that are `agent(observation, configuration)`, the convention of Kaggle's ConnectX.

The bot is the last callable of its file that looks like one, whatever its name: a function, a
lambda or another function's second name, or an instance of a class with `__call__`. It looks like
one if its first parameter is called `observation` or `obs`, if its name begins or ends with
`agent`, or if it reads fields of an observation. One with a single parameter gets the observation.

Both arguments can be read by attribute and by key. `observation.board` is a flat list, row by row
from the top, 0/1/2; `mark` is 1 or 2, `step` the number of discs on the board. There is no spare
time beside the clock for each move: `remainingOverageTime` is 0.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from arena.errors import UnsuitableError
from arena.interfaces.contract import Setup
from arena.interfaces.entry_point import InterfaceName, Profile
from arena.interfaces.source_search import own_classes
from arena.rules import Ruleset

NAME = InterfaceName.AGENT
PROFILE = Profile.MODULE
HAS_BUDGET = False
CALL = "__call__"
MOVES: tuple[str, ...] = (CALL,)

OBSERVATIONS = ("obs", "observation", "observations")
"""What the first parameter of an agent is called."""

SHOWN = frozenset(("board", "mark"))
"""Fields of an observation that agents read."""

SETTINGS = frozenset(("columns", "rows", "inarow"))
"""Fields of a configuration that agents read."""

ABOUT_AGENTS = frozenset(
    ("build", "create", "evaluate", "get", "load", "make", "play", "run", "save", "test", "train")
)
"""First words of functions that have to do with agents and are none."""

STARTER = '''\
"""My Connect Four bot. The last function of this file is the one that plays."""


def agent(observation, configuration):
    """Play the free column nearest to the middle. Make it better!

    observation.board is one list, row by row from the top: 0 (empty), 1 or 2, and
    observation.mark is 1 or 2: whose discs are mine. The columns are counted from 0.
    """
    columns = configuration.columns
    free = [c for c in range(columns) if observation.board[c] == 0]
    return min(free, key=lambda c: abs(c - (columns - 1) / 2))
'''


def find(tree: ast.Module) -> str | None:
    """Return the name of the last callable that looks like an agent."""
    found = [name for name, called, wording in _callables(tree) if _is_agent(called, wording)]
    return found[-1] if found else None


def refuses(rules: Ruleset) -> str | None:
    """Its configuration says which game it is."""
    return None


def adapt(entry: Any, setup: Setup) -> AgentAdapter:
    """Bring the bot to a game. Raises UnsuitableError."""
    if setup.options:
        raise UnsuitableError(f"is a function, which takes no options ({', '.join(setup.options)})")
    return AgentAdapter(setup, entry, alone=not _takes_two(entry))


class Record(dict[str, object]):
    """A dict whose items are attributes, too."""

    def __getattr__(self, name: str) -> object:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r}, only {', '.join(self)}") from None

    def __setattr__(self, name: str, value: object) -> None:
        self[name] = value


class AgentAdapter:
    """Keeps the board, and shows a copy of everything that a bot may write to."""

    def __init__(self, setup: Setup, agent: Callable[..., object], *, alone: bool) -> None:
        rules = setup.rules
        self._agent = agent
        self._alone = alone
        self._mark = setup.player + 1
        self._columns = rules.columns
        self._board = [0] * rules.cells
        self._lowest = [rules.cells - rules.columns + column for column in range(rules.columns)]
        self._step = 0
        self._configuration = Record(
            columns=rules.columns,
            rows=rules.rows,
            inarow=rules.connect,
            timeout=setup.move_seconds,
            actTimeout=setup.move_seconds,
            episodeSteps=rules.cells,
        )

    def see(self, player: int, column: int) -> None:
        """A disc of `player` falls in `column`."""
        self._board[self._lowest[column]] = player + 1
        self._lowest[column] -= self._columns
        self._step += 1

    def pick(self) -> object:
        """Return the bot's answer to the board as it stands."""
        observation = Record(
            board=self._board.copy(),
            mark=self._mark,
            step=self._step,
            remainingOverageTime=0,
        )
        if self._alone:
            return self._agent(observation)
        return self._agent(observation, Record(self._configuration))


def _callables(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.Lambda, str]]:
    """Yield what the source defines at its top level to be called: the name to enter it by, the
    function that answers, and the words its author has for it."""
    functions: dict[str, ast.FunctionDef | ast.Lambda] = {}
    instances = {
        name: next(f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == CALL)
        for name, node in own_classes(tree).items()
        if any(isinstance(f, ast.FunctionDef) and f.name == CALL for f in node.body)
    }
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = node
            yield node.name, node, node.name
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            if isinstance(value, ast.Lambda):
                functions[name] = value
                yield name, value, name
            elif isinstance(value, ast.Name) and value.id in functions:
                yield value.id, functions[value.id], name
            elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
                made = value.func.id
                if made in instances:
                    yield name, instances[made], f"{name}_{made}"


def _is_agent(called: ast.FunctionDef | ast.Lambda, wording: str) -> bool:
    """Return whether a function can be called as an agent is, and looks like one."""
    args = called.args
    plain = [arg.arg for arg in (*args.posonlyargs, *args.args) if arg.arg != "self"]
    needed = len(plain) - len(args.defaults)
    plain += [args.vararg.arg] if args.vararg else []
    if not plain or needed > 2 or None in args.kw_defaults:
        return False
    if plain[0].strip("_").lower() in OBSERVATIONS:
        return True
    words = [word.lower() for word in re.findall("[A-Z]?[a-z]+|[A-Z]+", wording)]
    if "agent" in (words[:1] + words[-1:]) and words[0] not in ABOUT_AGENTS:
        return True
    read = set(_fields(called, plain[0])) & SHOWN
    return bool(read) and len(read | set(_fields(called, *plain[1:2])) & (SHOWN | SETTINGS)) > 1


def _fields(called: ast.AST, *owners: str) -> Iterator[str]:
    """Names that a function reads from one of its parameters, as attributes or by key."""
    for node in ast.walk(called):
        match node:
            case ast.Attribute(ast.Name(owner), field) if owner in owners:
                yield field
            case ast.Subscript(ast.Name(owner), ast.Constant(str(field))) | ast.Call(
                ast.Attribute(ast.Name(owner), "get"), [ast.Constant(str(field)), *_]
            ) if owner in owners:
                yield field


def _takes_two(agent: Callable[..., object]) -> bool:
    """Return whether it takes the configuration, too."""
    kinds = [parameter.kind for parameter in inspect.signature(agent).parameters.values()]
    plain = [kind for kind in kinds if kind in (kind.POSITIONAL_ONLY, kind.POSITIONAL_OR_KEYWORD)]
    return len(plain) > 1 or inspect.Parameter.VAR_POSITIONAL in kinds
