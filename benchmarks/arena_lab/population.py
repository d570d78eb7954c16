"""Scenarios for classes like that of a played contest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from arena.common.errors import InputError
from arena.contest.session import Session
from arena.ranking.games import games_frame
from arena_lab.calibration import calibrate
from arena_lab.simulation import Scenario


def scenario_of(session: Session, scenario: Scenario) -> Scenario:
    """Return a scenario with the population, openings and house players of a contest.

    Ignores games that a fault ended. Raises InputError if too few games are left.
    """
    games = games_frame(session.settle(graded=False).settled.games)
    games = games[games["is_game"].astype(bool) & ~games["fault"].astype(bool)]
    bots = session.contest.playing
    met = {*games["first"], *games["second"]}
    students = [name for name in bots if name in met and not bots[name].house]
    house = [name for name in bots if name in met and bots[name].house]
    if len(students) < 2:
        raise InputError(
            f"{session.folder.path}: to estimate how far students are apart, two of their bots "
            "must have played games without a fault"
        )
    player = {name: index for index, name in enumerate([*students, *house])}
    opening, _ = pd.factorize(games["opening"])
    won, lost = games["winner"] == games["first"], games["winner"] == games["second"]
    population = calibrate(
        len(students),
        len(house),
        games["first"].map(player).to_numpy(np.int64),
        games["second"].map(player).to_numpy(np.int64),
        opening,
        (0.5 + 0.5 * won - 0.5 * lost).to_numpy(np.float64),
    )
    return replace(
        scenario,
        population=population,
        house=tuple(house),
        shared=session.contest.schedule.shared_openings,
        is_held=set(house) <= session.contest.held.keys(),
    )
