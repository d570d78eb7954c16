"""An analysis for people: a contest's table, and a section of each feedback page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from arena.analysis.analysis import GameAnalysis, JudgedMove
from arena.common.text import counted, quote
from arena.contest.retirement import Settled
from arena.ranking.accuracy import Accuracy, Analysed, accuracy_frame, analysed_games, missing_games
from arena.report.own_games import CitedGames
from arena.report.replay import any_of, best_worth_in_words, worth_in_words
from arena.report.screen.fitting import fitted_table
from arena.report.screen.leaderboard import cells_of
from arena.rules import MARKS, Position, Ruleset, draw

# columns that a narrow screen leaves out, in this order
DROPPED = (
    *("estimated_blunders", "estimated", "moves", "known", "lost", "mean_first_blunder_ply"),
    *("first_blunders", "mattered"),
)
BOARDS = 3  # lost games whose board a feedback page shows; it lists all of them


def analysis_table(rows: Iterable[Accuracy], width: int) -> Table:
    frame = accuracy_frame(rows).sort_values("accuracy", ascending=False)
    frame["accuracy"] = frame["accuracy"].map("{:.1%}".format, na_action="ignore")
    return fitted_table(cells_of(frame), width, DROPPED)


def missing_lines(
    settled: Settled, analyses: Mapping[str, GameAnalysis], folder: Path
) -> Iterator[Text]:
    if analyses and (missing := len(missing_games(settled, analyses))):
        done = len(analysed_games(settled, analyses))
        are = "is" if done == 1 else "are"
        yield Text(
            f"{done:,} of {counted(done + missing, 'game')} {are} analysed: "
            f"arena analyse {quote(str(folder))}",
            style="yellow",
        )


def coverage_line(games: Sequence[Analysed]) -> str:
    judged = [move for _, record, analysis in games for move in analysis.judged(record)]
    estimated = sum(move.is_estimate for move in judged)
    total = f"{counted(len(judged), 'move')} of {counted(len(games), 'game')}"
    if not estimated:
        return f"{total}: the exact value of each is known"
    return (
        f"{total}: {len(judged) - estimated:,} judged by exact values, {estimated:,} by estimates"
    )


def accuracy_section(
    row: Accuracy,
    rules: Ruleset,
    cited: CitedGames | None,
    order: Sequence[int],
    public_name: Callable[[str], str],
) -> list[str]:
    """Return the lines of a feedback page's section on accuracy and lost games.

    `cited` collects the games that the section names; None for a page without game numbers. `order`
    lists the contest's numbers of the bot's games in the page's order. `public_name(bot)` returns a
    bot's name on the page.
    """
    lines = ["## What its moves were worth", "", _summary(row)]
    if row.lost:
        lines += ["", "### Where its lost games were lost", ""]
    place = {number: place for place, number in enumerate(order)}
    losses = sorted(row.lost, key=lambda lost: place[lost.analysed.game.number])
    turned = [(lost.analysed, lost.turn) for lost in losses if lost.turn is not None]
    for shown, (analysed, turn) in enumerate(turned):
        lines.append(_turn_line(analysed, turn, cited, public_name))
        if shown < BOARDS:
            position = Position(rules, analysed.record.columns[: turn.ply])
            lines += ["", *(f"      {line}" for line in draw(position).splitlines()), ""]
    if more := len(losses) - len(turned):
        lines.append(f"- No single blunder lost {counted(more, 'more game')}.")
    return lines


def _summary(row: Accuracy) -> str:
    if not row.missing:
        return _judged(row)
    if not row.games:
        return "Its games have not been analysed yet."
    are = "is" if row.games == 1 else "are"
    games = counted(row.games + row.missing, "game")
    return f"{row.games} of its {games} {are} analysed so far. {_judged(row)}"


def _judged(row: Accuracy) -> str:
    if not row.moves:
        return "It made no move in the games that were analysed."
    how = "all by exact values"
    if row.estimated:
        how = (
            f"{row.known:,} by exact values, {row.estimated:,} by estimates (average results "
            "of players like Arena's house players from such positions)"
        )
    judged = f"{counted(row.moves, 'move')} judged, {how}"
    if row.accuracy is None:
        return f"{judged}; no other move would have been worse."
    estimated = f" ({row.estimated_blunders} by estimates)" if row.estimated_blunders else ""
    return (
        f"{judged}. At {row.mattered} of them it could have gone wrong. "
        f"Blunders, which gave away 0.3 points or more: {row.blunders}{estimated}. "
        f"Accuracy: {row.accuracy:.1%}."
    )


def _turn_line(
    analysed: Analysed,
    turn: JudgedMove,
    cited: CitedGames | None,
    public_name: Callable[[str], str],
) -> str:
    which = " against ".join(map(public_name, analysed.game.names))
    if cited:
        game = analysed.game.number
        which = f"game {cited.number(game)}, {which}; `{cited.replay(game)}`"
    best = turn.position.best
    return (
        f"- Ply {turn.ply + 1}, as {MARKS[turn.ply % 2]}: column {turn.column} "
        f"{worth_in_words(turn.worth)}, where column {any_of(best)} "
        f"{best_worth_in_words(turn.position)} ({which})"
    )
