"""The standings while a contest is played: at every moment those that `arena rank` has."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from arena.contest.entries import bots_by_name
from arena.contest.index import ScheduledGames
from arena.contest.retirement import settle
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.ranking.games import games_frame
from arena.ranking.identical import Sameness
from arena.ranking.ratings import rank_games
from arena.report.tally import Scoreboard
from arena.scoring.tie_breaks import TieBreakName
from arena.settings.contest import (
    BotEntry,
    Contest,
    Forfeits,
    Format,
    Ranking,
    Schedule,
    ScheduledGame,
)
from arena.web.publisher import Coverage

OPENINGS = [(one, 3) for one in range(7)]

SAME_AS = {"copy": "ann", "renamed": "bea", "imitator": "cy"}
"""Bots that move as others: with the same files, with the same source, and by themselves."""


def field(*, house: bool) -> dict[str, BotEntry]:
    entries = {
        name: BotEntry(content_hash=SAME_AS[name] if name == "copy" else name)
        for name in ("ann", "imitator", "bea", "copy", "cy", "dan", "hangs", "renamed", "fails")
    }
    for name in ("bea", "renamed"):
        entries[name] = replace(entries[name], likeness="alike")
    entries["away"] = BotEntry(content_hash="away", refused="cannot play on this board")
    for name in ("random", "reference"):
        entries[name] = BotEntry(content_hash=name, house=house)
    return entries


def played(game: ScheduledGame) -> GameRecord:
    """A game as bots play it that choose by the moves so far and who they are."""
    names = [SAME_AS.get(name, name) for name in (game.first, game.second)]
    moves = list(game.key.opening)
    draw = random.Random(f"{names} {moves}")
    winner, verdict = draw.choice([0, 1, None]), Verdict.LINE
    if "hangs" in names:
        winner, verdict = 1 - names.index("hangs"), Verdict.TIMEOUT
    elif "fails" in names and draw.random() < 0.5:
        winner, verdict = 1 - names.index("fails"), Verdict.ERROR
    else:
        for ply in range(len(moves), 20):
            moves.append(random.Random(f"{names[ply % 2]} {moves}").randrange(7))
    return GameRecord(
        key=game.key.digest,
        columns=tuple(moves),
        opening_plies=len(game.key.opening),
        charged_ns=(),
        nodes=(),
        winner=winner,
        verdict=Verdict.BOARD_FULL if winner is None else verdict,
        reason="made up",
    )


def contest(
    format_: Format = Format.ROUND_ROBIN, until_settled: float = 0.0, **ranking: object
) -> Contest:
    return Contest(
        bots=field(house=True),
        schedule=Schedule(format=format_, until_settled=until_settled, retire_after=3),
        ranking=Ranking(**ranking),  # type: ignore[arg-type]
    )


CONTESTS = {
    "round robin": contest(),
    "gauntlet": contest(Format.GAUNTLET),
    "until settled": contest(until_settled=0.95),
    "forfeits apart and other tie-breaks": contest(
        forfeits=Forfeits.APART,
        tie_breaks=(TieBreakName.WINS, TieBreakName.SONNEBORN_BERGER),
    ),
}


@pytest.mark.parametrize("terms", CONTESTS.values(), ids=CONTESTS)
def test_live_standings_are_at_every_moment_those_of_the_leaderboard(terms: Contest) -> None:
    games = ScheduledGames(terms, bots_by_name(terms, Path()), OPENINGS)
    every = {game.key.digest: played(game) for game in games}
    tally, coverage = Scoreboard(terms, games), Coverage(terms, games)
    draw, known = random.Random(1), {}
    order = draw.sample(sorted(every), len(every))
    retired, ends = False, sorted(draw.sample(range(len(order)), 5)) + [len(order)]
    for start, end in zip([0, *ends], ends, strict=False):
        new = [every[digest] for digest in order[start:end]]
        known |= {record.key: record for record in new}
        for record in new:
            tally.add(record)
        settled = settle(games, known, terms.schedule.retire_after)
        tally.retire(settled.retired)
        tally.find_same()
        coverage.add(new)
        ranked = rank_games(games_frame(settled.games), terms)
        columns = ranked.standings[["rank", "points", "games", "forfeits"]].itertuples()
        wanted = [tuple(row) for row in columns]
        assert [
            (row.name, row.rank, row.points, row.games, row.faults) for row in tally.standing()
        ] == wanted
        live = coverage.state(is_played=True)
        assert [
            (row["name"], row["rank"], row["points"], row["games"], row["faults"])
            for row in live["standings"]
        ] == wanted
        assert live["played"] + live["forfeited"] == len(settled.games)
        retired = retired or "hangs" in settled.retired
    found = {group.sameness: group.bots for group in ranked.same}
    assert retired and found[Sameness.FILES] == ("ann", "copy")
    if terms.schedule.format is Format.ROUND_ROBIN:
        assert found[Sameness.PLAY] == ("imitator", "cy")
        assert found[Sameness.SOURCE] == ("bea", "renamed")
