"""Fingerprints of a submission's code, made in a confined process.

A passage is LENGTH tokens in a row, without comments, docstrings, layout, round brackets and names:
each name counts as the same token. Equal passages have equal hashes. Winnowing (Schleimer,
Wilkerson and Aiken, 2003) chooses the hashes to compare: of each WINDOW hashes in a row at least
one.

copydetect winnows. Its own filter of tokens misplaces what follows a class's name.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib.util import decode_source, find_spec, module_from_spec
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any
from zipfile import is_zipfile

import numpy as np
from numpy.typing import NDArray
from pygments.lexers import get_lexer_by_name
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Name, String, Text, _TokenType

from arena.common.errors import UnreadableError
from arena.intake.archive import ArchiveFiles
from arena.intake.files import Files, FolderFiles
from arena.intake.notebook import code_cells, is_notebook
from arena.intake.reading import At
from arena.source.trees import MAX_SOURCE, NO_CODE, syntax_tree

LENGTH = 13
WINDOW = 4

# Languages of bots, as Pygments calls them.
LANGUAGES = MappingProxyType(
    {".py": "", ".ipynb": "", ".c": "c", ".h": "c", ".java": "java", ".js": "js"}
    | {".cpp": "cpp", ".cc": "cpp", ".hpp": "cpp", ".rs": "rust", ".go": "go", ".cs": "csharp"}
)
ADDED = ("(", ")", ";", "pass")  # Tokens that can be added nearly anywhere.
COMPILED = (".pyc", ".so", ".pyd")
FROM_TEXT = re.compile(r"(?<![.\w])(?:exec|compile)\s*\(")  # Python makes code of text.
PYTHON = PythonLexer()  # Slow to make, so the fork server makes it.

POWERS = np.cumprod(np.full(LENGTH, 0xD6E8FEB86659FD93, dtype=np.uint64))
SPREAD = 0x9E3779B97F4A7C15  # Spreads the 32 bits of a checksum over 64.


def fingerprints(
    at: At, where: str, names: Sequence[str] | None, window: int, most: int
) -> Iterator[dict[str, Any] | str]:
    """Yield each file's code with its fingerprints, or why it is not compared.

    `where` is a folder with these `names`, or an archive. The keys are `name`, `text`, `lines` (of
    each token, from 0), `hashes` and `starts` (the first token of each passage). Files are left out
    after `most` characters. Python comes first, short files before long ones: a file that takes too
    long ends this process.
    """
    path = Path(where)
    size = 0
    for each in _sources(ArchiveFiles(path) if names is None else FolderFiles(path, tuple(names))):
        if isinstance(each, str):
            yield each
            continue
        language, name, text = each
        at(name)
        size += len(text)
        if size > most:
            yield f"{name} is too long to be compared"
            continue
        tokens = list(tokens_of(text, language))
        hashes, starts = passages([word for word, _ in tokens], window)
        found = {"lines": [line for _, line in tokens], "hashes": hashes.tolist()}
        yield {"name": name, "text": text, "starts": starts.tolist(), **found}
        if not language and FROM_TEXT.search(NO_CODE.sub("''", text)):
            yield f"{name} runs code that it makes from text, which is not compared"


def _sources(files: Files) -> Iterator[tuple[str, str, str] | str]:
    endings = {name: PurePosixPath(name).suffix.lower() for name in files.names}
    known = [name for name in endings if endings[name] in LANGUAGES]
    data = {name: files.read(name) for name in known}
    for name in sorted(known, key=lambda name: (LANGUAGES[endings[name]] != "", len(data[name]))):
        language = LANGUAGES[endings.pop(name)]
        try:
            yield language, name, code_of(data[name], name)
        except UnreadableError as error:
            yield str(error)
    # Python can run a file of any name, also one in an archive
    for name in endings:
        other = files.read(name)
        if is_zipfile(io.BytesIO(other)):
            with suppress(UnreadableError):
                yield from _sources(ArchiveFiles(Path(name), partial(io.BytesIO, other)))
        elif defines(other):
            yield "", name, code_of(other, name)
        elif endings[name] in COMPILED:
            yield f"{name} is compiled, so it is not compared"


def defines(data: bytes) -> bool:
    if len(data) > MAX_SOURCE or not any(word in data for word in (b"def", b"class", b"lambda")):
        return False
    try:
        nodes = ast.walk(syntax_tree(data, ""))
    except (SyntaxError, ValueError, MemoryError):
        return False
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
    return any(isinstance(node, kinds) for node in nodes)


def code_of(data: bytes, name: str) -> str:
    """Return a source as text; of a notebook its code cells. Raises UnreadableError."""
    if name.endswith(".ipynb") or is_notebook(data):
        cells = code_cells(data, name)
        text = "\n\n".join(f"# cell {number}\n{code}" for number, code in cells)
    else:
        is_utf_16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = data.decode("utf-16" if is_utf_16 else "utf-8-sig", "replace")
        with suppress(SyntaxError, UnicodeError, LookupError):
            if not LANGUAGES.get(PurePosixPath(name).suffix.lower()):
                text = decode_source(data)  # in the encoding that it names, as Python reads it
    # cells and escapes can have surrogates, which are no text
    text = text.encode("utf-8", "replace").decode()
    return text.replace("\r\n", "\n").replace("\r", "\n")


def tokens_of(text: str, language: str) -> Iterator[tuple[str, int]]:
    """Yield each token that counts, and its line from 0."""
    line, seen, before = 0, 0, ""
    lexer = get_lexer_by_name(language) if language else PYTHON
    for place, kind, value in lexer.get_tokens_unprocessed(text):
        line, seen = line + text.count("\n", seen, place), place
        word = _word(kind, value)
        if word and not (word == before == "''"):  # the pieces of a text are one token
            yield word, line
            before = word


def _word(kind: _TokenType, value: str) -> str:
    if kind in Comment or kind in Text or kind in String.Doc or value in ADDED:
        return ""
    if kind in String:
        return "''"
    is_builtin = kind in Name.Builtin and kind not in Name.Builtin.Pseudo
    return "name" if kind in Name and not is_builtin else value.strip()


def passages(words: Sequence[str], window: int = WINDOW) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the chosen hashes of a source's tokens, and where their passages start."""
    marks = {word: zlib.crc32(word.encode()) * SPREAD & 0xFFFFFFFFFFFFFFFF for word in set(words)}
    codes = np.array([marks[word] for word in words], dtype=np.uint64)
    if len(codes) < LENGTH:
        return np.zeros(0, np.uint64), np.zeros(0, np.int64)
    hashes = np.lib.stride_tricks.sliding_window_view(codes, LENGTH) @ POWERS
    if len(hashes) < window or window == 1:
        return hashes, np.arange(len(hashes), dtype=np.int64)
    found: tuple[NDArray[Any], NDArray[Any]] = _library().winnow(hashes, window, False)
    return found


def _library() -> Any:
    """Import copydetect's functions without its `__init__`, which imports matplotlib."""
    if "copydetect" not in sys.modules and (spec := find_spec("copydetect")) is not None:
        sys.modules["copydetect"] = module_from_spec(spec)
    import copydetect.utils

    return copydetect.utils
