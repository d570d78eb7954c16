"""What a sample of games that were played again says of each bot, and of the contest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.audit.rerun import AnswerGiven, Cause, Difference, Rerun
from arena.audit.words import REPEATS, unexplained, verified
from support.scripted import games_between, lost

ONE, TWO, THREE = games_between(("ann", "bob"), ("bob", "cem"), ("ann", "cem"))
ANSWER = AnswerGiven(ply=3, column=1, charged_ns=1)


def rerun(game: object, cause: Cause | None = None, seat: int | None = None) -> Rerun:
    """A game that repeats, or that differs for this cause in an answer of this seat."""
    record = replace(lost(ONE, "ann"), key="")
    difference = Difference(ply=3, seat=seat, before=ANSWER, again=replace(ANSWER, column=2))
    return Rerun(
        game=game,  # type: ignore[arg-type]
        before=record,
        again=record,
        difference=None if cause is None else difference,
        cause=cause,
    )


def test_a_difference_is_laid_to_the_bot_whose_answer_it_is() -> None:
    found = {each.bot: each for each in verified([rerun(ONE, Cause.CHANGED, 1), rerun(TWO)])}
    assert [(each.games, len(each.differing)) for each in found.values()] == [
        (1, 0),
        (2, 1),
        (1, 0),
    ]
    assert found["ann"].verdict == REPEATS
    assert found["bob"].verdict == Cause.CHANGED.value


@pytest.mark.parametrize(
    ("causes", "left"),
    [
        ((None, Cause.NOT_DETERMINISTIC), 0),
        ((None, Cause.CHANGED), 1),
        ((Cause.CHANGED, Cause.NOT_DETERMINISTIC), 0),
        ((None, Cause.RECORD), 1),
        ((Cause.RECORD, Cause.NOT_DETERMINISTIC), 1),
        ((Cause.TIME, Cause.NOT_DETERMINISTIC), 1),  # a forfeit that nothing explains
    ],
)
def test_what_is_left_to_be_looked_at(causes: tuple[Cause | None, ...], left: int) -> None:
    games = [
        rerun(game, cause, None if cause is Cause.RECORD else seat)
        for game, cause, seat in zip((ONE, TWO), causes, (1, 0), strict=True)
    ]  # bob's answers, both
    assert len(unexplained(games)) == left
