"""Arena from Python, for notebooks and scripts: the same contests without the command line."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from arena.contest import (
    Contest,
    ContestFolder,
    Format,
    Lanes,
    Run,
    Schedule,
    available_cores,
    draw_seed,
    enter,
    names_by_source,
    require_a_bot_of,
    settle,
    wishes,
)
from arena.contest.entries import seated
from arena.engine.ready import compile_engine
from arena.errors import InputError
from arena.intake import find_roster, find_submission, house_submissions
from arena.preflight import find_refusals, known_refusals, refused, untried
from arena.referee import GameKey, GameRecord, Limits
from arena.referee import play as referee_play
from arena.referee.bot_player import BotPlayer
from arena.referee.refusal import refuses
from arena.referee.zygote import Zygote, require_confinement
from arena.report.files import write_results
from arena.rules import Ruleset


def play(
    first: str | Path,
    second: str | Path,
    *,
    rules: Ruleset | None = None,
    limits: Limits | None = None,
    opening: Sequence[int] = (),
    seed: int = 1,
    one_bot: bool = False,
    allow_unsandboxed: bool = False,
) -> GameRecord:
    """Play one game between two bots, each a path or a house player's name.

    `opening` are columns played before the bots are asked. With `one_bot` a folder is one bot even
    if it looks like several. Raises InputError if a bot is not
    there, no bot of its kind can play by the rules, or this machine cannot confine bots and it is
    not allowed to run them all the same,
    IllegalMoveError for an opening that cannot be played; whatever a bot does wrong is the record's
    verdict.
    """
    require_confinement(allow_unsandboxed)
    one, other = (find_submission(str(path), one_bot=one_bot) for path in (first, second))
    one, other = replace(one, name="first"), replace(other, name="second")
    base = Contest(rules=rules or Ruleset(), limits=limits or Limits())
    with tempfile.TemporaryDirectory() as scratch:
        contest, submissions = enter(base, (one, other), ())
        if contest.needs_engine:
            _compile()
        folder = ContestFolder(Path(scratch))
        folder.create()
        folder.write(contest, submissions.values())
        bots = seated(contest, folder.snapshots)
        for name, bot in bots.items():
            if (why := refuses(bot, contest.rules)) is not None:
                raise InputError(f"the {name} bot {why}")
        key = GameKey(
            rules=contest.rules,
            limits=contest.limits,
            opening=tuple(opening),
            first=bots["first"],
            second=bots["second"],
            seed=seed,
        )
        zygote = Zygote()
        try:
            with (
                BotPlayer(zygote, key.first, key.limits) as one_player,
                BotPlayer(zygote, key.second, key.limits) as other_player,
            ):
                return referee_play(key, one_player, other_player)
        finally:
            zygote.close()


def run_contest(
    paths: Sequence[str | Path],
    out: str | Path,
    *,
    rules: Ruleset | None = None,
    limits: Limits | None = None,
    openings: int = 10,
    seed: int | None = None,
    format: str = "round-robin",
    retire_after: int = 5,
    house: bool = True,
    lanes: int | None = None,
    one_bot: bool = False,
    allow_unsandboxed: bool = False,
) -> pd.DataFrame:
    """Play what is missing of a contest in folder `out`; returns the leaderboard, best first.

    A bot that cannot play on a board of this size does not take part. A bot that
    hangs, or cannot be loaded, in `retire_after` games, and in half of those it played, forfeits
    the others (0: never). Without a `seed` it is the folder's, or a new one that no bot can guess.
    With `one_bot` a folder is one bot even if it looks like several. The frame has the columns of
    leaderboard.csv, which is written too, like all the folder's files. Raises InputError as the
    command `arena run` would print it.
    """
    require_confinement(allow_unsandboxed)
    folder = ContestFolder(Path(out))
    before = folder.read() if folder.is_contest else None
    if seed is None:
        seed = before.schedule.seed if before else draw_seed()
    try:
        contest = Contest(
            rules=rules or Ruleset(),
            limits=limits or Limits(),
            schedule=Schedule(
                format=Format(format), openings=openings, seed=seed, retire_after=retire_after
            ),
            bots=wishes(before) if before else {},
        )
    except ValueError as error:
        raise InputError(str(error)) from None
    known = names_by_source(before) if before else {}
    roster = find_roster(map(Path, paths), known, one_bot=one_bot)
    if before:
        require_a_bot_of(before, folder.path, roster)
    players = (*(house_submissions() if house else ()), *roster.house)
    contest, submissions = enter(contest, roster.submissions, players)
    if len(submissions) < 2:
        raise InputError(f"{', '.join(map(str, paths))}: a contest needs two bots")
    folder.create()
    _compile()
    cores = available_cores()[:lanes]
    with folder.locked(), Lanes(cores) as executor:
        folder.keep(submissions.values())
        known = known_refusals(contest, before, folder.snapshots)
        bots = untried(contest, known, folder.snapshots)
        known |= find_refusals(bots, contest, executor, len(cores))
        contest = refused(contest, known, folder.snapshots)
        if len(contest.playing) < 2:
            why = "; ".join(f"{name} {why}" for name, why in contest.refused.items())
            raise InputError(f"a contest needs two bots: {why}")
        folder.write(contest, submissions.values())
        games = folder.games(contest)
        journal = folder.journal()
        try:
            for _ in Run(games, journal, executor, len(cores), retire_after):
                pass
            records = {record.key: record for record in journal.records()}
            analyses = journal.analyses()
        finally:
            journal.close()
        settled = settle(games, records, retire_after)
        return write_results(folder.path, contest, settled, analyses)


def _compile() -> None:
    """Have the engine compiled, and say so, as it takes a while. Raises InputError."""
    for line in compile_engine():
        print(line, file=sys.stderr, flush=True)
