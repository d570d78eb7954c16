"""Files that are made to cost a reader its time, its memory or its life."""

from __future__ import annotations

import json
import os
import signal
import threading
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import pytest

from arena.common.errors import (
    GarbledError,
    InputError,
    InternalError,
    ReaderDiedError,
    UnreadableError,
)
from arena.common.home import home_mode
from arena.courses.gradescope import METADATA
from arena.courses.roster import find_roster
from arena.courses.systems import read_export, read_rows
from arena.intake.confined import ReadLimits, confined
from arena.intake.entry_search import FoundEntry, describe
from arena.intake.submission import checked, read_submission
from arena.interfaces import Overrides
from support.bots import pick_move_in
from support.handed_in import written, zipped
from tests.support import reading

BOT = "def pick_move(rack):\n    return 0\n"
FIELDS = f"{BOT}x = f'{'{a}' * 200_000}'\n"
STATEMENTS = f"{BOT}{'a;' * 500_000}a\n"


def described(folder: Path, memory: int = 512, **sources: str) -> str | None:
    """Return the problem of a bot with these files, with one second to read them."""
    written(folder, {f"{name}.py": text for name, text in sources.items()})
    names = [f"{name}.py" for name in sources]
    limits = ReadLimits(seconds=1, memory=memory << 20, answer=1 << 20)
    arguments = (str(folder), names, "bot", asdict(Overrides()), {})
    try:
        reason = confined(describe, *arguments, readable=[folder], limits=limits)["reason"]
    except UnreadableError as error:
        return str(error)
    return None if reason is None else str(reason)


@pytest.mark.slow
def test_too_costly_files_are_named(tmp_path: Path) -> None:
    takes = "bot.py takes more than 1 s to be read; make it smaller"
    assert described(tmp_path, bot=FIELDS) == takes
    takes = "bot.py takes too much memory to be parsed; make it smaller"
    assert described(tmp_path, 128, bot=STATEMENTS) == takes
    assert described(tmp_path, bot=BOT, more=FIELDS) == (
        "its files take more than 1 s to be read (it got to more.py); make them fewer, or smaller"
    )


@pytest.mark.slow
def test_one_submission_that_breaks_its_reader_keeps_no_other_from_playing(tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text(BOT)
    (tmp_path / "bob.py").write_text(f"{BOT}x = {'-' * 100_000}1\n")
    bomb = zipped({"bot.py": BOT, "zeros.bin": bytes(100 << 20)})
    written(tmp_path, {"cleo.zip": bomb, "dora.zip": zipped({"bot.py": BOT})})
    problems = {bot.name: bot.problem for bot in find_roster([tmp_path]).submissions}
    assert problems == {
        "ann": None,
        "bob": "bob.py is nested too deeply to be parsed",
        "cleo": "cleo.zip holds more than 2000 files or 64 MB",
        "dora": None,
    }


def test_an_answer_that_no_code_of_arenas_sends_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    said = read_submission(tmp_path / "bot.py")
    facts = asdict(FoundEntry(entry_point=pick_move_in("bot.py")))
    facts = json.loads(json.dumps(facts))
    assert checked(facts, said.contents).entry_point.file == "bot.py"
    point = facts["entry_point"]
    for wrong in (
        {"entry_point": point | {"file": "../secret.py"}},
        {"entry_point": point | {"file": "other.py"}},
        {"entry_point": point | {"file": "/etc/passwd"}, "made": "x"},
        {"entry_point": point | {"interface": "no_interface"}},
        {"entry_point": point | {"interface": ["pick_move"]}},
        {"entry_point": point | {"name": ["pick_move"]}},
        {"entry_point": "bot.py"},
        {"notes": "a note"},
        {"likeness": "x" * 100},
        {"reason": 3},
        {"settings": None},
        {"imports": {"x": ["other.py", 1, True]}},
        {"imports": {"x" * 300: ["bot.py", 1, True]}},
        {"imports": {"x": ["bot.py", "1", True]}},
    ):
        with pytest.raises(GarbledError):
            checked(facts | wrong, said.contents)


def test_metadata_that_says_more_by_aliases_than_any_class_is_refused(tmp_path: Path) -> None:
    bomb = "a: &a0\n  :history: [x, x]\n"
    for level in range(40):
        bomb += f"b{level}: &a{level + 1}\n  :history: [*a{level} , *a{level} ]\n"
    (tmp_path / METADATA).write_text(bomb)
    with pytest.raises(InputError, match="too large for the list"):
        read_export(tmp_path)


def test_a_reader_that_was_killed_is_started_again(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    assert read_submission(tmp_path / "bot.py").problem is None
    for reader in readers():
        os.kill(reader, signal.SIGKILL)
        os.waitid(os.P_PID, reader, os.WEXITED | os.WNOWAIT)
    assert read_submission(tmp_path / "bot.py").problem is None


READER = b"arena.intake.fork_server"


def readers() -> list[int]:
    return [pid for pid in children(os.getpid()) if READER in cmdline(pid)]


def children(pid: int) -> list[int]:
    try:
        tasks = [*Path(f"/proc/{pid}/task").iterdir()]
        return [int(each) for task in tasks for each in (task / "children").read_text().split()]
    except OSError:
        return []


def cmdline(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


class Killer:
    """Kills fork servers, or their forks, up to `times` times."""

    def __init__(self, number: int, times: int, *, forks: bool) -> None:
        self._number, self._times, self._forks = number, times, forks
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._kill)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _kill(self) -> None:
        killed: set[int] = set()
        while not self._is_over.wait(0.005) and len(killed) < self._times:
            # both lie still while a fork reads, so that nothing is hit before it is confined
            for reader in readers():
                for fork in children(reader):
                    if {reader, fork}.isdisjoint(killed):
                        victim = fork if self._forks else reader
                        with suppress(ProcessLookupError):
                            os.kill(victim, self._number)
                        killed.add(victim)


@pytest.mark.parametrize(
    ("number", "forks"), [(signal.SIGKILL, False), (signal.SIGKILL, True), (signal.SIGXCPU, True)]
)
def test_a_killed_reading_is_repeated(number: int, forks: bool, tmp_path: Path) -> None:
    with Killer(number, 2, forks=forks):
        assert confined(reading.slowly, readable=[tmp_path]) == "read"


@pytest.mark.parametrize("forks", [False, True])
def test_a_reader_killed_each_time_is_the_machines_fault(forks: bool, tmp_path: Path) -> None:
    with (
        Killer(signal.SIGKILL, 100, forks=forks),
        pytest.raises(ReaderDiedError, match=f"^{tmp_path} could not be read: .* ended 3 times"),
    ):
        confined(reading.slowly, readable=[tmp_path])


def test_after_home_mode_files_are_read_confined_again(tmp_path: Path) -> None:
    given, hidden = tmp_path / "given.csv", tmp_path / "hidden.csv"
    for path in (given, hidden):
        path.write_text("name\nann\n")
    with home_mode(wanted=True):
        assert confined(read_rows, str(hidden), readable=[given]) == [{"name": "ann"}]
    with pytest.raises(PermissionError):
        confined(read_rows, str(hidden), readable=[given])


def test_all_unread_bots_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.intake.submission.describe", reading.slowly)
    names = [tmp_path / f"{name}.py" for name in "abcdefgh"]
    for path in names:
        path.write_text(BOT)
    with (
        Killer(signal.SIGKILL, 100, forks=True),
        pytest.raises(ReaderDiedError, match=r"not read: .*\.py, .*\.py and \d more$") as caught,
    ):
        find_roster(names)
    assert str(names[-1].parent) in str(caught.value)


def test_a_file_that_crashes_its_reader_each_time_is_at_fault(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"^bot.py crashes its reader \(SIGSEGV\)$"):
        confined(reading.crashing, readable=[tmp_path])


def test_a_fault_of_arenas_own_while_it_reads_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    with (
        pytest.MonkeyPatch.context() as patch,
        pytest.raises(InternalError, match=r"KeyError: 'rack' \(arena/.*:\d+\); not read: .*"),
    ):
        patch.setattr("arena.intake.submission.describe", reading.failing)
        find_roster([tmp_path])
