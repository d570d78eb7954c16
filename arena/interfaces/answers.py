"""From what a bot answers to its column."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

from arena.common.errors import NoMoveError
from arena.interfaces.description import Move

NUMBER = re.compile(r"-?\d{1,9}")
LETTER = re.compile(r"[A-Za-z]")


def part_of(answer: Any, way: Sequence[int | str]) -> Any:
    """Return what the way of indices, keys and attributes leads to.

    A whole number is the column itself. Raises NoMoveError if there is no such part.
    """
    if way and isinstance(answer, Integral):
        return answer
    part = answer
    try:
        for step in way:
            if isinstance(step, int) or isinstance(part, Mapping):
                part = part[step]
            else:
                part = getattr(part, step)
    except (TypeError, IndexError, KeyError, AttributeError):
        shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in way)
        raise NoMoveError(f"answered {kind_of(answer)}, which has no {shown}") from None
    return part


def column_of(answer: object, move: Move, columns: int) -> object:
    """Return the column that an answer means, from 0 and unchecked.

    Raises NoMoveError for answers that mean none.
    """
    answer = _number(answer, move)
    if move.none and isinstance(answer, (int, float, str)) and answer in move.none:
        raise NoMoveError(f"answered {answer!r}, which in its course means that it has no move")
    if not move.base or move.letters or move.scores:
        return answer
    try:
        column = operator.index(answer)  # type: ignore[arg-type]
    except TypeError:
        return answer
    if not move.base <= column < columns + move.base:
        raise NoMoveError(f"answered {str(column)[:20]}; its columns are {move.base} to {columns}")
    return column - move.base


def kind_of(answer: object) -> str:
    return "None" if answer is None else f"a value of type {type(answer).__name__[:60]}"


def _number(answer: object, move: Move) -> object:
    if move.scores:
        return _highest(answer, move.base)
    if isinstance(answer, str) and (move.text or move.letters):
        found = (LETTER if move.letters else NUMBER).search(answer)
        if found is None:
            what = "letter" if move.letters else "number"
            raise NoMoveError(f"answered a text without a {what} of a column")
        return ord(found[0].upper()) - ord("A") if move.letters else int(found[0])
    return answer


def _highest(answer: Any, base: int) -> int:
    """Return the column with the highest number, among equals the first."""
    try:
        pairs = answer.items() if isinstance(answer, Mapping) else enumerate(answer, base)
        return operator.index(max(pairs, key=lambda pair: float(pair[1]))[0]) - base
    except (TypeError, ValueError):
        raise NoMoveError(f"answered {kind_of(answer)}, not a number for each column") from None
