"""A roster is read, matched with bots, and copied into the contest's folder."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from arena.common.errors import InputError
from arena.contest.people import Person, by_bot, copy_rosters, find_rosters, lateness, read_people
from arena.intake.collected import CollectedEntry, roster_csv
from arena.intake.submission import Submission
from arena.settings.contest import BotEntry

HEAD = "name,id,e-mail,group,submitted,late,path,interface,status\n"


def bots(*sources: str) -> Mapping[str, BotEntry]:
    entered = {Path(source).stem: BotEntry(source=source) for source in sources}
    return {**entered, "random": BotEntry(source="bots/random", house=True)}


def roster(folder: Path, text: str, name: str = "roster.csv") -> Path:
    path = folder / name
    folder.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def submissions(*sources: Path) -> list[Submission]:
    return [Submission(name=s.stem, source=s, content_hash="0" * 16) for s in sources]


class TestReading:
    def test_every_fact_of_a_row_is_told(self, tmp_path: Path) -> None:
        path = roster(
            tmp_path,
            "name,id,e-mail,group,submitted,late,path,interface,status,penalty,pseudonym\n"
            '"Doe, Ann",17,ann@u.edu,Owls,2026-03-01T12:00:00,yes,Owls,player,ok,1.5,Hoot\n',
        )
        (ann,) = read_people(path, bots("hw/Owls"))
        assert ann == Person(
            name="Doe, Ann",
            id="17",
            email="ann@u.edu",
            group="Owls",
            submitted="2026-03-01T12:00:00",
            late=True,
            penalty=1.5,
            pseudonym="Hoot",
            path="Owls",
            bot="Owls",
            status="ok",
        )

    def test_a_cell_that_is_not_filled_in_tells_nothing(self, tmp_path: Path) -> None:
        path = roster(tmp_path, "name,path,late,penalty\nAnn,,,\n\nBob\n")
        ann, bob = read_people(path, bots())
        assert (ann.late, ann.penalty, ann.bot, bob.name) == (None, None, "", "Bob")

    @pytest.mark.parametrize(
        "name", ["=1+1", '="x"', "'=1+1", "''@x", "-5", "+1", "O'Hara", "'quoted'"]
    )
    def test_what_collect_writes_is_read_as_it_was(self, tmp_path: Path, name: str) -> None:
        entry = CollectedEntry(people=((name, "1", ""),), identities=("1",), where="x")
        written = roster_csv([entry])
        (row,) = csv.DictReader(written.decode().splitlines())
        assert not row["name"].startswith(("=", "+", "-", "@"))
        (person,) = read_people(roster(tmp_path, written.decode()), bots())
        assert person.name == name

    def test_a_spreadsheet_s_semicolons_and_byte_order_mark_are_read(self, tmp_path: Path) -> None:
        path = roster(tmp_path, "\ufeffName;E-Mail;Path;Late\nAnn;a@u.edu;ann;No\n")
        (ann,) = read_people(path, bots("hw/ann"))
        assert (ann.name, ann.email, ann.bot, ann.late) == ("Ann", "a@u.edu", "ann", False)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("name,path,late\nAnn,ann,no\nBob,bob,maybe\n", "csv:3: late = maybe: expected yes"),
            ('name,path,penalty\n"A\nB",a,1\nBob,b,-1\n', "csv:4: penalty = -1: expected grade"),
            ("name,path,penalty\nBob,b,nan\n", "csv:2: penalty = nan: expected grade points"),
            ("name,path,id\nAnn,a,7\nBob,b,7\n", "csv:3: id 7 stands in line 2 already"),
            ("student,grade\nAnn,7\n", "csv:1: expected the columns of a roster"),
            ("", "csv:1: expected the columns of a roster"),
        ],
    )
    def test_a_mistake_is_told_with_its_line(self, tmp_path: Path, text: str, said: str) -> None:
        with pytest.raises(InputError) as raised:
            read_people(roster(tmp_path, text), bots("ann"))
        assert said in str(raised.value)

    def test_text_in_another_encoding_is_told_with_its_line(self, tmp_path: Path) -> None:
        path = tmp_path / "roster.csv"
        path.write_bytes("name,path\nAnn,a\nJosé,j\n".encode("latin-1"))
        with pytest.raises(InputError, match=r"csv:3: not UTF-8 text; save it as CSV in UTF-8"):
            read_people(path, bots())


class TestMatching:
    def test_members_of_a_group_share_a_bot(self, tmp_path: Path) -> None:
        path = roster(tmp_path, "name,path\nAnn,Owls\nBob,Owls\nCid,\nDan,dan\n")
        people = read_people(path, bots("hw/Owls", "hw/dan.py"))
        assert [person.bot for person in people] == ["Owls", "Owls", "", "dan"]
        shared = by_bot(people)
        assert [person.name for person in shared["Owls"]] == ["Ann", "Bob"]
        assert list(shared) == ["Owls", "dan"]

    def test_a_path_is_looked_for_beside_its_roster_first(self, tmp_path: Path) -> None:
        one, two = (str(tmp_path / group / "ann") for group in ("monday", "friday"))
        entered = {"ann": BotEntry(source=one), "ann-2": BotEntry(source=two)}
        (tmp_path / "elsewhere").mkdir()
        for group, bot in (("monday", "ann"), ("friday", "ann-2"), ("elsewhere", "")):
            (ann,) = read_people(roster(tmp_path / group, "name,path\nAnn,ann\n"), entered)
            assert ann.bot == bot

    def test_a_row_may_name_a_students_bot_itself(self, tmp_path: Path) -> None:
        path = roster(tmp_path, "name,bot,path\nAnn,ann,\nBob,gone,\nCid,random,random\n")
        people = read_people(path, bots("hw/ann.py"))
        assert [person.bot for person in people] == ["ann", "", ""]
        assert [person.path for person in people] == ["ann", "gone", "random"]


class TestFinding:
    def test_it_lies_in_a_folder_that_was_named_or_globbed(self, tmp_path: Path) -> None:
        path = roster(tmp_path / "hw", HEAD)
        sources = [tmp_path / "hw" / "ann", tmp_path / "hw" / "bob"]
        for named in ([tmp_path / "hw"], sources):
            assert find_rosters(named, submissions(*sources), bots()) == ([path], [])

    def test_a_file_that_a_student_handed_in_is_no_roster(self, tmp_path: Path) -> None:
        roster(tmp_path / "ann", "name,path,penalty\nBob,bob,9\n")
        folder = submissions(tmp_path / "ann", tmp_path / "bob")
        assert find_rosters([tmp_path / "ann"], folder, bots()) == ([], [])
        files = submissions(tmp_path / "ann" / "bot.py", tmp_path / "bob" / "bot.py")
        paths = [submission.source for submission in files]
        assert find_rosters(paths, files, bots()) == ([], [])

    def test_another_file_of_that_name_is_left_alone_and_said(self, tmp_path: Path) -> None:
        path = roster(tmp_path / "hw", "Student,ID,SIS Login ID\n")
        found, remarks = find_rosters([path.parent], submissions(path.parent / "ann"), bots())
        assert found == []
        assert remarks == [f"{path}: not used, as it has no columns name and path"]
        roster(tmp_path / "hw", "name,path,late\nAnn,ann,perhaps\n")
        with pytest.raises(InputError, match="csv:2: late = perhaps"):
            find_rosters([path.parent], submissions(path.parent / "ann"), bots())


class TestCopying:
    def test_people_of_two_systems_may_have_one_number_and_one_path(self, tmp_path: Path) -> None:
        head = "name,id,path,system\n"
        one = roster(tmp_path / "one", head + "Ann,7,x,Moodle\n")
        two = roster(tmp_path / "two", head + "Bob,7,x,Canvas\n")
        sources = {"x": tmp_path / "one" / "x", "x-2": tmp_path / "two" / "x"}
        entered = {name: BotEntry(source=str(source)) for name, source in sources.items()}
        target = tmp_path / "copy.csv"
        copy_rosters([one], target, entered)
        target.write_text(
            target.read_text().replace(",bot", ",penalty,bot", 1).replace("Moodle,", "Moodle,1.5,")
        )
        copy_rosters([one, two], target, entered)
        people = read_people(target, entered)
        assert [(each.name, each.system, each.penalty, each.bot) for each in people] == [
            ("Ann", "Moodle", 1.5, "x"),
            ("Bob", "Canvas", None, "x-2"),
        ]

    def test_a_copy_names_each_bot_and_reads_the_same(self, tmp_path: Path) -> None:
        source = roster(tmp_path / "hw", HEAD + "'=Ann,1,,,,yes,ann,player,ok\nCid,3,,,,,,,\n")
        entered = bots(str(tmp_path / "hw" / "ann"))
        target = tmp_path / "copy.csv"
        copy_rosters([source], target, entered)
        assert target.read_text().splitlines() == [
            "name,id,e-mail,group,submitted,late,path,interface,status,bot",
            "'=Ann,1,,,,yes,ann,player,ok,ann",
            "Cid,3,,,,,,,,",
        ]
        assert read_people(target, entered) == read_people(source, entered)

    def test_columns_added_by_hand_stay_with_their_people(self, tmp_path: Path) -> None:
        target = roster(
            tmp_path / "results",
            "name,id,path,late,bot,penalty,pseudonym\nAnn,1,ann,no,ann,2,Owl\nBob,2,,,,,\n",
        )
        source = roster(tmp_path / "hw", HEAD + "Ann Doe,1,,,,yes,ann,,\nCid,3,,,,,,,\n")
        copy_rosters([source], target, bots(str(tmp_path / "hw" / "ann")))
        ann, cid = read_people(target, bots(str(tmp_path / "hw" / "ann")))
        assert (ann.name, ann.late, ann.penalty, ann.pseudonym) == ("Ann Doe", True, 2.0, "Owl")
        assert (cid.penalty, cid.pseudonym) == (None, "")


def person(bot: str, late: bool | None = None, penalty: float | None = None) -> Person:
    return Person(name="Ann", bot=bot, late=late, penalty=penalty)


@pytest.mark.parametrize(
    ("people", "late", "penalties"),
    [
        ([person("a", True, 2.0), person("b", True), person("c", False), person("d")],
         {"a", "b"}, {"a": 2.0, "b": 1.0}),
        ([person("", True), person("a", True, 0.0)], {"a"}, {}),
        ([person("a", False, 0.5)], set(), {"a": 0.5}),
        ([person("a", None, 1.0), person("a", True, 1.5)], {"a"}, {"a": 1.5}),
    ],
)  # fmt: skip
def test_a_late_bot_has_the_highest_penalty_of_its_people_or_else_the_contests(
    people: list[Person], late: set[str], penalties: dict[str, float]
) -> None:
    known = lateness(people, 1.0)
    assert (known.late, known.penalties) == (late, penalties)


def test_a_penalty_of_somebody_on_time_in_a_late_group_is_none_for_lateness() -> None:
    ben, ann = person("team", True), person("team", False, 1.0)
    assert lateness([ann, ben], 0.5).otherwise == {"team"}
    assert lateness([ann, replace(ben, penalty=1.0)], 0.5).otherwise == frozenset()
    assert lateness([ben], 0.5).otherwise == frozenset()
