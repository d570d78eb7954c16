"""Openings of each pairing: late bots, older folders, a missing pool."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from arena.openings.pool import ALL
from arena.settings.file import read_recorded
from support.bots import FIRST_FREE, LAST_FREE, bots_in
from support.command_line import Typed, succeeded
from support.early import early_contest
from support.instant import Instant

RUN = ("run", "bots", "--preset", "classic", "--no-house", "--openings", 4, "--out", "c")


@pytest.fixture
def contest(tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A contest of three bots that has been played."""
    Instant.in_place_of_lanes(monkeypatch)
    bots_in(tmp_path / "bots", ann=FIRST_FREE, ben=LAST_FREE, cem=f"# cem\n{FIRST_FREE}")
    succeeded(typed(*RUN, "--seed", 3))
    return tmp_path / "c"


def games_in(contest: Path) -> pd.DataFrame:
    return pd.read_csv(contest / "games.csv").set_index("key")


def test_each_pairing_plays_openings_of_its_own_and_shares_the_first(contest: Path) -> None:
    games = games_in(contest)
    assert len(games) == 3 * 4 * 2
    played = [set(of["opening"]) for _, of in games.groupby("pairing")]
    assert all(len(openings) == 4 for openings in played)
    pool = json.loads((contest / "openings.json").read_text())
    assert (pool["asked"], pool["block"], len(pool["openings"])) == (46, 15, 46)
    assert set.intersection(*played) == {" ".join(map(str, pool["openings"][0]))}
    pairs = games.groupby(["pairing", "opening"])["first"].nunique()
    assert (pairs == 2).all(), "both sides of each opening are played"
    assert read_recorded(contest / "contest.toml").schedule.shared_openings == 2


def test_a_late_bot_and_more_openings_play_only_what_is_theirs(
    contest: Path, tmp_path: Path, typed: Typed
) -> None:
    before = games_in(contest)
    bots_in(tmp_path / "bots", dan=f"# dan\n{LAST_FREE}")
    assert "48 games, 24 to play" in " ".join(typed(*RUN)[2].split())
    late = games_in(contest)
    assert before.index.isin(late.index).all()
    new = late[~late.index.isin(before.index)]
    assert ((new["first"] == "dan") | (new["second"] == "dan")).all()
    more = " ".join(typed(*RUN, "--openings", 5)[2].split())
    assert "60 games, 12 to play" in more
    assert late.index.isin(games_in(contest).index).all()
    fewer = " ".join(typed(*RUN, "--openings", 3)[2].split())
    assert "36 games, 0 to play" in fewer


@pytest.mark.slow
def test_a_missing_pool_is_drawn_again_and_a_strange_one_found(
    tmp_path: Path, typed: Typed
) -> None:
    bots_in(tmp_path / "bots", ann=FIRST_FREE, ben=LAST_FREE, cem=f"# cem\n{FIRST_FREE}")
    succeeded(typed(*RUN, "--seed", 3))
    succeeded(typed(*RUN, "--openings", 2))
    assert "nothing is wrong" in succeeded(typed("verify", "c"))
    succeeded(typed(*RUN, "--openings", 4))
    file = tmp_path / "c" / "openings.json"
    kept = file.read_text()
    file.unlink()
    assert typed("rank", "c")[0] == 0
    assert not file.exists()
    code, out, _ = typed("verify", "c", "--repair")
    assert code == 0 and "openings.json" in out
    assert file.read_text() == kept
    file.write_text(kept.replace(json.dumps(json.loads(kept)["openings"][0]), "[3, 3, 3]"))
    code, out, _ = typed("verify", "c")
    assert code == 1 and "openings.json: lacks 1 opening that these bots played from" in out


def test_all_openings_can_be_shared(contest: Path, typed: Typed) -> None:
    errors = " ".join(typed(*RUN, "--shared-openings", "all")[2].split())
    assert "this contest had other --shared-openings; games from openings that a pairing" in errors
    played = [set(of["opening"]) for _, of in games_in(contest).groupby("pairing")]
    assert all(openings == played[0] for openings in played) and len(played[0]) == 4
    assert "24 games, 0 to play" in " ".join(typed("resume", "c")[2].split())


def test_a_folder_of_an_early_arena_plays_nothing_again(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = Instant.in_place_of_lanes(monkeypatch)
    early = early_contest(tmp_path / "early")
    assert "shared_openings" not in (early / "contest.toml").read_text()
    code, _, errors = typed("resume", "early")
    assert code == 0 and "12 games, 0 to play" in " ".join(errors.split())
    assert played.games == 0
    assert read_recorded(early / "contest.toml").schedule.shared_openings == ALL
