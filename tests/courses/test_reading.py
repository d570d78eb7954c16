"""When a folder is one bot and when it holds several, and that every way in reads it alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.common.errors import InputError
from arena.courses.collect import collect
from arena.courses.roster import find_roster, find_submission
from arena.intake.submission import Submission
from support.bots import FIRST_FREE
from support.handed_in import Tree, notebook, written, zipped

CLASS = "class ComputerPlayer:\n    def pick_move(self, rack): return 1\n"
ANOTHER = CLASS.replace("ComputerPlayer", "Another")
AI = "class AIPlayer:\n    def next_move(self, board): return 1\n"
HUMAN = "class Player:\n    def next_move(self, board): return int(input())\n"
ALPHA_BETA = "class AlphaBetaPlayer:\n    def make_move(self, board): return 1\n"
AGENT = "def agent(observation, configuration): return 1\n"


PLAYER = notebook("def player(board): return 0")
IMPORTS_BOARD = f"from board import *\n{AI}"

ONE: dict[str, tuple[Tree, str]] = {
    "a file alone": ({"connect4.py": CLASS}, "connect4.py"),
    "the course's game beside it": ({"connect4.py": "print 'x'", "mine.py": CLASS}, "mine.py"),
    "hw07": (
        {"board.py": "x = 1", "hw07_1.py": HUMAN, "hw07_2.py": "x = 1", "hw07_3.py": AI},
        "hw07_3.py",
    ),
    "ps9": (
        {"ps9pr2.py": AI, "ps9pr3.py": "from ps9pr2 import *", "ps9pr4.py": AI, "test.py": "1 +"},
        "",
    ),
    "the make_move course": (
        {"app.py": "x = 1", "board.py": "x = 1", "players.py": ALPHA_BETA},
        "players.py",
    ),
    "its package": (
        {
            "NRow/__init__.py": "",
            "NRow/Board.py": "x = 1",
            "NRow/Players/__init__.py": "",
            "NRow/Players/AlphaBeta.py": ALPHA_BETA,
        },
        "NRow/Players/AlphaBeta.py",
    ),
    "an older one": ({"bot.py": CLASS, "bot_old.py": FIRST_FREE}, "bot.py"),
    "other tries": ({"main.py": CLASS, "mcts.py": ANOTHER, "negamax.py": ANOTHER}, "main.py"),
    "a notebook and its export": ({"HW04.ipynb": PLAYER, "hw04.py": FIRST_FREE}, "hw04.py"),
    "two of one notebook": (
        {"HW04.ipynb": PLAYER, "HW04-Copy1.ipynb": notebook("1")},
        "HW04.ipynb.py",
    ),
    "notes in a notebook": (
        {"submission.py": AGENT, "train.py": "import torch", "plots.ipynb": notebook("print(1)")},
        "submission.py",
    ),
    "two files of a program": (
        {"connect.py": "import Game\n" + CLASS, "Game.py": "x = 1", "input1.txt": "0"},
        "connect.py",
    ),
    "a bot and its packages": (
        {"mine.py": f"import agents.ab\n{CLASS}", "agents/ab.py": ANOTHER, "tests/test_ab.py": "1"},
        "mine.py",
    ),
    "tries that one game plays": ({"play.py": "import a, b", "a.py": CLASS, "b.py": CLASS}, ""),
    "a stray try": (
        {"ours.py": f"import search\n{CLASS}", "search.py": "x = 1", "try.py": CLASS},
        "",
    ),
    "modules that import one another": (
        {
            "one.py": CLASS,
            "two.py": f"from one import *\n{ANOTHER}",
            "three.py": f"from two import *\n{ANOTHER}",
            "test_three.py": "import three",
        },
        "three.py",
    ),
    "src and tests": ({"src/ai.py": CLASS, "tests/test_ai.py": "x = 1"}, "src/ai.py"),
    "several zips": ({"bot.py": CLASS, "a.zip": zipped({}), "b.zip": zipped({})}, "bot.py"),
    "a zip": ({"hw4.zip": zipped({"hw4/bot.py": CLASS}), "report.pdf": "%PDF"}, "hw4/bot.py"),
}  # fmt: skip

SEVERAL: dict[str, tuple[Tree, set[str]]] = {
    "files": ({"ann.py": CLASS, "bo.py": FIRST_FREE, "cy.ipynb": PLAYER}, {"ann", "bo", "cy"}),
    "folders": (
        {"ann/bot.py": CLASS, "bo/connect4.py": CLASS, "cy/x.ipynb": PLAYER},
        {"ann", "bo", "cy"},
    ),
    "zips": ({f"{n}.zip": zipped({f"{n}/bot.py": CLASS}) for n in ("ann", "bo")}, {"ann", "bo"}),
    "all kinds": (
        {"ann.py": CLASS, "bo/bot.py": CLASS, "cy.zip": zipped({"bot.py": CLASS})},
        {"ann", "bo", "cy"},
    ),
    "one level down": ({"hw/ann.py": CLASS, "hw/bo.py": CLASS, "README.md": ""}, {"ann", "bo"}),
    "the course's board beside them": (
        {"ann.py": IMPORTS_BOARD, "bo.py": IMPORTS_BOARD, "cy.py": IMPORTS_BOARD, "board.py": "1"},
        {"ann", "bo", "cy"},
    ),
    "a module of one of them": (
        {"ann.py": "import tree\n" + CLASS, "tree.py": "x = 1", "bo.py": CLASS, "cy.py": CLASS},
        {"ann", "bo", "cy"},
    ),
    "one that is broken": ({"ann.py": CLASS, "bo.py": "def pick_move(rack:"}, {"ann", "bo"}),
    "one that is misspelt": ({"ann.py": CLASS, "bo.py": "def pickmove(rack): 1"}, {"ann", "bo"}),
    "one that is called main": (
        {f"{name}.py": CLASS for name in ("ann", "bo", "cy", "di", "ed", "main")},
        {"ann", "bo", "cy", "di", "ed", "main"},
    ),
    "two that could be either": ({"one.py": CLASS, "two.py": CLASS}, {"one", "two"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def in_class(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Submission]:
    """The bots of a class, each in a folder of one of these kinds."""
    folder = tmp_path_factory.mktemp("class")
    for what, (tree, _) in ONE.items():
        written(folder / what, tree)
    found = {s.source.name: s for s in find_roster([folder]).submissions}
    assert found.keys() == ONE.keys()
    return found


@pytest.mark.parametrize("what", ONE)
def test_a_folder_of_one_persons_files_is_one_bot(
    in_class: dict[str, Submission], what: str
) -> None:
    folder = in_class[what].source
    (alone,) = find_roster([folder]).submissions
    assert alone.entry_point.file == ONE[what][1]
    for other in (find_submission(str(folder)), in_class[what]):
        assert other == replace(alone, contents=other.contents, name=other.name)


@pytest.mark.parametrize("what", SEVERAL)
def test_a_folder_of_bots_holds_a_bot_in_each_of_its_children(tmp_path: Path, what: str) -> None:
    tree, names = SEVERAL[what]
    folder = written(tmp_path / "class", tree)
    roster = find_roster([folder])
    assert {s.name for s in roster.submissions} == names
    assert f"read as a folder of {len(names)} bots" in roster.readings[0]
    with pytest.raises(InputError, match=f"read as a folder of {len(names)} bots.* name one of"):
        find_submission(str(folder))
    collect(folder, tmp_path / "into")
    assert names <= {path.name for path in (tmp_path / "into").iterdir() if path.is_dir()}


@pytest.mark.slow
def test_a_collected_folder_is_the_same_bot_alone_as_among_the_others(tmp_path: Path) -> None:
    for number, (tree, _) in enumerate(SEVERAL.values()):
        written(tmp_path / "class" / f"student{number}", tree)
    written(tmp_path / "class", {"absent/notes.txt": "I was ill."})
    into = tmp_path / "into"
    collect(tmp_path / "class", into)
    among = {s.name: s for s in find_roster([into]).submissions}
    assert len(among) >= len(SEVERAL)
    for name, submission in among.items():
        for alone in (*find_roster([into / name]).submissions, find_submission(str(into / name))):
            assert alone == replace(submission, source=alone.source, contents=alone.contents)
    by_hand = find_roster([into / name for name in among]).submissions
    assert [s.name for s in by_hand] == list(among)


def test_a_folder_in_a_contest_is_read_as_it_was(tmp_path: Path) -> None:
    folder = written(tmp_path / "class", {"ann.py": CLASS, "bo.py": CLASS})
    known = {str(folder / "ann.py"): "ann", str(folder / "bo.py"): "bo"}
    written(folder, {"main.py": CLASS})
    assert [s.name for s in find_roster([folder]).submissions] == ["class"]
    assert len(find_roster([folder], known).submissions) == 3
    written(folder, {f"{name}.py": CLASS for name in "defgh"})
    assert len(find_roster([folder]).submissions) == 8
    assert len(find_roster([folder], {str(folder): "ours"}).submissions) == 1
    assert [s.name for s in find_roster([folder], one_bot=True).submissions] == ["class"]
    assert find_submission(str(folder), one_bot=True).name == "class"


def test_what_a_shell_makes_of_a_folder_and_a_star_is_taken(tmp_path: Path) -> None:
    tree = {"bot.py": CLASS, "bot_old.py": CLASS, "README.md": "", "x.docx": "", "d/x.csv": ""}
    folder = written(tmp_path / "mine", {**tree, "__init__.py": "", "__pycache__/x.pyc": ""})
    roster = find_roster(sorted(folder.iterdir()))
    assert {s.name for s in roster.submissions} == {"bot", "bot_old"}
    ignored = [line.rpartition("/")[2] for line in roster.ignored]
    assert ignored == ["d (a folder without a bot)", "x.docx (not a bot)"]


def test_a_folder_with_archives_is_told_what_opens_them(tmp_path: Path) -> None:
    packed = zipped({"bot.py": CLASS})
    tree: Tree = {"ann/a.zip": packed, "ann/b.zip": packed, "bo/x.rar": "Rar!", "cy/z.py": CLASS}
    folder = written(tmp_path / "class", tree)
    problems = {s.name: s.problem for s in find_roster([folder]).submissions}
    assert problems == {
        "ann": "there is no Python file or notebook in it, only a.zip, b.zip: unpack the "
        "archive, or let arena collect do it",
        "bo": "x.rar is of a kind that Arena does not open; hand in a .zip",
        "cy": None,
    }
    collect(folder, tmp_path / "into")
    assert sorted(path.name for path in (tmp_path / "into" / "ann").iterdir()) == ["a", "b"]


CLONES: Tree = {f"hw4-submissions/hw4-{name}/bot.py": CLASS for name in ("ann", "bo")}
GRADESCOPE: Tree = {
    "export/submission_metadata.yml": "submission_1:\n  :submitters:\n  - :name: Ann\n",
    "export/submission_1/bot.py": CLASS,
}
CANVAS: Tree = {f"{name}_10{n}_200_bot.py": CLASS for n, name in enumerate(("ann", "bo"))}
MOODLE: Tree = {f"A {n}_10{n}_assignsubmission_file_/b.py": CLASS for n in range(3)}
DOWNLOADS: dict[str, tuple[Tree, str, str]] = {
    "clones": (CLONES, "hw4-submissions", "GitHub Classroom"),
    "clones one level down": (CLONES, "", "GitHub Classroom"),
    "with a note beside": ({**CLONES, "README.md": ""}, "", "GitHub Classroom"),
    "Gradescope's one level down": (GRADESCOPE, "", "Gradescope"),
    "Canvas's": (CANVAS, "", "Canvas"),
    "Moodle's": (MOODLE, "", "Moodle"),
    "Moodle's as it comes": ({"x.zip": zipped(MOODLE)}, "x.zip", "Moodle"),
    "Gradescope's as it comes": ({"x.zip": zipped(GRADESCOPE)}, "x.zip", "Gradescope"),
    "Canvas's in a folder": ({"submissions.zip": zipped(CANVAS)}, "", "Canvas"),
}


@pytest.mark.parametrize("what", DOWNLOADS)
def test_every_command_recognizes_a_download(tmp_path: Path, what: str) -> None:
    tree, inside, system = DOWNLOADS[what]
    path = written(tmp_path / "download", tree) / inside
    for find in (lambda: find_roster([path]), lambda: find_submission(str(path))):
        with pytest.raises(InputError, match=f"looks like an export of {system}") as error:
            find()
    advice = str(error.value).partition("; first: arena collect ")[2].removesuffix(" --into DIR")
    assert collect(Path(advice), tmp_path / "into").kind == system


def test_a_students_folder_that_looks_like_a_download_stops_nobody_else(tmp_path: Path) -> None:
    folder = written(tmp_path, {"ann/bot.py": CLASS, "bo/submission_metadata.yml": "", **CLONES})
    written(folder / "bo", {"x.py": "1"})
    problems = {s.name: s.problem for s in find_roster([folder]).submissions}
    assert problems["ann"] is None
    assert "it looks like an export of Gradescope" in (problems["bo"] or "")
    assert "it looks like an export of GitHub" in (problems["hw4-submissions"] or "")


def test_what_is_left_out_is_named_up_to_twenty_and_then_counted(tmp_path: Path) -> None:
    notes: Tree = {f"notes{number:02}.docx": "" for number in range(22)}
    folder = written(tmp_path / "class", {"ann.py": CLASS, "bo.py": CLASS, **notes})
    _, *lines = find_roster([folder]).remarks()
    assert len(lines) == 21
    assert lines[19].endswith("notes19.docx (not a bot)")
    assert lines[20] == "left out: 2 more that are no bots"
