"""`arena lab`: openings, exact values, simulated classes."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from arena.openings.drawing import find_openings
from arena.rules import RULESETS
from support.bots import FIRST_FREE, LAST_FREE, bots_in
from support.command_line import Typed, refused, succeeded
from support.instant import Instant
from support.terminal import at_terminal


def test_the_openings_that_a_contest_draws_are_listed(typed: Typed) -> None:
    for pool, words in ((31, ()), (3, ("--shared-openings", "all"))):
        contest = ("--preset", "cs4100", "--openings", 3, "--seed", 7, *words)
        said = succeeded(typed("openings", *contest))
        drawn = find_openings(RULESETS["cs4100"], pool, seed=7)
        for line, opening in zip(said.splitlines(), drawn, strict=False):
            assert line.endswith("   " + " ".join(map(str, opening.columns)))
            assert f"{len(opening.columns)} plies  evaluation 0" in line
        assert said.splitlines()[pool].startswith(f"{pool} openings; ")


@pytest.mark.slow
def test_their_values_and_what_the_reference_scores_from_them_are_found_on_demand(
    typed: Typed,
) -> None:
    board = ("--rows", 4, "--columns", 5, "--openings", 4, "--shared-openings", "all")
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
        (("--shared-openings", "none"), "'none': expected 0 to 99999, or all"),
        (("--shared-openings", "123456"), "'123456': expected 0 to 99999, or all"),
        (("--min-plies", 9, "--max-plies", 3), "min_plies = 9: expected 0 to max_plies"),
        (("--preset", "chess"), "'chess' is not one of"),
    ],
)
def test_bad_input_is_one_clear_line(typed: Typed, words: tuple[object, ...], why: str) -> None:
    assert why in refused(typed("openings", *words))


# A late position in published notation: the side to move loses, -1.
EDGE = "2252576253462244111563365343671351441"


@pytest.fixture
def solve(typed: Typed) -> Typed:
    return lambda *words: typed("solve", *words)


def test_the_board_the_value_in_words_and_every_column_are_printed(solve: Typed) -> None:
    code, said, _ = solve("3 3 3 3 3", "2,4", "452")
    assert code == 0
    assert "|     O X X X   |" in said
    assert "X wins with this disc" in said
    assert said.count("best") == 1
    assert "column  6   +16   best" in said
    code, said, _ = solve("--one-based", EDGE)
    assert code == 0
    assert "With best play X wins 4 plies from here, with 2 more discs." in said
    assert "full" in said
    assert solve("0", "--rows", 4, "--columns", 4)[1].count("draw") == 1


def test_moves_may_be_words_commas_or_run_together_and_count_from_0_or_1(solve: Typed) -> None:
    one_based = " ".join(EDGE)
    zero_based = ",".join(str(int(column) - 1) for column in EDGE)
    forms = [("--one-based", EDGE), ("--one-based", one_based), (zero_based,)]
    read = [json.loads(solve("--json", *form)[1]) for form in forms]
    for result in read:
        del result["ms"]
        del result["nodes"]
    assert read[0] == read[1] == read[2]
    assert (read[0]["value"], read[0]["to_move"], read[0]["winner"]) == (-1, 2, 1)
    wide = ("--rows", 4, "--columns", 12, "--connect", 2, "--json")
    assert json.loads(solve(*wide, "11 0")[1])["moves"] == [11, 0]


def test_most_lines_is_said_as_lines(solve: Typed) -> None:
    board = ("--rows", 3, "--columns", 3, "--connect", 2, "--goal", "most")
    assert "more line" in solve(*board)[1]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["3", "x"], "'x' is not a column"),
        (["7"], "there is no column 7: columns are 0 to 6"),
        (["--one-based", "0"], "there is no column 0: columns are 1 to 7"),
        (["3333333"], "move 7, column 3: the column is full"),
        (["0101010"], "the game is over after move 7: X has won"),
        (["01010102"], "move 8, column 2: the game is over before it"),
        (["--rows", "0"], "rows = 0"),
        (["--positions", "absent"], "absent: No such file"),
        (["3", "--positions", "absent"], "not both"),
    ],
)
def test_bad_input_is_one_line(solve: Typed, words: list[str], why: str) -> None:
    assert why in refused(solve(*words))


def test_a_position_that_takes_too_long_is_not_solved(solve: Typed) -> None:
    code, _, said = solve("3 3 3 3 3 3 2 2", "--seconds", 0)
    assert code == 1
    assert "not solved within 0 seconds" in said


def test_a_file_of_positions_tells_how_many_agree_and_which_do_not(
    solve: Typed, tmp_path: Path
) -> None:
    (tmp_path / "right").write_text(f"{EDGE} -1\n\n")
    code, said, _ = solve("--positions", "right")
    assert (code, "1 of 1 agree" in said) == (0, True)
    (tmp_path / "wrong").write_text(f"{EDGE} -1\n{EDGE} 2\n")
    code, said, _ = solve("--positions", "wrong")
    assert (code, "1 of 2 agree" in said) == (1, True)
    assert "wrong:2: expected 2, found -1" in said


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("44 x", "bad:2: 'x' is not a score"),
        ("48 1", "bad:2: there is no column 8"),
        ("4444444 1", "bad:2: move 7, column 4: the column is full"),
    ],
)
def test_a_bad_line_of_a_file_is_named(solve: Typed, tmp_path: Path, line: str, why: str) -> None:
    (tmp_path / "bad").write_text(f"{EDGE} -1\n{line}\n")
    code, _, said = solve("--positions", "bad")
    assert (code, why in said) == (2, True)


@pytest.mark.slow
def test_a_class_like_that_of_a_contest_is_simulated(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Instant.in_place_of_lanes(monkeypatch)
    bots_in(tmp_path / "bots", ann=FIRST_FREE, ben=LAST_FREE)
    words = ("--openings", 2, "--nodes", 200, "--seed", 5, "--grade", "seed")
    succeeded(typed("run", "bots", *words, "--out", "results"))
    words = ("--from", "results", "--openings", 2, "--classes", 3, "--json")
    output = succeeded(typed("simulate", *words))
    (found,) = json.loads(output)["fields"]
    assert found["players"] == 2
    assert found["house"]["random"] < found["house"]["reference"]
    assert found["rows"][0]["games"] == 4 * 3 * 2
    assert set(found["advice"]) == {"seed", "curve", "scale"}
    output = succeeded(typed("simulate", *words, "--bots", 5, "--spread", 40))
    (wanted,) = json.loads(output)["fields"]
    assert (wanted["players"], wanted["spread"]) == (5, 40)
    assert (wanted["house"], wanted["draws"]) == (found["house"], found["draws"])


@pytest.mark.slow
def test_an_interrupted_simulation_says_how_far_it_came(tmp_path: Path) -> None:
    with at_terminal("simulate", "--bots", 4, "--classes", 100_000, cwd=tmp_path) as terminal:
        terminal.see("/100000")
        terminal.send(signal.SIGINT)
        assert terminal.end() == 130
        assert "of 100,000 classes of 4 students" in terminal.seen
