"""House players in a contest, their options, and engine versions."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arena.common.errors import InputError
from arena.common.names import FLOOR, HOUSE, LEVELS, YARDSTICK
from arena.contest.entries import (
    _with_anchors,
    bots_by_name,
    changes,
    enter,
    only_overrides,
    with_current_engine,
)
from arena.contest.people import Exclusion, write_excluded
from arena.contest.session import Session
from arena.courses.roster import find_roster
from arena.game.record import Bot
from arena.intake.house_players import house_player, house_submissions
from arena.intake.submission import read_submission
from arena.interfaces import EntryPoint, Overrides
from arena.openings.pool import ALL
from arena.rules import Ruleset
from arena.scoring.grade_rules import GradeRule
from arena.settings.contest import BotEntry, Contest, Format, Grading, Ranking, Schedule, pairings
from arena.settings.file import read_recorded, write_contest_file
from arena.settings.known_ratings import known_ratings, spread_evenly
from support.bots import FIRST_FREE, LAST_FREE, bots_in, house_bot
from support.command_line import Typed
from support.instant import Instant

ANYWHERE = Path("snapshots")


def with_options(name: str, **options: object) -> Contest:
    wanted = Contest(bots={name: BotEntry(overrides=Overrides(options=options))})
    return enter(wanted, (), [house_player(name)])[0]


def test_a_level_is_entered_with_its_options_which_nobody_wished_for() -> None:
    contest = enter(Contest(), (), [*house_submissions(), house_player("master")])[0]
    master, chance = contest.bots["master"], contest.bots["random"]
    assert master.house and chance.house
    assert master.entry_point.options == {"nodes": 100_000}
    engine = contest.bots["reference"].entry_point.engine
    assert master.entry_point.engine == engine != chance.entry_point.engine
    assert contest.needs_engine
    assert not enter(Contest(), (), [house_player("random")])[0].needs_engine
    assert only_overrides(contest) == {}


def test_the_contest_file_sets_a_house_players_options() -> None:
    reference = with_options("reference", nodes=2000).bots["reference"]
    assert reference.entry_point.options == {"nodes": 2000}
    weak = with_options("master", depth=3)
    options = {"nodes": 100_000, "depth": 3}
    assert weak.bots["master"].entry_point.options == options
    assert only_overrides(weak)["master"].overrides.options == options


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("nodes", 0, "nodes = 0: expected a whole number, 1 to 1000000000"),
        ("depth", "deep", "depth = 'deep': expected a whole number, 1 to 1000000000"),
        ("solve", 1, "solve = 1: expected true or false"),
        ("count", 1, "count: no such option; known: nodes, depth, solve"),
    ],
)
def test_an_option_that_the_engine_does_not_take_is_one_clear_line(
    option: str, value: object, said: str
) -> None:
    with pytest.raises(InputError, match=rf"\[bots.reference\] options: {said}"):
        with_options("reference", **{option: value})


def test_of_a_house_player_only_options_can_be_said() -> None:
    with pytest.raises(InputError, match=r"\[bots.reference\]: a house player"):
        wanted = BotEntry(overrides=Overrides(entry="Other"))
        enter(Contest(bots={"reference": wanted}), (), house_submissions())


def test_a_contest_file_makes_nobody_a_house_player(tmp_path: Path) -> None:
    (tmp_path / "alice.py").write_text(FIRST_FREE)
    reference = enter(Contest(), (), house_submissions())[0].bots["reference"]
    wanted = Contest(bots={"alice": replace(reference, overrides=Overrides(file="alice.py"))})
    entered = enter(wanted, [read_submission(tmp_path / "alice.py")], ())[0].bots["alice"]
    assert not entered.house and entered.entry_point.engine is None
    # nor does a folder of results, where somebody wrote it into
    point = replace(entered.entry_point, engine=reference.entry_point.engine)
    forged = Contest(bots={"alice": replace(entered, house=True, entry_point=point)})
    assert "engine player of another version" in (
        bots_by_name(forged, ANYWHERE)["alice"].problem or ""
    )


def test_the_engine_is_part_of_its_players_games_and_of_no_others() -> None:
    player = house_bot("reference")
    another = replace(player.entry_point, engine="another")
    assert player.identity != replace(player, entry_point=another).identity
    # as it has always been, so that the journals of earlier contests still count
    bot = Bot(content_hash="c", root="/", entry_point=EntryPoint(file="f"))
    assert bot.identity == '["c","f","","",null,{}]'


def test_a_contest_of_another_version_is_read_as_it_was_played_and_goes_on_with_this_one() -> None:
    now = enter(Contest(), (), [*house_submissions(), house_player("novice")])[0]
    then = {
        name: replace(
            bot,
            content_hash=f"then {bot.content_hash}",
            entry_point=replace(bot.entry_point, engine="then"),
        )
        for name, bot in now.bots.items()
        if bot.entry_point.engine is not None
    }
    before = replace(now, bots={**now.bots, **then})
    played = bots_by_name(before, ANYWHERE)
    assert '"then"' in played["novice"].identity
    assert played["novice"].problem is not None
    after, changed = with_current_engine(before)
    assert list(changed) == ["reference", "novice"]
    assert after == now
    assert with_current_engine(now) == (now, {})


def test_the_reference_of_a_contest_before_the_engine_stays_the_bot_it_was() -> None:
    point = EntryPoint(file="reference.py", interface="pick_move")
    old = BotEntry(entry_point=point, content_hash="old", house=True)
    contest = Contest(bots={"reference": old})
    assert with_current_engine(contest) == (contest, {})
    bot = bots_by_name(contest, ANYWHERE)["reference"]
    assert (bot.entry_point.engine, bot.problem) == (None, None)


# Submissions as students make them: a folder each, or a file.
HAND_INS = {
    "ann": {"agent.py": FIRST_FREE},
    "bo": {"bot.py": FIRST_FREE, "bot_old.py": LAST_FREE},
    "cy": {"main.py": f"import helper\n{FIRST_FREE}", "helper.py": "x = 1"},
    "di": {"pkg/__init__.py": "", "pkg/agent.py": FIRST_FREE, "pkg/search.py": "x = 1"},
    "ed": {"hw4/src/agent.py": LAST_FREE, "README.md": "read me"},
    "flo": {"two.py": FIRST_FREE, "one.py": LAST_FREE},
    "gus": {"broken.py": "def pick_move(rack:"},
    "hal.py": FIRST_FREE,
}


@pytest.mark.slow
def test_check_and_run_name_and_choose_the_same_bots(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    for name, files in HAND_INS.items():
        for file, text in ({"": files} if isinstance(files, str) else files).items():
            path = folder / name / file if file else folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    among = find_roster([folder]).submissions
    assert [bot.name for bot in among] == ["ann", "bo", "cy", "di", "ed", "flo", "gus", "hal"]
    in_class: dict[str, BotEntry] = {}
    for paths in ([folder], *([folder / name] for name in ("bo", "cy", "di", "ed", "hal.py"))):
        # as `arena run` enters them, and as `arena check` does
        run = Session.enter(tmp_path / "contest", paths, lambda contest: contest)
        found = find_roster(paths).submissions
        with Session.throwaway(Contest(), found) as check:
            for name, bot in check.contest.bots.items():
                assert run.contest.bots[name] == bot == in_class.setdefault(name, bot)
                choice = check.submissions[name].choice
                assert choice == run.submissions[name].choice
                assert choice is None or f"{name}: {choice}" in run.remarks
        students = [name for name, bot in run.contest.bots.items() if not bot.house]
        assert students == list(check.contest.bots)


def class_at(folder: Path, *names: str, starter: str = "") -> Path:
    """Bots with different files; `starter` has the course's starter code."""
    folder.mkdir()
    for name in names:
        own = "" if name == starter else f"# {folder.name} {name}\n"
        (folder / f"{name}.py").write_text(FIRST_FREE + own)
    return folder


def enter_class(contest: Path, *bots: Path) -> list[str]:
    session = Session.enter(contest, bots, lambda base: base)
    session.snapshot()
    session.folder.write(session.contest, session.submissions.values())
    return session.remarks


def test_starter_code_that_two_classes_share_makes_no_contest_the_same(tmp_path: Path) -> None:
    contest = tmp_path / "contest"
    enter_class(contest, class_at(tmp_path / "a", "ann", "bob", "cem", "dan", starter="ann"))
    other = class_at(tmp_path / "b", "eva", "fay", "gus", "hal", starter="eva")
    with pytest.raises(InputError, match="ann, bob, cem and 1 more; none of them is in this"):
        enter_class(contest, other)
    (other / "eva.py").rename(other / "ann.py")
    with pytest.raises(InputError, match="only one of them is in this contest of ann, fay, gus"):
        enter_class(contest, other)


def test_bots_that_leave_a_contest_are_named(tmp_path: Path) -> None:
    contest, bots = tmp_path / "contest", class_at(tmp_path / "a", "ann", "bob", "cem", "dan")
    enter_class(contest, bots)
    for name in ("ann", "bob"):
        (bots / f"{name}.py").unlink()
    assert "no longer in this contest: ann, bob" in enter_class(contest, bots)
    moved = class_at(tmp_path / "b", "cem", "eva")
    (moved / "cem.py").write_bytes((bots / "cem.py").read_bytes())
    assert "no longer in this contest: dan" in enter_class(contest, moved)  # half is the same
    (moved / "CEM.py").write_text(FIRST_FREE)
    renamed = f"{moved}/CEM.py takes part as CEM-2, because cem is taken"
    assert renamed in enter_class(contest, moved)
    (contest / "openings.json").write_text("{")
    with pytest.raises(InputError, match=r"openings.json: is not as .* verify .* --repair"):
        _ = Session.read(contest).games
    assert (contest / "openings.json").read_text() == "{"


def test_a_few_files_of_a_class_do_not_make_a_small_contest_of_its_folder(tmp_path: Path) -> None:
    contest, bots = tmp_path / "contest", class_at(tmp_path / "a", "ann", "bob", "cem")
    enter_class(contest, bots)
    with pytest.raises(
        InputError, match=r"bob, cem would leave its contest; .* all bots, like .*/a"
    ):
        enter_class(contest, bots / "ann.py")
    late = class_at(tmp_path / "late", "dan") / "dan.py"
    with pytest.raises(InputError, match="to add bots, name the paths of all; for another contest"):
        enter_class(contest, late)
    enter_class(contest, bots, late)
    assert list(Session.read(contest).contest.bots)[:4] == ["ann", "bob", "cem", "dan"]
    write_excluded(contest, [Exclusion(name, "", "") for name in ("bob", "cem")])
    with pytest.raises(InputError, match="ann would leave its contest"):
        enter_class(contest, bots / "bob.py", late)
    assert "no longer in this contest: bob, cem" in enter_class(contest, bots / "ann.py", late)


def test_openings_that_are_no_longer_wanted_are_said() -> None:
    more, fewer = (Contest(schedule=Schedule(openings=number)) for number in (5, 3))
    assert list(changes(ANYWHERE, fewer, more)) == []
    said = "this contest had 5 openings; only the first 3 count now; the other games stay in"
    assert [line.startswith(said) for line in changes(ANYWHERE, more, fewer)] == [True]
    shared = Contest(schedule=Schedule(openings=5, shared_openings=ALL))
    (said,) = changes(ANYWHERE, shared, more)
    assert said.startswith("this contest had other --shared-openings; ")


@pytest.mark.slow
def test_house_players_of_a_rule_that_is_chosen_later_enter_and_play(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Instant.in_place_of_lanes(monkeypatch)
    bots = class_at(tmp_path / "class", "ann", "bob")
    words = ("--no-house", "--openings", 1, "--seed", 1, "--nodes", 200, "--out", "contest")
    assert typed("run", bots, *words)[0] == 0
    file = tmp_path / "contest" / "contest.toml"
    chosen = "[grades.levels]\n3 = { greedy = 0.01, novice = 0.01 }\n"
    file.write_text(file.read_text().replace("[grades.levels]\n", chosen))
    code, _, said = typed("rank", "contest", "--json")
    assert code == 0, said
    assert "no grades without games against greedy and novice; continue with: arena" in said
    code, out, said = typed("resume", "contest", "--json")
    assert code == 0
    assert "[grades] levels: greedy and novice will take part, as this rule requires" in said
    grades = {row["bot"]: row["grade"] for row in json.loads(out)}
    assert grades.keys() == {"greedy", "novice", "ann", "bob"}
    assert [bot for bot, grade in grades.items() if grade in (0, 3)] == [
        bot for bot in grades if bot in ("ann", "bob")
    ]
    assert "no grades" not in said


def test_nobody_enters_for_a_rule_that_was_not_chosen() -> None:
    bots = {"mine": BotEntry()}
    assert Contest(bots=bots).lacking == ()
    assert Contest(bots=bots, grades=Grading(levels={"1": {"greedy": 0.5}})).lacking == ("greedy",)


# A contest with a third house player, as if it had been added to the list.
@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    three = (FLOOR, YARDSTICK, "greedy")
    for name, module in list(sys.modules.items()):
        if name.startswith("arena.") and getattr(module, "HOUSE", None) == HOUSE:
            monkeypatch.setattr(module, "HOUSE", three)
    return three


@pytest.mark.slow
def test_a_contest_with_three_house_players_is_played_and_graded(
    house: tuple[str, ...], typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Instant.in_place_of_lanes(monkeypatch)
    bots_in(tmp_path / "bots", alice=FIRST_FREE, bob=LAST_FREE)
    how = ("--grade", "seed", "--openings", 1, "--seed", 1, "--nodes", 200)
    contest = (*how, "--json", "--out", "results")
    for command in (("run", "bots", *contest), ("rank", "results", "--json")):
        code, out, errors = typed(*command)
        assert code == 0, errors
        board = {row["bot"]: row for row in json.loads(out)}
        assert set(board) == {"alice", "bob", *house}
        assert all(board[name]["grade"] is None for name in house)
        assert all(board[name]["grade"] is not None for name in ("alice", "bob"))
    assert not list(tmp_path.glob("results/bots/.*"))


def test_a_gauntlet_meets_all_three(house: tuple[str, ...]) -> None:
    schedule = Schedule(format=Format.GAUNTLET)
    contest, _ = enter(Contest(schedule=schedule), (), house_submissions())
    assert set(contest.bots) == set(house)
    assert len(pairings(contest)) == 3


def begun(tmp_path: Path, configure: Callable[[Contest], Contest], **how: bool) -> Session:
    bots_in(tmp_path / "class", ann=FIRST_FREE, bob=LAST_FREE)
    return Session.enter(tmp_path / "results", [tmp_path / "class"], configure, **how)


def with_rule(rule: GradeRule, **rules: int) -> Callable[[Contest], Contest]:
    return lambda base: replace(
        base, rules=Ruleset(**rules), grades=replace(base.grades, rule=rule)
    )


def test_a_new_contest_records_the_known_ratings_of_its_board(tmp_path: Path) -> None:
    session = begun(tmp_path, with_rule(GradeRule.SEED))
    known = {name: row.rating for name, row in known_ratings(Ruleset()).items()}
    assert session.contest.ranking.anchors == known
    assert session.contest.held == {name: known[name] for name in HOUSE}
    write_contest_file(tmp_path / "contest.toml", session.contest)
    assert read_recorded(tmp_path / "contest.toml") == session.contest


def test_house_players_that_divide_the_scale_enter_for_the_rule_scale(tmp_path: Path) -> None:
    session = begun(tmp_path, with_rule(GradeRule.SCALE, rows=8, columns=8))
    chosen = spread_evenly(session.contest.ranking.anchors)
    house = {name for name, bot in session.contest.bots.items() if bot.house}
    assert house == set(chosen) == set(session.contest.held)
    assert not any("ratings are not known" in line for line in session.remarks)
    with pytest.raises(InputError, match=r"scale: needs reference, random.*leave out --no-house"):
        begun(tmp_path, with_rule(GradeRule.SCALE), house=False)


def test_the_rule_of_a_preset_does_not_refuse_a_contest_without_house_players(
    tmp_path: Path,
) -> None:
    session = begun(tmp_path, with_rule(GradeRule.SEED), house=False)
    assert session.contest.grades.rule is GradeRule.AUTO
    assert not session.contest.lacking  # so `arena resume` adds nobody
    (said,) = (line for line in session.remarks if "--no-house" in line)
    assert said.startswith("no grades by the rule seed, which needs house players")
    assert not any(
        "--no-house" in line for line in begun(tmp_path, with_rule(GradeRule.SEED)).remarks
    )


def test_a_board_without_a_table_has_no_held_ratings_and_it_is_said(tmp_path: Path) -> None:
    session = begun(tmp_path, with_rule(GradeRule.SCALE, rows=7))
    assert not session.contest.ranking.anchors
    assert {name for name, bot in session.contest.bots.items() if bot.house} == set(HOUSE)
    (said,) = (line for line in session.remarks if "ratings are not known" in line)
    assert said.startswith("the house players' ratings are not known for 7 rows × 7 columns")


def test_a_contest_that_has_begun_keeps_its_ratings(tmp_path: Path) -> None:
    own = {"random": 1.0, "reference": 1400.0}
    for anchors in ({}, own):
        before = Contest(ranking=Ranking(anchors=anchors))
        now = _with_anchors(before, before)
        assert now.ranking.anchors == anchors
    assert _with_anchors(Contest(ranking=Ranking(anchors=own)), None).ranking.anchors == own
    first = _with_anchors(Contest(), None)
    assert first.ranking.anchors
    elsewhere = _with_anchors(replace(first, rules=Ruleset(rows=8, columns=8)), first)
    assert elsewhere.ranking.anchors["random"] != first.ranking.anchors["random"]
    chosen = replace(first, rules=Ruleset(rows=7), ranking=Ranking(anchors=own))
    assert _with_anchors(chosen, first).ranking.anchors == own


def test_a_level_without_the_engine_keeps_its_options() -> None:
    options = LEVELS["sparring-2"]
    contest = enter(Contest(), (), [*house_submissions(), house_player("sparring-2")])[0]
    assert contest.bots["sparring-2"].entry_point.options == options
    assert contest.bots["sparring-2"].entry_point.engine is None
    assert only_overrides(contest) == {}
    calm = with_options("sparring-2", slips=0.0)
    assert calm.bots["sparring-2"].entry_point.options == {**options, "slips": 0.0}
    with pytest.raises(InputError, match=r"\[bots.sparring-2\] options: the bot takes no 'depth'"):
        with_options("sparring-2", depth=3)
