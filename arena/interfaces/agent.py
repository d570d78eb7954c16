"""Bots with `agent(observation, configuration)`, as in Kaggle's ConnectX.

The bot is the last top-level callable of its file that looks like an agent, if possible no stub:
it, or a function to which it passes its arguments, reads fields of an observation and no others. If
no fields are read, names or annotations of parameters decide: `obs` and `config`; in a function
called `…_agent` also `o` and `c`. No description can say that; `courses/agent.toml` says what an
agent gets.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping

from arena.interfaces.described import Described
from arena.interfaces.description import CALL
from arena.source.classes import is_unfinished, note_words, own_classes, own_methods

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

EXACT = 11  # The fit beside a function of an observation, where `player` is no bot.
OTHER = ""  # Marks any use of a parameter other than reading a field.

# Annotations that an observation's parameter never has.
OTHER_TYPES = frozenset(("ndarray", "array", "list", "List", "tuple", "Tuple", "int", "str"))

# First words in names of functions that work with agents and are none.
ABOUT_AGENTS = frozenset(
    ("build", "create", "evaluate", "get", "load", "make", "play", "run", "save", "test", "train")
)


class Agent(Described):
    def find(self, tree: ast.Module) -> str | None:
        """Return the last callable that looks like an agent, a finished one if possible."""
        functions = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        found = [
            (name, called)
            for name, called, wording in _callables(tree)
            if _is_agent(called, wording, functions)
        ]
        written = [name for name, called in found if not is_unfinished(called, nothing=[None])]
        names = written or [name for name, _ in found]
        return names[-1] if names else None

    def fit(self, tree: ast.Module, name: str) -> int:
        functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
        firsts = {node.args.args[0].arg for node in functions if node.args.args}
        return super().fit(tree, name) if firsts.isdisjoint(OBSERVATIONS) else EXACT


def _callables(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.Lambda, str]]:
    """Yield (name to enter, function that answers, names that describe it)."""
    functions: dict[str, ast.FunctionDef | ast.Lambda] = {}
    classes = own_classes(tree)
    methods = {name: own_methods(classes, name) for name in classes}
    for node in tree.body:
        match node:
            case ast.FunctionDef(name):
                functions[name] = node
                yield name, node, name
            case ast.Assign([ast.Name(name), *_], ast.Lambda() as value):
                functions[name] = value
                yield name, value, name
            case ast.Assign([ast.Name(name), *_], ast.Name(alias)) if alias in functions:
                yield alias, functions[alias], name
            case ast.Assign([ast.Name(name), *_], ast.Call(ast.Name(made))):
                called = methods.get(made, {}).get(CALL)
                if isinstance(called, ast.FunctionDef):
                    yield name, called, f"{name}_{made}"


def _is_agent(
    called: ast.FunctionDef | ast.Lambda, wording: str, functions: Mapping[str, ast.FunctionDef]
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
        case (
            ast.Subscript(ast.Name(owner), ast.Constant(str(field)))
            | ast.Call(ast.Attribute(ast.Name(owner), "get"), [ast.Constant(str(field)), *_])
            | ast.Attribute(ast.Name(owner), field)
        ) if owner == name:
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
