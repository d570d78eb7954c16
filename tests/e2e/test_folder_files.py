"""Each file of a contest's folder, damaged in each way, read by each command."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import date
from itertools import zip_longest
from pathlib import Path

import pytest

from arena.contest.folder import ContestFolder
from arena.contest.session import Session
from arena.journal.database import FORMAT, Journal
from arena.machine.facts import Machine, record_machine
from arena.report.facts import facts_of
from arena.report.files import FILES, make_results, write_results
from arena.report.ladder import keep_round, placings
from audit import test_fsck
from support.command_line import Typed, succeeded
from support.early import JOURNAL, early_contest
from support.instant import Instant
from support.shared import contents, made_once

Damage = Callable[[Path, Path], object]
ALICE, BOB = "780ef5ef603f2090", "b8d8b8d4b6092967"
MACHINE = Machine(
    processor="p", cores=2, lanes=2, memory_mb=9, system="s", python="3", numpy="1", arena="0"
)
ROSTER = "name,path,bot\nAlice Lee,alice,alice\nBob Ray,bob,bob\nCarol Fox,carol,carol\n"

READERS: dict[str, tuple[str, ...]] = {
    "rank": (),
    "report": (),
    "export": ("--to", "csv"),
    "analyse": (),
    "replay": ("1",),
    "verify": ("--replay", "1"),
    "serve": ("--port", "0"),
}


def make(home: Path) -> None:
    """Make a contest with every possible file, and another with nearly the same bots."""
    folder = early_contest(home / "contest")
    toml = folder / "contest.toml"
    text = toml.read_text().replace('"b/', f'"{home}/b/')
    toml.write_text(text.replace("[bots.alice]", "[publish]\npseudonyms = true\n\n[bots.alice]"))
    (folder / "roster.csv").write_text(ROSTER)
    record_machine(folder, MACHINE)
    bots = home / "b"
    bots.mkdir()
    for path in folder.glob("bots/*/*.py"):
        shutil.copy(path, bots)
    fill(folder)
    other = Path(shutil.copytree(folder, home / "other"))
    text = toml.read_text()
    text = text.replace("[bots.carol", "[bots.dora").replace("34eff0abf039782c", "0" * 16)
    (other / "contest.toml").write_text(text)
    for name in ("openings.json", "pseudonyms.key", "roster.csv", "leaderboard.csv", "history.csv"):
        text = (other / name).read_text()
        (other / name).write_text(text.replace('"seed": 3', '"seed": 4').replace("carol", "dora"))
    (other / "pseudonyms.key").write_text("0" * 64 + "\n")
    with sqlite3.connect(other / JOURNAL) as database:  # the games of alice and bob alone
        rows = (folder / "games.csv").read_text().splitlines()
        keys = [(row.rpartition(",")[2],) for row in rows if ",carol," in row]
        database.executemany("DELETE FROM games WHERE key = ?", keys)
    database.close()


def fill(folder: Path) -> None:
    journal = ContestFolder(folder).journal()
    journal.add_analyses([test_fsck.analysed(record) for record in journal.records()])
    journal.close()
    session = Session.open(folder)
    settled, _, analyses = session.settle()
    results = make_results(folder, facts_of(folder, session.contest, settled, analyses))
    keep_round(folder, placings(results.facts, date(2026, 11, 1), 1), results)
    write_results(folder, session.contest, settled, analyses)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "folder_files", make)


@pytest.fixture
def folder(home: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(home / "contest", tmp_path / "contest"))


def state(folder: Path) -> dict[str, bytes]:
    """All files but the locked one."""
    return {name: data for name, data in contents(folder).items() if name != ".lock"}


def in_place(change: Callable[[bytes], bytes]) -> Damage:
    def damage(path: Path, _: Path) -> None:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                file.write_bytes(change(file.read_bytes()))

    return damage


def remove(path: Path, _: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def exchange(path: Path, other: Path) -> None:
    remove(path, other)
    (shutil.copytree if other.is_dir() else shutil.copy)(other, path)


def of_another_version(path: Path, _: Path) -> None:
    name = path.name
    if name == JOURNAL:
        with sqlite3.connect(path) as database:
            database.execute(f"PRAGMA user_version = {FORMAT + 1}")
        database.close()
    elif name == "contest.toml":
        path.write_text(path.read_text().replace("[limits]", "[limits]\nfuture = 1"))
    elif name == "openings.json":
        path.write_text('{"format": 2, "lines": []}')
    elif name == "machines.json":
        path.write_text('[{"cpu": "p"}]')
    elif name == "pseudonyms.key":
        path.write_text("0123456789abcdef\n")
    elif path.is_dir():
        in_place(lambda data: b"# of another version\n" + data)(path, path)
    else:
        lines = path.read_text().splitlines()
        path.write_text("\n".join(line.partition(",")[2] for line in lines) + "\n")


DAMAGES: dict[str, Damage] = {
    "garbage": in_place(lambda data: bytes(range(256)) * (1 + len(data) // 512)),
    "truncated": in_place(lambda data: data[: len(data) // 2]),
    "empty": in_place(lambda _: b""),
    "missing": remove,
    "of another contest": exchange,
    "of another version": of_another_version,
}
ALL, GRADED = frozenset(READERS), frozenset({"rank", "report", "export", "analyse"})

# The commands that a damaged file stops, with their messages; others ignore it.
STOPPED: dict[str, dict[str, tuple[frozenset[str], str]]] = {
    "contest.toml": {
        **dict.fromkeys(("garbage", "truncated"), (ALL, "with --seed 3 and --out contest: it")),
        "empty": (ALL, "has fewer than two bots"),
        "missing": (ALL, "(it has no contest.toml); put it back from a backup; or type the arena"),
        "of another contest": (ALL, "4 games that were played, and games.csv has 12"),
        "of another version": (ALL, "[limits] future: no such key"),
    },
    JOURNAL: {
        "garbage": (ALL, "is damaged: 0 games can still be read; put it back from a backup, or"),
        "truncated": (ALL, "keeps the damaged one: arena verify contest --repair"),
        "empty": (ALL, "the journal is empty, and with it every game; put it back from a backup"),
        "missing": (ALL, "the journal is missing, and with it every game; put it back from a"),
        "of another contest": (ALL, "lacks 8 games that games.csv has; play them again: arena"),
        "of another version": (ALL, "was written by another version of Arena"),
    },
    "openings.json": {
        **dict.fromkeys(
            ("garbage", "truncated", "empty", "of another version"),
            (ALL, "openings.json: is not as it was written; this makes it again, from the games"),
        ),
        "of another contest": (ALL, "another seed; this makes it again, from the games that were"),
    },
    "roster.csv": dict.fromkeys(
        ("garbage", "empty", "of another version"), (GRADED | {"serve"}, "contest/roster.csv:")
    ),
    "pseudonyms.key": {
        **dict.fromkeys(
            ("garbage", "truncated", "empty", "of another version"),
            (ALL - {"report", "replay", "verify"}, "pseudonyms.key: is not as it was written; put"),
        ),
        "missing": (ALL - {"report", "replay", "verify"}, "with it the pseudonyms so far"),
    },
    "history.csv": dict.fromkeys(
        ("garbage", "truncated", "empty", "of another version"), (GRADED, "contest/history.csv:")
    ),
}

# Damages that stop no command, by file: those of a place in the lists at a time.
COPY = f"bots/{ALICE}"
HARMLESS: dict[str, tuple[str, ...]] = {
    COPY: ("garbage", "missing", "truncated", "empty", "of another version"),
    **dict.fromkeys(
        ("leaderboard.csv", "games.csv", "machines.json", "analysis.csv", "feedback"),
        ("garbage", "missing", "of another contest"),
    ),
    "roster.csv": ("truncated", "missing", "of another contest"),
    "history.csv": ("", "missing", "of another contest"),
    "pseudonyms.key": ("", "", "", "of another contest"),
    "openings.json": ("", "", "", "", "missing"),
}
CASES: list[dict[str, str]] = [
    *({name: how} for name in STOPPED for how in STOPPED[name]),
    *(dict(zip(HARMLESS, hows, strict=True)) for hows in zip_longest(*HARMLESS.values())),
]


class NothingPlayed(list[object]):
    abandoned = ()

    def not_played(self) -> list[str]:
        return []


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bot is started, no layer of the sandbox tried, no engine compiled, nothing served."""

    @contextmanager
    def nothing_again(*_: object) -> Iterator[list[object]]:
        yield NothingPlayed()

    monkeypatch.setattr("arena.cli.options.require_confinement", lambda: None)
    monkeypatch.setattr("arena.cli.options.executor_of", lambda *_: nullcontext(Instant()))
    for command in ("analyse", "verify", "run"):
        monkeypatch.setattr(f"arena.cli.{command}.ready_engine", lambda *_: None)
    monkeypatch.setattr("arena.cli.analyse._analyse", lambda *_: [])
    monkeypatch.setattr("arena.cli.verify.rerunning", nothing_again)
    monkeypatch.setattr("arena.web.server.serve", lambda *_, **__: None)


def damage(folder: Path, home: Path, damages: dict[str, str]) -> None:
    for name, how in damages.items():
        if how:
            DAMAGES[how](folder / name, home / "other" / name)


@pytest.mark.parametrize(
    "damages",
    CASES,
    ids=lambda damages: "-".join(*damages.items()) if len(damages) == 1 else "harmless",
)
def test_reading_changes_nothing_but_tables_that_are_complete(
    damages: dict[str, str], home: Path, folder: Path, typed: Typed, quick: None
) -> None:
    damage(folder, home, damages)
    ((name, how), *_) = damages.items()
    stopped, said = STOPPED.get(name, {}).get(how, (frozenset(), ""))
    before = state(folder)
    for command, words in READERS.items():
        code, _, errors = typed(command, "contest", *words)
        after = state(folder)
        if command in stopped:
            assert (code, errors.count("\n"), said in errors) == (2, 1, True), (command, errors)
            assert after == before, command
        else:
            lacks_a_bot = command == "verify" and COPY in damages
            assert code in (0, int(lacks_a_bot)), (command, errors)
            changed = {file for file in before | after if before.get(file) != after.get(file)}
            assert all(file.startswith(PRODUCTS) for file in changed), (command, changed)
        before = after
    if "rank" not in stopped:
        assert (folder / "games.csv").read_bytes() == (home / "contest/games.csv").read_bytes()
        assert (folder / "feedback" / "alice.md").exists()
    code, out, errors = typed("fsck", "contest")
    if (name, how) == (JOURNAL, "of another version"):
        assert (code, "use that version" in errors) == (2, True)
    elif stopped:
        assert (code, f"{name}: " in out, "; " in out) == (1, True, True)
    else:
        assert code in (0, 1)


PRODUCTS = (*FILES, "feedback", "report.html")

REPAIRED = {
    COPY: "missing",
    f"bots/{BOB}": "garbage",
    "machines.json": "garbage",
    "games.csv": "truncated",
    "feedback": "missing",
}


@pytest.mark.parametrize("openings", ["garbage", "of another contest", "missing"])
def test_verify_repairs_what_can_be_and_keeps_what_it_replaces(
    openings: str, home: Path, folder: Path, typed: Typed, quick: None
) -> None:
    damages = {"openings.json": openings} | (REPAIRED if openings == "garbage" else {})
    damage(folder, home, damages)
    before = state(folder)
    code, out, _ = typed("verify", "contest", "--repair")
    assert (code, "all repaired" in out) == (0, True), out
    aside = state(folder / "set-aside-1")
    for name, how in damages.items():
        files = [file for file in before if file.startswith(name)]
        assert how == "missing" or all(aside[file] == before[file] for file in files)
    assert typed("fsck", "contest")[0] == 0


PLAYED = {
    "a cut journal": ({JOURNAL: "truncated"}, " games could still be read and are kept; the"),
    "no database": ({JOURNAL: "garbage"}, "the damaged file is now set-aside-1/journal.sqlite"),
    "an empty journal": (
        {JOURNAL: "empty"},
        "journal.sqlite was empty: every game is played again",
    ),
    "no journal": ({JOURNAL: "missing"}, "journal.sqlite was missing: every game is played again"),
    "openings": ({"openings.json": "garbage"}, "it is now in set-aside-1/, and there is a new one"),
    "others": (
        {"openings.json": "of another contest", "machines.json": "garbage"},
        "it is now in set-aside-1/",
        "machines.json is not as it was written: it is now",
    ),
}


@pytest.mark.parametrize("which", PLAYED)
def test_playing_on_says_what_it_replaced_and_keeps_it(
    which: str, home: Path, folder: Path, typed: Typed, quick: None
) -> None:
    damages, *said = PLAYED[which]
    damage(folder, home, damages)
    before = state(folder)
    code, _, errors = typed("resume", "contest")
    assert (code, [line for line in said if line not in errors]) == (0, []), errors
    for name, how in damages.items():
        kept = [path.read_bytes() for path in folder.glob(f"set-aside-?/{name}")]
        assert kept == ([] if how in ("empty", "missing") else [before[name]])
    assert len((folder / "games.csv").read_text().splitlines()) == 13
    assert typed("rank", "contest")[0] == 0


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff\x00bot", "excluded.csv: is not"),
        (b"bot,when\nann\n", "contest/excluded.csv:1: expected the columns bot,when,reas"),
    ],
)
def test_a_damaged_list_of_who_is_left_out_takes_nobody_back(
    data: bytes, said: str, folder: Path, typed: Typed, quick: None
) -> None:
    (folder / "excluded.csv").write_bytes(data)
    before = state(folder)
    for command, words in READERS.items():
        code, _, errors = typed(command, "contest", *words)
        assert (code, errors.count("\n"), said in errors) == (2, 1, True), errors
    code, out, _ = typed("fsck", "contest")
    assert (code, out.startswith("excluded.csv: cannot be read: ")) == (1, True), out
    assert "put it back, or delete it" in out
    assert state(folder) == before


def test_a_bot_is_left_out_only_of_a_sound_folder_and_then_ranked_without_it(
    folder: Path, typed: Typed, quick: None
) -> None:
    openings = folder / "openings.json"
    sound = openings.read_bytes()
    openings.write_bytes(b"[")
    before = state(folder)
    code, _, errors = typed("exclude", "contest", "carol")
    assert (code, "arena verify contest --repair" in errors) == (2, True)
    assert state(folder) == before
    openings.write_bytes(sound)
    assert typed("exclude", "contest", "carol")[0] == 0
    tables = state(folder)
    assert typed("rank", "contest")[0] == 0
    assert state(folder) == tables


def test_resume_names_the_bot_whose_files_are_missing(folder: Path, typed: Typed) -> None:
    shutil.rmtree(folder / "bots" / ALICE)
    code, _, errors = typed("resume", "contest")
    assert (code, errors.count("\n")) == (2, 1)
    assert "the files of alice are missing or changed" in errors
    assert errors.endswith(f"arena verify {folder} --repair\n")


def test_forfeits_of_an_earlier_rule_stay_in_the_tables_until_they_are_played(
    folder: Path, typed: Typed, quick: None
) -> None:
    """An earlier Arena retired bots for illegal moves: nobody played their other games."""
    table = folder / "games.csv"
    rows = table.read_text().splitlines()
    forfeited = [row.rpartition(",")[2] for row in rows[1:] if ",ERROR," in row]
    text = table.read_text().replace(",ERROR,", ",ILLEGAL_MOVE,")
    reason = '"was retired after 5 games lost by ILLEGAL_MOVE and forfeits this game"'
    table.write_text(re.sub('"?raised ValueError[^"\n]*"', reason, text))
    with sqlite3.connect(folder / JOURNAL) as database:
        for name in ("games", "analyses"):
            gone = [(key,) for key in forfeited]
            database.executemany(f"DELETE FROM {name} WHERE key = ?", gone)
    database.close()
    before = state(folder)
    for command in ("rank", "report", "export"):
        code, _, errors = typed(command, "contest", *READERS[command])
        assert (code, errors) == (
            2,
            "arena: contest/games.csv: has 4 forfeits of bots that an earlier Arena, or other "
            "settings, retired for ILLEGAL_MOVE; now they are not retired for that, so these games "
            "are missing; this plays them and writes new tables: arena resume contest\n",
        )
        assert state(folder) == before
    assert "games.csv: has 4 forfeits of bots" in typed("verify", "contest", "--repair")[1]
    assert typed("resume", "contest")[0] == 0
    assert typed("rank", "contest")[0] == 0
    assert len(table.read_text().splitlines()) == 13


def test_a_folder_that_is_read_only_or_just_played_in_is_read(
    folder: Path, typed: Typed, quick: None
) -> None:
    """A writer that was killed leaves games in the log alone."""
    journal = Journal(folder / JOURNAL)
    one = next(journal.records())
    journal.remove({"games": [one.key], "analyses": [one.key]})
    journal.add([one])
    kept = {name: (folder / name).read_bytes() for name in (JOURNAL, f"{JOURNAL}-wal")}
    journal.close()
    for name, data in kept.items():
        (folder / name).write_bytes(data)
    before = state(folder)
    code, out, _ = typed("replay", "contest", "--json", "--limit", 20)
    assert (code, len(json.loads(out))) == (0, 12)
    assert state(folder) == before
    subprocess.run(["mount", "--bind", "-o", "ro", folder, folder], check=False)
    try:
        assert typed("export", "contest", "--to", "csv")[0] == 0
        out = succeeded(typed("rank", "contest"))
    finally:
        subprocess.run(["umount", "--lazy", folder], check=False, stderr=subprocess.DEVNULL)
