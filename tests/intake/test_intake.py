"""From paths to a roster: what is a bot, what is not, and what is wrong with it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from arena.common.errors import InputError
from arena.common.names import house_folder
from arena.contest.entries import enter
from arena.courses.roster import find_roster, find_submission
from arena.intake.house_players import house_submissions
from arena.intake.submission import read_submission
from arena.interfaces import Overrides
from arena.settings.contest import Contest
from arena.settings.file import read_contest_file
from support.bots import FIRST_FREE
from support.handed_in import Tree, notebook, written, zipped

CLASS = "class {}:\n    def pick_move(self, rack): return 0\n"


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def problem(path: Path, overrides: Overrides | None = None) -> str:
    return read_submission(path, overrides).problem or ""


def test_a_folder_of_bots_gives_a_bot_for_each_file_and_folder(tmp_path: Path) -> None:
    folder = write(tmp_path, alice=FIRST_FREE, bob=CLASS.format("ComputerPlayer"))
    write(tmp_path / "carol", bot=FIRST_FREE, helper="x = 1")
    (tmp_path / "notes.md").write_text("not a bot")
    (tmp_path / "homework.docx").write_text("{}")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link.py").symlink_to("/etc/passwd")
    write(tmp_path / "__pycache__", alice="")
    roster = find_roster([folder, folder / "alice.py"])
    assert [s.name for s in roster.submissions] == ["alice", "bob", "carol"]
    assert [(s.entry_point.file, s.entry_point.name) for s in roster.submissions] == [
        ("alice.py", "pick_move"),
        ("bob.py", "ComputerPlayer"),
        ("bot.py", "pick_move"),
    ]
    assert [text.split("/")[-1] for text in roster.ignored] == [
        "empty (a folder without a bot)",
        "homework.docx (not a bot)",
        "link.py (a symbolic link)",
    ]


def test_the_class_to_enter_is_computer_player_else_the_last(tmp_path: Path) -> None:
    write(tmp_path, a=CLASS.format("ComputerPlayer") + CLASS.format("Other"))
    write(tmp_path, b=CLASS.format("Base") + "class Mine(Base):\n    pass\n")
    assert read_submission(tmp_path / "a.py").entry_point.name == "ComputerPlayer"
    assert read_submission(tmp_path / "b.py").entry_point.name == "Mine"


def test_the_content_hash_follows_names_and_bytes(tmp_path: Path) -> None:
    one = read_submission(write(tmp_path / "a", bot=FIRST_FREE)).content_hash
    assert read_submission(write(tmp_path / "b", bot=FIRST_FREE)).content_hash == one
    assert read_submission(write(tmp_path / "c", bot=FIRST_FREE + "#")).content_hash != one
    assert read_submission(write(tmp_path / "d", bat=FIRST_FREE)).content_hash != one


def test_names_are_unique_and_harmless(tmp_path: Path) -> None:
    for name in ("=cmd()", "-x", "a/Bot", "b/bot", "ü b", "[red]", "line\nbreak"):
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(FIRST_FREE)
    paths = sorted(tmp_path.rglob("*.py"))
    names = [s.name for s in find_roster(paths).submissions]
    assert sorted(names) == ["_cmd()", "_red_", "a-Bot", "b-bot", "line_break", "x", "ü b"]
    assert find_submission(str(tmp_path / "[red].py")).name == "_red_"
    # nobody takes the name of one who has it
    written(tmp_path / "c", dict.fromkeys(("honest.py", "honest .py", "-honest.py"), FIRST_FREE))
    taken = {bot.source.name: bot.name for bot in find_roster([tmp_path / "c"]).submissions}
    assert taken["honest.py"] == "honest"
    assert sorted(taken.values()) == ["honest", "honest-2", "honest-3"]


def test_names_of_the_house_and_names_in_use_are_kept_free(tmp_path: Path) -> None:
    folder = write(tmp_path, random=FIRST_FREE, Reference=FIRST_FREE, alice=FIRST_FREE)
    names = {s.source.name: s.name for s in find_roster([folder]).submissions}
    taken = {"random.py": "random-2", "Reference.py": "Reference-2"}
    assert names == {**taken, "alice.py": "alice"}
    write(tmp_path / "alice", bot=FIRST_FREE)
    known = {str(folder / "alice.py"): "alice"}
    again = {s.source.name: s.name for s in find_roster([folder], known).submissions}
    assert again["alice.py"] == "alice"
    assert again["alice"] == "alice-2"


def test_no_file_can_stop_the_others_from_being_read(tmp_path: Path) -> None:
    folder = write(tmp_path, alice=FIRST_FREE)
    (folder / "x.py").mkdir()
    (folder / "x.py" / "bot.py").write_text(FIRST_FREE)
    os.mkfifo(folder / "pipe.py")
    (folder / os.fsdecode(b"bo\xffb.py")).write_text(FIRST_FREE)
    (folder / "\x1b[2Jnew\nline.py").write_text("")
    (folder / "coding.py").write_text(f"# coding: {'z' * 100_000}\n")
    (folder / "long.py").write_text(
        "class " + "A" * 70_000 + ":\n    def pick_move(self, rack): pass"
    )
    roster = find_roster([folder])
    assert [text.split("/")[-1] for text in roster.ignored] == [
        "bo b.py (its name is not valid UTF-8)",
        "pipe.py (not a regular file)",
    ]
    problems = {s.name: s.problem for s in roster.submissions}
    assert set(problems) == {"_[2Jnew_line".replace("[", "_"), "alice", "coding", "long", "x.py"}
    for problem in problems.values():
        assert problem is None or (problem.isprintable() and len(problem) <= 300)
    assert "is too long" in (problems["long"] or "")


def test_a_name_that_is_not_utf_8_does_not_stop_the_files_named_with_it(tmp_path: Path) -> None:
    folder = write(tmp_path, alice=FIRST_FREE, zed=FIRST_FREE)
    (folder / os.fsdecode(b"bo\xffb.py")).write_text(FIRST_FREE)
    roster = find_roster(sorted(folder.iterdir()))  # as a shell names them
    assert [bot.name for bot in roster.submissions] == ["alice", "zed"]
    (ignored,) = roster.ignored
    assert ignored.endswith("(its name is not valid UTF-8)") and ignored.isprintable()


def test_an_unreadable_file_harms_one_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path, alice=FIRST_FREE, zed=FIRST_FREE)
    access = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: "zed" not in str(path) and access(path, mode)
    )
    problems = {s.name: s.problem for s in find_roster([folder]).submissions}
    assert problems == {"alice": None, "zed": "zed.py cannot be read"}


def test_paths_that_are_no_bots_are_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "x.docx").write_text("")
    for path, reason in (("gone", "no such file"), ("x.docx", "not a bot")):
        with pytest.raises(InputError, match=reason):
            find_roster([tmp_path / path])
    strange = tmp_path / os.fsdecode(b"inv\xff.py")
    strange.write_text(FIRST_FREE)
    cases = (("/dev/zero", "neither a file nor a folder"), (strange, "not valid UTF-8"))
    for path, reason in cases:
        for find in (lambda path: find_roster([path]), lambda path: find_submission(str(path))):
            with pytest.raises(InputError, match=reason):
                find(Path(path))
    with pytest.raises(
        InputError, match=r"house players: random, reference, sparring-1, .*, greedy, "
    ):
        find_submission(str(tmp_path / "gone"))


def test_arenas_bots_are_named_like_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [player.name for player in house_submissions()] == ["random", "reference"]
    assert find_submission("quartets").entry_point.name == "ComputerPlayer"
    assert [bot.name for bot in find_roster([Path("quartets")]).submissions] == ["quartets"]
    write(tmp_path / "quartets", mine=FIRST_FREE)
    assert find_submission("quartets").entry_point.name == "pick_move"
    with pytest.raises(InputError, match=r"demo bots: .*quartets"):
        find_roster([Path("nobody")])
    with pytest.raises(InputError, match=r"^quartet: no such file .* \(did you mean quartets\?\)$"):
        find_roster([Path("quartet")])
    write(tmp_path / "folder", alice=FIRST_FREE, Novice=FIRST_FREE, master=FIRST_FREE)
    roster = find_roster([Path("folder"), Path("novice"), Path("perfect")])
    assert [player.name for player in roster.house] == ["novice", "perfect"]
    assert all(player.house and player.entry_point.engine for player in roster.house)
    assert roster.house[0].entry_point.options == {"nodes": 200}
    assert {s.source.stem: s.name for s in roster.submissions} == {
        "alice": "alice",
        "Novice": "Novice-2",
        "master": "master-2",  # nobody named it, but the next time somebody may
    }
    write(tmp_path, master=FIRST_FREE)
    assert not find_submission("master.py").house
    assert find_submission("master").entry_point == replace(
        find_submission("reference").entry_point, options={"nodes": 100_000}
    )
    assert find_submission("random").problem is None
    assert find_submission("random").entry_point.engine is None


def test_an_exact_copy_of_the_reference_is_the_house_player(tmp_path: Path) -> None:
    source = (house_folder() / "reference.py").read_text()
    folder = write(tmp_path, reference=source, copied=source)
    assert find_submission(str(folder / "reference.py")).house
    assert not find_submission(str(folder / "copied.py")).house
    (folder / "reference.py").write_text(f"{source}#")
    names = {s.name: s.house for s in find_roster([folder]).submissions}
    assert names == {"copied": False, "reference-2": False}


def test_a_tree_that_no_student_grew_is_its_bots_problem_and_nobody_elses(tmp_path: Path) -> None:
    write(tmp_path, alice=FIRST_FREE)
    for name, depth, length in (("deep", 900, 2), ("long", 3, 240)):
        folder = write(tmp_path / name, bot=FIRST_FREE)
        descriptor = os.open(folder, os.O_RDONLY)
        for _ in range(depth):
            os.mkdir("d" * length, dir_fd=descriptor)
            below = os.open("d" * length, os.O_RDONLY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
        os.close(descriptor)
    found = {s.name: s for s in find_roster([tmp_path]).submissions}
    assert found["alice"].problem is None
    for name in ("deep", "long"):
        assert found[name].problem == "a path in its folder is longer than 500 characters"


GAME = "while True:\n    player(int(input('column? ')))"
CONTEST = "# Solution for Problem Three\ndef player(board):\n    return helper(board)\n"


def test_a_notebook_is_a_bot_with_what_it_plays_with_said(tmp_path: Path) -> None:
    text = notebook("def helper(board):\n    return 3", GAME, CONTEST)
    (tmp_path / "HW04.ipynb").write_text(text)
    bot = find_roster([tmp_path / "HW04.ipynb"]).submissions[0]
    point = bot.entry_point
    assert (bot.name, point.interface, point.name) == ("HW04", "player", "player")
    assert bot.notes == (
        "uses `player` from HW04.ipynb: the contest cell (cell 3) "
        "after the notebook's own definitions",
    )
    bot.copy_to(tmp_path / "copy")
    assert (tmp_path / "copy" / "HW04.ipynb").read_text() == text
    played = (tmp_path / "copy" / point.file).read_text()
    assert "def helper" in played
    assert "input" not in played


def test_python_files_go_before_a_notebook_unless_the_contest_file_says(tmp_path: Path) -> None:
    folder = write(tmp_path / "x", bot=FIRST_FREE)
    text = notebook(CONTEST.replace("helper(board)", "0"))
    (folder / "draft.ipynb").write_text(text)
    assert read_submission(folder).entry_point.file == "bot.py"
    assert "not among its files" in problem(folder, Overrides(file="three.py"))
    draft = read_submission(folder, Overrides(file="draft.ipynb"))
    assert draft.entry_point.file == "draft.ipynb.py"
    (folder / "bot.py").write_text("import numpy")
    assert read_submission(folder).entry_point.file == "draft.ipynb.py"
    (folder / "bot.py").write_text(text)  # a notebook under another name
    assert read_submission(folder, Overrides(file="bot.py")).entry_point.file == "bot.ipynb.py"


PLAYER = notebook("def player(board): return 0")
SEVERAL = {
    "an older one": ({"bot.py": FIRST_FREE, "bot_old.py": FIRST_FREE}, "bot.py", {"bot_old.py"}),
    "a notebook": ({"bot.py": FIRST_FREE, "HW 04.ipynb": PLAYER}, "bot.py", {"HW 04.ipynb"}),
    "a notebook called py": ({"a.py": FIRST_FREE, "b c.py": PLAYER}, "a.py", {"b c.py"}),
    "two notebooks": ({"a.ipynb": PLAYER, "b.ipynb": PLAYER}, None, {"a.ipynb"}),
    "two notebooks called py": ({"a.py": PLAYER, "b.py": PLAYER}, None, {"a.py"}),
    "two files": ({"a.py": FIRST_FREE, "b.py": FIRST_FREE}, None, {"a.py"}),
    "another class": (
        {"x.py": CLASS.format("ComputerPlayer"), "y.py": CLASS.format("Y"), "z.py": FIRST_FREE},
        "x.py",
        {"y.py", "z.py"},
    ),
    "none": (
        {"mine.py": "import base\n" + FIRST_FREE, "base.py": FIRST_FREE, "n.ipynb": notebook("1")},
        "mine.py",
        set(),
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("what", "name"),
    [*((what, "ann") for what in SEVERAL), ("a notebook", 'An "X" Lee'), ("two files", "a=b")],
)
def test_of_several_bots_the_others_are_named(tmp_path: Path, what: str, name: str) -> None:
    files, played, others = SEVERAL[what]
    for child in (tmp_path / name, tmp_path / "zoe"):
        child.mkdir()
        for file, text in files.items():
            (child / file).write_text(text)
    bot = next(s for s in find_roster([tmp_path]).submissions if s.name[0].casefold() == "a")
    assert (bot.file_as_known or None) == played
    said = bot.choice or bot.problem or ""
    assert set(bot.others) == (others if played else set())
    for other in others:
        assert other in said
    if not others:
        assert (bot.choice, bot.problem) == (None, None)
        return
    heading = said.partition("below ")[2].partition("]")[0] + "]"
    advice = "file = " + said.rpartition("file = ")[2]
    (tmp_path / "contest.toml").write_text(f"{heading}\n{advice}\n")
    _, chosen = enter(read_contest_file(tmp_path / "contest.toml", Contest()), (bot,), ())
    assert chosen[bot.name].problem is None
    assert chosen[bot.name].file_as_known in others
    assert (chosen[bot.name].name, chosen[bot.name].choice) == (bot.name, None)


def test_an_archive_is_a_bot_like_the_folder_in_it(tmp_path: Path) -> None:
    tree: Tree = {"hw/bot.py": "import helper\n" + FIRST_FREE, "hw/helper.py": "x = 1"}
    packed = zipped({**tree, "__MACOSX/hw/._bot.py": "junk"})
    written(tmp_path, {"ann.zip": packed, "bob.rar": b"Rar!..."})
    ann, bob = find_roster([tmp_path]).submissions
    assert (ann.name, ann.entry_point.file) == ("ann", "hw/bot.py")
    assert ann.files == ("hw/bot.py", "hw/helper.py")
    assert bob.problem == "bob.rar is of a kind that Arena does not open; hand in a .zip"
    ann.copy_to(tmp_path / "copy")
    assert (tmp_path / "copy" / "hw" / "helper.py").read_text() == "x = 1"
    assert read_submission(tmp_path / "copy").content_hash == ann.content_hash
