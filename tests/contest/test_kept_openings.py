"""A contest keeps its openings, whatever books another version has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.common.errors import InputError
from arena.contest.index import ScheduledGames
from arena.contest.kept_openings import Openings, contest_openings, read_openings
from arena.game.record import Bot, GameRecord
from arena.openings.drawing import DRAWN_BLOCK, find_openings
from arena.openings.pool import ALL
from arena.rules import Ruleset
from arena.settings.contest import BotEntry, Contest, Schedule
from support.scripted import lost

CONTEST = Contest(
    rules=Ruleset(5, 5),
    schedule=Schedule(openings=2, shared_openings=ALL, seed=4, min_plies=4, max_plies=6),
)
BOTS = {name: Bot(content_hash=name, root="") for name in "ab"}


@pytest.fixture
def contest() -> Contest:
    return replace(CONTEST, bots={name: BotEntry(content_hash=name) for name in BOTS})


def openings_in(folder: Path, contest: Contest, played: Sequence[GameRecord] = ()) -> Openings:
    return contest_openings(folder / "openings.json", contest, BOTS, lambda: played)[0].openings


def played_from(*openings: tuple[Contest, tuple[int, ...]]) -> list[GameRecord]:
    return [
        replace(lost(game, "a"), columns=(*opening, 2), opening_plies=len(opening))
        for contest, opening in openings
        for game in ScheduledGames(contest, BOTS, [opening])[:1]
    ]


@pytest.mark.slow
def test_they_are_found_once_and_read_from_then_on(
    tmp_path: Path, contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = contest.schedule
    found = find_openings(contest.rules, 3, plan.seed, plan.min_plies, plan.max_plies)
    first = openings_in(tmp_path, contest)
    assert first == [opening.columns for opening in found[:2]]
    monkeypatch.setattr("arena.openings.drawing.BOOKS", tmp_path / "none")
    with monkeypatch.context() as patch:
        patch.setattr("arena.contest.kept_openings.find_openings", None)
        assert openings_in(tmp_path, contest) == first
        fewer = replace(contest, schedule=replace(plan, openings=1))
        assert openings_in(tmp_path, fewer) == first[:1]
    more = replace(contest, schedule=replace(plan, openings=3))
    assert openings_in(tmp_path, more) == [opening.columns for opening in found]


def test_a_folder_without_the_file_goes_on_with_the_openings_of_its_own_games(
    tmp_path: Path, contest: Contest
) -> None:
    other_seed = replace(contest, schedule=replace(contest.schedule, seed=5))
    mine, foreign = (0, 0, 1), (4, 4, 3)
    played = played_from((contest, mine), (other_seed, foreign))
    openings = openings_in(tmp_path, contest, played)
    assert openings[0] == mine and len(openings) == 2
    assert foreign not in openings
    assert openings_in(tmp_path, contest) == openings


@pytest.mark.slow
def test_a_file_that_is_damaged_is_set_aside(tmp_path: Path, contest: Contest) -> None:
    whole = openings_in(tmp_path, contest)
    file = tmp_path / "openings.json"
    kept = file.read_text()
    moved = kept.replace("[[", "[[9, ").replace("[(", "[(9, ")
    with pytest.MonkeyPatch.context() as patch:
        found = [SimpleNamespace(columns=columns) for columns in whole]
        patch.setattr("arena.contest.kept_openings.find_openings", lambda *_, **__: found)
        texts = ["", "[]", '{"openings": 3}', "\x00", '{"asked": 2}', moved]
        for number, text in enumerate(texts, 1):
            file.write_text(text)
            assert openings_in(tmp_path, contest) == whole
            assert file.read_text() == kept
            assert (tmp_path / f"set-aside-{number}" / "openings.json").read_text() == text


def test_to_show_a_contest_none_are_drawn(tmp_path: Path, contest: Contest) -> None:
    file = tmp_path / "openings.json"
    both = [(0, 0, 1, 1), (4, 4, 3, 3)]

    def shown(*openings: tuple[int, ...]) -> Openings:
        played = played_from(*((contest, opening) for opening in openings))
        return read_openings(file, contest, BOTS, lambda: played).openings

    assert shown(*both) == both
    with pytest.raises(InputError, match="is missing; this makes it again"):
        shown(both[0])
    with pytest.raises(InputError, match="is missing, and no game has been played yet"):
        shown()
    file.write_text("{")
    with pytest.raises(InputError, match="is not as it was written; this makes it again"):
        shown(*both)
    assert file.read_text() == "{"


@pytest.mark.slow
def test_other_terms_have_openings_of_their_own(tmp_path: Path, contest: Contest) -> None:
    first = openings_in(tmp_path, contest)
    wider = replace(contest, rules=Ruleset(5, 6))
    assert openings_in(tmp_path, wider) != first
    assert openings_in(tmp_path, contest) == first


@pytest.mark.slow
def test_longer_openings_are_drawn_though_games_of_shorter_ones_were_played(
    tmp_path: Path, contest: Contest
) -> None:
    first = openings_in(tmp_path, contest)
    played = played_from(*((contest, opening) for opening in first))
    longer = replace(contest, schedule=replace(contest.schedule, min_plies=7, max_plies=8))
    assert {len(opening) for opening in openings_in(tmp_path, longer, played)} <= {7, 8}


def own(contest: Contest, openings: int = 2) -> Contest:
    """The contest, with all openings but the first drawn for each pairing."""
    plan = replace(contest.schedule, openings=openings, shared_openings=2)
    return replace(
        contest, rules=Ruleset(4, 4), schedule=plan
    )  # openings of a small board are quick


@pytest.mark.slow
def test_openings_of_pairings_are_drawn_from_a_pool_that_grows_at_its_end(
    tmp_path: Path, contest: Contest
) -> None:
    pool = openings_in(tmp_path, own(contest))
    assert len(pool) == 1 + DRAWN_BLOCK
    assert openings_in(tmp_path, own(contest, 3))[: len(pool)] == pool
    assert openings_in(tmp_path, own(contest)) == pool
    file = tmp_path / "openings.json"
    assert json.loads(file.read_text())["block"] == DRAWN_BLOCK
    file.write_text(file.read_text().replace(f'"block": {DRAWN_BLOCK}', '"block": 4'))
    assert len(openings_in(tmp_path, own(contest))) == 1 + 4, "a folder keeps its blocks"


@pytest.mark.slow
def test_a_pool_is_found_again_if_it_has_the_openings_that_were_played(
    tmp_path: Path, contest: Contest
) -> None:
    contest, file = own(contest), tmp_path / "openings.json"
    pool = openings_in(tmp_path, contest)
    played, foreign = played_from((contest, pool[3])), played_from((contest, (0, 0, 1, 1)))
    for text in (None, "{"):
        if text is None:
            file.unlink()
        else:
            file.write_text(text)
        with pytest.raises(InputError, match="other openings than those of the games; put back"):
            openings_in(tmp_path, contest, foreign)
        if text is None:
            assert read_openings(file, contest, BOTS, lambda: played).openings == pool
        assert openings_in(tmp_path, contest, played) == pool
