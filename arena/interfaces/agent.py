"""Bots with `agent(observation, configuration)`, as in Kaggle's ConnectX.

The bot is the last top-level callable of its file that looks like an agent: a function, lambda,
alias, or instance of a class with `__call__`. Finished callables are preferred to stubs.

A callable looks like an agent if it, or a function to which it passes its arguments, reads fields
of an observation. If no fields are read, the names or annotations of parameters decide: `obs` and
`config`; in a function called `…_agent` also `o` and `c`. A callable that reads other fields is no
agent. An agent with one parameter gets the observation only.

Both arguments can be read by attribute and by key. `observation.board` is a flat list, row by row
from the top, 0/1/2; `mark` is 1 or 2, `step` the number of discs on the board.
`remainingOverageTime` is always 0: a move has no time beyond its limit.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from arena.interfaces.binding import require_no_options
from arena.interfaces.contract import Profile, Setup, plays_all, vague
from arena.interfaces.description import BoardForm, BoardKind
from arena.interfaces.shown import shown_board
from arena.source.classes import is_unfinished, note_words, own_classes

NAME = "agent"
PROFILE = Profile.MODULE
HAS_BUDGET = False
CALL = "__call__"
MOVES: tuple[str, ...] = (CALL,)
fit = vague
refuses = plays_all
OBSERVATIONS = ("obs", "observation", "observations")
CONFIGURATIONS = ("config", "configuration", "conf", "cfg")
# Names too short or general to tell what a parameter is. Underscores are stripped: `_` becomes "".
SHORT = ("o", "ob", "c", "", "args", *OBSERVATIONS, *CONFIGURATIONS)
SHOWN = frozenset(("board", "mark"))  # Fields of an observation.
SETTINGS = frozenset(("columns", "rows", "inarow"))  # Fields of a configuration.
FIELDS = SHOWN | SETTINGS | {"step", "remainingOverageTime"}
FIELDS |= {"timeout", "actTimeout", "episodeSteps", "agentTimeout", "runTimeout"}
FIELDS |= frozenset(dir(dict))
"""Names that can be read of an observation or a configuration."""

BOARD = BoardForm(form=BoardKind.FLAT)
OTHER = ""  # Marks any use of a parameter other than reading a field.

# Annotations that an observation's parameter never has.
OTHER_TYPES = frozenset(("ndarray", "array", "list", "List", "tuple", "Tuple", "int", "str"))

# First words in names of functions that work with agents and are none.
ABOUT_AGENTS = frozenset(
    ("build", "create", "evaluate", "get", "load", "make", "play", "run", "save", "test", "train")
)


def find(tree: ast.Module) -> str | None:
    """Return the last callable that looks like an agent, a finished one if possible."""
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    found = [
        (name, called)
        for name, called, wording in _callables(tree)
        if _is_agent(called, wording, functions)
    ]
    written = [name for name, called in found if not is_unfinished(called, nothing=[None])]
    names = written or [name for name, _ in found]
    return names[-1] if names else None


def adapt(entry: Any, setup: Setup) -> AgentAdapter:
    require_no_options(setup.options)
    return AgentAdapter(setup, entry, alone=not _takes_two(entry))


class Record(dict[str, object]):
    """A dict whose items are also attributes."""

    def __getattr__(self, name: str) -> object:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r}, only {', '.join(self)}") from None

    def __setattr__(self, name: str, value: object) -> None:
        self[name] = value


class AgentAdapter:
    def __init__(self, setup: Setup, agent: Callable[..., object], *, alone: bool) -> None:
        rules = setup.rules
        self._agent = agent
        self._alone = alone
        self._mark = setup.player + 1
        self._board = shown_board(BOARD, rules, setup.player)
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
        self._board.see(player, column)
        self._step += 1

    def pick(self) -> object:
        observation = Record(
            board=self._board.show(),
            mark=self._mark,
            step=self._step,
            remainingOverageTime=0,
        )
        if self._alone:
            return self._agent(observation)
        return self._agent(observation, Record(self._configuration))


def _callables(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.Lambda, str]]:
    """Yield (name to enter, function that answers, names that describe it)."""
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


def _is_agent(
    called: ast.FunctionDef | ast.Lambda,
    wording: str,
    functions: Mapping[str, ast.FunctionDef],
) -> bool:
    args = called.args
    plain = [arg for arg in (*args.posonlyargs, *args.args) if arg.arg != "self"]
    needed = len(plain) - len(args.defaults)
    plain += [args.vararg] if args.vararg else []
    if not plain or needed > 2 or None in args.kw_defaults:
        return False
    uses = [_uses(called, arg.arg, functions) for arg in plain[:2]]
    first, last = uses[0], uses[-1]
    read = first & SHOWN
    words = [word.lower() for word in re.findall("[A-Z]?[a-z]+|[A-Z]+", wording)]
    is_called_one = "agent" in (words[:1] + words[-1:]) and words[0] not in ABOUT_AGENTS
    note = plain[0].annotation
    is_foreign = bool(first - FIELDS) or (
        note is not None and not OTHER_TYPES.isdisjoint(note_words(note))
    )
    second = plain[1] if len(plain) > 1 else None
    is_settings = second is None or not last - FIELDS
    if _names(plain[0], OBSERVATIONS):
        return bool(read) or (not is_foreign and is_settings)
    if is_called_one and not is_foreign and is_settings:
        short = _names(plain[0], SHORT) and (second is None or _names(second, SHORT))
        return bool(read) or short or (second is not None and _names(second, CONFIGURATIONS))
    shown = read | (first | last) & (SHOWN | SETTINGS)
    return bool(read) and len(shown) > 1 and (is_settings or read == SHOWN)


def _names(parameter: ast.arg, names: Collection[str]) -> bool:
    note = parameter.annotation
    words = [parameter.arg, *(note_words(note) if note is not None else ())]
    return any(word.strip("_").lower() in names for word in words)


def _uses(called: ast.AST, parameter: str, functions: Mapping[str, ast.FunctionDef]) -> set[str]:
    """Return the fields of a parameter that a function, or one it passes the parameter to, reads.

    OTHER stands for any other use.
    """

    def passed(at: tuple[ast.AST, str]) -> Iterator[tuple[ast.AST, str]]:
        function, name = at
        for node in ast.walk(function):
            match node:
                case ast.Assign([ast.Name(alias)], ast.Name(owner)) if owner == name:
                    yield function, alias
                case ast.Call(ast.Name(helper), given) | ast.Call(
                    ast.Attribute(ast.Name("self"), helper), given
                ) if helper in functions:
                    takes = [*functions[helper].args.posonlyargs, *functions[helper].args.args]
                    names = [arg.arg for arg in takes if arg.arg != "self"]
                    for part, taken in zip(given, names, strict=False):
                        if isinstance(part, ast.Name) and part.id == name:
                            yield functions[helper], taken

    places = [(called, parameter)]
    for at in places:  # the list grows
        places += [new for new in {*passed(at)} if new not in places]
    used = {_used(node, name) for function, name in places for node in ast.walk(function)}
    return {field for field in used if field is not None}


def _used(node: ast.AST, name: str) -> str | None:
    match node:
        case ast.Subscript(ast.Name(owner), ast.Constant(str(field))) if owner == name:
            return field
        case ast.Call(ast.Attribute(ast.Name(owner), "get"), [ast.Constant(str(field)), *_]) if (
            owner == name
        ):
            return field
        case ast.Attribute(ast.Name(owner), field) if owner == name:
            return field
        case (
            ast.Subscript(ast.Name(owner))
            | ast.Call(ast.Name(owner))
            | ast.BinOp(ast.Name(owner), _, _)
            | ast.BinOp(_, _, ast.Name(owner))
            | ast.For(_, ast.Name(owner))
            | ast.comprehension(_, ast.Name(owner))
        ) if owner == name:
            return OTHER
    return None


def _takes_two(agent: Callable[..., object]) -> bool:
    kinds = [parameter.kind for parameter in inspect.signature(agent).parameters.values()]
    plain = [kind for kind in kinds if kind in (kind.POSITIONAL_ONLY, kind.POSITIONAL_OR_KEYWORD)]
    return len(plain) > 1 or inspect.Parameter.VAR_POSITIONAL in kinds
