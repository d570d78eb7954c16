"""The values that Arena chooses for a bot's constructor where nobody else did."""

from __future__ import annotations

from collections.abc import Mapping

from arena.intake.options import options_taken
from arena.intake.submission import Submission
from arena.interfaces import make_move, next_move, one_move, pick_move
from arena.interfaces.binding import plain

CHOSEN: Mapping[str, Mapping[tuple[str, ...], object]] = {
    next_move.NAME: {
        next_move.TIEBREAK: next_move.DEFAULT_TIEBREAK,
        next_move.LOOKAHEAD: next_move.DEFAULT_LOOKAHEAD,
    },
    make_move.NAME: {
        make_move.DEPTH: make_move.DEFAULT_DEPTH,
        make_move.HEURISTICS: "its own, else the course's",
    },
    one_move.NAME: {(one_move.DEPTH,): one_move.DEFAULT_DEPTH},
}
"""What each interface gives to parameters, by the names that they go by."""


def chosen_values(submission: Submission, options: Mapping[str, object]) -> dict[str, object]:
    """The values that Arena gives to the bot's parameters, by their names as its author wrote them.

    None are those that `options`, the contest file's, say; nor any where the sources do not tell.
    """
    parameters = options_taken(submission) or []
    stated = {plain(option) for option in options}
    if submission.entry_point.interface == pick_move.NAME:
        second = parameters[1:2]
        return {name: pick_move.DEFAULT_LEVEL for name in second if plain(name) not in stated}
    by_name = {
        name: value
        for names, value in CHOSEN.get(submission.entry_point.interface, {}).items()
        for name in names
        if not stated & set(names)
    }
    return {name: by_name[plain(name)] for name in parameters if plain(name) in by_name}
