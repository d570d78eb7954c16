"""Contests in which nearly every bot is hostile, run by the command line.

They are gauntlets whose house players are honest bots. Every attack plays both sides of one opening
against each house player. In a round robin all attacks would meet all, for an hour.

Every file and folder in `bots/` is an attack. The second line of its docstring lists the allowed
results, `expect: ERROR, plays`: verdicts of games it may lose by a fault, and `plays` if it need
not lose any. An attack that succeeds returns column GOT_THROUGH, which is never allowed.

The last word may be `anyone`: such an attack targets the interpreter, the channel, the clock or the
memory of its own process, and asks the kernel for nothing that only root may do. It plays in root's
contest only.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from arena.common.names import house_folder
from arena.game.verdict import Verdict
from support.cores import EVERY_CORE, on_cores

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        platform.machine() != "x86_64", reason="the attacks call the kernel by x86-64 numbers"
    ),
]

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
HONEST = sorted(path.stem for path in (HERE / "honest").glob("*.py"))
# The honest bot that is entered like the attacks; the others are house players.
ENTERED = "plays_at_random"
USER = 12345  # User id of the contest that root does not run; an unused id.
SYSTEM_PYTHON = "/usr/bin/python3"  # An interpreter that every user can reach, if installed.

# Packages that the user's interpreter does not copy.
OURS = shutil.ignore_patterns("*.pth", "arena", "arena-*")
ANYONE = "anyone"  # Marks an attack for which it makes no difference who runs the contest.

# `python -m arena` with the bots of a folder as its house players.
LAUNCH = """
from pathlib import Path
from arena.intake import house_players
house_players.house_folder = lambda: Path({folder!r})
house_players.HOUSE = {names!r}
from arena.cli import main
main()
"""

GOT_THROUGH = "returned column 77"
RETIRED = "was retired"
LEFT_BEHIND = "arena-attack-was-here*"
# Attacks try to write here, and around the contest.
PUBLIC = ("/tmp", "/var/tmp", "/dev/shm", "/root", "/")
SECRET = "ARENA_TEST_SECRET"
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/",
    SECRET: "x",
    "NUMBA_CPU_NAME": os.environ["NUMBA_CPU_NAME"],  # its machine code is there
}
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
PR_SET_CHILD_SUBREAPER = 36

CONFIG = """
[limits]
load_seconds = 1.2
first_move_seconds = 0
move_seconds = 0.4
memory_mb = 256
nodes = 2000

[schedule]
openings = 1
seed = 7
retire_after = 1
"""


def _words(path: Path) -> frozenset[str]:
    source = path if path.is_file() else path / "bot.py"
    second_line = source.read_bytes().splitlines()[1].decode()
    return frozenset(second_line.removeprefix("expect: ").split(", "))


WORDS = {
    path.stem: _words(path)
    for path in sorted((HERE / "bots").iterdir())
    if path.suffix == ".py" or (path / "bot.py").is_file()
}
# Allowed results of each attack: names of verdicts, and `plays`.
EXPECTED = {name: words - {ANYONE} for name, words in WORDS.items()}

# The attacks in each contest.
ATTACKS = {
    "root": frozenset(WORDS),
    "an ordinary user": frozenset(name for name, words in WORDS.items() if ANYONE not in words),
}

# The house players of each contest; a user's limits could deny one of them its thread and its log.
# Root's contest has one: half of its attacks only target themselves, and the others meet two more
# house players in the user's.
VICTIMS = {"root": ("searches",), "an ordinary user": ("random", "prefers_threes")}
both = pytest.mark.parametrize("aftermath", ATTACKS, indirect=True)


@dataclass(frozen=True, slots=True)
class Aftermath:
    """Observations after a contest."""

    attacks: frozenset[str]
    victims: tuple[str, ...]  # house players, whom every attack met
    code: int
    said: str
    games: pd.DataFrame  # games.csv with the column `loser` added
    calm: pd.DataFrame  # the same of a contest without attacks
    texts: dict[str, str]  # every text file in the contest's folder, by its path
    changed: set[str]  # files outside the contest's folder that came, went or changed
    left: dict[int, str]  # command lines of the processes that were left, by process id


def _command(
    python: tuple[str, ...], who: dict[str, object], root: Path, *words: object
) -> tuple[int, str]:
    """Run one command line on every core; return its exit code and output."""
    with on_cores(EVERY_CORE):
        done = subprocess.run(
            [*python, *map(str, words)],
            cwd=root,
            env=ENVIRONMENT | {"TMPDIR": str(root / "tmp")},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=3600,
            **who,  # type: ignore[call-overload]
        )
    return done.returncode, done.stdout + done.stderr


def _children() -> dict[int, str]:
    """This process's live children with their command lines; dead ones are reaped."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            if not entry.name.isdigit() or int(parent) != os.getpid():
                continue
            if state == "Z":
                os.waitpid(int(entry.name), 0)
            else:
                found[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue  # it ended meanwhile
    return found


def _state(folder: Path) -> dict[str, object]:
    """Kind, mode, owner, time and content of everything in a folder."""
    found: dict[str, object] = {}
    for path in folder.rglob("*"):
        about = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        found[str(path)] = about.st_mode, about.st_uid, about.st_nlink, about.st_mtime_ns, content
    return found


def _outside(root: Path, bots: list[Path]) -> dict[str, object]:
    """The state of all that no contest may touch."""
    found: dict[str, object] = {}
    for folder in (root / "canary", root / "results" / "canary", root / "tmp", *bots):
        found |= _state(folder)
    marks = [path for name in PUBLIC for path in Path(name).glob(LEFT_BEHIND)]
    marks += (root / "results").rglob(LEFT_BEHIND)
    marks += root.glob(LEFT_BEHIND)
    found |= {str(path): path.lstat().st_mtime_ns for path in marks}
    return found


def _snapshots(results: Path) -> dict[str, object]:
    """The contests' copies of bots."""
    return {
        str(path.relative_to(results)): path.read_bytes()
        for path in results.glob("*/bots/*/**/*")
        if path.is_file()
    }


def _fight(
    python: str,
    who: dict[str, object],
    root: Path,
    attacks: frozenset[str],
    victims: tuple[str, ...],
) -> Aftermath:
    """Play a contest of attacks; observe everything before and after."""
    for canary in (root / "canary", root / "results" / "canary"):
        canary.mkdir(parents=True)
        for name in ("secret.txt", "spare.txt"):
            (canary / name).write_text("nobody's business\n")
            (canary / name).chmod(0o666)
        canary.chmod(0o777)
    (root / "tmp").mkdir()
    (root / "contest.toml").write_text(CONFIG)
    folders = hostile, calm, house = [root / "bots" / name for name in ("hostile", "calm", "house")]
    hostile.mkdir(parents=True)
    for name in attacks:
        source = HERE / "bots" / name
        if source.is_dir():
            shutil.copytree(source, hostile / name)
        else:
            shutil.copy(source.with_suffix(".py"), hostile)
    calm.mkdir()
    for folder in (hostile, calm):
        shutil.copy(HERE / "honest" / f"{ENTERED}.py", folder)
    shutil.copytree(house_folder(), house, ignore=shutil.ignore_patterns("__pycache__"))
    for name in HONEST:
        shutil.copy(HERE / "honest" / f"{name}.py", house)
    owner = who.get("user", os.getuid())
    for path in (root, *root.rglob("*")):
        os.chown(path, owner, -1)  # type: ignore[arg-type]
    launch = (python, "-c", LAUNCH.format(folder=str(house), names=victims))

    def run(bots: Path, name: str) -> tuple[int, str]:
        words = (
            *("--format", "gauntlet", "--config", "contest.toml", "--with-unloadable"),
            *("--out", f"results/{name}"),
        )
        return _command(launch, who, root, "run", bots, *words)

    before, children = _outside(root, folders), _children()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # orphans become ours to see
    try:
        code, said = run(hostile, "hostile")
        for _ in range(50):
            left = {pid: line for pid, line in _children().items() if pid not in children}
            if not left:
                break
            time.sleep(0.1)
    finally:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    after = _outside(root, folders)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    for path, content in _snapshots(root / "results").items():
        _, _, bot, name = path.split("/", 3)
        if content not in {source.read_bytes() for source in (root / "bots").glob(f"**/{name}")}:
            changed.add(f"{bot}/{name}")
    calm_code, calm_said = run(calm / f"{ENTERED}.py", "calm")
    assert calm_code == 0, calm_said
    return Aftermath(
        attacks=attacks,
        victims=victims,
        code=code,
        said=said,
        games=_games(root / "results" / "hostile"),
        calm=_games(root / "results" / "calm"),
        texts={
            str(path.relative_to(root)): path.read_text("utf-8", "replace")
            for suffix in ("csv", "md", "log", "toml")
            for path in (root / "results" / "hostile").glob(f"**/*.{suffix}")
            if "bots" not in path.parts[-3:-1]
        },
        changed=changed,
        left=left,
    )


def _games(folder: Path) -> pd.DataFrame:
    games = pd.read_csv(folder / "games.csv", keep_default_na=False)
    loser = games["second"].where(games["winner"] == games["first"], games["first"])
    return games.assign(loser=loser.where(games["winner"] != "", ""))


@pytest.fixture(scope="module")
def workplace() -> Iterator[Path]:
    """A folder that every user can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="attacked-") as name:
        os.chmod(name, 0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def public_python(workplace: Path) -> str:
    """An interpreter with Arena that an ordinary user can run: this one, else a new one."""
    if _reaches_arena(sys.executable):
        return sys.executable
    if not Path(SYSTEM_PYTHON).exists():
        pytest.skip(f"user {USER} cannot run {sys.executable}, and there is no {SYSTEM_PYTHON}")
    release = "import sys; print(*sys.version_info[:2])"
    theirs = _answer(SYSTEM_PYTHON, release)
    if tuple(map(int, theirs.split())) < (3, 11):
        pytest.skip(f"user {USER} cannot run {sys.executable}; {SYSTEM_PYTHON} is before 3.11")
    made = workplace / "venv"
    subprocess.run([SYSTEM_PYTHON, "-m", "venv", "--without-pip", made], check=True)
    if sys.prefix != sys.base_prefix and theirs == _answer(sys.executable, release):
        # what Arena requires need not be fetched and compiled again, only Arena is installed anew
        where = "import sysconfig; print(sysconfig.get_path('platlib'))"
        packages = _answer(sys.executable, where), _answer(str(made / "bin" / "python"), where)
        shutil.copytree(*packages, ignore=OURS, copy_function=_link, dirs_exist_ok=True)
    pip = [sys.executable, "-m", "pip", "--python", made / "bin" / "python"]
    subprocess.run([*pip, "install", "-q", REPOSITORY], check=True)
    python = str(made / "bin" / "python")
    assert _reaches_arena(python)
    return python


def _link(source: str, copy: str) -> None:
    try:
        os.link(source, copy)
    except OSError:
        shutil.copy2(source, copy)


def _answer(python: str, script: str) -> str:
    return subprocess.run([python, "-c", script], capture_output=True, text=True).stdout.strip()


def _reaches_arena(python: str) -> bool:
    try:
        done = subprocess.run(
            [python, "-c", "import arena.cli"],
            cwd="/",
            env={},
            user=USER,
            group=USER,
            extra_groups=[],
            capture_output=True,
        )
    except OSError:
        return False
    return done.returncode == 0


@pytest.fixture(scope="module")
def fought(request: pytest.FixtureRequest, workplace: Path) -> Callable[[str], Aftermath]:
    """`fought("root")`: the aftermath of root's contest or of the user's, played once."""

    @cache
    def fight(name: str) -> Aftermath:
        root = workplace / name.replace(" ", "-")
        root.mkdir()
        python, who = sys.executable, {}
        if name != "root" and os.getuid() == 0:
            python = request.getfixturevalue("public_python")
            who = {"user": USER, "group": USER, "extra_groups": []}
        return _fight(python, who, root, ATTACKS[name], VICTIMS[name])

    return fight


@pytest.fixture
def aftermath(request: pytest.FixtureRequest, fought: Callable[[str], Aftermath]) -> Aftermath:
    if request.param == "root" and os.getuid() != 0:
        pytest.skip("only root can start a contest as root")
    return fought(request.param)


JOIN = """
import os, sys
open(sys.argv[1], "w").write(str(os.getpid()))
if user := int(sys.argv[2]):
    os.setgroups([]), os.setgid(user), os.setuid(user)
os.execv(sys.argv[3], sys.argv[3:])
"""
NEEDS_HALF = """
import threading, time
def think():
    until = time.thread_time() + 0.2
    while time.thread_time() < until: pass
def pick_move(rack):
    thread = threading.Thread(target=think)
    thread.start()
    thread.join()
    return max(c for c, column in enumerate(rack) if column[-1] == 0)
"""
TAKING_WHAT_IS_THE_OTHERS = (
    "starts_every_thread_there_is",
    "computes_once_it_has_answered",
    "continues_itself",
)


@pytest.fixture
def one_core() -> Iterator[Path]:
    """The file for members of a control group with one core's time."""
    groups = Path("/sys/fs/cgroup")
    group = (groups / "cpu" if (groups / "cpu").is_dir() else groups) / f"arena-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no group can be made: {error}")
    try:
        limits = ("cpu.cfs_quota_us", "100000"), ("cpu.max", "100000 100000")
        quota, value = next(
            (group / name, value) for name, value in limits if (group / name).exists()
        )
        quota.write_text(value)
        yield group / "cgroup.procs"
    except (OSError, StopIteration) as error:
        pytest.skip(f"its share of the cores cannot be limited: {error}")
    finally:
        for _ in range(100):
            try:
                group.rmdir()
                break
            except OSError:
                time.sleep(0.05)  # its last process is on its way out


@pytest.mark.parametrize("unprivileged", [False, True], ids=["root", "an ordinary user"])
def test_nobody_takes_the_core_or_the_threads_of_another(
    unprivileged: bool, one_core: Path, workplace: Path, request: pytest.FixtureRequest
) -> None:
    root = workplace / request.node.name
    for folder in (root, root / "bots", root / "tmp"):
        folder.mkdir()
    for name in TAKING_WHAT_IS_THE_OTHERS:
        shutil.copy(HERE / "bots" / f"{name}.py", root / "bots")
    (root / "bots" / "honest.py").write_text(NEEDS_HALF)
    (root / "contest.toml").write_text(CONFIG.replace("retire_after = 1", ""))
    python = sys.executable
    if unprivileged:
        python = request.getfixturevalue("public_python")
        for path in (root, *root.rglob("*")):
            os.chown(path, USER, -1)
    join = (sys.executable, "-c", JOIN, str(one_core), str(USER if unprivileged else 0))
    words = ("run", "bots", "--no-house", "--config", "contest.toml", "--out", "results/r")
    code, said = _command((*join, python, "-m", "arena"), {}, root, *words)
    assert code == 0, said
    games = _games(root / "results" / "r")
    faults = [verdict.name for verdict in Verdict if verdict.is_fault]
    lost = games[(games["loser"] == "honest") & games["verdict"].isin(faults)]
    assert lost["reason"].tolist() == []


def _faults(aftermath: Aftermath) -> pd.DataFrame:
    """Games that were played and lost by a fault."""
    games = aftermath.games
    names = [verdict.name for verdict in Verdict if verdict.is_fault]
    played = games["verdict"].isin(names) & ~games["reason"].str.contains(RETIRED)
    return games[played & (games["loser"] != "")]


def test_every_attack_lists_its_allowed_results() -> None:
    names = {verdict.name for verdict in Verdict if verdict.is_fault} | {"plays"}
    assert len(EXPECTED) > 100
    for name, expected in EXPECTED.items():
        assert expected <= names, name


@both
def test_the_contest_finishes_without_a_traceback(aftermath: Aftermath) -> None:
    assert aftermath.code == 0, aftermath.said
    assert "Traceback" not in aftermath.said
    house = len(aftermath.victims)
    pairings = (len(aftermath.attacks) + 1) * house + house * (house - 1) // 2
    assert len(aftermath.games) == 2 * pairings


@pytest.mark.parametrize(
    ("aftermath", "attack"),
    [(who, name) for who, names in ATTACKS.items() for name in sorted(names)],
    indirect=["aftermath"],
)
def test_the_attack_comes_to_what_it_must(attack: str, aftermath: Aftermath) -> None:
    faults = _faults(aftermath)
    mine = faults[faults["loser"] == attack]
    seen = set(mine["verdict"])
    assert not mine["reason"].str.contains(GOT_THROUGH).any(), "it got through"
    assert seen <= EXPECTED[attack], mine["reason"].iloc[0]
    assert seen or "plays" in EXPECTED[attack], "it lost no game by a fault"


@both
def test_an_honest_bot_loses_no_game_by_a_fault(aftermath: Aftermath) -> None:
    faults = _faults(aftermath)
    honest = {ENTERED, *aftermath.victims}
    assert faults[faults["loser"].isin(honest)]["reason"].tolist() == []
    for name in aftermath.victims:
        mine = aftermath.games[aftermath.games[["first", "second"]].eq(name).any(axis=1)]
        assert len(mine) > 2 * len(aftermath.attacks)


@both
def test_honest_games_are_what_they_are_without_attackers(aftermath: Aftermath) -> None:
    columns = ["first", "second", "opening", "moves", "winner", "verdict", "key"]
    honest = {ENTERED, *aftermath.victims}
    games = aftermath.games[columns]
    between = games[games["first"].isin(honest) & games["second"].isin(honest)]
    calm = aftermath.calm[columns]
    assert between.sort_values("key").values.tolist() == calm.sort_values("key").values.tolist()
    assert len(calm) == len(honest) * (len(honest) - 1)


@both
def test_nothing_outside_the_contest_came_or_went_or_changed(aftermath: Aftermath) -> None:
    assert aftermath.changed == set()


@both
def test_no_process_is_left(aftermath: Aftermath) -> None:
    assert aftermath.left == {}


@both
def test_no_control_character_of_a_bot_reaches_a_terminal_or_a_file(aftermath: Aftermath) -> None:
    for path, text in aftermath.texts.items():
        assert not UNPRINTABLE.search(text), path
    assert not UNPRINTABLE.search(aftermath.said)
