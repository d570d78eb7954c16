"""`arena doctor`, and messages on a kernel without some layers of the sandbox."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.bots import FIRST_FREE, LAST_FREE, hand_ins
from support.command_line import Typed, succeeded
from support.deprived import LANDLOCK, SECCOMP, SETRESUID, UNSHARE, deprived


def arena(
    *words: object, without: tuple[int, ...] = (), python: object = sys.executable
) -> subprocess.CompletedProcess[str]:
    command = [str(python), *deprived(without, "-m", "arena", *words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    return hand_ins(tmp_path / "bots", one=FIRST_FREE, two=LAST_FREE)


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
def test_the_doctor_imports_the_packages_that_a_contest_allows(
    tmp_path: Path, typed: Typed
) -> None:
    config = tmp_path / "contest.toml"
    config.write_text('[packages]\nallow = ["pandas", "no-such-x"]\n[limits]\nmemory_mb = 200\n')
    probes = json.loads(typed("doctor", "--config", config, "--json")[1])["findings"]
    has, lacks = (each for each in probes if each["probe"].startswith("package "))
    assert has["ok"], has
    assert re.fullmatch(r"[\d.]+; a bot imported it in .+ s: \d+ MB of memory, .+", has["found"])
    assert not lacks["ok"]
    assert lacks["without"].endswith("-m pip install no-such-x")
    config.write_text('[packages]\nallow = ["pandas", "pandas"]\n[limits]\nmemory_mb = 64\n')
    probes = json.loads(typed("doctor", "--config", config, "--json")[1])["findings"]
    assert not probes[-1]["ok"]
    assert "but a bot could not import it: MemoryError" in probes[-1]["found"]


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
        assert "cannot confine bots" in line and "--allow-unsandboxed" in line
    assert done.stderr.count("\n") == len(lines)


@pytest.mark.slow
def test_unless_that_is_allowed(bots: Path) -> None:
    bare = (SECCOMP, SETRESUID)
    assert "not confined" in match(bots, "--allow-unsandboxed", without=bare)
    assert arena("doctor", without=bare).returncode == 1


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give bots user ids")
def test_a_user_id_for_each_bot_is_enough_without_seccomp(bots: Path) -> None:
    match(bots, without=(SECCOMP,))


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give bots user ids")
def test_a_python_in_a_private_folder_gives_no_bot_a_look_into_it(
    tmp_path: Path, bots: Path
) -> None:
    private = tmp_path / "private"
    private.mkdir(0o700)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", private / "venv"], check=True)
    (packages,) = private.glob("venv/lib/*/site-packages")
    (packages / "all.pth").write_text("\n".join(path for path in sys.path if "site-pack" in path))
    python = private / "venv/bin/python"
    probe = "private folders"
    assert found(arena("doctor", "--json", python=python))[probe]
    done = arena("doctor", "--json", python=python, without=(UNSHARE,))
    assert not found(done)[probe]
    assert "is on the way to Arena's Python" in done.stdout
    errors = match(bots, python=python, without=(UNSHARE,))
    assert errors.count("lies in the private folder") == 1


def test_a_doctor_whose_interpreter_cannot_be_started_says_so(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    code, _, errors = typed("doctor")
    assert code == 1
    assert "arena: the process that starts bots ended at once (exit status 1); make" in errors
