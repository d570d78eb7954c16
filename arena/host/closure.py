"""The closure of a relation: all that is reached by its steps."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def closure(start: Iterable[Node], step: Callable[[Node], Iterable[Node]]) -> list[Node]:
    """Return all that is reached from a start by steps, itself too, nearer ones before others."""
    found = dict.fromkeys(start)
    pending = deque(found)
    while pending:
        for node in step(pending.popleft()):
            if node not in found:
                found[node] = None
                pending.append(node)
    return list(found)
