"""A cluster on this machine plays the same games as lanes, even with losses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from distributed import Client
from distributed.comm import CommClosedError

from arena.cluster import start
from arena.cluster.connection import Cluster, ClusterAddress
from arena.cluster.executor import LOOK_SECONDS, ClusterExecutor
from arena.cluster.start import _examined, open_cluster
from arena.cluster.terms import ClusterTerms, Software
from arena.common.errors import InputError
from arena.common.system import available_cores
from arena.contest.executors import terms_of
from arena.contest.session import Session
from arena.game.limits import Limits
from arena.intake.submission import Submission, read_submission
from arena.playing.driver import LaneExecutor
from arena.playing.lanes import Lanes
from arena.settings.contest import Contest, Schedule
from support.bots import FIRST_FREE, LAST_FREE
from support.cores import EVERY_CORE, on_cores
from support.served import wait_for

CONTEST = Contest(
    limits=Limits(move_seconds=2.0, load_seconds=20.0, nodes=500),
    schedule=Schedule(openings=2, seed=1),
)

FAILS = "def pick_move(rack): return 99"


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> list[Submission]:
    folder = tmp_path_factory.mktemp("bots")
    for name, source in {"first": FIRST_FREE, "last": LAST_FREE, "fails": FAILS}.items():
        (folder / f"{name}.py").write_text(source)
    return [read_submission(path) for path in sorted(folder.iterdir())]


@pytest.fixture
def session(bots: list[Submission]) -> Iterator[Session]:
    with Session.throwaway(CONTEST, bots) as session:
        yield session


@pytest.fixture(scope="module")
def executor(bots: list[Submission]) -> Iterator[ClusterExecutor]:
    if len(EVERY_CORE) < 2:
        pytest.skip("each worker needs a core")
    with (
        on_cores(EVERY_CORE),
        Session.throwaway(CONTEST, bots) as session,
        open_cluster(ClusterAddress.parse("local:2"), terms_of(session)) as executor,
    ):
        yield executor


def played(session: Session, executor: LaneExecutor, at: int = 0, kill: int = 0) -> dict[str, Any]:
    """Play; returns the records without times. The process `kill` is killed after `at` games."""
    with session.run(executor, whole=True) as run:
        ended = 0
        for records in run:
            ended += len(records)
            if kill and ended >= at:
                os.kill(kill, signal.SIGKILL)
                kill = 0
        assert not run.not_played()
        return {record.key: replace(record, charged_ns=()) for record in run.known()}


@pytest.mark.slow
def test_a_cluster_plays_the_same_games_as_lanes(
    session: Session, executor: ClusterExecutor, bots: list[Submission]
) -> None:
    there = played(session, executor)
    with Session.throwaway(CONTEST, bots) as other, Lanes(available_cores()[:2]) as lanes:
        assert played(other, lanes) == there
    assert len(there) == 12
    assert sum(machine.lanes for machine in executor.machines()) == 2


@pytest.mark.slow
def test_a_worker_that_is_killed_loses_no_game(session: Session, executor: ClusterExecutor) -> None:
    nannies = executor._cluster.local.workers.values()
    assert len(played(session, executor, 1, next(iter(nannies)).pid)) == 12


@pytest.mark.slow
def test_an_answer_that_is_lost_on_its_way_is_asked_for_again(
    session: Session, executor: ClusterExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = executor._client
    assert client is not None
    gather, lost = client._gather, []

    async def lose_the_first(*asked: Any, **more: Any) -> Any:
        if lost:
            return await gather(*asked, **more)
        lost.append(asked)
        client.scheduler_comm.comm.abort()
        raise CommClosedError("the scheduler was killed")

    monkeypatch.setattr(client, "_gather", lose_the_first)
    assert len(played(session, executor)) == 12
    assert lost


@pytest.mark.slow
def test_workers_that_dask_leaves_out_of_its_own_looks_are_not_gone(
    executor: ClusterExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_for(lambda: executor.lanes == len(executor.workers) == 2)  # one may have been killed
    client = executor._client
    assert client is not None
    look = client._update_scheduler_info
    monkeypatch.setattr(client, "_update_scheduler_info", lambda n_workers=0: look(0))
    time.sleep(2 * LOOK_SECONDS + 0.5)
    assert executor.lanes == len(executor.workers) == 2


LOGS = """
import logging
from arena.cluster.connection import dask_logs
with dask_logs():
    for name in ("distributed.client", "distributed.gc", "tornado.application", "distributed.core"):
        logging.getLogger(name).error("seen")
"""


@pytest.mark.slow
def test_nothing_that_dask_logs_is_written_on_the_screen() -> None:
    # in a process of its own: in this one pytest has handlers, and then Dask makes none
    done = subprocess.run([sys.executable, "-c", LOGS], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_other_software_on_a_worker_is_an_error_that_names_it(executor: ClusterExecutor) -> None:
    terms = ClusterTerms(software=Software({"numpy": "0.9"}))
    with pytest.raises(InputError, match=r"the worker tls://.* has numpy .*, here it is 0\.9"):
        _examined(executor._cluster, terms)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("local:0", "expected a number of workers, like local:2"),
        ("local:two", "expected a number of workers, like local:2"),
        ("local:100000", "this machine has only"),
        ("http://head:8786", "expected tcp://HOST:PORT"),
        ("tcp://head", "expected tcp://HOST:PORT"),
        ("no-such-file.json", "there is no file no-such-file.json; is the scheduler running?"),
    ],
)
def test_a_cluster_that_cannot_be_meant_is_told_at_once(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        ClusterAddress.parse(text)


def test_a_damaged_scheduler_file_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    for text in ("{", "[]", "{}"):
        file.write_text(text)
        with pytest.raises(InputError, match="the scheduler file is damaged"):
            Cluster(ClusterAddress.parse(str(file))).connect()


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("tcp://head:8786", "dask worker tcp://head:8786 --nthreads 1"),
        ("my cluster.json", "dask worker --scheduler-file 'my cluster.json' --nthreads 1"),
    ],
)
def test_without_workers_the_command_that_starts_them_is_told(
    name: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "identity", lambda _: {"workers": {}})
    monkeypatch.setattr(start, "WORKERS_SECONDS", -1)
    terms = ClusterTerms(software=Software.here(), memory_mb=100)
    with pytest.raises(InputError, match=command):
        start.examine(cast("Client", None), terms, name)
