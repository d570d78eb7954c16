"""What ordinary bots do, and must be able to do inside the sandbox.

Each habit is the body of a bot's `pick_move`, or its source, without the last line. It asserts its
own result, so a habit that does not work is an ERROR with the line.
"""

from __future__ import annotations

import re
from textwrap import indent

import pytest

from arena.game.limits import Limits
from arena.game.player import Fault
from support.bots import MakePlayer, first_move

LIMITS = Limits(move_seconds=20, first_move_seconds=40, load_seconds=60, memory_mb=512)


def sections(text: str) -> dict[str, str]:
    """Split a text at lines that begin with ###, which name the parts."""
    return dict(re.findall(r"^### (.+)\n((?:(?!### ).*\n)+)", text, re.MULTILINE))


HABITS = sections(r"""
### numpy: multiplies matrices
import numpy as np
a = np.ones((600, 600))
assert (a @ a)[5, 5] == 600
### numpy: decomposes a matrix
import numpy as np
assert abs(np.linalg.svd(np.eye(50) * 3)[1] - 3).max() < 1e-9
### numpy: has a generator of its own
import numpy as np
assert 0 <= np.random.default_rng(5).random() < 1
assert 0 <= np.random.default_rng().random() < 1
### numpy: saves and loads a table
import numpy as np
np.save("table.npy", np.arange(1000))
assert np.load("table.npy").sum() == 499500
assert np.load("table.npy", mmap_mode="r")[999] == 999
### numpy: maps its own file to read
import os
import numpy as np
own = np.memmap(__file__, dtype=np.uint8, mode="r")
assert len(own) == os.path.getsize(__file__) and chr(own[0]) == "d"
### draws random numbers
import random
assert random.choice([3]) == 3 and 0 <= random.random() < 1
assert 0 <= random.SystemRandom().random() < 1
### sleeps
import time
before = time.monotonic()
time.sleep(0.01)
assert time.monotonic() - before >= 0.01
### reads the clocks
import time
assert time.perf_counter() > 0 and time.process_time() > 0 and time.time() > 1e9
assert time.get_clock_info("perf_counter").monotonic
### imports the whole standard library
import importlib, sys
LEFT_OUT = {"antigravity", "this", "idlelib", "tkinter", "turtle", "turtledemo", "lib2to3"}
def pick_move(rack):
    for name in sorted(sys.stdlib_module_names - LEFT_OUT):
        if not name.startswith("_"):
            try:
                importlib.import_module(name)
            except ModuleNotFoundError:
                pass  # another system's, or left out of this build
### uses what it imports late
import ctypes, lzma, multiprocessing, sqlite3, zlib
base = sqlite3.connect(":memory:")
assert base.execute("SELECT 6 * 7").fetchone() == (42,)
assert lzma.decompress(lzma.compress(b"x" * 999)) == b"x" * 999
assert zlib.crc32(b"x") and ctypes.sizeof(ctypes.c_int) == 4
assert multiprocessing.current_process().pid
### tells the local time
import time, datetime
assert time.localtime().tm_year >= 2024 and datetime.datetime.now().astimezone().tzinfo
assert time.strftime("%Y")
### knows time zones
import zoneinfo
try:
    assert zoneinfo.ZoneInfo("Europe/Paris").key == "Europe/Paris"
except zoneinfo.ZoneInfoNotFoundError:
    pass  # as on a machine without them
### makes unique ids and secrets
import os, secrets, uuid
assert uuid.uuid4() != uuid.uuid4() and len(secrets.token_bytes(9)) == len(os.urandom(9)) == 9
### sets a timer
import threading
rang = threading.Event()
threading.Timer(0.01, rang.set).start()
assert rang.wait(10)
### has a pool of four threads
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool:
    assert list(pool.map(abs, range(-9, 0))) == list(range(9, 0, -1))
### sets an alarm
import signal
rang = []
def pick_move(rack):
    rang.clear()
    signal.signal(signal.SIGALRM, lambda *_: rang.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    while not rang:
        pass
    signal.alarm(5)
    assert 0 < signal.alarm(0) <= 5
### runs coroutines
import asyncio
async def think():
    await asyncio.sleep(0.001)
    return await asyncio.get_running_loop().run_in_executor(None, lambda: 6 * 7)
def pick_move(rack):
    assert asyncio.run(think()) == 42
### recurses twenty thousand deep
import sys
sys.setrecursionlimit(30_000)
NODE_FUNCTION = "shallow"
def shallow():
    pass
def deep(n):
    return 1 + deep(n - 1) if n else 0
def pick_move(rack):
    assert deep(20_000) == 20_000
### caches a hundred thousand positions
import functools, gc
@functools.lru_cache(maxsize=100_000)
def value(n):
    return (n,)
def pick_move(rack):
    for n in range(100_000):
        value(n)
    assert value.cache_info().currsize == 100_000
    gc.collect()
### has a table of a hundred megabytes
table = bytearray(b"x") * (100 << 20)
def pick_move(rack):
    assert table[-1] == 120
### asks what it has used
import resource
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0
assert resource.getrlimit(resource.RLIMIT_DATA)[0] != 0
### asks how many cores there are
import multiprocessing, os
assert os.cpu_count() >= 1 and multiprocessing.cpu_count() >= 1
assert len(os.sched_getaffinity(0)) >= 1
### asks who and where it is
import getpass, os
assert os.getpid() > 0 and os.getppid() > 0 and os.uname().sysname == "Linux"
assert os.getuid() >= 0 and os.path.isdir(os.getcwd())
assert os.path.isdir(os.path.expanduser("~"))
### asks for the platform
import platform
assert platform.system() == "Linux" and platform.python_version() and platform.platform()
assert platform.machine()
### logs to standard error
import logging
logging.basicConfig(level=logging.DEBUG)
def pick_move(rack):
    logging.getLogger("bot").debug("thinking %s", rack)
### pickles and unpickles its book
import pickle
with open("book.pickle", "wb") as book:
    pickle.dump({(1, 2): 3}, book)
with open("book.pickle", "rb") as book:
    assert pickle.load(book) == {(1, 2): 3}
### reads its own source
import inspect, pathlib
def pick_move(rack):
    assert "its own source" in pathlib.Path(__file__).read_text()
    assert inspect.getsource(pick_move).startswith("def pick_move")
### prints a flood
for i in range(100_000): print(i)
### prints to the descriptor
import os
os.write(1, b"x" * 9999)
### writes bytes to standard output
import sys
sys.stdout.buffer.write(b"x")
### reads standard input
try: input()
except EOFError: pass
### blocks its signals
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
### writes into memory
import io
buffer = io.BytesIO()
buffer.write(b"abc")
assert buffer.getvalue() == b"abc"
### catches an exit
import sys
try:
    sys.exit(1)
except SystemExit as error:
    assert error.code == 1
### has faults explained
import faulthandler, sys
faulthandler.enable()
def pick_move(rack):
    faulthandler.dump_traceback()
    assert faulthandler.is_enabled()
### traces its memory
import tracemalloc
tracemalloc.start()
kept = [bytes(1000) for _ in range(100)]
assert tracemalloc.get_traced_memory()[0] > 100_000
tracemalloc.stop()
### calls the C library for mathematics
import ctypes
libm = ctypes.CDLL("libm.so.6")
libm.sqrt.restype, libm.sqrt.argtypes = ctypes.c_double, [ctypes.c_double]
assert libm.sqrt(16) == 4
### writes to the null device
import os
with open(os.devnull, "w") as nowhere:
    print("x", file=nowhere)
### makes temporary files
import os, tempfile
with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile(dir=folder) as file:
    file.write(b"x")
    file.flush()
    assert os.path.getsize(file.name) == 1
with tempfile.TemporaryFile() as file:
    file.write(b"x")
### writes a log by a relative path
with open("moves.log", "a") as log:
    log.write("moved\n")
with open("moves.log") as log:
    assert "moved" in log.read()
### keeps a database beside its log
import sqlite3
def pick_move(rack):
    with sqlite3.connect("book.sqlite") as book:
        book.execute("CREATE TABLE IF NOT EXISTS seen (board TEXT)")
        book.execute("INSERT INTO seen VALUES (?)", (str(rack),))
        assert book.execute("SELECT count(*) FROM seen").fetchone()[0] > 0
    book.close()
""")

REFUSED = """
import multiprocessing, os, subprocess
def pick_move(rack):
    for start in (
        lambda: subprocess.run(["true"]),
        lambda: subprocess.check_output("true", shell=True),
        lambda: multiprocessing.Pool(2),
        lambda: multiprocessing.Process(target=print).start(),
        lambda: os.fork() or os._exit(0),
    ):
        try:
            start()
        except OSError as error:
            print("refused:", type(error).__name__)
        else:
            raise AssertionError("it was let")
"""

COMPILED = """
from numba import njit
@njit(cache=True)
def total(n):
    s = 0
    for i in range(n):
        s += i
    return s
def pick_move(rack):
    assert total(1000) == 499500
"""


def makes_moves(source: str, make_player: MakePlayer) -> None:
    if "def pick_move" not in source:
        source = f"def pick_move(rack):\n{indent(source, '    ')}"
    player = make_player(f"{source}    return 0\n", LIMITS)
    first_move(player)
    answer = player.ask(6)
    assert not isinstance(answer, Fault), answer.reason


@pytest.mark.parametrize("habit", HABITS)
def test_a_bot_may(habit: str, make_player: MakePlayer) -> None:
    makes_moves(HABITS[habit], make_player)


def test_a_bot_that_catches_it_plays_on_when_it_may_not_start_a_process(
    make_player: MakePlayer,
) -> None:
    makes_moves(REFUSED, make_player)


@pytest.mark.slow
def test_a_bot_may_compile_its_search_and_keep_it(make_player: MakePlayer) -> None:
    makes_moves(COMPILED, make_player)
