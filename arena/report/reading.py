"""Sentences on how a bot reads the board, and on the position that shows it."""

from __future__ import annotations

from collections.abc import Iterator

from arena.common.text import counted
from arena.interfaces import INTERFACES, EntryPoint, interface_of
from arena.interfaces.described import Described
from arena.interfaces.description import BoardKind, Description, Role, roles_in
from arena.trials.examine import Examination
from arena.trials.readings import Reading, ReadingFit

# By misreading: what the bot seems to do, and the column that it then plays.
MISREAD = {
    Reading.EXCHANGED: ("to take its opponent's discs for its own", "where its OPPONENT can win"),
    Reading.UPSIDE_DOWN: ("to see the board upside down", "the best column once rows are turned"),
    Reading.MIRRORED: ("to exchange left and right", "the mirror image of the best column"),
    Reading.TOO_FAR_RIGHT: ("to count columns from 1", "one to the right of the best column"),
    Reading.TOO_FAR_LEFT: ("to count columns from 0", "one to the left of the best column"),
}
BOARDS = {Role.BOARD, Role.OWN_BITS, Role.OPPONENT_BITS, Role.ALL_BITS}  # Made as [board] says.
SIDES = {Role.SIDE, Role.OPPONENT}
ALSO = "(So does a bot that prevents lines before it makes its own.)"


def description_of(point: EntryPoint) -> Description | None:
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
    return [
        f"it seems {seems}{seat}.",
        *([_advice(found, described)] if described and _is_own(described, point) else []),
        f"In {found.hits} of {counted(found.positions, 'position')} it plays {played}, "
        f"in {found.right} the best column.",
        *([ALSO] if found.reading is Reading.EXCHANGED else []),
    ]


def reading_lines(shown: Examination, point: EntryPoint) -> list[str]:
    if wrong := misreading(shown, point):
        return [f"**WARNING: {wrong[0]}**", *wrong[1:]]
    if (described := description_of(point)) is None:
        return []
    best, count = shown.right, sum(bool(situation.columns) for situation, _ in shown.positions)
    if not count:
        return ["No position was tried, so whether it reads the board rightly is unknown."]
    if shown.reading is not None:
        return [
            "It reads the board rightly.",
            f"In {best} of {counted(count, 'position')} it plays the only column that "
            "makes a line or prevents one.",
        ]
    lines = [
        "Whether it reads the board rightly is unknown: a bot that looks one disc ahead gets "
        f"{count} of {counted(count, 'position')} right, this one {best}."
    ]
    return [*lines, *([_comparison(described)] if _is_own(described, point) else [])]


def _is_own(described: Description, point: EntryPoint) -> bool:
    return described.explain or point.interface not in INTERFACES


def _advice(found: ReadingFit, described: Description) -> str:
    board, base, roles = described.board, described.move.base, roles_in(described)
    pairs, has_own = ("`first` and `second`", "`own` and `other`"), board.own is not None
    is_told = bool(roles & SIDES)
    match found.reading:
        case Reading.EXCHANGED if found.seat is not None and Role.BOARD in roles:
            return f"In [board], give {pairs[not has_own]} in place of {pairs[has_own]}."
        case Reading.EXCHANGED if found.seat is None and (is_told or Role.BOARD in roles):
            where = "[side]" if is_told and not has_own else "[board]"
            return f"Exchange {pairs[has_own]} in {where}."
        case Reading.UPSIDE_DOWN if roles & BOARDS and board.form is not BoardKind.STACKS:
            return f"Set `top = {str(not board.top).lower()}` in [board]."
        case Reading.TOO_FAR_RIGHT | Reading.TOO_FAR_LEFT if not described.move.letters:
            if (found.reading is Reading.TOO_FAR_LEFT) == base:
                return f"Set `base = {1 - base}` in [move]."
    return _comparison(described)


def _comparison(described: Description) -> str:
    roles, move = roles_in(described), described.move
    base = ", `base`" if described.board.form is BoardKind.CELLS else ""
    is_shown = roles & (BOARDS | {Role.OBJECT, Role.MOVES, Role.COLUMN})
    keys = {
        f"`top`, `by_columns`{base} and the discs in [board]": roles & BOARDS,
        "[object]": described.object,
        "[side]": roles & SIDES,
        "`tell` and `tell_own` in [move]": move.tell or move.tell_own or not is_shown,
        "`base` in [move]": True,
    }
    used = ", ".join(key for key, is_used in keys.items() if is_used)
    return f"Compare how it sees the board with {used}, and all `arguments`."


def explains(shown: Examination, point: EntryPoint) -> bool:
    described = description_of(point)
    return described is not None and described.explain and bool(shown.positions)


def first_position(shown: Examination) -> Iterator[str]:
    situation, trial = shown.positions[0]
    if situation.columns:
        yield f"Here {situation.what}, in column {situation.columns[Reading.RIGHT]}."
    for column in trial.answers[:1]:
        fits = [each for each, best in situation.columns.items() if best == column]
        played = [MISREAD[each][1] for each in fits if each is not Reading.RIGHT]
        yield ", ".join((f"It played column {column}", *played)) + "."
    yield "Columns count from 0 on the left."
