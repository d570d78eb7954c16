"""Which file of a submission plays: never a course's own opponent, driver or test."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.intake.facts import chosen_values
from arena.intake.submission import read_submission
from support.handed_in import Tree, written

AGENT = "def agent(observation, configuration):\n    return 3\n"
TESTS = "from agent import agent\ndef test_it():\n    pass\ndef my_agent(obs, config): return 3\n"
PCP = "def generate_move(board, player, saved_state):\n    return 3, None\n"
DRIVER = """
from agents.agent_mine import generate_move
def user_move(board, player, saved_state):
    return int(input()), saved_state
def human_vs_agent(generate_move_1, generate_move_2=user_move, player_1="1", player_2="2"):
    pass
human_vs_agent(generate_move)
"""
RANDOM = """
class Player:
    def next_move(self, board): return int(input())
class RandomPlayer(Player):
    def next_move(self, board): return board.width - 1
"""
STUB = "class AIPlayer(Player):\n    def next_move(self, board): pass\n"
MADE = "class AIPlayer(Player):\n    def next_move(self, board): return 1\n"
DAVIS = "class AIPlayer:\n    def get_alpha_beta_move(self, b): return 1\n"
GAME = "from Player import AIPlayer\nclass Game:\n    def make_move(self): pass\n"

FOLDERS: dict[str, tuple[Tree, str]] = {
    "tests": ({"agent.py": AGENT, "test_agent.py": TESTS, "tests/more.py": AGENT}, "agent.py"),
    "conftest": ({"agent.py": AGENT, "conftest.py": "def player(board): return 1\n"}, "agent.py"),
    "a name like a test's": ({"my_test.py": AGENT, "board.py": "x = 1\n"}, "my_test.py"),
    "driver": (
        {
            "main.py": DRIVER,
            "agents/agent_random/random.py": PCP,
            "agents/agent_mine/mine.py": PCP,
            "tests/test_mine.py": "from agents.agent_mine import generate_move\n" + PCP,
        },
        "agents/agent_mine/mine.py",
    ),
    "framework": ({"ConnectFour.py": GAME, "Player.py": DAVIS}, "Player.py"),
    "random": ({"players.py": RANDOM + MADE}, "players.py"),
    "only random": ({"players.py": RANDOM}, "players.py"),
    "user": ({"UserPlayer.py": DAVIS, "superhuman_ai.py": DAVIS}, "superhuman_ai.py"),
    "human": ({"humanplayer.py": DAVIS, "randomized.py": DAVIS}, "randomized.py"),
    "dummy": ({"MyDummy.py": DAVIS, "noninteractive.py": DAVIS}, "noninteractive.py"),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_courses_opponent_driver_or_test_is_not_the_bot(tmp_path: Path, name: str) -> None:
    tree, file = FOLDERS[name]
    read = read_submission(written(tmp_path / "ann", tree))
    assert (read.problem, read.entry_point.file) == (None, file)


def test_tests_are_not_offered_as_bots(tmp_path: Path) -> None:
    read = read_submission(written(tmp_path / "ann", FOLDERS["tests"][0]))
    assert read.others == ()


def test_a_courses_opponent_does_not_play_for_an_unwritten_bot(tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text(RANDOM + STUB)
    assert read_submission(tmp_path / "ann.py").problem == (
        "ann.py: AIPlayer is not written yet, and RandomPlayer is an opponent"
    )


@pytest.mark.parametrize(
    "source", [AGENT, PCP, DAVIS, RANDOM + STUB, "def best(board): return 1\n"]
)
def test_a_folder_and_its_single_file_give_the_same_answer(tmp_path: Path, source: str) -> None:
    folder = read_submission(written(tmp_path / "ann", {"bot.py": source}))
    file = read_submission(tmp_path / "ann" / "bot.py")
    assert (folder.problem, folder.entry_point) == (file.problem, file.entry_point)


def test_a_submission_that_fits_several_interfaces_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text(AGENT + DAVIS)
    assert read_submission(tmp_path / "ann.py").notes == (
        "it plays as agent; it could also be `AIPlayer` of ecs170a: the contest file can say "
        'which, as interface = "agent"',
    )


def test_a_submission_without_a_bot_is_given_no_values(tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text("x = 1\n")
    assert chosen_values(read_submission(tmp_path / "ann.py"), {}) == {}


def test_modules_of_the_course_that_are_not_included_are_listed() -> None:
    bot = Path(__file__).parents[1] / "corpus" / "bots" / "course_mit.py"
    (note,) = read_submission(bot).notes
    assert note.startswith("`basicplayer.py`, `connectfour.py` and `util.py` are not included;")
