"""The first contest on a machine, where nothing is compiled."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from support.bots import FIRST_FREE, LAST_FREE, bots_in
from support.command_line import Typed, arena_ok
from support.instant import Instant

RUN = ("run", "bots", "--openings", 1, "--seed", 7, "--grade", "seed", "--out", "c")
WAITING = "compiling Arena's engine, once, beyond the estimate; reference play last\n"


@pytest.fixture(autouse=True)
def two_bots(tmp_path: Path) -> Path:
    return bots_in(tmp_path / "bots", ann=FIRST_FREE, bea=LAST_FREE)


def test_games_with_the_engine_come_last_while_it_is_compiled(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[object] = []
    monkeypatch.setattr("arena.contest.session.is_compiled", lambda pieces: not pieces)
    monkeypatch.setattr("arena.cli.run.begin_compiling", lambda *pieces, **_: begun.extend(pieces))
    instant = Instant.in_place_of_lanes(monkeypatch)
    code, _, errors = typed(*RUN)
    assert code == 0
    assert WAITING in errors
    assert begun == [("search",)]  # at the end it begins with the rest
    with_engine = [
        any(bot.entry_point.engine is not None for bot in (key.first, key.second))
        for key in instant.asked
    ]
    assert with_engine == [False] * 6 + [True] * 6


@pytest.mark.slow
def test_a_contest_needs_no_compiled_engine_to_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("NUMBA_CPU_NAME", "host")  # no other folder has such machine code
    assert WAITING in arena_ok(*RUN, cwd=tmp_path).stderr
    with (tmp_path / "c" / "games.csv").open() as file:
        assert [row["verdict"] for row in csv.DictReader(file)] == ["LINE"] * 12
