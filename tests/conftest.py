"""Fixtures of many tests: command lines, demo bots, bots from source text, a zygote."""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `arena.cli.main` does, before numpy
os.environ.setdefault("NUMBA_CPU_NAME", "generic")  # as in Gradescope's image: compiled once

import gc
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from compileall import compile_dir
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest
from hypothesis import settings

import arena
from arena.cli import main
from arena.cli.streams import ENDING
from arena.common.errors import ArenaError
from arena.common.names import house_folder
from arena.engine.machine_code import compile_engine
from arena.game.bot_player import BotPlayer
from arena.game.limits import Limits
from arena.game.record import Bot
from arena.game.starter import Starter, new_starter
from arena.intake.submission import read_submission
from support.bots import FIRST_FREE, MakeBot, MakePlayer, MakeProgram, as_entered, program
from support.command_line import Typed
from support.cores import on_cores, share

# Tests do not measure time. CI tries the same examples each time; others are tried at night.
settings.register_profile("arena", deadline=None, max_examples=50, derandomize="CI" in os.environ)
settings.register_profile("nightly", deadline=None, max_examples=500, derandomize=False)
settings.load_profile("arena")


TESTS = Path(__file__).parent
LONGEST = {
    TESTS / name
    for name in (
        "attacks/test_attacks.py",
        "autograder/test_gradescope.py",
        "e2e/test_commands.py",
    )
}
"""Files whose tests take longer than their number tells."""

WHOLE = [TESTS / name for name in ("e2e", "corpus", "seeds")]
"""Folders of whole commands and submissions, which belong to no room's quick tests."""


def pytest_configure() -> None:
    """Let SIGINT interrupt: a shell's background job ignores it, and its children inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the engine and the tests if nobody has, before each worker does it for itself."""
    if "PYTEST_XDIST_WORKER" in os.environ or session.config.option.collectonly:
        return
    if not sys.dont_write_bytecode:
        compile_dir(Path(arena.__file__).parent, quiet=2)  # zygotes write no bytecode
    collecting = None
    new = _not_compiled(session.config.args)
    if new and session.config.getoption("numprocesses", None):
        collect = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-n", "0", *new]
        # the workers report what cannot be collected
        collecting = subprocess.Popen(collect, stdout=subprocess.DEVNULL)
    with suppress(ArenaError):  # tests of the engine report that
        list(compile_engine())
    if collecting:
        collecting.wait()


def _not_compiled(named: list[str]) -> list[Path]:
    """Return the modules of these tests whose `assert` statements pytest has not yet rewritten."""
    if sys.dont_write_bytecode:
        return []
    wanted = [Path(name.partition("::")[0]).absolute() for name in named]
    return [
        module
        for module in sorted(TESTS.rglob("test_*.py"))
        if any(map(module.is_relative_to, wanted))
        and not any((module.parent / "__pycache__").glob(f"{module.stem}.*-pytest-*.pyc"))
    ]


def pytest_collection() -> None:
    """Look for no garbage in what is imported."""
    gc.disable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take longest first: at the end, no worker waits for another."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: (item.path not in LONGEST, -slow[item.path]))
    for item in items:
        if any(map(item.path.is_relative_to, WHOLE)):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Leave what is there before the first test to no search for garbage: each lane makes one."""
    gc.enable()
    gc.collect()
    gc.freeze()


@pytest.fixture
def typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Typed:
    """`typed(word, …)`: exit code, output and errors of a command line, run in this process.

    For what ends before a bot is started: a process of its own would show no more.
    """

    def run(*words: object) -> tuple[object, str, str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["arena", *map(str, words)])
        handlers = {number: signal.getsignal(number) for number in ENDING}
        try:
            with on_cores(share()), pytest.raises(SystemExit) as ended:
                main()
        finally:  # a command ignores these signals once it has ended, and children inherit that
            for number, handler in handlers.items():
                signal.signal(number, handler)
        said = capsys.readouterr()
        assert "Traceback" not in said.err, said.err
        return ended.value.code, said.out, said.err

    return run


@pytest.fixture(scope="session")
def load_bot() -> Callable[[str], ModuleType]:
    """A function from the name of a demo bot to a module freshly loaded from its file, under a
    name of its own, as the host does."""

    def load(name: str) -> ModuleType:
        file = house_folder() / f"{name}.py"
        spec = spec_from_file_location(f"demo_bot_{name}", file)
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture
def make_bot(tmp_path: Path) -> MakeBot:
    """`make_bot(source)`: a bot of one file, or of several with `name=source`."""
    made = 0

    def make(source: str = FIRST_FREE, **more: object) -> Bot:
        nonlocal made
        made += 1
        folder = tmp_path / f"bot{made}"
        folder.mkdir()
        (folder / "bot.py").write_text(dedent(source))
        files = {k: v for k, v in more.items() if k.startswith("file_")}
        for name, text in files.items():
            (folder / f"{name.removeprefix('file_')}.py").write_text(dedent(str(text)))
        found = read_submission(folder)
        settings = {k: v for k, v in more.items() if k not in files}
        return as_entered(found, folder, **settings)  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def zygote() -> Iterator[Starter]:
    """One starter for all tests of real bot processes: a zygote, but in home mode."""
    started = new_starter()
    yield started
    started.close()


@pytest.fixture
def players() -> Iterator[list[BotPlayer]]:
    """Players in real processes, ended after the test."""
    players: list[BotPlayer] = []
    yield players
    for player in players:
        player.__exit__(None, None, None)


@pytest.fixture
def make_player(zygote: Starter, make_bot: MakeBot, players: list[BotPlayer]) -> MakePlayer:
    """`make_player(source, limits=…)`: a bot in a real process."""

    def make(source: str = FIRST_FREE, limits: Limits | None = None, **more: object) -> BotPlayer:
        players.append(BotPlayer(zygote, make_bot(source, **more), limits or Limits()))
        return players[-1]

    return make


@pytest.fixture
def make_program(zygote: Starter, tmp_path: Path, players: list[BotPlayer]) -> MakeProgram:
    """`make_program("lines", source, limits, command=…)`: a `program` in a real process."""

    def make(
        interface: str,
        files: str | dict[str, str | bytes],
        limits: Limits | None = None,
        **options: object,
    ) -> BotPlayer:
        bot = program(tmp_path / f"program{len(players)}", interface, files, **options)
        players.append(BotPlayer(zygote, bot, limits or Limits()))
        return players[-1]

    return make
