"""Entering submissions in a contest, and trials of bots before the games.

Trials run on the lanes. They measure each bot's pace, and refuse bots that cannot play on the
board, or cannot be loaded (unless the schedule is `with_unloadable`). Unloadable bots are tried at
each entry, as a module may be installed by then. A bot that crashes its lane is not refused.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from arena.common.errors import InputError
from arena.common.home import at_home
from arena.common.names import HOUSE, PLAYERS, default_name, hint_for, plain_name
from arena.common.text import counted, listed, one_line, quote, some_of
from arena.courses.roster import A_BOT, Roster, duplicates, find_roster
from arena.game.limits import Limits
from arena.game.record import Bot
from arena.intake.facts import wrong_search
from arena.intake.house_players import (
    ENGINE_PLAYER,
    house_player,
    house_submissions,
    wrong_engine_option,
    wrong_option,
)
from arena.intake.submission import Submission, read_submission
from arena.interfaces import EntryPoint, Overrides, begins_empty, interface_of, is_program
from arena.interfaces.program import HOW_TO_RUN, missing_program
from arena.playing.driver import LaneExecutor
from arena.rules import line_table
from arena.scoring.grade_rules import GradeRule
from arena.settings.contest import BotEntry, Contest, Format, Schedule, draw_seed, options_set
from arena.settings.known_ratings import known_ratings
from arena.trials.pace import Pace, engine_pace, refusal_or_pace, refuses
from arena.trials.preflight import try_bots

NAMED = 3  # Bots named in a sentence; the others are counted.

NO_OPENINGS = (
    "its course tells a bot only its opponent's moves, so it cannot play from an opening; it plays "
    "if the contest file has min_plies = 0 and max_plies = 0 below [schedule]"
)
# The `problem` of an engine player from another version of Arena.
ANOTHER = "it is an engine player of another version of Arena; arena resume replaces it"


def enter(
    contest: Contest,
    submissions: Sequence[Submission],
    house: Sequence[Submission],
    accepted: Mapping[str, Overrides] = MappingProxyType({}),
) -> tuple[Contest, dict[str, Submission]]:
    """Return the contest with these bots and their settings, and the bots by name.

    House players come last. Raises InputError for a missing bot of the contest file, or for unfit
    settings; if these were `accepted` before, the bot has changed, and the error is its problem.
    """
    entered = {s.name: s for s in submissions} | {player.name: player for player in house}
    for name, entry in contest.bots.items():
        if name not in entered:
            hint = hint_for(name, entered, f"bots: {', '.join(entered)}")
            raise InputError(f"{entry.place}[bots.{name}]: there is no bot of that name; {hint}")
    entries, chosen = {}, {}
    for name, submission in entered.items():
        entry = contest.bots.get(name, BotEntry())
        overrides = entry.overrides
        is_engine = submission.entry_point.engine is not None
        try:
            if is_engine:
                entries[name], chosen[name] = _with_engine(submission, overrides, name), submission
            else:
                entries[name], chosen[name] = _entered(submission, overrides, name, contest)
        except InputError as error:
            if is_engine or accepted.get(name) != overrides:
                raise InputError(f"{entry.place}{error}") from None
            chosen[name] = replace(submission, reason=one_line(str(error)), settings="")
            entries[name] = _entry(chosen[name], overrides, submission.entry_point)
    return replace(contest, bots=entries), chosen


def _entered(
    submission: Submission, overrides: Overrides, name: str, contest: Contest
) -> tuple[BotEntry, Submission]:
    if overrides.file is not None and overrides.file not in submission.files:
        raise InputError(
            f'[bots.{name}] file = "{overrides.file}": not among its files '
            f"({', '.join(submission.files)})"
        )
    found = submission
    options = {**submission.entry_point.options, **overrides.options}
    if overrides.file or overrides.interface or overrides.entry or options.keys() & HOW_TO_RUN:
        submission = read_submission(submission.source, overrides, contest.interfaces)
        submission = replace(submission, name=name, house=found.house)
        if found.problem is None and submission.problem is not None:
            raise InputError(f"[bots.{name}]: with these settings, {submission.problem}")
    if (lacking := missing_program(options, submission.files)) is not None:
        raise InputError(f"[bots.{name}] options: {lacking}")
    if (wrong := wrong_option(submission, options)) is not None:
        raise InputError(f"[bots.{name}] options: {wrong}")
    search = overrides.node_function
    if search is not None and submission.problem is None:
        interface = submission.entry_point.interface
        moves = interface_of(submission.entry_point).MOVES
        wrong = None if is_program(interface) else wrong_search(submission, moves, search)
        if wrong is not None:
            raise InputError(f'[bots.{name}] node_function = "{search}": {wrong}')
    is_from_openings = submission.problem is None and contest.schedule.max_plies > 0
    if is_from_openings and begins_empty(submission.entry_point):
        submission = replace(submission, reason=NO_OPENINGS)
    entry_point = replace(
        submission.entry_point, node_function=overrides.node_function, options=options
    )
    return _entry(submission, overrides, entry_point), submission


def _entry(submission: Submission, overrides: Overrides, entry_point: EntryPoint) -> BotEntry:
    return BotEntry(
        overrides=overrides,
        entry_point=entry_point,
        source=str(submission.source),
        content_hash=submission.content_hash,
        problem=submission.problem,
        house=submission.house,
        likeness=submission.likeness,
    )


def require_same_field(
    before: Contest, folder: Path, roster: Roster, paths: Sequence[Path], *, by_name: bool = False
) -> None:
    """Raise InputError if `roster`, of `paths`, has too few bots of the contest.

    At least half of the smaller field, without house players, needs the same path, or name and
    content (`by_name`: name). Content alone is not enough: many hand in a course's starter code.
    Nor may half of the folder's bots be left out although they lie beside a path.
    """
    there = {name: bot for name, bot in before.bots.items() if not bot.house}
    sources = {name: Path(bot.source or "").resolve() for name, bot in there.items()}
    places = set(sources.values())
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
            f"{folder}: holds a contest of {some_of(list(there), NAMED)}; {how_many} "
            f"in this contest of {some_of(now, NAMED)}; to add bots, name the paths of all; for "
            "another contest name another folder"
        )
    names = {bot.name for bot in roster.submissions}
    beside = {path.resolve().parent for path in paths}
    left_out = [
        name
        for name, source in sources.items()
        if source.parent in beside and source.exists()
        if name not in names and there[name].excluded is None
    ]
    if left_out and 2 * len(left_out) >= sum(bot.excluded is None for bot in there.values()):
        raise InputError(
            f"{folder}: {some_of(left_out, NAMED)} would leave its contest; name the paths of all "
            f"bots, like {quote(str(sources[left_out[0]].parent))}; for another contest name "
            "another folder; arena exclude leaves single bots out"
        )


def with_current_engine(contest: Contest) -> tuple[Contest, dict[str, Submission]]:
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
    added, players = enter(replace(contest, bots={}), (), [house_player(name) for name in names])
    return replace(contest, bots={**contest.bots, **added.bots}), players


def _with_engine(player: Submission, overrides: Overrides, name: str) -> BotEntry:
    if overrides != Overrides(options=overrides.options):
        raise InputError(f"[bots.{name}]: a house player; only its options can be set")
    options = {**player.entry_point.options, **overrides.options}
    if (wrong := wrong_engine_option(options)) is not None:
        raise InputError(f"[bots.{name}] options: {wrong}")
    entry_point = replace(player.entry_point, options=options)
    return _entry(player, Overrides(options=options_set(name, options)), entry_point)


def _is_current(entry: BotEntry) -> bool:
    player = house_player(ENGINE_PLAYER)
    return entry.house and (entry.content_hash, entry.entry_point.engine) == (
        player.content_hash,
        player.entry_point.engine,
    )


def bots_by_name(contest: Contest, snapshots: Path) -> dict[str, Bot]:
    bots = {}
    for name, entry in contest.bots.items():
        is_another = entry.entry_point.engine is not None and not _is_current(entry)
        bots[name] = Bot(
            content_hash=entry.content_hash or "",
            root=str((snapshots / (entry.content_hash or "")).absolute()),
            entry_point=entry.entry_point,
            problem=ANOTHER if is_another else entry.problem,
            has_budget=_has_budget(entry, contest.limits),
        )
    return bots


def without_absent(contest: Contest, names: Iterable[str]) -> tuple[Contest, tuple[str, ...]]:
    """Return the contest with only the bots of these names, and the removed names."""
    there = {name: contest.bots[name] for name in names if name in contest.bots}
    return replace(contest, bots=there), tuple(sorted(contest.bots.keys() - there.keys()))


def only_overrides(contest: Contest) -> Mapping[str, BotEntry]:
    return {
        name: BotEntry(overrides=entry.overrides, place=entry.place)
        for name, entry in contest.bots.items()
        if entry.overrides != Overrides()
    }


def without_budget(contest: Contest) -> tuple[str, ...]:
    bots = contest.playing.items()
    return tuple(name for name, entry in bots if not _has_budget(entry, contest.limits))


def _has_budget(entry: BotEntry, limits: Limits) -> bool:
    point = entry.entry_point
    kind = interface_of(point) if point.interface else None
    asked = limits.nodes is None or limits.nodes_for_all or point.node_function is not None
    return asked or kind is None or kind.HAS_BUDGET or is_program(point.interface)


NO_SEED_RULE = (
    "no grades by the rule seed, which needs house players: --no-house leaves them out, so the "
    "rule is auto"
)


def find_field(
    bots: Sequence[Path],
    before: Contest | None,
    configure: Callable[[Contest], Contest],
    *,
    house: bool,
    one_bot: bool,
    ladder: bool,
) -> tuple[Contest, dict[str, Submission], Roster, tuple[str, ...]]:
    old = dict(before.bots) if before else {}
    # house players share a source
    known = {bot.source or "": name for name, bot in old.items() if not bot.house}
    own = configure(before or Contest()).interfaces
    roster = find_roster(bots, known, own=own, one_bot=one_bot, several=ladder)
    where = ", ".join(map(str, bots))
    if not roster.submissions and not roster.house:
        raise InputError(f"{where}: no bots here; a bot is {A_BOT}")
    base = Contest(schedule=Schedule(seed=draw_seed()))
    if before:
        present = {*HOUSE, *(bot.name for bot in (*roster.submissions, *roster.house))}
        kept = {name: bot for name, bot in only_overrides(before).items() if name in present}
        base = replace(before, bots=kept)
    wanted = _with_anchors(configure(base), before)
    dropped: tuple[str, ...] = ()
    if not house and wanted.grades.rule is GradeRule.SEED:  # which a preset may have named
        wanted = replace(wanted, grades=replace(wanted.grades, rule=GradeRule.AUTO))
        dropped = (NO_SEED_RULE,)
    absent: tuple[str, ...] = ()
    accepted: Mapping[str, Overrides] = {}
    if ladder:
        there = [*PLAYERS, *(bot.name for bot in roster.submissions)]
        wanted, absent = without_absent(wanted, there)
        accepted = {name: bot.overrides for name, bot in old.items()}
    if not house and wanted.schedule.format is Format.GAUNTLET:
        raise InputError(
            "a gauntlet needs the house players: leave out --no-house (house=False in Python)"
        )
    graded_by = wanted.graded_by if house else ()
    players = (
        *(house_submissions() if house else ()),
        *(house_player(name) for name in graded_by if name not in HOUSE),
        *roster.house,
    )
    contest, submissions = enter(wanted, roster.submissions, players, accepted)
    if contest.lacking:
        needed = listed(contest.lacking)
        rule = contest.grade_rule.value
        raise InputError(f"[grades] {rule}: needs {needed}; leave out --no-house")
    if len(submissions) < 2:
        (name,) = submissions
        said = roster.readings[0] if roster.readings else f"{where}: only one bot ({name})"
        raise InputError(f"{said}; a contest needs two")
    return contest, submissions, replace(roster, readings=roster.readings + dropped), absent


def _with_anchors(wanted: Contest, before: Contest | None) -> Contest:
    own = wanted.ranking.anchors
    if before is None:
        is_wanted = not own
    else:
        is_wanted = bool(own) and own == before.ranking.anchors and wanted.rules != before.rules
    if not is_wanted:
        return wanted
    anchors = {name: row.rating for name, row in known_ratings(wanted.rules).items()}
    return replace(wanted, ranking=replace(wanted.ranking, anchors=anchors))


MAX_ACCOUNT = 2000  # Characters of a bot's line in the log.


def remarks_on(roster: Roster, entered: Mapping[str, Submission]) -> Iterator[str]:
    yield from duplicates(roster.submissions)
    for bot in entered.values():
        if bot.choice is not None:
            yield one_line(f"{bot.name}: {bot.choice}")


def remarks_on_names(roster: Roster, entered: Mapping[str, Submission]) -> Iterator[str]:
    yield from roster.remarks()
    taken = {name.casefold(): name for name in entered}
    for bot in roster.submissions:
        own = default_name(bot.source)
        if bot.name != own:
            other = taken.get(plain_name(own).casefold(), bot.name)
            why = f", because {other} is taken" if other != bot.name else ""
            yield one_line(f"{bot.source} takes part as {bot.name}{why}")


def account(name: str, bot: Submission, entry: BotEntry) -> str:
    point = bot.entry_point
    entered = f", {point.interface}: {point.name} of {bot.file_as_known}" if point.interface else ""
    facts = [f"{name} is {bot.source}{entered}"]
    facts += (*bot.notes, *filter(None, [bot.choice]))
    if bot.problem is not None and not entry.unloadable:
        facts.append(f"it could not be loaded: {bot.problem}")
    if entry.why_left_out is not None:
        facts.append(f"it does not take part: it {entry.why_left_out}")
    return one_line("; ".join(facts), MAX_ACCOUNT)


def changes(path: Path, before: Contest | None, now: Contest) -> Iterator[str]:
    if before and terms(before) != terms(now):
        plan = before.schedule
        yield (
            f"{path} held a contest with other settings ({before.rules}; "
            f"{before.limits}; openings of {plan.min_plies} to {plan.max_plies} discs; seed "
            f"{plan.seed}); its games stay in the journal but no longer count, until the same "
            "command with the former options is typed again"
        )
    if before:
        gone = sorted(before.bots.keys() - now.bots.keys())
        if students := [name for name in gone if not before.bots[name].house]:
            yield one_line(f"no longer in this contest: {', '.join(students)}")
        for name in (name for name in gone if name in only_overrides(before)):
            yield one_line(f"[bots.{name}]: not here, so its settings are dropped")
        openings, wanted = before.schedule.openings, now.schedule.openings
        if openings > wanted:
            yield (
                f"this contest had {counted(openings, 'opening')}; only the first {wanted:,} "
                "count now; the other games stay in the journal"
            )
        if before.schedule.shared_openings != now.schedule.shared_openings:
            yield (
                "this contest had other --shared-openings; games from openings that a pairing no "
                "longer plays stay in the journal without counting"
            )
    elif now.marking is not None and now.marking.by_rating and not now.ranking.anchors:
        yield (
            f"the house players' ratings are not known for {now.rules}, so {now.ranking.anchor} "
            "alone fixes the ratings; arena lab scale measures them"
        )
    if not line_table(now.rules).lines:
        yield f"no line of {now.rules.connect} fits on this board: no game can be won"


def as_played_here(contest: Contest) -> Contest:
    """Return the contest in this process's mode: the sandbox or home mode."""
    return replace(contest, limits=replace(contest.limits, home=at_home()))


def terms(contest: Contest) -> tuple[object, ...]:
    plan = contest.schedule
    return contest.rules, contest.limits, plan.seed, plan.min_plies, plan.max_plies


class FirstLook(NamedTuple):
    """The result of a bot's trial before the contest."""

    refused: str
    """The rest of a sentence about the bot: why it is refused; else empty."""

    pace: Pace | None
    unloadable: bool = False


def known_findings(
    contest: Contest, before: Contest | None, snapshots: Path
) -> dict[str, FirstLook]:
    """Return results that need no trial, by bot identity.

    The bots are unchanged ones of `before`, house players, and those whose files show the fault.
    """
    bots = bots_by_name(contest, snapshots)
    known: dict[str, FirstLook] = {}
    with_unloadable = contest.schedule.with_unloadable
    if (
        before is not None
        and before.rules == contest.rules
        and before.schedule.with_unloadable == with_unloadable
    ):
        for name, bot in bots_by_name(before, snapshots).items():
            entry = before.bots[name]
            if not entry.unloadable:
                known[bot.identity] = FirstLook(entry.refused or "", None)
    for name, bot in bots.items():
        if contest.bots[name].house:
            known[bot.identity] = FirstLook("", _house_pace(bot, contest))
        elif bot.problem is not None and not with_unloadable:
            known[bot.identity] = _unloadable(contest, f"could not be loaded: {bot.problem}")
    return known


def _unloadable(contest: Contest, why: str, pace: Pace | None = None) -> FirstLook:
    if contest.schedule.with_unloadable:
        return FirstLook("", pace or Pace(fails=True))
    return FirstLook(why, None, unloadable=True)


def untried(contest: Contest, known: Container[str], snapshots: Path) -> dict[str, Bot]:
    bots = {bot.identity: (name, bot) for name, bot in bots_by_name(contest, snapshots).items()}
    return dict(each for identity, each in bots.items() if identity not in known)


def look_at(
    bots: Mapping[str, Bot], contest: Contest, executor: LaneExecutor
) -> Iterator[tuple[str, FirstLook]]:
    to_try = {}
    for name, bot in bots.items():
        why = refuses(bot, contest.rules)
        if why is not None:
            yield name, FirstLook(why, None)
        elif bot.problem is not None:
            yield name, _unloadable(contest, f"could not be loaded: {bot.problem}")
        else:
            to_try[name] = bot
    for name, found, _ in try_bots(refusal_or_pace, to_try, contest, executor):
        refusal, pace = found or (None, None)
        if pace is not None and pace.not_loaded:
            yield name, _unloadable(contest, pace.not_loaded, pace)
        else:
            yield name, FirstLook(refusal.reason if refusal else "", pace)


def _house_pace(bot: Bot, contest: Contest) -> Pace | None:
    point = bot.entry_point
    if point.engine is None:
        return Pace()
    nodes: int | None = point.options.get("nodes") or contest.limits.nodes
    if nodes is None or point.options.keys() - {"nodes"}:
        return None
    return engine_pace(nodes)


def with_findings(contest: Contest, found: Mapping[str, FirstLook], snapshots: Path) -> Contest:
    entries = {}
    for name, bot in bots_by_name(contest, snapshots).items():
        finding = found.get(bot.identity, FirstLook("", None))
        entries[name] = replace(
            contest.bots[name], refused=finding.refused or None, unloadable=finding.unloadable
        )
    return replace(contest, bots=entries)


def require_players(contest: Contest) -> None:
    students = [name for name, bot in contest.bots.items() if not bot.house]
    unloadable = [name for name in students if contest.bots[name].unloadable]
    if students and unloadable == students:
        first, more = students[0], len(students) - 1
        others = f", nor {counted(more, 'other')}" if more else ""
        raise InputError(
            f"no submission can be loaded, so there is nothing to play: {first} "
            f"{contest.bots[first].refused}{others}; with --with-unloadable they take part, and "
            "lose their games"
        )
    boards = [bot for bot in contest.bots.values() if bot.refused and not bot.unloadable]
    if len(contest.playing) < 2:
        left = ", ".join(contest.playing) or "no bot"
        how = "take part" if len(contest.left_out) > len(boards) else "play on this board"
        raise InputError(f"only {left} can {how}; a contest needs two")
