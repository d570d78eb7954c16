"""House players in a contest: who is one, with what, and after another version of Arena."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.bots import FIRST_FREE, house_bot

from arena.contest import BotEntry, Contest, brought_up_to_date, enter, wishes
from arena.contest.entries import seated
from arena.errors import InputError
from arena.intake import house_player, house_submissions, read_submission
from arena.referee import Bot

ANYWHERE = Path("snapshots")


def with_options(name: str, **options: object) -> Contest:
    """A contest whose file says these options of a house player."""
    wanted = Contest(bots={name: BotEntry(options=options)})
    return enter(wanted, (), [house_player(name)])[0]


def test_a_level_is_entered_with_its_options_which_nobody_wished_for() -> None:
    contest = enter(Contest(), (), [*house_submissions(), house_player("master")])[0]
    master, chance = contest.bots["master"], contest.bots["random"]
    assert master.house and chance.house
    assert master.options == {"nodes": 100_000}
    assert master.engine == contest.bots["reference"].engine != chance.engine
    assert contest.needs_engine
    assert not enter(Contest(), (), [house_player("random")])[0].needs_engine
    assert wishes(contest) == {}


def test_the_contest_file_sets_a_house_players_options() -> None:
    assert with_options("reference", nodes=2000).bots["reference"].options == {"nodes": 2000}
    weak = with_options("master", depth=3)
    assert weak.bots["master"].options == {"nodes": 100_000, "depth": 3}
    assert wishes(weak)["master"].options == weak.bots["master"].options


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("nodes", 0, "nodes = 0: expected a whole number, 1 to 1000000000"),
        ("depth", "deep", "depth = 'deep': expected a whole number, 1 to 1000000000"),
        ("solve", 1, "solve = 1: expected true or false"),
        ("count", 1, "count: no such option; known: nodes, depth, solve"),
    ],
)
def test_an_option_that_the_engine_does_not_take_is_one_clear_line(
    option: str, value: object, said: str
) -> None:
    with pytest.raises(InputError, match=rf"\[bots.reference\] options: {said}"):
        with_options("reference", **{option: value})


def test_of_a_house_player_only_options_can_be_said() -> None:
    with pytest.raises(InputError, match=r"\[bots.reference\]: a house player"):
        enter(Contest(bots={"reference": BotEntry(entry="Other")}), (), house_submissions())


def test_a_contest_file_makes_nobody_a_house_player(tmp_path: Path) -> None:
    (tmp_path / "alice.py").write_text(FIRST_FREE)
    reference = enter(Contest(), (), house_submissions())[0].bots["reference"]
    wanted = Contest(bots={"alice": replace(reference, file="alice.py", entry="pick_move")})
    entered = enter(wanted, [read_submission(tmp_path / "alice.py")], ())[0].bots["alice"]
    assert not entered.house and entered.engine is None
    # nor does a folder of results, where somebody wrote it into
    forged = Contest(bots={"alice": replace(entered, house=True, engine=reference.engine)})
    assert "not the engine's player" in (seated(forged, ANYWHERE)["alice"].problem or "")


def test_the_engine_is_part_of_its_players_games_and_of_no_others() -> None:
    player = house_bot("reference")
    assert player.identity != replace(player, engine="another").identity
    # as it has always been, so that the journals of earlier contests still count
    assert Bot(content_hash="c", root="/", file="f").identity == '["c","f","","",null,{}]'


def test_a_contest_of_another_version_is_read_as_it_was_played_and_goes_on_with_this_one() -> None:
    now = enter(Contest(), (), [*house_submissions(), house_player("novice")])[0]
    then = {
        name: replace(bot, content_hash=f"then {bot.content_hash}", engine="then")
        for name, bot in now.bots.items()
        if bot.engine is not None
    }
    before = replace(now, bots={**now.bots, **then})
    played = seated(before, ANYWHERE)
    assert '"then"' in played["novice"].identity
    assert played["novice"].problem is not None
    after, changed = brought_up_to_date(before)
    assert list(changed) == ["reference", "novice"]
    assert after == now
    assert brought_up_to_date(now) == (now, {})


def test_the_reference_of_a_contest_before_the_engine_stays_the_bot_it_was() -> None:
    old = BotEntry(file="reference.py", interface="pick_move", content_hash="old", house=True)
    contest = Contest(bots={"reference": old})
    assert brought_up_to_date(contest) == (contest, {})
    bot = seated(contest, ANYWHERE)["reference"]
    assert (bot.engine, bot.problem) == (None, None)
