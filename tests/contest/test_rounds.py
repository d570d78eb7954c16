"""Contests that choose their games: until settled, or until a time."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from arena.contest.index import Ends, ScheduledGames, index_of
from arena.contest.retirement import Settled, settle
from arena.contest.rounds import NO_LIMIT, Meetings, Rounds, TimeLeft
from arena.contest.run import Run
from arena.game.record import Bot, GameRecord
from arena.game.verdict import Verdict
from arena.journal.database import Journal
from arena.ranking.games import games_frame
from arena.ranking.ratings import contest_ratings
from arena.settings.contest import (
    BotEntry,
    Contest,
    Forfeits,
    Format,
    GradeRule,
    Grading,
    Ranking,
    Schedule,
    ScheduledGame,
)
from arena.statistics.bradley_terry import Ratings
from support.scripted import Scripted, lost
from tests.support.on_lanes import OnLanes

CAP = 6
SETTLED = Schedule(openings=CAP, seed=3, until_settled=0.95)
CLASS = {f"bot{number}": 100.0 * number for number in range(9)}  # Strengths in Elo points.


def contest_of(names: Iterable[str], plan: Schedule = SETTLED, **more: object) -> Contest:
    return Contest(bots={name: BotEntry() for name in names}, schedule=plan, **more)  # type: ignore[arg-type]


def games_of(contest: Contest, files: Mapping[str, str] | None = None) -> list[ScheduledGame]:
    """`files` names the bots with the same files."""
    bots = {name: Bot(content_hash=(files or {}).get(name, name), root="") for name in contest.bots}
    openings = [(number // 7, number % 7) for number in range(contest.schedule.openings)]
    return list(ScheduledGames(contest, bots, openings))


def results_of(games: Iterable[ScheduledGame]) -> dict[str, GameRecord]:
    """The stronger bot wins as often as the strengths say."""
    results = {}
    for game in games:
        chance = random.Random(game.key.digest).random()
        ahead = CLASS.get(game.first, 0) - CLASS.get(game.second, 0)
        loser = game.second if chance < 1 / (1 + 10 ** (-ahead / 400)) else game.first
        results[game.key.digest] = ended(game, loser, Verdict.LINE)
    return results


def ended(game: ScheduledGame, loser: str, verdict: Verdict) -> GameRecord:
    opening = game.key.opening
    return replace(lost(game, loser, verdict), columns=opening, opening_plies=len(opening))


def play(
    contest: Contest,
    folder: Path,
    *,
    lanes: int = 1,
    known: Iterable[GameRecord] = (),
    games: list[ScheduledGame] | None = None,
    results: Mapping[str, GameRecord] | None = None,
    stop_after: int | None = None,
    late: frozenset[str] = frozenset(),
) -> set[str]:
    """Run a contest; return the keys of the new games."""
    games = games_of(contest) if games is None else games
    journal = Journal(folder / "journal.sqlite")
    journal.add(known)
    before = journal.keys()
    executor = Scripted(dict(results or results_of(games)), random.Random(lanes))
    rounds = Rounds.of(contest, games, folder / "round.json", late)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.playing.driver.TICK_SECONDS", 0.0)
        on_lanes, retire_after = OnLanes(executor, lanes), contest.schedule.retire_after
        for _ in Run(games, journal, on_lanes, retire_after, rounds):
            if stop_after is not None and len(executor.played) >= stop_after:
                break
            executor.finish_some()
    played = journal.keys() - before
    journal.close()
    if stop_after is None:
        assert sorted(executor.played) == sorted(played)  # nothing twice
    return played


def settled_in(
    contest: Contest,
    folder: Path,
    games: list[ScheduledGame] | None = None,
    late: frozenset[str] = frozenset(),
) -> Settled:
    games = games_of(contest) if games is None else games
    journal = Journal(folder / "journal.sqlite")
    records = {record.key: record for record in journal.records()}
    journal.close()
    settled = settle(games, records, contest.schedule.retire_after)
    rounds = Rounds.of(contest, games, folder / "round.json", late)
    return rounds.planned(settled, records) if rounds else settled


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[str]]:
    """The folder of a contest that was played to its end, and the keys of its games."""
    folder = tmp_path_factory.mktemp("whole")
    return folder, play(contest_of(CLASS), folder)


@pytest.fixture
def folder(whole: tuple[Path, set[str]], tmp_path: Path) -> Path:
    """A copy of that folder."""
    return Path(shutil.copytree(whole[0], tmp_path / "copy"))


def test_it_ends_before_all_is_played_and_says_what_is_open(folder: Path) -> None:
    contest = contest_of(CLASS)
    settled = settled_in(contest, folder)
    assert settled.is_final and settled.open
    assert len(settled.games) < len(games_of(contest)) * 0.6
    met = {frozenset(game.game.names) for game in settled.games}
    for pair in settled.undecided:
        assert frozenset(pair) in met
        both = [game for game in settled.open if {*game.names} == set(pair)]
        assert both == []  # they reached the cap
    # openings are played with both sides, and pairings begin with others
    played = Counter((game.game.pairing, game.game.opening) for game in settled.games)
    assert set(played.values()) == {2}
    openings = Counter(pairing for pairing, _ in played)
    once = [opening for pairing, opening in played if openings[pairing] == 1]
    assert len(set(once)) > 2


@pytest.mark.parametrize("stop_after", [1, 71])
def test_stopped_and_resumed_on_other_lanes_it_plays_what_it_would_have_played(
    whole: tuple[Path, set[str]], tmp_path: Path, stop_after: int
) -> None:
    contest = contest_of(CLASS)
    first = play(contest, tmp_path, lanes=2, stop_after=stop_after)
    assert not settled_in(contest, tmp_path).is_final
    then = play(contest, tmp_path, lanes=5)
    assert first and then and first | then == whole[1]
    assert play(contest, tmp_path) == set()


def test_without_the_file_of_the_round_it_goes_on_from_the_games(tmp_path: Path) -> None:
    contest = contest_of(CLASS)
    first = play(contest, tmp_path, stop_after=30)
    (tmp_path / "round.json").write_text("[")
    then = play(contest, tmp_path)
    assert settled_in(contest, tmp_path).is_final and first.isdisjoint(then)


def test_a_late_bot_plays_but_few_games_and_few_others_play_any(tmp_path: Path) -> None:
    early = contest_of(name for name in CLASS if name != "bot4")
    play(early, tmp_path)
    late = contest_of(CLASS)
    games = {game.key.digest: game for game in games_of(late)}
    more = [games[digest] for digest in play(late, tmp_path)]
    with_it = [game for game in more if "bot4" in game.names]
    assert settled_in(late, tmp_path).is_final
    assert 2 * 6 <= len(with_it) < 8 * 2 * CAP
    assert len(with_it) > 3 / 4 * len(more)


def test_with_frozen_grades_a_late_bot_changes_no_game_of_those_on_time(tmp_path: Path) -> None:
    late = frozenset(["bot4"])
    grades = Grading(freeze=True)
    early = contest_of((name for name in CLASS if name != "bot4"), grades=grades)
    on_time = play(early, tmp_path)
    contest = contest_of(CLASS, grades=grades)
    games = {game.key.digest: game for game in games_of(contest)}
    more = play(contest, tmp_path, late=late)
    assert more and all("bot4" in (games[key].first, games[key].second) for key in more)
    assert settled_in(contest, tmp_path, late=late).is_final
    (tmp_path / "at once").mkdir()
    at_once = play(contest, tmp_path / "at once", late=late)
    assert {
        key for key in at_once if "bot4" not in (games[key].first, games[key].second)
    } == on_time


def test_a_changed_bot_plays_its_games_anew(folder: Path) -> None:
    contest = contest_of(CLASS)
    changed = games_of(contest, {"bot4": "another"})
    again = play(contest, folder, games=changed)
    by_key = {game.key.digest: game for game in changed}
    met = {name for digest in again for name in by_key[digest].names}
    assert len(met) > 6 and "bot4" in met
    assert settled_in(contest, folder, changed).is_final


def test_more_openings_go_on_from_there(folder: Path) -> None:
    assert settled_in(contest_of(CLASS), folder).undecided
    wider = contest_of(CLASS, replace(SETTLED, openings=2 * CAP))
    assert not settled_in(wider, folder).is_final
    assert play(wider, folder)


def test_switched_off_it_plays_all_and_switched_on_after_a_round_robin_nothing(
    whole: tuple[Path, set[str]], folder: Path
) -> None:
    fixed = contest_of(CLASS, replace(SETTLED, until_settled=0.0))
    assert list(settled_in(fixed, folder).due) == list(settled_in(fixed, folder).open)
    rest = play(fixed, folder)
    assert len(whole[1]) + len(rest) == len(games_of(fixed))
    contest = contest_of(CLASS)
    assert play(contest, folder) == set()
    assert settled_in(contest, folder).is_final


def test_identical_bots_are_one_player_and_do_not_play_each_other(tmp_path: Path) -> None:
    contest = contest_of(CLASS)
    games = games_of(contest, {"bot3": "bot7"})
    play(contest, tmp_path, games=games)
    settled = settled_in(contest, tmp_path, games)
    assert settled.is_final
    assert not any({"bot3", "bot7"} == {*g.game.names} for g in settled.games)
    count = {name: sum(name in g.game.names for g in settled.games) for name in ("bot3", "bot7")}
    assert count["bot3"] == count["bot7"]


def test_a_bot_that_hangs_is_retired_and_chosen_no_more(tmp_path: Path) -> None:
    contest = contest_of(CLASS)
    games = games_of(contest)
    results = results_of(games)
    for game in games:
        if "bot8" in game.names:
            results[game.key.digest] = lost(game, "bot8", Verdict.TIMEOUT)
    played = play(contest, tmp_path, lanes=2, results=results)
    settled = settled_in(contest, tmp_path)
    assert settled.is_final and list(settled.retired) == ["bot8"]
    assert not any("bot8" in pair for pair in settled.undecided)
    hung = [game for game in games if game.key.digest in played and results[game.key.digest]]
    assert sum("bot8" in game.names for game in hung) <= 2 * 6


def test_games_that_cannot_be_played_do_not_keep_it_going(tmp_path: Path) -> None:
    contest = contest_of(CLASS)
    games = games_of(contest)
    rounds = Rounds(contest, games, tmp_path / "round.json")
    index = index_of(games)
    ends = Ends(index)
    abandoned: set[str] = set()
    results = results_of(games)
    for _ in range(1000):
        due = rounds.due(ends, {}, NO_LIMIT, abandoned)
        if not len(due):
            break
        rounds.begin(due)
        for key in due.tolist():
            game = index.first(key)
            broken = {"bot1", "bot2"} == {*game.names}
            if broken:
                abandoned.add(game.key.digest)
            else:
                record = results[game.key.digest]
                ends.add(key, record.verdict, record.winner)
    assert not len(rounds.due(ends, {}, NO_LIMIT, abandoned))
    assert 0 < len(abandoned) <= 2 * CAP


def test_bots_graded_by_their_points_against_house_players_play_all_those_games(
    tmp_path: Path,
) -> None:
    contest = contest_of(
        [*CLASS, "random"], grades=Grading(rule=GradeRule.LEVELS, levels={"5": {"random": 0.5}})
    )
    play(contest, tmp_path)
    settled = settled_in(contest, tmp_path)
    against = [g for g in settled.games if "random" in g.game.names]
    assert len(against) == 2 * CAP * len(CLASS)
    assert settled.is_final and settled.open


def ratings_of_rounds(
    contest: Contest, games: list[ScheduledGame], settled: Settled
) -> tuple[Ratings, list[list[str]]]:
    """The ratings that choose games, and the names of each player's bots."""
    index, everything = index_of(games), np.ones(len(games), np.bool_)
    meetings = Meetings(contest, index, everything)
    records = {game.record.key: game.record for game in settled.games if not game.is_forfeit}
    ends = Ends.from_records(index, records)
    stage = meetings.stage(ends, settled.retired, ~everything)
    return stage.ratings, meetings.players


@pytest.mark.parametrize("forfeits", Forfeits)
@pytest.mark.parametrize("plan", [SETTLED, replace(SETTLED, format=Format.GAUNTLET)])
def test_games_are_chosen_by_the_ratings_in_the_table(
    tmp_path: Path, forfeits: Forfeits, plan: Schedule
) -> None:
    contest = contest_of(CLASS, plan, ranking=Ranking(forfeits=forfeits, anchor="bot0"))
    contest = replace(contest, bots={name: BotEntry(house=name < "bot3") for name in contest.bots})
    games = games_of(contest, {"bot3": "bot7"})
    kinds = [Verdict.LINE, Verdict.ERROR, Verdict.TIMEOUT]
    results = results_of(games)
    for game in games:
        loser = game.names[results[game.key.digest].loser or 0]
        if loser == "bot1":
            kind = kinds[int(game.key.digest, 16) % 3]
            results[game.key.digest] = ended(game, loser, kind)
    play(contest, tmp_path, games=games, results=results)
    settled = settled_in(contest, tmp_path, games)
    assert any(game.record.verdict.is_fault for game in settled.games)
    table = contest_ratings(games_frame(settled.games), contest, {"bot7": "bot3"})
    ratings, players = ratings_of_rounds(contest, games, settled)
    places = [table.players[names[0]] for names in players]
    own, shown = ratings.centred(0), table.ratings.centred(0)
    assert own.elo == pytest.approx(shown.elo[places], abs=1e-6)
    assert own.covariance == pytest.approx(shown.covariance[np.ix_(places, places)], abs=1e-6)


def test_games_are_chosen_by_the_held_ratings_in_the_table(tmp_path: Path) -> None:
    held = {"random": 0.0, "reference": 50.0}
    contest = contest_of([*CLASS, *held], ranking=Ranking(anchors=held))
    contest = replace(contest, bots={name: BotEntry(house=name in held) for name in contest.bots})
    games = games_of(contest)
    play(contest, tmp_path)
    settled = settled_in(contest, tmp_path)
    assert settled.is_final and 0 < len(settled.games) < len(games)
    table = contest_ratings(games_frame(settled.games), contest)
    ratings, players = ratings_of_rounds(contest, games, settled)
    places = [table.players[names[0]] for names in players]
    assert ratings.elo == pytest.approx(table.ratings.elo[places], abs=1e-6)


def test_a_pairing_plays_the_opening_that_all_share_after_its_own(tmp_path: Path) -> None:
    contest = contest_of(CLASS, replace(SETTLED, openings=3))
    bots = {name: Bot(content_hash=name, root="") for name in contest.bots}
    pool = [(number // 7, number % 7) for number in range(31)]  # one shared, two blocks of 15
    games = list(ScheduledGames(contest, bots, pool))
    rounds = Rounds(contest, games, tmp_path / "round.json")
    index = index_of(games)
    first = [index.first(key) for key in rounds.due(Ends(index), {}, NO_LIMIT)]
    assert len(first) == 2 * len(CLASS) * 3 and all(game.opening > 1 for game in first)


TIMED = replace(SETTLED, until_settled=0.0, until=datetime(2026, 12, 1, 7, 30, tzinfo=UTC))


def play_within(
    contest: Contest,
    folder: Path,
    seconds: float,
    seconds_of: Mapping[str, float] | None = None,
    late: frozenset[str] = frozenset(),
) -> tuple[set[str], float]:
    """Run a contest for some seconds on one lane; return new keys and the time used.

    `seconds_of` is each bot's part of a game, by default half a second.
    """
    games = games_of(contest)
    seconds_of = seconds_of or dict.fromkeys(contest.bots, 0.5)
    known, times = results_of(games), {}
    for game in games:
        parts = [seconds_of[name] for name in game.names]
        times[game.key.digest] = sum(parts)
        charged = tuple(int(part * 1e9) for part in parts)
        known[game.key.digest] = replace(known[game.key.digest], charged_ns=charged)
    journal = Journal(folder / "journal.sqlite")
    before = journal.keys()
    executor = Scripted(known, random.Random(1))
    rounds = Rounds.of(contest, games, folder / "round.json", late)

    def clock() -> float:
        return sum(times[digest] for digest in executor.played)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.playing.driver.TICK_SECONDS", 0.0)
        patch.setattr("arena.contest.run.monotonic", clock)
        patch.setattr("arena.contest.queue.monotonic", clock)
        run = Run(games, journal, OnLanes(executor, 1), 5, rounds, seconds)
        run.expect(seconds_of, ())
        for _ in run:
            executor.finish_some()
    played = journal.keys() - before
    journal.close()
    return played, clock()


def pairs_of(games: Iterable[ScheduledGame]) -> Counter[tuple[int, int]]:
    return Counter((game.pairing, game.opening) for game in games)


def test_a_contest_ends_at_its_time_with_whole_pairs_and_goes_on_with_more(
    tmp_path: Path,
) -> None:
    contest = contest_of(CLASS, TIMED)
    by_key = {game.key.digest: game for game in games_of(contest)}
    played, seconds = play_within(contest, tmp_path, 200.0)
    assert 198 <= seconds <= 200 and 198 <= len(played) < len(by_key) / 2
    assert set(pairs_of(by_key[key] for key in played).values()) == {2}
    settled = settled_in(contest, tmp_path)
    assert settled.is_final and settled.open and not settled.undecided
    games = Counter(name for key in played for name in by_key[key].names)
    assert max(games.values()) < 3 * min(games.values())
    # after its time nothing is played
    assert play_within(contest, tmp_path, 0.0)[0] == set()
    longer = replace(contest, schedule=replace(TIMED, until=datetime(2026, 12, 2, tzinfo=UTC)))
    assert not settled_in(longer, tmp_path).is_final
    more, seconds = play_within(longer, tmp_path, 50.0)
    assert 48 <= seconds <= 50 and more.isdisjoint(played)
    assert settled_in(longer, tmp_path).is_final
    rest, _ = play_within(longer, tmp_path, 10_000.0)
    assert len(played | more | rest) == len(by_key)


def test_too_short_a_time_gives_no_final_table_until_each_bot_has_met_enough(
    tmp_path: Path,
) -> None:
    contest = contest_of(CLASS, TIMED)
    by_key = {game.key.digest: game for game in games_of(contest)}
    played, _ = play_within(contest, tmp_path, 10.0)
    assert 0 < len(played) <= 22
    assert set(pairs_of(by_key[key] for key in played).values()) == {2}
    settled = settled_in(contest, tmp_path)
    assert not settled.is_final
    rest, _ = play_within(contest, tmp_path, 0.0)  # the time is over: only what is needed
    assert {game.key.digest for game in settled.due} == rest
    assert settled_in(contest, tmp_path).is_final
    met = {name: set() for name in CLASS}
    for key in played | rest:
        one, other = by_key[key].names
        met[one].add(other)
    assert {len(others) for others in met.values()} == {6}


@pytest.mark.parametrize("seconds", [0.0, 20.0])
def test_a_pair_that_a_run_of_all_games_began_is_completed(tmp_path: Path, seconds: float) -> None:
    contest = contest_of(CLASS, TIMED)
    by_key = {game.key.digest: game for game in games_of(contest)}
    play_within(contest, tmp_path, 160.0)
    journal = Journal(tmp_path / "journal.sqlite")
    played = journal.keys()
    half = next(digest for digest in by_key if digest not in played)
    journal.add([results_of(by_key.values())[half]])
    journal.close()
    assert len(settled_in(contest, tmp_path).due) == 1
    more, _ = play_within(contest, tmp_path, seconds)
    pairs = pairs_of(by_key[key] for key in more)
    assert pairs.pop((by_key[half].pairing, by_key[half].opening)) == 1
    assert set(pairs.values()) <= {2}


def test_if_all_games_fit_in_the_time_they_are_one_round(tmp_path: Path) -> None:
    contest = contest_of(CLASS, TIMED)
    games = games_of(contest)
    index = index_of(games)
    ends = Ends(index)
    rounds = Rounds(contest, games, tmp_path / "round.json")
    time = TimeLeft(1_000.0, dict.fromkeys(CLASS, 0.5), 1)  # the games take 432 s
    first = rounds.due(ends, {}, time)
    for key in first:
        ends.add(int(key), Verdict.LINE, 0)
    assert len(first) + len(rounds.due(ends, {}, time)) == len(games) == 432
    assert len(rounds.due(ends, {}, time._replace(seconds=600.0))) < 100


def test_a_late_bot_plays_what_it_needs_after_the_time_is_over(tmp_path: Path) -> None:
    early = contest_of([name for name in CLASS if name != "bot4"], TIMED)
    play_within(early, tmp_path, 160.0)
    late = contest_of(CLASS, TIMED)
    assert not settled_in(late, tmp_path).is_final
    by_key = {game.key.digest: game for game in games_of(late)}
    more, _ = play_within(late, tmp_path, 0.0)
    assert len(more) == 12 and all("bot4" in by_key[key].names for key in more)
    assert settled_in(late, tmp_path).is_final


def test_with_frozen_grades_a_late_bot_has_a_grade_at_the_contests_time(tmp_path: Path) -> None:
    late = frozenset(["bot4"])
    contest = contest_of(CLASS, TIMED, grades=Grading(freeze=True))
    by_key = {game.key.digest: game for game in games_of(contest)}
    played, _ = play_within(contest, tmp_path, 150.0, late=late)
    assert settled_in(contest, tmp_path, late=late).is_final
    assert sum("bot4" in by_key[key].names for key in played) == 12


def test_slow_bots_play_fewer_games_and_none_that_would_end_too_late(tmp_path: Path) -> None:
    contest = contest_of(CLASS, TIMED)
    by_key = {game.key.digest: game for game in games_of(contest)}
    seconds_of = {name: 30.0 if name == "bot4" else 0.5 for name in CLASS}
    played, _ = play_within(contest, tmp_path, 50.0, seconds_of)
    assert played and not any("bot4" in by_key[key].names for key in played)
    (tmp_path / "more").mkdir()
    seconds_of["bot4"] = 4.0
    played, _ = play_within(contest, tmp_path / "more", 120.0, seconds_of)
    games = Counter(name for key in played for name in by_key[key].names)
    assert 0 < games["bot4"] < min(games[name] for name in CLASS if name != "bot4")
