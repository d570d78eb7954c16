"""Parcels: a batch and what is to be done with it, as bytes that travel to another machine.

A bot's folder lies elsewhere there. So a parcel names its bots by their contents; whoever opens it
says where their files are.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from arena.referee import Bot


@dataclass(frozen=True, slots=True)
class Parcel:
    """A call of a function with one argument."""

    content: bytes
    """The function and its argument, pickled, with numbers in the place of bots."""

    bots: tuple[Bot, ...]
    """The bots by these numbers. Their `root` is empty."""

    @property
    def needs(self) -> frozenset[str]:
        """The content hashes of the bots whose files are needed."""
        return frozenset(bot.content_hash for bot in self.bots)

    def open(self, root_of: Callable[[str], str]) -> tuple[Callable[[Any], Any], Any]:
        """Return the function and its argument. `root_of` a content hash is a bot's folder."""
        bots = [replace(bot, root=root_of(bot.content_hash)) for bot in self.bots]
        function, argument = _Unpickler(self.content, bots).load()
        return function, argument


def pack(function: Callable[[Any], Any], argument: object) -> tuple[Parcel, dict[str, str]]:
    """Return a parcel, and the folders here of the bots in it by their content hashes."""
    content = io.BytesIO()
    pickler = _Pickler(content)
    pickler.dump((function, argument))
    roots = {bot.content_hash: bot.root for bot in pickler.bots}
    bots = tuple(replace(bot, root="") for bot in pickler.bots)
    return Parcel(content.getvalue(), bots), roots


class _Pickler(pickle.Pickler):
    """Writes a number in the place of each bot, wherever it occurs."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.bots: list[Bot] = []
        self._numbers: dict[object, int] = {}

    def persistent_id(self, value: Any) -> int | None:
        """Return the number of a bot; None for anything else, which is pickled as it is."""
        if type(value) is not Bot:
            return None
        number = self._numbers.setdefault((value.identity, value.root), len(self.bots))
        if number == len(self.bots):
            self.bots.append(value)
        return number


class _Unpickler(pickle.Unpickler):
    """Reads what `_Pickler` wrote."""

    def __init__(self, content: bytes, bots: list[Bot]) -> None:
        super().__init__(io.BytesIO(content))
        self._bots = bots

    def persistent_load(self, number: Any) -> Bot:
        """Return the bot of that number."""
        return self._bots[int(number)]
