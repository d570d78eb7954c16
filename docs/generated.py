"""Directives whose content is taken from the code: keys of contest files, presets, messages."""

import ast
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from dependencies import dependencies
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective

from arena.common import errors
from arena.game.verdict import Ending, Verdict
from arena.interfaces import DESCRIPTIONS
from arena.interfaces.description import Argument, Description, Role, Scalar
from arena.scoring.grade_rules import LEVELS
from arena.settings.contest import PRESETS
from arena.settings.known_ratings import TABLE, read_table

SCHEMA = "interface.schema.json"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
TYPES = {"int": "whole number", "float": "number", "bool": "true or false", "str": "text"}
"""The word for a TOML value, by the type of its field."""


CONSTANT = re.compile(r"\b[A-Z][A-Z_]+\b")
"""A constant in a docstring, in whose place the page has its value."""


class ContestKeys(SphinxDirective):
    """A table of the keys of a record: `.. contest-keys:: arena.settings.contest.Schedule`.

    Further arguments choose keys, or leave keys out if the first is `except`. A key's meaning is
    the docstring of the record's field.
    """

    required_arguments = 1
    optional_arguments = 20

    def run(self) -> list[nodes.Node]:
        """Return the table. A key that does not exist, or has no docstring, is an error."""
        path, *chosen = self.arguments
        module, name = path.rsplit(".", 1)
        record = getattr(import_module(module), name)
        home = import_module(record.__module__)
        meanings = ModuleAnalyzer.for_module(record.__module__).find_attr_docs()
        known = {field.name: field for field in fields(record)}
        rows = [("key", "value", "default", "meaning")]
        if chosen[:1] == ["except"]:
            chosen = [key for key in known if key not in chosen]
        for key in chosen or known:
            if key not in known or (name, key) not in meanings:
                raise self.error(f"{path} has no field {key} with a docstring")
            meaning = CONSTANT.sub(
                lambda word: str(getattr(home, word[0], word[0])), " ".join(meanings[name, key])
            )
            rows.append((f"`{key.rstrip('_')}`", kind(record, key), default(known[key]), meaning))
        return self.parse_text_to_nodes(table_of(rows, widths="20 16 14 50"))


class Presets(SphinxDirective):
    """A table of the presets and what they differ in: `.. presets::`."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = [("preset", "rules", "limits", "openings")]
        for name, contest in PRESETS.items():
            openings = str(contest.schedule.openings)
            rows.append((f"`{name}`", str(contest.rules), str(contest.limits), openings))
        return self.parse_text_to_nodes(table_of(rows, widths="16 40 30 14"))


class Levels(SphinxDirective):
    """A table of the default thresholds of the grade rule `levels`: `.. levels::`."""

    def run(self) -> list[nodes.Node]:
        """Return the table: a row for each grade, a column for each house player."""
        players = list(dict.fromkeys(name for needed in LEVELS.values() for name in needed))
        rows = [("grade", *players)]
        for grade, needed in LEVELS.items():
            shares = (f"{needed[name]:g}" if name in needed else "" for name in players)
            rows.append((str(grade), *shares))
        return self.parse_text_to_nodes(table_of(rows, widths="10 " + "18 " * len(players)))


class KnownRatings(SphinxDirective):
    """A table of the house players' known ratings, each with its error: `.. known-ratings::`."""

    def run(self) -> list[nodes.Node]:
        """Return the table: a row for each house player, a column for each board."""
        table = read_table(TABLE)
        boards = list(dict.fromkeys(row.board for row in table))
        known = {(row.player, row.board): f"{row.rating:.0f} ±{row.error:.0f}" for row in table}
        rows = [("house player", *boards)]
        for player in dict.fromkeys(row.player for row in table):
            rows.append((f"`{player}`", *(known.get((player, board), "") for board in boards)))
        return self.parse_text_to_nodes(table_of(rows, widths="30 " + "35 " * len(boards)))


class Sentences(SphinxDirective):
    """A table of the verdicts and the sentences of each: `.. sentences::`."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = [("verdict", "sentences, with the bot as subject")]
        for verdict in Verdict:
            sentences = [end.sentence for end in Ending if end.verdict is verdict]
            shown = [re.sub(r":\W?\w?}", "}", each) for each in sentences if each != "{text}"]
            known = [f"``{words}``" for words in shown]
            rows.append((f"`{verdict.name}`", " · ".join(known)))
        return self.parse_text_to_nodes(table_of(rows, widths="20 80"))


class Messages(SphinxDirective):
    """A list of messages: `.. messages:: InputError except PathError` or `.. messages:: a.module`.

    They are read from the source: every place that raises one of these exceptions, or one that is
    derived from it, with a text; or every text with arguments in a module.
    """

    required_arguments = 1
    optional_arguments = 10

    def run(self) -> list[nodes.Node]:
        """Return the list, in the order of the alphabet. An argument is in braces."""
        if "." in self.arguments[0]:
            source = Path(str(import_module(self.arguments[0]).__file__)).read_bytes()
            found = {template(each) for each in ast.walk(ast.parse(source)) if is_text(each)}
        else:
            found = raised(*self.arguments)
        lines = sorted(
            (f"- ``{words}``" for words in found if len(plain(words)) > 2),
            key=lambda line: plain(line.lower()),
        )
        return self.parse_text_to_nodes("\n".join(lines))


class Dependencies(SphinxDirective):
    """A table of the packages that Arena needs, with their licences: `.. dependencies::`."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = [("package", "version here", "licence", "needed for"), *dependencies()]
        shown = [tuple(cell or "Arena" for cell in row) for row in rows]
        return self.parse_text_to_nodes(table_of(shown, widths="25 15 40 20"))


class Descriptions(SphinxDirective):
    """The description of each interface that has one: `.. descriptions::`."""

    def run(self) -> list[nodes.Node]:
        """Return a block of TOML for each, with its name as caption."""
        lines: list[str] = []
        for path in sorted(DESCRIPTIONS.glob("*.toml")):
            text = path.read_text("utf-8").splitlines()
            lines += [".. code-block:: toml", f"   :caption: {path.name}", ""]
            lines += [*(f"   {line}" for line in text), ""]
        return self.parse_text_to_nodes("\n".join(lines))


def raised(*names: str) -> set[str]:
    """Return the texts of exceptions of these names; names after `except` are left out."""
    chosen = set(names[: (*names, "except").index("except")])
    bases, without = (
        tuple(getattr(errors, name) for name in each if name != "except")
        for each in (chosen, {*names} - chosen)
    )
    kinds = {
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, bases) and not issubclass(kind, without)
    }
    return {
        template(text)
        for path in errors.HOME.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in kinds
        for text in node.args
    }


def is_text(node: ast.AST) -> bool:
    """Return whether a node is a text with arguments, and not the format of one."""
    return isinstance(node, ast.JoinedStr) and len(node.values) > 1


def template(node: ast.AST) -> str:
    """Return a text of the source with its arguments in braces; empty for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if not isinstance(node, ast.JoinedStr):
        return ""
    parts = [
        str(part.value) if isinstance(part, ast.Constant) else "{" + argument(part) + "}"
        for part in node.values
    ]
    return " ".join("".join(parts).split())


def argument(part: ast.AST) -> str:
    """Return the name of a text's argument, or an ellipsis."""
    value = part.value if isinstance(part, ast.FormattedValue) else part
    name = getattr(value, "id", getattr(value, "attr", "")).strip("_").lower()
    return name or "…"


def plain(words: str) -> list[str]:
    """Return the words of a message that are no arguments."""
    return re.findall(r"[^\W\d_]{2,}", re.sub(r"\{.*?\}", "", words))


def table_of(rows: Iterable[tuple[str, ...]], widths: str) -> str:
    """Return rows, the head first, as a table in reStructuredText."""
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", ""]
    for first, *others in rows:
        lines.append(f"   * - {first}")
        lines.extend(f"     - {cell}" for cell in others)
    return "\n".join(lines)


def schema_of(hint: Any) -> dict[str, Any]:
    """Return the JSON Schema of a value of a description, given the type of its field."""
    if hint == Argument or hint is Scalar:
        roles = [{"enum": [*map(str, Role)]}] if hint == Argument else [{"type": "string"}]
        named = {"type": "object", "minProperties": 1}
        return {"anyOf": [*roles, {"type": ["number", "boolean"]}, named]}
    if get_origin(hint) is tuple:
        one = schema_of(get_args(hint)[0])
        return {"anyOf": [one, {"type": "array", "items": one}]}
    if get_origin(hint) is Mapping:
        return {"type": "object", "additionalProperties": schema_of(get_args(hint)[1])}
    kinds = [each for each in get_args(hint) or (hint,) if each is not type(None)]
    if is_dataclass(kinds[0]):
        meanings = ModuleAnalyzer.for_module(kinds[0].__module__).find_attr_docs()
        hints = get_type_hints(kinds[0])
        properties = {
            name.rstrip("_"): {
                **schema_of(each),
                "description": " ".join(meanings.get((kinds[0].__name__, name), [])).strip(),
            }
            for name, each in hints.items()
        }
        return {"type": "object", "additionalProperties": False, "properties": properties}
    if issubclass(kinds[0], Enum):
        return {"enum": [str(member) for member in kinds[0]]}
    names = {int: "integer", str: "string", bool: "boolean", float: "number"}
    return {"type": [names[each] for each in kinds]}


def write_schema(app: Sphinx, error: Exception | None) -> None:
    """Write the JSON Schema of a description beside the page that offers it."""
    if error is None and app.builder.format == "html":
        text = json.dumps({"$schema": DRAFT, **schema_of(Description)}, indent=1)
        (Path(app.outdir) / "reference" / SCHEMA).write_text(text + "\n")


def kind(record: type, key: str) -> str:
    """Return how a key's value is written in TOML."""
    hint = get_type_hints(record)[key]
    if hint == Argument:
        return kind_of(hint)
    hint = next(iter(get_args(hint)), hint) if isinstance(hint, UnionType) else hint
    if get_origin(hint) is tuple:
        return f"list of {kind_of(get_args(hint)[0])}"
    return kind_of(hint)


def kind_of(hint: Any) -> str:
    """Return how a value of this type is written in TOML."""
    if hint in (Argument, Scalar):
        return "argument" if hint == Argument else "value"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return ", ".join(f'`"{member.value}"`' for member in hint if member.value)
    return TYPES.get(getattr(hint, "__name__", ""), "table")


def default(field: Field[Any]) -> str:
    """Return a field's default as it is written in TOML."""
    value = field.default_factory() if callable(field.default_factory) else field.default
    if value is None or value is MISSING or value in ({}, ""):
        return "–"
    if isinstance(value, tuple):
        return "`[" + ", ".join(f'"{each}"' for each in value) + "]`"
    return f'`"{value.value}"`' if isinstance(value, Enum) else f"`{value}`".lower()


def set_examples(app: Sphinx, context: Any, lines: list[str]) -> None:
    """Turn the examples of a command's help, which are lines of a block, into code."""
    examples = [line for line in lines if line.startswith("| ")]
    text = [line for line in lines if not line.startswith("| ")]
    code = [f"   {line.removeprefix('|   ')}" for line in examples if line.startswith("|   ")]
    lines[:] = [*text, "", ".. code-block:: sh", "", *code, ""] if code else text


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directives to Sphinx."""
    app.add_directive("contest-keys", ContestKeys)
    app.add_directive("presets", Presets)
    app.add_directive("levels", Levels)
    app.add_directive("known-ratings", KnownRatings)
    app.add_directive("messages", Messages)
    app.add_directive("sentences", Sentences)
    app.add_directive("descriptions", Descriptions)
    app.add_directive("dependencies", Dependencies)
    app.connect("build-finished", write_schema)
    app.connect("sphinx-click-process-description", set_examples)
    return {"parallel_read_safe": True}
