"""Which openings of a contest's pool each pairing plays.

The pool is numbered from 0. Each place of a pairing's openings, from 0, is *shared*: all pairings
play the same opening there; or it owns a block of the pool, from which each pairing draws one. A
draw depends on the contest's seed and the two names only. So other bots and more openings change no
draw, and no opening is drawn twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import shake_128
from typing import TYPE_CHECKING

from arena.openings.drawing import BLOCK, DRAWN_BLOCK, EVERY, read_book
from arena.rules import Ruleset

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ALL = 100_000  # As the number of shared openings: all of them.
LEAST_BOOK = 10 * BLOCK  # A book with fewer openings counts as none.
MOST_POOL = 500  # Most openings of a pool, unless a pairing plays more.


def block_of(rules: Ruleset, min_plies: int, max_plies: int) -> int:
    return BLOCK if len(read_book(rules, min_plies, max_plies)) >= LEAST_BOOK else DRAWN_BLOCK


def shared_places(openings: int, shared: int) -> list[int]:
    if shared >= ALL:
        return list(range(openings))
    return list(range(0, openings, EVERY))[:shared]


def pool_size(openings: int, shared: int, block: int) -> int:
    common = len(shared_places(openings, shared))
    return min(common + block * (openings - common), max(MOST_POOL, openings))


def drawn(
    seed: int, pairs: Iterable[tuple[str, str]], openings: int, shared: int, block: int, held: int
) -> NDArray[np.int32]:
    """Return each pair's openings, as indices of a pool that holds `held` openings.

    The array is pairs of names × places. The first columns are the same for any number of
    `openings`. If the pool holds no more than `openings`, everybody plays all of it.
    """
    import numpy as np

    names = [f"{seed}/{min(pair)}\n{max(pair)}".encode() for pair in pairs]
    if shared >= ALL or held <= openings:
        return np.tile(np.arange(min(openings, held), dtype=np.int32), (len(names), 1))
    sizes = np.full(openings, block)
    sizes[shared_places(openings, shared)] = 1
    starts = np.cumsum(sizes) - sizes
    chosen = np.zeros((len(names), openings), np.int32)
    whole = int((starts + sizes <= held).sum())
    chosen[:, :whole] = starts[:whole] + _numbers(names, whole) % sizes[:whole]
    if whole < openings:
        _fill(chosen, names, whole, min(held, MOST_POOL))
    return chosen


def _numbers(texts: Sequence[bytes], count: int) -> NDArray[np.int64]:
    """Return `count` random numbers for each text; more begin with the same."""
    import numpy as np

    drawn = b"".join(shake_128(text).digest(4 * count) for text in texts)
    return np.frombuffer(drawn, ">u4").reshape(len(texts), count).astype(np.int64)


def _fill(chosen: NDArray[np.int32], names: Sequence[bytes], whole: int, pool: int) -> None:
    """Fill the places from `whole` on, for which the pool has no blocks, with unused openings."""
    import numpy as np

    for row, name in zip(chosen, names, strict=True):
        order = np.argsort(_numbers([name + b"\n"], pool)[0], kind="stable")
        row[whole:] = order[~np.isin(order, row[:whole])][: len(row) - whole]
