"""The contest file: its settings, presets, and one clear line for each error."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.common.errors import InputError
from arena.game.limits import Limits
from arena.interfaces import INTERFACES, EntryPoint, Overrides
from arena.openings.drawing import read_book
from arena.openings.pool import ALL
from arena.rules import Goal, Ruleset
from arena.scoring.grade_rules import GradeRule
from arena.scoring.tie_breaks import TieBreakName
from arena.settings.contest import (
    PRESETS,
    BotEntry,
    Contest,
    Format,
    Grading,
    Ranking,
    Schedule,
    with_preset,
)
from arena.settings.file import read_contest_file, read_interface, read_recorded, write_contest_file
from support.bots import FIRST_FREE, LAST_FREE, bots_in
from support.command_line import Typed
from support.instant import Instant


def read(tmp_path: Path, text: str, base: Contest | None = None) -> Contest:
    path = tmp_path / "contest.toml"
    path.write_text(text)
    return read_contest_file(path, base or Contest())


def test_a_file_sets_what_it_names_and_leaves_the_rest(tmp_path: Path) -> None:
    contest = read(
        tmp_path,
        """
        preset = "cs4100"
        [limits]
        move_seconds = 5
        nodes = 0
        [schedule]
        format = "gauntlet"
        [bots."alice b"]
        options = { difficulty_level = 6 }
        """,
        Contest(schedule=Schedule(seed=5)),
    )
    assert contest.rules == PRESETS["cs4100"].rules
    assert contest.limits == Limits(move_seconds=5.0, nodes=None)
    assert contest.schedule == Schedule(format=Format.GAUNTLET, seed=5)
    assert contest.bots == {
        "alice b": BotEntry(overrides=Overrides(options={"difficulty_level": 6}))
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            '[limits]\n\nmove_seconds = "fast"',
            ':3: [limits] move_seconds = "fast": expected a number of seconds, like 5 or 0.5',
        ),
        (
            "[limits]\nmove_secnds = 5",
            ":2: [limits] move_secnds: no such key; did you mean move_seconds?",
        ),
        ("[limts]\n", ":1: limts: no such key; did you mean limits?"),
        ("[limits]\nnodes = -5", ":2: [limits] nodes = -5: expected 1 or more, or 0"),
        ("[limits]\nnodes = 1.5", ":2: [limits] nodes = 1.5: expected a whole number"),
        (
            "[bots.ann]\noptions = { since = [2026-11-22] }",
            ":2: [bots.ann] options = 2026-11-22: expected no dates or times here",
        ),
        ("[rules]\nrows = 0", ":2: [rules] rows = 0: expected 1 to 64"),
        (
            "[grades.levels]\n1 = { random = 0.5 }\n6 = { greedy = 1.5 }",
            ":3: [grades.levels] 6 = { greedy = 1.5 }: expected a share over 0 and up to 1 for "
            "greedy, like 0.5",
        ),
        (
            "[grades]\nlevels = { 6 = { gredy = 0.5 } }",
            ":2: [grades.levels] 6 = { gredy = 0.5 }: expected house players (random, reference, "
            "sparring-1, sparring-2, sparring-3, sparring-4, sparring-5, sparring-6, greedy, "
            "learner, novice, adept, master, perfect), not gredy",
        ),
        (
            "[grades.levels]\n5.5 = { greedy = 0.5 }",
            ":2: [grades.levels] 5 = { 5 = { greedy = 0.5 } }: expected a whole number as the "
            "grade, not 5.5",
        ),
        (
            "[grades.levels]\n6 = 0.5",
            ":2: [grades.levels] 6 = 0.5: expected shares against house players, like "
            "{ greedy = 0.5 }",
        ),
        (
            "[grades.levels]\n7 = { greedy = 0.4, novice = 0.1 }\n6 = { greedy = 0.5 }",
            ":2: [grades.levels] 7 = { greedy = 0.4, novice = 0.1 }: expected greedy = 0.5 at "
            "least, as grade 6 needs that",
        ),
        (
            "[grades.levels]\n6 = { greedy = 0.5, random = 0.9 }\n7 = { random = 0.9 }",
            ":3: [grades.levels] 7 = { random = 0.9 }: expected more than for grade 6, or "
            "nobody would get that grade",
        ),
        (
            "[grades]\nlate_penalty = -1",
            ":2: [grades] late_penalty = -1.0: expected grade points, like 1 or 0.5",
        ),
        (
            '[grades]\nrule = "best"',
            ':2: [grades] rule = "best": expected one of "auto", "none", "seed", "levels", '
            '"curve", "scale"',
        ),
        (
            "[ranking.anchors]\nrandom = 0\ngredy = 985",
            ":3: [ranking.anchors] gredy = 985: expected the rating of a house player; did you "
            "mean greedy?",
        ),
        (
            "[ranking]\nanchors = { random = true }",
            ":2: [ranking.anchors] random = True: expected a rating, like 1500",
        ),
        (
            "[grades]\nscale = [1500, 250]",
            ":2: [grades] scale = [1500.0, 250.0]: expected the ratings of grade 0 and grade 10, "
            "like [250, 1500]",
        ),
        (
            "[grades]\nscale = [250]",
            ":2: [grades] scale = [250.0]: expected the ratings of grade 0 and grade 10, like "
            "[250, 1500]",
        ),
        ("[grades]\ndecimals = 2", ":2: [grades] decimals = 2: expected 0 or 1"),
        (
            '[grades]\nscale = ["low", "high"]',
            ':2: [grades] scale = "low": expected a number',
        ),
        ("limits.nodes = true", ":1: [limits] nodes = true: expected a whole number"),
        (
            '[packages]\nallow = "torch"',
            ':2: [packages] allow = "torch": expected a list of texts, like ["torch"]',
        ),
        (
            '[packages]\nallow = ["torch", "--user"]',
            ':2: [packages] allow = --user: expected names of packages, like ["torch", "scipy"]',
        ),
        ("preset = [1]", ":1: preset = [1]: expected one of classic, cs4100, max"),
        ("preset = " + "[" * 5000, ": its values are nested too deeply"),
        (
            '[interface.mine]\nentry.function = "f"\nboard.form = "aray"',
            ':3: [interface.mine.board] form = "aray": expected one of "array", "planes"',
        ),
        (
            '[interface.pcp]\nentry.function = "f"',
            ":1: [interface] pcp is an interface of Arena; take another name, like my-pcp",
        ),
        (
            '[interface."My Course"]\nentry.function = "f"',
            ':1: [interface] "My Course" is not allowed: a name begins with a small letter and has '
            "small letters, digits, - and _ only, like my-course",
        ),
        ('preset = "chess"', ':1: preset = "chess": expected one of classic, cs4100, max'),
        ("[schedule]\nmin_plies = 20", ":2: [schedule] min_plies = 20: expected 0 to max_plies"),
        (
            "[schedule]\nretire_after = -1",
            ":2: [schedule] retire_after = -1: expected a number of faults, 0 for never",
        ),
        (
            "[schedule]\nuntil = 0001-01-01T00:00:00",
            ":2: [schedule] until = 0001-01-01 00:00:00: expected a date and time in 2000 to 2999",
        ),
        ("[schedule]\nseed = -1", f":2: [schedule] seed = -1: expected 0 to {2**62 - 1}"),
        ('[bots."a b"]\nlevel = 3', ":2: [bots.a b] level: no such key; known: file"),
        (
            '[bots.alice]\ninterface = "chess"',
            ':2: [bots.alice] interface = "chess": expected one of "pick_move", "next_move"',
        ),
        ("bots = 3", ":1: bots = 3: expected tables"),
        ("rules = 3", ":1: rules = 3: expected a table of keys"),
        (
            '[ranking]\ntie_breaks = ["direct", "elo"]',
            ':2: [ranking] tie_breaks = "elo": expected one of "direct", "sonneborn_berger", "wins',
        ),
        (
            '[ranking]\ntie_breaks = "direct"',
            ':2: [ranking] tie_breaks = "direct": expected a list, like ["direct", "sonneborn_',
        ),
        (
            '[ranking]\ntie_breaks = ["direct", "wins", "direct"]',
            ":2: [ranking] tie_breaks = ['direct', 'wins', 'direct']: expected each only once",
        ),
        ("[rules]\nrows = ", ":2: not valid TOML: invalid value"),
        ("[rules]\nrows = 6\nrows = 7", ":3: not valid TOML: cannot overwrite a value"),
    ],
)
def test_an_error_names_the_line_and_the_key(tmp_path: Path, text: str, line: str) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    assert str(error.value).startswith(f"{tmp_path / 'contest.toml'}{line}")
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_or_not_text_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_contest_file(tmp_path / "none.toml", Contest())
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_contest_file(tmp_path / "binary.toml", Contest())


names = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=12)


def entered(overrides: Overrides, found: EntryPoint, problem: str | None, house: bool) -> BotEntry:
    """A bot as a contest enters it: settings replace what was found."""
    point = replace(
        found,
        interface=overrides.interface or found.interface,
        node_function=overrides.node_function,
        options=overrides.options,
    )
    return BotEntry(overrides=overrides, entry_point=point, problem=problem, house=house)


contests = st.builds(
    Contest,
    rules=st.builds(
        Ruleset,
        rows=st.integers(1, 64),
        columns=st.integers(1, 64),
        connect=st.integers(2, 64),
        goal=st.sampled_from(Goal),
    ),
    limits=st.builds(
        Limits,
        move_seconds=st.floats(0.001, 1e5),
        nodes=st.none() | st.integers(1, 10**9),
        memory_mb=st.integers(64, 4096),
    ),
    schedule=st.builds(
        Schedule,
        format=st.sampled_from(Format),
        openings=st.integers(1, 999),
        seed=st.integers(0, 9),
        retire_after=st.integers(0, 9),
    ),
    ranking=st.builds(
        Ranking,
        tie_breaks=st.lists(st.sampled_from(TieBreakName), unique=True).map(tuple),
    ),
    bots=st.dictionaries(
        names,
        st.builds(
            entered,
            overrides=st.builds(
                Overrides,
                file=st.none() | names,
                interface=st.none() | st.sampled_from(list(INTERFACES)),
                entry=st.none() | names,
                node_function=st.none() | names,
                options=st.dictionaries(names, st.integers(-9, 9), max_size=2),
            ),
            found=st.builds(
                EntryPoint,
                file=names | st.just(""),
                interface=st.sampled_from(["", *INTERFACES]),
                name=names | st.just(""),
                engine=st.none() | names,
            ),
            problem=st.none() | names,
            house=st.booleans(),
        ),
        max_size=3,
    ),
)


@pytest.mark.slow
@given(contest=contests)
def test_a_contest_survives_being_written_and_read(
    tmp_path_factory: pytest.TempPathFactory, contest: Contest
) -> None:
    path = tmp_path_factory.mktemp("contest") / "contest.toml"
    write_contest_file(path, contest)
    assert read_recorded(path) == contest


def test_all_openings_are_shared_if_that_is_written_and_in_older_folders(tmp_path: Path) -> None:
    path = tmp_path / "contest.toml"
    shared = Contest(schedule=Schedule(shared_openings=ALL))
    write_contest_file(path, shared)
    assert 'shared_openings = "all"' in path.read_text()
    assert read_recorded(path) == read_contest_file(path, Contest()) == shared
    path.write_text("[schedule]\nopenings = 3\n")
    assert read_recorded(path).schedule.shared_openings == ALL
    assert read_contest_file(path, Contest()).schedule.shared_openings == 2
    assert read_contest_file(path, shared).schedule.shared_openings == ALL
    path.write_text("[schedule]\nshared_openings = -1\n")
    with pytest.raises(InputError, match='shared_openings = -1: expected a number, or "all"'):
        read_contest_file(path, Contest())


# A preset for a board without a book.
SMALL = Contest(
    rules=Ruleset(rows=5, columns=6),
    limits=Limits(move_seconds=2.0, memory_mb=300),
    schedule=Schedule(openings=2, min_plies=2, max_plies=4, retire_after=3),
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("contest", "file"):
        monkeypatch.setattr(f"arena.settings.{module}.PRESETS", {**PRESETS, "small": SMALL})


@pytest.mark.slow
def test_a_preset_without_a_book_plays_openings_that_are_drawn_to_its_schedule(
    small: None, typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Instant.in_place_of_lanes(monkeypatch)
    assert read_book(SMALL.rules) == []
    bots_in(tmp_path / "bots", alice=FIRST_FREE, bob=LAST_FREE)
    (tmp_path / "small.toml").write_text('preset = "small"\n')
    run = ("run", "bots", "--no-house", "--config", "small.toml", "--seed", 1, "--out", "results")
    code, _, errors = typed(*run, "--memory-mb", 256, "--max-plies", 3)
    assert code == 0, errors
    assert "1 pairing × 2 openings × 2 sides = 4 games" in errors
    written = read_recorded(tmp_path / "results" / "contest.toml")
    assert (written.rules, written.limits.memory_mb) == (SMALL.rules, 256)
    assert written.schedule == replace(SMALL.schedule, seed=1, max_plies=3)
    games = (tmp_path / "results" / "games.csv").read_text().splitlines()[1:]
    assert all(2 <= len(game.split(",")[2].split()) <= 3 for game in games)
    code, _, errors = typed(*run, "--memory-mb", 1)
    assert (code, errors) == (2, "arena: memory_mb = 1: expected 64 to 1048576\n")


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_leaves_the_schedule_that_it_says_nothing_of(name: str) -> None:
    before = Contest(schedule=Schedule(openings=3, seed=77), limits=Limits(nodes=5))
    contest = with_preset(name, before)
    for field in fields(Schedule):
        if getattr(PRESETS[name].schedule, field.name) == field.default:
            assert getattr(contest.schedule, field.name) == getattr(before.schedule, field.name)
    assert (contest.rules, contest.limits) == (PRESETS[name].rules, PRESETS[name].limits)


def test_a_preset_has_no_seed_of_its_own(small: None) -> None:
    contest = with_preset("small", Contest(schedule=Schedule(openings=9, seed=77)))
    assert (contest.schedule.openings, contest.schedule.seed) == (2, 77)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("pcp.toml", "entry.function = 'f'", "pcp is an interface of Arena; take another name"),
        ("My Course.toml", "entry.function = 'f'", "is not allowed: a name begins with a small"),
        (
            "contest.toml",
            "[interface.mine]\nentry.function = 'f'",
            "is a contest file; name it with --config, or copy the keys of [interface.mine] "
            "into mine.toml",
        ),
        ("contest.toml", "interface = 3", "contest.toml: is a contest file; name it with --config"),
        (
            "contest.toml",
            "limits.nodes = 3",
            "contest.toml: is a contest file; name it with --config",
        ),
        ("mine.toml", "entry = {function = 'f'}\nboard = {top = yes}", "2: not valid TOML"),
    ],
)
def test_a_file_that_is_no_description_is_refused_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text)
    with pytest.raises(InputError) as refused:
        read_interface(Path(name))
    assert str(refused.value).startswith(f"{name}:")
    assert said in str(refused.value)


def test_a_preset_states_a_grade_rule_unless_the_contest_has_one(tmp_path: Path) -> None:
    def rule(text: str, base: Contest | None = None) -> GradeRule:
        file = tmp_path / "c.toml"
        file.write_text(f'preset = "cs4100"\n{text}')
        return read_contest_file(file, base or Contest()).grade_rule

    known = Ranking(anchors={"reference": 1500.0})
    assert rule("", Contest(ranking=known)) is GradeRule.SEED
    assert rule('[grades]\nrule = "curve"', Contest(ranking=known)) is GradeRule.CURVE
    assert rule("[grades.levels]\n5 = { random = 0.5 }") is GradeRule.LEVELS
    thresholds = Grading(levels={"5": {"random": 0.5}})
    assert rule("", Contest(grades=thresholds)) is GradeRule.LEVELS
    assert rule("", Contest(grades=Grading(rule=GradeRule.CURVE))) is GradeRule.CURVE
    assert with_preset("classic", Contest(ranking=known)).grade_rule is GradeRule.SCALE
