"""A bot that its author has asked again, in words: the same answers, or the first other one."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from arena.contest.rerun import Difference, own_difference
from arena.intake import Submission
from arena.quoting import one_line, plain_lines
from arena.referee import GameRecord
from arena.report.own_terms import OwnTerms
from arena.report.replayed import OUTPUT_WIDTH
from arena.report.rerun import NOT_DETERMINISTIC, difference_lines, plain_difference
from arena.report.shown import ShownGame
from arena.rules import MARKS


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAgain:
    """A game in which one bot was asked again, with its opponent's moves from the record."""

    shown: ShownGame
    """The game."""

    seat: int
    """The seat of the bot that was asked."""

    again: GameRecord
    """What it played now, with the last that it printed."""

    difference: Difference | None
    """Its first answer that differs; None if none does."""

    once_more: GameRecord | None
    """What it played when it was asked once more, as an answer differs; else None."""

    @property
    def is_own_fault(self) -> bool:
        """True if the game was lost by a fault of this bot."""
        record = self.shown.record
        return record.verdict.is_fault and record.loser == self.seat

    @property
    def repeats_itself(self) -> bool:
        """True if the bot gives the same answers now whenever it is asked."""
        if self.once_more is None:
            return True
        return own_difference(self.again, self.once_more, self.seat) is None

    def lines(self) -> Iterator[str]:
        """Yield the page, line by line."""
        shown, record = self.shown, self.shown.record
        names = one_line(shown.names[0]), one_line(shown.names[1])
        one, other = (f"{name} ({mark})" for name, mark in zip(names, MARKS, strict=True))
        bot = names[self.seat]
        yield f"Game {shown.number}: {one} against {other}; {bot} is asked again"
        yield f"{shown.rules}; the opponent's moves are those of the record"
        yield ""
        if self.difference is None:
            yield self._same(bot)
        else:
            if self.is_own_fault:
                yield f"The fault does not come again as it was: then {bot} {record.reason}."
            yield from difference_lines(names, shown.rules, record, self.difference, ())
            yield ""
            yield self._why(bot)
        if self.again.output.strip():
            printed = plain_lines(self.again.output, OUTPUT_WIDTH)
            yield from ("", f"The last that {bot} printed:", *printed)

    def _same(self, bot: str) -> str:
        """Return a sentence about answers that are all the same."""
        if self.is_own_fault:
            return f"The fault comes again: {bot} {one_line(self.again.reason)}."
        seats = map(self.shown.record.seat_of_answer, range(len(self.shown.record.charged_ns)))
        return f"{bot} gives the same answers again, all {sum(s == self.seat for s in seats)}."

    def _why(self, bot: str) -> str:
        """Return a sentence about why an answer differs."""
        if not self.repeats_itself:
            return NOT_DETERMINISTIC.format(bot=bot)
        return (
            f"{bot} gives this answer each time now: it is not the bot that played then, or it "
            "depends on this machine, as on its speed or on its version of numpy."
        )

    def plain(self) -> dict[str, Any]:
        """Return what was found as plain data, for JSON."""
        return {
            "game": self.shown.number,
            "bot": self.shown.names[self.seat],
            "repeats": self.difference is None,
            "deterministic": self.repeats_itself,
            "verdict": self.again.verdict.name if self.again.loser == self.seat else None,
            "reason": self.again.reason if self.again.loser == self.seat else "",
            "difference": None
            if self.difference is None
            else plain_difference(self.difference, ()),
            "output": self.again.output,
        }


def unlike(terms: OwnTerms, submission: Submission, word: str) -> Iterator[str]:
    """Yield a sentence for each thing that is not as it was when the bot played."""
    alike = {submission.content_hash, submission.likeness} - {""}
    if alike.isdisjoint((terms.content_hash, terms.likeness)):
        yield f"{word} is not what was handed in, or has other names; it is asked as it is now"
    here = (
        ("Python", terms.python, platform.python_version()),
        ("numpy", terms.numpy, version("numpy")),
    )
    for what, then, now in here:
        if then and then != now:
            yield f"the bot played with {what} {then}, and here is {now}"
