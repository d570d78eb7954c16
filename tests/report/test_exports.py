"""Exports: each format is opened by a reader of its own, and nobody is lost on the way."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from arena.common.errors import InputError
from arena.common.text import plain_cell
from arena.contest.people import read_people
from arena.courses.collect import collect
from arena.courses.export import Person
from arena.courses.gradebook import CourseResults, Form, Made, Sheet
from arena.courses.systems import course_rows
from arena.report.course_results import course_results
from arena.report.exports import FORMATS
from arena.settings.contest import Forfeits, Ranking
from support.bots import FIRST_FREE
from support.courses import ANN, BOB, CID, EVA, GRADES, PEOPLE, ZED, course, course_facts

GRADED = {ANN.name: "10", BOB.name: "8", CID.name: "5", EVA.name: "5", "dan": "3", ZED.name: ""}
"""Everybody's grade as it is written: the two Owls share theirs, Zed handed in nothing."""


def made(name: str, results: CourseResults | None = None, sheet: str = "", **form: Any) -> Made:
    given = Sheet(Path("given.csv"), sheet.encode()) if sheet else None
    return FORMATS[name].make(results or course(), Form(sheet=given, **form))


def text_of(written: Made) -> str:
    (data,) = written.files.values()
    return data.decode()


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def read_back(tmp_path: Path, written: Made) -> list[dict[str, str]]:
    """The rows as `arena collect --roster` reads them: by another module, in another process."""
    path = tmp_path / "written.csv"
    path.write_bytes(next(iter(written.files.values())))
    return course_rows(path)


class TestLeaderboard:
    def test_csv_has_a_row_for_each_person_and_each_bot_without_one(self) -> None:
        rows = rows_of(text_of(made("csv")))
        assert [(row["bot"], plain_cell(row["name"]), row["grade"]) for row in rows] == [
            ("reference", "", ""),
            ("ann", ANN.name, "10"),
            ("bob", BOB.name, "8"),
            ("Owls", CID.name, "5"),
            ("Owls", EVA.name, "5"),
            ("dan", "", "3"),
            ("random", "", ""),
            ("", ZED.name, ""),
        ]
        assert [row["late"] for row in rows[1:3]] == ["", "yes"]
        assert [float(row["points"]) for row in rows[:4]] == [10, 8, 6, 4]
        assert not any(cell.startswith("=") for row in rows for cell in row.values())

    def test_json_says_the_same_as_csv(self) -> None:
        rows = json.loads(text_of(made("json")))
        assert [row["grade"] for row in rows] == [None, 10, 8, 5, 5, 3, None, None]
        assert rows[2]["name"] == "=1+1"
        assert rows[3]["name"] == CID.name
        assert rows[1]["points"] == 8.0
        assert list(rows[0]) == list(rows_of(text_of(made("csv")))[0])

    def test_without_a_roster_there_is_a_row_for_each_bot(self) -> None:
        rows = rows_of(text_of(made("csv", course(()))))
        assert [row["bot"] for row in rows] == ["reference", "ann", "bob", "Owls", "dan", "random"]
        assert "name" not in rows[0]

    @pytest.mark.parametrize("name", ["markdown", "latex"])
    def test_house_players_can_be_left_out(self, name: str) -> None:
        assert "reference" in text_of(made(name))
        hidden = text_of(made(name, course(house=False)))
        assert "reference" not in hidden
        assert "random" not in hidden
        rows = rows_of(text_of(made("csv", course((), house=False))))
        assert [row["bot"] for row in rows] == [*GRADES]
        (ann, *_) = course(house=False).people
        assert ann.comment.startswith("Rank 2 of 6: 8 of 10 points. Grade 10: ")

    def test_markdown_is_a_table_to_a_parser_of_markdown(self) -> None:
        tokens = MarkdownIt("commonmark").enable("table").parse(text_of(made("markdown")))
        rows: list[list[str]] = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
            if token.type == "inline":
                assert token.children is not None
                rows[-1].append("".join(child.content for child in token.children))
        assert rows[0][:4] == ["#", "ranks", "bot", "points"]
        assert rows[0][-1] == "grade"
        assert [row[-1].partition(" ")[0] for row in rows[1:4]] == ["", "10", "8"]
        assert [row[2] for row in rows[1:]] == ["reference", *GRADES, "random"]
        assert {len(row) for row in rows} == {len(rows[0])}

    @given(st.text(alphabet="a|\\`*_[]<>#&~$-. x", min_size=1, max_size=8))
    def test_markdown_keeps_any_name_in_its_cell(self, name: str) -> None:
        from arena.report.exports import MARKDOWN

        name = f"a{name}a"
        text = f"| h | i |\n| --- | --- |\n| {name.translate(MARKDOWN)} | 1 |\n"
        tokens = MarkdownIt("commonmark").enable("table").parse(text)
        cells = [token for token in tokens if token.type == "inline"]
        assert len(cells) == 4
        assert "".join(child.content for child in cells[2].children or ()) == name

    def test_latex_is_read_back_by_a_parser_of_latex(self) -> None:
        latex = pytest.importorskip("pylatexenc.latexwalker")
        text = text_of(made("latex"))
        nodes, _, _ = latex.LatexWalker(text, tolerant_parsing=False).get_latex_nodes()
        (table,) = (node for node in nodes if node.isNodeType(latex.LatexEnvironmentNode))
        assert table.environmentname == "tabular"
        rows = [line for line in text.splitlines() if line.endswith(r"\\")]
        columns = text.split(r"\begin{tabular}{")[1].split("}")[0]
        assert {row.count(" & ") + 1 for row in rows} == {len(columns)}
        assert [row.split(" & ")[2] for row in rows[1:]] == ["reference", *GRADES, "random"]

    @given(st.text(alphabet="a\\{}%$#&_~^<>| ", min_size=1, max_size=8))
    def test_latex_says_any_name_as_it_is(self, name: str) -> None:
        from arena.report.exports import LATEX

        latex = pytest.importorskip("pylatexenc.latex2text")
        name = f"a{' '.join(name.split())}a"
        said = latex.LatexNodes2Text(keep_comments=True).latex_to_text(name.translate(LATEX))
        assert said.replace("ˆ", "^") == name


CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section"
ONE_COLUMN = f"{CANVAS},HW (1)\n    Points Possible,,,,,10\n"


def person(name: str, number: str, system: str) -> Person:
    """The owner of `ann`, whose identifier is of that system."""
    return Person(name=name, id=number, system=system, path="ann", bot="ann")


class TestCanvas:
    def test_a_new_file_has_the_header_and_encoding_of_canvas(self) -> None:
        lines = text_of(made("canvas", assignment="Homework 4 (77)")).split("\n")
        assert lines == [
            f"{CANVAS},Homework 4 (77)",
            "    Points Possible,,,,,10",
            '"Ben-Ari, Ann ""A""",101,,ann@u.edu,,10',
            "'=1+1,102,,bob@u.edu,,8",
            "שרה כהן,103,,cid@u.edu,,5",
            "Eva|Roe_2,104,,eva@u.edu,,5",
            "Zed Last,109,,zed@u.edu,,",
            "dan,,,,,3",
            "",
        ]

    def test_the_reader_of_canvas_gradebooks_finds_everybody(self, tmp_path: Path) -> None:
        points, *rows = read_back(tmp_path, made("canvas"))
        assert points["homework4"] == "10"
        assert {row["student"]: row["homework4"] for row in rows} == GRADED

    SHEET = (
        f"\ufeff{CANVAS},Essay (5),Homework 4 (77),Current Score\r\n"
        ",,,,,Manual Posting,,\r\n"
        "    Points Possible,,,,,10,20,(read only)\r\n"
        '"Ben-Ari, Ann ""A""",101,s1,ann,"Sec ""A"", 1",7.00,,70.00\r\n'
        '"=""=1+1""",102,s2,bob@u.edu,A ,N/A,EX,\r\n'
        "Somebody Else,777,s7,cid@u.edu,A,1,,2\r\n"
        "Roe_2 Eva|,888,s8,eva,A,,,\r\n"
        '"Student, Test",999,,0123,A,,,\r\n'
    )

    def test_a_given_gradebook_is_filled_in_and_else_left(self) -> None:
        written = made("canvas", sheet=self.SHEET, assignment="homework 4")
        expected = self.SHEET.replace("7.00,,70.00", "7.00,20,70.00")
        expected = expected.replace("cid@u.edu,A,1,,2", "cid@u.edu,A,1,10,2")
        expected = expected.replace("eva,A,,,", "eva,A,,10,")
        assert text_of(written) == expected

    def test_whoever_is_not_found_is_named(self) -> None:
        remarks = made("canvas", sheet=self.SHEET, assignment="Homework 4 (77)").remarks
        assert remarks == [
            "no grade, because they handed in nothing (--missing 0 gives them 0): Zed Last (109)",
            "dan belongs to nobody on the roster: its own name is used",
            "the best grade in given.csv is 20, so grades of 10 are scaled to it",
            "left unchanged: =1+1 (102), because the student is excused",
            "not in given.csv by id, e-mail, login or name: dan, grade 3",
            "3 grades written into a copy of given.csv",
        ]

    def test_whoever_is_not_on_the_roster_handed_in_nothing(self) -> None:
        sheet = f'{ONE_COLUMN}"Ben-Ari, Ann",101,,,,3\n"Poe, Bo",7,,,,\n"Roe, Cy",8,,,,5\n'
        sheet += '"Doe, Di",9,,,,EX\n"Student, Test",5,,,,\n'
        none = made("canvas", course((ANN,)), sheet)
        assert text_of(none) == sheet.replace(",,,,3", ",,,,10")
        assert (
            "in given.csv, but not on the roster, so they handed in nothing (--missing 0 gives "
            "them 0): Poe, Bo; Roe, Cy"
        ) in none.remarks
        assert "left unchanged: Doe, Di, because the student is excused" in none.remarks
        assert none.remarks[-2] == "1 earlier grade was replaced"
        written = made("canvas", course((ANN,)), sheet, missing=1)
        rows = text_of(written).splitlines()[2:]
        assert [row.rsplit(",", 1)[1] for row in rows] == ["10", "1", "1", "EX", ""]
        assert (
            "in given.csv, but not on the roster, so they handed in nothing and get 1: "
            "Poe, Bo; Roe, Cy"
        ) in written.remarks
        assert written.remarks[-2:] == [
            "2 earlier grades were replaced",
            "3 grades written into a copy of given.csv",
        ]

    def test_who_may_be_somebody_on_the_roster_did_not_hand_in_nothing(self) -> None:
        people = (ANN, Person(name=ANN.name, id="200", path="bob", bot="bob"))
        sheet = f'{ONE_COLUMN}"Ben-Ari, Ann ""A""",7,,,,\n'
        written = made("canvas", course(people), sheet, missing=0)
        assert text_of(written) == sheet
        assert any("on the roster, but not clearly" in remark for remark in written.remarks)

    def test_without_a_roster_nobody_handed_in_nothing(self) -> None:
        sheet = f'{ONE_COLUMN}Bo,7,,,,\nann,8,,,,\n"Poe, Al",9,,bob@x.edu,,\n'
        written = made("canvas", course(()), sheet, missing=0)
        filled = sheet.replace("ann,8,,,,", "ann,8,,,,10").replace("bob@x.edu,,", "bob@x.edu,,8")
        assert text_of(written) == filled
        (said,) = (remark for remark in written.remarks if remark.endswith(": Bo"))
        assert "no bot has this name or login (--roster names a CSV file that" in said
        assert (
            "Canvas finds nobody without an ID; add --gradebook; or --roster names"
            in (made("canvas", course(())).remarks[0])
        )

    @pytest.mark.parametrize(
        ("people", "sheet", "filled"),
        [
            # decimal commas and semicolons stay
            (
                PEOPLE,
                "Student;ID;Section;HW (1)\n    Points Possible;;;10,00\nAnn;101;x;\n",
                "Ann;101;x;10\n",
            ),
            # first and last names in columns of their own
            (
                (Person(name="Zed Last", path="ann", bot="ann"),),
                "LastName,FirstName,ID,Section,HW (1)\n    Points Possible,,,,10\nLAST,Zed,9,,\n",
                "LAST,Zed,9,,10\n",
            ),
            # a school's number, which Gradescope has too
            (
                (person("A. Lee", "S55", "Gradescope"),),
                f"{ONE_COLUMN}Ann Lee,9,S55,,,\n",
                "Ann Lee,9,S55,,,10\n",
            ),
            (
                (person("Ann Lee", "55", "Canvas"),),
                f"{ONE_COLUMN}Ann B,55,,,,\n",
                "Ann B,55,,,,10\n",
            ),
            ((person("Ann Lee", "55", ""),), f"{ONE_COLUMN}Ann B,55,,,,\n", "Ann B,55,,,,10\n"),
            # another system's number finds nobody, nor does a number of another kind
            ((person("Ann Lee", "55", "Moodle"),), f"{ONE_COLUMN}Ann B,55,,,,\n", "Ann B,55,,,,\n"),
            (PEOPLE, f"{ONE_COLUMN}Zoe Poe,101,,zoe,,\n", "Zoe Poe,101,,zoe,,\n"),
        ],
    )
    def test_people_are_found_in_a_gradebook_by_what_is_theirs_alone(
        self, people: tuple[Person, ...], sheet: str, filled: str
    ) -> None:
        *head, _ = sheet.splitlines(keepends=True)
        assert text_of(made("canvas", course(people), sheet)) == "".join(head) + filled

    @pytest.mark.parametrize(
        ("sheet", "assignment", "said"),
        [
            ("Name,Mail\nAnn,a\n", "", "given.csv:1: no column ID; expected Canvas's gradebook"),
            (f"{CANVAS},A (1),B (2)\n", "", "choose the column to fill in with --assignment NAME"),
            (f"{CANVAS},A (1),B (2)\n", "C", "given.csv:1: no assignment is called C; there are"),
            (f"{CANVAS},A (1),A (2)\n", "a", "several assignments are called a; there are: A (1)"),
            (f"{CANVAS},A (1)\nAnn,1,,,,\n", "", "A (1) has no Points Possible; set them in"),
        ],
    )
    def test_another_file_is_refused(self, sheet: str, assignment: str, said: str) -> None:
        with pytest.raises(InputError) as raised:
            made("canvas", sheet=sheet, assignment=assignment)
        assert said in str(raised.value)
        assert "\n" not in str(raised.value)

    @pytest.mark.parametrize("points", ["1e999", "nan", "-5", "ten"])
    def test_points_that_nobody_can_be_graded_on_are_refused_with_their_line(
        self, points: str
    ) -> None:
        sheets = {
            "canvas": f'{CANVAS},"A\nB",B (1)\n    Points Possible,,,,,,{points}\nAnn,101,,,,,\n',
            "moodle": f"Identifier,Grade,Maximum Grade\n\nParticipant 101,,{points}\n",
            "github": f"{GITHUB}\nhw,,,jdoe,,,,,,10\nhw,,,bo,,,,,,{points}\n",
        }
        names = ("Points Possible", "Maximum Grade", "points_available")
        for (name, sheet), cell in zip(sheets.items(), names, strict=True):
            with pytest.raises(InputError) as raised:
                made(name, sheet=sheet)
            said = f"given.csv:3: {cell} = {points}: expected a number of points, like 10; set it "
            assert str(raised.value).startswith(said)

    def test_another_encoding_is_refused_with_its_line(self) -> None:
        with pytest.raises(InputError, match=r"given.csv:2: not UTF-8 text"):
            Sheet(Path("given.csv"), "Student,ID\nJosé,1\n".encode("latin-1"))


MOODLE = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
)


class TestMoodle:
    def test_a_new_worksheet_has_the_header_of_moodle(self) -> None:
        text = text_of(made("moodle"))
        assert text.startswith(MOODLE)
        assert text.splitlines()[1].startswith(
            'Participant 101,"Ben-Ari, Ann ""A""",ann@u.edu,Submitted for grading,10.00,10.00,'
            "Yes,-,-,Rank 2 of 6: 8 of 10 points. Grade 10: "
        )
        assert "Submitted for grading - Late," in text.splitlines()[2]
        assert text.splitlines()[5] == (
            "Participant 109,Zed Last,zed@u.edu,No submission,,10.00,Yes,-,-,Nothing was handed in."
        )

    def test_the_reader_of_worksheets_finds_everybody_with_a_number(self, tmp_path: Path) -> None:
        written = made("moodle")
        rows = read_back(tmp_path, written)
        found = {row["full name"]: row["grade"] for row in rows}
        wanted = {name: f"{grade}.00" if grade else "" for name, grade in GRADED.items()}
        del wanted["dan"]
        assert found == wanted
        said = "not in the worksheet, as no Moodle identifier is known: dan"
        assert said in written.remarks

    def test_a_worksheet_with_nobody_in_it_is_refused(self) -> None:
        some = course()
        unknown = [graded for graded in some.people if graded.person.name == "dan"]
        with pytest.raises(InputError, match="no Moodle identifier is known for anybody"):
            made("moodle", replace(some, people=unknown))

    def test_a_given_worksheet_is_filled_in(self) -> None:
        locked = 'Participant 103,,,,,"100,00",No,-,-,'
        sheet = (
            f"{MOODLE}"
            '"Participant 101",Ann,,Draft,,"100,00",Yes,-,"Monday, 2 March",old\n'
            '"Participant 7","=1+1",BOB@u.edu,,"1,00","100,00",Yes,-,-,\n'
            f"{locked}\n"
        )
        lines = text_of(made("moodle", sheet=sheet)).splitlines()
        assert lines[1].startswith(
            'Participant 101,Ann,,Draft,100,"100,00",Yes,-,"Monday, 2 March",Rank 2 of 6: '
        )
        assert lines[2].startswith('Participant 7,=1+1,BOB@u.edu,,80,"100,00",Yes,-,-,Rank 3 of')
        assert lines[3] == locked
        assert lines[1].endswith(" 10 of 10 is 100 of 100 in this gradebook.")

    def test_who_handed_in_by_the_worksheet_is_not_taken_for_missing(self) -> None:
        sheet = (
            "Identifier,Full name,Status,Grade,Maximum Grade,Feedback comments\n"
            "Participant 7,Greg,Submitted for grading - 2 days late,,100,\n"
            "Participant 8,Nora,No submission,,100,\n"
        )
        written = made("moodle", sheet=sheet, missing=0)
        rows = text_of(written).splitlines()
        assert rows[1] == sheet.splitlines()[1]
        assert rows[2] == "Participant 8,Nora,No submission,0,100,Nothing was handed in."
        said = [remark for remark in written.remarks if "Greg" in remark]
        assert len(said) == 1 and "who handed in, by given.csv, but are not on" in said[0]

    def test_fractions_have_the_worksheet_s_decimal_comma(self) -> None:
        sheet = 'Identifier,Grade,Maximum Grade\nParticipant 103,,"9,00"\n'
        assert (
            text_of(made("moodle", sheet=sheet)).splitlines()[1] == 'Participant 103,"4,5","9,00"'
        )


GITHUB = (
    "assignment_name,assignment_url,starter_code_url,github_username,roster_identifier,"
    "student_repository_name,student_repository_url,submission_timestamp,points_awarded,"
    "points_available"
)


class TestGitHub:
    PEOPLE = (
        Person(name="Jane Doe", id="jdoe", email="jane@u.edu", path="ann", bot="ann"),
        Person(name="bo", id="bo", path="bob", bot="bob"),
    )

    def test_a_new_list_has_the_columns_of_github_classroom(self) -> None:
        lines = text_of(made("github", course(self.PEOPLE))).splitlines()
        assert lines[0] == GITHUB
        assert lines[1] == "homework4,,,jdoe,jane@u.edu,,,,10,10"
        assert text_of(made("github")).splitlines()[0] == f"{GITHUB},group_name"

    def test_the_reader_of_github_s_lists_finds_everybody(self, tmp_path: Path) -> None:
        rows = read_back(tmp_path, made("github", course(self.PEOPLE)))
        assert [(row["github_username"], row["points_awarded"]) for row in rows] == [
            ("jdoe", "10"),
            ("bo", "8"),
            ("Owls", "5"),
            ("dan", "3"),
        ]

    def test_a_given_list_is_filled_in(self) -> None:
        sheet = f'{GITHUB}\nhw,u,s,JDoe,"9","r1",x,t,0,0\nhw,u,s,bo,,r2,x,,0,0\nhw,,,eve,,,,,0,0\n'
        lines = text_of(made("github", course(self.PEOPLE), sheet)).splitlines()
        assert lines[1:] == [
            "hw,u,s,JDoe,9,r1,x,t,10,10",
            "hw,u,s,bo,,r2,x,,8,10",
            "hw,,,eve,,,,,0,10",
        ]


class TestGradescope:
    def test_everybody_with_a_grade_has_a_file(self) -> None:
        written = made("gradescope")
        documents = {name: json.loads(data) for name, data in written.files.items()}
        assert {name: document["score"] for name, document in documents.items()} == {
            "Ben-Ari_ Ann _A_ 101/results.json": 10,
            "_1_1 102/results.json".replace("_1_1", "_1+1"): 8,
            f"{CID.name} 103/results.json": 5,
            "Eva_Roe_2 104/results.json": 5,
            "dan/results.json": 3,
        }
        assert any("Zed Last" in remark for remark in written.remarks)

    def test_its_keys_and_kinds_are_those_of_the_specification(self) -> None:
        allowed = {"score", "max_score", "status", "name", "output", "visibility"}
        for data in made("gradescope").files.values():
            document = json.loads(data)
            assert document["output_format"] == "md"
            assert document["output"].startswith("# ")
            assert document["visibility"] == "visible"
            assert document["tests"][0]["score"] == document["score"] <= 10
            for test in document["tests"]:
                assert set(test) == allowed
                assert test["status"] in ("passed", "failed")
                assert 0 <= test["score"] <= test["max_score"]
            for entry in document["leaderboard"]:
                assert set(entry) == {"name", "value", "order"}
                assert entry["order"] in ("asc", "desc")

    def test_the_games_against_house_players_are_tests(self) -> None:
        document = json.loads(made("gradescope").files["dan/results.json"])
        tests = {test["name"]: (test["score"], test["max_score"]) for test in document["tests"]}
        assert tests["Against random"] == (2, 2)
        assert tests["Against reference"] == (0, 2)
        assert tests["Games without a fault"] == (2, 10)

    def test_wins_by_a_fault_of_a_house_player_are_none_where_they_do_not_count(self) -> None:
        facts = course_facts()
        apart = replace(facts.contest, ranking=Ranking(forfeits=Forfeits.APART))
        results = course_results(replace(facts, contest=apart), PEOPLE, contest="homework4")
        scores = {place.bot: place.scores for place in results.places}
        assert scores["dan"] == {"reference": (0, 2)}


SYSTEM_OF = {"canvas": "Canvas", "moodle": "Moodle", "github": "GitHub Classroom"}
"""The system that each format is for."""


@pytest.mark.parametrize("system", [*SYSTEM_OF.values(), "Gradescope", ""])
@pytest.mark.parametrize("name", SYSTEM_OF)
def test_an_identifier_is_written_only_for_its_own_system(name: str, system: str) -> None:
    """Without a system it is what the instructor gave."""
    results = course((replace(ANN, id="777", system=system),))
    is_right = system in ("", SYSTEM_OF[name])
    if name == "moodle" and not is_right:
        with pytest.raises(InputError, match="no Moodle identifier is known"):
            made(name, results)
        return
    written = made(name, results)
    assert ("777" in text_of(written)) == is_right
    assert any("without an identifier" in remark for remark in written.remarks) != is_right


HANDED_IN = {
    "canvas": ("submissions", "student_101_9001_bot.py", "student_102_9002_bot.py"),
    "moodle": (
        "submissions",
        "Student_101_assignsubmission_file_/bot.py",
        "Student_102_assignsubmission_file_/bot.py",
    ),
    "github": ("hw-submissions", "hw-101/bot.py", "hw-102/bot.py"),
}
"""For each system what it exports of the students 101 and 102."""


@pytest.mark.slow
@pytest.mark.parametrize("name", HANDED_IN)
def test_a_list_that_was_exported_tells_collect_the_same_names(tmp_path: Path, name: str) -> None:
    folder, *files = HANDED_IN[name]
    for file in files:
        path = tmp_path / folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(FIRST_FREE)
    (tmp_path / "list.csv").write_bytes(next(iter(made(name).files.values())))
    collect(tmp_path / folder, tmp_path / "into", [tmp_path / "list.csv"])
    people = read_people(tmp_path / "into" / "roster.csv", {})
    assert {person.system for person in people} == {SYSTEM_OF[name]}
    emails = {person.id: person.email for person in people}
    assert emails == {ANN.id: ANN.email, BOB.id: BOB.email}
    if name != "github":  # which knows nothing but identifiers
        ann = 'Ann "A" Ben-Ari' if name == "canvas" else ANN.name
        assert {person.name for person in people} == {ann, BOB.name}


class TestPeople:
    def test_those_who_handed_in_nothing_get_what_was_asked_for(self) -> None:
        results = course(missing=0)
        assert [graded.grade for graded in results.people] == [10, 8, 5, 5, 0, 3]
        assert "Zed Last,109,,zed@u.edu,,0" in text_of(made("canvas", results))
        assert not any("Zed" in remark for remark in made("canvas", results).remarks)

    def test_those_whose_bot_does_not_take_part_are_named_with_the_reason(self) -> None:
        eve = Person(name="Eve", path="eve", bot="eve")
        typed = Person(name="Tim", status="refused: text was typed into Canvas, no file handed in")
        facts = course_facts(eve="needs <b>7</b> columns")
        people = (*PEOPLE, eve, typed)
        results = course_results(facts, people, contest="c")
        assert [graded.grade for graded in results.people[-3:]] == [None, None, 3]
        remarks = made("canvas", results).remarks
        assert (
            "no grade (--missing 0 gives 0): Eve: The bot does not take part: it needs <b>7</b> "
            "columns."
        ) in remarks
        assert (
            "no grade (--missing 0 gives 0): Tim: The submission does not take part: text was "
            "typed into Canvas, no file handed in."
        ) in remarks
        results = course_results(facts, people, contest="c", missing=0)
        assert [graded.grade for graded in results.people[-3:]] == [0, 0, 3]

    def test_nothing_that_a_bot_s_reason_says_is_html_in_moodle(self) -> None:
        eve = Person(name="Eve", id="7", path="eve", bot="eve")
        results = course_results(course_facts(eve="needs <b>7</b> columns"), (eve,), contest="c")
        assert "it needs &lt;b&gt;7&lt;/b&gt; columns." in text_of(made("moodle", results))

    def test_what_two_share_tells_nobody_apart(self) -> None:
        people = (
            Person(name="Jo Lee", id="1", path="ann", bot="ann"),
            Person(name="Jo Lee", id="2", path="bob", bot="bob"),
        )
        sheet = f"{ONE_COLUMN}Jo Lee,7,,,,\n"
        written = made("canvas", course(people), sheet)
        assert text_of(written) == sheet
        assert sum("not in given.csv" in remark for remark in written.remarks) == 4

    def test_a_sheet_keeps_its_separator_its_line_ends_and_its_mark(self) -> None:
        text = '\ufeffStudent;ID\r\n"a;b";"c\nd"\r\n\r\nx;1\r\n'
        sheet = Sheet(Path("given.csv"), text.encode())
        assert sheet.to_bytes() == text.encode()
        assert [sheet.line(number) for number in range(4)] == [1, 2, 4, 5]
        with pytest.raises(InputError, match=r"given.csv:2: not a CSV file"):
            Sheet(Path("given.csv"), f"a\n{'x' * 200_000}\n".encode())
