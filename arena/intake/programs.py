"""Submissions that are programs: the file to run and the settings needed."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from arena.common.errors import UnreadableError
from arena.intake.files import ELF, Files, is_runnable
from arena.interfaces import lines, one_move
from arena.interfaces.program import COMMAND, HOW_TO_RUN, INTERPRETER
from arena.source.trees import parse

# Which Python file to run if several could be the program, best first.
PREFERRED_PROGRAMS = ("bot.py", "main.py", "maxconnect4.py", "player.py")
TO_COMPILE = (".c", ".cc", ".cpp", ".cxx", ".go", ".rs", ".hs", ".cs", ".java")
COMPILED_SUFFIXES = ("", ".out")  # Suffixes of compiled programs.

# Commands by the suffix of the program's file.
LANGUAGES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(TO_COMPILE, "./{stem}"),
        **dict.fromkeys((".java", ".class"), "java {stem}"),
        ".jar": "java -jar {name}",
        **dict.fromkeys((".js", ".mjs", ".cjs"), "node {name}"),
        ".sh": "sh {name}",
        ".pl": "perl {name}",
        ".rb": "ruby {name}",
        ".lua": "lua {name}",
        ".php": "php {name}",
    }
)

PYTHON_2 = 'options = { interpreter = "python2" }'  # Contest file setting for Python 2.
LINES_WORDS = (b"stdin", b"game", b"move")  # Words in every program with the lines protocol.
HEAD_BYTES = 4


def is_program(name: str, head: bytes) -> bool:
    """Return True for a program or its source, judged by name or first bytes."""
    suffix = PurePosixPath(name).suffix.lower()
    return suffix in LANGUAGES or (not suffix and is_runnable(head))


def named_program(files: Files, options: Collection[str]) -> str | None:
    """Return `one_move` if the contest file says how to run such a program, else None."""
    if HOW_TO_RUN.isdisjoint(options):
        return None
    return one_move.NAME if any(_says_one_move(files, name) for name in files.names) else None


def choose_file(files: Files, interface: str, options: Collection[str], file: str | None) -> str:
    """Return the file to run; empty if `options` name it. Raises UnreadableError."""
    if file is not None and file not in files.names:
        raise UnreadableError(f"the contest file names {file!r}, which is not among its files")
    if COMMAND in options:
        return file or ""
    chosen = file or _only_file(files, interface)
    if chosen.endswith(".py") and INTERPRETER not in options:
        parse(files.read(chosen), chosen, python_2=PYTHON_2)
    return chosen


def how_python_2_runs(files: Files) -> str | None:
    sources = [files.read(n) for n in files.names if n.endswith(".py")]
    if any(one_move.MODE.encode() in data for data in sources):
        interface = one_move.NAME
    elif any(all(word in data for word in LINES_WORDS) for data in sources):
        interface = lines.NAME
    else:
        return None
    return f"interface = {quoted(interface)} and {PYTHON_2}"


def unstated_program(files: Files) -> UnreadableError | None:
    programs = [n for n in files.names if is_program(n, files.read(n)[:HEAD_BYTES])]
    if not programs:
        return None
    speaking = [n for n in programs if _says_one_move(files, n)]
    starting = [n for n in programs if b"main(" in files.read(n)]
    file = PurePosixPath((speaking or starting or programs)[0])
    interface = one_move.NAME if speaking else lines.NAME
    suffix = file.suffix.lower()
    command = LANGUAGES.get(suffix, "./{name}").format(stem=file.stem, name=file)
    how = ""
    if suffix in TO_COMPILE:
        compiled = _compiled(files, file)
        if compiled is None:
            how = ", which must be compiled first"
        elif not compiled.endswith(".class"):
            command = f"./{compiled}"
    return UnreadableError(
        f"it is a program ({file}){how}; the contest file must state how to run it",
        settings=f"interface = {quoted(interface)} and options = {{ command = {quoted(command)} }}",
    )


def heading(name: str) -> str:
    return f"[bots.{quoted(name)}]"


def quoted(text: str) -> str:
    """Return the text as a TOML string, which allows JSON's escapes."""
    return json.dumps(text, ensure_ascii=False)


def _compiled(files: Files, source: PurePosixPath) -> str | None:
    found = []
    for name in files.names:
        file = PurePosixPath(name)
        if file.stem == source.stem and file.suffix == ".class":
            return name
        is_named_so = file.suffix.lower() in COMPILED_SUFFIXES
        if is_named_so and files.read(name)[:HEAD_BYTES].startswith(ELF):
            found.append(name)
    alike = [name for name in found if PurePosixPath(name).stem == source.stem]
    return alike[0] if alike else found[0] if len(found) == 1 else None


def _only_file(files: Files, interface: str) -> str:
    found = [name for name in files.names if name.endswith(".py")]
    if not found:
        found = [name for name in files.names if is_runnable(files.read(name)[:HEAD_BYTES])]
    if interface == one_move.NAME:
        found = [name for name in found if _says_one_move(files, name)] or found
    for preferred in PREFERRED_PROGRAMS:
        if preferred in found:
            return preferred
    if len(found) == 1:
        return found[0]
    if not found:
        raise UnreadableError(
            "none of its files can be run directly; the contest file must state how to run it: "
            'options = { command = "java maxconnect4" }'
        )
    raise UnreadableError(
        f"several of its files could be the program ({', '.join(found[:5])}); the contest file "
        f"can say which",
        settings=f"file = {quoted(found[0])}",
    )


def _says_one_move(files: Files, name: str) -> bool:
    return one_move.MODE.encode() in files.read(name)
