"""A small bot for everything that was seen in real submissions, each with what must come of it.

A bot of `bots/` says so in its first lines, or, where it has no lines of its own to say it in, in
`expected.toml`:

    expect: plays as next_move AIPlayer         needs no fault; interface and entry if they matter
    expect: ILLEGAL_MOVE returned None          loses by this verdict, with this in its reason
    expect: problem is written for Python 2     cannot play, with this in what is said of it
    note: has no board                          this is in the notes of what was done with it
    rules: 8x8                                  rows x columns; 6x7 if it is not said
    options: depth = 2                          what the contest file says of it

`expected.toml` also has bots that are `CHANGED` with other words in some places.
"""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from arena.contest.entries import bots_by_name, enter
from arena.courses.roster import find_roster
from arena.game.bot_player import BotPlayer
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.player import Answer, Fault
from arena.game.record import Bot, GameRecord
from arena.game.starter import Starter
from arena.game.verdict import Verdict
from arena.intake.files import holds
from arena.intake.submission import Submission
from arena.interfaces import Overrides
from arena.rules import Ruleset
from arena.settings.contest import BotEntry, Contest
from support.bots import key

HERE = Path(__file__).parent
BOTS = HERE / "bots"
CHANGED = "one_move_as_it_should_be.py"
HEADER = re.compile(rb"(?:\A|[\r\n])\W*(expect|note|rules|options): ([^\r\n]*)")
HEADER_BYTES = 600
OPPONENT = Bot(content_hash="opponent", root="")
MOVES = 3
"""Moves that the opponent makes before it gives up."""

LIMITS = Limits(move_seconds=10, first_move_seconds=20)
GIVES_UP = "gives up"


@dataclass(frozen=True, kw_only=True)
class Expected:
    expect: str
    note: str = ""
    rules: str = "6x7"
    options: Mapping[str, object] = field(default_factory=dict)
    changes: Mapping[str, str] = field(default_factory=dict)


def _expected() -> dict[str, Expected]:
    table: dict[str, Any] = tomllib.loads((HERE / "expected.toml").read_text("utf-8"))
    found = {name: Expected(**said) for name, said in table.items()}
    for path in sorted(path for path in BOTS.iterdir() if path.name not in found):
        files = [path] if path.is_file() else sorted(path.rglob("*.py"))
        said: dict[str, Any] = {}
        for file in files:
            for word, text in HEADER.findall(file.read_bytes()[:HEADER_BYTES]):
                said[word.decode()] = text.decode()
        if "options" in said:
            said["options"] = tomllib.loads(said["options"])
        found[path.name] = Expected(**said)
    return found


EXPECTED = _expected()


class Opponent:
    """Plays the last free column, and gives up after MOVES moves."""

    def __init__(self) -> None:
        self._free: list[int] = []
        self._moves = 0

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        self._free = [rules.rows] * rules.columns
        return None

    def ask(self, seen: int) -> Answer | Fault:
        if self._moves == MOVES:
            return Fault(Verdict.ERROR, GIVES_UP)
        self._moves += 1
        if seen >= 0:
            self._free[seen] -= 1
        column = max(c for c, free in enumerate(self._free) if free)
        self._free[column] -= 1
        return column, 0, 0

    def dismiss(self) -> str:
        return ""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of `bots/`, and the bots that are made by changes."""
    folder = shutil.copytree(BOTS, tmp_path_factory.mktemp("corpus") / "bots")
    for name, expected in EXPECTED.items():
        text = (BOTS / CHANGED).read_text() if expected.changes else ""
        for old, new in expected.changes.items():
            assert old in text
            text = text.replace(old, new)
        if text:
            (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def submissions(folder: Path) -> dict[str, Submission]:
    roster = find_roster([folder])
    return {submission.source.name: submission for submission in roster.submissions}


@pytest.fixture(scope="module")
def bots(
    submissions: Mapping[str, Submission], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Bot]:
    wishes = {
        submissions[name].name: BotEntry(overrides=Overrides(options=expected.options))
        for name, expected in EXPECTED.items()
        if expected.options
    }
    contest, entered = enter(Contest(bots=wishes), list(submissions.values()), ())
    folder = tmp_path_factory.mktemp("snapshots")
    for submission in entered.values():
        if submission.problem is None:
            submission.copy_to(folder / submission.content_hash)
            assert holds(folder / submission.content_hash, submission.content_hash)
    found = bots_by_name(contest, folder)
    return {name: found[submission.name] for name, submission in submissions.items()}


def games(
    zygote: Starter, bot: Bot, rules: Ruleset
) -> Generator[tuple[GameRecord, int], None, None]:
    """Play a game on each side. Whoever stops early must close it, which ends the bot."""
    with BotPlayer(zygote, bot, LIMITS) as player:
        yield play(key(bot, OPPONENT, rules=rules, limits=LIMITS), player, Opponent()), 0
        yield play(key(OPPONENT, bot, rules=rules, limits=LIMITS), Opponent(), player), 1


def test_every_bot_is_read_and_nothing_else(
    submissions: Mapping[str, Submission], folder: Path
) -> None:
    assert submissions.keys() == EXPECTED.keys() == {path.name for path in folder.iterdir()}
    verdicts = {verdict.name for verdict in Verdict if verdict.is_fault}
    for expected in EXPECTED.values():
        assert expected.expect.split()[0] in {"plays", "problem"} | verdicts


SLOW = ("compiles_with_numba.py",)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in EXPECTED],
)
def test_what_was_seen_comes_to_what_it_must(
    name: str, submissions: Mapping[str, Submission], bots: Mapping[str, Bot], zygote: Starter
) -> None:
    expected, submission = EXPECTED[name], submissions[name]
    outcome, _, rest = expected.expect.partition(" ")
    if outcome == "problem":
        assert rest in (submission.problem or "it can play")
        assert "\n" not in (submission.problem or "")
        return
    assert submission.problem is None
    assert expected.note in " ".join(submission.notes)
    if outcome == "plays" and rest:
        point = submission.entry_point
        assert f"as {point.interface} {point.name}".startswith(rest)
    rows, columns = map(int, expected.rules.split("x"))
    with closing(games(zygote, bots[name], Ruleset(rows=rows, columns=columns))) as played:
        require(name, played)


def require(name: str, games: Iterable[tuple[GameRecord, int]]) -> None:
    """Check that these games, each with the bot's seat, end as expected of a bot that can play."""
    outcome, _, rest = EXPECTED[name].expect.partition(" ")
    absent = re.search(r"No module named '(\w+)'", rest)
    if absent and find_spec(absent[1]):
        pytest.skip(f"{absent[1]} is installed here")
    seen = []
    for record, seat in games:
        if record.loser == seat and record.verdict.is_fault:
            seen.append(f"{record.verdict.name} {record.reason}\n{record.output}")
    if outcome == "plays":
        assert seen == []
    else:
        assert seen, "it lost no game by a fault"
        for said in seen:
            assert said.startswith(outcome)
            assert rest in said
