"""Entering submissions in a contest, and the bots that its lanes play from its folder."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from arena.contest.config import BotEntry, Contest
from arena.errors import InputError
from arena.intake import (
    ENGINE_PLAYER,
    LEVELS,
    Roster,
    Submission,
    house_player,
    read_submission,
    wrong_engine_option,
    wrong_option,
)
from arena.interfaces import INTERFACES
from arena.interfaces.program import HOW_TO_RUN, missing_program
from arena.referee import Bot, Limits

NAMED = 3
"""Bots that a sentence names; the others are counted."""

ANOTHER = "it is not the engine's player of this version of Arena; arena resume takes that"
"""What is wrong with a bot that says it is, or was in another version."""


def enter(
    contest: Contest, submissions: Sequence[Submission], house: Sequence[Submission]
) -> tuple[Contest, dict[str, Submission]]:
    """The contest with these bots, each as its contest file wants it; and the bots by name.

    House players come last; one that is among the submissions by its own name is not entered twice.
    Raises InputError for a bot in the contest file that is not there, and for options that a bot
    does not take.
    """
    entered = {s.name: s for s in submissions} | {player.name: player for player in house}
    for name in contest.bots:
        if name not in entered:
            close = get_close_matches(name, entered, 1)
            hint = f"did you mean {close[0]}?" if close else f"bots: {', '.join(entered)}"
            raise InputError(f"[bots.{name}]: there is no bot of that name; {hint}")
    entries, chosen = {}, {}
    for name, submission in entered.items():
        wish = contest.bots.get(name, BotEntry())
        if submission.engine is not None:
            if wish.file or wish.interface or wish.entry or wish.node_function:
                raise InputError(
                    f"[bots.{name}]: a house player, of which only options can be said"
                )
            entries[name], chosen[name] = _with_engine(submission, wish, name), submission
            continue
        if wish.file is not None and wish.file not in submission.files:
            raise InputError(
                f'[bots.{name}] file = "{wish.file}": not among its files '
                f"({', '.join(submission.files)})"
            )
        if wish.interface is not None and wish.interface not in INTERFACES:
            known = ", ".join(INTERFACES)
            raise InputError(f'[bots.{name}] interface = "{wish.interface}": expected {known}')
        if wish.file or wish.interface or wish.entry or wish.options.keys() & HOW_TO_RUN:
            found = submission
            submission = read_submission(
                submission.source,
                file=wish.file,
                interface=wish.interface,
                entry=wish.entry,
                options=wish.options,
            ).called(name)
            if found.problem is None and submission.problem is not None:
                raise InputError(f"[bots.{name}]: by this, {submission.problem}")
        if (lacking := missing_program(wish.options, submission.files)) is not None:
            raise InputError(f"[bots.{name}] options: {lacking}")
        if (said := wrong_option(submission, wish.options)) is not None:
            raise InputError(f"[bots.{name}] options: {said}")
        chosen[name] = submission
        named = {"file": wish.file, "interface": wish.interface, "entry": wish.entry}
        entries[name] = replace(
            wish,
            said={key: value for key, value in named.items() if value is not None},
            file=submission.file,
            interface=submission.interface,
            entry=submission.entry,
            source=str(submission.source),
            content_hash=submission.content_hash,
            problem=submission.problem,
            refused=None,
            house=entered[name].house,
            engine=None,
        )
    return replace(contest, bots=entries), chosen


def names_by_source(contest: Contest) -> dict[str, str]:
    """Names of a contest's bots by their sources, but for house players: they share theirs."""
    return {bot.source or "": name for name, bot in contest.bots.items() if not bot.house}


def require_a_bot_of(before: Contest, folder: Path, roster: Roster) -> None:
    """Raise InputError if a contest would be replaced by one that has none of its bots.

    A bot is the same if it lies at the same place, with whatever it holds now, or has the same
    content. House players are in every contest.
    """
    there = {name: bot for name, bot in before.bots.items() if not bot.house}
    places = {Path(bot.source or "").resolve() for bot in there.values()}
    hashes = {bot.content_hash for bot in there.values()}
    if there and not any(
        bot.source.resolve() in places or bot.content_hash in hashes for bot in roster.submissions
    ):
        now = [bot.name for bot in (*roster.submissions, *roster.house)]
        raise InputError(
            f"{folder}: holds the contest of {_some(there)}, and none of them is in this one, of "
            f"{_some(now)}; name another folder with --out"
        )


def _some(names: Collection[str]) -> str:
    """The first of many names, and how many more there are."""
    first = ", ".join(list(names)[:NAMED])
    return f"{first} and {len(names) - NAMED} more" if len(names) > NAMED else first


def brought_up_to_date(contest: Contest) -> tuple[Contest, dict[str, Submission]]:
    """The contest with its house players as they are in this version of Arena; those that changed.

    Only those that play with the engine: another version's has other moves, and is not there.
    """
    changed = {}
    entries = dict(contest.bots)
    for name, entry in contest.bots.items():
        if entry.engine is not None and not _is_current(entry):
            player = replace(house_player(ENGINE_PLAYER), options=entry.options)
            entries[name], changed[name] = _with_engine(player, entry, name), player
    return replace(contest, bots=entries), changed


def _with_engine(player: Submission, wish: BotEntry, name: str) -> BotEntry:
    """The entry of a house player that plays with the engine. Raises InputError."""
    options = {**player.options, **wish.options}
    if (said := wrong_engine_option(options)) is not None:
        raise InputError(f"[bots.{name}] options: {said}")
    return BotEntry(
        file=player.file,
        interface=player.interface,
        entry=player.entry,
        options=options,
        source=str(player.source),
        content_hash=player.content_hash,
        problem=player.problem,
        house=True,
        engine=player.engine,
    )


def _is_current(entry: BotEntry) -> bool:
    """Whether an entry is of a house player with the engine that this version of Arena has."""
    player = house_player(ENGINE_PLAYER)
    return entry.house and (entry.content_hash, entry.engine) == (
        player.content_hash,
        player.engine,
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


def wishes(contest: Contest) -> Mapping[str, BotEntry]:
    """Of a contest's bots only what an instructor has set."""
    kept = {}
    for name, entry in contest.bots.items():
        options = {} if entry.house and entry.options == LEVELS.get(name) else entry.options
        wish = BotEntry(node_function=entry.node_function, options=options)
        kept[name] = replace(wish, **entry.said)
    return {name: wish for name, wish in kept.items() if wish != BotEntry()}


def without_budget(contest: Contest) -> tuple[str, ...]:
    """The bots that take part though the contest's node budget does not hold for them."""
    bots = contest.playing.items()
    return tuple(name for name, entry in bots if not _has_budget(entry, contest.limits))


def _has_budget(entry: BotEntry, limits: Limits) -> bool:
    """Whether the contest's node budget holds for a bot: always where nothing can be counted."""
    kind = INTERFACES.get(entry.interface or "")
    asked = limits.nodes is None or limits.nodes_for_all or entry.node_function is not None
    return asked or kind is None or kind.HAS_BUDGET or kind.PROFILE == "program"


def _bot(entry: BotEntry, snapshots: Path, limits: Limits) -> Bot:
    problem = entry.problem
    if entry.engine is not None and not _is_current(entry):
        problem = ANOTHER
    return Bot(
        content_hash=entry.content_hash or "",
        root=str((snapshots / (entry.content_hash or "")).absolute()),
        file=entry.file or "",
        interface=entry.interface or "",
        entry=entry.entry or "",
        node_function=entry.node_function,
        options=entry.options,
        profile=INTERFACES[entry.interface].PROFILE if entry.interface else "module",
        problem=problem,
        has_budget=_has_budget(entry, limits),
        engine=entry.engine,
    )
