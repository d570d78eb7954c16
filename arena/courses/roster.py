"""Find the bots at the paths of a command line: the contest's `Roster`.

Also finds equal submissions; their files do not show why they are equal.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from arena.common.errors import (
    InputError,
    InternalError,
    ReaderDiedError,
    UnreadableError,
    reading,
)
from arena.common.names import (
    HOUSE,
    PLAYERS,
    SOURCES,
    hint_for,
    hint_for_path,
    is_any_archive,
    is_archive,
    is_source,
    numbered,
    plain_name,
)
from arena.common.system import available_cores
from arena.common.text import counted, one_line, quote, some_of
from arena.courses.systems import guess_export
from arena.intake.collected import COLLECTED, folders_named
from arena.intake.confined import EXPORT, confined, texts
from arena.intake.files import IGNORED, MAX_PATH, is_text, walk
from arena.intake.folders import (
    A_CONTEST,
    QUIET,
    FolderReading,
    arena_folder,
    hides_bot,
    holds_several,
    only_archive,
    read_folder,
)
from arena.intake.house_players import demo_bots, house_player, house_submissions
from arena.intake.programs import HEAD_BYTES, is_program
from arena.intake.submission import NAMED, Submission, read_submission
from arena.interfaces import NO_DESCRIPTIONS, Descriptions

A_BOT = "a .py file, a notebook, an archive (.zip, .tar.gz), or a folder with one"  # For messages.
NO_BOT = "a folder without a bot"
NOT_UTF_8 = "its name is not valid UTF-8"

# Readings that do not depend on the files.
ONE = FolderReading(is_one=True, why="--one-bot", is_plain=True)
SEVERAL = FolderReading(is_one=False, why="it was collected", is_plain=True)
MOST_LEFT_OUT = 20  # Files and folders without a bot that are listed; the others are counted.
MAX_COLLECTED = 200_000  # Folders collected from one export.


@dataclass(frozen=True, slots=True)
class Roster:
    """The bots that play, and the files left out."""

    submissions: tuple[Submission, ...]
    ignored: tuple[str, ...]
    """Files and folders without a bot, as `path (why)`."""

    house: tuple[Submission, ...] = ()
    readings: tuple[str, ...] = ()

    def remarks(self) -> Iterator[str]:
        yield from self.readings
        for ignored in self.ignored[:MOST_LEFT_OUT]:
            yield f"left out: {ignored}"
        if more := len(self.ignored[MOST_LEFT_OUT:]):
            yield f"left out: {more:,} more that {'is no bot' if more == 1 else 'are no bots'}"


def find_submission(
    word: str, own: Descriptions = NO_DESCRIPTIONS, *, one_bot: bool = False
) -> Submission:
    """Return the bot at a path or with a name of Arena's. Raises InputError."""
    if word in PLAYERS and not os.path.lexists(word):
        return house_player(word)
    if not word.strip():
        raise InputError(f"an empty name: expected {A_BOT}, or a name of Arena's bots")
    path = _existing(Path(word))
    if not (one_bot or _is_collected(path)):
        if path.is_dir() and not _holds_source(path):
            raise InputError(f"{path}: {NO_BOT}; a bot is {A_BOT}")
        _refuse_export(path)
        if path.is_dir() and not (reading := _reading(path, {}, own)).is_one:
            bots = [child for child, why in _inside(path, reading) if why is None]
            raise InputError(
                f"{path}: read as a folder of {counted(len(bots), 'bot')}, because {reading.why}; "
                f"name one of them, like {quote(str(bots[0]))}, or add --one-bot "
                "(one_bot=True in Python)"
            )
    submission = _or_house(_read(path, own))
    return replace(submission, name=plain_name(submission.name) or "bot")


def find_roster(
    paths: Iterable[Path],
    known: Mapping[str, str] | None = None,
    *,
    own: Descriptions = NO_DESCRIPTIONS,
    one_bot: bool = False,
    several: bool = False,
) -> Roster:
    """Return every bot at the paths: bots, folders of bots, names of Arena's bots.

    `known` maps a contest's sources to names; these names and the readings of folders stay. A
    folder collected from an export is one submission. `one_bot` makes every folder one bot;
    `several` makes each a folder of bots, so that nobody's file changes how others are read. Raises
    InputError.
    """
    found = _RosterSearch(known or {}, own, one_bot=one_bot, several=several)
    paths = list(paths)
    for path in paths:
        found.add(path, alone=len(paths) == 1)
    return found.roster()


class _RosterSearch:
    def __init__(
        self, known: Mapping[str, str], own: Descriptions, *, one_bot: bool, several: bool
    ) -> None:
        self._known = known
        self._own = own
        self._one_bot = one_bot
        self._several = several
        self._bots: dict[Path, Path] = {}
        self._house: dict[str, Submission] = {}
        self._ignored: list[str] = []
        self._readings: list[str] = []
        self._collected: dict[Path, set[str]] = {}

    def roster(self) -> Roster:
        return Roster(
            submissions=tuple(
                map(_or_house, _named(_all(self._bots.values(), self._own), self._known))
            ),
            ignored=tuple(self._ignored),
            house=tuple(self._house.values()),
            readings=tuple(self._readings),
        )

    def add(self, path: Path, *, alone: bool) -> None:
        """Add the bots at a path. Raises InputError.

        A path without a bot is an error only if it is `alone`, as a shell expands `*` to all files.
        """
        exists = os.path.lexists(path)
        if str(path) in PLAYERS and not exists:
            self._house[str(path)] = house_player(str(path))
            return
        if exists and not alone and not is_text(path.name):
            self._ignore(path, NOT_UTF_8)
            return
        path = _existing(path)
        if not alone and arena_folder(path) == A_CONTEST:
            self._ignore(path, A_CONTEST)
        elif path.is_dir():
            self._add_folder(path)
        elif _is_bot_file(path.name) and path.name != "__init__.py":
            if not self._one_bot:
                _refuse_export(path)
            self._bots.setdefault(path.resolve(), path)
        elif alone:
            raise InputError(f"{path}: not a bot; a bot is {A_BOT}")
        else:
            self._ignore(path, _why_not(path))

    def _add_folder(self, folder: Path) -> None:
        if self._is_collected(folder) and not self._several:
            self._bots.setdefault(folder.resolve(), folder)
            return
        collected = _collected(folder)
        if not collected:
            if not self._one_bot:
                _refuse_export(folder)
            if not _holds_source(folder):
                self._ignore(folder, NO_BOT if folder.name not in IGNORED else None)
                return
        reading = SEVERAL if collected or self._several else ONE if self._one_bot else None
        reading = reading or _reading(folder, self._known, self._own)
        children = [] if reading.is_one else list(_inside(folder, reading))
        bots = [
            child
            for child, why in children
            if why is None or (child.name in collected and why in (NO_BOT, arena_folder(child)))
        ]
        for path in [folder] if reading.is_one else bots:
            self._bots.setdefault(path.resolve(), path)
        for child, why in children:
            if child not in bots:
                self._ignore(child, why)
        if not reading.is_plain:
            self._readings.append(one_line(_reading_remark(folder, reading, len(bots))))

    def _is_collected(self, folder: Path) -> bool:
        around = folder.absolute().parent
        if around not in self._collected:
            self._collected[around] = _collected(around)
        return folder.name in self._collected[around]

    def _ignore(self, path: Path, why: str | None) -> None:
        if why:
            self._ignored.append(one_line(f"{path} ({why})"))


def _reading(folder: Path, known: Mapping[str, str], own: Descriptions) -> FolderReading:
    if str(folder) in known:
        return ONE
    with reading(folder):
        found = read_folder(folder, own)
    here = folder / found.below
    if sum(Path(source).parent == here for source in known) > 1:
        return replace(found, is_one=False, is_plain=True)
    return found


def _reading_remark(folder: Path, reading: FolderReading, bots: int) -> str:
    if reading.is_one:
        each = f"name {quote(str(folder / reading.below))}/*"
        how = f"read as one bot, because {reading.why}"
        return f"{folder}: {how}; to read each file as a bot, {each}"
    otherwise = "if it is one bot, add --one-bot"
    held = counted(bots, "bot")
    return f"{folder}: read as a folder of {held}, because {reading.why}; {otherwise}"


def _inside(folder: Path, reading: FolderReading) -> Iterator[tuple[Path, str | None]]:
    for child in sorted((folder / reading.below).iterdir()):
        is_helper = child.name in reading.helpers
        yield child, "a module of the bots beside it" if is_helper else _why_not(child)


def _existing(path: Path) -> Path:
    if os.path.exists(path):
        if not (path.is_file() or path.is_dir()):
            raise InputError(f"{path}: neither a file nor a folder")
        if not is_text(path.name):
            raise InputError(f"{path}: {NOT_UTF_8}; rename it")
        return path if path.name not in ("", "..") else path.resolve()
    demos = demo_bots()
    if str(path) not in demos:
        known = f"house players: {', '.join(PLAYERS)}; demo bots: {', '.join(demos)}"
        hint = hint_for(str(path), (*PLAYERS, *demos), "") or hint_for_path(path, known)
        raise InputError(f"{path}: no such file or folder ({hint})")
    return demos[str(path)]


def _refuse_export(path: Path) -> None:
    if arena_folder(path) == A_CONTEST:
        raise InputError(f"{path}: {A_CONTEST}, not a bot; arena resume plays its contest")
    if (found := export_at(path)) is not None:
        export, what = found
        first = f"arena collect {quote(str(export))} --into DIR"
        raise InputError(f"{export} looks like {what}; first: {first}")


def export_at(path: Path) -> tuple[Path, str] | None:
    """Return the export of a class at a path and what it is, or None.

    Raises InputError.
    """
    with reading(path):
        packed = only_archive(path) if path.is_dir() else path if is_archive(path.name) else None
    what = guess_export(packed or path)
    with suppress(OSError, UnreadableError):  # reading it reports why it cannot be opened
        if what is None and packed and holds_several(packed):
            what = "the submissions of a whole class"
    return None if what is None else (packed or path, what)


def _collected(folder: Path) -> set[str]:
    marker = folder / COLLECTED
    if not marker.is_file():
        return set()
    try:
        found = confined(folders_named, str(marker.absolute()), readable=[marker], limits=EXPORT)
        return set(texts(found, MAX_COLLECTED, MAX_PATH))
    except (OSError, UnreadableError):
        return set()  # the marker cannot be read


def _is_collected(path: Path) -> bool:
    return path.is_dir() and path.name in _collected(path.absolute().parent)


def _why_not(path: Path) -> str | None:
    """Return why a path is no bot: None if it is one, empty if obvious."""
    if path.name.startswith("._") or path.name in (*IGNORED, "__init__.py"):
        return ""
    if path.name.startswith("."):
        return "hidden" if hides_bot(path) else ""
    if not is_text(path.name):
        return NOT_UTF_8
    if path.is_symlink():
        return "a symbolic link"
    if path.is_dir():
        return arena_folder(path) or (None if _holds_source(path) else NO_BOT)
    if _is_bot_file(path.name):
        return None if path.is_file() else "not a regular file"
    return "" if path.suffix in QUIET or path.name.startswith("LICENSE") else "not a bot"


def _is_bot_file(name: str) -> bool:
    return is_source(name) or is_any_archive(name)


def _holds_source(folder: Path) -> bool:
    try:
        for name in walk(folder):
            if _is_bot_file(name):
                return True
            with (folder / name).open("rb") as file:
                if is_program(Path(name).name, file.read(HEAD_BYTES)):
                    return True
    except (UnreadableError, OSError):
        return True
    return False


def _all(paths: Collection[Path], own: Descriptions) -> list[Submission]:
    # a separate process reads each one, and a thread waits for it
    with ThreadPoolExecutor(len(available_cores())) as readers:
        reading = [readers.submit(_read, path, own) for path in paths]
        try:
            return [each.result() for each in reading]
        except (ReaderDiedError, InternalError) as error:
            # a dead reader cannot read the others either; faults in Arena have separate causes
            readers.shutdown(cancel_futures=isinstance(error, ReaderDiedError))
            pairs = zip(paths, reading, strict=True)
            left = [str(path) for path, each in pairs if each.cancelled() or each.exception()]
            raise type(error)(f"{error}; not read: {some_of(left, NAMED)}") from None


def _read(path: Path, own: Descriptions) -> Submission:
    with reading(path):
        submission = read_submission(path, own=own)
    if submission.problem is not None and (what := guess_export(path)) is not None:
        first = f"arena collect {quote(str(path))} --into DIR"
        reason = one_line(f"it looks like {what}; first: {first}")
        return replace(submission, reason=reason, settings="")
    return submission


def _or_house(submission: Submission) -> Submission:
    if submission.name in HOUSE:
        player = house_player(submission.name)
        if player.content_hash == submission.content_hash:
            return player
    return submission


def with_distinct_names(submissions: Sequence[Submission]) -> list[Submission]:
    """Put folder names before equal bot names, if these bots' folders all differ."""
    by_name: dict[str, list[Submission]] = {}
    for each in submissions:
        by_name.setdefault(each.name.casefold(), []).append(each)
    folders: dict[Path, str] = {}
    for same in by_name.values():
        found = {each.source: each.source.resolve().parent.name for each in same}
        if len(set(found.values())) == len(same) > 1:
            folders |= found
    return [
        replace(each, name=plain_name(f"{folders[each.source]}-{each.name}"))
        if each.source in folders
        else each
        for each in submissions
    ]


def _named(submissions: Iterable[Submission], known: Mapping[str, str]) -> tuple[Submission, ...]:
    """Return submissions with unique names that are safe in files; only copies have house names."""
    submissions = with_distinct_names(list(submissions))
    house = {player.name: player.content_hash for player in house_submissions()}
    levels = set(PLAYERS) - house.keys()
    known = {source: name for source, name in known.items() if name.casefold() not in levels}
    taken = {known[str(s.source)].casefold() for s in submissions if str(s.source) in known}
    taken |= levels
    # a bot with a valid name keeps it: its settings must not go to another bot
    plain = {s.source: s.name for s in reversed(submissions) if plain_name(s.name) == s.name}
    own = {name.casefold(): source for source, name in plain.items()}
    named = []
    for submission in submissions:
        name = known.get(str(submission.source), "")
        if not name:
            name = next(
                name
                for name in numbered(plain_name(submission.name) or "bot")
                if name.casefold() not in taken
                and own.get(name.casefold(), submission.source) == submission.source
                and house.get(name.casefold(), submission.content_hash) == submission.content_hash
            )
        taken.add(name.casefold())
        named.append(replace(submission, name=name))
    return tuple(named)


SAME_NAMED = 10  # Names in a line; the others are counted.
SAME = "the same files"
ALIKE = "the same except for comments, layout and names"


def duplicates(submissions: Iterable[Submission]) -> list[str]:
    bots = list(submissions)
    same = _groups({bot.name: _sources(_digests(bot)) for bot in bots})
    known = {name: group[0] for group in same for name in group}
    alike = _groups({bot.name: bot.likeness for bot in bots})
    alike = [group for group in alike if len({known.get(name, name) for name in group}) > 1]
    return [*_lines(SAME, same), *_lines(ALIKE, alike)]


def same_files(digests: Mapping[str, Mapping[str, str]]) -> list[str]:
    return _lines(SAME, _groups({name: _sources(files) for name, files in digests.items()}))


def _digests(bot: Submission) -> dict[str, str]:
    try:
        return {name: sha256(data).hexdigest() for name, data in bot.contents.all()}
    except (OSError, UnreadableError):
        return {}


def _sources(digests: Mapping[str, str]) -> str:
    """Return a text that is equal for equal sources under any file names."""
    sources = [name for name in digests if name.endswith(SOURCES)]
    others = [name for name in digests if not name.endswith(QUIET)]
    return " ".join(sorted(digests[name] for name in sources or others))


def _groups(marks: Mapping[str, str]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for name, mark in marks.items():
        if mark:
            groups.setdefault(mark, []).append(name)
    return [names for names in groups.values() if len(names) > 1]


def _lines(what: str, groups: Iterable[list[str]]) -> list[str]:
    return [one_line(f"{what}: {some_of(names, SAME_NAMED)}", 1000) for names in groups]
