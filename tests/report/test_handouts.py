"""Reports go to whom they belong: names of files as the course systems read them back."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from arena.common.errors import InputError
from arena.courses.export import Person
from arena.courses.gradebook import CourseResults, Form, Handout, Made
from arena.intake.collected import CollectedEntry, Head, write_marker
from arena.report.course_results import handouts
from arena.report.exports import FORMATS
from support.courses import STUDENTS, course, course_facts

OWNERS = {"101": "ann", "102": "bob", "103": "Owls", "104": "Owls"}
HOSTILE = (
    Person(name="<script>alert(1)</script>", id="1", bot="ann", path="ann"),
    Person(name="../../שרה_7_כהן", id="2", bot="bob", path="bob"),
    Person(name="x" * 300, id="3", bot="Owls", path="Owls"),
    Person(name="/", id="", bot="dan", path="dan"),
)


def made(name: str, results: CourseResults) -> Made:
    return FORMATS[name].make(results, Form())


def unzipped(made: Made) -> Mapping[str, str]:
    (data,) = made.files.values()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def as_moodle_reads(path: str) -> tuple[int, str]:
    """The participant and the file that Moodle takes a path in an archive for.

    It cuts the names of folders at underscores into five parts at most: a name, a number, the kind
    and the name of a plugin, and what is left of the path.
    """
    folder, _, file = path.partition("/")
    name, number, kind, plugin, rest = folder.split("_", 4)
    assert name and (kind, plugin, rest) == ("assignsubmission", "file", "")
    assert not file.startswith((".", "~"))
    return int(number), file


def as_canvas_reads(name: str) -> tuple[str, str]:
    """The user, or anonymous identifier, and the attachment that Canvas takes a file for.

    Its parts are those between underscores without LATE; a last one that begins with `link` is
    none. Identifiers are the first two that are numbers, or those after `anon`.
    """
    parts = [part for part in name.split("_") if part != "LATE"]
    assert not parts[-1].startswith("link")
    if parts[0] == "anon":
        return parts[1], parts[2]
    user, attachment = [part for part in parts if part.isdecimal()][:2]
    return user, attachment


def title(bot: str) -> str:
    return f"<title>{bot}: homework4</title>"


def test_a_handout_is_the_report_the_page_and_the_games_that_this_names() -> None:
    found = {each.bot: each for each in handouts(course_facts(), "homework4")}
    assert set(found) == set(STUDENTS)
    for bot, each in found.items():
        assert title(bot) in each.report
        assert each.files[f"{bot}.html"] == each.report
        assert each.files[f"{bot}.md"].startswith(f"# {bot}\n")
        assert each.where == ""
    assert "`arena replay dan.json " in found["dan"].files["dan.md"]
    assert "dan.json" in found["dan"].files


def test_the_folder_has_a_folder_for_each_person() -> None:
    files = made("reports", course()).files
    folders = {name.partition("/")[0] for name in files}
    assert folders == {
        "Ben-Ari_ Ann _A_ 101",
        "_1+1 102",
        "שרה כהן 103",
        "Eva_Roe_2 104",
        "dan",
    }
    cid, eva = (files[f"{one}/Owls.html"].decode() for one in ("שרה כהן 103", "Eva_Roe_2 104"))
    assert title("Owls") in cid and cid == eva  # members of a group have the same
    (said,) = made("reports", course()).remarks
    assert said == "no report, as they have no bot in the contest: Zed Last"


def test_moodle_finds_each_person_by_the_number() -> None:
    done = made("moodle-reports", course())
    found: dict[str, set[str]] = {}
    for path, text in unzipped(done).items():
        number, file = as_moodle_reads(path)
        found.setdefault(str(number), set()).add(file)
        if file.endswith(".html"):
            assert title(OWNERS[str(number)]) in text
    assert found.keys() == OWNERS.keys()
    for number, bot in OWNERS.items():
        assert {f"{bot}.html", f"{bot}.md"} <= found[number]
    assert "not in the archive, as they have no Moodle identifier: dan" in done.remarks


@pytest.mark.parametrize(
    ("where", "user", "attachment"),
    [
        ("leeann_101_9001_bot.py", "101", "9001"),
        ("leeann_LATE_101_9001_my_2_bot_3.py", "101", "9001"),
        ("anon_Ab3dE_9001_bot.py", "Ab3dE", "9001"),
        ("LATE_anon_Ab3dE_9001_bot.py", "Ab3dE", "9001"),
        ("cohensara_101_9001_link.py", "101", "9001"),
    ],
)
def test_canvas_finds_the_submission_by_the_numbers_of_its_file(
    where: str, user: str, attachment: str
) -> None:
    results = replace(course(), handouts=lambda: [handout("ann", where), handout("bob", "")])
    done = made("canvas-reports", results)
    ((name, text),) = unzipped(done).items()
    assert as_canvas_reads(name) == (user, attachment)
    assert name.endswith("_report.html")
    assert text == "report of ann"
    assert any("names of their files" in said and "bob" in said for said in done.remarks)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("moodle-reports", "has a Moodle identifier"),
        ("canvas-reports", "Canvas's names of the files"),
    ],
)
def test_an_archive_with_nobody_in_it_is_refused(name: str, why: str) -> None:
    people = [replace(each, person=replace(each.person, id="")) for each in course().people]
    results = replace(course(), people=people, handouts=lambda: [handout("ann", "")])
    with pytest.raises(InputError, match=f"{why}.*; --to reports writes a folder for each person"):
        made(name, results)


def handout(bot: str, where: str) -> Handout:
    return Handout(bot=bot, report=f"report of {bot}", files={}, where=where)


def test_where_a_bot_lay_in_the_download_is_told_by_the_folder_it_was_collected_into(
    tmp_path: Path,
) -> None:
    entries = [
        CollectedEntry(people=(), identities=(bot,), where=where, path=bot)
        for bot, where in (
            ("ann", "leeann_101_9001_bot.py"),
            ("bob", "poebo_102_9002_a.py … (2 files)"),
        )
    ]
    write_marker(tmp_path, Head(kind="Canvas"), entries)
    facts = course_facts()
    bots = {
        name: replace(bot, source=str(tmp_path / name)) for name, bot in facts.contest.bots.items()
    }
    facts = replace(facts, contest=replace(facts.contest, bots=bots))
    found = {each.bot: each.where for each in handouts(facts, "homework4")}
    assert found == {
        "ann": "leeann_101_9001_bot.py",
        "bob": "poebo_102_9002_a.py",
        "Owls": "",
        "dan": "",
    }
    (tmp_path / ".arena-collect.json").write_text("[")
    assert {each.where for each in handouts(facts, "homework4")} == {""}


@pytest.mark.parametrize("name", ["reports", "moodle-reports"])
def test_a_person_s_name_makes_no_other_path(name: str) -> None:
    done = made(name, course(HOSTILE))
    paths = list(unzipped(done) if name != "reports" else done.files)
    assert len({path.partition("/")[0] for path in paths}) == (4 if name == "reports" else 3)
    for path in paths:
        folder, slash, file = path.partition("/")
        assert slash and folder not in (".", "..") and "/" not in file
        assert len(folder.encode()) < 255
        assert not set('<>:"|?*\\') & set(path)
        if name != "reports":
            assert title(dict(zip("123", STUDENTS, strict=False))[str(as_moodle_reads(path)[0])])
