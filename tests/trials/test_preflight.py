"""What is found out about bots before a contest, and who is refused."""

from __future__ import annotations

import errno
import json
import re
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import cache
from pathlib import Path
from textwrap import dedent
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from arena.contest.entries import bots_by_name, known_findings, look_at, untried
from arena.contest.session import Session
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.record import Bot
from arena.game.verdict import Verdict
from arena.intake.submission import read_submission
from arena.machine.facts import Machine
from arena.playing.driver import LANE_LOST, LaneExecutor
from arena.report.check import check_lines, check_page, check_record
from arena.rules import RULESETS, Goal, Position, Ruleset, draw, parse_moves
from arena.settings.contest import BotEntry, Contest, pairings
from arena.trials import examine, trial
from arena.trials import pace as refusals
from arena.trials.preflight import Preflight, check_bots
from arena.trials.trial import Terms
from support.bots import FIRST_FREE, LAST_FREE, MakeBot, house_bot, pick_move_in

CLASSIC, CS4100 = RULESETS["classic"], RULESETS["cs4100"]
QUICK = Limits(move_seconds=0.2, first_move_seconds=0.0, load_seconds=5.0, nodes=500)
ALONE = "cannot play on 8 rows × 8 columns, connect 4: its kind plays on 6×7 alone"
EIGHT = """
def pick_move(rack):
    free = [c for c in range(8) if rack[c][-1] == 0]
    return free[0]
"""
AS_A_CLASS = """
import random
class ComputerPlayer:
    def __init__(self, id, level):
        self.id = id
    def pick_move(self, rack):
        {body}
        return [c[-1] for c in rack].index(0)
"""


def refusal(zygote: Zygote, bot: Bot, rules: Ruleset = CLASSIC) -> str | None:
    refused = refusals.refusal(zygote, bot, Terms(rules, QUICK, 1))
    return refused and refused.reason


def examined(zygote: Zygote, bot: Bot, rules: Ruleset = CLASSIC) -> examine.Examination:
    return examine.examine(zygote, bot, Terms(rules, QUICK, 1))


def asserting(body: str) -> str:
    return AS_A_CLASS.format(body=body)


SEVEN = asserting("assert len(rack) == 7")
BEYOND = asserting("assert not any(map(any, rack[7:])), 'where is that disc?'")


@pytest.mark.parametrize(
    ("source", "rules", "why"),
    [
        (EIGHT, CLASSIC, "6×7, though it can on 8×8: it raised IndexError: tuple index out of"),
        (SEVEN, CS4100, "8×8, though it can on 6×7: it raised AssertionError (bot.py, line 7)"),
        (BEYOND, CS4100, "8×8, though it can on 6×7: it raised AssertionError: where is that disc"),
    ],
)
def test_a_bot_for_another_board_is_refused(
    zygote: Zygote, make_bot: MakeBot, source: str, rules: Ruleset, why: str
) -> None:
    bot = make_bot(source)
    assert (refusal(zygote, bot, rules) or "").startswith(f"cannot play on {why}")
    assert refusal(zygote, bot, CLASSIC if rules is CS4100 else CS4100) is None


NO_MATTER_OF_THE_BOARD = {
    "is broken on every board": asserting("return rack[0][99]"),
    "fails now and then": asserting("assert random.random() < 0.5"),
    "fails later on it": asserting("assert len(rack) != 7 or sum(map(sum, rack)) < 15"),
    "fails as player 2": asserting("assert self.id == 1 or len(rack) != 7"),
    "is slow on it": asserting("import time; time.sleep(0.4 if len(rack) == 7 else 0)"),
    "needs too much memory on it": asserting("x = [0] * (10**10 if len(rack) == 7 else 1)"),
    "never ends": asserting("while True: pass"),
    "lacks a module": "import torch_x\n" + FIRST_FREE,
    "is no Python": "def pick_move(rack)\n",
}


@pytest.mark.parametrize("source", NO_MATTER_OF_THE_BOARD.values(), ids=[*NO_MATTER_OF_THE_BOARD])
def test_other_faults_refuse_nobody(zygote: Zygote, make_bot: MakeBot, source: str) -> None:
    assert refusal(zygote, make_bot(source)) is None


def test_a_bot_plays_any_board(zygote: Zygote, make_bot: MakeBot) -> None:
    for shape in ((1, 1), (1, 5, 2), (5, 1), (2, 2, 2), (64, 64)):
        assert refusal(zygote, make_bot(), Ruleset(*shape)) is None


def test_a_kind_of_bot_that_knows_one_board_is_refused_untried(
    zygote: Zygote, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(rules: Ruleset) -> str | None:
        return None if (rules.rows, rules.columns) == (6, 7) else "its kind plays on 6×7 alone"

    monkeypatch.setattr(refusals, "interface_of", lambda _: SimpleNamespace(refuses=refuses))
    bot = make_bot()
    assert refusal(zygote, bot, CS4100) == ALONE
    shown = examined(zygote, bot, CS4100)
    assert shown.refused == refusals.Refusal(reason=ALONE)
    assert shown.games == ()
    assert [refusals.size(board.rules) for board in shown.boards if board.trial] == ["6×7"]


def test_an_examination_shows_both_sides_and_boards(zygote: Zygote, make_bot: MakeBot) -> None:
    does = "    print('hello')\n    minimax(9)\n    assert len(rack) < 8, 'too wide'\n    return"
    source = "def minimax(d):\n    return d and minimax(d - 1)\n"
    source += FIRST_FREE.replace("    return", does)
    shown = examined(zygote, make_bot(source))
    assert shown.refused is None
    assert [game.seat for game in shown.games] == [0, 1]
    for game in shown.games:
        assert game.verdict in (Verdict.LINE, Verdict.BOARD_FULL)
        assert set(game.nodes) == {10}
        assert len(game.charged_ns) == len(game.nodes) >= 4
        assert "hello" in game.output
    on = {refusals.size(board.rules): board.trial for board in shown.boards}
    assert list(on) == ["8×8", "7×8", "5×6", "4×4", "10×10"]
    failed = {name for name, trial in on.items() if trial is not None and trial.is_fault}
    assert {"8×8", "7×8", "10×10"} <= failed
    wide = on["8×8"]
    assert wide is not None
    assert wide.reason == "raised AssertionError: too wide (bot.py, line 6), at ply 1"
    assert wide.output.startswith("hello\nTraceback")


@pytest.mark.slow
def test_a_slow_bot_makes_a_move_from_each_side_and_is_spared_the_rest(
    zygote: Zygote, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examine, "GAME_SECONDS", 0.05)
    monkeypatch.setattr(examine, "BOARDS_SECONDS", 0.05)
    shown = examined(zygote, make_bot(AS_A_CLASS.format(body="import time; time.sleep(0.1)")))
    assert [(game.verdict, len(game.charged_ns)) for game in shown.games] == [(None, 1)] * 2
    assert not any(game.is_fault for game in shown.games)
    assert all(board.trial is None for board in shown.boards)


def test_a_bot_out_of_time_is_not_waited_for_twice(zygote: Zygote, make_bot: MakeBot) -> None:
    (game,) = examined(zygote, make_bot(AS_A_CLASS.format(body="while True: pass"))).games
    assert game.verdict is Verdict.TIMEOUT
    assert game.is_fault


class Here(LaneExecutor):
    """Runs work at once, with the tests' zygote; fails for files with an error."""

    def __init__(self, zygote: Zygote, errors: Mapping[str, Exception] = MappingProxyType({})):
        self._zygote, self._errors = zygote, errors
        self.tried: list[str] = []

    @property
    def lanes(self) -> int:
        return 2

    def machines(self) -> list[Machine]:
        return []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        (batch,) = args
        (candidate,) = batch.items
        file = candidate.bot.entry_point.file
        self.tried.append(file)
        future: Future[Any] = Future()
        if file in self._errors:
            future.set_exception(self._errors[file])
        else:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("arena.playing.batches.own_starter", cache(lambda: self._zygote))
                future.set_result(fn(batch))
        return future


def check_all(
    paths: list[Path], lanes: LaneExecutor, contest: Contest | None = None
) -> list[Preflight]:
    bots = [read_submission(path) for path in paths]
    with Session.throwaway(contest or Contest(limits=QUICK), bots) as session:
        return list(check_bots(session.contest, session.bots, session.submissions, lanes))


def files(folder: Path, **sources: str) -> list[Path]:
    folder.mkdir(exist_ok=True)
    paths = [folder / f"{name}.py" for name in sources]
    for path, source in zip(paths, sources.values(), strict=True):
        path.write_text(source)
    return paths


BESIDE: dict[str, tuple[Exception, str]] = {
    "lost": (BrokenProcessPool("gone"), LANE_LOST),
    "ours": (KeyError("rack"), "Arena itself failed, please report it: KeyError: 'rack'"),
    "full": (
        OSError(errno.ENOSPC, "No space left on device", "/tmp/x"),
        "/tmp/x: No space left on",
    ),
}


@pytest.mark.slow
def test_what_fails_beside_a_bot_leaves_its_result_open_and_costs_the_others_nothing(
    zygote: Zygote, tmp_path: Path
) -> None:
    paths = files(tmp_path / "bots", alice=FIRST_FREE, **dict.fromkeys(BESIDE, LAST_FREE))
    lanes = Here(zygote, {f"{name}.py": error for name, (error, _) in BESIDE.items()})
    results = {result.submission.name: result for result in check_all(paths, lanes)}
    assert not results["alice"].open
    for result in results.values():
        assert result.fault is None
        json.dumps(check_record(result))
    for name, (_, why) in BESIDE.items():
        result = results[name]
        assert lanes.tried.count(f"{name}.py") == 2
        assert check_record(result)["open"] == result.open
        (line,) = check_lines([result])
        for told in (result.open, check_page(result, CLASSIC, QUICK), str(line)):
            assert f"could not be checked, through no fault of the bot: {why}" in told


def test_a_page_shows_each_fault_once_with_its_traceback(zygote: Zygote, tmp_path: Path) -> None:
    source = AS_A_CLASS.format(body="print('I am', self.id); assert len(rack) != 7, '`x`'")
    page = page_of(zygote, tmp_path, source)
    assert page.startswith(
        "# alice\n\nIt `cannot play on 6×7, though it can on 8×8: "
        "it raised AssertionError: 'x' (alice.py, line 7)`."
    )
    assert "Interface pick_move, entry point ComputerPlayer in alice.py" in page
    assert page.count("It `raised AssertionError: 'x' (alice.py, line 7)`") == 1
    assert "\n- as player 1 and as player 2\n" in page
    traceback = '    Traceback (most recent call last):\n      File "alice.py", line 7'
    assert f"    I am 1\n{traceback}" in page
    assert "Its first moves were legal on 8×8" in page


def test_faults_on_other_boards_cost_nothing(zygote: Zygote, tmp_path: Path) -> None:
    page = page_of(zygote, tmp_path, AS_A_CLASS.format(body="assert len(rack) == 7"))
    assert "It plays without a fault on" in page
    assert "## Faults" not in page
    assert "Traceback" not in page
    above, _, below = page.partition("## Boards that this contest is not played on")
    assert "AssertionError" not in above
    assert "What happens there costs nothing in this contest." in below
    assert below.count("AssertionError (alice.py, line 7)") == 1


COUNTS = """
nodes = 0
def search(depth):
    global nodes
    nodes += 1
    return 0 if depth == 0 else search(depth - 1)
def pick_move(rack):
    search(3)
    return [column[-1] for column in rack].index(0)
"""


def test_a_page_says_what_was_tried_and_which_counter_is_put_back(
    zygote: Zygote, tmp_path: Path
) -> None:
    page = page_of(zygote, tmp_path, COUNTS)
    assert "Its calls of search are counted as nodes" in page
    assert "Reset before every move: nodes" in page
    assert "It plays without a fault" in page
    assert "It made a legal move in 34 of 34 positions" in page
    assert re.search(r"It took a win that one disc makes in \d+ of 14 of them", page)
    assert re.search(r"It prevented a win of its opponent in one move in \d of 4", page)
    assert re.search(r"Of 20 games it wins \d+", page)


def test_a_notebook_is_named_as_it_was_handed_in(tmp_path: Path) -> None:
    source = "def player(board):\n    return 0\n"
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    notebook = {"cells": [cell | {"source": source}], "metadata": {}, "nbformat": 4}
    (tmp_path / "hw04.ipynb").write_text(json.dumps(notebook | {"nbformat_minor": 4}))
    result = Preflight(
        submission=read_submission(tmp_path / "hw04.ipynb"),
        search="none",
        is_counted=False,
        counters=(),
        imports=(),
    )
    assert "entry point player in hw04.ipynb\n" in check_page(result, CLASSIC, QUICK)
    assert check_record(result)["file"] == "hw04.ipynb"


def a_contest(**bots: BotEntry) -> Contest:
    return Contest(bots=bots)


ALICE = BotEntry(entry_point=pick_move_in("bot.py"), content_hash="a")


def test_what_is_known_of_a_bot_is_not_tried_again(tmp_path: Path) -> None:
    before = a_contest(alice=replace(ALICE, refused="cannot"), bob=replace(ALICE, content_hash="b"))
    now = a_contest(
        alice=ALICE,
        bob=replace(ALICE, content_hash="changed"),
        twin=ALICE,
        random=replace(ALICE, content_hash="r", house=True),
    )
    known = known_findings(now, before, tmp_path)
    assert [bot.content_hash for bot in untried(now, known, tmp_path).values()] == ["changed"]
    assert sorted(finding.refused for finding in known.values()) == ["", "", "cannot"]
    carol = a_contest(alice=ALICE, bob=ALICE, carol=replace(ALICE, refused="cannot"))
    assert pairings(carol) == [("alice", "bob")]
    assert carol.left_out == {"carol": "cannot"}
    other_board = replace(now, rules=CS4100)
    known = known_findings(other_board, before, tmp_path)
    found = untried(other_board, known, tmp_path).values()
    assert {bot.content_hash for bot in found} == {"a", "changed"}


def test_a_bot_that_takes_its_lane_down_is_not_refused(zygote: Zygote, make_bot: MakeBot) -> None:
    bots = {"mallory": make_bot(EIGHT), "broken": make_bot("def pick_move(rack)\n")}
    lanes = Here(zygote, {"bot.py": BrokenProcessPool("gone")})
    found = dict(look_at(bots, Contest(limits=QUICK), lanes))
    assert found["mallory"].refused == ""
    assert found["broken"].unloadable
    assert found["broken"].refused.startswith("could not be loaded: SyntaxError")
    assert lanes.tried == ["bot.py"] * 2


def test_a_house_players_pace_is_known(tmp_path: Path) -> None:
    names = ("random", "reference", "novice", "perfect")
    players = {
        name: replace(ALICE, entry_point=house_bot(name).entry_point, content_hash=name, house=True)
        for name in names
    }
    contest = Contest(limits=QUICK, bots=players)
    known = known_findings(contest, None, tmp_path)
    paces = {
        bot.content_hash: known[bot.identity].pace
        for bot in bots_by_name(contest, tmp_path).values()
    }
    assert paces["random"] == refusals.Pace()
    assert paces["reference"] == refusals.engine_pace(QUICK.nodes or 0)
    assert paces["perfect"] is None
    assert not untried(contest, known, tmp_path)


MIXED = """
def player(board):
    for col in range(len(board)):
        if board[col][0] == 0:
            return col
    return 0
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "goal"),
    [
        ("def pick_move(rack):\n    return 0\n", Goal.MOST),
        (
            "def pick_move(rack):\n    return min(c for c in range(6) if rack[c][-1] == 0)\n",
            Goal.FIRST,
        ),
        (MIXED, Goal.FIRST),
    ],
    ids=["always column 0", "never the last column", "mixes rows and columns"],
)
def test_a_late_failure_counts(zygote: Zygote, make_bot: MakeBot, source: str, goal: Goal) -> None:
    shown = examined(zygote, make_bot(source), Ruleset(goal=goal))
    failed = [(situation, played) for situation, played in shown.positions if played.is_fault]
    assert failed
    assert all(played.moves == situation.moves for situation, played in failed)
    assert len(shown.positions) == shown.positions_in_all >= 24


@pytest.mark.slow
def test_a_fault_comes_with_its_position(zygote: Zygote, tmp_path: Path) -> None:
    page = page_of(zygote, tmp_path, "def pick_move(rack):\n    return 3\n")
    assert "It plays without a fault" not in page
    assert "It `returned column 3, which is full`" in page
    (moves,) = re.findall(r"columns played so far: ([\d ]+)\n", page)
    position = Position(CLASSIC, parse_moves(moves))
    assert not position.is_over
    assert not position.can_play(3)
    assert all(f"      {line}\n" in page for line in draw(position).splitlines())


@pytest.mark.slow
def test_a_bot_that_never_answers_is_slow_and_waited_for_once(
    zygote: Zygote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "PATIENCE_SECONDS", 0.3)
    source = "def pick_move(rack):\n    while True: pass\n"
    result = checked(zygote, tmp_path, source, Limits())
    assert result.fault is None
    assert len(result.examination.trials) == 1
    page = check_page(result, CLASSIC, Limits())
    assert "it `took more than 0.3 s for its move (alice.py, line 2)`, longer than a check" in page
    assert "40 s for a first move and 30 s for any other" in page
    assert "without a fault" not in page


def test_a_short_limit_is_waited_for_even_if_a_first_move_has_more(
    zygote: Zygote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "PATIENCE_SECONDS", 0.1)
    limits = Limits(move_seconds=0.1, first_move_seconds=0.1)
    result = checked(zygote, tmp_path, "def pick_move(rack):\n    while True: pass\n", limits)
    assert (result.fault or "").startswith("took more than 0.2 s for its first move")


@pytest.mark.slow
def test_a_bot_that_never_answers_with_a_full_column_is_slow_there(
    zygote: Zygote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "PATIENCE_SECONDS", 0.3)
    source = "def pick_move(rack):\n    while rack[0][-1]: pass\n    return 6\n"
    result = checked(zygote, tmp_path, source, Limits())
    assert result.examination.slow is not None
    page = check_page(result, CLASSIC, Limits())
    assert "## Where it was slow" in page
    assert "here, where the left column is full" in page


USELESS = """
def search(depth):
    return depth and search(depth - 1)
def own_discs_in_line_with(rack, column, me):
    row = rack[column].index(0)
    lines = ((c, r) for c in range(len(rack)) for r in range(len(rack[0]))
             if c == column or r == row or abs(c - column) == abs(r - row))
    return sum(rack[c][r] == me for c, r in lines)
def pick_move(rack, me):
    search(5)
    free = [c for c in range(len(rack)) if rack[c][-1] == 0]
    return min(free, key=lambda column: own_discs_in_line_with(rack, column, me))
"""


def test_twenty_different_games_are_played_against_random(
    zygote: Zygote, make_bot: MakeBot
) -> None:
    shown = examined(zygote, make_bot(FIRST_FREE))
    games = [*shown.games, *shown.quick_games]
    assert len({game.opening for game in shown.quick_games}) < 9
    assert len({(game.seat, game.moves) for game in games}) == len(games) == 20


@pytest.mark.slow
def test_a_search_no_better_than_random_is_warned_about(zygote: Zygote, tmp_path: Path) -> None:
    result = checked(zygote, tmp_path, USELESS)
    assert "WARNING: it searches, but wins only" in check_page(result, CLASSIC, QUICK)
    shown = result.examination
    silent = {
        name: tuple(replace(game, nodes=()) for game in getattr(shown, name))
        for name in ("games", "quick_games")
    }
    assert not replace(shown, **silent, positions=()).is_weak


def test_arenas_values_are_listed(zygote: Zygote, tmp_path: Path) -> None:
    deep = """
class AIPlayer:
    def __init__(self, checker, tiebreak, lookahead):
        self.lookahead = lookahead
    def next_move(self, board):
        return [c for c in range(board.width) if board.can_add_to(c)][0]
"""
    page = page_of(zygote, tmp_path, deep)
    assert "as the contest file sets no value: tiebreak = LEFT, lookahead = 3\n" in page


def checked(zygote: Zygote, tmp_path: Path, source: str, limits: Limits = QUICK) -> Preflight:
    """Check a bot of this source; its name is alice."""
    (path,) = files(tmp_path / "bots", alice=source)
    (result,) = check_all([path], Here(zygote), Contest(limits=limits))
    return result


def page_of(zygote: Zygote, tmp_path: Path, source: str) -> str:
    return check_page(checked(zygote, tmp_path, source), CLASSIC, QUICK)


@pytest.mark.slow
def test_no_page_tells_where_anything_lies_on_the_machine(zygote: Zygote, tmp_path: Path) -> None:
    source = """
        import json, os, sys, warnings
        def pick_move(rack):
            warnings.warn("look out")
            print(os.getcwd(), __file__, json.__file__, sys.argv)
            if any(map(any, rack)):
                raise ValueError(__file__)
            return 0
    """
    result = checked(zygote, tmp_path, dedent(source))
    page = check_page(result, CLASSIC, QUICK) + json.dumps(check_record(result))
    assert "alice.py:4: UserWarning: look out" in page
    assert "raised ValueError: alice.py (alice.py, line 7)" in page
    for place in (str(tmp_path), "/tmp/", sys.prefix + "/", str(Path(json.__file__).parent)):
        assert place not in page, place


MIRRORED = """
STEPS = (0, 1), (1, 0), (1, 1), (1, -1)

def completes(rack, column, player):
    row = rack[column].index(0)
    for dx, dy in STEPS:
        length = 1
        for sign in (1, -1):
            x, y = column + sign * dx, row + sign * dy
            while 0 <= x < len(rack) and 0 <= y < len(rack[0]) and rack[x][y] == player:
                length, x, y = length + 1, x + sign * dx, y + sign * dy
        if length >= 4:
            return True
    return False

def pick_move(rack, player):
    free = [c for c in range(len(rack)) if rack[c][-1] == 0]
    lines = [c for who in (player, 3 - player) for c in free if completes(rack, c, who)]
    mirrored = len(rack) - 1 - (lines or free)[0]
    return mirrored if mirrored in free else free[0]
"""


def test_a_bot_that_sees_left_and_right_exchanged_is_noticed(
    zygote: Zygote, tmp_path: Path
) -> None:
    page = page_of(zygote, tmp_path, MIRRORED)
    assert "**WARNING: it seems to exchange left and right.**" in page
