"""Agents: which callable is one, what it gets and may answer."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any

import pytest

from arena.common.errors import UnsuitableError
from arena.game.limits import Limits
from arena.host.meter import find_search
from arena.interfaces import INTERFACES, Adapter, Setup, find_entry
from arena.interfaces.contract import starter
from arena.rules import Ruleset
from support.bots import MakePlayer, first_move

AGENT = INTERFACES["agent"]
ZERO = "def agent(observation, configuration):\n    return 0\n"


def seat(entry: Callable[..., object], **changes: Any) -> Adapter:
    setup: dict[str, Any] = {"rules": Ruleset(), "player": 1, "nodes": None, "options": {}}
    return AGENT.adapt(entry, Setup(**setup | changes))


FOUND = {
    "def my_agent(observation, configuration): pass": "my_agent",
    "def act(obs, config): pass": "act",
    "def act(obs): pass": "act",
    "def negamax_agent(*args): pass": "negamax_agent",
    "def agent(o, c, depth=3): pass": "agent",
    "def random_agent(obs, c): pass\ndef agent2(obs, c): pass": "agent2",
    "def agent(obs, c): pass\ndef drop(grid, col, mark, config): pass": "agent",
    "def agent(obs, c): pass\ndef is_over(grid, config): return config.rows": "agent",
    "def f(o, c): return o.board.index(0) % c.columns": "f",
    "def f(o, c): return o['board'].index(0) % c.get('columns')": "f",
    "def f(o): return o['mark'] in o.get('board')": "f",
    "agent = lambda obs, config: 3": "agent",
    "def search(obs, config): pass\ndef other(obs, config): pass\nbest = search": "search",
    "class Player:\n  def __call__(self, obs, config): pass\nready = Player(3)": "ready",
    "class Agent:\n  def __call__(self, o, c): pass\nready = Agent()": "ready",
    "def agent(o, c): return 3": "agent",
    "def my_agent(state, config): return 3": "my_agent",
    "def agent(obs, c): return 1\ndef agent2(obs, c): pass": "agent",
    "def free(o, c): return o.board[c.columns]\ndef act(x, y): return free(x, y)": "act",
    "def act(x: 'Observation', y): return model(x)": "act",
    "class Mind:\n  def free(self, o): return o.board, o.mark\n"
    "  def __call__(self, x, y): return self.free(x)\nmind = Mind()": "mind",
    "def agent(obs, c): return obs.board\ndef llm_agent(prompt, history): return 3": "agent",
    "def agent(obs, c): return obs.board\ndef human_vs_agent(a, b): return a(b)": "agent",
}

NOT_FOUND = (
    "def f(a, b): pass",
    "def winner(game, depth): return game.board",
    "def is_over(grid, config): return config.rows * config.columns",
    "def score(player, board): return player.mark",
    "def agent(): pass",
    "def agent(observation, configuration, rng): pass",
    "def agent(observation, *, rng): pass",
    "def make_agent(depth): pass",
    "def write_agent_to_file(function, file): pass",
    "def train_agent(env, episodes): pass",
    "class Agent:\n  def __call__(self, obs, config): pass",
    "class Agent:\n  def act(self, obs): pass\nagent = Agent()",
    "agent = load('weights')",
    "from submission import agent",
    "agent = 3",
    "def agent_function(env, agent): return env.last()[0]['action_mask'].index(1)",
    "def agent_function(env, agent): return 3",
    "def human_vs_agent(generate_move_1, generate_move_2=3): return generate_move_1(3)",
    "def agent(board, player=1): return board[0].index(0)",
    "def free(b): return b[0].index(0)\ndef agent(board, player=1): return free(board)",
    "class Agent:\n  def __call__(self, board, player): return 3\nagent = Agent()",
    "def agent(obs, mask): return obs['observation'][0], mask[3]",
    "def chat_agent(message, history): return 'no'",
    "def agent(obs: 'np.ndarray', config): return model(obs)",
)


@pytest.mark.parametrize("source", FOUND, ids=range(len(FOUND)))
def test_the_last_callable_that_looks_like_an_agent_is_entered(source: str) -> None:
    assert AGENT.find(ast.parse(source)) == FOUND[source]


@pytest.mark.parametrize("source", NOT_FOUND, ids=range(len(NOT_FOUND)))
def test_other_functions_are_no_agents(source: str) -> None:
    assert AGENT.find(ast.parse(source)) is None


@pytest.mark.parametrize(
    ("source", "interface"),
    [
        (f"def pick_move(rack): return 0\n{ZERO}", "pick_move"),
        ("def pick_move(rack): return 0\ndef player(board): return 0", "pick_move"),
        (
            "def pick_move(rack): return 0\nclass A:\n def next_move(self, board): print()",
            "pick_move",
        ),
        (starter("agent"), "agent"),
    ],
)
def test_every_other_interface_is_tried_before(source: str, interface: str) -> None:
    entry = find_entry(ast.parse(source))
    assert entry is not None
    assert entry.interface == interface


def test_the_board_is_a_flat_list_with_the_top_row_first() -> None:
    shown = seat(lambda o, c: (o, c), rules=Ruleset(rows=3, columns=4, connect=3), move_seconds=2.5)
    for ply, column in enumerate((1, 1, 3)):
        shown.see(ply % 2, column)
    observation, configuration = shown.pick()  # type: ignore[misc]
    assert observation == {
        "board": [0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 1],
        "mark": 2,
        "step": 3,
        "remainingOverageTime": 0,
    }
    assert configuration == {
        "columns": 4,
        "rows": 3,
        "inarow": 3,
        "timeout": 2.5,
        "actTimeout": 2.5,
        "episodeSteps": 12,
    }


def test_fields_are_read_by_attribute_and_by_key() -> None:
    observation, configuration = seat(lambda o, c: (o, c)).pick()  # type: ignore[misc]
    assert observation.board == observation["board"] == observation.get("board") == [0] * 42
    assert configuration.inarow == dict(configuration)["inarow"] == 4
    assert "mark" in observation
    assert set(observation) == {"board", "mark", "step", "remainingOverageTime"}
    assert not hasattr(observation, "player")
    assert copy.deepcopy(observation).mark == 2
    observation.mark = 1
    assert observation["mark"] == 1
    with pytest.raises(AttributeError, match="there is no 'player', only board, mark"):
        observation.player  # noqa: B018


def test_an_agent_with_one_parameter_gets_the_observation() -> None:
    assert seat(lambda observation: observation.mark).pick() == 2
    assert seat(lambda *both: len(both)).pick() == 2
    with pytest.raises(UnsuitableError, match="takes no options"):
        seat(lambda observation: 0, options={"depth": 3})


@pytest.mark.parametrize(
    "source",
    [
        ZERO + "import kaggle_environments",
        "agent = lambda obs, config: 0\nimport kaggle_environments",
        "class A:\n    def __call__(self, obs, config):\n        return 0\nagent = A()",
        f"agent = 3\n{ZERO}agent = 'played'",
    ],
)
def test_what_was_defined_is_what_plays(source: str, make_player: MakePlayer) -> None:
    player = make_player(source)
    assert first_move(player)[0] == 0


def test_an_agent_is_told_the_contests_clock(make_player: MakePlayer) -> None:
    player = make_player("def agent(obs, c):\n    return int(c.timeout)\n", Limits(move_seconds=4))
    assert first_move(player)[0] == 4


SEARCH = "def search(n):\n    return search(n - 1) if n else 0\n"


@pytest.mark.parametrize(
    "end",
    [
        "agent = lambda obs, config: search(3)",
        "class A:\n    def __call__(self, obs, config):\n        return search(3)\nagent = A()",
    ],
)
def test_the_search_of_what_is_no_function_is_found(end: str) -> None:
    found = find_search({"": ast.parse(SEARCH + end)}, "", "agent", AGENT.MOVES)
    assert str(found) == "search"


def test_an_agent_finds_its_files_where_kaggle_puts_them(make_player: MakePlayer) -> None:
    player = make_player(
        "import os, sys\n"
        "sys.path.append('/kaggle_simulations/agent/')\n"
        "SOURCE = open('/kaggle_simulations/agent/bot.py').read()\n"
        "def agent(observation, configuration):\n"
        "    return int(os.path.isdir('/kaggle_simulations/agent')) + SOURCE.count('sys.path')\n"
    )
    assert first_move(player)[0] == 3
