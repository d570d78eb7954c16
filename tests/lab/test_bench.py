"""The benchmark: every figure is measured, and two runs are compared."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from arena.contest.session import Session
from arena.settings.contest import Schedule
from arena_lab import bench_command
from arena_lab.bench import FIGURES, BenchResult, Effort, Figure, changes, measure, read_result
from arena_lab.bench.crowds import _fill
from arena_lab.bench.figure import Samples
from support.command_line import Typed, refused, succeeded

LITTLE = Effort(
    rounds=1,
    round_trips=50,
    starts=1,
    program_games=1,
    nodes=1000,
    games=20,
    runs=1,
    crowd=4,
    crowd_games=12,
    thinkers=2,
    many_bots=6,
    many_games=40,
    few_games=20,
    few=2,
    many=2,
    solved=1,
    openings=2,
    opening_plies=14,
    large_plies=50,
)


def of(name: str) -> Figure:
    return next(figure for figure in FIGURES if figure.name == name)


class TestMeasuring:
    def test_gives_the_median_and_the_ends_of_what_was_measured_more_than_once(self) -> None:
        found = BenchResult.of({"move_us": [3.0, 1.0, 2.0], "main_mb": [70.0]})
        assert found.as_object() == {"move_us": 2.0, "main_mb": 70.0, "spread": {"move_us": [1, 3]}}

    def test_measures_together_what_belongs_together(self) -> None:
        calls = []

        def both(scratch: Path, effort: Effort) -> Samples:
            calls.append(scratch)
            return {"one": [1.0], "other": [2.0]}

        rows = (
            Figure(name=name, unit="", what="", limit="", measure=both) for name in ("other", "one")
        )
        assert measure(rows).medians == {"other": 2.0, "one": 1.0}
        assert len(calls) == 1

    @pytest.mark.slow
    def test_measures_a_figure_of_each_kind(
        self, typed: Typed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(bench_command, "measure", partial(measure, effort=LITTLE))
        names = ["move_ratio", "games_per_s", "bot_start_ms", "engine_mnps", "help_s", "main_mb"]
        assert len({of(name).measure.__module__ for name in names}) == len(names)
        output = succeeded(typed("bench", "--json", *(f"--only={name}" for name in names)))
        figures = json.loads(output)
        assert figures.pop("spread").keys() <= figures.keys()
        assert list(figures) == names
        assert all(value > 0 for value in figures.values())

    def test_leaves_whole_contests_to_those_who_have_time(
        self, typed: Typed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        wanted: list[list[str]] = []

        def nothing(figures: list[Figure]) -> BenchResult:
            wanted.append([figure.name for figure in figures])
            return BenchResult(dict.fromkeys(wanted[-1], 1.0), {})

        monkeypatch.setattr(bench_command, "measure", nothing)
        for words in ([], ["--whole"], ["--only", "main_mb", "--only", "move_us"]):
            output = succeeded(typed("bench", *words))
        assert wanted[0] == [figure.name for figure in FIGURES if not figure.whole]
        assert wanted[1:] == [[figure.name for figure in FIGURES], ["move_us", "main_mb"]]
        assert of("move_us").limit.split(",")[0] in output


class TestComparing:
    @pytest.mark.parametrize(
        ("name", "old", "new", "verdict"),
        [
            ("move_us", [10, 11, 12], [8, 9, 9.5], "better"),
            ("move_us", [8, 9], [10, 11], "worse"),
            ("games_per_s", [8, 9], [10, 11], "better"),
            ("games_per_s", [10, 11], [8, 9], "worse"),
            ("move_us", [8, 12], [11, 13], "within the spread"),
            ("main_mb", [8], [13], "measured once"),
        ],
    )
    def test_marks_what_no_chance_explains(
        self, name: str, old: list[float], new: list[float], verdict: str
    ) -> None:
        (change,) = changes([of(name)], BenchResult.of({name: old}), BenchResult.of({name: new}))
        assert change.verdict == verdict

    def test_leaves_out_what_only_one_run_has(self) -> None:
        old = BenchResult({"move_us": 0.0}, {})
        new = BenchResult({"move_us": 1.0, "help_s": 1.0}, {})
        (change,) = changes(FIGURES, old, new)
        assert (change.name, change.ratio) == ("move_us", None)

    def test_reads_what_this_and_earlier_versions_printed(self, tmp_path: Path) -> None:
        found, file = BenchResult.of({"move_us": [3.0, 1.0], "main_mb": [70.0]}), tmp_path / "old"
        file.write_text(json.dumps(found.as_object()))
        assert read_result(file) == found
        file.write_text('{"floor_us": 4.4, "move_us": 11.2}')
        assert read_result(file).medians == {"floor_us": 4.4, "move_us": 11.2}

    def test_shows_both_runs(
        self, typed: Typed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        new = BenchResult.of({"move_us": [1.0, 2.0]})
        monkeypatch.setattr(bench_command, "measure", lambda figures: new)
        (tmp_path / "old.json").write_text('{"move_us": 3, "spread": {"move_us": [2.5, 3]}}')
        words = "bench", "--only", "move_us", "--compare", "old.json"
        output = succeeded(typed(*words))
        assert "0.500" in output and "better" in output
        compared = json.loads(typed(*words, "--json")[1])["compared"]
        assert compared["move_us"]["ratio"] == 0.5
        assert read_result(tmp_path / "old.json")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("no JSON", "not what"),
        ("[" * 100_000, "not what"),
        ("[1, 2]", "not what"),
        ('{"rank": "1", "bot": "a"}', "not what"),
        ('{"rank": 1, "rank_s": 7.0}', "none of the figures"),
        ('{"games": true, "move_us": NaN}', "not what"),
        ('{"move_us": 1, "spread": [1, 2]}', "not what"),
        ('{"move_us": 1, "spread": {"move_us": [1]}}', "not what"),
        ('{"move_us": 1, "spread": {"move_us": [1, "2"]}}', "not what"),
    ],
)
def test_a_file_that_is_no_earlier_run_is_refused_in_a_line(
    typed: Typed, tmp_path: Path, text: str | None, said: str
) -> None:
    if text is not None:
        (tmp_path / "old.json").write_bytes(text.encode("latin-1"))
    errors = refused(typed("bench", "--compare", "old.json"))
    assert "old.json" in errors and said in errors


@pytest.mark.parametrize(
    "words",
    [
        ("--peers", "--compare", "old.json"),
        ("--peers", "--only", "move_us"),
        ("--strength", "--estimates"),
        ("--soak", "20000", "--whole"),
    ],
)
def test_nothing_that_was_typed_is_left_aside(typed: Typed, words: tuple[str, ...]) -> None:
    errors = refused(typed("bench", *words))
    assert words[0] in errors and "leave out" in errors


def test_a_pretended_contest_has_every_game_in_its_journal(tmp_path: Path) -> None:
    assert _fill(3, 2, str(tmp_path)) > 10
    session = Session.open(tmp_path / "contest")
    assert session.contest.schedule == Schedule(seed=1, openings=2)
    assert len(session.settle().played) == 3 * 2 * 2
