"""Pairs of submissions with like sources, found by the hashes of their passages.

Only numbers are compared here, so it happens in Arena's own process.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.common.text import counted, some_of
from arena.intake.submission import NAMED
from arena.similar.fingerprints import LENGTH
from arena.similar.submissions import SourceCode
from arena.statistics.bradley_terry import Ints

# A passage in more submissions than both of these counts as given to all.
COMMON, COMMON_SHARE = 20, 0.25
LEAST_LINES = 5  # Lines in common; fewer show nothing.
MOST_TRIED, MOST_NAMED = 20, 5  # Kinds of code that many have: looked at, and named.
MOST_SHOWN = 20  # Lines of an example.


@dataclass(frozen=True, slots=True)
class Mark:
    """Lines that the other submission also has."""

    first: int
    last: int
    there: int
    """The line in the other submission where the first passage begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSide:
    """A submission of a pair, and what it shares with the other one."""

    name: str
    share: float
    """Share of its own code, without code given to all."""

    lines: int
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class SourcePair:
    one: PairSide
    other: PairSide

    @property
    def share(self) -> float:
        """The larger share, so that code added to a copy does not hide it."""
        return max(self.one.share, self.other.share)

    @property
    def lines(self) -> int:
        """Lines in common."""
        return min(self.one.lines, self.other.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonCode:
    """Code that counts as given because many submissions have it, with an example."""

    names: tuple[str, ...]
    """Submissions with at least half of it; the first one is the example."""

    lines: int
    """Lines of it in these submissions: the median."""

    where: str
    text: str

    def __str__(self) -> str:
        return (
            f"{len(self.names)} submissions share {counted(self.lines, 'line')}, such as "
            f"{self.where}. So many have this code that it counts as given; if it was not, read "
            f"{some_of(self.names, NAMED)}. If it was, name it with --base"
        )


def own_code(
    codes: Sequence[SourceCode], base: NDArray[np.uint64]
) -> tuple[list[SourceCode], list[CommonCode]]:
    """Return the submissions without given code, and code that counts as given.

    `base` are the hashes of what was certainly given.
    """
    codes = [_without(code, base) for code in codes]
    most = max(COMMON, COMMON_SHARE * len(codes))
    shared = [each for each in _shared([code.hashes for code in codes]) if len(each[1]) > most]
    hashes = np.array([value for value, _ in shared], dtype=np.uint64)
    has = np.zeros((len(shared), len(codes)), dtype=np.bool_)
    for row, (_, owners) in zip(has, shared, strict=True):
        row[owners] = True
    found: list[CommonCode] = []
    is_left = np.ones(len(shared), dtype=np.bool_)
    for _ in range(MOST_TRIED):
        if not is_left.any():
            break
        # the passage in most submissions, with those that about the same submissions have
        leader = has[np.argmax(has.sum(axis=1) * is_left)]
        alike = (has & leader).sum(axis=1) > 0.5 * (has | leader).sum(axis=1)
        group, is_left = alike & is_left, is_left & ~alike
        owners = np.flatnonzero(has[group].mean(axis=0) >= 0.5)
        found += _common([codes[owner] for owner in owners], hashes[group])
    found.sort(key=lambda each: -each.lines * len(each.names))
    return [_without(code, hashes) for code in codes], found[:MOST_NAMED]


def _common(codes: Sequence[SourceCode], hashes: NDArray[np.uint64]) -> Iterator[CommonCode]:
    """Yield this code unless it is short; the example is the longest part in one piece."""
    lines, parts = [], []
    for code in codes:
        covered = _covered(code, np.isin(code.hashes, hashes))
        lines.append(len(np.unique(code.token_lines[covered])))
        ends = code.token_lines[_edges(covered) - (0, 1)]
        first, last = ends[np.argmax(ends[:, 1] - ends[:, 0])].tolist()
        parts.append((last - first + 1, first, code))
    size, first, code = max(parts, key=lambda part: part[0])
    if size < LEAST_LINES:
        return
    begins, file = max(part for part in code.parts if part[0] <= first)
    names = dict.fromkeys([code.name, *(each.name for each in codes)])
    start = first - begins + 1
    yield CommonCode(
        names=tuple(names),
        lines=int(np.median(lines)),
        where=f"{code.name}: {file}, lines {start} to {start + size - 1}",
        text="\n".join(code.lines[first - 1 : first - 1 + min(size, MOST_SHOWN)]),
    )


def alike_sources(
    codes: Sequence[SourceCode], least: float, earlier: Collection[str] = ()
) -> list[SourcePair]:
    """Return the pairs whose share is at least `least`, most alike first.

    A submission is compared as a whole, however its code is split into files. Submissions with
    `earlier` names are not compared with each other.
    """
    counts = np.zeros((len(codes), len(codes)), dtype=np.int64)
    for _, owners in _shared([code.hashes for code in codes]):
        counts[np.ix_(owners, owners)] += 1
    totals = np.array([len(np.unique(code.hashes)) for code in codes])
    # the share of passages differs from the share of tokens, but not by this much
    is_close = counts >= np.maximum(0.5 * least * np.minimum.outer(totals, totals), 1)
    pairs = [
        SourcePair(_side(codes[one], codes[other]), _side(codes[other], codes[one]))
        for one, other in np.argwhere(np.triu(is_close, 1)).tolist()
        if not {codes[one].name, codes[other].name} <= {*earlier}
    ]
    kept = [pair for pair in pairs if pair.share >= least and pair.lines >= LEAST_LINES]
    return sorted(kept, key=lambda pair: (-pair.share, -pair.lines, pair.one.name, pair.other.name))


def _without(code: SourceCode, given: NDArray[np.uint64]) -> SourceCode:
    own = ~np.isin(code.hashes, given)
    return replace(code, hashes=code.hashes[own], starts=code.starts[own])


def _shared(all_hashes: Sequence[NDArray[np.uint64]]) -> list[tuple[int, Ints]]:
    distinct = [np.unique(hashes) for hashes in all_hashes]
    if not distinct:
        return []
    hashes = np.concatenate(distinct)
    owners = np.repeat(np.arange(len(distinct)), [len(each) for each in distinct])
    order = np.argsort(hashes, kind="stable")
    values, starts, sizes = np.unique(hashes[order], return_index=True, return_counts=True)
    several = sizes > 1
    return [
        (value, owners[order[start : start + size]])
        for value, start, size in zip(
            *(each[several].tolist() for each in (values, starts, sizes)), strict=True
        )
    ]


def _side(code: SourceCode, other: SourceCode) -> PairSide:
    shared = np.flatnonzero(np.isin(code.hashes, other.hashes))
    own, covered = _covered(code, slice(None)), _covered(code, shared)
    edges = _edges(covered)
    order = np.argsort(other.hashes, kind="stable")
    passages = code.hashes[shared[np.searchsorted(code.starts[shared], edges[:, 0])]]
    places = order[np.searchsorted(other.hashes, passages, sorter=order)]
    ends = code.token_lines[edges - (0, 1)]
    theirs = other.token_lines[other.starts[places]]
    marks: list[Mark] = []
    for (first, last), there in zip(ends.tolist(), theirs.tolist(), strict=True):
        if marks and first <= marks[-1].last:
            marks[-1] = replace(marks[-1], last=last)
        else:
            marks.append(Mark(first, last, there))
    return PairSide(
        name=code.name,
        share=float(covered.sum() / max(1, own.sum())),
        lines=len(np.unique(code.token_lines[covered])),
        marks=tuple(marks),
    )


def _edges(covered: NDArray[np.bool_]) -> Ints:
    return np.flatnonzero(np.diff(covered, prepend=False, append=False)).reshape(-1, 2)


def _covered(code: SourceCode, which: Any) -> NDArray[np.bool_]:
    changes = np.zeros(len(code.token_lines) + 1, dtype=np.int64)
    np.add.at(changes, code.starts[which], 1)
    np.add.at(changes, code.starts[which] + LENGTH, -1)
    return changes.cumsum()[:-1] > 0


def groups_of(edges: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Return the groups of names that edges connect, the largest first."""
    group_of: dict[str, list[str]] = {}
    for one, other in edges:
        together = group_of.setdefault(one, [one])
        joined = group_of.setdefault(other, [other])
        if together is not joined:
            together += joined
            group_of |= dict.fromkeys(joined, together)
    groups = {id(group): tuple(sorted(group)) for group in group_of.values()}
    return sorted(groups.values(), key=lambda group: (-len(group), group))
