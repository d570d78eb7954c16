"""Rows of alike pairs, and the page and the CSV file that show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import cos, pi, sin
from typing import NamedTuple

from markupsafe import Markup

from arena.common.text import harmless_csv, plain_lines
from arena.report.html.shell import templates
from arena.similar.pairs import CommonCode, PairSide, SourcePair, groups_of
from arena.similar.play import PlayPair, honest_surprise
from arena.similar.submissions import SourceCode

CSV_COLUMNS = (
    *("one", "other", "share_of_one", "share_of_other", "lines"),
    *("positions", "equal", "expected", "surprise"),
)
MAX_SHOWN = 100  # Pairs whose sources the page shows.
MAX_ROWS = 1000  # Pairs in the page's table.
MAX_GROUP, LEAST_JOINED = 25, (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
MAX_LINES, MAX_WIDTH = 2000, 200  # Of a source in the page.
MAX_PLAIN = 100  # Lines shown before a marked part and after it.
STYLES = (
    *("report/html/vendor/pico.css", "report/html/assets/arena.css"),
    "similar/assets/likeness.css",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlikePair:
    """Two submissions that are alike by their sources, by their play, or by both."""

    one: str
    other: str
    source: SourcePair | None = None
    play: PlayPair | None = None

    @property
    def values(self) -> tuple[object, ...]:
        """The values of CSV_COLUMNS."""
        found: list[object] = [None] * 3
        if (pair := self.source) is not None:
            found = [pair.one.share, pair.other.share, pair.lines]
        found += [getattr(self.play, name, None) for name in CSV_COLUMNS[5:]]
        rounded = (round(each, 3) if isinstance(each, float) else each for each in found)
        return (self.one, self.other, *rounded)


def alike_pairs(sources: Sequence[SourcePair], plays: Sequence[PlayPair]) -> list[AlikePair]:
    """Return a row for each pair of submissions, most alike first.

    Pairs with unlike sources follow if their surprise is above `honest_surprise`.
    """
    of_pair = {frozenset((play.one, play.other)): play for play in plays}
    rows = []
    for pair in sources:
        names = pair.one.name, pair.other.name
        play = of_pair.pop(frozenset(names), None)
        rows.append(AlikePair(one=names[0], other=names[1], source=pair, play=play))
    enough = honest_surprise(len(plays))
    rows += [
        AlikePair(one=play.one, other=play.other, play=play)
        for play in of_pair.values()
        if play.surprise > enough
    ]
    return rows


def pairs_csv(pairs: Iterable[AlikePair]) -> str:
    return harmless_csv(CSV_COLUMNS, (pair.values for pair in pairs))


def likeness_page(
    title: str,
    pairs: Sequence[AlikePair],
    codes: Mapping[str, SourceCode],
    common: Sequence[CommonCode],
    remarks: Sequence[str],
    plays: int,
) -> str:
    """Return the page, which has no script and loads nothing.

    `codes` has the compared submissions, by name; `common` is code that many share; `plays` is the
    number of pairs whose play was compared.
    """
    styles = [files("arena").joinpath(name).read_text(encoding="utf-8") for name in STYLES]
    joined, graphs = drawn_groups(pairs)
    shown = [pair.source for pair in pairs[:MAX_SHOWN] if pair.source]
    template = templates("arena.similar").get_template("likeness.html.jinja")
    return template.render(
        title=title,
        styles=map(Markup, styles),
        pairs=pairs[:MAX_ROWS],
        more=max(0, len(pairs) - MAX_ROWS),
        shown=[
            (pair, _parts(codes, pair.one, pair.other), _parts(codes, pair.other, pair.one))
            for pair in shown
        ],
        graphs=graphs,
        joined=joined,
        compared=len(codes),
        common=[(each, "\n".join(plain_lines(each.text, MAX_WIDTH))) for each in common],
        remarks=remarks,
        plays=plays,
        honest=honest_surprise(plays),
    )


class SourcePart(NamedTuple):
    """Lines of a source; the other source has all or none of them."""

    first: int
    text: str
    there: int | None = None
    """First line of the equal part in the other source; None if it has none."""


def _parts(codes: Mapping[str, SourceCode], own: PairSide, other: PairSide) -> Iterator[SourcePart]:
    code = codes[own.name]
    headings = {first: f"— {name}\n" for first, name in code.parts}
    lines = [
        f"{headings.get(number, '')}{number:4}  {''.join(plain_lines(line, MAX_WIDTH))[:MAX_WIDTH]}"
        for number, line in enumerate(code.lines, 1)
    ]
    begins = {line: each.first for each in other.marks for line in range(each.first, each.last + 1)}
    marks = [(mark.first, mark.last, begins.get(mark.there)) for mark in own.marks]
    after, left = 1, MAX_LINES
    for first, last, there in (*marks, (len(lines) + 1, len(lines), None)):
        before, marked = _shortened(lines[after - 1 : first - 1]), lines[first - 1 : last]
        for start, part, link in ((after, before, None), (first, marked, there)):
            if part[:left]:
                yield SourcePart(start, "\n".join(part[:left]), link)
            left -= min(left, len(part))
        after = last + 1
    if not left:
        yield SourcePart(after, "… more lines")


def _shortened(lines: list[str]) -> list[str]:
    """Return unmarked lines; if they are many, without the middle ones."""
    more = len(lines) - 2 * MAX_PLAIN
    if more <= 1:
        return lines
    return [*lines[:MAX_PLAIN], f"… {more:,} more lines", *lines[-MAX_PLAIN:]]


class GroupDrawing(NamedTuple):
    """A group on a circle; lengths are in pixels."""

    names: tuple[str, ...]
    width: int
    height: int
    points: list[tuple[float, float]]
    lines: list[tuple[tuple[float, float], tuple[float, float], AlikePair]]


def drawn_groups(pairs: Sequence[AlikePair]) -> tuple[float, list[GroupDrawing]]:
    """Return the least share that joins a pair, and the groups of joined pairs.

    The share is raised until no group has more than MAX_GROUP members.
    """
    for least in (0.0, *LEAST_JOINED):
        edges = [
            pair for pair in pairs if not least or (pair.source and pair.source.share >= least)
        ]
        groups = groups_of((pair.one, pair.other) for pair in edges)
        if not groups or len(groups[0]) <= MAX_GROUP:
            break
    return least, [graph(group, edges) for group in groups]


def graph(names: tuple[str, ...], pairs: Iterable[AlikePair]) -> GroupDrawing:
    radius = 40 + 6 * len(names)
    width, height = 2 * (radius + 140), 2 * (radius + 30)
    angles = [2 * pi * place / len(names) for place in range(len(names))]
    points = [
        (round(width / 2 + radius * sin(a), 1), round(height / 2 - radius * cos(a), 1))
        for a in angles
    ]
    place = dict(zip(names, points, strict=True))
    lines = [(place[p.one], place[p.other], p) for p in pairs if p.one in place]
    return GroupDrawing(names, width, height, points, lines)
