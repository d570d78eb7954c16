"""Exports as courses' systems make them, built here after their descriptions."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from arena.common.errors import InputError, UnreadableError
from arena.courses import collect as collecting
from arena.courses.collect import NOT_TAKEN, Collected, collect
from arena.courses.roster import find_roster
from arena.intake.collected import COLLECTED, ROSTER_CSV, CollectedEntry, folders_named
from arena.intake.files import Files
from support.handed_in import Tree, written, zipped

BOT = "def pick_move(rack):\n    return 0\n"
OTHER = "def pick_move(rack):\n    return 1\n"


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "into"


def both_ways(tmp_path: Path, tree: Tree, name: str = "export") -> tuple[Path, Path]:
    """Return the export as a folder, and as a download."""
    folder = written(tmp_path / "unpacked" / name, tree)
    (tmp_path / f"{name}.zip").write_bytes(zipped(tree))
    return folder, tmp_path / f"{name}.zip"


def roster(into: Path) -> list[dict[str, str]]:
    with (into / "roster.csv").open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        assert reader.fieldnames == ROSTER_CSV
        return list(reader)


def told(into: Path, *columns: str) -> set[tuple[str, ...]]:
    return {tuple(row[column] for column in columns) for row in roster(into)}


def entry(collected: Collected, name: str) -> CollectedEntry:
    return next(e for e in collected.entries if any(name == one[0] for one in e.people))


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


GRADESCOPE = """---
submission_101:
  :submitters:
  - :name: Zoë Müller
    :sid: '0012'
    :email: zoe@example.edu
  :created_at: 2026-02-15 00:26:12.000000000 Z
  :lateness: 00:00:00
  :score: 10.0
  :results:
    tests:
    - name: plays
      output: "!ruby/object:Kernel {}"
submission_102:
  :submitters:
  - :name: Ann Lee
    :sid: '7'
    :email: ann@example.edu
  - :name: Bo =Chen
    :sid: 8
    :email:
  :created_at: 2026-02-15 10:00:00.250000000 -05:00
  :lateness: 15:00:00
submission_103:
  :submitters:
  - :name: Jane Doe
    :sid: 21
  :created_at: 2026-02-14 08:00:00 Z
  :history:
  - :id: 99
    :created_at: 2026-02-14 07:00:00 Z
  - :id: 98
    :created_at: 2026-02-13 07:00:00 Z
submission_104:
  :submitters:
  - :name: Jane Doe
    :sid: 22
  :created_at: 2026-02-14 08:00:00 Z
submission_105:
  :submitters:
  - :name: Jane Doe
    :sid:
    :email:
  :created_at: 2026-02-14 08:00:00 Z
submission_106:
  :submitters:
  - :name: No Body
    :sid: 31
submission_107:
  :submitters:
  - :name: Ed Ex
    :sid: 41
  :created_at: 2026-02-14 08:00:00 Z
  :history:
  - :id: 97
    :created_at: 2026-02-14 09:00:00 Z
"""
GRADESCOPE_FILES: Tree = {
    "submission_metadata.yml": GRADESCOPE,
    "submission_101/bot.py": BOT,
    "submission_101/__MACOSX/._bot.py": "junk",
    "submission_101/.DS_Store": "junk",
    "submission_102/report.pdf": b"%PDF",
    "submission_102/hw.zip": zipped({"hw/bot.py": BOT, "__MACOSX/hw/._bot.py": "junk"}),
    "submission_103/bot.py": BOT,
    "submission_99/bot.py": "old",
    "submission_104/bot.py": OTHER,
    "submission_105/notes.txt": "sorry",
    "submission_107/bot.py": "old",
    "submission_97/bot.py": OTHER,
}


@pytest.mark.parametrize("way", [0, 1])
def test_gradescope_has_people_groups_and_times(tmp_path: Path, way: int, into: Path) -> None:
    tree = {f"assignment_5_export/{name}": data for name, data in GRADESCOPE_FILES.items()}
    collected = collect(both_ways(tmp_path, tree)[way], into)
    assert collected.kind == "Gradescope"
    assert told(into, "name", "id", "e-mail", "group", "submitted", "late", "path", "status") == {
        ("Zoë Müller", "0012", "zoe@example.edu", "", "2026-02-15T00:26:12+00:00", "no",
         "Zoë Müller", "ok"),
        ("Ann Lee", "7", "ann@example.edu", "Ann Lee + Bo =Chen", "2026-02-15T10:00:00-05:00",
         "yes", "Ann Lee + Bo _Chen", "ok"),
        ("Bo =Chen", "8", "", "Ann Lee + Bo =Chen", "2026-02-15T10:00:00-05:00",
         "yes", "Ann Lee + Bo _Chen", "ok"),
        ("Jane Doe", "21", "", "", "2026-02-14T08:00:00+00:00", "", "Jane Doe", "ok"),
        ("Jane Doe", "22", "", "", "2026-02-14T08:00:00+00:00", "", "Jane Doe (22)", "ok"),
        ("Jane Doe", "", "", "", "2026-02-14T08:00:00+00:00", "", "Jane Doe-2",
         "refused: there is no Python file or notebook in it, only notes.txt"),
        ("No Body", "31", "", "", "", "", "", "refused: nothing was handed in"),
        ("Ed Ex", "41", "", "", "2026-02-14T09:00:00+00:00", "", "Ed Ex", "ok"),
    }  # fmt: skip
    assert set(collected.left_out) == {
        "submission_99 (Jane Doe handed in again)",
        "submission_107 (Ed Ex handed in again)",
    }
    assert text(into / "Jane Doe" / "bot.py") == BOT
    assert text(into / "Ed Ex" / "bot.py") == OTHER
    assert text(into / "Jane Doe (22)" / "bot.py") == OTHER
    group = into / "Ann Lee + Bo _Chen"
    assert {p.name for p in group.rglob("*.*")} == {"bot.py", "report.pdf"}
    assert (group / "hw" / "bot.py").exists()
    assert [s.name for s in find_roster([into]).submissions] == [
        "Ann Lee + Bo _Chen", "Ed Ex", "Jane Doe", "Jane Doe (22)", "Jane Doe-2", "Zoë Müller",
    ]  # fmt: skip


def test_gradescopes_metadata_runs_nothing_and_reaches_nothing(tmp_path: Path) -> None:
    metadata = """
submission_1:
  :submitters:
  - :name: !!python/object/apply:os.system ["touch pwned"]
    :sid: !ruby/object:Gem::Installer {}
  - :name: !ruby/string Ann
../../secret:
  :submitters:
  - :name: Eve
"""
    tree: Tree = {"submission_metadata.yml": metadata, "submission_1/bot.py": BOT}
    written(tmp_path / "secret", {"bot.py": BOT})
    collected = collect(written(tmp_path / "a" / "export", tree), tmp_path / "into")
    assert [row["name"] for row in roster(tmp_path / "into")] == ["submission_1", "Ann", "Eve"]
    assert entry(collected, "Eve").status == "refused: nothing was handed in"
    for broken in ("{", "- a", "", "a: " + "[" * 5000, "\0"):
        (tmp_path / "a" / "export" / "submission_metadata.yml").write_text(broken)
        with pytest.raises(InputError, match=r"submission_metadata.yml(:\d+)?: cannot be read"):
            collect(tmp_path / "a" / "export", tmp_path / "other")


CANVAS: Tree = {
    "doejane_101_9001_bot.py": "import board\n" + BOT,
    "doejane_101_9002_board.py": "",
    "doejane_101_9003_report.pdf": b"%PDF",
    "müllerzoë_LATE_102_9010_hw-2.zip": zipped({"hw/bot.py": BOT, ".DS_Store": ""}),
    "leeann_103_9020_bot.py": "old",
    "leeann_LATE_103_9040_bot-1.py": OTHER,
    "leeann_LATE_103_9041_weights-1.json": "[1]",
    "leeann_LATE_103_9042_layer-7.json": "[7]",
    "poebo_104_text.html": "<p>my bot</p>",
    "roecy_105_9050_3_15_bot.py": BOT,
    "readme.txt": "",
}


def test_canvas_has_people_late_marks_and_their_files(tmp_path: Path, into: Path) -> None:
    collected = collect(both_ways(tmp_path, CANVAS)[1], into)
    assert collected.kind == "Canvas"
    assert told(into, "name", "id", "late", "path", "status") == {
        ("doejane", "101", "no", "doejane", "ok"),
        ("müllerzoë", "102", "yes", "müllerzoë", "ok"),
        ("leeann", "103", "yes", "leeann", "ok"),
        ("poebo", "104", "no", "", "refused: text was typed into Canvas, no file handed in"),
        ("roecy", "105", "no", "roecy", "ok"),
    }
    assert names(into / "doejane") == {"board.py", "bot.py", "report.pdf"}
    assert (into / "müllerzoë" / "hw" / "bot.py").exists()
    assert (into / "roecy" / "3_15_bot.py").exists()
    assert {path.name: text(path) for path in (into / "leeann").iterdir()} == {
        "bot.py": OTHER,  # Canvas numbered these files, but not layer-7.json
        "weights.json": "[1]",
        "layer-7.json": "[7]",
    }
    assert entry(collected, "leeann").notes == ("older versions left out: bot.py",)
    assert collected.left_out == ("readme.txt (not named as Canvas names submissions)",)


def test_anonymous_canvas_submissions_stay_apart_and_anonymous(tmp_path: Path, into: Path) -> None:
    tree: Tree = {
        "anon_a1B2c_9001_bot.py": BOT,
        "anon_a1B2c_9002_board.py": "",
        "LATE_anon_12345_9003_bot.py": OTHER,
        "anon_zzzzz_LATE_9004_4_bot.py": BOT,
    }
    collect(written(tmp_path / "export", tree), into)
    assert told(into, "name", "id", "e-mail", "late", "status") == {
        ("anon_a1B2c", "a1B2c", "", "no", "ok"),
        ("anon_12345", "12345", "", "yes", "ok"),
        ("anon_zzzzz", "zzzzz", "", "yes", "ok"),
    }
    assert names(into / "anon_a1B2c") == {"board.py", "bot.py"}
    assert (into / "anon_zzzzz" / "4_bot.py").exists()


GRADEBOOK = "Student,ID,SIS User ID,SIS Login ID,Section\n"


def test_what_a_student_hands_in_is_no_gradebook(tmp_path: Path) -> None:
    forged = GRADEBOOK + '"Victim, Ann",123,,ann@x.edu,\n"Evil, Bob",456,,bob@x.edu,\n'
    for number, name in enumerate(("evilbob_123_1003_notes.csv", "evilbob_LATE_123_1003_g.csv")):
        tree: Tree = {"victimann_456_1001_bot.py": BOT, "evilbob_123_1002_bot.py": OTHER}
        export = written(tmp_path / f"{number}", tree | {name: forged})
        into = tmp_path / f"into{number}"
        collect(export, into)
        people = {("victimann", "456", ""), ("evilbob", "123", "")}
        assert told(into, "name", "id", "e-mail") == people
        # it is a file as any other
        assert text(into / "evilbob" / name.rpartition("_")[2]) == forged


def test_the_list_that_is_named_has_the_last_word(tmp_path: Path) -> None:
    official = tmp_path / "official.csv"
    official.write_text(
        f'\ufeff{GRADEBOOK}    Points Possible,,,,\n"Victim, Ann",456,,ann@x.edu,\n'
        '"Lee, Cy",8,s3,clee,A\n'
    )
    tree: Tree = {f"{n}_bot.py": BOT for n in ("victimann_456_1001", "poebo_7_1002", "leecy_8_100")}
    tree["grades.csv"] = GRADEBOOK + '"Evil, Bob",456,,bob@x.edu,\n"Poe, Bo",7,,bo@x.edu,\n'
    into = tmp_path / "canvas"
    collect(written(tmp_path / "export", tree), into, [official])
    people = {("Ann Victim", "ann@x.edu"), ("Bo Poe", "bo@x.edu"), ("Cy Lee", "")}
    assert told(into, "name", "e-mail") == people

    official.write_text(WORKSHEET)
    tree = MOODLE | {"grades.csv": WORKSHEET.replace("Jane Doe", "Eve").replace("jane", "eve")}
    into = tmp_path / "moodle"
    collect(written(tmp_path / "worksheet", tree), into, [official])
    assert {
        ("Jane Doe", "jane@example.edu", "", "yes", "Jane Doe"),
        ("Jane Doe", "jane2@example.edu", "", "no", "Jane Doe (502)"),
        ("Ann Lee", "", "Team 1", "no", "Team 1"),
        ("Cy Roe", "cy@example.edu", "Team 1", "no", "Team 1"),
    } < told(into, "name", "e-mail", "group", "late", "path")

    for name, data in CLASSROOM_LISTS.items():
        (tmp_path / name).write_text(str(data))
    forged = {n: str(d).replace("Jane Doe", "Eve").replace("hw4,bo", "hw4,eve")
              for n, d in CLASSROOM_LISTS.items()}  # fmt: skip
    export = written(tmp_path / "hw4-submissions", CLASSROOM | forged)
    into = tmp_path / "classroom"
    collect(export, into, [tmp_path / name for name in CLASSROOM_LISTS])
    assert told(into, "name", "id", "e-mail", "group", "submitted", "path") == {
        ("Jane Doe", "jdoe", "jane@example.edu", "", "2026-02-14T08:00:00+00:00", "Jane Doe"),
        ("s17", "Octo-Cat", "", "", "", "s17"),
        ("ann@example.edu", "ann", "ann@example.edu", "team a", "", "team a"),
        ("s20", "bo", "", "team a", "", "team a"),
        ("nobody", "nobody", "", "", "", "nobody"),
    }


def test_lists_in_submissions_say_nothing_of_who_is_who(tmp_path: Path) -> None:
    worksheet = "Identifier,Full name,Email address,Status\nParticipant 1,Eve,eve@x.edu,late\n"
    roster_list = "identifier,github_username,github_id,name\neve@x.edu,ann,1,Eve\n"
    lists = {"worksheet.csv": worksheet, "roster.csv": roster_list, "gradebook.csv": GRADEBOOK}
    for kind, prefixes in {
        "moodle": ("Ann_1_assignsubmission_file_", "Bob_2_assignsubmission_file_"),
        "moodle/folders": ("Ann_1_assignsubmission_file_/", "Bob_2_assignsubmission_file_/"),
        "hw-submissions": ("hw-ann/", "hw-bob/"),
        "folder": ("ann/", "bob/"),
    }.items():
        ann, bob = prefixes
        tree: Tree = {f"{ann}bot.py": BOT, f"{bob}bot.py": OTHER}
        tree |= {f"{bob}{name}": data for name, data in lists.items()}
        into = tmp_path / "into" / kind
        collect(written(tmp_path / "exports" / kind, tree), into)
        rows = told(into, "name", "e-mail", "late")
        people = {(name.casefold(), mail, late) for name, mail, late in rows}
        assert people == {("ann", "", ""), ("bob", "", "")}
        assert (into / roster(into)[1]["path"] / "worksheet.csv").exists()


def test_a_file_that_is_called_like_anothers_submission_stays_its_authors(tmp_path: Path) -> None:
    moodle: Tree = {
        "Ann Victim_456_assignsubmission_file_bot.py": BOT,
        "Bob Evil_123_assignsubmission_file_mine.py": BOT,
        "Bob Evil_123_assignsubmission_file_x_456_assignsubmission_file_bot.py": OTHER,
        "Carl Third_789_assignsubmission_file_bot.py": BOT,
    }
    into = tmp_path / "moodle"
    collect(written(tmp_path / "flat", moodle), into)
    assert told(into, "name", "id") == {
        ("Ann Victim", "456"), ("Bob Evil", "123"), ("Carl Third", "789"),
    }  # fmt: skip
    assert text(into / "Ann Victim" / "bot.py") == BOT
    assert (into / "Bob Evil" / "x_456_assignsubmission_file_bot.py").exists()
    canvas: Tree = {
        "victimann_456_1001_bot.py": BOT,
        "evilbob_123_1002_x_456_9999_bot.py": OTHER,
        "evilbob_123_1003_x_LATE_456_9999_bot.py": OTHER,
        "evilbob_123_1004_anon_456_9999_bot.py": OTHER,
        "evilbob_123_1005_x_456_text.html": "",
        "o_2_neil_LATE_77_1006_bot.py": BOT,
    }
    into = tmp_path / "canvas"
    collect(written(tmp_path / "names", canvas), into)
    assert told(into, "name", "id", "late") == {
        ("victimann", "456", "no"), ("evilbob", "123", "no"), ("o_2_neil", "77", "yes"),
    }  # fmt: skip
    assert [path.name for path in (into / "victimann").iterdir()] == ["bot.py"]
    assert names(into / "evilbob") == {
        "anon_456_9999_bot.py",
        "x_456_9999_bot.py",
        "x_456_text.html",
        "x_LATE_456_9999_bot.py",
    }


GRADESCOPE_CLAIM = """
s1:
  :submitters:
  - {":name": Ann, ":sid": 456, ":email": ann@x.edu}
  :created_at: 2026-02-14 08:00:00 Z
s2:
  :submitters:
  - {":name": Bob, ":sid": 456, ":email": bob@x.edu}
  :created_at: 2026-02-15 08:00:00 Z
"""
CLAIMS: list[Tree] = [
    {"Ann_456_assignsubmission_file_bot.py": BOT, "Bob_456_assignsubmission_file_bot.py": OTHER},
    {"Ann_456_assignsubmission_file_/bot.py": BOT, "Bob_456_assignsubmission_file_/bot.py": OTHER},
    {"Ann_456_1001_bot.py": BOT, "Bob_456_1002_bot.py": OTHER},
    {"submission_metadata.yml": GRADESCOPE_CLAIM, "s1/bot.py": BOT, "s2/bot.py": OTHER},
]


@pytest.mark.parametrize("tree", CLAIMS)
def test_two_names_with_one_identifier_stay_apart(tmp_path: Path, tree: Tree, into: Path) -> None:
    lists = {
        "worksheet.csv": "Identifier,Full name,Email address\nParticipant 456,Ann,ann@x.edu\n",
        "grades.csv": GRADEBOOK + "Ann,456,,ann@x.edu,\n",
    }
    for _ in range(2):
        collected = collect(written(tmp_path / "export", {**tree, **lists}), into)
        assert told(into, "name", "id", "path") == {("Ann", "", "Ann"), ("Bob", "", "Bob")}
        assert (text(into / "Ann" / "bot.py"), text(into / "Bob" / "bot.py")) == (BOT, OTHER)
        note = "other people have its identifier 456 too, so it is not used"
        assert [entry.notes for entry in collected.entries] == [(note,), (note,)]


MOODLE: Tree = {
    "Jane Doe_501_assignsubmission_file_/HW 4.py": BOT,
    "Jane Doe_502_assignsubmission_file_/bot.py": OTHER,
    "Zoë Ben-Ari_503_assignsubmission_file_/deep/bot.zip": zipped({"bot.py": BOT}),
    "Zoë Ben-Ari_503_assignsubmission_onlinetext_/onlinetext.html": "<p>hello</p>",
    "Bo Poe_504_assignsubmission_onlinetext_/onlinetext.html": "<p>def pick_move</p>",
    "Team 1-Ann Lee_505_assignsubmission_file_/bot.py": BOT,
    "Team 1-Cy Roe_506_assignsubmission_file_/bot.py": BOT,
    "Participant_507_assignsubmission_file_/bot.rar": b"Rar!\x1a\7",
    "Di Foe_508_assignsubmission_file_/__MACOSX/._bot.py": "junk",
}
WORKSHEET = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade\n"
    "Participant 501,Jane Doe,jane@example.edu,Submitted for grading - 2 days late,,10\n"
    "Participant 502,Jane Doe,jane2@example.edu,Submitted for grading,,10\n"
    "Participant 505,Ann Lee,,Submitted for grading,,10\n"
    "Participant 506,Cy Roe,cy@example.edu,Submitted for grading,,10\n"
)


def test_moodle_tells_people_and_what_was_only_typed(tmp_path: Path, into: Path) -> None:
    collected = collect(both_ways(tmp_path, MOODLE)[1], into)
    assert collected.kind == "Moodle"
    assert told(into, "name", "id", "group", "path", "status") == {
        ("Jane Doe", "501", "", "Jane Doe", "ok"),
        ("Jane Doe", "502", "", "Jane Doe (502)", "ok"),
        ("Zoë Ben-Ari", "503", "", "Zoë Ben-Ari", "ok"),
        ("Bo Poe", "504", "", "", "refused: text was typed into Moodle, no file handed in"),
        ("Team 1-Ann Lee", "505", "", "Team 1-Ann Lee", "ok"),
        ("Team 1-Cy Roe", "506", "", "Team 1-Cy Roe", "ok"),
        ("Participant 507", "507", "", "",
         "refused: bot.rar is of a kind that Arena does not open; hand in a .zip"),
        ("Di Foe", "508", "", "", "refused: nothing was handed in"),
    }  # fmt: skip
    assert (into / "Zoë Ben-Ari" / "bot.py").exists()


@pytest.mark.parametrize("around", ["", "Name_1_assignsubmission_file_"])
def test_a_hidden_submission_is_named_as_left_out(tmp_path: Path, around: str) -> None:
    names = {name: f"{name}{around}" for name in ("ann", "bo", "..%2f", ".x")}
    tree: Tree = {f"{name}/bot.py": BOT for name in names.values()}
    tree |= {".venv/lib.py": "", ".notes/a.txt": "", "._ann.py": ""}
    folder = written(tmp_path / "export", tree)
    said = "(hidden, as its name begins with a dot; rename it)"
    hidden = tuple(f"{names[name]} {said}" for name in ("..%2f", ".x"))
    assert collect(folder, tmp_path / "into").left_out == hidden
    if not around:
        found = [f"{folder / name} (hidden)" for name in ("..%2f", ".x")]
        assert list(find_roster([folder]).ignored) == found


def test_moodle_without_folders_and_with_attempts(tmp_path: Path, into: Path) -> None:
    tree: Tree = {
        "Jane Doe_501_assignsubmission_file_bot.py": BOT,
        "Jane Doe_501_assignsubmission_file_board.py": "",
        "Ann Lee_502_assignsubmission_file_1/bot.py": BOT,
        "Ann Lee_502_assignsubmission_file_2/bot.py": OTHER,
    }
    collected = collect(written(tmp_path / "export", tree), into)
    assert told(into, "name", "path") == {("Jane Doe", "Jane Doe"), ("Ann Lee", "Ann Lee")}
    assert names(into / "Jane Doe") == {"board.py", "bot.py"}
    assert text(into / "Ann Lee" / "bot.py") == OTHER
    assert collected.left_out == ("Ann Lee_502_assignsubmission_file_1 (Ann Lee handed in again)",)


CLASSROOM: Tree = {
    "hw4-jdoe/bot.py": BOT,
    "hw4-jdoe/.git/config": "[core]",
    "hw4-jdoe/.github/workflows/classroom.yml": "",
    "hw4-Octo-Cat/src/bot.py": OTHER,
    "hw4-team-a/bot.py": BOT,
    "hw4-nobody/README.md": "# hw4",
}
CLASSROOM_LISTS: Tree = {
    "classroom_roster.csv": '"identifier","github_username","github_id","name"\n'
    '"jane@example.edu","jdoe","1","Jane Doe"\n"s17","octo-cat","2",""\n"s18","","",""\n',
    "grades.csv": "assignment_name,github_username,roster_identifier,student_repository_name,"
    "submission_timestamp,points_awarded,points_available,group_name\n"
    "hw4,jdoe,jane@example.edu,hw4-jdoe,2026-02-14 08:00:00 UTC,1,1,\n"
    "hw4,ann,ann@example.edu,hw4-team-a,,1,1,team a\nhw4,bo,s20,hw4-team-a,,1,1,team a\n",
}


def test_classroom_repositories_are_their_users(tmp_path: Path, into: Path) -> None:
    collected = collect(both_ways(tmp_path, CLASSROOM, "hw4-submissions")[1], into)
    assert collected.kind == "GitHub Classroom"
    assert told(into, "name", "id", "path", "status") == {
        ("jdoe", "jdoe", "jdoe", "ok"),
        ("Octo-Cat", "Octo-Cat", "Octo-Cat", "ok"),
        ("team-a", "team-a", "team-a", "ok"),
        ("nobody", "nobody", "nobody",
         "refused: there is no Python file or notebook in it, only README.md"),
    }  # fmt: skip
    assert not (into / "jdoe" / ".git").exists()


def test_clones_are_known_by_what_git_left_in_them(tmp_path: Path, into: Path) -> None:
    clones = {f"hw4-{n}/{f}": BOT for n in ("ann", "andy") for f in ("bot.py", ".git/HEAD")}
    assert collect(written(tmp_path / "all", {**clones}), into).kind == "GitHub Classroom"
    assert told(into, "id") == {("ann",), ("andy",)}


PLAIN: Tree = {
    "alice.py": BOT,
    "alice/bot.py": OTHER,
    "Bob.zip": zipped({"Bob/bot.py": BOT, "Bob/inner.zip": zipped({"book.py": ""})}),
    "carol/HW04.ipynb": '{"cells": []}',
    "carol/report.pdf": b"%PDF",
    "bomb.zip": zipped({"../x.py": BOT}),
    "empty/": "",
    "random.py": BOT,
    "roster.py": BOT,
    "=1+1.py": BOT,
    "notes.txt": "",
    "prog.c": "int main;",
    "__MACOSX/._alice.py": "",
}


@pytest.mark.parametrize("way", [0, 1])
def test_a_plain_folder_has_a_submission_per_child(tmp_path: Path, way: int, into: Path) -> None:
    tree = {f"class/{name}": data for name, data in PLAIN.items()}
    source = both_ways(tmp_path, tree)[way] / ("class" if way == 0 else "")
    collected = collect(source, into)
    assert collected.kind == "folder"
    rows = told(into, "name", "path", "status")
    assert {
        ("alice", "alice", "ok"),
        ("alice", "alice-2", "ok"),
        ("Bob", "Bob", "ok"),
        ("bomb", "", "refused: bomb.zip holds a path that leaves its folder (../x.py)"),
        ("random", "random-2", "ok"),
        ("roster", "roster", "ok"),
        ("'=1+1", "_1+1", "ok"),
        ("empty", "", "refused: nothing was handed in"),
    } < rows
    assert (into / "carol" / "HW04.ipynb").exists()
    assert (into / "Bob" / "Bob" / "inner" / "book.py").exists()
    assert collected.left_out == ("prog.c (not a .py, .ipynb, .zip, .tar.gz or folder)",)


def test_an_archive_of_one_bot_in_several_files_is_one_submission(tmp_path: Path) -> None:
    tree: Tree = {"hw/bot.py": "import board\n" + BOT, "hw/board.py": "import os\n"}
    collect(both_ways(tmp_path, tree)[1], tmp_path / "into")
    assert told(tmp_path / "into", "name", "path") == {("hw", "hw")}
    assert names(tmp_path / "into" / "hw") == {"board.py", "bot.py"}


def test_of_several_archives_each_becomes_a_folder(tmp_path: Path, into: Path) -> None:
    tree: Tree = {
        "ann/code.zip": zipped({"bot.py": BOT}),
        "ann/data.zip": zipped({"book.json": "{}"}),
        "ann/data.tar": zipped({"book.json/x": "{}"}),
        "ann/broken.zip": b"PK",
        "bo/report.pdf": b"%PDF",
        "bo/broken.zip": b"PK",
        "cy/bot.py": BOT,
        "cy/old.zip": zipped({"bot.py": OTHER}),
    }
    collected = collect(written(tmp_path / "x", tree), into)
    assert names(into / "cy") == {"bot.py", "old.zip"}
    assert entry(collected, "cy").notes == ("old.zip stays packed",)
    found = [path for path in (into / "ann").rglob("*") if path.is_file()]
    assert sorted(str(path.relative_to(into)) for path in found) == [
        "ann/code/bot.py",
        "ann/data.zip/book.json",
        "ann/data/book.json/x",
    ]
    assert entry(collected, "ann").notes[0].startswith("broken.zip is damaged or no archive")
    assert entry(collected, "bo").status.startswith("refused: broken.zip is damaged")


def test_one_students_bad_path_in_an_export_is_left_out_and_said(tmp_path: Path) -> None:
    tree: Tree = {"ann/bot.py": BOT, "bo/../../x.py": BOT, "cy/bot.py": BOT}
    collected = collect(both_ways(tmp_path, tree)[1], tmp_path / "into")
    assert [e.path for e in collected.entries] == ["ann", "", "cy"]
    assert collected.entries[1].status == "refused: nothing was handed in"
    assert collected.left_out == ("export.zip holds a path that leaves its folder (bo/../../x.py)",)
    assert not list(tmp_path.glob("x.py"))


def test_a_submission_that_is_too_large_is_refused_alone(tmp_path: Path, into: Path) -> None:
    folder = written(tmp_path / "x", {"ann/bot.py": BOT, "bo/bot.py": BOT, "cy.ipynb": "{}"})
    for name in ("bo/data.bin", "cy.ipynb"):
        with (folder / name).open("wb") as file:
            file.truncate(200 << 20)
    collect(folder, into)
    assert told(into, "name", "status") == {
        ("ann", "ok"),
        ("bo", "refused: its folder holds more than 2000 files or 64 MB"),
        ("cy", "refused: it is larger than a submission may be"),
    }


@pytest.mark.slow
def test_a_bomb_in_a_class_refuses_one_student_only(tmp_path: Path) -> None:
    tree: Tree = {
        "ann/bot.py": BOT,
        "bo/hw.zip": zipped({"x.bin": bytes(65 << 20)}),
        "cy/x.bin": bytes(90 << 20),
    }
    collect(both_ways(tmp_path, tree)[1], tmp_path / "into")
    assert told(tmp_path / "into", "name", "status") == {
        ("ann", "ok"),
        ("bo", "refused: hw.zip holds more than 2000 files or 64 MB"),
        ("cy", "refused: its folder holds more than 2000 files or 64 MB"),
    }


def test_links_lead_nothing_into_a_collection(tmp_path: Path) -> None:
    written(tmp_path / "secret", {"bot.py": "secret = 1\n" + BOT})
    folder = written(tmp_path / "x", {"ann/notes.txt": "", "bo/bot.py": BOT})
    (folder / "eve").symlink_to(tmp_path / "secret")
    (folder / "eve.py").symlink_to(tmp_path / "secret" / "bot.py")
    (folder / "ann" / "bot.py").symlink_to(tmp_path / "secret" / "bot.py")
    collected = collect(folder, tmp_path / "into")
    assert not any("secret" in text(p) for p in (tmp_path / "into").rglob("*.py"))
    assert collected.left_out == ("eve (a symbolic link)", "eve.py (a symbolic link)")


def test_collecting_again_replaces_changes_and_keeps_edits(tmp_path: Path, into: Path) -> None:
    people = ("ann", "bo", "cy", "di", "ed")
    folder = written(tmp_path / "x", {f"{name}/bot.py": BOT for name in people})
    assert {e.change for e in collect(folder, into).entries} == {"new"}
    assert {e.change for e in collect(folder, into).entries} == {"as before"}
    (into / "own notes.txt").write_text("mine")
    (into / "bo" / "bot.py").write_text("# fixed by hand\n" + BOT)
    written(folder, {"bo/bot.py": OTHER, "cy/bot.py": OTHER, "fay/bot.py": BOT})
    (folder / "di" / "bot.py").unlink()
    shutil.rmtree(folder / "ed")
    for _ in range(2):
        collected = collect(folder, into)
        changes = {e.path: e.change for e in collected.entries}
        assert changes["bo"] == "kept"
        assert ("bo", f"ok; {NOT_TAKEN}") in told(into, "path", "status")
        assert changes["di"] == "kept"
        (because,) = (e.kept_because for e in collected.entries if e.path == "di")
        assert because == "the new submission cannot be used (nothing was handed in)"
        assert [e.path for e in collected.before] == ["ed"]
    assert changes["ann"] == changes["cy"] == changes["fay"] == "as before"
    assert text(into / "bo" / "bot.py").startswith("# fixed by hand")
    assert text(into / "cy" / "bot.py") == OTHER
    assert text(into / "own notes.txt") == "mine"
    assert [row["path"] for row in roster(into)] == ["ed", "ann", "bo", "cy", "di", "fay"]
    assert not [name for name in names(into) if name.endswith(".partial")]


def test_a_folder_with_files_added_by_hand_is_kept(tmp_path: Path, into: Path) -> None:
    export = written(tmp_path / "x", {"ann/bot.py": BOT})
    collect(export, into)
    written(into, {"ann/points.txt": "9"})
    assert collect(export, into).entries[0].change == "as before"
    written(export, {"ann/bot.py": OTHER})
    assert collect(export, into).entries[0].status == f"ok; {NOT_TAKEN}"
    assert names(into / "ann") == {"bot.py", "points.txt"}
    shutil.rmtree(into / "ann")
    assert collect(export, into).entries[0].status == "ok"
    assert text(into / "ann" / "bot.py") == OTHER


def test_a_roster_that_was_edited_is_put_aside_and_never_lost(tmp_path: Path, into: Path) -> None:
    export = written(tmp_path / "x", {"ann/bot.py": BOT, "bo/bot.py": BOT})
    collect(export, into)
    (export / "bo" / "bot.py").write_text(OTHER)
    assert collect(export, into).remarks == ()
    for edit in ("first", "second"):
        (into / "roster.csv").write_text(edit)
        (remark,) = collect(export, into).remarks
        assert {row["name"] for row in roster(into)} == {"ann", "bo"}
        assert collect(export, into).remarks == ()
    assert text(into / "roster.edited.csv") == "first"
    assert text(into / "roster.edited-2.csv") == "second"
    assert "was edited and is roster.edited-2.csv now" in remark


def test_exports_of_another_system_or_course_are_noticed(tmp_path: Path, into: Path) -> None:
    canvas = written(tmp_path / "x", {f"{n}_10{n}_200_bot.py": BOT for n in (1, 2)})
    moodle = {f"Ann {n}_10{n}_assignsubmission_file_/bot.py": BOT for n in (1, 2)}
    collect(canvas, into)
    before = roster(into)
    with pytest.raises(InputError, match="was collected from an export of Canvas, and this is an"):
        collect(written(tmp_path / "y", moodle), into)
    assert roster(into) == before
    other = collect(written(tmp_path / "z", {f"{n}_70{n}_800_b.py": BOT for n in (1, 2)}), into)
    assert other.remarks[0].startswith("nobody in this export was in")
    assert collect(canvas, into).remarks == ("the same files: 1 (701), 2 (702), 1, 2",)


def test_who_handed_in_documents_only_takes_part_and_is_told(tmp_path: Path, into: Path) -> None:
    tree: Tree = {"ann/bot.py": BOT, "bo/report.pdf": "%PDF", "cy/a.txt": "", "cy/b.doc": ""}
    collect(written(tmp_path / "x", tree), into)
    written(into, {"my notes/x.txt": "not handed in"})
    assert {s.name: s.problem for s in find_roster([into]).submissions} == {
        "ann": None,
        "bo": "there is no Python file or notebook in it, only report.pdf",
        "cy": "there is no Python file or notebook in it, only a.txt, b.doc",
    }
    assert find_roster([into]).ignored == (f"{into / 'my notes'} (a folder without a bot)",)
    elsewhere = find_roster([tmp_path / "x"])
    assert [s.name for s in elsewhere.submissions] == ["ann"]
    assert len(elsewhere.ignored) == 2


@pytest.mark.parametrize("around", ["", "all/", "x-submissions/x-"])
def test_an_archive_of_a_whole_class_is_never_played_as_a_bot(tmp_path: Path, around: str) -> None:
    (tmp_path / "all.zip").write_bytes(zipped({f"{around}{n}/bot.py": BOT for n in "abc"}))
    likeness = r"all\.zip looks like (an export|the sub).*; first: arena"
    with pytest.raises(InputError, match=likeness):
        find_roster([tmp_path / "all.zip"])


def test_what_one_person_packed_or_numbered_is_no_export(tmp_path: Path) -> None:
    numbered: Tree = {f"hw_2026_100{n}_ann.py": BOT for n in range(3)}
    assert len(find_roster([written(tmp_path / "numbered", numbered)]).submissions) == 3
    for number, tree in enumerate((
        {"main.py": "import a, b, c\n" + BOT, "a/x.py": BOT, "b/x.py": BOT, "c/x.py": BOT},
        {"hw/old/bot.py": BOT, "hw/new/bot.py": OTHER, "hw/report.pdf": ""},
        {"hw/bot.py": BOT, "hw/eval_1_1000_data.txt": ""},
    )):  # fmt: skip
        path = tmp_path / f"{number}.zip"
        path.write_bytes(zipped(tree))
        assert len(find_roster([path]).submissions) == 1


def test_a_collection_that_was_cut_short_goes_on_with_the_same_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, into: Path
) -> None:
    folder = written(tmp_path / "x", {f"{name}/bot.py": BOT for name in ("ann", "bo", "cy")})

    def stop(files: Files, target: Path) -> None:
        if target.name == ".cy.partial":
            raise KeyboardInterrupt
        write(files, target)

    write = collecting.write_files
    with monkeypatch.context() as patch:
        patch.setattr(collecting, "write_files", stop)
        with pytest.raises(KeyboardInterrupt):
            collect(folder, into)
    (into / ".cy.partial").mkdir()  # as it stays there if Arena is killed
    written(folder, {"cy/bot.py": OTHER})
    collected = collect(folder, into)
    assert [(e.path, e.change) for e in collected.entries] == [
        ("ann", "as before"), ("bo", "as before"), ("cy", "new"),
    ]  # fmt: skip


def test_who_joins_a_group_has_no_second_bot(tmp_path: Path, into: Path) -> None:
    ann, bo = "  - :name: Ann\n    :sid: 1\n", "  - :name: Bo\n    :sid: 2\n"
    alone = f"s1:\n  :submitters:\n{ann}s2:\n  :submitters:\n{bo}"
    group = f"s3:\n  :submitters:\n{ann}{bo}"
    files: Tree = {"submission_metadata.yml": alone, "s1/bot.py": BOT, "s2/bot.py": BOT}
    collect(written(tmp_path / "x", files), into)
    files = {"submission_metadata.yml": group, "s3/bot.py": OTHER}
    collected = collect(written(tmp_path / "y", files), into)
    assert told(into, "name", "path") == {("Ann", "Ann"), ("Bo", "Ann")}
    assert [s.name for s in find_roster([into]).submissions] == ["Ann"]
    assert collected.left_out == (f"{into / 'Bo'} (removed: Bo handed in again)",)


def test_no_cell_of_the_roster_is_computed_or_breaks_a_line(tmp_path: Path, into: Path) -> None:
    names = ("=cmd|' /C calc'!A0", "+1", "-2", "@SUM(A1)", r"\t=1\n", r"\e[2J", "x" * 500)
    people = (f'  :submitters:\n  - :name: "{name}"\n    :sid: =1+' for name in names)
    metadata = "".join(f"s{number}:\n{who}{number}\n" for number, who in enumerate(people))
    tree: Tree = {f"s{number}/bot.py": BOT for number in range(len(names))}
    collect(written(tmp_path / "x", {"submission_metadata.yml": metadata, **tree}), into)
    rows = roster(into)
    assert [row["name"] for row in rows][:6] == [
        "'=cmd|' /C calc'!A0", "'+1", "'-2", "'@SUM(A1)", "'=1", "[2J",
    ]  # fmt: skip
    assert all(len(row["name"]) <= 300 for row in rows)
    assert [row["id"] for row in rows] == [f"'=1+{number}" for number in range(len(names))]
    assert not any(row["path"].startswith(("=", "+", "-", "@")) for row in rows)
    bots = {submission.name for submission in find_roster([into]).submissions}
    assert bots == {row["path"] for row in rows}


def test_names_that_differ_in_case_get_own_folders(tmp_path: Path, into: Path) -> None:
    tree: Tree = {"Ann.py": BOT, "ann.py": BOT, "Jo\u0308rg.py": BOT, "J\u00f6rg/bot.py": BOT}
    collect(written(tmp_path / "x", tree), into)
    paths = [row["path"] for row in roster(into)]
    assert len({path.casefold() for path in paths}) == 4
    assert {"Ann", "ann-2", "J\u00f6rg", "J\u00f6rg-2"} == set(paths)


def test_what_is_no_export_or_no_place_for_one_is_one_clear_line(tmp_path: Path) -> None:
    export = written(tmp_path / "x", {"ann/bot.py": BOT, "bo/bot.py": BOT})
    thesis = written(tmp_path / "thesis", {"thesis.txt": "years of work"})
    (tmp_path / "e.zip").write_bytes(b"PK not a zip")
    (tmp_path / "e.7z").write_bytes(b"")
    (tmp_path / "nothing").mkdir()
    cases = {
        (tmp_path / "gone", tmp_path / "a"): "gone: no such file or folder; name the download",
        (tmp_path / "thesi", tmp_path / "a"): f"no such file or folder; did you mean {thesis}?",
        (tmp_path / "e.zip", tmp_path / "a"): (
            "/e.zip: is damaged or no archive: File is not a zip file; download it again"
        ),
        (tmp_path / "e.7z", tmp_path / "a"): "not an export that Arena reads; expected a .zip",
        (thesis / "thesis.txt", tmp_path / "a"): "expected a folder or a .zip",
        (tmp_path / "nothing", tmp_path / "a"): (
            "nothing: no submissions here; name the folder or archive with all of them"
        ),
        (export, thesis): "thesis: holds thesis.txt, which was not collected; name another folder",
        (export, export / "into"): "into: lies in the export itself",
        (export, thesis / "thesis.txt"): "thesis.txt: not a folder",
        (export, thesis / "thesis.txt" / "a"): "cannot be written to (Not a directory)",
    }
    for (source, into), sentence in cases.items():
        with pytest.raises(InputError) as error:
            collect(source, into)
        assert sentence in str(error.value)
        assert "\n" not in str(error.value)
    assert text(thesis / "thesis.txt") == "years of work"
    collect(export, tmp_path / "into")
    listed = tmp_path / "list.csv"
    for text_of in ("", "ID\n1\n", "years of work\nand more\n", "id,name\n1,Ann\n"):
        listed.write_text(text_of)
        with pytest.raises(InputError, match=r"list.csv: not a list.* Student and ID \(Canvas's"):
            collect(export, tmp_path / "into", [listed])
    for marker in ("{", "[]", '{"path": ".."}', "\0"):
        (tmp_path / "into" / COLLECTED).write_text(marker)
        with pytest.raises(InputError, match="was changed by hand; collect into another folder"):
            collect(export, tmp_path / "into")
    for marker in ("{", "[]", '{"path": 1}\n5', "\0"):  # for a contest it is a folder like others
        (tmp_path / "into" / COLLECTED).write_text(marker)
        with pytest.raises(UnreadableError, match="was changed by hand"):
            folders_named(lambda _: None, str(tmp_path / "into" / COLLECTED))
