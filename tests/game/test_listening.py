"""What bots print in each move of a match."""

from __future__ import annotations

from dataclasses import fields

from arena.game.listening import Heard, HeardRecord, Listener
from arena.game.play import play
from arena.game.player import RandomPlayer
from arena.game.record import Bot, GameRecord
from arena.rules import Ruleset
from support.bots import MakePlayer, key

CHATTY = """
print("imported")
calls = 0
def pick_move(rack):
    global calls
    calls += 1
    print("\\n".join(f"{calls}.{line}" for line in range(calls)))
    print(" " * 200)
    if calls == 5:
        1 // 0
    return [c[-1] for c in rack].index(0)
"""


def test_the_last_lines_of_each_move_are_kept_by_its_ply(make_player: MakePlayer) -> None:
    nobody = Bot(content_hash="", root="")
    player = make_player(CHATTY)
    for opening, plies in (((3,), (2, 4, 6, 8)), ((3, 3, 4), (4, 6, 8, 10))):
        heard: Heard = {}
        begun = key(nobody, nobody, opening=opening, rules=Ruleset(8, 8, 8))
        record = play(begun, RandomPlayer(), Listener(player, heard))
        assert heard == {
            plies[0]: ("1.0",),
            plies[1]: ("2.0", "2.1"),
            plies[2]: ("3.0", "3.1", "3.2"),
            plies[3]: ("4.1", "4.2", "4.3"),
        }
        assert "5.4" in record.output


def test_a_record_with_output_is_else_the_same(make_player: MakePlayer) -> None:
    nobody = Bot(content_hash="", root="")
    record = play(key(nobody, nobody), RandomPlayer(), make_player())
    heard = HeardRecord.of(record, {2: ("hm",)})
    assert all(getattr(heard, f.name) == getattr(record, f.name) for f in fields(GameRecord))
    assert heard.heard == {2: ("hm",)}
