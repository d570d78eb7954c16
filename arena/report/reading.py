"""Sentences on how a bot reads the board, and on the position that shows it."""

from __future__ import annotations

from collections.abc import Iterator

from arena.check.examine import Examination
from arena.check.readings import Reading, ReadingFit
from arena.common.text import counted
from arena.interfaces import INTERFACES, EntryPoint, interface_of
from arena.interfaces.described import Described
from arena.interfaces.description import Description

# What a bot seems to do that misreads the board, and the column that it then plays.
MISREAD = {
    Reading.EXCHANGED: ("to take its opponent's discs for its own", "where its OPPONENT can win"),
    Reading.UPSIDE_DOWN: (
        "to see the board upside down",
        "the best column of the board upside down",
    ),
    Reading.MIRRORED: ("to exchange left and right", "the mirror image of the best column"),
    Reading.TOO_FAR_RIGHT: ("to count columns from 1", "one to the right of the best column"),
    Reading.TOO_FAR_LEFT: ("to count columns from 0", "one to the left of the best column"),
}
# Bots that read the board rightly, but play so too.
ALSO = {
    Reading.EXCHANGED: ("(So does a bot that prevents lines before it makes its own.)",),
    Reading.UPSIDE_DOWN: ("(So does a bot that only looks for empty columns.)",),
}


def description_of(point: EntryPoint) -> Description | None:
    """Return the description of a course's or instructor's interface, or None."""
    interface = interface_of(point) if point.description else None
    return interface.description if isinstance(interface, Described) else None


def misreading(shown: Examination, point: EntryPoint) -> list[str]:
    """Return sentences: how a bot misreads the board, what to change, the evidence.

    Empty if it does not. Of bots without a description, only left and right are looked at: they
    may have another reason to play so.
    """
    found, described = shown.reading, description_of(point)
    kinds = MISREAD if described else {Reading.MIRRORED}
    if found is None or found.reading not in kinds:
        return []
    seems, played = MISREAD[found.reading]
    seat = "" if found.seat is None else f" as player {found.seat + 1}"
    is_own = described is not None and (described.explain or point.interface not in INTERFACES)
    return [
        f"it seems {seems}{seat}.",
        *([_advice(found, described)] if described and is_own else []),
        f"In {found.hits} of {counted(found.positions, 'position')} it plays {played}, "
        f"in {found.right} the best column.",
        *ALSO.get(found.reading, ()),
    ]


def reading_lines(shown: Examination, point: EntryPoint) -> list[str]:
    """Return sentences on how a bot reads the board; none without a description."""
    found = shown.reading
    if wrong := misreading(shown, point):
        return [f"**WARNING: {wrong[0]}**", *wrong[1:]]
    if description_of(point) is None:
        return []
    if found is not None:
        return [
            "It reads the board rightly.",
            f"In {found.hits} of {found.positions} positions it plays the only column that makes "
            "a line or prevents one.",
        ]
    if not any(situation.columns for situation, _ in shown.positions):
        return ["No position was tried, so whether it reads the board rightly is unknown."]
    return [
        "Whether it reads the board rightly is unknown.",
        "Where it can make or prevent a line, its moves fit no reading. Perhaps it is a weak bot.",
    ]


def _advice(found: ReadingFit, described: Description) -> str:
    """Return what to change in the description."""
    has_own = described.board.own is not None
    match found.reading:
        case Reading.EXCHANGED if found.seat is not None:
            now, then = "`first` and `second`", "`own` and `other`"
            if has_own:
                now, then = then, now
            return f"In [board], give {then} in place of {now}."
        case Reading.EXCHANGED:
            what = (
                "`own` and `other` in [board]"
                if has_own
                else "`first` and `second` in [side] if the bot is told its side, else in [board]"
            )
            return f"Exchange {what}."
        case Reading.UPSIDE_DOWN:
            return f"Set `top = {str(not described.board.top).lower()}` in [board]."
        case Reading.TOO_FAR_RIGHT if described.move.base == 0:
            return "Set `base = 1` in [move]."
        case Reading.TOO_FAR_LEFT if described.move.base == 1:
            return "Set `base = 0` in [move]."
    return "No key of a description changes that."


def explains(shown: Examination, point: EntryPoint) -> bool:
    """Return whether the first position's output explains how the bot got it."""
    described = description_of(point)
    return described is not None and described.explain and bool(shown.positions)


def first_position(shown: Examination) -> Iterator[str]:
    """Yield sentences on the first position and the bot's move there."""
    situation, trial = shown.positions[0]
    if situation.columns:
        yield f"Here {situation.what}, in column {situation.columns[Reading.RIGHT]}."
    for column in trial.answers[:1]:
        fits = [each for each, best in situation.columns.items() if best == column]
        played = [MISREAD[each][1] for each in fits if each is not Reading.RIGHT]
        yield ", ".join((f"It played column {column}", *played)) + "."
    yield "Columns count from 0 on the left."
