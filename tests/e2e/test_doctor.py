"""`arena doctor`, and messages on a kernel without some layers of the sandbox."""

from __future__ import annotations

import getpass
import json
import os
import platform
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from arena.common.packages import arena_version, installed_version
from support.bots import FIRST_FREE, LAST_FREE, bots_in
from support.command_line import Typed, refused, succeeded
from support.deprived import LANDLOCK, SECCOMP, SETRESUID, UNSHARE, deprived


def arena(
    *words: object, without: tuple[int, ...] = (), python: object = sys.executable
) -> subprocess.CompletedProcess[str]:
    command = [str(python), *deprived(without, "-m", "arena", *words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    return bots_in(tmp_path / "bots", one=FIRST_FREE, two=LAST_FREE)


def match(bots: Path, *more: object, **how: Any) -> str:
    """Play a pairing; returns what is printed on standard error."""
    done = arena("match", bots / "one.py", bots / "two.py", "--openings", 1, *more, **how)
    assert done.returncode == 0, done.stderr
    return done.stderr


def found(done: subprocess.CompletedProcess[str]) -> dict[str, bool]:
    return {each["probe"]: each["ok"] for each in json.loads(done.stdout)["findings"]}


@pytest.mark.slow
def test_the_doctor_finds_every_layer_and_clock_here_and_says_so_in_words(typed: Typed) -> None:
    done = arena("doctor", "--json")
    assert done.returncode == 0, done.stderr
    probes = found(done)
    if os.geteuid() != 0:
        del probes["user ids"]
    assert len(probes) >= 11
    assert all(probes.values()), done.stdout
    out = succeeded(typed("doctor"))
    assert "Contests can be run here." in out
    assert "Landlock" in out


@pytest.mark.slow
def test_without_landlock_bots_play_and_it_is_said_what_they_can_do(bots: Path) -> None:
    done = arena("doctor", "--json", without=LANDLOCK)
    assert done.returncode == 0
    probes = found(done)
    assert not probes["Landlock"] and not probes["scratch"]
    assert probes["seccomp"] and probes["resource limits"]
    kept = bots.parent / "kept.txt"
    kept.write_text("kept")
    (bots / "one.py").write_text(
        "import os\n"
        "def pick_move(rack):\n"
        f"    for change in (os.unlink, lambda path: os.rename(path, path + '.gone')):\n"
        f"        try: change({str(kept)!r})\n"
        "        except OSError: pass\n"
        "    return next(c for c in range(len(rack)) if not rack[c][-1])\n"
    )
    for path in (bots.parent, kept):
        path.chmod(0o777)  # for a bot that is another user
    out = bots.parent / "out"
    played = arena("run", bots, "--no-house", "--openings", 1, "--out", out, without=LANDLOCK)
    assert played.returncode == 0, played.stderr
    assert "bots can READ every file you can read" in " ".join(played.stderr.split())
    assert "0 by fault" not in played.stdout
    assert (out / "games.csv").read_text().count("LINE") == 2
    assert [path.name for path in bots.parent.glob("kept*")] == ["kept.txt"]


EACH_IN_A_FORK = """
import os, sys
from arena.cli import check, main, match, run
for line in {lines}:
    sys.argv = ["arena", *line]
    os.fork() or main()
    print(os.wait()[1])
"""


def test_where_bots_could_do_harm_they_are_not_run(bots: Path) -> None:
    paths = [f"bots/{name}.py" for name in ("one", "two")]
    lines = [["run", "bots"], ["match", *paths], ["check", "bots"], ["resume", "bots"]]
    command = deprived((SECCOMP, SETRESUID), "-c", EACH_IN_A_FORK.format(lines=lines))
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, cwd=bots.parent, timeout=120
    )
    assert done.stdout.split() == [str(2 << 8)] * len(lines)
    for line in done.stderr.splitlines():
        assert "cannot confine bots" in line and "--home" in line
    assert done.stderr.count("\n") == len(lines)


@pytest.mark.slow
def test_unless_that_is_allowed(bots: Path) -> None:
    bare = (SECCOMP, SETRESUID)
    assert "not confined" in match(bots, "--home", without=bare)
    assert arena("doctor", without=bare).returncode == 1


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give bots user ids")
def test_a_user_id_for_each_bot_is_enough_without_seccomp(bots: Path) -> None:
    errors = match(bots, without=(SECCOMP,))
    assert "bots can use the network and start programs" in " ".join(errors.split())


def python_in(private: Path) -> Path:
    """A Python in a folder that no other user may enter, with the packages of this one."""
    private.mkdir(0o700)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", private / "venv"], check=True)
    (packages,) = private.glob("venv/lib/*/site-packages")
    lines = (f"import site; site.addsitedir({path!r})" for path in sys.path if "site-pack" in path)
    (packages / "all.pth").write_text("\n".join(lines))
    return private / "venv/bin/python"


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give bots user ids")
def test_a_python_in_a_private_folder_gives_no_bot_a_look_into_it(
    tmp_path: Path, bots: Path
) -> None:
    python = python_in(tmp_path / "private")
    probe = "private folders"
    assert found(arena("doctor", "--json", python=python))[probe]
    done = arena("doctor", "--json", python=python, without=(UNSHARE,))
    assert not found(done)[probe]
    assert "is on the way to Arena's Python" in done.stdout
    errors = match(bots, python=python, without=(UNSHARE,))
    assert errors.count("lies in the private folder") == 1


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give bots user ids")
def test_root_without_a_capability_learns_which_private_files_bots_cannot_read(
    tmp_path: Path, bots: Path
) -> None:
    python = python_in(tmp_path / "private")
    fewer = tmp_path / "fewer"  # as root in a container by default
    fewer.write_text(f'#!/bin/sh\nexec setpriv --bounding-set=-dac_read_search {python} "$@"\n')
    fewer.chmod(0o755)
    done = arena("match", bots / "one.py", bots / "two.py", python=fewer, without=(UNSHARE,))
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, last.split(" cannot read ")[0]) == (
        2,
        "arena: this machine does not let Arena confine bots: another user",
    )
    assert last.endswith("; install Arena in a public folder")


PLANTED = "planted-alice"


def assert_private(report: str) -> None:
    """Nothing in a report names its user, machine, addresses, files or settings."""
    assert PLANTED not in report
    assert not re.search(r"(^|[\s(:])(/|~|[A-Z]:\\)\w", report), report
    addresses = [each.address for of in psutil.net_if_addrs().values() for each in of]
    assert [each for each in addresses if each.partition("%")[0] in report] == []
    for name in (socket.gethostname(), getpass.getuser(), Path.home().name):
        assert not re.search(rf"\b{re.escape(name)}\b", report), name


@pytest.mark.slow
def test_a_report_tells_what_matters_and_nothing_private(tmp_path: Path) -> None:
    private = tmp_path / PLANTED
    private.mkdir(0o700)
    (private / f"{PLANTED}.py").write_text(FIRST_FREE)
    (private / "temporary").mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", private / "venv"], check=True)
    (packages,) = private.glob("venv/lib/*/site-packages")
    lines = (f"import site; site.addsitedir({path!r})" for path in sys.path if "site-pack" in path)
    (packages / "all.pth").write_text("\n".join(lines))
    planted = dict.fromkeys(("USER", "LOGNAME", "HOSTNAME", "SECRET_TOKEN", "NUMBA_X"), PLANTED)
    planted |= {"TMPDIR": str(private / "temporary"), "HOME": str(private)}
    words = deprived((UNSHARE,), "-m", "arena", "doctor", "--report")
    done = subprocess.run(
        [private / "venv/bin/python", *words],
        cwd=private,
        env=os.environ | planted,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    report = done.stdout
    assert_private(report)
    assert report.startswith(f"Arena {arena_version()}, installed ")
    assert f"Python {platform.python_version()}" in report
    assert f"numpy {installed_version('numpy')}" in report
    assert "TMPDIR" in report
    assert "NO namespaces" in report
    if os.geteuid() == 0:
        assert "NO private folders\n" in report
    assert "ok seccomp: " in report
    assert report.endswith("contests can be run\n")


def test_a_report_where_no_bot_starts_is_still_one(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    code, report, errors = typed("doctor", "--report")
    assert (code, errors) == (1, "")
    assert report.endswith("no probe was possible: ZygoteDiedError\n")
    assert_private(report)


def test_a_report_goes_with_no_other_option(typed: Typed) -> None:
    assert "--report goes with no other option" in refused(typed("doctor", "--report", "--json"))


def test_a_doctor_whose_interpreter_cannot_be_started_says_so(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    code, _, errors = typed("doctor")
    assert code == 1
    assert "arena: the process that starts bots ended at once (exit status 1); make" in errors
