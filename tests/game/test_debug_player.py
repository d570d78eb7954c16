"""A bot in this process: the answers of its own process, its files, its errors."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.game.bot_player import BotPlayer
from arena.game.debug_player import DebugPlayer, Profile, function_times
from arena.game.limits import Limits
from arena.game.player import Answer, Fault
from arena.game.record import Bot
from arena.game.starter import Starter
from arena.game.verdict import Verdict
from arena.intake.submission import read_submission
from arena.rules import Ruleset
from support.bots import MakeBot, as_entered, first_answer

CORPUS = Path(__file__).parents[1] / "corpus" / "bots"

# A bot of each interface whose bots are Python: of Arena's own and of courses.
BOTS = [
    *sorted(path.name for path in CORPUS.glob("course_*") if path.stem != "course_383"),
    "HW04.ipynb",
    "contest_cell_needs_the_prelude.ipynb",
    "hw07_3.py",
    "is_a_kaggle_agent.py",
    "is_a_package",
    "is_zipped.zip",
    "ps9",
    "searches_by_the_courses_heuristic",
    "unwinds_above_its_budget.py",
]
EIGHT = Ruleset(rows=8, columns=8)


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Undo what a loader changes in its process, which usually ends with the bot."""
    monkeypatch.delitem(sys.modules, "game", raising=False)  # this folder; a course has one too
    modules = dict(sys.modules)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "path_hooks", [*sys.path_hooks])
    monkeypatch.setattr(builtins, "compile", compile)
    monkeypatch.setattr(builtins, "exec", exec)
    limit = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(limit)
    for name in sys.modules.keys() - modules.keys():
        del sys.modules[name]


def here(bot: Bot, limits: Limits | None = None) -> DebugPlayer:
    return DebugPlayer(bot, limits or Limits(), Path(bot.root))


def column_and_nodes(answer: Answer | Fault) -> tuple[int, int]:
    assert not isinstance(answer, Fault), answer.reason
    return answer[0], answer[2]


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_of_each_interface_answers_as_in_its_own_process(
    name: str, zygote: Starter, tmp_path: Path
) -> None:
    found = read_submission(CORPUS / name)
    found.copy_to(tmp_path / "bot")
    bot = as_entered(found, tmp_path / "bot")
    rules = EIGHT if name.endswith(".ipynb") else Ruleset()
    opening = () if name == "course_irvine.py" else (3, 3, 4)
    game = len(opening) % 2, rules, opening
    with BotPlayer(zygote, bot, Limits()) as player:
        expected = column_and_nodes(first_answer(player, *game))
    player_here: Any = here(bot)
    assert column_and_nodes(first_answer(player_here, *game)) == expected


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("def pick_move(rack):\n    return 9 // 0\n", Verdict.ERROR),
        ("def pick_move(rack):\n    return 'left'\n", Verdict.ILLEGAL_MOVE),
        ("import nowhere\ndef pick_move(rack):\n    return 0\n", Verdict.LOAD_ERROR),
        ("def f(n):\n    return f(n) + f(n)\ndef pick_move(r):\n    return f(0)\n", Verdict.NODES),
        ("x = 1\n", Verdict.LOAD_ERROR),
        ("def pick_move(rack):\n    raise SystemExit\n", Verdict.ERROR),
    ],
)
def test_a_fault_is_the_one_of_a_contest(
    source: str, verdict: Verdict, make_bot: MakeBot, zygote: Starter
) -> None:
    bot, limits = make_bot(source), Limits(nodes=50)
    with BotPlayer(zygote, bot, limits) as player:
        expected = first_answer(player)
    found: Any = here(bot, limits)
    fault = first_answer(found)
    assert isinstance(fault, Fault) and isinstance(expected, Fault)
    assert (fault.verdict, fault.reason) == (expected.verdict, expected.reason)
    assert fault.verdict is verdict


def test_an_error_is_shown_with_the_authors_lines_only(
    make_bot: MakeBot, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = make_bot("import json\ndef pick_move(rack):\n    print('hm')\n    json.loads('{')\n")
    player: Any = here(bot)
    assert isinstance(first_answer(player), Fault)
    shown = capsys.readouterr().out
    assert shown.startswith("hm\nTraceback (most recent call last):\n")
    assert f'File "{bot.root}/bot.py", line 4, in pick_move\n    json.loads(' in shown
    assert shown.count("File ") == 1
    assert "\njson.decoder.JSONDecodeError: Expecting property name" in shown


def test_a_file_beside_a_shared_folders_bot_stays_loaded_and_is_not_searched(
    make_bot: MakeBot,
) -> None:
    source = "import shared\ndef pick_move(rack):\n    shared.times.append(1)\n"
    bot = make_bot(
        f"{source}    return len(shared.times)\n",
        file_shared="times = []\ndef f():\n    f()\n    f()\n",
    )
    own = [f"{bot.root}/bot.py"]
    player: Any = DebugPlayer(bot, Limits(), Path(bot.root), own)
    assert [column_and_nodes(first_answer(player)) for _ in range(2)] == [(1, -1), (2, -1)]


def test_a_profile_has_the_bots_functions_and_those_that_they_call(make_bot: MakeBot) -> None:
    bot = make_bot(
        "def twice(x):\n    return max(x, x)\n"
        "def pick_move(rack):\n    return [twice(c) for c in range(3)][0]\n"
    )
    player: Any = here(bot)
    player.profile = Profile()
    assert not isinstance(first_answer(player), Fault)
    own, others = function_times(player.profile, Path(bot.root))
    assert {(each.name, each.place, each.calls) for each in own} == {
        ("twice", "bot.py:1", 3),
        ("pick_move", "bot.py:3", 1),
        ("pick_move.<locals>.<listcomp>", "bot.py:4", 1),
    }
    assert list(others) == ["<built-in method builtins.max>"]
