"""The commands, each in its own process, judged by their output."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess

import nbformat
import pandas as pd
import pytest
from rich.console import Console

from arena import run_contest
from arena.cli.collect import table as collected_table
from arena.cli.screen import check_saved
from arena.common.errors import InputError
from arena.common.names import HOUSE, house_folder
from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.player import Fault
from arena.intake.collected import CollectedEntry
from arena.intake.house_players import demo_bots
from arena.intake.submission import read_submission
from arena.interfaces import BY_NAME
from arena.interfaces.contract import starter
from arena.ranking.games import GAMES_CSV
from arena.ranking.leaderboard import LEADERBOARD_CSV
from arena.rules import Ruleset
from arena.settings.contest import pairings
from arena.settings.file import read_recorded
from support.bots import FIRST_FREE, LAST_FREE, as_entered, bots_in
from support.command_line import (
    PATIENCE_SECONDS,
    Typed,
    arena,
    arena_ok,
    refused,
    started,
    succeeded,
)
from support.handed_in import Tree, written, zipped
from support.instant import Instant

RANDOM = """
import random
def pick_move(rack):
    return random.choice([c for c in range(len(rack)) if rack[c][-1] == 0])
"""
SLOW = "import time\n" + RANDOM.replace("    return", "    time.sleep(0.01)\n    return")


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    return bots_in(tmp_path / "submissions", alice=RANDOM, bob=FIRST_FREE, carol=LAST_FREE)


@pytest.fixture
def instant(monkeypatch: pytest.MonkeyPatch) -> Instant:
    return Instant.in_place_of_lanes(monkeypatch)


def games_of(folder: Path) -> pd.DataFrame:
    return pd.read_csv(folder / "games.csv", keep_default_na=False)


def untimed(folder: Path) -> pd.DataFrame:
    """The leaderboard without the columns that differ between runs."""
    return pd.read_csv(folder / "leaderboard.csv").drop(columns=["mean_move_ms", "max_move_ms"])


def wait_for_games(folder: Path, count: int) -> None:
    """Wait until a running contest has `count` games in its journal."""
    for _ in range(4800):
        try:
            with sqlite3.connect(folder / "journal.sqlite", timeout=5) as journal:
                if journal.execute("SELECT count(*) FROM games").fetchone()[0] >= count:
                    return
        except sqlite3.OperationalError:
            pass
        time.sleep(0.05)
    pytest.fail("the contest did not get going")


CONTEST = ("run", "submissions", "--no-house", "--openings", 1, "--out", "contest")
Odd = tuple[Path, CompletedProcess[str]]
# Few pairings and moves: for each move of a program a process is started.
DEMO = (
    *("--format", "gauntlet", "--grade", "none", "--openings", 1, "--seed", 1),
    *("--min-plies", 12, "--max-plies", 12),
)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished contest of each demo bot against the house players."""
    folder = tmp_path_factory.mktemp("demo")
    arena_ok("run", *DEMO, "--out", "results", cwd=folder)
    return folder / "results"


@pytest.mark.slow
def test_the_demo_contest_writes_every_file_and_has_no_fault_in_any_interface(demo: Path) -> None:
    for name in ("contest.toml", "journal.sqlite", "arena.log", "games.csv", "crosstable.csv"):
        assert (demo / name).stat().st_size > 0
    board, games = pd.read_csv(demo / "leaderboard.csv"), games_of(demo)
    assert (list(board.columns), list(games.columns)) == (LEADERBOARD_CSV, GAMES_CSV)
    assert len(games) == 2 * len(pairings(read_recorded(demo / "contest.toml")))
    assert {page.stem for page in (demo / "feedback").glob("*.md")} == set(board["bot"])
    assert re.search(r"arena\.lane lane \d+ on core \d+", (demo / "arena.log").read_text())
    assert set(board["bot"]) == {*HOUSE, *demo_bots()}
    assert set(board["interface"]) == set(BY_NAME)
    assert "reference" in list(board["bot"])[:3]
    assert "random" in list(board["bot"])[-2:]
    assert set(games["verdict"]) <= {"LINE", "BOARD_FULL"}, games["reason"].tolist()


def test_where_no_bots_are_one_line_names_the_demo_bots_and_nothing_of_their_folder(
    tmp_path: Path, instant: Instant, typed: Typed
) -> None:
    code, _, errors = typed("run", "--no-house", "--grade", "none", "--openings", 1, "--out", "c")
    assert code == 0
    assert set(read_recorded(tmp_path / "c" / "contest.toml").playing) == set(demo_bots())
    said = errors.splitlines()
    assert said[0] == "no PATHS, and no folder bots here: the demo bots play"
    assert said[1].startswith(f"c: {len(demo_bots())} bots, ")


@pytest.mark.slow
def test_columns_are_printed_on_demand(demo: Path, typed: Typed) -> None:
    out = succeeded(typed("rank", demo, "--columns", "bot, direct,timeout", "--json"))
    assert list(json.loads(out)[0]) == ["bot", "direct", "timeout"]
    wrong = refused(typed("rank", demo, "--columns", "bot,dirct"))
    assert wrong == "arena: --columns dirct: there is no such column; did you mean direct?\n"


@pytest.mark.slow
def test_two_grade_rules_are_compared_without_a_change(demo: Path, typed: Typed) -> None:
    before = {path: path.read_bytes() for path in demo.glob("*.csv")}
    out = succeeded(typed("rank", demo, "--grade", "scale", "--beside", "seed"))
    assert "by seed" in out and "differ from seed by more than half a point" in out
    figure = demo.parent / "grades.svg"
    words = "rank", demo, "--beside", "curve", "--figure", figure, "--json"
    rows = json.loads(succeeded(typed(*words)))
    assert figure.read_text("utf-8").startswith("<svg")
    exam = demo.parent / "exam.json"
    succeeded(typed("rank", demo, "--exam", exam))
    said = json.loads(exam.read_text("utf-8"))
    assert len(said["better"]) == len(said["bots"]) == len(rows)
    places = [set(test["places"]) for test in said["places"] if test["kind"] == "lane"]
    assert all(len(lanes) > 1 for lanes in places)
    missing = demo.parent / "none" / "a.svg"
    assert f"--figure {missing}: " in refused(typed("rank", demo, "--figure", missing))
    assert {"grade", "grade_curve", "grade_curve_why"} <= rows[0].keys()
    assert {path: path.read_bytes() for path in demo.glob("*.csv")} == before


@pytest.mark.slow
def test_a_contest_plays_nothing_twice_and_in_another_folder_the_same(
    demo: Path, typed: Typed
) -> None:
    _, _, errors = typed("run", *DEMO, "--out", demo)
    assert "games, 0 to play" in errors
    succeeded(typed("run", house_folder() / "playouts.py", *DEMO, "--out", "again"))
    columns = ["moves", "verdict", "first_nodes", "second_nodes"]
    before, again = (games_of(folder).set_index("key") for folder in (demo, Path("again")))
    assert len(again) == 2 * 3
    assert again[columns].equals(before.loc[again.index, columns])


@pytest.mark.slow
def test_a_contest_whose_main_process_is_killed_leaves_no_process_and_goes_on_where_it_was(
    tmp_path: Path, bots: Path
) -> None:
    bots_in(bots, alice=SLOW, bob=SLOW, carol=SLOW)
    words = ("run", "submissions", "--no-house", "--openings", 2, "--seed", 3)
    with started(*words, "--out", "killed", cwd=tmp_path) as running:
        wait_for_games(tmp_path / "killed", 3)
        log = (tmp_path / "killed" / "arena.log").read_text()
        running.kill()
        running.wait()
        lanes = re.findall(r"lane (\d+) on core \d+, its zygote (\d+)", log)
        left = {int(pid) for pair in lanes for pid in pair}
        assert left
        for _ in range(3000):
            left = {pid for pid in left if _alive(pid)}
            if not left:
                break
            time.sleep(0.02)
        assert not left
    resumed = arena_ok("resume", "killed", cwd=tmp_path)
    total, missing = map(int, re.findall(r"= (\d+) games, (\d+) to play", resumed.stderr)[0])
    assert total == 12
    assert 0 < missing <= 9
    arena(*words, "--out", "calm", cwd=tmp_path)
    assert untimed(tmp_path / "killed").equals(untimed(tmp_path / "calm"))
    columns = ["game", "moves", "winner", "key"]
    assert games_of(tmp_path / "killed")[columns].equals(games_of(tmp_path / "calm")[columns])


def _alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_the_journal_and_says_how_to_go_on(
    tmp_path: Path, bots: Path, sign: signal.Signals
) -> None:
    (bots / "alice.py").write_text(SLOW)
    words = ("run", "submissions", "--no-house", "--openings", 50)
    with started(*words, "--out", "my contest", cwd=tmp_path) as running:
        wait_for_games(tmp_path / "my contest", 3)
        for _ in range(3):  # impatience is no reason to show a traceback, nor to clear nothing up
            os.killpg(running.pid, sign)
            time.sleep(0.02)  # or they are one
        _, errors = running.communicate(timeout=PATIENCE_SECONDS)
    assert running.returncode == 130
    assert "arena resume 'my contest'" in errors
    assert "Traceback" not in errors
    assert arena("rank", "my contest", cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_a_folders_own_settings_hold_until_they_are_changed(
    tmp_path: Path, bots: Path, typed: Typed, instant: Instant
) -> None:
    def said(*words: object) -> str:
        return " ".join(typed(*CONTEST, *words)[1:])

    drawn = seed_in(said("--preset", "cs4100"))
    again = said()
    assert "6 games, 0 to play\n8 rows × 8" in again
    (tmp_path / "contest.toml").write_text('preset = "classic"')
    other = said("--config", "contest.toml")
    assert "6 games, 6 to play\n6 rows × 7" in other
    assert seed_in(again) == seed_in(other) == drawn
    assert f"seed = {drawn}\n" in (tmp_path / "contest" / "contest.toml").read_text()
    assert drawn > 1 << 40
    seeded = said("--config", "contest.toml", "--seed", 5)
    assert "6 games, 6 to play" in seeded
    assert seed_in(seeded) == 5
    small = said("--rows", 3, "--columns", 3)
    assert "contest held a contest with other settings (6 rows × 7 columns, connect 4;" in small
    assert "no line of 4 fits on this board" in small


def seed_in(said: str) -> int:
    return int(re.findall(r"; seed (\d+)", said)[-1])


FAILS = "def pick_move(rack):\n    print('\\x1b[2Jhere', __file__)\n    return 1 / 0\n"


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Odd:
    """A folder with the contest `c` of odd submissions, and the end of its `arena run`."""
    folder = tmp_path_factory.mktemp("odd")
    bots_in(folder / "submissions", dave=FAILS)
    bots_in(folder / "submissions", **{"x`\n\n# Grade: 10\n\n": FIRST_FREE})
    bots_in(folder / "submissions" / "Ann Lee", my_bot_v3=FIRST_FREE)
    shutil.copy(house_folder() / "random" / "any_column.py", folder / "submissions" / "copied.py")
    shutil.copy(house_folder() / "reference.py", folder / "submissions" / "engine.py")
    words = ("run", "submissions", "novice", "--openings", 1, "--seed", 1, "--json")
    done = arena_ok(*words, "--grade", "seed", "--move-seconds", 1, "--out", "c", cwd=folder)
    return folder, done


def page_of(folder: Path, bot: str) -> str:
    return (folder / "c" / "feedback" / f"{bot}.md").read_text("utf-8")


@pytest.mark.slow
def test_faults_are_in_the_table_and_explained_in_the_feedback(odd: Odd, tmp_path: Path) -> None:
    folder, done = odd
    rows = {row["bot"]: row for row in json.loads(done.stdout)}
    assert rows["dave"]["forfeits"] == rows["dave"]["games"] == 12
    assert rows["dave"]["grade"] == 0
    page = page_of(folder, "dave")
    assert "It `raised ZeroDivisionError: division by zero (dave.py, line 3), at ply" in page
    assert "here dave.py\n" in page
    assert "\x1b" not in page
    assert "/tmp" not in page
    assert str(folder) not in page
    for name in ("dave.md", "dave.json"):  # all that there is, beside the bot
        shutil.copy(folder / "c" / "feedback" / name, tmp_path)
    cited = [shlex.split(each) for each in re.findall(r"`arena (.*?)`", page)]
    (again,) = (words for words in cited if words[0] == "ask")
    assert [words[:2] for words in cited if words is not again] == [["replay", "dave.json"]] * 3
    shutil.copy(folder / "submissions" / "dave.py", tmp_path / again[1])
    shown = arena(*again, cwd=tmp_path)
    assert (shown.returncode, "; now it raised ZeroDivisionError" in shown.stdout) == (1, True)
    for words in (words for words in cited if words is not again):
        shown = arena_ok(*words, cwd=tmp_path)
        assert "dave raised ZeroDivisionError" in shown.stdout
        assert "here" in shown.stdout
        assert "\x1b" not in shown.stdout
        in_folder = arena("replay", "c", words[2], cwd=folder).stdout.splitlines()
        assert shown.stdout.splitlines()[2:] == in_folder[2:-1]  # all but key and command


@pytest.mark.slow
def test_a_copy_of_a_house_player_takes_part_as_the_students_bot(odd: Odd) -> None:
    folder, done = odd
    rows = {row["bot"]: row for row in json.loads(done.stdout)}
    assert {"copied", "engine", "random", "reference", "novice"} < set(rows)
    assert rows["copied"]["grade"] is not None
    assert rows["random"]["grade"] is rows["novice"]["grade"] is None
    assert "novice has its own budget: 200 nodes" in done.stderr
    assert rows["novice"]["mean_nodes"] <= 200 < rows["reference"]["mean_nodes"]
    assert rows["engine"]["points"] == 0
    forbidden = "ImportError: a bot may not use Arena's own engine (engine.py, line "
    assert forbidden in page_of(folder, "engine")


@pytest.mark.slow
def test_pages_name_the_file_that_plays_and_pipes_take_100_columns(odd: Odd, typed: Typed) -> None:
    folder, _ = odd
    table = succeeded(typed("rank", folder / "c"))
    assert max(map(len, table.splitlines()[:-1])) <= 100, table
    assert "Submitted as `my_bot_v3.py` in `Ann Lee`." in page_of(folder, "Ann Lee")
    for page in (folder / "c" / "feedback").iterdir():
        assert "# Grade: 10" not in page.read_text().splitlines()
    lee = folder / "submissions" / "Ann Lee"
    assert succeeded(typed("check", lee, "--pages", "pages"))
    (page,) = Path("pages").iterdir()
    assert "Submitted as my_bot_v3.py in Ann Lee" in page.read_text("utf-8")


@pytest.mark.slow
def test_a_bot_that_hangs_again_and_again_is_retired_and_everybody_is_told(
    tmp_path: Path, bots: Path
) -> None:
    (bots / "alice.py").unlink()
    (bots / "dave.py").write_text("import time\ndef pick_move(rack): time.sleep(9)\n")
    (bots / "erin.py").write_text("def pick_move(rack): return 1 / 0\n")
    (tmp_path / "wish.toml").write_text(
        "[limits]\nmove_seconds = 0.1\nfirst_move_seconds = 0\n[schedule]\nretire_after = 3\n"
    )
    words = ("run", "submissions", "--no-house", "--openings", 3, "--lanes", 1, "--out", "contest")
    first = arena(*words, "--config", "wish.toml", cwd=tmp_path)
    games = games_of(tmp_path / "contest")
    said = " ".join(first.stdout.split())
    played = int(re.search(r"dave was retired after losing 3 of (\d) games", said)[1])
    line = f"dave was retired after losing 3 of {played} games by TIMEOUT"
    assert f"{line}; {18 - played} games more are forfeits; in the {played} games" in said
    assert "erin was retired" not in said
    page = (tmp_path / "contest" / "feedback" / "dave.md").read_text()
    assert f"It {line.removeprefix('dave ')};" in page
    assert len(games) == 36
    forfeits = games[games["reason"].str.startswith(line.removeprefix("dave "))]
    assert len(forfeits) == 18 - played
    some = forfeits["game"].iloc[::6]
    shown = [arena("replay", "contest", number, cwd=tmp_path).stdout for number in some]
    assert all(line in text for text in shown)
    # the games that raised the suspicion need not be of the sample that decided
    assert all("does not count" in text or "This game was not played" in text for text in shown)
    again = arena("resume", "contest", cwd=tmp_path)
    assert "36 games, 0 to play" in again.stderr
    assert "36 games, 0 to play" in arena(*words, cwd=tmp_path).stderr
    assert line in " ".join(again.stdout.split())


@pytest.mark.slow
def test_replay_shows_every_move_and_the_last_board(demo: Path, typed: Typed) -> None:
    game = games_of(demo).query("verdict == 'LINE'").iloc[0]
    shown = succeeded(typed("replay", demo, game["game"]))
    assert shown.count("ply ") == game["plies"] - len(str(game["opening"]).split())
    assert f"{game['winner']} wins: made a line" in shown
    as_json = json.loads(succeeded(typed("replay", demo, game["key"][:8], "--json")))
    assert as_json["moves"] == [int(word) for word in game["moves"].split()]


@pytest.mark.slow
def test_match_prints_game_by_game_and_saves_a_page_with_its_replays(
    tmp_path: Path, bots: Path
) -> None:
    board = ("--rows", 5, "--columns", 5)
    words = ("match", "submissions/bob.py", "random", *board, "--openings", 2)
    done = arena_ok(*words, "--save", "match.html", cwd=tmp_path)
    line = re.compile(r"^game +\d+  (\w+) X, (\w+) O, (\w+) moves after ([^:]*)", re.M)
    lines = line.findall(done.stdout)
    assert len(lines) == 4
    for first, second, mover, opening in lines:
        assert mover == (first, second)[len(opening.split()) % 2]
    assert re.search(r"^bob [\d.]+ : random [\d.]+   \(4 games\)$", done.stdout, re.M)
    assert done.stdout.endswith("match.html: 4 replays\n")
    text = (tmp_path / "match.html").read_text("utf-8")
    assert 'id="chunk-games-0"' in text and "<title>bob – random</title>" in text
    check_saved(tmp_path / "match.html")  # its own page would be replaced


@pytest.mark.slow
def test_match_until_sure_tells_versions_apart_and_saves_the_games_that_counted(
    tmp_path: Path,
) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "bot.py").write_text("def pick_move(rack):\n    return 0\n")
    (tmp_path / "bot.py").write_text(FIRST_FREE)
    (tmp_path / "copy.py").write_text(f"# of bot.py\n{FIRST_FREE}")
    words = ("match", "bot.py", "--against", "old/bot.py", "--until-sure")
    done = arena_ok(*words, "--save", "games.json", cwd=tmp_path)
    assert done.stdout.startswith("bot against old-bot, each opening with both sides:\n")
    told = r"^bot is better than old-bot with a chance of 9\d(\.\d)? % \(.* in (\d+) games\)$"
    games = int(re.search(told, done.stdout, re.M)[2])
    assert games < 60
    assert done.stdout.count("end of the output") <= 1
    assert done.stdout.endswith(f"games.json: {games} games\n")
    listed = json.loads(arena_ok("replay", "games.json", "--json", cwd=tmp_path).stdout)
    assert len(listed) == games
    assert {listed[0]["first"], listed[0]["second"]} == {"bot", "old-bot"}
    (fault, *_) = [str(each["game"]) for each in listed if each["verdict"] == "ILLEGAL_MOVE"]
    shown = arena_ok("replay", "games.json", fault, cwd=tmp_path).stdout
    assert "which is full" in shown and "To play it again" not in shown
    again = arena("replay", "games.json", fault, "--rerun", cwd=tmp_path)
    assert (again.returncode, "--rerun: needs a contest's folder" in again.stderr) == (2, True)
    same = arena_ok("match", "bot.py", "copy.py", "--until-sure", cwd=tmp_path)
    assert same.stdout == "bot and copy are equal: their programs are the same\n"


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("match.txt", "match.txt: the name must end in .html, .json or .pgn"),
        ("no/match.html", "no/match.html: there is no folder no"),
        ("thesis.json", "thesis.json: exists, and is no such file of Arena's; not overwritten"),
        ("thesis.html", "thesis.html: exists, and is no such file of Arena's; not overwritten"),
    ],
)
def test_match_says_where_no_page_can_be_before_it_plays(
    file: str, said: str, tmp_path: Path, bots: Path, typed: Typed
) -> None:
    theses = [tmp_path / "thesis.html", tmp_path / "thesis.json"]
    for thesis in theses:
        thesis.write_text('{"years": "of work"}')
    done = typed("match", "submissions/bob.py", "random", "--save", file)
    assert refused(done) == f"arena: {said}\n"
    assert {thesis.read_text() for thesis in theses} == {'{"years": "of work"}'}


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Three students' submissions as a download from Canvas."""
    tree: Tree = {
        "leeann_101_9001_bot.py": RANDOM,
        "doejane_LATE_102_9002_hw.zip": zipped({"hw/bot.py": RANDOM, "__MACOSX/._bot.py": "junk"}),
        "roecy_103_9003_hw.zip": zipped({"zeros.py": bytes(65 << 20)}),
    }
    return written(tmp_path, {"submissions.zip": zipped(tree)}) / "submissions.zip"


def test_what_was_collected_is_readable_on_a_narrow_screen() -> None:
    ann = CollectedEntry(
        people=(("Ann Lee", "1", ""),), identities=("1",), where="Ann Lee_1_assign", path="Ann Lee"
    )
    team = CollectedEntry(
        people=(("Bo", "2", ""), ("Cy", "3", "")), identities=("2", "3"), where="x", path="Team 1"
    )
    sentence = "handed in again, NOT taken: the folder was changed by hand"
    entries = (
        replace(ann, interface="pick_move", status=f"ok; {sentence}", change="kept"),
        replace(
            team,
            late=True,
            status="refused: it is empty",
            change="kept",
            kept_because="it is no use",
        ),
    )
    console = Console(width=80, file=io.StringIO())
    console.print(collected_table(entries))
    lines = console.file.getvalue().splitlines()
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if "│" in line]
    assert all(len(line) <= 80 for line in lines)
    assert rows[0][0] == "Ann Lee"
    assert "Team 1 (Bo, Cy)" in [row[0] for row in rows]
    status = " ".join(row[3] for row in rows)
    assert status == f"ok; {sentence} refused: it is empty; it is no use"
    assert len(rows) <= 6


def test_collect_takes_the_courses_list_and_prints_json(
    tmp_path: Path, export: Path, typed: Typed
) -> None:
    out = succeeded(typed("collect", "submissions.zip", "--into", "other"))
    assert "hw.zip holds more than 2000 files" in re.sub(r"[\s│]+", " ", out)
    assert "Canvas: 3 submissions, 2 with a bot, 1 refused; other/roster.csv has 3" in out
    (tmp_path / "grades.csv").write_text(
        'Student,ID,SIS User ID,SIS Login ID,Section\n"Lee, Ann",101,,ann@example.edu,A\n'
    )
    words = ("collect", "submissions.zip", "--roster", "grades.csv", "--into", "class", "--json")
    found = json.loads(succeeded(typed(*words)))
    assert {one["path"]: one["people"][0]["late"] for one in found["submissions"]} == {
        "Ann Lee": "no",
        "doejane": "yes",
        "": "no",
    }
    (ann,) = (one for one in found["submissions"] if one["path"] == "Ann Lee")
    assert ann["people"][0]["e-mail"] == "ann@example.edu"
    assert (ann["interface"], ann["status"], ann["change"]) == ("pick_move", "ok", "new")
    again = json.loads(succeeded(typed(*words)))
    assert {one["change"] for one in again["submissions"]} == {"as before"}


PROGRAMS = ("one-move", "lines")


@pytest.mark.parametrize(
    "interface",
    [
        pytest.param(name, marks=pytest.mark.slow if name == "make_move" else ())  # imports numba
        for name in BY_NAME
    ],
)
def test_new_writes_a_bot_that_plays_or_refuses(
    tmp_path: Path, typed: Typed, zygote: Zygote, interface: str
) -> None:
    """In `tests/interfaces` each of them plays whole games."""
    is_program = interface in PROGRAMS
    for name in ["x.c", "my bot.txt", "bot", "b.PY", *["b.ipynb"] * is_program]:
        assert refused(typed("new", name, "--interface", interface)).startswith(
            f"arena: {name}: a bot "
        )
        assert not (tmp_path / name).exists()
    for name in ["my bot.py", *["my notebook.ipynb"] * (not is_program)]:
        said = succeeded(typed("new", name, "--interface", interface))
        assert said.splitlines()[1].strip() == f"arena check {shlex.quote(name)}"
        found = read_submission(tmp_path / name)
        assert (found.problem, found.entry_point.interface) == (None, interface)
        found.copy_to(entered := tmp_path / f"entered{name[-1]}")
        with BotPlayer(zygote, as_entered(found, entered), Limits()) as player:
            assert player.sit(0, Ruleset(), (), 1) is None
            assert not isinstance(player.ask(-1), Fault)
        if name.endswith(".ipynb"):
            nbformat.validate(nbformat.read(tmp_path / name, as_version=4))


@pytest.mark.slow
def test_a_new_bot_passes_the_check_that_is_proposed(tmp_path: Path, typed: Typed) -> None:
    hint = succeeded(typed("new", "my bot.py")).splitlines()[1]
    command = hint.replace("arena check", f"{sys.executable} -m arena check")
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert "It plays without a fault on" in done.stdout, done.stdout + done.stderr
    assert "Interface pick_move," in done.stdout


def test_new_overwrites_nothing_and_hides_no_module(tmp_path: Path, typed: Typed) -> None:
    (tmp_path / "mine.py").write_text(FIRST_FREE)
    code, _, errors = typed("new", "mine.py")
    assert (code, errors) == (2, "arena: mine.py: exists already; name another file\n")
    assert (tmp_path / "mine.py").read_text() == FIRST_FREE
    assert "the course has a module of this name" in refused(
        typed("new", "players.py", "--interface", "make_move")
    )


def test_new_copies_a_demo_bot(tmp_path: Path, typed: Typed) -> None:
    succeeded(typed("new", "mine.py", "--copy", "quartets"))
    assert (tmp_path / "mine.py").read_bytes() == (house_folder() / "quartets.py").read_bytes()
    assert "name it mine.py" in refused(typed("new", "mine.ipynb", "--copy", "quartets"))
    assert "did you mean quartets" in refused(typed("new", "x.py", "--copy", "quartet"))


@pytest.mark.slow
def test_check_fails_for_a_bot_that_cannot_play_and_says_why(tmp_path: Path, bots: Path) -> None:
    (bots / "dave.py").write_text("import torch_x\ndef pick_move(rack): return 99\n")
    (bots / "erin.py").write_text("def pick_move(rack): return 99\n")
    (bots / "finn.py").write_text("import os\ndef pick_move(rack): os.kill(os.getppid(), 9)\n")
    (bots / "alice.py").unlink()
    done = arena("check", "submissions", "--json", "--pages", "pages", cwd=tmp_path)
    assert done.returncode == 1
    found = {row["bot"]: row for row in json.loads(done.stdout)}
    assert found["bob"]["fault"] is found["carol"]["fault"] is None
    assert found["finn"]["fault"] == (
        "raised PermissionError: [Errno 1] Operation not permitted; a bot may not start or signal "
        "processes, use the network, or open files that are not its own (finn.py, line 2), at ply 1"
    )
    assert [missing["module"] for missing in found["dave"]["missing"]] == ["torch_x"]
    assert "No module named 'torch_x'" in found["dave"]["fault"]
    assert found["erin"]["fault"].startswith("returned column 99")
    pages = {page.stem: page.read_text() for page in (tmp_path / "pages").iterdir()}
    assert pages.keys() == found.keys()
    assert all(row["fault"] in pages[bot] for bot, row in found.items() if row["fault"])


@pytest.mark.slow
def test_a_check_of_many_bots_is_a_line_for_each_and_one_for_what_is_wrong(
    tmp_path: Path, bots: Path
) -> None:
    for name in ("alice", "carol"):
        (bots / f"{name}.py").unlink()
    (bots / "dave.py").write_text("import torch_x\n" + FIRST_FREE)
    (bots / "erin.py").write_text("def pick_move(rack): return 3\n")
    done = arena("check", "submissions", cwd=tmp_path)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert all(len(line) <= 100 for line in lines[:8])
    assert [line.split()[:3] for line in lines[3:6]] == [
        ["bob", "yes", "pick_move"],
        ["dave", "no", "pick_move"],
        ["erin", "faults", "pick_move"],
    ]
    assert (
        "dave: could not be loaded: ModuleNotFoundError: No module named 'torch_x'" in done.stdout
    )
    assert "1 of 3 bots can play on 6 rows × 7 columns, connect 4 without a fault" in done.stdout
    assert re.search(r"^ *torch_x +1 +1 +no; a module that was not handed in", done.stdout, re.M)
    assert "to install" not in done.stdout


@pytest.mark.slow
def test_what_could_be_meant_otherwise_and_what_is_the_same_is_said(
    tmp_path: Path, bots: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bots / "alice.py").unlink()
    (bots / "dave").mkdir()
    (bots / "dave" / "bot.py").write_text(FIRST_FREE)
    (bots / "erin.py").write_text(f"# mine\n{LAST_FREE.replace('rack', 'board')}")
    out = succeeded(typed("check", "submissions", "--pages", "pages"))
    assert "the same files: bob, dave\n" in out
    assert "the same except for comments, layout and names: carol, erin\n" in out
    assert not any("bob" in page.read_text() for page in (tmp_path / "pages").glob("[!b]*.md"))
    (bots / "dave" / "bot_old.py").write_text(LAST_FREE)
    chosen = (
        "dave: bot.py plays, and bot_old.py could also be the bot: below "
        '[bots."dave"] the contest file can say file = "bot_old.py"'
    )
    out = succeeded(typed("check", "submissions/dave", "submissions/bob.py", "--pages", "pages"))
    assert chosen in " ".join(out.split())
    assert chosen.partition(": ")[2] in (tmp_path / "pages" / "dave.md").read_text()
    (tmp_path / "wish.toml").write_text('[bots."dave"]\nfile = "bot_old.py"\n')
    Instant.in_place_of_lanes(monkeypatch)
    assert chosen in " ".join(typed(*CONTEST)[2].split())
    code, _, errors = typed(*CONTEST, "--config", "wish.toml")
    assert (code, "could be the bot" in errors) == (0, False)
    assert 'file = "bot_old.py"' in (tmp_path / "contest" / "contest.toml").read_text()


@pytest.mark.slow
def test_a_bot_for_another_board_does_not_take_part_until_it_is_mended(
    tmp_path: Path, bots: Path
) -> None:
    eight = "def pick_move(rack):\n    return [c for c in range(8) if rack[c][-1] == 0][0]\n"
    (bots / "dave.py").write_text(eight)
    why = (
        "cannot play on 6×7, though it can on 8×8: it raised IndexError: tuple index out of range "
        "(dave.py, line 2)"
    )
    words = CONTEST
    first = arena_ok(*words, cwd=tmp_path)
    assert f"dave does not take part: it {why}" in first.stderr
    assert "3 bots, 3 pairings × 1 opening × 2 sides = 6 games" in first.stderr
    assert f"dave does not take part: it {why}" in " ".join(first.stdout.split())
    assert list(pd.read_csv(tmp_path / "contest" / "leaderboard.csv")["bot"].sort_values()) == [
        "alice",
        "bob",
        "carol",
    ]
    assert why in (tmp_path / "contest" / "feedback" / "dave.md").read_text()
    log = (tmp_path / "contest" / "arena.log").read_text()
    entered = "dave is submissions/dave.py, pick_move: pick_move of dave.py"
    assert f"{entered}; it does not take part: it {why}" in log
    lanes = log.count("arena.lane")
    again = arena(*words, cwd=tmp_path)
    assert "6 games, 0 to play" in again.stderr
    assert f"dave does not take part: it {why}" in again.stderr
    assert (tmp_path / "contest" / "arena.log").read_text().count("arena.lane") == lanes
    (bots / "dave.py").write_text(FIRST_FREE)
    assert "12 games, 6 to play" in arena(*words, cwd=tmp_path).stderr
    assert "Rank" in (tmp_path / "contest" / "feedback" / "dave.md").read_text()


@pytest.mark.slow
def test_a_contest_in_which_only_one_bot_can_play_is_refused(tmp_path: Path, bots: Path) -> None:
    for name in ("bob", "carol"):
        (bots / f"{name}.py").write_text("def pick_move(rack):\n    return int(rack[7][0] * 0)\n")
    done = arena("run", "submissions", "--no-house", "--out", "contest", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.endswith("arena: only alice can play on this board; a contest needs two\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        ("--columns", 1),
        ("--rows", 1, "--columns", 1),
        ("--rows", 32, "--columns", 32),
        ("--connect", 2),
        ("--goal", "most"),
        ("--rows", 9, "--columns", 4, "--connect", 3),
    ],
    ids=str,
)
def test_any_board_can_be_played_on(
    tmp_path: Path, bots: Path, options: tuple[object, ...]
) -> None:
    (bots / "alice.py").unlink()
    arena_ok(*CONTEST, *options, "--lanes", 1, cwd=tmp_path)
    games = games_of(tmp_path / "contest")
    assert len(games) == 2
    assert games["verdict"].isin(["LINE", "MOST_LINES", "BOARD_FULL"]).all(), games[
        "reason"
    ].tolist()


def test_a_late_namesake_does_not_take_a_students_name(
    tmp_path: Path, bots: Path, typed: Typed, instant: Instant
) -> None:
    succeeded(typed(*CONTEST))
    bots_in(bots / "alice", bot=RANDOM)
    _, _, errors = typed(*CONTEST)
    assert "submissions/alice takes part as alice-2" in errors
    assert "12 games, 6 to play" in errors
    page = (tmp_path / "contest" / "feedback" / "alice-2.md").read_text()
    assert "Submitted as `bot.py` in `alice`" in page
    (bots / "bob.py").unlink()
    succeeded(typed(*CONTEST))
    pages = {page.stem for page in (tmp_path / "contest" / "feedback").iterdir()}
    assert pages == {"alice", "alice-2", "carol"}


def test_a_contest_is_not_replaced_by_one_that_has_none_of_its_bots(
    tmp_path: Path, bots: Path, typed: Typed, instant: Instant
) -> None:
    words = ("--no-house", "--openings", 1, "--out", "contest")
    succeeded(typed("run", "submissions", *words))
    table = (tmp_path / "contest" / "leaderboard.csv").read_bytes()
    mine = bots_in(tmp_path / "mine", connect4=SLOW)
    for paths in (("mine",), ("mine", "novice"), ("novice", "greedy")):
        now = ", ".join(paths)
        assert refused(typed("run", *paths, *words[1:])) == (
            f"arena: contest: holds a contest of alice, bob, carol; none of them is in this "
            f"contest of {now}; to add bots, name the paths of all; for another contest name "
            "another folder\n"
        )
    with pytest.raises(InputError, match="none of them is in this contest of mine"):
        run_contest([mine, "novice"], tmp_path / "contest", home=True)
    assert (tmp_path / "contest" / "leaderboard.csv").read_bytes() == table
    (bots / "alice.py").write_text(SLOW)
    (bots / "bob.py").unlink()
    bots.rename(tmp_path / "mended")
    code, _, errors = typed("run", "mended", *words)  # carol is as she was
    assert (code, "2 games, 2 to play" in errors) == (0, True)


@pytest.mark.slow
def test_a_match_is_of_a_bot_and_itself_too_and_prints_once_what_was_printed(
    tmp_path: Path, bots: Path
) -> None:
    done = arena("match", *["submissions/bob.py"] * 2, "--openings", 1, cwd=tmp_path)
    assert len(re.findall(r"^game +\d+  ", done.stdout, re.M)) == 2
    assert "bob-1 1 : bob-2 1   (2 games)" in done.stdout
    for folder in ("ann", "ben"):
        (tmp_path / folder).mkdir()
        source = f"def pick_move(rack):\n    print('{folder} thinks')\n    return 1 // 0\n"
        (tmp_path / folder / "bot.py").write_text(source)
    done = arena("match", "ann/bot.py", "ben/bot.py", "--openings", 2, cwd=tmp_path)
    for folder in ("ann", "ben"):
        assert done.stdout.count(f"end of the output of {folder}-bot:") == 1
        assert done.stdout.count(f"            {folder} thinks\n            Traceback") == 1
    (tmp_path / "ann" / "bot.py").unlink()
    done = arena("match", "ann", "random", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("arena: ann: a folder without a bot; a bot is")


BAD = {
    "a results folder with something else in it": (
        ("run", "submissions", "--out", "thesis"),
        "thesis: no contest, but it holds thesis.txt; name another folder",
    ),
    "a contest file that names a bot that is not there": (
        ("run", "submissions", "--config", "wish.toml"),
        "wish.toml:1: [bots.zoe]: there is no bot of that name; did you mean one?",
    ),
    "a program that is not there": (
        ("run", "submissions", "--config", "program.toml"),
        'program.toml:1: [bots.alice] options: interpreter = "python2.1": there is no such',
    ),
    "an empty folder": (("run", "empty"), "empty: no bots here"),
    "a folder with one bot": (
        ("run", "submissions/one", "--no-house"),
        "submissions/one: only one bot (one); a contest needs two",
    ),
    "a folder that is read as one bot": (
        ("run", "two", "--no-house"),
        "two: read as one bot, because bot.py in it is a bot; to read each file as a bot, name "
        "two/*; a contest needs two",
    ),
    "a match of a folder of bots": (
        ("match", "submissions", "random"),
        "submissions: read as a folder of 5 bots, because none of them imports another; name one "
        "of them, like submissions/alice.py, or add --one-bot (one_bot=True in Python)",
    ),
    "a game against a class as it was downloaded": (
        ("play", "download"),
        "download looks like an export of GitHub Classroom; first: "
        "arena collect download --into DIR",
    ),
    "a path that is not there": (("run", "nowhere"), "nowhere: no such file or folder"),
    "an unwritable output folder": (
        ("run", "submissions", "--out", "contest.toml/x"),
        "contest.toml/x: cannot be written to (Not a directory); name another folder",
    ),
    "a contest file with a wrong key": (
        ("run", "submissions", "--config", "contest.toml"),
        "contest.toml:2: [limits] move_secnds: no such key; did you mean move_seconds?",
    ),
    "a contest file that is not there": (
        ("run", "submissions", "--config", "gone.toml"),
        "gone.toml: No such file or directory",
    ),
    "an unknown option": (("run", "--fast"), "No such option"),
    "an unknown command": (("rnu",), "No such command 'rnu'"),
    "more lanes than cores": (
        ("run", "submissions/alice.py", "--lanes", 999),
        "lanes = 999: expected at most ",
    ),
    "resuming what is no contest": (
        ("resume", "submissions"),
        "submissions: no contest in this folder",
    ),
    "replaying what is no contest": (
        ("replay", "nowhere", 1),
        "nowhere: no contest in this folder",
    ),
    "a match against nobody": (("match", "submissions/alice.py", "x.py"), "x.py: no such file"),
    "a match on a board that one bot's kind does not know": (
        ("match", "submissions/program.py", "random", "--preset", "cs4100"),
        "program cannot play on 8 rows × 8 columns, connect 4: the one-move file "
        "format holds a 6×7 board only",
    ),
    "pages where none can be": (
        ("check", "submissions/alice.py", "--pages", "contest.toml/x"),
        "contest.toml/x: cannot be written to (Not a directory)",
    ),
    "checking nothing": (("check", "empty"), "empty: no bots here"),
    "a gauntlet without the house": (
        ("run", "submissions", "--format", "gauntlet", "--no-house"),
        "a gauntlet needs the house players: leave out --no-house",
    ),
    "collecting into somebody's folder": (
        ("collect", "submissions", "--into", "thesis"),
        "thesis: holds thesis.txt, which was not collected; name another folder with --into",
    ),
    "collecting without a place for it": (
        ("collect", "empty"),
        "--into is missing, the folder to write: arena collect empty --into DIR",
    ),
    "collecting what is no export": (
        ("collect", "contest.toml", "--into", "x"),
        "contest.toml: not an export that Arena reads; expected a folder or a .zip",
    ),
    "collecting from an empty folder": (
        ("collect", "empty", "--into", "x"),
        "empty: no submissions here",
    ),
    "collecting with a list that is not there": (
        ("collect", "submissions", "--into", "x", "--roster", "gone.csv"),
        "Invalid value for '--roster'",
    ),
    "a new bot where none can be": (("new", "nowhere/x.py"), "nowhere/x.py: cannot be written to"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_line_and_exit_code_2(
    tmp_path: Path, bots: Path, typed: Typed, case: str
) -> None:
    (tmp_path / "empty").mkdir()
    (bots / "program.py").write_text(starter("one-move"))
    (bots / "one").mkdir()
    (bots / "one" / "bot.py").write_text(FIRST_FREE)
    for path in ("two/bot.py", "two/bot_old.py", "download/hw4-submissions/hw4-ann/bot.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(FIRST_FREE)
    (tmp_path / "contest.toml").write_text("[limits]\nmove_secnds = 5\n")
    (tmp_path / "wish.toml").write_text("[bots.zoe]\noptions = {}\n")
    (tmp_path / "program.toml").write_text(
        '[bots.alice]\ninterface = "one-move"\noptions = { interpreter = "python2.1" }\n'
    )
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.txt").write_text("")
    words, line = BAD[case]
    assert refused(typed(*words)).startswith(f"arena: {line}")


def test_in_a_process_of_its_own_bad_input_comes_to_the_same(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "arena", "rank", "nowhere"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    said = "arena: nowhere: no contest in this folder (it has no contest.toml); name one that"
    assert done.stderr == f"{said} arena run made\n"


def test_no_command_is_kept_waiting_for_what_only_tables_or_the_engine_need() -> None:
    script = """
import sys
from arena.cli import arena
for name in arena.list_commands(None):
    assert arena.get_command(None, name).name == name
print(sorted({"pandas", "numba", "nbformat"} & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.slow
def test_check_and_match_take_the_contest_file_of_a_whole_class(bots: Path) -> None:
    (bots.parent / "class.toml").write_text("[bots.zoe]\noptions = { depth = 3 }\n")
    words = ("submissions/alice.py", "--config", "class.toml")
    checked = arena("check", *words, cwd=bots.parent)
    played = arena("match", *words[:1], "random", *words[1:], "--openings", 1, cwd=bots.parent)
    for done in (checked, played):
        assert done.returncode == 0, done.stderr
        assert "in the contest file but missing: zoe" in done.stderr
