"""The lines below a leaderboard on a terminal: remarks on the table and on bots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import sqrt
from statistics import median

import pandas as pd
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from arena.common.text import counted, duration, one_line, some_of
from arena.contest.entries import without_budget
from arena.contest.retirement import MOST, Settled, Tries
from arena.contest.settled import SettledGames
from arena.interfaces import is_program
from arena.ranking.grading import SHOWN_ERROR, Grades, shown_error
from arena.ranking.identical import Group
from arena.ranking.ratings import ContestRatings
from arena.report.exam import exam_lines
from arena.report.facts import Facts
from arena.report.screen.fitting import NAME_WIDTH
from arena.settings.contest import Contest, Forfeits
from arena.trials.pace import Pace

MOST_NAMED = 5  # bots named in a line; the others are counted
MANY_FAULTS = 0.2  # share of games lost by a fault from which a line mentions them
MOST_OUT = 10  # bots in `out_table`; the others are counted
OUT_LINES = 2  # lines of a bot in `out_table`
MOST_SAME = 3  # groups of identical bots with a line each; the others are counted


def table_lines(facts: Facts) -> Iterator[Text]:
    """Yield remarks on the whole table; `out_table` names retired and refused bots."""
    contest = facts.contest
    if contest.limits.home:
        yield Text("played in home mode: bots were not confined; not for grading", "yellow")
    yield from settled_lines(facts.settled, contest)
    yield from tie_lines(facts.standings, contest)
    yield from same_lines(facts.same)
    yield from rating_lines(facts.ratings, contest)
    yield from opening_lines(facts.games)
    yield from forfeit_lines(facts.games, contest)
    if facts.grades.by_bot:
        yield from late_lines(facts.settled)
    yield from grade_lines(facts.grades, contest, has_more=bool(facts.settled.open))
    yield from exam_lines(facts.exam)
    yield from retry_lines(facts.retries)
    yield from budget_lines(contest)


def settled_lines(settled: Settled, contest: Contest) -> Iterator[Text]:
    level = contest.schedule.until_settled
    if not contest.schedule.in_rounds or not settled.is_final:
        return
    played = f"after {len(settled.games):,} of at most {len(settled.games) + len(settled.open):,}"
    if not level:
        yield Text(f"ended {played} games; ordered by rating")
        return
    pairs = [f"{one} – {other}" for one, other in settled.undecided]
    if not pairs:
        yield Text(
            f"settled {played} games: each bot is better than the next, likelihood {level:g}; "
            "ordered by rating"
        )
        return
    yield Text(
        f"{counted(len(pairs), 'pair')} of neighbours not settled {played} games: "
        f"{some_of(pairs, MOST_NAMED)}; all their openings are played, "
        f"{contest.schedule.openings} at most (--openings); ordered by rating",
        "yellow",
    )


def tie_lines(standings: pd.DataFrame, contest: Contest) -> Iterator[Text]:
    level = "equal ratings" if contest.schedule.in_rounds else "equal points"
    if (standings.groupby("measure")["rank"].nunique() > 1).any():
        by = ", then ".join(name.short for name in contest.ranking.tie_breaks)
        yield Text(f"{level}: ranked by {by}; tie_breaks in contest.toml sets this", "dim")


def same_lines(groups: Iterable[Group]) -> Iterator[Text]:
    found = list(groups)
    for group in found[:MOST_SAME]:
        yield Text(
            f"{some_of(group.bots, MOST_NAMED)}: {group.sameness}; ranked by their mean, they "
            "share rank, rating and grade",
            "yellow",
        )
    if more := len(found[MOST_SAME:]):
        yield Text(f"… and {counted(more, 'more group')} of identical bots", "yellow")


def rating_lines(ratings: ContestRatings, contest: Contest) -> Iterator[Text]:
    if contest.held:
        weak_to_strong = sorted(contest.held.items(), key=lambda each: each[1])
        held = ", ".join(f"{name} = {value:g}" for name, value in weak_to_strong)
        yield Text(f"the ratings are measured against {held}", "dim")
    elif ratings.anchor is None:
        wanted, value = contest.ranking.anchor, contest.ranking.anchor_rating
        yield Text(f"{wanted} does not take part, so the mean of the ratings is {value:g}", "dim")
    bots: dict[str, list[str]] = {}
    for bot, remark in ratings.remarks.items():
        bots.setdefault(remark, []).append(bot)
    for remark, names in bots.items():
        yield Text(f"{some_of(names, MOST_NAMED)}: {remark}", "dim")


def opening_lines(games: pd.DataFrame) -> Iterator[Text]:
    if games["opening"].nunique() == 1:
        yield Text(
            "a single opening may suit some bots: ratings, ranks and grades are less certain "
            "than they look; play at least two openings (--openings)",
            "yellow",
        )


def forfeit_lines(games: pd.DataFrame, contest: Contest) -> Iterator[Text]:
    played = games[games["is_game"].astype(bool)]
    faults = int(played["fault"].sum())
    lost = f"{faults:,} of {len(played):,} games were lost by a fault"
    if contest.ranking.forfeits is Forfeits.APART:
        if faults:
            yield Text(f"{lost}, which counts for the bot at fault alone (forfeits apart)", "dim")
    elif faults > MANY_FAULTS * len(played):
        yield Text(
            f'{lost} and won by the other; with forfeits = "apart" in [ranking] of '
            "contest.toml they count for the bot at fault alone",
            "yellow",
        )


def late_lines(settled: Settled) -> Iterator[Text]:
    lateness = settled.lateness
    if settled.on_time is not None:
        late = some_of(sorted(lateness.late), MOST_NAMED)
        yield Text(f"{late}: late, so each is graded alone beside those on time (freeze)", "dim")
    if bots := sorted(bot for bot, points in lateness.penalties.items() if points):
        yield Text(f"{some_of(bots, MOST_NAMED)}: a penalty is taken off the grade", "dim")


def grade_lines(grades: Grades, contest: Contest, *, has_more: bool = True) -> Iterator[Text]:
    """Yield lines about missing grades and about how sure grades are.

    `has_more` tells whether games are left that more time would play.
    """
    if grades.remark:
        yield Text(grades.remark, "yellow")
    errors = [grade.error for grade in grades.by_bot.values()]
    if errors and max(errors) >= SHOWN_ERROR:
        remedy = "more openings (--openings) make that smaller"
        if contest.schedule.until is not None and has_more:
            then = shown_error(median(errors) / sqrt(2))
            remedy = f"twice the time would make the median {then}"
            if then == shown_error(median(errors)):
                remedy = "twice the time would change that little"
        yield Text(
            f"grades are certain to {shown_error(median(errors))} (median), "
            f"at most {shown_error(max(errors))}; {remedy}",
            "dim",
        )


def retry_lines(tries: Tries) -> Iterator[Text]:
    if not tries:
        return
    had = [f"{bot} {len(own)}" for bot, own in sorted(tries.items())]
    yield Text(
        f"retries of games or moves, for faults with proof that they may not be the bot's: "
        f"{some_of(had, MOST_NAMED)}; arena verify shows why",
        "dim",
    )
    if spent := [bot for bot, own in sorted(tries.items()) if len(own) >= MOST]:
        yield Text(
            f"{some_of(spent, MOST_NAMED)}: used all {MOST} retries; every further fault counts, "
            "so look for the reason",
            "yellow",
        )


def budget_lines(contest: Contest) -> Iterator[Text]:
    if bots := without_budget(contest):
        yield Text(
            f"the node budget does not apply to {some_of(bots, MOST_NAMED)}: courses with "
            "such interfaces have none, and `nodes` is not set for this contest",
            "dim",
        )


def out_table(facts: Facts, width: int) -> Table | None:
    """Return a table of refused, excluded and retired bots; None if there are none.

    Each bot has two lines at most; the report has the full texts.
    """
    left_out, retired = facts.contest.left_out, facts.settled.retired
    out = {bot: f"does not take part: it {why}" for bot, why in left_out.items()}
    out |= {bot: retired_sentence(bot, facts.settled, facts.board) for bot in retired}
    if not out:
        return None
    names = min(max(map(cell_len, out)), NAME_WIDTH)
    room = max(width - names - 2, NAME_WIDTH)
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=False)
    table.add_column(width=names, no_wrap=True, overflow="ellipsis", style="yellow")
    table.add_column(max_width=room, overflow="fold")
    shown = list(out)[:MOST_OUT]
    for bot in shown:
        table.add_row(Text(bot), Text(one_line(out[bot], OUT_LINES * room * 9 // 10)))
    if more := len(out) - len(shown):
        table.add_row("…", f"and {counted(more, 'more bot')}; report.html has all of them")
    return table


CLOSE = 1e-9  # shares of points that differ by less are equal


def retired_sentence(bot: str, settled: Settled, board: pd.DataFrame) -> str:
    """Complete the sentence "It …" about a retired bot.

    Tells the reason, the number of forfeits, and the rank that the bot's played games would give
    it. `board` is the leaderboard.
    """
    forfeits, nobodys = settled.forfeits[bot], settled.nobodys[bot]
    are = "is a forfeit" if forfeits == 1 else "are forfeits"
    sentence = f"was {settled.retired[bot]}; {counted(forfeits, 'game')} more {are}"
    if nobodys:
        are = "is" if nobodys == 1 else "are"
        sentence += f", and {counted(nobodys, 'game')} with other retired bots {are} not counted"
    games = SettledGames.of(settled.games)
    results = [
        0.5 if record.winner is None else float((game.first, game.second)[record.winner] == bot)
        for game, record, is_forfeit in map(games.__getitem__, games.of_bot(bot).tolist())
        if not is_forfeit and record.is_game
    ]
    share = sum(results) / len(results)
    others = board[board["bot"] != bot]
    better = (others["points"] / others["games"].clip(lower=1)) > share + CLOSE
    rank = 1 + int(better.sum())
    return (
        f"{sentence}; in the {counted(len(results), 'game')} that it played it scored "
        f"{sum(results):g}, which would be rank {rank} of {len(board)}"
    )


UNUSUAL = 10  # work is unusual from this multiple of the other bots' median

# A bot below either limit is not named, as hidden work of this size helps little: milliseconds a
# node, and the share of the node budget that others would use in the time of the bot's move.
LEAST_MS, LEAST_SHARE = 0.2, 0.02
LOAD_SECONDS = 1.0  # charged seconds of loading; a shorter time is never unusual


def work_lines(facts: Facts, paces: Mapping[str, Pace]) -> Iterator[Text]:
    """Yield a line for each bot whose time its nodes do not explain, worst first.

    The node meter misses searches without recursion and during loading; the clock does not. A bot
    is compared with the median of the other students' bots, except programs, whose nodes cannot be
    counted. `paces` has the bots whose loading was timed before this run.
    """
    contest = facts.contest
    students = [
        name
        for name, bot in contest.playing.items()
        if not (bot.house or is_program(bot.entry_point.interface))
    ]
    loads = {name: paces[name].load for name in students if name in paces}
    found = list(_of_loading(loads))
    if contest.limits.nodes is not None:
        spent = facts.spent.loc[[bot for bot in students if bot in facts.spent.index]]
        unlimited = without_budget(contest)
        moves = _of_moves(spent, contest.limits.nodes)
        found += [(times, bot, work) for times, bot, work in moves if bot not in unlimited]
    found.sort(reverse=True)
    for _, bot, work in found[:MOST_NAMED]:
        yield Text(f"{bot}: {work}", "yellow")
    if more := len(found[MOST_NAMED:]):
        yield Text(f"… and {counted(more, 'more line')} about work that is not in nodes", "yellow")


def _of_moves(spent: pd.DataFrame, budget: int) -> Iterator[tuple[float, str, str]]:
    """Yield (multiple of the median, bot, text) if nodes do not explain the time of moves."""
    nodes = spent["mean_nodes"].fillna(0.0)
    each = dict((spent["mean_move_ms"] / nodes)[nodes > 0])
    for bot, move in zip(map(str, spent.index), spent["mean_move_ms"], strict=True):
        usual = _usual(each, bot)
        a_node = move / max(nodes[bot], 1.0)
        if not usual or a_node < max(LEAST_MS, UNUSUAL * usual):
            continue
        others = move / usual
        if others < LEAST_SHARE * budget:
            continue
        work = (
            f"{duration(move * 1e6)} a move for {nodes[bot]:,.1f} nodes"
            if bot in each
            else f"{duration(move * 1e6)} a move, no node is counted"
        )
        yield (
            a_node / usual,
            bot,
            f"{work}; the others' median is {usual:,.2g} ms a node, or {others:,.0f} nodes in that "
            "time: it evaluates slowly, or searches without counted nodes",
        )


def _of_loading(loads: Mapping[str, float]) -> Iterator[tuple[float, str, str]]:
    for bot, load in loads.items():
        usual = _usual(loads, bot)
        if usual is not None and load >= max(LOAD_SECONDS, UNUSUAL * usual):
            yield (
                load / max(usual, 1e-3),
                bot,
                f"{load:,.1f} s to load, the others' median is {usual:,.2g} s: it imports or "
                "compiles, or searches where no node is counted",
            )


def _usual(values: Mapping[str, float], bot: str) -> float | None:
    others = [value for name, value in values.items() if name != bot]
    return median(others) if others else None
