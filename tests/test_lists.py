"""Every list of a kind: each of its rows stands wherever people and programs meet the kind.

A row is all that a further entry needs; what a test names here is what it still lacks.
"""

from __future__ import annotations

import json
import re
import shlex
from contextlib import nullcontext
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import click
import pytest

from arena.cli import ALIASES, COMMANDS, GROUPS, SHOWN
from arena.cli import arena as commands
from arena.cli.options import LIMITS, contest_from
from arena.common.errors import InputError
from arena.common.plain import Table
from arena.contest.executors import EXECUTORS, Elsewhere, ExecutorKind, executor_of
from arena.courses.export import System
from arena.courses.systems import SYSTEMS, a_list, read_export
from arena.game.limits import Limits
from arena.game.verdict import Verdict
from arena.interfaces import BY_NAME, INTERFACES
from arena.interfaces.contract import starter
from arena.interfaces.described import Described
from arena.openings.drawing import read_book
from arena.ranking.games import TALLIES_CSV
from arena.ranking.standings import contest_standings
from arena.report.exports import FORMATS
from arena.report.game_file import plain_terms, read_terms, terms_of
from arena.report.html.overview import contest_overview, settings_of
from arena.report.html.shell import page
from arena.rules import RULESETS
from arena.scoring.grade_rules import GradeRule
from arena.scoring.tie_breaks import TieBreakName
from arena.settings.contest import Contest, Format, Grading, Ranking, Schedule
from arena.settings.file import read_contest_file, write_contest_file
from support.reports import contest_facts

ROOT = Path(__file__).parents[1]
FIXED = (ROOT / "docs" / "reference" / "fixed-names.md").read_text("utf-8")
FACTS = contest_facts()


def document(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def fixed(heading: str, pattern: str = r"`([\w-]+)`") -> list[str]:
    """Names in the paragraph of the fixed names that begins with this heading."""
    return re.findall(pattern, FIXED.split(f"**{heading}**")[1].split("\n\n")[0])


def is_read_again(folder: Path, contest: Contest) -> bool:
    """Whether a contest file says all of a contest, which has no bots."""
    write_contest_file(folder / "contest.toml", contest)
    return read_contest_file(folder / "contest.toml", Contest()) == contest


class TestVerdicts:
    @pytest.mark.parametrize("verdict", Verdict)
    def test_each_is_explained_and_stands_in_the_pages_script(self, verdict: Verdict) -> None:
        assert f"| `{verdict.name}` |" in document("results/README.md")
        script = page("x", ())
        assert f'"{verdict.name}":"{verdict.value}"' in script
        play = json.loads(re.findall(r"Arena.play = (.*);", script)[0])
        assert (verdict.name in play) is not verdict.is_fault

    @pytest.mark.parametrize("verdict", [each for each in Verdict if each.is_fault])
    def test_a_fault_is_counted_and_explained_to_students(self, verdict: Verdict) -> None:
        assert f"| `{verdict.name}` |" in document("docs/howto/fix-a-fault.md")
        assert verdict.name.lower() in TALLIES_CSV

    def test_their_names_are_fixed(self) -> None:
        assert fixed("Verdicts") == [verdict.name for verdict in Verdict]


LIMIT_ROWS = [each for each in fields(Limits) if each.metadata]


def other(limit: str) -> Limits:
    """Limits of which one has half of its usual value."""
    usual = getattr(Limits(), limit)
    return replace(Limits(), **{limit: type(usual)(usual / 2)})


class TestLimits:
    @pytest.mark.parametrize("limit", [each.name for each in LIMIT_ROWS])
    def test_each_is_an_option_a_key_and_a_line_of_the_settings(
        self, limit: str, tmp_path: Path
    ) -> None:
        typed: dict[str, Any] = {"preset": None, "config": None}
        typed |= {limit: getattr(other(limit), limit)}
        expected = replace(other(limit), nodes_for_all=limit == "nodes")
        assert contest_from(Contest(), typed).limits == expected
        assert LIMITS[limit] is not None
        assert is_read_again(tmp_path, Contest(limits=expected))
        usual, changed = settings_of(Contest()), settings_of(Contest(limits=other(limit)))
        assert len(set(usual) - set(changed)) == 1
        assert ("Seed", "1") in usual

    @pytest.mark.parametrize("limit", [each.name for each in LIMIT_ROWS])
    def test_each_stands_in_pages_and_comes_back_from_a_game_file(self, limit: str) -> None:
        assert limit in contest_overview(FACTS, "x")["contest"]["limits"]
        contest = replace(FACTS.contest, limits=other(limit))
        plain = json.loads(json.dumps(plain_terms(terms_of(contest, "ann"))))
        assert plain["limits"] == asdict(other(limit))
        assert read_terms(Table("file", plain)).limits == other(limit)

    @pytest.mark.parametrize("limit", [each.name for each in LIMIT_ROWS if "seconds" in each.name])
    def test_a_slow_bots_author_reads_each_limit_of_time(self, limit: str) -> None:
        assert other(limit).times != Limits().times


class TestGradeRules:
    @pytest.mark.parametrize("rule", GradeRule)
    def test_each_is_a_choice_of_the_contest_file_with_words_in_the_report(
        self, rule: GradeRule, tmp_path: Path
    ) -> None:
        assert is_read_again(tmp_path, Contest(grades=Grading(rule=rule)))
        for plan in Format:
            contest = Contest(grades=Grading(rule=rule), schedule=Schedule(format=plan))
            graded = dict(settings_of(contest))["Grades"]
            assert graded == contest.grade_rule.words
            assert graded.split(":")[0] == contest.grade_rule != GradeRule.AUTO

    @pytest.mark.parametrize("rule", [each for each in GradeRule if each.rule])
    def test_each_that_grades_is_explained(self, rule: GradeRule) -> None:
        assert f"\n### {rule}\n" in document("docs/reference/grades.md")
        contest = Contest(grades=Grading(rule=rule))
        assert contest.marking is not None
        assert contest.graded_by == contest.marking.needs


class TestTieBreaks:
    @pytest.mark.parametrize("name", TieBreakName)
    def test_each_is_a_choice_of_the_contest_file_a_column_and_explained(
        self, name: TieBreakName, tmp_path: Path
    ) -> None:
        contest = replace(FACTS.contest, ranking=Ranking(tie_breaks=(name,)))
        assert is_read_again(tmp_path, Contest(ranking=contest.ranking))
        assert dict(settings_of(contest))["Ties are broken by"] == name.short
        assert name.column in contest_standings(FACTS.games, contest)
        assert f"| `{name}` |" in document("docs/reference/grades.md")


class TestCommands:
    @pytest.mark.parametrize("name", COMMANDS)
    def test_each_can_be_typed_and_has_its_help(self, name: str) -> None:
        command: click.Command | None = commands
        for word in name.split():
            assert isinstance(command, click.Group)
            command = command.get_command(click.Context(command), word)
        assert command is not None
        assert not isinstance(command, click.Group)
        assert "Example" in (command.help or "")
        assert f"arena {name}" in fixed("Commands", r"`(arena [\w -]+)`")

    @pytest.mark.parametrize("name", SHOWN)
    def test_each_that_is_shown_has_its_line_and_a_document(self, name: str) -> None:
        shown = commands.get_help(click.Context(commands, info_name="arena"))
        assert f"  {name} " in shown
        documents = [*ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
        lines = (path.read_text("utf-8").splitlines() for path in documents)
        assert any(re.search(rf"\barena {name}\b", line) for each in lines for line in each)

    def test_an_old_name_is_the_same_command(self) -> None:
        context = click.Context(commands)
        for old, name in ALIASES.items():
            group = commands.get_command(context, name.partition(" ")[0])
            if isinstance(group, click.Group):
                group = group.get_command(context, name.partition(" ")[2])
            assert commands.get_command(context, old) is group is not None
            assert old not in commands.list_commands(context)

    @pytest.mark.parametrize("group", GROUPS)
    def test_a_group_lists_its_own(self, group: str) -> None:
        within = commands.get_command(click.Context(commands), group)
        assert isinstance(within, click.Group)
        names = [f"{group} {name}" for name in within.list_commands(click.Context(within))]
        assert names == [name for name in SHOWN if shlex.split(name)[0] == group]


class TestExports:
    @pytest.mark.parametrize("name", FORMATS)
    def test_each_format_is_a_choice_and_explained(self, name: str) -> None:
        command = commands.get_command(click.Context(commands), "export")
        assert command is not None
        assert any(name in getattr(each.type, "choices", ()) for each in command.params)
        assert re.search(rf"--to {name}\b|`{name}`", document("docs/howto/publish-grades.md"))

    def test_their_names_are_fixed(self) -> None:
        assert fixed("Formats") == list(FORMATS)

    @pytest.mark.parametrize("system", SYSTEMS, ids=lambda each: str(each.NAME))
    def test_each_system_is_explained_and_its_list_is_named_to_who_gives_another(
        self, system: System, tmp_path: Path
    ) -> None:
        assert system.NAME in document("docs/howto/collect.md")
        assert system.LIST in a_list()
        assert bool(system.LIST) == bool(system.LISTED_BY)
        for columns in system.LISTED_BY:
            (tmp_path / "list.csv").write_text(",".join(columns) + "\n" + "x," * len(columns))
            (tmp_path / "bots").mkdir(exist_ok=True)
            (tmp_path / "bots" / "a.py").write_text("pass\n")
            assert read_export(tmp_path / "bots", [tmp_path / "list.csv"]).attempts


class TestOpenings:
    def test_a_contest_needs_the_engine_if_its_book_has_too_few(self) -> None:
        rules = RULESETS["classic"]
        for openings, needs in ((1, False), (len(read_book(rules)) + 1, True)):
            plan = Schedule(openings=openings, min_plies=0, max_plies=42)
            assert Contest(rules=rules, schedule=plan).needs_engine == needs


PLAYING = ("run", "resume", "ladder", "match", "check")
"""The commands that play bots on whatever executor is named."""


class TestExecutors:
    @pytest.mark.parametrize("kind", EXECUTORS, ids=lambda each: str(each.name))
    def test_each_is_an_option_of_every_command_that_plays_and_explained(
        self, kind: ExecutorKind
    ) -> None:
        for name in PLAYING:
            command = commands.get_command(click.Context(commands), name)
            assert command is not None
            assert kind.words in [getattr(each, "help", "") for each in command.params], name
            assert f"arena {name}" in document(f"docs/howto/{kind.name}.md")

    def test_one_that_is_typed_is_opened(self) -> None:
        opened: Any = lambda session, place: nullcontext((session, place))  # noqa: E731
        kind = ExecutorKind("farm", "PLACE", "Play there.", "no lanes there", print, opened)
        session: Any = "session"
        with executor_of(session, None, Elsewhere(kind, "here"), print) as executor:
            assert executor == ("session", "here")
        with pytest.raises(InputError, match="no lanes there"):
            executor_of(session, 2, Elsewhere(kind, "here"), print)


class TestInterfaces:
    @pytest.mark.parametrize("name", BY_NAME)
    def test_each_is_an_entry_a_starter_and_explained(self, name: str) -> None:
        assert f"\n## {name}\n" in document("docs/reference/interfaces.md")
        command = commands.get_command(click.Context(commands), "new")
        assert command is not None
        assert any(name in getattr(each.type, "choices", ()) for each in command.params)
        assert starter(name)

    def test_described_ones_are_listed_by_the_documents(self) -> None:
        page = document("docs/reference/interfaces.md").replace("`", "")
        for name in INTERFACES.keys() - BY_NAME.keys():
            described = INTERFACES[name]
            assert isinstance(described, Described)
            assert f"| {name} | {described.description.about}" in page

    def test_their_names_are_fixed(self) -> None:
        paragraph = FIXED.split("**Interfaces**")[1].split(".")[0]
        names = re.findall(r"`([\w-]+)`", paragraph)
        assert names == list(BY_NAME)
