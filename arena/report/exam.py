"""Answers to examiners, as lines and as JSON; see `arena.ranking.exam`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import orjson
from rich.text import Text

from arena.common.text import some_of
from arena.ranking.exam import Exam
from arena.report.facts import Facts

MOST_NAMED = 3  # pairings or bots named in a line; the others are counted
LEAST_CHANCE = 0.001  # places differ if chance has less likelihood
DIGITS = 4  # decimals in JSON


def exam_lines(exam: Exam) -> Iterator[Text]:
    """Yield lines on the first mover's advantage, surprising results, and lanes."""
    if exam.openings > 1:
        gain, error = 100 * exam.first_mover, 100 * exam.first_mover_error
        of = f"points in 100 games (95 % interval, {exam.openings:,} openings)"
        yield Text(f"moving first gains {gain:+.1f} ±{error:.1f} {of}", "dim")
    found = exam.pairings[exam.pairings["surprising"]].to_dict("records")
    found.sort(key=lambda row: -abs(row["standard_score"]))
    if found:
        named = [
            f"{row['one']} – {row['other']} {100 * row['points'] / row['games']:.0f} % for "
            f"{100 * row['predicted']:.0f} %"
            for row in found
        ]
        yield Text(
            f"scores that the ratings do not predict: {some_of(named, MOST_NAMED)}", "yellow"
        )
    for test in exam.places:
        odd = test.bots[test.bots["surprising"]]
        named = [f"{bot} on {place}" for bot, place in zip(odd["bot"], odd["place"], strict=True)]
        where = f"{len(test.places)} {test.kind}s"
        chances = {"results": test.results_chance, "faults": test.faults_chance}
        unusual = [
            f"{what} differ between them (by luck with a chance of {chance:.2g})"
            for what, chance in chances.items()
            if chance < LEAST_CHANCE
        ]
        if named:
            unusual.append(f"unusual results: {some_of(named, MOST_NAMED)}")
        if unusual:
            remedy = "arena verify --replay plays some games again"
            yield Text(f"{where}: {'; '.join([*unusual, remedy])}", "yellow")
        elif len(test.bots):  # else there are too few games
            yield Text(f"{where}: none favours a bot, as far as the games can tell", "dim")


def exam_text(facts: Facts) -> str:
    """Return all as JSON; `better`: a bot's chances to be better than each."""
    exam, bots = facts.exam, facts.board["bot"].tolist()
    own = [facts.ratings.players[bot] for bot in bots]
    tests = [
        test._asdict() | {"bots": test.bots.round(DIGITS).to_dict("records")}
        for test in exam.places
    ]
    parts = {
        "first_mover": {
            "advantage": round(exam.first_mover, DIGITS),
            "error": round(exam.first_mover_error, DIGITS),  # null if infinite
            "openings": exam.openings,
        },
        "pairings": exam.pairings.round(DIGITS).to_dict("records"),
        "places": tests,
        "bots": bots,
        "better": facts.ratings.likelihoods[np.ix_(own, own)].round(DIGITS).tolist(),
    }
    return orjson.dumps(parts, option=orjson.OPT_APPEND_NEWLINE).decode()
