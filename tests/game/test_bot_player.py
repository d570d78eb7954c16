"""Bots in real processes: what they see, and every verdict that they can cause."""

from __future__ import annotations

import fcntl
import os
import py_compile
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from mmap import PAGESIZE
from pathlib import Path

import pytest

from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.player import Fault
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.host.protocol import NO_COLUMN, Ask, pack_move_request, pack_opening
from arena.host.sandbox.confining import ANSWERS, REQUESTS
from arena.host.serve import NO_KEYBOARD
from arena.rules import Goal, Ruleset
from support.bots import (
    FIRST_FREE,
    LAST_FREE,
    MakeBot,
    MakePlayer,
    first_fault,
    first_move,
    key,
    pick_move_in,
    printed,
)
from support.cores import EVERY_CORE, contested, on_cores

QUICK = Limits(move_seconds=0.3, first_move_seconds=0.0, load_seconds=0.5, nodes=1000)


def play_against_first_free(
    make_player: MakePlayer, make_bot: MakeBot, source: str, limits: Limits = QUICK, **more: object
) -> GameRecord:
    player = make_player(source, limits, **more)
    opponent = make_player(LAST_FREE, limits)
    return play(key(make_bot(), make_bot(), limits=limits), player, opponent)


LATE = "took more than 0.3 s for its move (bot.py, line {})"
WROTE = "wrote to the referee's channel itself"
FLOODS = "for _ in range(2000): search(4)\n    return 0\ndef search(n):\n    "

# Bodies of `pick_move`, which begin in line 2 of the bot, each with a reason or None
FAULTS = {
    Verdict.TIMEOUT: {
        "loops for ever": ("while True: pass", LATE.format(2)),
        "stops itself": ("import os; os.kill(os.getpid(), 19)", LATE.format(2)),
        "loops in C": ("x = 7\n    return x ** 10 ** 9", LATE.format(3)),
        "loops with its signals blocked": (
            "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"
            "    while True: pass",
            "took more than 0.3 s for its move",
        ),
        "keeps its supervisor busy": (
            "import _thread, time; _thread.stack_size(1 << 16); end = time.process_time() + 0.2\n"
            "    while time.process_time() < end:\n"
            "        try: _thread.start_new_thread(time.sleep, (9,))\n"
            "        except RuntimeError: pass\n    return 0",
            None,
        ),
    },
    Verdict.ERROR: {
        "raises": ("1 / 0", "raised ZeroDivisionError: division by zero (bot.py, line 2)"),
        "calls sys.exit": (
            "import sys; sys.exit('bye')",
            "raised SystemExit: bye (bot.py, line 2)",
        ),
        "asks for the keyboard": (
            "return int(input())",
            f"raised EOFError: EOF when reading a line; {NO_KEYBOARD} (bot.py, line 2)",
        ),
        "asks for a password": (
            "import getpass; return int(getpass.getpass())",
            f"raised EOFError; {NO_KEYBOARD} (bot.py, line 2)",
        ),
        "stops in a debugger": (
            "breakpoint()\n    return 0",
            f"raised BdbQuit; {NO_KEYBOARD} (bot.py, line 3)",
        ),
        "reads past the end of its own pickle": (
            "import pickle; return pickle.loads(b'')",
            "raised EOFError: Ran out of input (bot.py, line 2)",
        ),
        "raises an error whose text raises": (
            "class E(Exception):\n        def __str__(self): raise E\n    raise E(1)",
            "raised E (bot.py, line 4)",
        ),
    },
    Verdict.CRASH: {
        "calls os._exit": ("import os; os._exit(3)", "ended its own process with status 3"),
        "segfaults": (
            "import ctypes; ctypes.string_at(0)",
            "crashed its process (signal SIGSEGV) (bot.py, line 2)",
        ),
        "aborts with many extension modules": (
            "import numpy.random.mtrand as m, os, sys\n"
            "    sys.modules.update({'x' * 90 + str(n): m for n in range(100)})\n"
            "    os.abort()",
            "crashed its process (signal SIGABRT) (bot.py, line 4)",
        ),
    },
    Verdict.MEMORY: {
        "aborts when its memory is nearly all used": (
            "import os; x = bytearray(b'x') * (470 << 20); os.abort()",
            None,
        ),
        "needs too much memory": (
            "x = bytearray(2 << 30); return 0",
            "needed more than 512 MB of memory (bot.py, line 2)",
        ),
    },
    Verdict.PROTOCOL: {
        "writes to the channel": ("import os; os.write(3, b'x'); return 0", WROTE),
        "answers with a nonce of its own": (
            "import os; os.write(3, b'12345678' + bytes(19)); return 0",
            WROTE,
        ),
    },
    Verdict.ILLEGAL_MOVE: {
        "returns column 99": (
            "print('thinking'); return 99",
            "returned column 99; the board has columns 0 to 6",
        ),
        "returns None": ("return None", "returned None, which is no column number"),
        "returns a truth value": ("return True", "returned True, which is no column number"),
        "returns a fraction": ("return 3.0", "returned 3.0, which is no column number"),
        "returns a text": ("return '3'", "returned the text '3', which is no column number"),
        "returns a large number": (
            "return 10 ** 30",
            "returned a number of more than four digits, which is no column number",
        ),
    },
    Verdict.NODES: {
        "searches too many nodes": (
            f"{FLOODS}return n and search(n - 1)",
            "used more than 1,000 nodes in one move (1,008 calls of search); search less deep",
        ),
        "hides too many nodes": (
            f"{FLOODS}try: return n and search(n - 1)\n    except: return 0",
            None,
        ),
    },
}
CASES = {
    what: (verdict, *case) for verdict, cases in FAULTS.items() for what, case in cases.items()
}


@pytest.mark.parametrize("case", CASES)
def test_a_bot_that(case: str, make_player: MakePlayer, make_bot: MakeBot) -> None:
    verdict, body, reason = CASES[case]
    record = play_against_first_free(make_player, make_bot, f"def pick_move(rack):\n    {body}")
    assert (record.winner, record.verdict) == (1, verdict), record.reason
    assert reason is None or record.reason == f"{reason}, at ply 1"
    if "print" in body:
        assert record.output == "thinking\n"


PLAYS = "\ndef pick_move(rack): return 0"
IN_ITS_CLASS = "class ComputerPlayer:\n    def pick_move(self, rack): return 0\n"
LOAD_FAULTS = [
    (
        f"while True: pass{PLAYS}",
        (Verdict.TIMEOUT, "took more than 0.5 s to be imported and built (bot.py, line 1)"),
    ),
    (
        f"import no_such_module{PLAYS}",
        "ModuleNotFoundError: No module named 'no_such_module' (bot.py, line 1)",
    ),
    (
        f"import sys, kaggle_environments{PLAYS}",
        "ModuleNotFoundError: No module named 'kaggle_environments'; the package "
        "kaggle-environments is not installed (bot.py, line 1)",
    ),
    ("def pick_move(rack)\n    return 0", "SyntaxError: expected ':' (bot.py, line 1)"),
    (
        f"{IN_ITS_CLASS}    def __init__(self, id, level, book): pass",
        "wants an argument 'book' that no contest gives it",
    ),
    (
        f"{IN_ITS_CLASS}    def __init__(self, id, level): self.x = {{}}[id]",
        "KeyError: 1 (bot.py, line 3)",
    ),
    (
        f"import os\nos._exit(0){PLAYS}",
        (Verdict.CRASH, "ended its own process with status 0 while it was loaded"),
    ),
]


@pytest.mark.parametrize(("source", "end"), LOAD_FAULTS)
def test_a_bot_that_fails_while_it_is_loaded(
    source: str, end: str | tuple[Verdict, str], make_player: MakePlayer, make_bot: MakeBot
) -> None:
    if isinstance(end, str):
        end = Verdict.LOAD_ERROR, f"could not be loaded: {end}"
    record = play_against_first_free(make_player, make_bot, source)
    assert (record.winner, record.verdict, record.reason) == (1, *end)


def test_an_integer_of_any_kind_is_a_column(make_player: MakePlayer, make_bot: MakeBot) -> None:
    source = FIRST_FREE.replace("return", "import numpy as np; return np.int8(") + ")"
    record = play_against_first_free(make_player, make_bot, source)
    assert record.verdict is Verdict.LINE


def test_an_int_that_lies_about_itself_is_read_as_what_it_is(
    make_player: MakePlayer, make_bot: MakeBot
) -> None:
    source = """
    class Liar(int):
        def __index__(self): return 3
        def __eq__(self, other): return True
        def __lt__(self, other): return True
        __hash__ = int.__hash__
    def pick_move(rack): return Liar(50)
    """
    record = play_against_first_free(make_player, make_bot, source)
    assert record.verdict in (Verdict.ILLEGAL_MOVE, Verdict.LINE)
    assert all(0 <= column < 7 for column in record.columns)


def test_both_forms_see_the_same_rack_and_player(make_player: MakePlayer) -> None:
    tell = "print(rack, player)\n"
    for source in (
        f"def pick_move(rack, player):\n    {tell}    return 1 // 0",
        "class ComputerPlayer:\n"
        "    def __init__(self, id, difficulty_level):\n"
        "        self.id, self.level = id, difficulty_level\n"
        "    def pick_move(self, rack):\n"
        f"        player = self.id\n        assert self.level == 4\n        {tell}"
        "        return 1 // 0",
    ):
        player = make_player(source)
        first_fault(player, 1, Ruleset(rows=3, columns=2), (1,))
        assert player.dismiss().splitlines()[0] == "((0, 0, 0), (1, 0, 0)) 2"


def test_the_rack_is_kept_up_to_date_through_a_game(make_player: MakePlayer) -> None:
    player = make_player("def pick_move(rack):\n    print(rack)\n    return len(rack[0]) - 2")
    assert player.sit(0, Ruleset(rows=2, columns=2, connect=2), (), 5) is None
    player.ask(-1)
    player.ask(1)
    os.kill(player._process.pid, 9)  # type: ignore[union-attr]
    assert isinstance(player.ask(0), Fault)
    assert player.dismiss().splitlines() == ["((0, 0), (0, 0))", "((1, 0), (2, 0))"]


def test_options_and_the_node_budget_reach_the_constructor(make_player: MakePlayer) -> None:
    source = """
    class ComputerPlayer:
        def __init__(self, id, difficulty_level, nodes=None, style="plain"):
            print(id, difficulty_level, nodes, style)
        def pick_move(self, rack): return 1 // 0
    """
    options = {"difficulty_level": 6, "style": "wild"}
    player = make_player(source, Limits(nodes=77), options=options)
    assert printed(player) == ["1 6 77 wild"]


def test_an_option_the_bot_does_not_take_is_reported(make_player: MakePlayer) -> None:
    source = "class ComputerPlayer:\n    def pick_move(self, rack): return 0"
    fault = make_player(source, options={"depth": 3}).sit(0, Ruleset(), (), 5)
    assert fault is not None
    assert "takes no option 'depth'" in fault.reason


@pytest.mark.parametrize(
    ("keeps", "games"),
    [
        ('open("log.txt", "w")', 60),
        pytest.param('bytearray(b"x") * (300 << 20)', 3, marks=pytest.mark.slow),
    ],
)
def test_files_and_tables_of_earlier_games_are_released(
    keeps: str, games: int, make_player: MakePlayer
) -> None:
    source = f"""
    book = open(__file__)
    class ComputerPlayer:
        def __init__(self, id, level): self.me, self.kept = self, {keeps}
        def pick_move(self, rack): return 0
    """
    player = make_player(source)
    for _ in range(games):
        assert player.sit(0, Ruleset(), (), 5) is None


def test_files_and_output_that_a_bot_wrote_are_part_of_its_memory(make_player: MakePlayer) -> None:
    source = """
    import os, time
    held = bytearray(b"x") * (64 << 20)
    def pick_move(rack):
        for number in range(4):
            with open(str(number), "wb", 0) as file:
                for _ in range(15): file.write(bytes(1 << 20))
        for _ in range(15): os.write(1, bytes(1 << 20))
        time.sleep(0.02)
        return 0
    """
    player = make_player(source, Limits(memory_mb=128))
    assert player.sit(0, Ruleset(), (), 5) is None
    answer = player.ask(-1)
    if not isinstance(answer, Fault):  # a slow first move is checked at once
        answer = player.ask(-1)
    assert isinstance(answer, Fault)
    assert answer.verdict is Verdict.MEMORY


HOSTILE = (
    "import os\ndef pick_move(rack): os.abort()",
    "import os\ndef pick_move(rack):\n    os.write(3, bytes(99))\n    return 0",
    "import os\ndef pick_move(rack):\n    for n in range(20): open(str(n), 'w')\n    return 99",
    "import threading, time\ndef pick_move(rack):\n"
    "    for _ in range(5): threading.Thread(target=time.sleep, args=(9,)).start()\n    1 / 0",
)


@pytest.mark.slow
def test_hostile_games_leave_nothing_in_referee_or_zygote(
    make_player: MakePlayer, zygote: Zygote
) -> None:
    def held() -> tuple[list[int], list[int]]:
        """(descriptors, resident KiB) of this process and, if permitted, of the zygote."""
        pids = (os.getpid(), zygote.pid)[: 1 + (os.geteuid() == 0)]
        statuses = [Path(f"/proc/{pid}/status").read_text() for pid in pids]
        resident = [int(text.split("VmRSS:")[1].split()[0]) for text in statuses]
        return [len(os.listdir(f"/proc/{pid}/fd")) for pid in pids], resident

    players = [make_player(source) for source in HOSTILE]

    def play_all(times: int) -> None:
        for _ in range(times):
            for player in players:
                assert player.sit(0, Ruleset(), (), 5) is None
                assert isinstance(player.ask(-1), Fault) or player.dismiss() is not None

    play_all(6)
    (descriptors, before) = held()
    play_all(20)
    assert held()[0] == descriptors
    for was, now in zip(before, held()[1], strict=True):
        assert now - was < 340


def test_threads_of_a_game_are_not_there_in_the_next(make_player: MakePlayer) -> None:
    source = """
    import threading
    print("others:", threading.active_count() - 1)
    for _ in range(20): threading.Thread(target=threading.Event().wait, daemon=True).start()
    def pick_move(rack): return 0
    """
    player = make_player(source)
    for _ in range(6):
        first_move(player)
        process = player._process
        assert process is not None
        assert os.pread(process.output, 99, 0) == b"others: 0\n"


def test_a_forged_node_count_is_no_number_of_the_contests(make_player: MakePlayer) -> None:
    source = """
    import os, struct
    from arena.host import serve
    serve.pack_answer = lambda nonce, told, depth, column, nodes: struct.pack(
        "<8sBHqq", nonce, told, depth, column, {nodes})
    def pick_move(rack): return 0
    """
    for nodes in (2**63 - 1, -2):
        player = make_player(source.format(nodes=nodes), Limits(nodes=None))
        assert first_fault(player).verdict is Verdict.PROTOCOL


STATEFUL = """
import random, helper, numpy
helper.count.append(1)
seen = []
class ComputerPlayer:
    def __init__(self, id, difficulty_level): pass
    def pick_move(self, rack):
        seen.append(1)
        print(len(helper.count), len(seen), random.random(), numpy.random.random(), hash("a"))
        return 0
"""


def test_every_game_starts_from_a_fresh_namespace_and_its_own_seed(make_player: MakePlayer) -> None:
    player = make_player(STATEFUL, file_helper="count = []")
    outputs = []
    for seed in (5, 5, 6):
        assert player.sit(0, Ruleset(), (), seed) is None
        player.ask(-1)
        process = player._process
        assert process is not None
        outputs.append(os.pread(process.output, 200, 0).split())
    assert [words[:2] for words in outputs] == [[b"1", b"1"]] * 3
    assert outputs[0] == outputs[1]
    assert outputs[0][2] != outputs[2][2]
    assert outputs[0][3] != outputs[2][3]
    assert outputs[0][4] == outputs[2][4]


def test_a_fault_ends_the_process_and_the_next_game_has_a_new_one(make_player: MakePlayer) -> None:
    player = make_player("import os\ndef pick_move(rack): os._exit(0)")
    for _ in range(2):
        first_fault(player)
        assert player._process is None


def test_forged_byte_code_beside_the_source_is_not_used(make_player: MakePlayer) -> None:
    player = make_player(
        "import helper\ndef pick_move(rack): return helper.column", file_helper="column = 1"
    )
    honest = Path(player._bot.root, "helper.py")
    times = honest.stat().st_atime, honest.stat().st_mtime
    for text in ("column = 9", "column = 1"):
        honest.write_text(text)
        os.utime(honest, times)
        if text == "column = 9":
            py_compile.compile(str(honest))
    assert first_move(player)[0] == 1


def test_a_search_in_a_folder_without_init_is_counted_in_every_game(
    make_player: MakePlayer, make_bot: MakeBot
) -> None:
    source = "from helpers import engine\ndef pick_move(rack): return engine.search(3)"
    player = make_player(source, Limits(nodes=100))
    helpers = Path(player._bot.root) / "helpers"
    helpers.mkdir()
    (helpers / "engine.py").write_text("def search(n):\n    return n and search(n - 1)\n")
    for _ in range(3):
        answer = first_move(player)
        assert (answer[0], answer[2]) == (0, 4)


@pytest.mark.parametrize("again", ["", "sys.modules.pop('engine', None)"])
def test_a_search_that_is_imported_during_a_move_is_counted(
    make_player: MakePlayer, again: str
) -> None:
    source = f"""
    import sys
    def pick_move(rack):
        {again or "pass"}
        import engine
        return engine.search(3)
    """
    player = make_player(source, file_engine="def search(n):\n    return n and search(n - 1)\n")
    assert player.sit(0, Ruleset(), (), 5) is None
    for _ in range(2):
        answer = player.ask(-1)
        assert not isinstance(answer, Fault)
        assert answer[2] == 4


def test_an_exception_of_the_bots_own_alarm_is_reported_with_its_place(
    make_player: MakePlayer,
) -> None:
    source = """
    import signal
    def ring(*_):
        raise ValueError("late")
    signal.signal(signal.SIGALRM, ring)
    def pick_move(rack):
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        return 0
    """
    player = make_player(source)
    first_move(player)
    time.sleep(0.3)
    fault = player.ask(1)
    assert isinstance(fault, Fault)
    assert fault.reason == "raised ValueError: late (bot.py, line 4)"


def test_an_opening_of_nearly_the_largest_board_reaches_the_bot(make_player: MakePlayer) -> None:
    largest = Ruleset(rows=64, columns=64, goal=Goal.MOST)
    opening = tuple(ply // 64 for ply in range(64 * 64 - 1))
    source = """
    def pick_move(rack):
        assert all(rack[c][r] == 1 + r % 2 for c in range(64) for r in range(64 - c // 63))
        return [column[-1] for column in rack].index(0)
    """
    player = make_player(source)
    assert player.sit(1, largest, opening, 0) is None
    answer = player.ask(-1)
    assert not isinstance(answer, Fault)
    assert answer[0] == 63


def test_the_opening_is_secret_while_a_bot_is_loaded(make_player: MakePlayer) -> None:
    source = """
    import sys
    frame, seen = sys._getframe(), []
    while frame:
        for name, value in list(frame.f_locals.items()):
            if type(value) in (bytes, bytearray):
                seen.append(bytes(value).rstrip(bytes(1)))
        frame = frame.f_back
    def pick_move(rack):
        print(any(bytes((6, 5, 4, 3, 2)) in value for value in seen), len(seen) > 0, rack[6][0])
        return 1 // 0
    """
    player = make_player(source)
    first_fault(player, 0, Ruleset(), (6, 5, 4, 3, 2))
    assert player.dismiss().splitlines()[0] == "False True 1"


def test_two_bots_have_each_its_own_helper_beside_its_entry_file(make_player: MakePlayer) -> None:
    source = "import helper\ndef pick_move(rack): return helper.column"
    assert first_move(make_player(source, file_helper="column = 1"))[0] == 1
    player = make_player("raise SystemExit", file_helper="column = 2")
    inner = Path(player._bot.root) / "inner"
    inner.mkdir()
    (inner / "helper.py").write_text("column = 5")
    (inner / "main.py").write_text(source)
    player._bot = replace(player._bot, entry_point=pick_move_in("inner/main.py"), problem=None)
    assert first_move(player)[0] == 5


@pytest.mark.slow
def test_the_first_move_has_its_allowance_on_top(make_player: MakePlayer) -> None:
    limits = Limits(move_seconds=0.2, first_move_seconds=1.0)
    player = make_player(
        "import time\ndef pick_move(rack):\n    time.sleep(0.5)\n    return 0", limits
    )
    first_move(player)
    second = player.ask(1)
    assert isinstance(second, Fault)
    assert second.verdict is Verdict.TIMEOUT


def test_a_bot_has_no_environment_and_no_descriptor_but_its_own(make_player: MakePlayer) -> None:
    source = """
    import os
    def pick_move(rack):
        print(sorted(os.environ))
        print(sorted(map(int, os.listdir("/proc/self/fd")))[:-1])
        print(os.getsid(0) == os.getpid(), os.read(0, 1))
        return 1 // 0
    """
    os.environ["SECRET"] = "1"
    player = make_player(source)
    variables, *others = printed(player)
    assert variables == "['HOME', 'LANG', 'LOGNAME', 'NUMBA_CACHE_DIR', 'PATH', 'TMPDIR', 'USER']"
    assert others == ["[0, 1, 2, 3, 4]", "True b''"]


def test_a_bot_that_loops_reads_where_it_was(make_player: MakePlayer) -> None:
    source = """
    def search(n):
        while True:
            pass
    def pick_move(rack):
        print("thinking")
        return search(1)
    """
    player = make_player(source, QUICK)
    first_fault(player)
    said = player.dismiss().splitlines()
    assert said[:2] == ["thinking", "It was here (most recent call last):"]
    assert said[2] == '  File "bot.py", line 7, in pick_move'
    assert said[3].startswith('  File "bot.py", line') and said[3].endswith("in search")
    assert len(said) == 4


THINKS_IN_A_THREAD = """
import threading
def think():
    while True: pass
threading.Thread(target=think, daemon=True).start()
def pick_move(rack):
    return [column[-1] for column in rack].index(0)
"""

THINKS_AT_AN_ALARM = """
import signal, time
def think(*_):
    until = time.process_time() + 0.5
    while time.process_time() < until: pass
signal.signal(signal.SIGALRM, think)
def pick_move(rack):
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    return [column[-1] for column in rack].index(0)
"""


def computes_off_turn(player: BotPlayer) -> bool:
    """Return True if a bot uses CPU 0.1 to 0.4 s from now; on a busy core it stops late."""
    assert player._process is not None
    clock = (~player._process.pid << 3) | 2
    time.sleep(0.1)
    before = time.clock_gettime_ns(clock)
    time.sleep(0.3)
    return time.clock_gettime_ns(clock) - before > 10_000_000


@pytest.mark.slow
def test_a_bot_with_a_thread_never_runs_outside_its_turn(make_player: MakePlayer) -> None:
    player = make_player(THINKS_IN_A_THREAD, Limits(move_seconds=10))
    for game in (1, 2):
        assert player.sit(0, Ruleset(), (), game) is None
        assert not computes_off_turn(player)
        for _ in range(2):
            assert not isinstance(player.ask(-1), Fault)
            assert not computes_off_turn(player)


@pytest.mark.slow
def test_a_bot_caught_thinking_ahead_is_stopped_outside_its_turns(make_player: MakePlayer) -> None:
    player = make_player(THINKS_AT_AN_ALARM, Limits(move_seconds=10))
    first_move(player)
    assert computes_off_turn(player)
    assert not isinstance(player.ask(6), Fault)
    assert not computes_off_turn(player)
    assert player.sit(1, Ruleset(), (0,), 6) is None


@pytest.mark.slow
def test_cpu_used_in_the_opponents_turn_is_charged_to_the_next_move(
    make_player: MakePlayer,
) -> None:
    player = make_player(THINKS_AT_AN_ALARM, Limits(move_seconds=0.2, first_move_seconds=0))
    first_move(player)
    time.sleep(0.8)
    fault = player.ask(6)
    assert isinstance(fault, Fault)
    assert fault.verdict is Verdict.TIMEOUT
    assert "for its move and in its opponent's turn" in fault.reason


@pytest.mark.slow
def test_a_bot_that_computes_though_it_was_stopped_loses(make_player: MakePlayer) -> None:
    player = make_player(THINKS_IN_A_THREAD, Limits(move_seconds=10))
    first_move(player)
    assert player._process is not None
    os.killpg(player._process.pid, signal.SIGCONT)  # as if by a way that nobody thought of
    while computes_off_turn(player) and player._clock.used() < 0.7e9:
        pass
    fault = player.ask(6)
    assert isinstance(fault, Fault)
    assert fault.verdict is Verdict.PROTOCOL
    assert fault.reason == "was stopped in its opponent's turn and computed all the same"


@pytest.fixture
def busy_core(zygote: Zygote) -> Iterator[None]:
    """The test, its bots and two spinning processes share a core."""
    every, core = os.sched_getaffinity(zygote.pid), frozenset({min(EVERY_CORE)})
    os.sched_setaffinity(zygote.pid, core)
    try:
        with on_cores(core), contested({*core}, 2):
            yield
    finally:
        os.sched_setaffinity(zygote.pid, every)


BURNS = """
import threading, time
def burn(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until: pass
def together(shares):
    threads = [threading.Thread(target=burn, args=(share,)) for share in shares]
    for each in threads: each.start()
    for each in threads: each.join()
def pick_move(rack):
    {how}
    return [column[-1] for column in rack].index(0)
"""


@pytest.mark.slow
def test_threads_that_wait_for_each_other_do_not_stop_the_clock(make_player: MakePlayer) -> None:
    source = """
    import threading, time
    go = threading.Barrier(41)
    def spin():
        while True:
            go.wait()
            until = time.thread_time() + 0.0005
            while time.thread_time() < until: pass
    for _ in range(40): threading.Thread(target=spin, daemon=True).start()
    def pick_move(rack):
        while True:
            go.wait()
            time.sleep(0.05)
    """
    player = make_player(source, Limits(move_seconds=0.3, first_move_seconds=0))
    began_at = time.monotonic()
    assert first_fault(player).verdict is Verdict.TIMEOUT
    assert time.monotonic() - began_at < 3.0 + 2.0  # a tenth of the wall's time is always charged


IN_MAIN = "burn({seconds})"
IN_EIGHT_THREADS = "together([{seconds} / 8] * 8)"
ONE_AFTER_ANOTHER = "for _ in range(16): together([{seconds} / 16])"


@pytest.mark.slow
@pytest.mark.usefixtures("busy_core")
@pytest.mark.parametrize(
    ("how", "seconds", "moves"),
    [(IN_MAIN, 0.05, 20), (IN_EIGHT_THREADS, 0.2, 3), (ONE_AFTER_ANOTHER, 0.2, 3)],
)
def test_on_a_busy_machine_a_bot_is_charged_what_it_uses(
    how: str, seconds: float, moves: int, make_player: MakePlayer
) -> None:
    limits = Limits(move_seconds=seconds, first_move_seconds=0)
    tall = Ruleset(rows=64, columns=7, goal=Goal.MOST)
    within = make_player(BURNS.format(how=how.format(seconds=0.8 * seconds)), limits)
    first_move(within, 0, tall)
    for _ in range(moves):
        answer = within.ask(-1)
        assert not isinstance(answer, Fault), answer
    beyond = make_player(BURNS.format(how=how.format(seconds=1.3 * seconds)), limits)
    assert first_fault(beyond, 0, tall).verdict is Verdict.TIMEOUT


@pytest.mark.slow
@pytest.mark.usefixtures("busy_core")
def test_a_bot_that_gets_a_thirtieth_of_a_core_loses_no_time(make_player: MakePlayer) -> None:
    limits = Limits(move_seconds=0.01, first_move_seconds=0)
    player = make_player(BURNS.format(how="burn(0.006)"), limits)
    assert player.sit(0, Ruleset(), (), 5) is None
    process = player._process
    assert process is not None
    os.setpriority(os.PRIO_PROCESS, process.pid, 15)
    with suppress(OSError):  # where the kernel groups by session, only this counts
        Path(f"/proc/{process.pid}/autogroup").write_text("15")
    took = []
    while len(took) < 20 and max(took, default=0.0) <= 10 * limits.move_seconds:
        started = time.monotonic()
        answer = player.ask(-1)
        took.append(time.monotonic() - started)
        assert not isinstance(answer, Fault), answer
    os.setpriority(os.PRIO_PROCESS, process.pid, 0)  # or it takes seconds to end
    with suppress(OSError):
        Path(f"/proc/{process.pid}/autogroup").write_text("0")
    assert max(took) > 10 * limits.move_seconds  # or this shows nothing


def test_pipes_are_small_and_hold_the_longest_opening(make_player: MakePlayer) -> None:
    player = make_player(FIRST_FREE)
    opening = tuple(ply // 64 for ply in range(4030))
    assert player.sit(0, Ruleset(rows=64, columns=64, connect=64), (), 5) is None
    process = player._process
    assert process is not None
    os.kill(process.pid, signal.SIGSTOP)  # so that it reads nothing meanwhile
    request = pack_move_request(Ask.MOVE, bytes(8), NO_COLUMN)
    assert all(map(process.channel.send, [*pack_opening(opening), request]))
    fds = (f"/proc/{process.pid}/fd/{number}" for number in (ANSWERS, REQUESTS))
    pipes = [os.open(fd, os.O_RDONLY | os.O_NONBLOCK) for fd in fds]
    sizes = [fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ) for pipe in pipes]
    for pipe in pipes:
        os.close(pipe)
    assert sizes == [4 * PAGESIZE] * 2
