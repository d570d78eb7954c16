"""Running a contest on real lanes: keys, resumption, and killed lanes."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, suppress
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from arena.common.errors import InputError, OutOfMemoryError
from arena.common.system import available_cores
from arena.contest.entries import enter
from arena.contest.folder import ContestFolder
from arena.contest.retirement import settle
from arena.contest.run import Run
from arena.game.limits import Limits
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.intake.house_players import house_submissions
from arena.intake.submission import Submission, read_submission
from arena.interfaces import Overrides
from arena.journal.database import Journal
from arena.playing.driver import LaneExecutor
from arena.playing.lanes import Lanes
from arena.settings.contest import BotEntry, Contest, Schedule, ScheduledGame
from support.bots import FIRST_FREE, LAST_FREE, bots_in
from support.cores import EVERY_CORE, on_cores
from support.instant import Instant
from support.scripted import Scripted, by_key, ended, games_between, lost
from tests.support.on_lanes import OnLanes

QUICK = Limits(move_seconds=0.3, first_move_seconds=0.0, load_seconds=2.0, nodes=500)
CONTEST = Contest(limits=QUICK, schedule=Schedule(openings=3))

RANDOM = """
import random
def pick_move(rack):
    return random.choice([c for c in range(len(rack)) if rack[c][-1] == 0])
"""


def openings(count: int, **more: Any) -> Contest:
    return replace(CONTEST, schedule=Schedule(openings=count, **more))


def submissions(folder: Path, **sources: str) -> list[Submission]:
    bots_in(folder, **sources)
    return [read_submission(folder / f"{name}.py") for name in sources]


def set_up(
    folder: Path, bots: list[Submission], contest: Contest = CONTEST
) -> tuple[ContestFolder, list[ScheduledGame]]:
    contest_folder = ContestFolder(folder)
    contest_folder.create()
    entered, chosen = enter(contest, bots, ())
    contest_folder.write(entered, chosen.values())
    return contest_folder, contest_folder.games(entered)


@pytest.fixture
def lanes() -> Iterator[Lanes]:
    with on_cores(EVERY_CORE):
        started = Lanes(available_cores()[:2])
    yield started
    started.shutdown()


def records_of(journal: Journal) -> dict[str, GameRecord]:
    return {record.key: record for record in journal.records()}


def play(folder: ContestFolder, games: list[ScheduledGame], lanes: LaneExecutor) -> int:
    """Play the missing games; returns their number."""
    with closing(folder.journal()) as journal:
        run = Run(games, journal, lanes)
        count = sum(len(records) for records in run)
    assert not run.abandoned
    return count


def moves(folder: ContestFolder) -> dict[str, tuple[int, ...]]:
    with closing(folder.journal()) as journal:
        return {key: record.columns for key, record in records_of(journal).items()}


def test_a_late_bot_a_changed_bot_and_more_openings_play_only_their_own_games(
    tmp_path: Path,
) -> None:
    for contest, sources, missing in (
        (CONTEST, {"two": FIRST_FREE}, 6),
        (CONTEST, {"two": FIRST_FREE, "late": LAST_FREE}, 12),
        (CONTEST, {"two": LAST_FREE, "late": LAST_FREE}, 12),
        (openings(4), {"two": LAST_FREE, "late": LAST_FREE}, 3 * 2),
        (openings(4), {"two": LAST_FREE, "late": LAST_FREE}, 0),
    ):
        bots = submissions(tmp_path / "bots", one=RANDOM, **sources)
        folder, games = set_up(tmp_path / "contest", bots, contest)
        assert play(folder, games, Instant()) == missing


FAULTS = {
    "loops": (Verdict.TIMEOUT, "def pick_move(rack):\n    while True: pass"),
    "column99": (Verdict.ILLEGAL_MOVE, "def pick_move(rack): return 99"),
    "raises": (Verdict.ERROR, "def pick_move(rack): return 1 / 0"),
    "exits": (Verdict.CRASH, "import os\ndef pick_move(rack): os._exit(1)"),
    "cannot": (Verdict.LOAD_ERROR, "import nothing_of_that_name\ndef pick_move(rack): return 0"),
    "searches": (
        Verdict.NODES,
        "def s(n): return n and s(n - 1)\n"
        "def pick_move(rack):\n    for _ in range(50_000): s(1)\n    return 0",
    ),
}


@pytest.mark.slow
def test_faulty_bots_lose_as_logged_and_do_not_change_the_games_of_the_others(
    tmp_path: Path, lanes: Lanes
) -> None:
    honest = submissions(tmp_path / "bots", one=RANDOM, two=RANDOM)
    sources = {name: source for name, (_, source) in FAULTS.items()}
    faulty = submissions(tmp_path / "bots", **sources)
    contest = openings(1)
    alone, games = set_up(tmp_path / "alone", honest, contest)
    with alone.logged():  # lanes log at the level at which they are forked
        play(alone, games, lanes)
    _, others = set_up(tmp_path / "other seed", honest, openings(1, seed=2))
    assert moves(alone).keys().isdisjoint(game.key.digest for game in others)
    together, games = set_up(tmp_path / "together", honest + faulty, contest)
    games = [game for game in games if not FAULTS.keys() >= {*game.names}]
    with together.logged(as_json=True):
        play(together, games, lanes)
    assert moves(alone).items() <= moves(together).items()
    with closing(together.journal()) as journal:
        records = records_of(journal)
    lines = [json.loads(line) for line in (tmp_path / "together" / "arena.jsonl").open()]
    logged = {line["key"]: line for line in lines if " lost by " in line["message"]}
    for game in games:
        record = records[game.key.digest]
        for name in FAULTS.keys() & {*game.names}:
            assert record.verdict is FAULTS[name][0], (name, record.reason)
            assert game.names[record.loser or 0] == name
            line = logged.pop(record.key)
            assert line["message"] == f"{name} lost by {record.verdict.name}: {record.reason}"
            assert line["bots"] == [game.first, game.second]
            assert line["lane"] in EVERY_CORE
            assert (line["contest"], line["worker"]) == ("together", os.uname().nodename)
    assert not logged
    assert any(", its zygote " in line["message"] for line in lines)


@pytest.mark.slow
def test_a_killed_lane_is_replaced_and_its_games_are_played(tmp_path: Path, lanes: Lanes) -> None:
    bots = submissions(tmp_path / "bots", one=RANDOM, two=RANDOM)
    contest = openings(20)
    calm, games = set_up(tmp_path / "calm", bots, contest)
    play(calm, games, lanes)
    shaken, games = set_up(tmp_path / "shaken", bots, contest)
    journal = shaken.journal()
    kills = 0
    for _ in Run(games, journal, lanes):
        if kills < 3:
            with suppress(ProcessLookupError, IndexError):  # one killed before is being replaced
                os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)
                kills += 1
    journal.close()
    assert kills > 0
    assert moves(shaken) == moves(calm)


class Failing(Executor):
    """Plays games at once; those of one bot fail."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def submit(self, fn: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        (batch,) = args
        future: Future[Any] = Future()
        if "mallory" in batch.name:
            future.set_exception(self._error)
        else:
            future.set_result([ended(key) for key in batch.items])
        return future


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (BrokenProcessPool("died"), "the process that worked on it ended"),
        (OutOfMemoryError("full"), "the machine ran out of memory"),
    ],
)
def test_games_that_no_lane_can_play_are_left_out_and_cost_no_other_game(
    error: Exception, why: str
) -> None:
    games = games_between(*combinations(["one", "two", "three", "mallory"], 2))
    run = Run(games, Journal(Path(":memory:")), OnLanes(Failing(error), 2))
    played = {record.key for records in run for record in records}
    doomed = {game.key.digest for game in games if "mallory" in game.names}
    assert run.abandoned.keys() == doomed
    assert played == {game.key.digest for game in games} - doomed
    assert run.not_played() == [f"3 games could not be played: {why}, each time"]


def test_a_run_names_the_pairing_it_waits_for() -> None:
    games = games_between(("one", "two"), ("two", "three"))
    results = by_key(*(lost(game, game.first) for game in games))
    executor = Scripted(results, random.Random(1))
    run = Run(games, Journal(Path(":memory:")), OnLanes(executor, 2))
    assert run.running() == []
    next(iter(run))
    seen = run.running()
    assert [(each.lane, each.game, each.following) for each in seen] == [
        (0, games[0], 0),
        (1, games[1], 0),
    ]
    assert min(each.seconds for each in seen) > 0


@pytest.mark.slow
def test_a_bot_that_loops_costs_its_time_only_a_few_times(tmp_path: Path, lanes: Lanes) -> None:
    bots = submissions(
        tmp_path / "bots",
        loops="def pick_move(rack):\n    while True: pass\n",
        one=FIRST_FREE,
        two=FIRST_FREE + "\n",
    )
    limits = Limits(move_seconds=0.1, first_move_seconds=0.0, load_seconds=5.0)
    contest = Contest(limits=limits, schedule=Schedule(openings=10, retire_after=3))
    folder, games = set_up(tmp_path / "contest", bots, contest)
    journal = folder.journal()
    run = Run(games, journal, lanes, 3)
    for _ in run:
        pass
    records = records_of(journal)
    again = Run(games, journal, lanes, 3)
    assert again.missing == 0 and list(again) == []
    journal.close()
    settled = settle(games, records, 3)
    assert not settled.open
    assert list(settled.retired) == ["loops"]
    assert settled.forfeits == {"loops": 37}
    timeouts = sum(record.verdict is Verdict.TIMEOUT for record in records.values())
    # three tell; a lane plays one batch and has one waiting, at the first loss and at the last
    assert 3 <= timeouts <= 3 + 4 * lanes.lanes
    others = [game for game in settled.games if "loops" not in game.game.names]
    assert len(others) == 20 and not any(game.is_forfeit for game in others)


def test_a_copy_of_a_house_player_is_not_entered_twice() -> None:
    house = house_submissions()
    entered, _ = enter(CONTEST, house, house)
    assert list(entered.bots) == ["random", "reference"]
    assert all(bot.house for bot in entered.bots.values())


@pytest.mark.parametrize(
    ("overrides", "line"),
    [
        (Overrides(file="gone.py"), r'file = "gone.py": not among its files \(alice.py\)'),
        (
            Overrides(node_function="gone"),
            """node_function = "gone": no function 'gone' is defined""",
        ),
        (Overrides(entry="gone"), "with these settings, the contest file names the entry 'gone'"),
    ],
)
def test_an_impossible_wish_in_the_contest_file_is_the_instructors_to_mend(
    tmp_path: Path, overrides: Overrides, line: str
) -> None:
    bots = submissions(tmp_path / "bots", alice=FIRST_FREE)
    with pytest.raises(InputError, match=line):
        wanted = {"alice": BotEntry(overrides=overrides)}
        enter(replace(CONTEST, bots=wanted), bots, ())


def test_a_bot_in_the_contest_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    bots = submissions(tmp_path / "bots", alice=FIRST_FREE)
    with pytest.raises(InputError, match=r"\[bots.alcie\].*did you mean alice"):
        enter(replace(CONTEST, bots={"alcie": BotEntry()}), bots, ())


def test_only_one_run_at_a_time_plays_a_contest(tmp_path: Path) -> None:
    folder = ContestFolder(tmp_path / "contest")
    folder.create()
    with folder.locked():
        pid = os.fork()
        if pid == 0:
            try:
                with ContestFolder(tmp_path / "contest").locked():
                    os._exit(0)
            except InputError:
                os._exit(9)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
