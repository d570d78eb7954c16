"""House players in a contest: who is one, with what, and after another version of Arena."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.bots import FIRST_FREE, house_bot

from arena.contest import BotEntry, Contest, brought_up_to_date, enter, only_overrides
from arena.contest.entries import seated
from arena.errors import InputError
from arena.intake import house_player, house_submissions, read_submission
from arena.interfaces import EntryPoint, InterfaceName, Overrides
from arena.referee import Bot

ANYWHERE = Path("snapshots")


def with_options(name: str, **options: object) -> Contest:
    """A contest whose file says these options of a house player."""
    wanted = Contest(bots={name: BotEntry(overrides=Overrides(options=options))})
    return enter(wanted, (), [house_player(name)])[0]


def test_a_level_is_entered_with_its_options_which_nobody_wished_for() -> None:
    contest = enter(Contest(), (), [*house_submissions(), house_player("master")])[0]
    master, chance = contest.bots["master"], contest.bots["random"]
    assert master.house and chance.house
    assert master.entry_point.options == {"nodes": 100_000}
    engine = contest.bots["reference"].entry_point.engine
    assert master.entry_point.engine == engine != chance.entry_point.engine
    assert contest.needs_engine
    assert not enter(Contest(), (), [house_player("random")])[0].needs_engine
    assert only_overrides(contest) == {}


def test_the_contest_file_sets_a_house_players_options() -> None:
    reference = with_options("reference", nodes=2000).bots["reference"]
    assert reference.entry_point.options == {"nodes": 2000}
    weak = with_options("master", depth=3)
    options = {"nodes": 100_000, "depth": 3}
    assert weak.bots["master"].entry_point.options == options
    assert only_overrides(weak)["master"].overrides.options == options


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
        wanted = BotEntry(overrides=Overrides(entry="Other"))
        enter(Contest(bots={"reference": wanted}), (), house_submissions())


def test_a_contest_file_makes_nobody_a_house_player(tmp_path: Path) -> None:
    (tmp_path / "alice.py").write_text(FIRST_FREE)
    reference = enter(Contest(), (), house_submissions())[0].bots["reference"]
    wanted = Contest(bots={"alice": replace(reference, overrides=Overrides(file="alice.py"))})
    entered = enter(wanted, [read_submission(tmp_path / "alice.py")], ())[0].bots["alice"]
    assert not entered.house and entered.entry_point.engine is None
    # nor does a folder of results, where somebody wrote it into
    point = replace(entered.entry_point, engine=reference.entry_point.engine)
    forged = Contest(bots={"alice": replace(entered, house=True, entry_point=point)})
    assert "not the engine's player" in (seated(forged, ANYWHERE)["alice"].problem or "")


def test_the_engine_is_part_of_its_players_games_and_of_no_others() -> None:
    player = house_bot("reference")
    another = replace(player.entry_point, engine="another")
    assert player.identity != replace(player, entry_point=another).identity
    # as it has always been, so that the journals of earlier contests still count
    bot = Bot(content_hash="c", root="/", entry_point=EntryPoint(file="f"))
    assert bot.identity == '["c","f","","",null,{}]'


def test_a_contest_of_another_version_is_read_as_it_was_played_and_goes_on_with_this_one() -> None:
    now = enter(Contest(), (), [*house_submissions(), house_player("novice")])[0]
    then = {
        name: replace(
            bot,
            content_hash=f"then {bot.content_hash}",
            entry_point=replace(bot.entry_point, engine="then"),
        )
        for name, bot in now.bots.items()
        if bot.entry_point.engine is not None
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
    point = EntryPoint(file="reference.py", interface=InterfaceName.PICK_MOVE)
    old = BotEntry(entry_point=point, content_hash="old", house=True)
    contest = Contest(bots={"reference": old})
    assert brought_up_to_date(contest) == (contest, {})
    bot = seated(contest, ANYWHERE)["reference"]
    assert (bot.entry_point.engine, bot.problem) == (None, None)
