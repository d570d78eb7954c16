"""The search function of a submission, as far as its sources tell."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from arena.errors import GarbledError, NoSuchFunctionError, UnreadableError
from arena.host.counters import find_counters
from arena.host.meter import find_search
from arena.intake.entry_search import MAX_NAME
from arena.intake.submission import MAX_ITEMS, MAX_SENTENCE, Submission
from arena.intake.trees import of_trees
from arena.intake.validation import text, texts


def search_of(
    submission: Submission, moves: Sequence[str], named: str | None
) -> tuple[str, bool, tuple[str, ...], str]:
    """The search function in words, whether its calls are counted, and the bot's own counters.

    The last value says why they may not be the whole search, if there is a reason.
    `moves` are methods in which a move starts, `named` the function that the contest file names.
    """
    place = submission.entry_point.file, submission.entry_point.name
    try:
        match of_trees(submission, search_in, *place, list(moves), named):
            case [words, bool(counted), counters, bool(), doubt]:
                names = texts(counters, MAX_ITEMS, MAX_NAME)
                return text(words, MAX_SENTENCE), counted, names, text(doubt, MAX_SENTENCE)
        raise GarbledError
    except UnreadableError as error:
        return str(error), False, (), ""


def wrong_search(submission: Submission, moves: Sequence[str], named: str) -> str | None:
    """Return why a bot has no search function of the name that the contest file says, or None."""
    place = submission.entry_point.file, submission.entry_point.name
    try:
        match of_trees(submission, search_in, *place, list(moves), named):
            case [words, bool(), _, bool(is_there), _]:
                return None if is_there else text(words, MAX_SENTENCE)
    except UnreadableError:
        pass  # which keeps the bot from being loaded, and is said where it is
    return None


def search_in(
    trees: Mapping[str, ast.Module], file: str, entry: str, moves: Sequence[str], named: str | None
) -> list[Any]:
    """Return [words, whether its calls are counted, counters, if a named one is there, doubt]."""
    try:
        search = find_search(trees, file, entry, moves, named)
    except NoSuchFunctionError as error:
        return [str(error), False, [], False, ""]
    found = find_counters(trees, file, entry, moves, search)
    counters = sorted({name for names in found.values() for name in names})
    return [str(search), search.counts, counters, True, search.doubt if search.counts else ""]
