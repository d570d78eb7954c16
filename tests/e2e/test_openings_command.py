"""`arena openings`."""

from __future__ import annotations

import json

import pytest

from arena.openings.drawing import find_openings
from arena.rules import RULESETS
from support.command_line import Typed, refused, succeeded


def test_the_openings_that_a_contest_draws_are_listed(typed: Typed) -> None:
    said = succeeded(typed("openings", "--preset", "cs4100", "--openings", 3, "--seed", 7))
    drawn = find_openings(RULESETS["cs4100"], 3, seed=7)
    for line, opening in zip(said.splitlines(), drawn, strict=False):
        assert line.endswith("   " + " ".join(map(str, opening.columns)))
        assert f"{len(opening.columns)} plies  evaluation 0" in line
    assert said.splitlines()[3].startswith("3 openings; ")


@pytest.mark.slow
def test_their_values_and_what_the_reference_scores_from_them_are_found_on_demand(
    typed: Typed,
) -> None:
    board = ("--rows", 4, "--columns", 5, "--openings", 4)
    listed = json.loads(typed("openings", *board, "--json")[1])
    assert {opening["exact"] for opening in listed["openings"]} == {None}
    assert listed["mover_share"] is None
    said = succeeded(typed("openings", *board, "--exact", "--share", "--json"))
    found = json.loads(said)
    for opening in found["openings"]:
        # the engine sees such a small board to its end, so it plays as well as can be
        assert opening["mover_score"] == (1 + (opening["exact"] > 0) - (opening["exact"] < 0)) / 2
    shares = [opening["mover_score"] for opening in found["openings"]]
    assert found["mover_share"] == sum(shares) / 4
    assert "drawn" in typed("openings", *board, "--exact", "--share")[1]


def test_where_there_are_too_few_that_is_said(typed: Typed) -> None:
    code, said, errors = typed("openings", "--rows", 2, "--columns", 2, "--openings", 50)
    assert code == 0
    assert "; no exact value is known" in said
    assert "there are no more fair openings" in errors


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--openings", 0), "openings = 0: expected 1 to 100000"),
        (("--rows", 0), "rows = 0: expected 1 to 64"),
        (("--min-plies", 9, "--max-plies", 3), "min_plies = 9: expected 0 to max_plies"),
        (("--preset", "chess"), "'chess' is not one of"),
    ],
)
def test_bad_input_is_one_clear_line(typed: Typed, words: tuple[object, ...], why: str) -> None:
    assert why in refused(typed("openings", *words))
