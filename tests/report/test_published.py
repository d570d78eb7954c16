"""What a whole class may read tells nobody who a bot's author is."""

from __future__ import annotations

import csv
import json
import platform
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from arena.contest.session import Session
from arena.game.verdict import Verdict
from arena.report.html import report as report_module
from arena.report.published import LEFT_OUT, public_session
from support.bots import FIRST_FREE, LAST_FREE
from support.command_line import Typed, arena, refused, succeeded
from support.reports import chunks_of
from support.shared import made_once

TALKER = """
import os
SECRET = "formula of Ada"

def pick_move(rack):
    print("Ada Lovelace, ada@u.edu", __file__, os.getcwd(), os.uname().nodename, "<b>/home/ada</b>")
    if sum(map(bool, sum(map(list, rack), []))) > 15:
        raise ValueError("Ada Lovelace wrote this in /home/ada/hw4 on her laptop")
    return [c[-1] for c in rack].index(0)
"""
BOTS = {
    "lovelace": TALKER,
    "babbage": LAST_FREE,
    "menabrea": FIRST_FREE,
    "turing": "def pick_move(rack:  # by Turing\n",
    "hopper": FIRST_FREE,
}
ROSTER = """name,id,e-mail,group,submitted,late,path,interface,status,system
Ada Lovelace,4711,ada@u.edu,Countesses,2026-11-01T10:00:00+00:00,yes,lovelace.py,,ok,Canvas
"Babbage, Charles",4712,charles@u.edu,,,no,babbage.py,,ok,Canvas
Luigi <b>Menabrea</b>,4713,luigi@u.edu,,,no,menabrea.py,,ok,Canvas
Alan Turing,4714,alan@u.edu,,,no,turing.py,,ok,Canvas
Grace Hopper,4715,grace@u.edu,,,no,hopper.py,,ok,Canvas
"""
PRIVATE = (
    *("lovelace", "babbage", "menabrea", "turing", "hopper", "ada@", "u.edu", "countess"),
    *("charles", "luigi", "formula of", "def pick_move", "/home", "laptop", "wrote", "plagiarism"),
    *("4711", "4712", "4713", "4714", "4715", "pick_move", "canvas", ".py"),
)


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def play(here: Path) -> None:
        bots = here / "homes" / "submissions"
        bots.mkdir(parents=True)
        for name, text in BOTS.items():
            (bots / f"{name}.py").write_text(text)
        (bots / "roster.csv").write_text(ROSTER)
        terms = ("--openings", 2, "--seed", 7, "--grade", "seed", "--lanes", 1)
        assert not arena("run", bots, *terms, "--out", "results/hw", cwd=here).returncode
        left = ("exclude", "results/hw", "hopper", "--reason", "plagiarism of lovelace")
        assert not arena(*left, cwd=here).returncode

    return made_once(tmp_path_factory, "published", play) / "results" / "hw"


def written(typed: Typed, contest: Path, file: str) -> tuple[str, dict[str, Any]]:
    """Write the page for the class; return its text and its data."""
    succeeded(typed("report", contest, "--for-class", file))
    page = Path(file).read_text("utf-8")
    return page, chunks_of(page)


@pytest.mark.slow
def test_the_page_for_the_class_tells_nothing_private(
    contest: Path, tmp_path: Path, typed: Typed
) -> None:
    session = Session.read(contest)
    assert any("Ada" in record.output for record in session.settle().records.values())
    page, chunks = written(typed, contest, "class.html")
    assert any(name.startswith("games-") for name in chunks)
    shown = re.sub(r"(?s)<meta [^>]*>|<(script|style)\b.*?</\1>", "", page)
    told = json.dumps(chunks, ensure_ascii=False) + shown
    hashes = [bot.content_hash for bot in session.contest.bots.values() if bot.content_hash]
    machine = json.loads((contest / "machines.json").read_bytes())[0]
    here = (str(contest.parent), str(tmp_path), platform.node(), machine["system"])
    seed = f'"seed": {session.contest.schedule.seed}'
    private = [each for each in (*PRIVATE, *hashes, *here, seed) if each]
    # a word counts where it begins, a path or a field anywhere
    patterns = [r"\b" * each[0].isalnum() + re.escape(each) for each in private]
    assert [each for each in patterns if re.search(f"(?i){each}", told)] == []
    overview = chunks["overview"]
    assert overview["contest"]["notes"] == [LEFT_OUT]
    assert {bot["grade"] for bot in overview["bots"]} == {None}
    assert Verdict.ERROR.value in {game["r"] for game in chunks["games-0"]}


@pytest.mark.slow
def test_the_page_for_the_class_has_the_tables_results(contest: Path, typed: Typed) -> None:
    """Also the same games, though pairings draw openings of their own by the bots' names."""
    _, chunks = written(typed, contest, "class.html")
    real, public = Session.read(contest), public_session(Session.read(contest))
    assert Counter(game.key.digest for game in real.games) == Counter(
        game.key.digest for game in public.games
    )
    with (contest / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["rank"] and row["bot"] != "hopper"]
    bots = [bot for bot in chunks["overview"]["bots"] if bot["rank"] is not None]
    columns = ("rank", "points", "games", "wins", "rating", "rating_low")
    table = [[float(row[column]) for column in columns] for row in rows]
    assert [[float(bot[column]) for column in columns] for bot in bots] == table
    assert [bot["name"] for bot in bots if bot["house"]] == ["reference", "random"]


@pytest.mark.slow
def test_a_large_contests_page_for_the_class_leaves_the_reports_files(
    contest: Path, tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_module, "MAX_INSIDE", 1)
    succeeded(typed("report", contest, "--out", "report.html"))
    before = {path.name: path.read_bytes() for path in (tmp_path / "report").iterdir()}
    out = succeeded(typed("report", contest, "--for-class", "class.html"))
    assert f"{len(before)} files in class/ beside it" in out
    assert {path.name for path in (tmp_path / "class").iterdir()} == before.keys()
    assert {path.name: path.read_bytes() for path in (tmp_path / "report").iterdir()} == before
    assert 'data-beside="class"' in (tmp_path / "class.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--for-class", "a.html", "--for-all", "b"), "--for-class: one of them at a time"),
        (("--for-class", "a.html", "--out", "b.html"), "--out: a.html already names what to write"),
        (("--for-class", "none/a.html"), "--for-class none/a.html: there is no folder none"),
    ],
)
def test_what_cannot_be_written_for_a_class_is_one_line(
    words: tuple[str, ...], said: str, typed: Typed
) -> None:
    assert said in refused(typed("report", "results/hw", *words))


@pytest.mark.slow
def test_the_report_with_names_is_no_page_for_the_class(contest: Path, typed: Typed) -> None:
    errors = refused(typed("report", contest, "--for-class", contest / "report.html"))
    assert "arena run writes it with names; name another file" in errors
