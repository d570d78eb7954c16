"""Parsing a submission's Python files without running them, with helpful errors."""

from __future__ import annotations

import ast
import codecs
import re
import warnings

from arena.common.errors import EmptyFileError, NestingError, UnreadableError
from arena.common.system import limit_of, peak_bytes

# Memory that must be left, in bytes, if a MemoryError of the parser means deep nesting.
MIN_LEFT = 128 << 20


def syntax_tree(data: str | bytes, name: str) -> ast.Module:
    """Return the syntax tree of a source.

    Raises SyntaxError, ValueError, NestingError for deep nesting, and MemoryError if memory is
    short; Python raises MemoryError for both.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such as invalid escapes in a submission
        try:
            return ast.parse(data, name)
        except (RecursionError, MemoryError) as error:
            if isinstance(error, MemoryError) and _is_short():
                raise
    raise NestingError("it is nested too deeply to be parsed")


def _is_short() -> bool:
    limit = limit_of("DATA")
    return limit is not None and peak_bytes() > limit - min(MIN_LEFT, limit // 2)


# Bytes of the longest source. A tree takes up to a thousand times as much memory.
MAX_SOURCE = 1 << 20

# First bytes of other file formats.
FORMATS = (
    (b"%PDF-", "a PDF document"),
    (b"{\\rtf", "a rich-text document (RTF)"),
    (b"PK\x03\x04", "a zip archive or an Office document"),
    (b"\xd0\xcf\x11\xe0", "an Office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a compiled program"),
    (b"\x89PNG", "a picture"),
)

WEB_PAGES = (b"<!doctype", b"<html", b"<?xml")  # First bytes of web pages, in lower case.

# The first or second line may name a source's encoding (PEP 263).
CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")

# Comments and strings.
NO_CODE = re.compile(
    r"\#[^\n]*+"
    r'|"""(?:[^\\]|\\.)*?(?:"""|\Z)'
    r"|'''(?:[^\\]|\\.)*?(?:'''|\Z)"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'(?:[^'\\\n]|\\.)*+'?",
    re.DOTALL,
)

START = r"(?:^|[:;])[ \t]*"  # Where a statement may begin.

# (pattern in code without comments and strings, its name, its Python 3 form).
PYTHON_2 = (
    (START + r'print[ \t]+(?!(?:in|is|and|or|if)\b)(?:""|[\w`{])', "print statement", "print(...)"),
    (
        r"^[ \t]*except[ \t]+(?:[\w.]+|\([\w., \t]+\))[ \t]*,[ \t]*[a-z_]\w*[ \t]*:",
        "`except X, e`",
        "`except X as e`",
    ),
    (START + r"raise[ \t]+[\w.]+[ \t]*,", "`raise E, x`", "`raise E(x)`"),
    (START + r'exec[ \t]+(?:""|\w)', "exec statement", "exec(...)"),
    (r"(?<!`)`[^`\n]{1,200}`(?!`)", "backticks", "repr(...)"),
    (r"<>", "`<>`", "`!=`"),
    (r"(?<![\w.])\d{1,30}[lL]\b", "a number with an L", "the number alone"),
    (r'(?<!\w)[uU][rR]""', "a text with ur before it", "a text with r before it"),
)

# Code of Python 3 only: its author just forgot the brackets of a print.
PYTHON_3 = re.compile(
    r'(?<!\w)[fF]""|:=|\)[ \t]*->|\b(?:nonlocal|async[ \t]+def)\b'
    r"|\bprint[ \t]*\([^\n]{0,200}\b(?:end|sep|flush)="
)

# Patterns of other languages; most lines must also match CURLY.
LANGUAGES = (
    (r"^[ \t]*#[ \t]*include[ \t]*[<\"]", "C or C++"),
    (r"^[ \t]*(?:import java|public[ \t]+(?:final[ \t]+)?(?:class|interface|enum)\b)", "Java"),
    (r"^[ \t]*(?:function\b|const\b|let\b|var\b)", "JavaScript"),
)

CURLY = re.compile(r"[;{}][ \t\r]*$", re.MULTILINE)
QUOTES = "“”„‘’‚«»′″"


def parse(data: bytes, name: str, *, python_2: str | None = None) -> ast.Module:
    """Return the syntax tree of a file. Raises UnreadableError.

    `python_2` has the contest file's settings that run a Python 2 source; None for Python 3.
    """
    if len(data) > MAX_SOURCE:
        raise UnreadableError(f"{name} is {len(data) / 1e6:.1f} MB long, more than a source may be")
    if not data.removeprefix(codecs.BOM_UTF8).strip():
        if name.rpartition("/")[2] == "__init__.py":
            return ast.Module([], [])  # an empty file makes its folder a package
        raise EmptyFileError(f"{name} is empty")
    try:
        return syntax_tree(data, name)
    except NestingError:
        raise UnreadableError(f"{name} is nested too deeply to be parsed") from None
    except (SyntaxError, ValueError) as error:
        raise diagnose(data, name, error, python_2) from None
    except MemoryError:
        raise UnreadableError(
            f"{name} takes too much memory to be parsed; make it smaller"
        ) from None


def imported_modules(tree: ast.AST) -> set[str]:
    """Return the dotted names of all imported modules, relative ones without dots."""
    names: set[str] = set()
    pending = [tree]
    for node in pending:  # grows; statements only, as expressions may be large tables
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.update([node.module] if node.module else [])
            prefix = f"{node.module}." if node.module else ""
            names.update(prefix + alias.name for alias in node.names if alias.name != "*")
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            inside = getattr(node, block, ())
            pending.extend(inside if isinstance(inside, list) else ())
    return names


def imported_names(tree: ast.AST) -> set[str]:
    return {name.split(".")[0] for name in imported_modules(tree)}


def diagnose(data: bytes, name: str, error: Exception, python_2: str | None) -> UnreadableError:
    """Return why a source cannot be parsed; `error` is the parser's, see `parse`."""
    problem = _other_format(data, name) or _encoding(data, name)
    if problem:
        return UnreadableError(problem)
    text = data.removeprefix(codecs.BOM_UTF8).decode(_declared(data) or "utf-8")
    line = getattr(error, "lineno", None) or 0
    problem = _left_in(text, name) or _other_language(text, name)
    if problem is None and (old := _python_2(text, name, python_2)):
        return old
    if problem is None and isinstance(error, SyntaxError):
        problem = _misprint(text, name, error, line) or (
            f"{type(error).__name__}: {error.msg} ({name}{f', line {line}' if line else ''})"
        )
    return UnreadableError(problem or f"{name} cannot be parsed: {error}")


def _other_format(data: bytes, name: str) -> str | None:
    start = data[:1000].removeprefix(codecs.BOM_UTF8).lstrip()
    for magic, what in FORMATS:
        if start.startswith(magic):
            return f"{name} is {what}, not a Python source"
    if start.lower().startswith(WEB_PAGES):
        return f"{name} is a web page: download the file itself (on GitHub: Raw)"
    if data[2:4] == b"\r\n" and b"\0" in data[:16]:
        return f"{name} is compiled Python: hand in the source it was made from"
    return None


def _encoding(data: bytes, name: str) -> str | None:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or data[1:40:2].count(0) > 15:
        return f"{name} is saved as UTF-16, which Python does not read: save it as UTF-8"
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        return f"{name} holds null bytes (the first in line {line}): it is damaged, or no text"
    declared = _declared(data)
    try:
        data.removeprefix(codecs.BOM_UTF8).decode(declared or "utf-8")
    except UnicodeDecodeError as error:
        at = error.start + len(codecs.BOM_UTF8) * data.startswith(codecs.BOM_UTF8)
        line = data.count(b"\n", 0, at) + 1
        where = f"byte 0x{data[at]:02x} in line {line}"
        if declared is None:
            cure = "save it as UTF-8, or name its encoding in its first line (# coding: latin-1)"
            return f"{name} is not UTF-8 text ({where}): {cure}"
        return f"{name} is not {declared[:20]} text, as it says it is ({where}): save it as UTF-8"
    except (LookupError, ValueError):
        assert declared is not None
        return f"{name} names an encoding that Python does not know: {declared[:20]!r}"
    if declared and data.startswith(codecs.BOM_UTF8) and codecs.lookup(declared).name != "utf-8":
        return f"{name} says that it is {declared[:20]} text and is UTF-8: delete its coding line"
    return None


def _declared(data: bytes) -> str | None:
    for line in data.removeprefix(codecs.BOM_UTF8).split(b"\n", 2)[:2]:
        if found := CODING.match(line):
            return found[1].decode("ascii", "replace")
    return None


def _left_in(text: str, name: str) -> str | None:
    conflict = re.search(r"^<{7}(?: [^\n]*)?$", text, re.MULTILINE)
    if conflict and re.search(r"^>{7}(?: |$)", text, re.MULTILINE):
        return f"{name} has a merge conflict that nobody resolved (line {_line(text, conflict)})"
    code = NO_CODE.sub(_blank, text)
    fence = re.search(r"^[ \t]*```", code, re.MULTILINE)
    if fence:
        where = f"``` in line {_line(code, fence)}"
        return f"{name} has Markdown around its code ({where}): delete those lines"
    return None


def _other_language(text: str, name: str) -> str | None:
    lines = sum(not line.isspace() for line in text.splitlines())
    if len(CURLY.findall(text)) * 2 < lines:
        return None
    for pattern, language in LANGUAGES:
        if re.search(pattern, text, re.MULTILINE):
            return f"{name} is written in {language}, not in Python"
    return None


def _python_2(text: str, name: str, settings: str | None) -> UnreadableError | None:
    code = NO_CODE.sub(_blank, text)
    if PYTHON_3.search(code):
        return None
    found = [
        (_line(code, match), what, cure)
        for pattern, what, cure in PYTHON_2
        if (match := re.search(pattern, code, re.MULTILINE))
    ]
    if not found:
        return None
    line, what, cure = min(found)
    problem = f"{name} is written for Python 2 ({what}, line {line})"
    if settings is None:
        return UnreadableError(f"{problem}; bots run under Python 3, where it is {cure}")
    mended = f"{problem}; the contest file can name one that runs it"
    return UnreadableError(mended, settings=settings)


def _misprint(text: str, name: str, error: SyntaxError, line: int) -> str | None:
    if isinstance(error, TabError):
        cure = "indent every line with spaces alone"
        return f"TabError: {name} indents with tabs and with spaces (line {line}): {cure}"
    found = re.match(r"invalid (?:non-printable )?character .*?U\+([0-9A-F]{4,6})", error.msg or "")
    character = chr(int(found[1], 16)) if found else ""
    if character and character in QUOTES:
        return f"{name} has a typographic quote {character} in line {line}: Python wants ' or \""
    if character and not character.isprintable():
        hidden = f"an invisible character (U+{ord(character):04X}) in line {line}"
        return f"{name} has {hidden}, as pages and PDFs have: type it as a space, or delete it"
    lines = text.split("\n")
    written = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    if re.match(r"[%!]\w", written):
        return f"{name} has a notebook's command in line {line} ({written[:30]}): delete it"
    return None


def _blank(match: re.Match[str]) -> str:
    lines = "\n" * match[0].count("\n")
    return lines if match[0].startswith("#") else f'""{lines}'


def _line(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.end()) + 1
