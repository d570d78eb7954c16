"""Verdicts at home, beside those that the same bots get in the sandbox."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from arena.contest.entries import bots_by_name, enter
from arena.courses.roster import find_roster, find_submission
from arena.game.bot_player import BotPlayer
from arena.game.home_process import HomeStarter
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.player import RandomPlayer
from arena.game.record import NOBODY, Bot
from arena.intake.house_players import demo_bots
from arena.intake.submission import Submission
from arena.rules import Ruleset
from arena.settings.contest import Contest
from support.bots import as_entered, key
from tests.attacks import test_attacks as attacks
from tests.corpus import test_corpus as corpus
from tests.corpus.test_corpus import bots as students
from tests.corpus.test_corpus import folder, submissions

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        platform.machine() != "x86_64", reason="the attacks call the kernel by x86-64 numbers"
    ),
]
LIMITS = Limits(
    load_seconds=10, first_move_seconds=0, move_seconds=30, memory_mb=256, nodes=2000, home=True
)
QUICK = replace(LIMITS, load_seconds=2, move_seconds=0.5)  # For those that shall run out of time.

# What only a sandbox can tell, of the attacks in files of their own: they start more threads, or
# make more files, than the sandbox allows.
ONLY_A_SANDBOX = frozenset(
    {
        "continues_itself",
        "starts_a_thread_with_descriptors_of_its_own",
        "starts_every_thread_there_is",
        "tangles_its_scratch",
    }
)
# What attacks need that not every system has.
NEEDED = {
    "rings_all_the_time": "signal.setitimer",
    "takes_memory_that_is_read_only": "mmap.PROT_READ",
}

# The same of students' bots: it may start no process there.
ALSO_A_SANDBOX = frozenset({"opens_a_manager.py"})

# One bot of those that are expected to end alike: of each interface and entry, and of each fault.
STUDENTS = {
    said.expect: name
    for name, said in sorted(corpus.EXPECTED.items())
    if name not in corpus.SLOW and name not in ALSO_A_SANDBOX
}
NAMES = sorted({path.stem for path in (attacks.HERE / "bots").iterdir()} & attacks.WORDS.keys())


__all__ = ["folder", "students", "submissions"]  # fixtures


@pytest.fixture(scope="module")
def starter() -> Iterator[HomeStarter]:
    started = HomeStarter()
    yield started
    started.close()


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Bot]:
    folder = tmp_path_factory.mktemp("attacks") / "bots"
    shutil.copytree(attacks.HERE / "bots", folder)
    contest, entered = enter(Contest(), find_roster([folder]).submissions, ())
    snapshots = tmp_path_factory.mktemp("snapshots")
    for submission in entered.values():
        if submission.problem is None:
            submission.copy_to(snapshots / submission.content_hash)
    return bots_by_name(contest, snapshots)


def test_nine_of_ten_attacks_are_told_at_home_too() -> None:
    assert {*NAMES} > ONLY_A_SANDBOX
    assert len(ONLY_A_SANDBOX) <= len(NAMES) / 10


@pytest.mark.parametrize("name", sorted({*NAMES} - ONLY_A_SANDBOX))
def test_an_attack_gets_the_verdict_of_the_sandbox(
    name: str, bots: Mapping[str, Bot], starter: HomeStarter
) -> None:
    module, _, function = NEEDED.get(name, "signal.signal").partition(".")
    if not hasattr(import_module(module), function):
        pytest.skip(f"this system has no {module}.{function}")
    limits = QUICK if "TIMEOUT" in attacks.EXPECTED[name] else LIMITS
    lost = set()
    with BotPlayer(starter, bots[name], limits) as player:
        for seed in range(2):  # some attack the next game
            record = play(key(bots[name], NOBODY, limits=limits, seed=seed), player, RandomPlayer())
            if record.verdict.is_fault and record.loser == 0:
                lost.add(record.verdict.name)
    assert (lost or {"plays"}) <= attacks.EXPECTED[name]


@pytest.mark.parametrize("name", sorted(demo_bots()))
def test_a_demo_bot_plays(name: str, tmp_path: Path, starter: HomeStarter) -> None:
    found = find_submission(name)
    found.copy_to(tmp_path / "demo")
    bot = as_entered(found, tmp_path / "demo")
    with BotPlayer(starter, bot, LIMITS) as player:
        record = play(key(bot, NOBODY, limits=LIMITS), player, RandomPlayer())
    assert record.is_game and record.loser != 0


@pytest.mark.parametrize("name", sorted(STUDENTS.values()))
def test_a_students_bot_gets_the_verdict_of_the_sandbox(
    name: str,
    submissions: Mapping[str, Submission],
    students: Mapping[str, Bot],
    starter: HomeStarter,
) -> None:
    if submissions[name].problem is None:
        rows, columns = map(int, corpus.EXPECTED[name].rules.split("x"))
        games = corpus.games(starter, students[name], Ruleset(rows=rows, columns=columns))
        with closing(games):
            corpus.require(name, [next(games)])
