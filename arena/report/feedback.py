"""The feedback page for each bot's author: results, faults, games to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from arena.common.names import games_name, handed_in
from arena.common.text import counted, duration, in_code, plain_lines, rounded_rating
from arena.contest.entries import without_budget
from arena.contest.retirement import MOST, retry_in_words
from arena.game.record import Retake
from arena.game.verdict import Verdict
from arena.ranking.identical import Group, Sameness
from arena.ranking.standings import Separation, separations
from arena.report.analysis import accuracy_section
from arena.report.facts import Facts
from arena.report.game_file import game_file, terms_of
from arena.report.own_games import CitedGames, OwnGames
from arena.report.pseudonyms import CALLED, CHOICE_FILE, Pseudonym
from arena.report.screen.lines import retired_sentence
from arena.settings.contest import Contest, ScheduledGame

EXAMPLES = 3  # games shown for each kind of fault
WIDTH = 200  # characters shown of a printed line


class Feedback(NamedTuple):
    bot: str
    page: str
    games: str = ""
    """The text of a file with the games that the page names, see `game_file`; empty if it names
    none."""


def feedback_pages(facts: Facts, contest_name: str = "") -> Iterator[Feedback]:
    """Yield each bot's feedback page, also for bots that do not take part.

    With `contest_name`, pages name games by number, and show commands that read the game file
    beside the page. Else there is no game file, and pages show games by their moves. `OwnGames`
    defines what an author may see.
    """
    contest = facts.contest
    unplayed = Counter(name for game in facts.settled.due for name in (game.first, game.second))
    games, own_games = _renamed(facts).set_index("game", drop=False), OwnGames(facts)
    for values in facts.board.to_dict("records"):
        row = {str(key): value for key, value in values.items()}
        bot = str(row["bot"])
        numbers = own_games.numbers(bot)
        cited = None
        if contest_name:
            cited = CitedGames(games_name(bot), numbers, _source(contest, bot))
        lines = [
            *_results(facts, row, games.loc[list(numbers)], cited),
            *_not_played(unplayed[bot]),
            *_accuracy(facts, bot, numbers, cited),
            *_opponents(facts.public_name(bot), games.loc[list(numbers)]),
        ]
        text = ""
        if cited is not None and cited.named:
            named = [game for game in own_games(bot) if game.number in cited.named]
            limits = str(contest.limits)
            text = game_file(contest_name, limits, named, terms_of(contest, bot))
        yield Feedback(bot, "\n".join(lines) + "\n", text)
    for bot in contest.left_out:
        yield Feedback(bot, "\n".join(_refused(facts, bot)).rstrip("\n") + "\n")


def _renamed(facts: Facts) -> pd.DataFrame:
    games = facts.games
    if not facts.pseudonyms:
        return games
    names = {bot: facts.public_name(bot) for bot in facts.contest.bots} | {"": ""}
    columns = ("first", "second", "winner", "loser")
    return games.assign(**{each: games[each].astype(object).map(names) for each in columns})


def about_name(pseudonym: Pseudonym | None) -> Iterator[str]:
    if pseudonym is None:
        return
    yield f"{CALLED} `{pseudonym.name}`."
    if pseudonym.refused:
        yield f"The name in `{CHOICE_FILE}` is not used: it {pseudonym.refused}."


def _source(contest: Contest, bot: str) -> str:
    return Path(contest.bots[bot].source or "").name


def _handed_in(contest: Contest, bot: str) -> str:
    names = handed_in(_source(contest, bot), contest.bots[bot].entry_point.file)
    interface = contest.bots[bot].entry_point.interface
    known = f" Its interface is `{in_code(interface)}`." if interface else ""
    return f"Submitted as {' in '.join(f'`{in_code(name)}`' for name in names)}.{known}"


def _results(
    facts: Facts, row: Mapping[str, Any], games: pd.DataFrame, cited: CitedGames | None
) -> Iterator[str]:
    contest, bot = facts.contest, str(row["bot"])
    name = facts.public_name(bot)
    about = about_name(facts.pseudonyms.get(bot))
    yield from (f"# {bot}", "", _handed_in(contest, bot), *about, "")
    ties = separations(facts.standings, bot, contest.ranking.tie_breaks)
    named = [tie._replace(other=facts.public_name(tie.other)) for tie in ties]
    yield from placed(row, named, shared_sentence(bot, facts.same, facts.board))
    if (grade := facts.grades.by_bot.get(bot)) and grade.certainty:
        yield grade.certainty
    is_game, is_forfeit = games["is_game"].astype(bool), games["is_forfeit"].astype(bool)
    if uncounted := (is_game & (games["winner"] == name)).sum() - row["wins"]:
        more = counted(uncounted, "more game")
        yield f"It won {more} by a fault of the opponent, which does not count."
    if bot in facts.settled.retired:
        yield from ("", f"It {retired_sentence(bot, facts.settled, facts.board)}.")
    yield from ("", *spent(row))
    if bot in without_budget(contest):
        yield "The node budget does not apply to it: courses with its interface have none."
    yield from ("", *faults_section(name, games[is_game & ~is_forfeit], cited))
    yield from retries_section(facts.retries.get(bot, ()), cited)
    if missed := int((~is_game & ~is_forfeit).sum()):
        more = counted(missed, "more game")
        yield from ("", f"{more} could not be played, as the opponent could not be loaded.")


def placed(row: Mapping[str, Any], ties: Sequence[Separation], shared: str = "") -> Iterator[str]:
    """Yield sentences about a bot's rank, rating and grade.

    `row` is the bot's row of the leaderboard, `ties` come from `separations`, `shared` from
    `shared_sentence`.
    """
    yield (
        f"Rank {row['rank']}: {row['points']:g} of {row['games']} points "
        f"({row['wins']} won, {row['draws']} drawn, {row['losses']} lost)."
    )
    if shared:
        yield shared
    if not pd.isna(row["rating"]):
        yield _rated(row)
    if ties:
        apart = (
            f"{'ahead of' if is_ahead else 'behind'} {other} by {tie_break.words}"
            for other, tie_break, is_ahead in ties
        )
        yield f"With the same points a game it is {' and '.join(apart)}."
    if not pd.isna(row["grade"]):
        yield str(row["grade_why"])


def _not_played(unplayed: int) -> Iterator[str]:
    if unplayed:
        has = "has" if unplayed == 1 else "have"
        yield ""
        yield (
            f"{counted(unplayed, 'more game')} {has} not been played, through no fault of the bot. "
            "Rank and grade may still change."
        )


def _accuracy(
    facts: Facts, bot: str, numbers: Iterable[int], cited: CitedGames | None
) -> Iterator[str]:
    if facts.accuracies is not None:
        row, rules = facts.accuracies[bot], facts.contest.rules
        yield ""
        yield from accuracy_section(row, rules, cited, list(numbers), facts.public_name)


def _refused(facts: Facts, bot: str) -> Iterator[str]:
    contest, grade = facts.contest, facts.grades.by_bot.get(bot)
    yield from (f"# {bot}", "", _handed_in(contest, bot), "")
    yield from (f"It does not take part: it `{in_code(contest.left_out[bot])}`.", "")
    if grade is not None:
        yield from (grade.why, "")
    if contest.bots[bot].excluded is None:
        yield "`arena check` on the submission shows details, and whether a change helps."


def shared_sentence(bot: str, same: Iterable[Group], board: pd.DataFrame) -> str:
    """Return a sentence on how many identical bots share the rank; "" if none does."""
    group = next((group for group in same if bot in group.bots), None)
    if group is None:
        return ""
    mean = board.set_index("bot")["points"].reindex(list(group.bots)).mean()
    points = f"{round(float(mean), 1):g} points on average"
    are = "bots that play the same moves" if group.sameness is Sameness.PLAY else "identical bots"
    return f"{len(group.bots)} {are} share its rank and grade, with {points}."


def _rated(row: Mapping[str, Any]) -> str:
    rating, low, high = (
        rounded_rating(row[name]) for name in ("rating", "rating_low", "rating_high")
    )
    best, worst = row["rank_low"], row["rank_high"]
    ranks = f"is {best}" if best == worst else f"may be any from {best} to {worst}"
    return f"Rating {rating} (95 % interval: {low} to {high}): its true rank {ranks}."


def spent(row: Mapping[str, Any]) -> list[str]:
    if pd.isna(row["mean_move_ms"]):
        return ["It made no move."]
    average, most = (duration(row[f"{name}_move_ms"] * 1e6) for name in ("mean", "max"))
    spent = [f"A move took {average} on average and {most} at most."]
    if pd.isna(row["mean_nodes"]):
        spent.append("No search function was found whose calls could be counted.")
    else:
        spent.append(f"It searched {row['mean_nodes']:,.0f} nodes a move on average.")
    return spent


def fault_counts(bot: str, played: pd.DataFrame) -> list[str]:
    """Return a section with the number of each kind of fault.

    `played` has the bot's games except forfeits.
    """
    faults = _faults(bot, played)
    lines = _faults_heading(faults, played)
    if not faults.empty:
        lines.append("")
    for kind in Verdict:  # in a fixed order, as the order of games could say more
        if count := int((faults["verdict"] == kind.name).sum()):
            lines.append(f"- It {kind.value} in {counted(count, 'game')}.")
    return lines


def faults_section(bot: str, played: pd.DataFrame, cited: CitedGames | None) -> list[str]:
    """Return a section with each kind of fault, its first games and last output.

    `played` has the bot's games except forfeits. If `cited` is None, games are shown by their
    moves.
    """
    faults = _faults(bot, played)
    lines = _faults_heading(faults, played)
    for verdict, kind in faults.groupby("verdict", sort=False):
        lines += ["", f"### {verdict} ({len(kind)})", ""]
        for game in kind.head(EXAMPLES).itertuples():
            which = f"{game.first} against {game.second}; columns from 0: `{game.moves}`"
            if cited:
                number = int(str(game.game))
                which = f"game {cited.number(number)}, {game.first} against {game.second}; "
                which += f"`{cited.replay(number)}`"
            lines.append(f"- It `{in_code(str(game.reason))}` ({which})")
        if len(kind) > EXAMPLES:
            lines.append(f"- … and {len(kind) - EXAMPLES} more")
        output = str(kind.iloc[0]["output"]).strip("\n")
        if output:
            lines += ["", "The last it printed, or where it was, in the first of these games:", ""]
            lines += [f"    {line}" for line in plain_lines(output, WIDTH)]
        if cited:
            again = in_code(cited.ask(int(kind.iloc[0]["game"])))
            lines += ["", f"To ask your own copy the same again: `{again}`"]
    return lines


def retries_section(
    tries: Sequence[tuple[ScheduledGame, Retake]], cited: CitedGames | None
) -> list[str]:
    if not tries:
        return []
    lines = ["", f"## Retries ({len(tries)})", ""]
    lines.append(f"Faults that may not be the bot's own. A bot gets {MOST} retries in a contest.")
    lines.append("")
    for game, retake in tries:
        which = f"In game {cited.number(game.number)} it" if cited else "It"
        lines.append(f"- {which} `{in_code(retry_in_words(retake))}`.")
    return lines


def _faults(bot: str, played: pd.DataFrame) -> pd.DataFrame:
    return played[played["fault"].astype(bool) & (played["loser"] == bot)]


def _faults_heading(faults: pd.DataFrame, played: pd.DataFrame) -> list[str]:
    if faults.empty:
        return ["No game was lost by a fault."]
    share = f"{len(faults):,} of the {counted(len(played), 'game')} it played"
    return ["## Faults", "", f"{share} ended by a fault of the bot."]


def _opponents(bot: str, own: pd.DataFrame) -> list[str]:
    rows = own.loc[own["is_game"].astype(bool), ["first", "second", "winner"]]
    ended = Counter(
        (second if first == bot else first, winner) for first, second, winner in rows.to_numpy()
    )
    lines = ["", "## Against each opponent", ""]
    lines += ["| opponent | won | drawn | lost |", "|---|---|---|---|"]
    for name in sorted({name for name, _ in ended}):
        lines.append(f"| {name} | {ended[name, bot]} | {ended[name, '']} | {ended[name, name]} |")
    return lines
