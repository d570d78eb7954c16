"""Retries: only with outside evidence, recorded, and charged for both attempts."""

from __future__ import annotations

import os
import resource
import signal
from contextlib import closing
from dataclasses import replace
from mmap import mmap

import pytest

from arena.common.errors import OutOfMemoryError
from arena.game.bot_process import BotProcess, PipeChannel
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.player import Answer, Fault
from arena.game.verdict import Ending, Proof, Verdict
from arena.host.protocol import UNKNOWN
from arena.rules import Ruleset
from game.test_game import BOT, OTHER, Script, game
from support.bots import LAST_FREE, MakeBot, MakePlayer, first_fault, key

ENDS_ITS_MAIN_THREAD = """
import ctypes, os, struct, sys, threading, time
def pick_move(rack):
    frame = sys._getframe()
    while not isinstance(frame.f_locals.get("data"), bytearray):
        frame = frame.f_back
    nonce = bytes(frame.f_locals["data"][1:9])
    def then():
        time.sleep(0.02)
        {then}
        time.sleep(1000)
    threading.Thread(target=then, daemon=True).start()
    ctypes.CDLL(None).syscall(60, 0)
"""
THEN = {
    "closes the channel": "os.close(3)",
    "closes both ends": "os.close(4); os.close(3)",
    "answers": "os.write(3, struct.pack('<8sBHqq', nonce, 2, 0, 0, -1))",
}
LEFT = "ended the main thread of its process and left others running"


@pytest.mark.parametrize("then", THEN)
def test_a_bot_that_ends_its_main_thread_alone_loses(
    then: str, make_player: MakePlayer, make_bot: MakeBot
) -> None:
    player = make_player(ENDS_ITS_MAIN_THREAD.format(then=THEN[then]))
    record = play(key(make_bot(), make_bot()), player, make_player(LAST_FREE))
    assert (record.winner, record.verdict, record.retakes) == (1, Verdict.CRASH, ())
    assert record.reason == f"{LEFT}, at ply 1"


def test_a_bot_that_thinks_without_its_main_thread_loses_though_no_memory_shows(
    make_player: MakePlayer,
) -> None:
    source = ENDS_ITS_MAIN_THREAD.format(then="X = bytearray(1 << 20)")
    player = make_player(source, Limits(move_seconds=600, first_move_seconds=0))
    fault = first_fault(player)
    assert (fault.ending, fault.proof) == (Ending.LEFT_THREADS, None)


@pytest.mark.parametrize("proof", [None, Proof.SIGNAL])
def test_a_death_by_sigkill_is_proof_only_where_no_bot_can_send_itself_that_signal(
    proof: Proof | None, make_player: MakePlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = make_player(LAST_FREE)
    assert player.sit(0, Ruleset(), (), 5) is None
    assert player._process is not None
    if proof is None:
        monkeypatch.setattr(BotProcess, "kills_itself", True)
    os.kill(player._process.pid, signal.SIGKILL)
    fault = player.ask(-1)
    assert isinstance(fault, Fault)
    assert (fault.ending, fault.proof) == (Ending.KILLED, proof)


def test_without_a_filter_or_with_a_limit_of_cpu_time_a_bot_can_kill_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with closing(PipeChannel()) as channel:
        alone, unknown = (mmap(-1, 1), mmap(-1, 1))
        unknown[0] = UNKNOWN
        filtered = BotProcess(0, 1, channel, 0, alone, "/", -1, 0)
        assert not filtered.kills_itself
        assert replace(filtered, shared=unknown).kills_itself
        monkeypatch.setattr(resource, "getrlimit", lambda _: (60, 60))
        assert filtered.kills_itself


def killed(proof: Proof | None) -> Fault:
    return replace(Fault.of(Ending.KILLED, 50), proof=proof)


def test_a_game_that_is_played_again_has_a_record_of_that() -> None:
    record = game(Script(0, killed(Proof.SIGNAL), 0, 0, 0, 0), Script(1, 1, 1, 1))
    assert record.verdict is Verdict.LINE
    (retake,) = record.retakes
    assert (retake.key, retake.seat, retake.ply) == (record.key, 0, 3)
    assert (retake.proof, retake.reason) == (Proof.SIGNAL, "was killed (signal SIGKILL)")
    assert retake.instead is not None
    assert retake.instead.reason == "was killed (signal SIGKILL), at ply 3"
    assert (retake.instead.winner, retake.instead.columns) == (1, (0, 1))
    record = game(Script(0, killed(None), 0, 0, 0, 0), Script(1, 1, 1, 1))  # no proof, no retry
    assert (record.winner, record.verdict, record.retakes) == (1, Verdict.CRASH, ())


def test_a_bot_that_was_killed_for_want_of_memory_is_named_with_the_game_as_it_was() -> None:
    with pytest.raises(OutOfMemoryError) as caught:
        game(Script(0, killed(Proof.MEMORY)), Script(1))
    record = caught.value.record
    assert record.winner == 1  # type: ignore[attr-defined]
    assert [each.proof for each in record.retakes] == [Proof.MEMORY]  # type: ignore[attr-defined]


class Timed(Script):
    """A script whose second answers take longer than its first."""

    def ask(self, seen: int) -> Answer | Fault:
        answer = super().ask(seen)
        return answer if isinstance(answer, Fault) else (answer[0], len(self.seen), 3)


WORN = Fault(Verdict.ERROR, "raised", 100, 3, proof=Proof.WORN)


def test_every_move_that_is_asked_again_is_charged_for_both_times() -> None:
    record = game(Timed(0, WORN, 0, 0, 0, 0), Script(1, 1, 1, 1))
    assert (record.verdict, record.columns) == (Verdict.LINE, (0, 1, 0, 1, 0, 1, 0))
    assert record.charged_ns[:5:2] == (1 + 3, 100 + 4, 5)
    assert record.nodes[:5:2] == (3, 3 + 3, 3)
    (retake,) = record.retakes
    assert (retake.seat, retake.ply, retake.proof) == (0, 3, Proof.WORN)
    assert retake.instead is not None
    assert (retake.instead.winner, retake.instead.charged_ns) == (1, (1, 7, 100))


def test_both_times_together_must_be_within_the_limit() -> None:
    limits = replace(key(BOT, OTHER).limits, move_seconds=103e-9, first_move_seconds=0)
    record = game(Timed(0, WORN, 0, 0, 0, 0), Script(1, 1, 1, 1), limits=limits)
    assert (record.winner, record.verdict) == (1, Verdict.TIMEOUT)
    assert record.charged_ns == (1 + 3, 7, 104)


def test_the_fault_stands_if_other_moves_are_made_this_time_and_what_was_spent_counts() -> None:
    record = game(Timed(0, WORN, 2), Script(1))
    assert (record.winner, record.reason, record.columns) == (1, "raised, at ply 3", (0, 1))
    assert record.charged_ns == (1 + 3, 7, 100)


def test_nobody_is_asked_a_third_time() -> None:
    record = game(Script(0, WORN, 0, replace(WORN, reason="raised again")), Script(1, 1))
    assert (record.winner, record.reason) == (1, "raised again, at ply 3")


FORGES = """
import os, struct, sys
def pick_move(rack):
    frame = sys._getframe()
    while not isinstance(frame.f_locals.get("data"), bytearray):
        frame = frame.f_back
    nonce = bytes(frame.f_locals["data"][1:9])
    os.write(3, struct.pack("<8sBHqq", nonce, 10, 0, -1, -1))
    return 0
"""


def test_no_bot_can_say_itself_that_it_is_worn(make_player: MakePlayer, make_bot: MakeBot) -> None:
    player, other = make_player(FORGES), make_player(LAST_FREE)
    for _ in range(2):
        record = play(key(make_bot(), make_bot()), player, other)
        assert (record.verdict, record.retakes) == (Verdict.PROTOCOL, ())


CHANGES_ITSELF = f"""
import pathlib
pathlib.Path(__file__).write_text(pathlib.Path(__file__).read_text() + "#")
{LAST_FREE}"""


def test_a_bot_that_changes_its_files_plays_every_game_in_a_new_process(
    make_player: MakePlayer,
) -> None:
    player = make_player(CHANGES_ITSELF)
    processes = []
    for seed in range(4):
        assert player.sit(0, Ruleset(), (), seed) is None
        processes.append(player._process)
    assert len({id(process) for process in processes}) == 4


LOADS_ONCE = f"""
import builtins, time
until = time.process_time() + 0.2
while time.process_time() < until: pass
assert not hasattr(builtins, "loaded")
builtins.loaded = True
{LAST_FREE}"""


@pytest.mark.slow
@pytest.mark.parametrize(("seconds", "verdict"), [(5, None), (0.3, Verdict.TIMEOUT)])
def test_a_load_that_is_tried_again_is_charged_for_both_times(
    seconds: float, verdict: Verdict | None, make_player: MakePlayer
) -> None:
    player = make_player(LOADS_ONCE, Limits(load_seconds=seconds))
    assert player.sit(0, Ruleset(), (), 5) is None
    fault = player.sit(0, Ruleset(), (), 6)
    assert (None if fault is None else fault.verdict) is verdict
    assert player.start_ns > 390_000_000


LEAKS = f"""
import builtins
builtins.games = getattr(builtins, "games", 0) + 1
{LAST_FREE.replace("return", "assert builtins.games < 3; return")}"""


def test_a_bot_whose_last_game_harmed_its_move_plays_in_new_processes_from_then_on(
    make_player: MakePlayer, make_bot: MakeBot
) -> None:
    player, other = make_player(LEAKS), make_player(LAST_FREE)
    records = [play(key(make_bot(), make_bot(), seed=n), player, other) for n in range(6)]
    assert {record.verdict for record in records} == {Verdict.LINE}
    assert [len(record.retakes) for record in records] == [0, 0, 1, 0, 0, 0]
