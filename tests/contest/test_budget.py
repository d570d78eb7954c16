"""The node budget applies to bots whose courses have one, or to all on request."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.cli.options import contest_from
from arena.contest.entries import bots_by_name, without_budget
from arena.game.limits import Limits
from arena.game.verdict import Verdict
from arena.interfaces import EntryPoint
from arena.report.screen.lines import budget_lines
from arena.rules import Ruleset
from arena.settings.contest import BotEntry, Contest
from arena.settings.file import read_recorded, write_contest_file
from support.bots import MakePlayer, key

OPTIONS = dict.fromkeys(
    ("preset", "config", "rows", "columns", "connect", "goal", "move_seconds", "nodes")
)
ENTRIES = {
    name: BotEntry(
        entry_point=EntryPoint(file="bot.py", interface=name, name="agent"), content_hash=name
    )
    for name in ("agent", "make_move", "one-move")
}


def contest(text: str, tmp_path: Path, **options: object) -> Contest:
    file = tmp_path / "contest.toml"
    file.write_text(text)
    base = contest_from(Contest(), OPTIONS | options | {"config": file})
    entered = {
        name: replace(
            ENTRIES[name],
            entry_point=replace(
                ENTRIES[name].entry_point, node_function=bot.overrides.node_function
            ),
        )
        for name, bot in base.bots.items()
    }
    return replace(base, bots=ENTRIES | entered)


@pytest.mark.parametrize(
    ("text", "options", "unlimited"),
    [
        ("", {}, ("agent",)),
        ('preset = "cs4100"\n[limits]\nmove_seconds = 2\n', {}, ("agent",)),
        ("", {"nodes": 10_000}, ()),
        ("[limits]\nnodes = 10000\n", {}, ()),
        ("[limits]\nnodes = 500\nnodes_for_all = false\n", {}, ("agent",)),
        ("", {"nodes": 0}, ()),
        (
            '[bots.agent]\ninterface = "agent"\nnode_function = "search"\n',
            {},
            (),
        ),
    ],
)
def test_the_budget_holds_for_agents_if_it_is_asked_for(
    text: str, options: dict[str, object], unlimited: tuple[str, ...], tmp_path: Path
) -> None:
    made = contest(text, tmp_path, **options)
    assert without_budget(made) == unlimited
    write_contest_file(tmp_path / "effective.toml", made)
    again = read_recorded(tmp_path / "effective.toml")
    assert (again.limits, without_budget(again)) == (made.limits, unlimited)
    bots = bots_by_name(made, tmp_path)
    assert {name for name, bot in bots.items() if not bot.has_budget} == set(unlimited)


def test_the_tables_say_for_whom_no_budget_holds(tmp_path: Path) -> None:
    (line,) = budget_lines(contest("", tmp_path))
    assert line.plain.startswith("the node budget does not apply to agent: courses with such")
    assert list(budget_lines(contest("", tmp_path, nodes=10))) == []


def test_games_are_others_only_where_the_budget_is(tmp_path: Path) -> None:
    plain, asked = contest("", tmp_path), contest("", tmp_path, nodes=10_000)
    digests = [
        {
            name: key(bot, bot, limits=made.limits).digest
            for name, bot in bots_by_name(made, tmp_path).items()
        }
        for made in (plain, asked)
    ]
    assert digests[0].keys() == ENTRIES.keys()
    differing = {name for name in ENTRIES if digests[0][name] != digests[1][name]}
    assert differing == {"agent"}


AGENT = """
def search(depth):
    return depth and search(depth - 1)

def agent(observation, configuration):
    search(200)
    return 3
"""


def test_an_agent_without_a_budget_is_counted_and_plays(make_player: MakePlayer) -> None:
    limits = Limits(nodes=10)
    for has_budget in (False, True):
        player = make_player(AGENT, limits=limits, has_budget=has_budget)
        assert player.sit(0, Ruleset(), (), 1) is None
        answer = player.ask(-1)
        if has_budget:
            assert not isinstance(answer, tuple) and answer.verdict is Verdict.NODES
        else:
            assert isinstance(answer, tuple) and answer[::2] == (3, 201)
