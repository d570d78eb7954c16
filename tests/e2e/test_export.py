"""From a course system's export to its gradebook."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest

from arena.courses.systems import course_rows
from support.bots import FIRST_FREE, LAST_FREE, bots_in
from support.command_line import Typed, refused, succeeded
from support.handed_in import Tree, zipped
from support.instant import Instant


@pytest.fixture
def instant(monkeypatch: pytest.MonkeyPatch) -> Instant:
    return Instant.in_place_of_lanes(monkeypatch)


GRADEBOOK = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Homework 4 (77),Current Score\r\n"
    "    Points Possible,,,,,10.00,(read only)\r\n"
    '"Lee, ""Ann"" =1",101,,ann@u.edu,A,,\r\n'
    "כהן שרה,102,,sara@u.edu,A,,\r\n"
    "Poe Bo,103,,bo@u.edu,A,,\r\n"
)


@pytest.mark.slow
def test_grades_go_from_a_canvas_download_back_into_its_gradebook(
    tmp_path: Path, typed: Typed, instant: Instant
) -> None:
    (tmp_path / "grades.csv").write_bytes(GRADEBOOK.encode())
    tree: Tree = {
        "leeann_101_9001_bot.py": FIRST_FREE,
        "leeann_101_9002_pseudonym.txt": "Deep Thought\n",
        "cohensara_LATE_102_9003_bot.py": FIRST_FREE.replace(".index(0)", "[0] * 0"),
    }
    (tmp_path / "submissions.zip").write_bytes(zipped(tree))
    words = ("collect", "submissions.zip", "--roster", "grades.csv", "--into", "class")
    succeeded(typed(*words))
    (tmp_path / "c.toml").write_text("[grades]\nlate_penalty = 1\n[publish]\npseudonyms = true\n")
    words = ("run", "class", "--openings", "1", "--config", "c.toml", "--out", "results/hw")
    succeeded(typed(*words))
    assert "sara@u.edu" in (tmp_path / "results" / "hw" / "roster.csv").read_text()

    words = ("export", "results/hw", "--to", "canvas", "--gradebook", "grades.csv")
    code, _, errors = typed(*words, "--out", "upload.csv")
    assert code == 0
    assert "in grades.csv, but not on the roster, so they handed in nothing" in errors
    board = list(csv.DictReader(io.StringIO((tmp_path / "results/hw/leaderboard.csv").read_text())))
    wanted = {row["bot"]: row["grade"] for row in board if row["grade"]}
    rows = {row["id"]: row for row in course_rows(tmp_path / "upload.csv") if row["id"]}
    assert rows["101"]["homework 4 (77)"] == next(wanted[bot] for bot in wanted if "Ann" in bot)
    assert rows["102"]["homework 4 (77)"] == next(wanted[bot] for bot in wanted if "Ann" not in bot)
    assert rows["103"]["homework 4 (77)"] == ""
    before, after = GRADEBOOK.splitlines(), (tmp_path / "upload.csv").read_text().splitlines()
    assert [line for line in before if line not in after] == before[2:4]

    published = succeeded(typed("export", "results/hw", "--to", "json", "--pseudonyms"))
    assert "Deep Thought" in published
    assert "Ann" not in published
    assert "u.edu" not in published
    ann = next((tmp_path / "results" / "hw" / "feedback").glob("*Ann*.md"))
    assert "it is called `Deep Thought`" in ann.read_text()

    words = ("export", "results/hw", "--to", "canvas-reports", "--out", "reports.zip")
    code, _, errors = typed(*words)
    assert (code, "Canvas names each report like the submitted file" in errors) == (0, True)
    with zipfile.ZipFile(tmp_path / "reports.zip") as archive:
        names = sorted(archive.namelist())
        page = archive.read(names[1]).decode()
    assert names == ["cohensara_LATE_102_9003_report.html", "leeann_101_9001_report.html"]
    assert f"<title>{ann.stem}: hw</title>" in page

    (tmp_path / "letter.txt").write_text("Subject: Homework\n\nGrade: $grade.\n")
    words = ("export", "results/hw", "--to", "mail", "--out", "mails", "--template", "letter.txt")
    for _ in range(2):  # its own folder is written again
        assert "written: 2 folders in mails" in typed(*words)[2]
    mails = [path.read_text() for path in (tmp_path / "mails").glob("*/mail.eml")]
    assert len([mail for mail in mails if "Subject: Homework" in mail and "Grade: 0." in mail]) == 2
    assert (tmp_path / "mails" / "mails.csv").is_file()

    out = succeeded(typed("report", "results/hw", "--for-all", "handout"))
    assert "handout: 2 reports" in out
    assert {path.name for path in (tmp_path / "handout").iterdir()} == {
        f"{bot}.html" for bot in wanted
    }
    errors = refused(typed("report", "results/hw", "--for", ann.stem.upper()))
    assert f"did you mean {ann.stem}?" in errors


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("results/none", "--to", "csv"), "results/none: no contest in this folder"),
        (("results/none", "--to", "gradescope"), "--out is missing, the folder to write"),
        (("results/none", "--to", "reports"), "--out is missing, the folder to write"),
        (("results/none", "--to", "moodle-reports"), "--out is missing, the file to write"),
        (("results/none", "--to", "csv", "--gradebook", "g.csv"), "--to csv fills in no file"),
        (("results/none", "--to", "canvas", "--pseudonyms"), "finds people by their names"),
        (("results/none", "--to", "mail"), "--out is missing, the folder to write"),
        (("results/none", "--to", "csv", "--template", "g.csv"), "--template: is for --to mail"),
        (("results/none", "--to", "xml"), "'xml' is not one of 'csv'"),
        (("results/none",), "Missing option '--to' or '--games'"),
        (("results/none", "--to", "csv", "--bot", "ann"), "--bot: is for --games FILE"),
        (("results/none", "--games", "x.json", "--to", "csv"), "takes only --bot and --pseudonyms"),
        (("results/none", "--games", "x.csv"), "x.csv: the name must end in .json or .pgn"),
        (("results/none", "--games", "x.json"), "results/none: no contest in this folder"),
        (("results/none", "--games", "x.json", "--pseudonyms"), "add --bot NAME"),
        (("results/none", "--to", "moodle", "--gradebook", "binary.csv"), "csv:1: not UTF-8 text"),
    ],
)
def test_what_cannot_be_exported_is_one_line(
    tmp_path: Path, typed: Typed, words: tuple[str, ...], said: str
) -> None:
    (tmp_path / "g.csv").write_text("ID\n")
    (tmp_path / "binary.csv").write_bytes(b"PK\3\4\xff\xfe")
    assert said in refused(typed("export", *words))


@pytest.mark.parametrize("option", ["--gradebook", "--roster"])
def test_what_is_read_is_not_overwritten(tmp_path: Path, typed: Typed, option: str) -> None:
    (tmp_path / "g.csv").write_text("ID\n")
    words = ("results/none", "--to", "canvas", option, "g.csv", "--out", "./g.csv")
    assert "--out g.csv: this would overwrite what is read; name another file" in refused(
        typed("export", *words)
    )


def test_a_contest_without_grades_fills_no_gradebook(
    tmp_path: Path, typed: Typed, instant: Instant
) -> None:
    bots_in(tmp_path, ann=FIRST_FREE, bob=FIRST_FREE)
    words = ("run", "ann.py", "bob.py", "--no-house", "--openings", "1", "--out", "results/hw")
    succeeded(typed(*words, "--shared-openings", "all"))
    to_canvas = ("export", "results/hw", "--to", "canvas")
    errors = refused(typed(*to_canvas))
    assert "no grades: reference must take part" in errors
    contest = tmp_path / "results" / "hw" / "contest.toml"
    late = "freeze and late_penalty change nothing: without a roster.csv nobody is known to be late"
    assert late not in errors
    text = contest.read_text().replace("\nfreeze = false\n", "\nfreeze = true\n")
    text = text.replace("\nlate_penalty = 0.0\n", "\nlate_penalty = 1\n")
    assert "freeze = true" in text and "late_penalty = 1" in text
    contest.write_text(text)
    assert late in typed("rank", "results/hw")[2]
    assert late in typed("export", "results/hw", "--to", "csv")[2]
    contest.write_text(contest.read_text().replace("\nopenings = 1\n", "\nopenings = 2\n"))
    missing = "has 1 of 2 openings; this draws others, and plays what is missing"
    assert missing in refused(typed(*to_canvas))
    openings = tmp_path / "results" / "hw" / "openings.json"
    held = json.loads(openings.read_text())
    held |= {"asked": 2, "openings": [*held["openings"], held["openings"][0][:-1]]}
    openings.write_text(json.dumps(held))
    errors = refused(typed(*to_canvas))
    assert "2 games to play, so there are no grades" in errors
    assert "arena resume results/hw" in errors
    code, out, errors = typed("export", "results/hw", "--to", "markdown")
    assert (code, "| bot |" in out) == (0, True)
    assert "so the table is not final: arena resume results/hw" in errors
    (tmp_path / "results" / "hw" / "journal.sqlite").unlink()
    refused(typed("export", "results/hw", "--to", "markdown"))


@pytest.mark.slow
def test_games_are_a_file_and_an_authors_shows_no_words_of_other_bots(
    tmp_path: Path, typed: Typed
) -> None:
    raising = "def pick_move(rack):\n    print('printed words')\n    raise ValueError('secret')\n"
    bots_in(tmp_path, ann=FIRST_FREE, bob=LAST_FREE, cy=raising)
    words = ("run", "ann.py", "bob.py", "cy.py", "--no-house", "--openings", "1", "--out", "hw")
    succeeded(typed(*words))

    def exported(name: str, *words: str) -> list[dict[str, str]]:
        code, _, errors = typed("export", "hw", "--games", name, *words)
        assert (code, errors.startswith(f"written: {name}, ")) == (0, True)
        listed: list[dict[str, str]] = json.loads(succeeded(typed("replay", name, "--json")))
        return listed

    assert len(exported("all.json")) == 6
    ann, cy = exported("ann.json", "--bot", "ann"), exported("cy.json", "--bot", "cy")
    assert [len(games) for games in (ann, cy)] == [4, 4]
    assert all("ann" in (game["first"], game["second"]) for game in ann)
    texts = [(tmp_path / name).read_text() for name in ("all.json", "ann.json", "cy.json")]
    assert ["secret" in text for text in texts] == [True, False, True]
    assert ["printed words" in text for text in texts] == [True, False, True]
    for words in ((), ("--pseudonyms",)):
        exported("bob.json", "--bot", "bob", *words)
        bobs = (tmp_path / "bob.json").read_text()
        assert ('"ann"' in bobs) == (not words)
    assert typed("export", "hw", "--games", "ann.pgn", "--bot", "ann")[0] == 0
    text = (tmp_path / "ann.pgn").read_text()
    assert (text.count('[Event "hw"]'), "secret" in text) == (4, False)
    number = ann[0]["game"]
    again = succeeded(typed("ask", "ann.py", "--game", "ann.json", str(number)))
    assert "ann is " in again and "; now" not in again
    assert "did you mean ann?" in refused(typed("export", "hw", "--games", "x.pgn", "--bot", "an"))
