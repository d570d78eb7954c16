"""Entering submissions in a contest, and the bots that its lanes play from its folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from arena.contest.config import BotEntry, Contest
from arena.errors import InputError
from arena.intake import (
    ENGINE_PLAYER,
    HOUSE,
    LEVELS,
    Roster,
    Submission,
    house_player,
    read_submission,
    wrong_engine_option,
    wrong_option,
)
from arena.intake.search_function import wrong_search
from arena.interfaces import INTERFACES, EntryPoint, Overrides, is_program
from arena.interfaces.program import HOW_TO_RUN, missing_program
from arena.naming import hint_for
from arena.numbers import counted, some
from arena.quoting import one_line
from arena.referee import Bot, Limits

NAMED = 3
"""Bots that a sentence names; the others are counted."""

ANOTHER = "it is not the engine's player of this version of Arena; arena resume takes that"
"""What is wrong with a bot that says it is, or was in another version."""


def enter(
    contest: Contest,
    submissions: Sequence[Submission],
    house: Sequence[Submission],
    accepted: Mapping[str, Overrides] = MappingProxyType({}),
) -> tuple[Contest, dict[str, Submission]]:
    """The contest with these bots, each as its contest file wants it; and the bots by name.

    House players come last; one that is among the submissions by its own name is not entered twice.
    Raises InputError for a bot in the contest file that is not there, and for settings that do not
    suit a bot; but if they were `accepted` before, it is the bot that changed, and its problem.
    """
    entered = {s.name: s for s in submissions} | {player.name: player for player in house}
    for name in contest.bots:
        if name not in entered:
            hint = hint_for(name, entered, f"bots: {', '.join(entered)}")
            raise InputError(f"[bots.{name}]: there is no bot of that name; {hint}")
    entries, chosen = {}, {}
    for name, submission in entered.items():
        overrides = contest.bots.get(name, BotEntry()).overrides
        if submission.entry_point.engine is not None:
            entries[name], chosen[name] = _with_engine(submission, overrides, name), submission
            continue
        try:
            entries[name], chosen[name] = _entered(submission, overrides, name)
        except InputError as error:
            if accepted.get(name) != overrides:
                raise
            chosen[name] = replace(submission, reason=one_line(str(error)), settings="")
            entries[name] = _entry(chosen[name], overrides, submission.entry_point)
    return replace(contest, bots=entries), chosen


def _entered(
    submission: Submission, overrides: Overrides, name: str
) -> tuple[BotEntry, Submission]:
    """Enter a bot of this name, read again where its overrides want that. Raises InputError."""
    if overrides.file is not None and overrides.file not in submission.files:
        raise InputError(
            f'[bots.{name}] file = "{overrides.file}": not among its files '
            f"({', '.join(submission.files)})"
        )
    found = submission
    options = overrides.options
    if overrides.file or overrides.interface or overrides.entry or options.keys() & HOW_TO_RUN:
        submission = read_submission(submission.source, overrides)
        submission = replace(submission, name=name, house=found.house)
        if found.problem is None and submission.problem is not None:
            raise InputError(f"[bots.{name}]: by this, {submission.problem}")
    if (lacking := missing_program(options, submission.files)) is not None:
        raise InputError(f"[bots.{name}] options: {lacking}")
    if (wrong := wrong_option(submission, options)) is not None:
        raise InputError(f"[bots.{name}] options: {wrong}")
    search = overrides.node_function
    if search is not None and submission.problem is None:
        interface = submission.entry_point.interface
        moves = INTERFACES[interface].MOVES
        wrong = None if is_program(interface) else wrong_search(submission, moves, search)
        if wrong is not None:
            raise InputError(f'[bots.{name}] node_function = "{search}": {wrong}')
    entry_point = replace(
        submission.entry_point, node_function=overrides.node_function, options=options
    )
    return _entry(submission, overrides, entry_point), submission


def _entry(submission: Submission, overrides: Overrides, entry_point: EntryPoint) -> BotEntry:
    """Return the entry of a submission that is entered like this."""
    return BotEntry(
        overrides=overrides,
        entry_point=entry_point,
        source=str(submission.source),
        content_hash=submission.content_hash,
        problem=submission.problem,
        house=submission.house,
        likeness=submission.likeness,
    )


def names_by_source(contest: Contest) -> dict[str, str]:
    """Names of a contest's bots by their sources, but for house players: they share theirs."""
    return {bot.source or "": name for name, bot in contest.bots.items() if not bot.house}


def require_same_field(
    before: Contest, folder: Path, roster: Roster, *, by_name: bool = False
) -> None:
    """Raise InputError if a contest would be replaced by one of other bots.

    At least half of the smaller field must be the same bots: at the same place, with whatever is
    there now, or with the same name and content; `by_name` the name is enough. Files that many
    have, like a course's starter code, make no contest the same. House players are in every
    contest.
    """
    there = {name: bot for name, bot in before.bots.items() if not bot.house}
    places = {Path(bot.source or "").resolve() for bot in there.values()}
    contents = {(name, bot.content_hash) for name, bot in there.items()}
    same = sum(
        bot.source.resolve() in places
        or (bot.name in there if by_name else (bot.name, bot.content_hash) in contents)
        for bot in roster.submissions
    )
    if there and (not same or 2 * same < min(len(there), len(roster.submissions))):
        now = [bot.name for bot in (*roster.submissions, *roster.house)]
        how_many = "none of them is" if not same else "only one of them is"
        if same > 1:
            how_many = f"only {same} of them are"
        raise InputError(
            f"{folder}: holds the contest of {some(list(there), NAMED)}, and {how_many} "
            f"in this one, of {some(now, NAMED)}; name another folder"
        )


def left_out(before: Contest, now: Contest) -> Iterator[str]:
    """Yield which bots, settings and openings of the contest before are not in this one."""
    gone = sorted(before.bots.keys() - now.bots.keys())
    if students := [name for name in gone if not before.bots[name].house]:
        yield one_line(f"no longer in this contest: {', '.join(students)}")
    for name in (name for name in gone if name in only_overrides(before)):
        yield one_line(f"[bots.{name}]: not here, so what was set for it is dropped")
    openings, wanted = before.schedule.openings, now.schedule.openings
    if openings > wanted:
        yield (
            f"this contest had {counted(openings, 'opening')}, of which the first {wanted:,} "
            "count now; the other games stay in the journal"
        )


def brought_up_to_date(contest: Contest) -> tuple[Contest, dict[str, Submission]]:
    """The contest with its house players as they are in this version of Arena; those that changed.

    Only those that play with the engine: another version's has other moves, and is not there.
    """
    changed = {}
    entries = dict(contest.bots)
    for name, entry in contest.bots.items():
        if entry.entry_point.engine is not None and not _is_current(entry):
            player = changed[name] = house_player(ENGINE_PLAYER)
            entries[name] = _with_engine(player, Overrides(options=entry.entry_point.options), name)
    return replace(contest, bots=entries), changed


def with_house_players(
    contest: Contest, names: Iterable[str]
) -> tuple[Contest, dict[str, Submission]]:
    """The contest with these house players, which it does not have yet, and these by name."""
    added, players = enter(replace(contest, bots={}), (), [house_player(name) for name in names])
    return replace(contest, bots={**contest.bots, **added.bots}), players


def _with_engine(player: Submission, overrides: Overrides, name: str) -> BotEntry:
    """Return the entry of a house player that plays with the engine. Raises InputError."""
    if overrides != Overrides(options=overrides.options):
        raise InputError(f"[bots.{name}]: a house player; only its options can be set")
    options = {**player.entry_point.options, **overrides.options}
    if (wrong := wrong_engine_option(options)) is not None:
        raise InputError(f"[bots.{name}] options: {wrong}")
    entry_point = replace(player.entry_point, options=options)
    return _entry(player, Overrides(options=set_options(name, options)), entry_point)


def set_options(name: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return which of a house player's options are set in its contest: none if all are its own."""
    return {} if options == LEVELS.get(name) else options


def _is_current(entry: BotEntry) -> bool:
    """Return True for the entry of a house player with this version's engine."""
    player = house_player(ENGINE_PLAYER)
    return entry.house and (entry.content_hash, entry.entry_point.engine) == (
        player.content_hash,
        player.entry_point.engine,
    )


def seated(contest: Contest, snapshots: Path) -> dict[str, Bot]:
    """The bots of a contest as its lanes need them, from the folder with their snapshots."""
    bots = contest.bots.items()
    return {name: _bot(entry, snapshots, contest.limits) for name, entry in bots}


def without_absent(contest: Contest, names: Iterable[str]) -> tuple[Contest, tuple[str, ...]]:
    """The contest with what it says of the bots of these names, and the names it has beside them.

    For a command that looks at a few bots with the contest file of all.
    """
    there = {name: contest.bots[name] for name in names if name in contest.bots}
    return replace(contest, bots=there), tuple(sorted(contest.bots.keys() - there.keys()))


def only_overrides(contest: Contest) -> Mapping[str, BotEntry]:
    """Return of a contest's bots only what the instructor has set."""
    return {
        name: BotEntry(overrides=entry.overrides)
        for name, entry in contest.bots.items()
        if entry.overrides != Overrides()
    }


def overrides_of_present(before: Contest, roster: Roster) -> dict[str, BotEntry]:
    """Return what an instructor has set for those bots of a contest that are still there."""
    there = {*HOUSE, *(bot.name for bot in (*roster.submissions, *roster.house))}
    return {name: setting for name, setting in only_overrides(before).items() if name in there}


def without_budget(contest: Contest) -> tuple[str, ...]:
    """The bots that take part though the contest's node budget does not hold for them."""
    bots = contest.playing.items()
    return tuple(name for name, entry in bots if not _has_budget(entry, contest.limits))


def _has_budget(entry: BotEntry, limits: Limits) -> bool:
    """Return True if the node budget holds for a bot: always where nothing can be counted."""
    point = entry.entry_point
    kind = INTERFACES.get(point.interface)
    asked = limits.nodes is None or limits.nodes_for_all or point.node_function is not None
    return asked or kind is None or kind.HAS_BUDGET or is_program(point.interface)


def _bot(entry: BotEntry, snapshots: Path, limits: Limits) -> Bot:
    problem = entry.problem
    if entry.entry_point.engine is not None and not _is_current(entry):
        problem = ANOTHER
    return Bot(
        content_hash=entry.content_hash or "",
        root=str((snapshots / (entry.content_hash or "")).absolute()),
        entry_point=entry.entry_point,
        problem=problem,
        has_budget=_has_budget(entry, limits),
    )
