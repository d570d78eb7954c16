"""Extract a bot's Python text from a notebook, without running it.

Only statements that the bot needs are kept (see `statements`). The homework of the `player` course
ends in a contest cell, headed `Solution for Problem Three`. As it often is incomplete, it is tried
alone, after the course's definitions, and after the notebook's. The first text that defines every
name the bot can read is used.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import decode_source
from itertools import groupby

from arena.common.errors import EmptyFileError, UnreadableError
from arena.common.text import one_line, some_of
from arena.interfaces import INTERFACES, Interfaces, find_entry
from arena.interfaces.contract import COURSES
from arena.source.classes import assigned_value
from arena.source.statements import Selection, Statement, StatementKind, choose, statements
from arena.source.trees import MAX_SOURCE, syntax_tree

# Slow imports that reading a notebook needs.
MODULES = ("nbformat", "nbformat.reader")
MAX_NOTEBOOK = 64 << 20  # Bytes of the longest notebook, with its pictures.

# Most JSON values of a notebook, estimated; each takes up to 100 times its text in memory.
MAX_VALUES = 2_000_000
MAX_STATEMENTS = 2000  # Top-level statements of a notebook; students have hundreds.
MAX_MAGICS = 30  # Most lines of a cell in IPython's syntax.
SHOWN = 3  # Names and cells that a note lists.
LOOKS_LIKE_ONE = re.compile(rb'"(cells|worksheets)"\s*:\s*\[')

# First comment in the contest cell.
HEADING = re.compile(r"\W*solution\s*((for|to)\s*)?problem\s*(three|3)\b", re.IGNORECASE)
CELL_MAGIC = re.compile(r"%%\s*(\w*)(.*)")
# Cell magics whose cells hold the notebook's own Python.
PYTHON_CELLS = ("time", "timeit", "capture", "prun", "memit")

# Start of a line in IPython's syntax, after its indentation.
LINE_MAGIC = re.compile(r"[%!?]|[\w, ]+=\s*[%!]|[\w.]+\?")
PLAYER = "player"  # The interface of the course whose homework is a notebook.
PRELUDE = "cs4100"  # Arena's module with the definitions of the homework's first cells.


@dataclass(frozen=True, slots=True)
class NotebookBot:
    source: str
    """Each cell follows a line `# %% NAME.ipynb, cell 9` and keeps its line numbers."""

    how: str
    """Which parts of the notebook `source` has, as a clause."""


@dataclass(frozen=True, slots=True)
class _Cell:
    number: int  # From 1 among all cells, including text cells.
    text: str
    statements: tuple[Statement, ...] = ()
    broken: str = ""
    line: int | None = None  # Line of the syntax error.

    @property
    def place(self) -> str:
        return f"cell {self.number}, line {self.line}" if self.line else f"cell {self.number}"


def is_notebook(data: bytes) -> bool:
    start = data[:1000].removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b"{") and LOOKS_LIKE_ONE.search(data) is not None


def extract_bot(data: bytes, name: str, known: Interfaces = INTERFACES) -> NotebookBot:
    """Return the bot in the notebook of this name. Raises UnreadableError."""
    cells = [_read_cell(number, text, name) for number, text in code_cells(data, name)]
    if not cells:
        raise EmptyFileError(f"{name} has no code in it")
    found = [statement for cell in cells for statement in cell.statements]
    if len(found) > MAX_STATEMENTS:
        raise UnreadableError(f"{name} has more than {MAX_STATEMENTS} statements")
    contest = next((cell for cell in reversed(cells) if _is_contest(cell)), None)
    main = contest.number if contest else None
    entry = _entry(found, main, known)
    broken = [cell for cell in cells if cell.broken]
    if entry is None:
        if broken:
            raise UnreadableError(f"{broken[0].broken} ({name}, {broken[0].place})")
        defined = [s for s in found if s.kind is not StatementKind.ACTION]
        return NotebookBot(_text(defined, name, prelude=False), "the notebook's own definitions")
    choice, how, prelude = _best_attempt(found, entry, main)
    how += _left_out(choice, main)
    for cell in broken[:SHOWN]:
        how += f"; not cell {cell.number}, which does not parse ({cell.broken}, {cell.place})"
    return NotebookBot(_text(choice.kept, name, prelude=prelude), one_line(how))


def extract_definitions(data: bytes, name: str, entry: str) -> NotebookBot:
    """Return what the bot `entry` needs of a Python file, on the same lines."""
    cell = _read_cell(1, decode_source(data), name)
    shadowed = frozenset(
        n for s in cell.statements if s.kind is StatementKind.DEFINITION for n in s.binds
    )
    choice = choose(cell.statements, entry, main=None, given=frozenset(), shadowed=shadowed)
    how = "its own definitions" + _left_out(choice, 1)
    return NotebookBot("\n".join(_lines(choice.kept)) + "\n", one_line(how))


def _best_attempt(
    found: Sequence[Statement], entry: str, main: int | None
) -> tuple[Selection, str, bool]:
    prelude_tree = ast.parse((COURSES / PLAYER / f"{PRELUDE}.py").read_bytes())
    exports = filter(None, (assigned_value(node, "__all__") for node in prelude_tree.body))
    given = frozenset[str](ast.literal_eval(next(exports)))
    own = [s for s in found if s.cell == main]
    before = [s for s in found if main is not None and s.cell < main]
    after = [s for s in found if main is not None and s.cell > main]
    notebooks, courses = "the notebook's own definitions", "the course's definitions"
    cell = f"the contest cell (cell {main})"
    attempts: list[tuple[Sequence[Statement], str, bool]] = [
        (own, cell, False),
        (own, f"{cell} after {courses}", True),
        (before + own, f"{cell} after {notebooks}", False),
        (before + after + own, f"{cell} after {notebooks}, also those that follow it", False),
    ]
    if main is None:
        attempts = [(found, notebooks, False), (found, f"{notebooks} after {courses}", True)]
    shadowed = frozenset(n for s in found if s.kind is StatementKind.DEFINITION for n in s.binds)
    best: tuple[Selection, str, bool] | None = None
    for available, how, prelude in attempts:
        taken = given if prelude else frozenset[str]()
        choice = choose(available, entry, main=main, given=taken, shadowed=shadowed)
        if best is None or _incompleteness(choice, entry) < _incompleteness(best[0], entry):
            best = choice, how, prelude
        if not choice.missing:
            break
    assert best is not None
    return best


def _left_out(choice: Selection, main: int | None) -> str:
    how = ""
    explained: set[str] = set()
    for statement, names, why in choice.left_out[:SHOWN]:
        explained.update(names)
        where = f"line {statement.first}"
        where += f" of cell {statement.cell}" if statement.cell != main else ""
        how += f"{',' if how else ''} without {where}, which sets {_listed(names)} and {why}"
    untold = [name for name in choice.missing if name not in explained]
    defined = {name for statement in choice.kept for name in statement.binds}
    nowhere = [name for name in untold if name not in defined]
    too_late = [name for name in untold if name in defined]
    for unset, fault in ((nowhere, "defined nowhere"), (too_late, "read before being defined")):
        if unset:
            how += f"; {_listed(unset)} {'is' if len(unset) == 1 else 'are'} {fault}"
    return how


def _listed(names: Sequence[str]) -> str:
    return some_of([f"`{name}`" for name in names], SHOWN)


def _incompleteness(choice: Selection, entry: str) -> tuple[bool, int, int]:
    told = {name for _, names, _ in choice.left_out for name in names}
    untold = [name for name in choice.missing if name not in told]
    return entry in choice.missing, len(choice.missing), len(untold)


def _entry(found: Sequence[Statement], main: int | None, known: Interfaces) -> str | None:
    contest = INTERFACES[PLAYER].find(_tree([s for s in found if s.cell == main]))
    if contest is not None:
        return contest
    entry = find_entry(_tree(found), known)
    return entry.name if entry else None


def _tree(found: Sequence[Statement]) -> ast.Module:
    return ast.parse("\n".join(line for statement in found for line in statement.lines))


def _text(kept: Sequence[Statement], name: str, *, prelude: bool) -> str:
    parts = [f"from {PRELUDE} import *"] if prelude else []
    if any("__name__" in statement.now | statement.later for statement in kept):
        parts.append('__name__ = "__main__"')  # as in a notebook
    for cell, group in groupby(kept, key=lambda statement: statement.cell):
        parts += [f"# %% {one_line(name)}, cell {cell}", *_lines(group)]
    return "\n".join(parts) + "\n"


def _lines(kept: Iterable[Statement]) -> list[str]:
    lines: list[str] = []
    for statement in kept:
        shared = statement.first <= len(lines)  # `a = 1; b = 2`
        lines.extend([""] * (statement.first - 1 - len(lines)))
        start = lines.pop() + "; " if shared else ""
        lines.append(start + statement.lines[0])
        lines.extend(statement.lines[1:])
    return lines


def _is_contest(cell: _Cell) -> bool:
    comments = (line for line in cell.text.split("\n") if line.lstrip().startswith("#"))
    defined = (s.kind is StatementKind.DEFINITION or PLAYER in s.binds for s in cell.statements)
    return bool(HEADING.match(next(comments, ""))) and any(defined)


def code_cells(data: bytes, name: str) -> Iterator[tuple[int, str]]:
    cells = _notebook_cells(data, name)
    size = 0
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        text = cell.get("source")
        if not isinstance(text, str) or not text.strip():
            continue
        size += len(text)
        if size > MAX_SOURCE:
            limit = f"{MAX_SOURCE / 1e6:.1f} MB"
            raise UnreadableError(f"{name} has more than {limit} of code, the limit of a source")
        yield number, text.replace("\r\n", "\n").replace("\r", "\n")


def _notebook_cells(data: bytes, name: str) -> Sequence[object]:
    if len(data) > MAX_NOTEBOOK:
        limit = f"{MAX_NOTEBOOK >> 20} MB"
        raise UnreadableError(f"{name} is {len(data) / 1e6:.0f} MB long; a notebook may be {limit}")
    if not data.strip():
        raise UnreadableError(f"{name} is empty")
    if sum(data.count(mark) for mark in (b",", b"[", b"{")) > MAX_VALUES:
        raise UnreadableError(f"{name} holds more values than a notebook may; clear its outputs")
    import nbformat  # loads slowly
    from nbformat.reader import NotJSONError, reads

    try:
        notebook = reads(data.decode("utf-8-sig"))  # type: ignore[no-untyped-call]
        notebook = nbformat.convert(notebook, 4)  # type: ignore[no-untyped-call]
        language = _language(notebook)
        cells = notebook["cells"]
    except NotJSONError as error:
        line = getattr(error.__cause__, "lineno", None)
        where = f" (line {line})" if line else ""
        raise UnreadableError(f"{name} is an incomplete notebook: broken JSON{where}") from None
    except UnicodeDecodeError:
        raise UnreadableError(f"{name} is no notebook: it is not UTF-8 text") from None
    except RecursionError:
        raise UnreadableError(f"{name} is no notebook: its JSON is nested too deeply") from None
    except Exception as error:  # whatever nbformat raises for JSON that is no notebook
        reason = one_line(f"{type(error).__name__}: {error}")[:100]
        raise UnreadableError(f"{name} cannot be read as a notebook ({reason})") from None
    if not language.lower().startswith(("python", "ipython")):
        raise UnreadableError(f"{name} is a notebook in {one_line(language[:40])}, not in Python")
    if not isinstance(cells, list):
        raise UnreadableError(f"{name} cannot be read as a notebook (it has no list of cells)")
    return cells


def _language(notebook: dict[str, dict[str, dict[str, object]]]) -> str:
    metadata = notebook.get("metadata", {})
    kernel, info = metadata.get("kernelspec", {}), metadata.get("language_info", {})
    return str(kernel.get("language") or info.get("name") or "python")


def _read_cell(number: int, text: str, name: str) -> _Cell:
    start = CELL_MAGIC.match(text.lstrip("\n"))
    if start is not None:
        is_file = start[1] == "writefile" and start[2].strip().endswith(".py")
        if not (is_file or start[1] in PYTHON_CELLS):
            return _Cell(number, text)
    try:
        tree, plain = _parse(text)
    except SyntaxError as error:
        return _Cell(number, text, (), f"{type(error).__name__}: {error.msg}", error.lineno)
    except ValueError as error:
        return _Cell(number, text, (), f"it cannot be parsed: {error}")
    except MemoryError:
        return _Cell(number, text, (), "it takes too much memory to be parsed")
    if len(tree.body) > MAX_STATEMENTS:
        raise UnreadableError(f"{name}, cell {number} has more than {MAX_STATEMENTS} statements")
    return _Cell(number, text, tuple(statements(tree, plain, number)))


def _parse(text: str) -> tuple[ast.Module, str]:
    """Return a cell's tree and text, with `pass` for lines of IPython that cannot be parsed."""
    lines = text.split("\n")
    for _ in range(MAX_MAGICS):
        try:
            plain = "\n".join(lines)
            return syntax_tree(plain, "<cell>"), plain
        except SyntaxError as error:
            at = (error.lineno or 0) - 1
            if not 0 <= at < len(lines) or not LINE_MAGIC.match(lines[at].strip()):
                raise
            lines[at] = lines[at][: len(lines[at]) - len(lines[at].lstrip())] + "pass"
    raise SyntaxError("too many lines in it are not Python")
