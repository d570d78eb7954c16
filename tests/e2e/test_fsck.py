"""`arena fsck`: edited files, hostile content, running contests, exit codes."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from arena.contest.session import Session
from arena.report.facts import facts_of
from arena.report.files import make_results
from arena.report.ladder import keep_round, placings
from support.bots import FIRST_FREE
from support.command_line import Typed, arena, refused, succeeded
from support.early import JOURNAL, sound_contest, with_row
from support.shared import contents

HOLD = """
import sys
from pathlib import Path
from arena.contest.folder import ContestFolder
folder = ContestFolder(Path(sys.argv[1]))
with folder.locked():
    journal = folder.journal()
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sound_contest(tmp_path_factory.mktemp("sound") / "contest")


@pytest.fixture
def folder(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept, tmp_path / "contest"))


def test_a_sound_folder_is_said_to_be_so_and_stays_as_it_was(folder: Path, typed: Typed) -> None:
    before = contents(folder)
    code, out, _ = typed("fsck", "contest")
    assert (code, out) == (0, "contest: 12 games checked, 12 scheduled: nothing is wrong\n")
    assert contents(folder) == before
    code, out, _ = typed("fsck", "contest", "--repair", "--json")
    assert (code, json.loads(out)) == (
        0,
        {
            "folder": "contest",
            "running": False,
            "scheduled": 12,
            "games": 12,
            "findings": [],
            "repaired": [],
            "set_aside": None,
            "notes": [],
            "second_tries": [],
        },
    )
    assert contents(folder) == before


def test_a_folder_that_was_copied_is_as_sound(folder: Path, typed: Typed) -> None:
    """Its pages keep the old name."""
    folder.rename(folder.with_name("backup"))
    assert typed("fsck", "backup")[0] == 0
    folder.with_name("backup").joinpath("report.html").unlink()
    code, out, _ = typed("fsck", "backup", "--json")
    assert (code, [each["where"] for each in json.loads(out)["findings"]]) == (1, ["report.html"])
    assert typed("fsck", "backup", "--repair")[0] == 0


def edit(name: str, old: str, new: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1))

    return change


def swap_edition(folder: Path) -> None:
    shutil.copytree(folder / "feedback", folder / "report")
    (folder / "report" / "games-0.js").write_text('Arena.receive("games-0", "0", "");\n')


DAMAGE: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "points": (
        edit("leaderboard.csv", "bob,6.0", "bob,7.0"),
        "leaderboard.csv",
        "row 2: points is 7.0, expected 6.0",
    ),
    "a row": (
        edit("crosstable.csv", "\nalice,", "\nmallory,"),
        "crosstable.csv",
        "row 3: bot is mallory, expected alice",
    ),
    "a winner": (edit("games.csv", ",bob,ERROR", ",carol,ERROR"), "games.csv", "winner is carol"),
    "a missing row": (
        lambda folder: (folder / "games.csv").write_text(
            "".join((folder / "games.csv").read_text().splitlines(True)[:-1])
        ),
        "games.csv",
        "has 11 rows, and the journal gives 12",
    ),
    "columns": (
        edit("tallies.csv", "board_wins", "wins"),
        "tallies.csv",
        "has other columns than this Arena writes",
    ),
    "no table": (lambda folder: (folder / "openings.csv").unlink(), "openings.csv", "is missing"),
    "a folder": (
        lambda folder: ((folder / "openings.csv").unlink(), (folder / "openings.csv").mkdir()),
        "openings.csv",
        "is not a file",
    ),
    "a table too many": (
        lambda folder: (folder / "analysis.csv").write_text("bot\n"),
        "analysis.csv",
        "exists, but the journal has no data for it",
    ),
    "a page": (
        edit("feedback/carol.md", "carol", "\x1b[31mcarol"),
        "feedback/carol.md",
        "line 1 is not what the journal gives",
    ),
    "games of a page": (
        edit("feedback/carol.json", '"winner":', '"winner":1,"was":'),
        "feedback/carol.json",
        "line 1 is not what the journal gives",
    ),
    "a page too many": (
        lambda folder: (folder / "feedback" / "dave.md").touch(),
        "feedback/dave.md",
        "belongs to no bot of this contest",
    ),
    "a report": (
        lambda folder: (folder / "report.html").write_text(
            re.sub(
                r'(id="chunk-games-\d+">)[^<]*',
                r"\1H4sIAAAAAAAC/4uOBQApu0wNAgAAAA==",
                (folder / "report.html").read_text(),
            )
        ),
        "report.html",
        "games-0 is not what the journal gives",
    ),
    "a script": (
        edit("report.html", "\n<script>", "\n<script>alert(1);"),
        "report.html",
        "is not the page that this Arena makes: its table, scripts or styles are others",
    ),
    "no report": (lambda folder: (folder / "report.html").unlink(), "report.html", "is missing"),
    "another's page": (
        lambda folder: (folder / "report.html").write_text("<html>"),
        "report.html",
        "is not as Arena writes it",
    ),
    "pages of another edition": (
        swap_edition,
        "report/games-0.js",
        "belongs to no report that is here",
    ),
}


ALONE = ["no report", "another's page", "pages of another edition"]
SECOND = ["a missing row", "a folder", "a script"]  # files that others damage too
FIRST = [name for name in DAMAGE if name not in (*ALONE, *SECOND)]


@pytest.mark.parametrize("names", [FIRST, SECOND, *([name] for name in ALONE)])
def test_a_table_or_page_that_was_edited_is_found(
    folder: Path, typed: Typed, names: list[str]
) -> None:
    for name in names:
        DAMAGE[name][0](folder)
    before = contents(folder)
    code, out, _ = typed("fsck", "contest", "--json")
    findings = {each["where"]: each for each in json.loads(out)["findings"]}
    assert (code, len(findings)) == (1, len(names))
    for _, where, what in (DAMAGE[name] for name in names):
        assert what in findings[where]["what"]
        assert findings[where]["repair"]
    assert contents(folder) == before


def test_a_round_of_a_ladder_is_compared_with_its_history(folder: Path, typed: Typed) -> None:
    round_ = folder / "history" / "2026-11-01-001"
    round_.mkdir(parents=True)
    session = Session.open(folder)
    settled, _, analyses = session.settle()
    results = make_results(folder, facts_of(folder, session.contest, settled, analyses))
    keep_round(folder, placings(results.facts, date(2026, 11, 1), 1), results)
    typed("rank", "contest")
    assert typed("fsck", "contest")[0] == 0
    edit("history/2026-11-01-001/leaderboard.csv", "bob,6.0", "bob,7.0")(folder)
    code, out, _ = typed("fsck", "contest", "--repair")
    assert code == 1
    assert "001/leaderboard.csv: bob has another points than in history.csv; put it or" in out
    shutil.rmtree(round_)
    assert "is missing or empty" in typed("fsck", "contest")[1]


def test_all_that_was_edited_is_repaired_and_kept(folder: Path, kept: Path, typed: Typed) -> None:
    for name in ("points", "a winner", "no table", "a page", "a page too many", "no report"):
        DAMAGE[name][0](folder)
    before = contents(folder)
    code, out, _ = typed("fsck", "contest")
    assert code == 1
    assert out.endswith(
        "contest: 12 games checked, 12 scheduled: 6 findings\n"
        "repair what can be: arena verify contest --repair\n"
    )
    code, out, _ = typed("fsck", "contest", "--repair")
    assert (code, out.count("repaired: ")) == (0, 6)
    assert "replaced files are in set-aside-1/" in out
    assert out.endswith("contest: 12 games checked, 12 scheduled: all repaired\n")
    tables = {name: data for name, data in contents(kept).items() if name != "report.html"}
    assert tables.items() <= contents(folder).items()
    for name in ("leaderboard.csv", "games.csv", "feedback/carol.md", "feedback/dave.md"):
        assert contents(folder)[f"set-aside-1/{name}"] == before[name]
    assert typed("fsck", "contest")[0] == 0


def test_a_report_that_was_edited_is_kept_with_the_files_beside_it(
    folder: Path, typed: Typed
) -> None:
    DAMAGE["a script"][0](folder)
    (folder / "report").mkdir()
    (folder / "report" / "games-0.js").write_text("mine")
    before = contents(folder)
    out = succeeded(typed("fsck", "contest", "--repair"))
    assert "replaced files are in set-aside-1/" in out
    for name in ("report.html", "report/games-0.js"):
        assert contents(folder)[f"set-aside-1/{name}"] == before[name]


def test_many_files_with_which_the_same_is_wrong_are_one_finding(
    folder: Path, typed: Typed
) -> None:
    for name in ("crosstable.csv", "openings.csv", "tallies.csv", "games.csv"):
        (folder / name).unlink()
    _, out, _ = typed("fsck", "contest")
    line, summary, _ = out.splitlines()
    assert line.endswith(" and 1 more (each): is missing; --repair writes what the journal gives")
    assert summary.endswith(": 1 finding")
    typed("fsck", "contest", "--repair")
    assert not (folder / "set-aside-1").exists()


def test_hostile_content_is_printed_safely(folder: Path, typed: Typed) -> None:
    evil = "\x1b]0;owned\x07\u202e<script>[red]" + "x" * 5_000
    with_row(folder, lambda row: row.update(reason=evil), "verdict = 'LINE'")
    (folder / "feedback" / "\x1b[2J\u202e.md").touch()
    (folder / "bots" / "780ef5ef603f2090" / "\x1b[2J\udcff").touch()
    edit("leaderboard.csv", "bob,6.0", f'bob,"{evil}\n"')(folder)
    for words in (("fsck", "contest"), ("fsck", "contest", "--json"), ("fsck", "contest")):
        code, out, _ = typed(*words)
        assert code == 1
        assert all(letter.isprintable() or letter == "\n" for letter in out)
        if "--json" in words:  # its game is missing now, and tables are compared no more
            with_row(folder, lambda row: row.update(key=evil), "verdict = 'ERROR'")
        else:
            assert max(map(len, out.splitlines())) < 1_000


def test_games_set_aside_are_named_with_the_command_that_plays_them(
    folder: Path, typed: Typed
) -> None:
    with_row(folder, lambda row: row.update(winner=None), "verdict = 'LINE'")
    code, out, _ = typed("fsck", "contest")
    assert code == 1
    assert re.search(
        r"journal\.sqlite, game \d+ \(\w+ – \w+\): says it was won by nobody \(LINE\), but it was "
        r"won by seat \d \(LINE\); --repair sets it aside; arena resume then plays it again\n",
        out,
    )
    assert "the tables were compared without 1 game with impossible records\n" in out
    out = succeeded(typed("fsck", "contest", "--repair"))
    assert "1 game is not played yet: arena resume contest\n" in out


def test_games_that_a_damaged_journal_lost_stay_in_the_tables(folder: Path, typed: Typed) -> None:
    data = (folder / JOURNAL).read_bytes()
    (folder / JOURNAL).write_bytes(data.replace(b"four in the middle", b"FOUR in the middle", 1))
    edit("leaderboard.csv", "bob,6.0", "bob,7.0")(folder)  # it is not judged
    before = contents(folder)
    lost = "journal.sqlite: lacks 1 game that games.csv has; play it again: arena resume contest\n"
    kept = (
        "tables and pages were not compared, because the journal may lack games that they have; "
        "they are unchanged\n"
    )
    code, out, _ = typed("fsck", "contest")
    assert code == 1
    assert out.startswith("journal.sqlite: is damaged: 11 games can still be read; --repair puts")
    assert out.count("\n") == 5
    assert f"\n{lost}{kept}contest: 11 games checked, 12 scheduled: 2 findings\n" in out
    for words in (("--repair",), ("--repair",), ()):
        code, out, _ = typed("fsck", "contest", *words)
        assert code == 1
        out = out.replace("replaced files are in set-aside-1/\n", "")
        assert f"{lost}{kept}contest: 11 games checked, 12 scheduled: 1 finding" in out
    del before[JOURNAL]
    assert before.items() <= contents(folder).items()
    assert (folder / "set-aside-1" / JOURNAL).read_bytes() != data


def test_a_contest_that_is_not_finished_lacks_no_game(folder: Path, typed: Typed) -> None:
    with sqlite3.connect(folder / JOURNAL) as database:
        database.execute("DELETE FROM games WHERE key = (SELECT min(key) FROM games)")
    database.close()
    assert "lacks 1 game that games.csv has" in typed("fsck", "contest")[1]
    (folder / "games.csv").unlink()
    typed("rank", "contest")
    out = succeeded(typed("fsck", "contest"))
    assert "lacks" not in out


@pytest.mark.slow
def test_forfeits_of_a_retired_bot_are_not_missed_in_the_journal(
    tmp_path: Path, typed: Typed
) -> None:
    bots = tmp_path / "bots"
    bots.mkdir()
    (bots / "loops.py").write_text("def pick_move(rack):\n    while True: pass\n")
    for name in ("one", "two"):
        (bots / f"{name}.py").write_text(f"# {name}\n{FIRST_FREE}")
    quick = ("--move-seconds", "0.1", "--first-move-seconds", "0", "--retire-after", "2")
    assert typed("run", "bots", "--no-house", "--openings", "2", *quick, "--out", "contest")[0] == 0
    out = succeeded(typed("fsck", "contest"))
    assert re.fullmatch(r"contest: (?!12 )\d+ games checked, 12 scheduled: nothing is wrong\n", out)


@pytest.mark.slow
def test_games_set_aside_are_played_again(folder: Path, tmp_path: Path) -> None:
    with_row(folder, lambda row: row.update(winner=None), "verdict = 'LINE'")
    assert arena("fsck", "contest", "--repair", cwd=tmp_path).returncode == 0
    assert arena("resume", "contest", cwd=tmp_path).returncode == 0
    done = arena("fsck", "contest", cwd=tmp_path)
    assert done.stdout == "contest: 12 games checked, 12 scheduled: nothing is wrong\n"


def test_it_works_beside_a_contest_that_runs(folder: Path, typed: Typed) -> None:
    edit("leaderboard.csv", "bob,6.0", "bob,7.0")(folder)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        before = contents(folder)
        code, out, _ = typed("fsck", "contest")
        assert (code, out.splitlines()) == (
            0,
            [
                "another arena process is using this contest: the games that it has stored "
                "were checked, and its tables are not final",
                "contest: 12 games checked, 12 scheduled: nothing is wrong",
            ],
        )
        assert typed("replay", "contest", 1)[0] == typed("export", "contest", "--to", "csv")[0] == 0
        assert contents(folder) == before
        assert typed("rank", "contest")[0] == 0
        with_row(folder, lambda row: row.update(winner=None), "verdict = 'LINE'")
        assert typed("fsck", "contest")[0] == 1
        assert "another arena process is using this contest" in refused(
            typed("fsck", "contest", "--repair")
        )
        running.stdin.close()


def test_what_cannot_be_checked_ends_in_a_line_and_2(folder: Path, typed: Typed) -> None:
    code, _, err = typed("fsck", "nowhere")
    assert (code, err.count("\n")) == (2, 1)
    with sqlite3.connect(folder / JOURNAL) as database:
        database.execute("PRAGMA user_version = 7")
    database.close()
    code, _, err = typed("fsck", "contest")
    assert (code, err) == (
        2,
        "arena: contest/journal.sqlite: was written by another version of Arena (its format is "
        "7, not 3); use that version\n",
    )


def test_a_roster_that_cannot_be_read_keeps_tables_as_they_are(folder: Path, typed: Typed) -> None:
    (folder / "roster.csv").write_text("name,path,penalty\nAlice,b/alice.py,much\n")
    edit("leaderboard.csv", "bob,6.0", "bob,7.0")(folder)
    before = contents(folder)
    code, out, _ = typed("fsck", "contest", "--repair")
    assert code == 1
    assert "roster.csv: cannot be read: roster.csv:2: penalty = much: expected grade" in out
    assert contents(folder) == before | {".lock": b""}


def test_another_version_of_arena_is_named(
    folder: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.cli.verify.arena_version", lambda: "99.0")
    _, out, _ = typed("fsck", "contest")
    assert re.search(r"made by Arena \S+, and this is 99.0: they may differ", out)


def test_a_lost_key_of_pseudonyms_is_not_drawn_anew(folder: Path, typed: Typed) -> None:
    edit("contest.toml", "[bots.alice]", "[publish]\npseudonyms = true\n\n[bots.alice]")(folder)
    code, out, _ = typed("fsck", "contest")
    assert code == 1
    assert out.startswith("pseudonyms.key: is missing; put it back from a backup")
    assert typed("fsck", "contest", "--repair")[0] == 1
    assert not (folder / "pseudonyms.key").exists()
