"""The archive for Gradescope, its wheel, and refused options."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

import arena
from arena.autograder.bundle import arena_wheel, bundle, levels_contest, most_games
from arena.common.names import house_folder
from arena.settings.contest import Contest, Schedule
from arena.settings.file import read_contest_file
from support.command_line import Typed, refused, succeeded

PACKAGE = Path(arena.__file__).parent


class TestWheel:
    def test_it_has_every_file_of_the_package_and_the_bots(self) -> None:
        name, data = arena_wheel()
        assert arena_wheel() == (name, data)  # the same every time
        assert name.startswith("arena_tournament-") and name.endswith("-py3-none-any.whl")
        with ZipFile(io.BytesIO(data)) as wheel:
            there = set(wheel.namelist())
        homes = {"arena": PACKAGE, "arena/bots": house_folder()}
        needed = {
            f"{name}/{path.relative_to(home)}"
            for name, home in homes.items()
            for path in home.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert {"arena/py.typed", "arena/autograder/setup.sh", "arena/bots/reference.py"} <= needed
        assert needed <= there and not any("__pycache__" in name for name in there)

    def test_its_record_has_the_digest_of_each_file(self) -> None:
        with ZipFile(io.BytesIO(arena_wheel()[1])) as wheel:
            (record,) = (name for name in wheel.namelist() if name.endswith("/RECORD"))
            rows = list(csv.reader(wheel.read(record).decode().splitlines()))
            assert {row[0] for row in rows} == set(wheel.namelist())
            for path, digest, size in rows:
                if path != record:
                    data = wheel.read(path)
                    sha = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode()
                    assert (digest, size) == (f"sha256={sha.rstrip('=')}", str(len(data)))


class TestArchive:
    def test_its_scripts_can_be_executed_and_are_complete(self) -> None:
        contest = levels_contest(Contest())
        with ZipFile(io.BytesIO(bundle(contest, 12.5, 7, home=True))) as archive:
            modes = {each.filename: each.external_attr >> 16 for each in archive.infolist()}
            names = ("run_autograder", "setup.sh", "contest.toml")
            run, setup, toml = (archive.read(name).decode() for name in names)
        assert modes["run_autograder"] == modes["setup.sh"] == 0o100755
        assert run.startswith("#!/usr/bin/env bash\n") and setup.startswith("#!/usr/bin/env bash\n")
        assert "@" not in run
        assert "--points 12.5 --seconds 360 --home <" in run
        assert "timeout --kill-after=10 400 " in run
        assert "://" not in f"{run}{setup}{toml}"  # no address of a registry
        for script in (run, setup):
            subprocess.run(["bash", "-n"], input=script, text=True, check=True)

    def test_the_contest_file_says_the_same_again(self, tmp_path: Path) -> None:
        file = tmp_path / "contest.toml"
        file.write_text(
            """
            preset = "cs4100"
            [limits]
            nodes = 0
            [grades]
            levels = { 1 = { novice = 0.5 }, 3 = { novice = 0.7, master = 0.2 } }
            [bots.submission]
            interface = "pick_move"
            options = { depth = 3 }
            [bots.novice]
            options = { nodes = 50 }
            [bots.somebody]
            file = "bot.py"
            """
        )
        contest = levels_contest(read_contest_file(file, Contest(schedule=Schedule(seed=77))))
        data = bundle(contest, 10, 10, home=False)
        with ZipFile(io.BytesIO(data)) as archive:
            again = levels_contest(
                read_contest_file(Path(archive.extract("contest.toml", tmp_path / "x")), Contest())
            )
        overrides = {name: bot.overrides for name, bot in contest.bots.items()}
        assert set(overrides) == {"submission", "novice"}
        assert {name: bot.overrides for name, bot in again.bots.items()} == overrides
        for name in ("rules", "limits", "schedule", "grades"):
            assert getattr(again, name) == getattr(contest, name)
        assert again.schedule.seed == 77 and again.limits.nodes is None

    def test_games_by_hand(self) -> None:
        contest = levels_contest(Contest(schedule=Schedule(openings=3, min_plies=8)))
        assert most_games(contest) == 2 * 3 * 5


class TestCommand:
    def test_it_makes_an_archive(self, typed: Typed, tmp_path: Path) -> None:
        out = succeeded(typed("autograder", "--preset", "cs4100", "--out", "a.zip"))
        assert out.startswith("a.zip: a submission plays 100 games for up to 10 points")
        with ZipFile(tmp_path / "a.zip") as archive:
            names = archive.namelist()
        assert names[:3] == ["setup.sh", "run_autograder", "contest.toml"] and len(names) == 4

    def test_a_file_that_is_no_autograder_is_left_alone(self, typed: Typed, tmp_path: Path) -> None:
        with ZipFile(tmp_path / "class.zip", "w") as archive:
            archive.writestr("bot.py", "")
        (tmp_path / "hello.txt").write_text("hello")
        for name in ("class.zip", "hello.txt"):
            before = (tmp_path / name).read_bytes()
            assert f"--out {name}: " in refused(typed("autograder", "--out", name))
            assert (tmp_path / name).read_bytes() == before

    def test_each_draws_a_seed_of_its_own(self, typed: Typed, tmp_path: Path) -> None:
        seeds = set()
        for _ in range(2):
            succeeded(typed("autograder", "--out", "a.zip"))
            with ZipFile(tmp_path / "a.zip") as archive:
                seeds.add(archive.read("contest.toml").decode().split("seed = ")[1].split()[0])
        assert len(seeds) == 2

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            ([], "--out is missing"),
            (["--out", "nowhere/a.zip"], "nowhere/a.zip: cannot be written to"),
            (["--out", "a.zip", "--points", "0"], "'--points'"),
            (["--out", "a.zip", "--minutes", "1"], "'--minutes'"),
            (["--out", "a.zip", "--config", "no.toml"], "no.toml: No such file"),
            (["--out", "a.zip", "--openings", "0"], "openings = 0: expected 1 to 100000"),
        ],
    )
    def test_bad_input_is_one_line(self, typed: Typed, words: list[str], said: str) -> None:
        assert said in refused(typed("autograder", *words))

    def test_options_that_a_house_player_does_not_take_are_refused(
        self, typed: Typed, tmp_path: Path
    ) -> None:
        (tmp_path / "c.toml").write_text("[bots.novice]\noptions = { speed = 3 }\n")
        words = "autograder", "--config", "c.toml", "--out", "a.zip"
        assert "[bots.novice] options: speed" in refused(typed(*words))
