"""Contests in which nearly every bot is hostile, run by the command line.

They are gauntlets whose house players are honest bots. Every attack plays both sides of one opening
against each house player. In a round robin all attacks would meet all, for an hour.

Every file and folder in `bots/` is an attack, and every function with a docstring in a module of
`functions/`: a bot of that function and of what it uses of the module, which plays the first free
column where it returns nothing. `expect: ERROR, plays` in the docstring lists the allowed results:
verdicts of games it may lose by a fault, and `plays` if it need not lose any. An attack that
succeeds returns column GOT_THROUGH, which is never allowed.

Two other words may follow. `anyone`: the attack targets the interpreter, the channel, the clock or
the memory of its own process, and asks the kernel for nothing that only root may do. It plays in
root's contest only. `refused`: an OSError ends the function as if it returned nothing.
"""

from __future__ import annotations

import ast
import ctypes
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import arena
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
HONEST = sorted(path.stem for path in (HERE / "honest").glob("*.py"))
# The honest bot that is entered like the attacks; the others are house players.
ENTERED = "plays_at_random"
USER = 12345  # User id of the contest that root does not run; an unused id.
AS_USER: dict[str, Any] = {"user": USER, "group": USER, "extra_groups": []}
SYSTEM_PYTHON = "/usr/bin/python3"  # An interpreter that every user can reach, if installed.

# What the user's interpreter needs no link to; it gets a copy of `arena`.
UNNEEDED = shutil.ignore_patterns(
    *("*.pth", "arena", "tests", "*.pyi"),
    *("babel", "mypy*", "pip", "playwright", "scipy", "sphinx*"),
)
ANYONE = "anyone"  # Marks an attack for which it makes no difference who runs the contest.
REFUSED = "refused"  # Marks a function that ends with the first OSError.

# `python -m arena` with the bots of a folder as its house players. Trials before the contest are
# few and short, as games try the same.
LAUNCH = """
from pathlib import Path
from arena.trials import pace
from arena.intake import house_players
pace.PROBING_SECONDS, pace.USUAL_BOARDS, pace.STAGES = 0.1, (), ()
pace.openings = lambda rules: [()]
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
load_seconds = 0.6
first_move_seconds = 0
move_seconds = 0.25
memory_mb = 256
nodes = 2000

[schedule]
openings = 1
seed = 7
retire_after = 1
"""


OF_ONE_FUNCTION = """{attack}

def pick_move(rack):
    try:
        column = {name}(rack)
    except {refusal}:
        column = None
    return [column[-1] for column in rack].index(0) if column is None else column
"""


def _functions() -> Iterator[tuple[str, tuple[frozenset[str], str]]]:
    """Yield the name of each attack in `functions/`, its words, and a bot's source file of it."""
    for path in sorted((HERE / "functions").glob("*.py")):
        text = path.read_text()
        parts, lines = ast.parse(text).body, text.splitlines()
        for place, attack in enumerate(parts):
            if not isinstance(attack, ast.FunctionDef) or ast.get_docstring(attack) is None:
                continue  # what attacks share
            needed, names = [attack], _used(attack)
            for part in reversed(parts[:place]):
                if _defined(part) & names:
                    needed.insert(0, part)
                    names |= _used(part)
            words = _words(ast.get_docstring(attack))
            source = OF_ONE_FUNCTION.format(
                attack="\n\n".join(
                    "\n".join(lines[part.lineno - 1 : part.end_lineno]) for part in needed
                ),
                name=attack.name,
                refusal="OSError" if REFUSED in words else "()",
            )
            yield attack.name, (words - {REFUSED}, source)


def _used(part: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}


def _defined(part: ast.stmt) -> set[str]:
    if isinstance(part, ast.Import | ast.ImportFrom):
        return {(each.asname or each.name).partition(".")[0] for each in part.names}
    if isinstance(part, ast.Assign):
        return set().union(*map(_used, part.targets))
    return {part.name} if isinstance(part, ast.FunctionDef | ast.ClassDef) else set()


def _words(docstring: str | None) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", (docstring or "").rpartition("expect: ")[2]))


def _words_of_file(path: Path) -> frozenset[str]:
    source = path if path.is_file() else path / "bot.py"
    return _words(source.read_bytes().splitlines()[1].decode())


FUNCTIONS = dict(_functions())
WORDS = {name: words for name, (words, _) in FUNCTIONS.items()} | {
    path.stem: _words_of_file(path)
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

# The house player of each contest; a user's limits could deny this one its thread and its log.
VICTIM = {"root": "searches", "an ordinary user": "prefers_threes"}
both = pytest.mark.parametrize("aftermath", ATTACKS, indirect=True)


@dataclass(frozen=True, slots=True)
class Aftermath:
    """Observations after a contest."""

    attacks: frozenset[str]
    victim: str  # the house player, whom every attack met
    code: int
    said: str
    games: pd.DataFrame  # games.csv with the column `loser` added
    faults: pd.DataFrame  # those of them that were played and lost by a fault
    texts: dict[str, str]  # every text file in the contest's folder, by its path
    changed: set[str]  # files outside the contest's folder that came, went or changed
    left: dict[int, str]  # command lines of the processes that were left, by process id


def _command(
    python: tuple[str, ...], who: dict[str, Any], root: Path, *words: object
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
            **who,
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


def _outside(root: Path) -> dict[str, object]:
    """The state of all that no contest may touch."""
    found: dict[str, object] = {}
    for name in ("canary", "results/canary", "tmp", "bots", "house"):
        found |= _state(root / name)
    marks = [path for name in PUBLIC for path in Path(name).glob(LEFT_BEHIND)]
    marks += (root / "results").rglob(LEFT_BEHIND)
    marks += root.glob(LEFT_BEHIND)
    found |= {str(path): path.lstat().st_mtime_ns for path in marks}
    return found


def _prepare(root: Path, attacks: Iterable[str], who: dict[str, Any]) -> None:
    """Create what a contest of these attacks needs, in a folder of whoever runs it."""
    (root / "tmp").mkdir(parents=True)
    (root / "contest.toml").write_text(CONFIG)
    shutil.copytree(house_folder(), root / "house", ignore=shutil.ignore_patterns("__pycache__"))
    for name in HONEST:
        shutil.copy(HERE / "honest" / f"{name}.py", root / "house")
    (root / "bots").mkdir()
    shutil.copy(HERE / "honest" / f"{ENTERED}.py", root / "bots")
    for name in attacks:
        source = HERE / "bots" / name
        if name in FUNCTIONS:
            (root / "bots" / f"{name}.py").write_text(FUNCTIONS[name][1])
        elif source.is_dir():
            shutil.copytree(source, root / "bots" / name)
        else:
            shutil.copy(source.with_suffix(".py"), root / "bots")
    for canary in (root / "canary", root / "results" / "canary"):
        canary.mkdir(parents=True)
        for name in ("secret.txt", "spare.txt"):
            (canary / name).write_text("nobody's business\n")
            (canary / name).chmod(0o666)
        canary.chmod(0o777)
    for path in (root, *root.rglob("*")):
        os.chown(path, who.get("user", os.getuid()), -1)


def _play(
    launch: tuple[str, ...],
    who: dict[str, Any],
    root: Path,
    *victims: str,
    bots: str = "bots",
) -> tuple[int, str]:
    """Play the contest of a prepared folder; return its exit code and output."""
    script = LAUNCH.format(folder=str(root / "house"), names=victims)
    words = ("--format", "gauntlet", "--config", "contest.toml", "--with-unloadable")
    words += ("--grade", "none")  # else six house players enter, for the scale
    return _command((*launch, "-c", script), who, root, "run", bots, *words, "--out", "results/r")


def _fight(python: str, who: dict[str, Any], root: Path, name: str) -> Aftermath:
    """Play a contest of attacks; observe everything before and after."""
    _prepare(root, ATTACKS[name], who)
    before, children = _outside(root), _children()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # orphans become ours to see
    try:
        code, said = _play((python,), who, root, VICTIM[name])
        for _ in range(50):
            left = {pid: line for pid, line in _children().items() if pid not in children}
            if not left:
                break
            time.sleep(0.1)
    finally:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    after = _outside(root)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    copies = root / "results" / "r" / "bots"
    for copy in filter(Path.is_file, copies.glob("*/**/*")):
        file = str(copy.relative_to(copies)).partition("/")[2]
        sources = [*(root / "bots").glob(f"**/{file}"), *(root / "house").glob(f"**/{file}")]
        if copy.read_bytes() not in {source.read_bytes() for source in sources}:
            changed.add(str(copy))
    games = _games(root)
    names = [verdict.name for verdict in Verdict if verdict.is_fault]
    played = games["verdict"].isin(names) & ~games["reason"].str.contains(RETIRED)
    return Aftermath(
        attacks=ATTACKS[name],
        victim=VICTIM[name],
        code=code,
        said=said,
        games=games,
        faults=games[played & (games["loser"] != "")],
        texts={
            str(path.relative_to(root)): path.read_text("utf-8", "replace")
            for suffix in ("csv", "md", "log", "toml")
            for path in (root / "results" / "r").glob(f"**/*.{suffix}")
            if "bots" not in path.parts[-3:-1]
        },
        changed=changed,
        left=left,
    )


def _games(root: Path) -> pd.DataFrame:
    games = pd.read_csv(root / "results" / "r" / "games.csv", keep_default_na=False)
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
    """An interpreter with Arena that an ordinary user can run: this one, else a copy."""
    if _reaches_arena(sys.executable):
        return sys.executable
    release = "import sys; print(*sys.version_info[:2])"
    if _answer(SYSTEM_PYTHON, release) != _answer(sys.executable, release):
        pytest.skip(f"user {USER} cannot run {sys.executable}; no {SYSTEM_PYTHON} of its release")
    subprocess.run([SYSTEM_PYTHON, "-m", "venv", "--without-pip", workplace / "venv"], check=True)
    python = str(workplace / "venv" / "bin" / "python")
    where = "import sysconfig; print(sysconfig.get_path('platlib'))"
    packages = Path(_answer(python, where))
    shutil.copytree(
        _answer(sys.executable, where),
        packages,
        ignore=UNNEEDED,
        copy_function=_link,
        dirs_exist_ok=True,
    )
    shutil.copytree(Path(arena.__file__).parent, packages / "arena")
    shutil.copytree(house_folder(), packages / "arena" / "bots", dirs_exist_ok=True)
    assert _reaches_arena(python)
    return python


def _link(source: str, copy: str) -> None:
    try:
        os.link(source, copy)
    except OSError:
        shutil.copy2(source, copy)


def _answer(python: str, script: str, **who: Any) -> str:
    """Return what a script prints, nothing if it cannot run."""
    try:
        done = subprocess.run([python, "-c", script], capture_output=True, text=True, **who)
    except OSError:
        return ""
    return done.stdout.strip()


def _reaches_arena(python: str) -> bool:
    script = "import arena.cli; print(True)"
    return bool(_answer(python, script, cwd="/", env={}, **AS_USER))


@pytest.fixture(scope="module")
def fought(request: pytest.FixtureRequest, workplace: Path) -> Callable[[str], Aftermath]:
    """`fought("root")`: the aftermath of root's contest or of the user's, played once."""

    @cache
    def fight(name: str) -> Aftermath:
        root = workplace / name.replace(" ", "-")
        if name == "root" or os.getuid() != 0:
            return _fight(sys.executable, {}, root, name)
        return _fight(request.getfixturevalue("public_python"), AS_USER, root, name)

    return fight


@pytest.fixture(scope="module")
def calm(workplace: Path) -> pd.DataFrame:
    """The games of all honest bots in a contest without attacks."""
    _prepare(workplace / "calm", (), {})
    entered = f"bots/{ENTERED}.py"
    code, said = _play((sys.executable,), {}, workplace / "calm", *VICTIM.values(), bots=entered)
    assert code == 0, said
    return _games(workplace / "calm")


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
    until = time.thread_time() + 0.125
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
    if (groups / "cpu").is_dir():
        groups /= "cpu"
    try:
        group = Path(tempfile.mkdtemp(prefix="arena-", dir=groups))
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
    root, who = workplace / request.node.name, {"user": USER} if unprivileged else {}
    _prepare(root, TAKING_WHAT_IS_THE_OTHERS, who)
    (root / "house" / "honest.py").write_text(NEEDS_HALF)
    (root / "contest.toml").write_text(CONFIG.replace("retire_after = 1", ""))
    python = request.getfixturevalue("public_python") if unprivileged else sys.executable
    join = (sys.executable, "-c", JOIN, str(one_core), str(who.get("user", 0)), python)
    code, said = _play(join, {}, root, "honest")
    assert code == 0, said
    games = _games(root)
    assert len(games) == 2 * (len(TAKING_WHAT_IS_THE_OTHERS) + 1)
    faults = [verdict.name for verdict in Verdict if verdict.is_fault]
    lost = games[(games["loser"] == "honest") & games["verdict"].isin(faults)]
    assert lost["reason"].tolist() == []


def test_every_attack_lists_its_allowed_results() -> None:
    names = {verdict.name for verdict in Verdict if verdict.is_fault} | {"plays"}
    assert len(EXPECTED) > 100
    for name, expected in EXPECTED.items():
        assert expected <= names, name


@both
def test_the_contest_finishes_without_a_traceback(aftermath: Aftermath) -> None:
    assert aftermath.code == 0, aftermath.said
    assert "Traceback" not in aftermath.said
    assert len(aftermath.games) == 2 * (len(aftermath.attacks) + 1)


@pytest.mark.parametrize(
    ("aftermath", "attack"),
    [(who, name) for who, names in ATTACKS.items() for name in sorted(names)],
    indirect=["aftermath"],
)
def test_the_attack_comes_to_what_it_must(attack: str, aftermath: Aftermath) -> None:
    mine = aftermath.faults[aftermath.faults["loser"] == attack]
    seen = set(mine["verdict"])
    assert not mine["reason"].str.contains(GOT_THROUGH).any(), "it got through"
    assert seen <= EXPECTED[attack], mine["reason"].iloc[0]
    assert seen or "plays" in EXPECTED[attack], "it lost no game by a fault"


@both
def test_an_honest_bot_loses_no_game_by_a_fault(aftermath: Aftermath) -> None:
    honest = aftermath.faults["loser"].isin([ENTERED, aftermath.victim])
    assert aftermath.faults[honest]["reason"].tolist() == []


@both
def test_honest_games_are_what_they_are_without_attackers(
    aftermath: Aftermath, calm: pd.DataFrame
) -> None:
    columns = ["first", "second", "opening", "moves", "winner", "verdict", "key"]
    honest = [ENTERED, aftermath.victim]
    theirs, expected = (
        games[games["first"].isin(honest) & games["second"].isin(honest)][columns]
        for games in (aftermath.games, calm)
    )
    assert theirs.sort_values("key").values.tolist() == expected.sort_values("key").values.tolist()
    assert len(theirs) == 2


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
