"""Where a machine lets Arena start few threads, fewer games are played at a time."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from arena.referee.tasks import GAME_TASKS

IN_A_TIGHT_PLACE = """
import os, resource, sys
from arena.host.sandbox import tasks_of
from arena.referee.tasks import games_in_tasks, tasks_plan
room = int(sys.argv[1])
if os.geteuid() == 0:
    os.setuid(12345)
most = tasks_of(os.geteuid()) + room
resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
print(games_in_tasks(), tasks_plan())
"""


@pytest.mark.parametrize(("room", "games"), [(3 * GAME_TASKS, 3), (GAME_TASKS - 1, 0), (0, 0)])
def test_as_many_games_are_played_at_a_time_as_there_are_threads_for(room: int, games: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    if hard != resource.RLIM_INFINITY and hard < 4 * GAME_TASKS:
        pytest.skip(f"no more than {hard} threads can be started here")
    command = [sys.executable, "-c", IN_A_TIGHT_PLACE, str(room)]
    done = subprocess.run(command, capture_output=True, text=True)
    said, plan = done.stdout.split(" ", 1)
    assert int(said) == games, done.stderr
    assert plan.startswith(f"{room:,} more threads and processes can be started and a game may")
