"""Submissions that are the same, for the instructor; why they are, their files do not tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256

from arena.errors import UnreadableError
from arena.intake.folders import QUIET
from arena.intake.submission import Submission
from arena.naming import SOURCES
from arena.numbers import some
from arena.quoting import one_line

NAMED = 10
"""Names in a line; the others are counted."""

SAME = "the same files"
ALIKE = "the same but for comments, layout and names"


def duplicates(submissions: Iterable[Submission]) -> list[str]:
    """A line for each group of bots that are the same, or the same but for what says nothing."""
    bots = list(submissions)
    same = _groups({bot.name: _sources(_digests(bot)) for bot in bots})
    known = {name: group[0] for group in same for name in group}
    alike = _groups({bot.name: bot.likeness for bot in bots})
    alike = [group for group in alike if len({known.get(name, name) for name in group}) > 1]
    return [*_lines(SAME, same), *_lines(ALIKE, alike)]


def same_files(digests: Mapping[str, Mapping[str, str]]) -> list[str]:
    """A line for each group of bots with the same sources, by digests of the files of each."""
    return _lines(SAME, _groups({name: _sources(files) for name, files in digests.items()}))


def _digests(bot: Submission) -> dict[str, str]:
    """Digests of a bot's files by name; nothing if they cannot be read."""
    try:
        return {name: sha256(data).hexdigest() for name, data in bot.contents.all()}
    except (OSError, UnreadableError):
        return {}


def _sources(digests: Mapping[str, str]) -> str:
    """Return a value that is the same for the same sources, whatever the files are called."""
    sources = [name for name in digests if name.endswith(SOURCES)]
    others = [name for name in digests if not name.endswith(QUIET)]
    return " ".join(sorted(digests[name] for name in sources or others))


def _groups(marks: Mapping[str, str]) -> list[list[str]]:
    """Names with the same mark, where there are several."""
    groups: dict[str, list[str]] = {}
    for name, mark in marks.items():
        if mark:
            groups.setdefault(mark, []).append(name)
    return [names for names in groups.values() if len(names) > 1]


def _lines(what: str, groups: Iterable[list[str]]) -> list[str]:
    return [one_line(f"{what}: {some(names, NAMED)}", 1000) for names in groups]
