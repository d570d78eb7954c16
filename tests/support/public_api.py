"""What `arena` promises, a name or member a line: the text of `tests/api.txt`.

`python -m tests.support.public_api > tests/api.txt` writes the file.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import arena

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"


class _Bare(str):
    """An annotation as it is written, which a signature shows without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def promised() -> Iterator[str]:
    """Yield the lines, in the order of the reference; members are those that it lists.

    A class with `()` in the reference is made by Arena only.
    """
    text = REFERENCE.read_text("utf-8")
    pattern = r"\.\. auto(?:function|class|exception):: (\w+)(\(\))?\n(?:   :members:(.*)\n)?"
    for name, made, members in re.findall(pattern, text):
        yield from _lines(name, members.replace(",", " ").split(), is_made=not made)
    yield from (f"PRESETS[{name!r}]" for name in arena.PRESETS)
    yield "__version__: str"


def _lines(name: str, members: list[str], *, is_made: bool) -> Iterator[str]:
    thing = getattr(arena, name)
    if not inspect.isclass(thing):
        yield f"{name}{_signature(thing)}"
        return
    bases = [base.__name__ for base in thing.__bases__ if base is not object]
    yield f"class {name}" + (f"({', '.join(bases)})" if bases else "")
    if issubclass(thing, Enum):
        yield from (f"{name}.{each.name} = {each.value!r}" for each in thing)
        members = [key for key, value in vars(thing).items() if isinstance(value, property)]
    elif is_made and not issubclass(thing, Exception):
        yield f"{name}{_signature(thing)}".removesuffix(" -> None")
    yield from (_member(thing, name, each) for each in members)


def _member(thing: Any, name: str, member: str) -> str:
    value = inspect.getattr_static(thing, member, None)
    if inspect.isfunction(value):
        return f"{name}.{member}{_signature(value)}"
    if isinstance(value, property):
        return f"{name}.{member}: {inspect.get_annotations(value.fget)['return']}"
    hints = (inspect.get_annotations(kind).get(member) for kind in thing.__mro__)
    return f"{name}.{member}: {next(filter(None, hints))}"


def _signature(function: Any) -> str:
    signature = inspect.signature(function)
    bare = [
        each.replace(annotation=_Bare(each.annotation)) if each.annotation != each.empty else each
        for each in signature.parameters.values()
    ]
    returned = signature.return_annotation
    if returned not in (signature.empty, None):
        returned = _Bare(returned)
    return str(signature.replace(parameters=bare, return_annotation=returned))


if __name__ == "__main__":
    print(*promised(), sep="\n")
