"""Folders with one defect each: the findings, and the result of a repair."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.analysis.analysis import GameAnalysis, PositionAnalysis
from arena.analysis.worth import Worth
from arena.audit.folder import ROWS, Checked, Finding, check, repair
from arena.contest.folder import ContestFolder
from arena.contest.people import Exclusion, write_excluded
from arena.contest.session import Session
from arena.game.record import GameRecord
from arena.journal.database import Journal
from arena.journal.mending import SetAside
from support.early import JOURNAL, early_contest, sound_contest, with_row
from support.shared import contents

Damage = Callable[[Path], object]
ALICE, BOB, CAROL = "780ef5ef603f2090", "b8d8b8d4b6092967", "34eff0abf039782c"
ON_BOARD, BY_FAULT = "verdict = 'LINE'", "verdict = 'ERROR'"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sound_contest(tmp_path_factory.mktemp("sound") / "contest")


@pytest.fixture
def folder(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept, tmp_path / "contest"))


def checked(folder: Path) -> Checked:
    """Check a folder, and that it stays unchanged."""
    before = contents(folder)
    found = check(ContestFolder(folder), lambda games: games)
    assert contents(folder) == before
    return found


def found(folder: Path) -> list[tuple[str, str]]:
    return [(finding.where, finding.what) for finding in checked(folder).findings]


def repaired(folder: Path) -> list[Finding]:
    """Repair a folder; return the findings after it."""
    contest = ContestFolder(folder)
    with contest.locked():
        repair(contest, check(contest, lambda games: games), SetAside(folder))
    return checked(folder).findings


def set_aside(folder: Path) -> list[dict[str, object]]:
    lines = (folder / "set-aside-1" / ROWS).read_text().splitlines()
    return [json.loads(line) for line in lines]


def analysed(record: GameRecord) -> GameAnalysis:
    """An analysis that rates every column even."""
    heights, positions = [0] * 7, []
    last = len(record.columns) - (not record.verdict.is_fault)
    for ply in range(last + 1):
        if ply >= record.opening_plies:
            columns = tuple(Worth.estimate(0.5) if height < 6 else None for height in heights)
            positions.append(PositionAnalysis(ply=ply, columns=columns))
        if ply < len(record.columns):
            heights[record.columns[ply]] += 1
    return GameAnalysis(key=record.key, nodes=1, positions=tuple(positions), values={})


def with_analyses(folder: Path) -> None:
    journal = Journal(folder / JOURNAL)
    journal.add_analyses([analysed(record) for record in journal.records()])
    journal.close()


def test_nothing_is_wrong_with_a_sound_folder(folder: Path) -> None:
    with_analyses(folder)
    sound = checked(folder)
    assert (sound.findings, sound.notes, sound.has_games) == ([], [], True)
    assert len(sound.games) == len(sound.records) == len(sound.analyses) == 12


ROW_DAMAGE: dict[str, tuple[Damage, str]] = {
    "winner": (
        lambda folder: with_row(folder, lambda row: row.update(winner=1 - row["winner"]), ON_BOARD),
        "but it was won by seat",
    ),
    "loser of a fault": (
        lambda folder: with_row(folder, lambda row: row.update(winner=1 - row["winner"]), BY_FAULT),
        "was to move",
    ),
    "no verdict": (
        lambda folder: with_row(folder, lambda row: row.update(verdict="\x1b[31m"), ON_BOARD),
        "has no verdict",
    ),
}


@pytest.mark.parametrize("which", ROW_DAMAGE)
def test_a_game_that_cannot_be_true_is_found_and_set_aside(folder: Path, which: str) -> None:
    damage, said = ROW_DAMAGE[which]
    with_analyses(folder)
    key = damage(folder)
    ((where, what),) = found(folder)
    assert where.startswith(f"{JOURNAL}, game")
    assert said in what
    assert repaired(folder) == []
    rows = set_aside(folder)
    assert [(row["table"], row["row"][0]) for row in rows] == [  # type: ignore[index]
        ("games", key),
        ("analyses", key),
    ]
    assert rows[0]["why"] == what
    assert len(checked(folder).records) == 11


def test_rows_that_were_set_aside_do_not_come_back_from_what_is_left_of_them(
    folder: Path,
) -> None:
    key = with_row(folder, lambda row: row.update(winner=None), ON_BOARD)
    repaired(folder)
    held = b"".join(data for name, data in contents(folder).items() if name.startswith(JOURNAL))
    assert key.encode() not in held


def test_a_game_under_the_key_of_another_is_found(folder: Path) -> None:
    """A copied row is whole, and has the moves of a game from another opening."""
    with sqlite3.connect(folder / JOURNAL) as database:
        (other,) = database.execute("SELECT columns FROM games WHERE key LIKE '0289%'").fetchone()
        opening = str(json.loads(other)[:13])[:-1]
    database.close()
    with_row(
        folder,
        lambda row: row.update(columns=other),
        f"{ON_BOARD} AND columns NOT LIKE '{opening}%'",
    )
    ((_, what),) = found(folder)
    assert "answers" in what or "opening" in what


def test_analyses_that_belong_to_no_game_or_another_are_set_aside(folder: Path) -> None:
    with_analyses(folder)
    keys = sorted(checked(folder).records)
    lost, cut, garbled = (f"key = '{key}'" for key in keys[:3])
    with_row(folder, lambda row: row.update(key="f" * 32), lost, table="analyses")
    with_row(folder, lambda row: row.update(moves="[13,[],[]]"), cut, table="analyses")
    with_row(folder, lambda row: row.update(moves="[[[["), garbled, table="analyses")
    said = [what for _, what in found(folder)]
    assert sorted(said) == [
        "has other positions than its game",
        "is not as an analysis is written",
        "is of a game that the journal does not have",
    ]
    assert repaired(folder) == []
    gone = {str(row["row"][0]) for row in set_aside(folder)}  # type: ignore[index]
    assert gone == {"f" * 32, *keys[1:3]}


@pytest.mark.parametrize("how", ["missing", "empty"])
def test_a_journal_that_is_gone_is_not_made_up(folder: Path, how: str) -> None:
    (folder / JOURNAL).unlink()
    if how == "empty":
        (folder / JOURNAL).touch()
    assert found(folder) == [(JOURNAL, f"is {how}, and with it every game")]
    assert len(repaired(folder)) == 1
    assert (folder / JOURNAL).exists() == (how == "empty")
    assert not (folder / "set-aside-1").exists()


def test_the_journal_of_another_contest_is_found_and_left_alone(folder: Path) -> None:
    toml = folder / "contest.toml"
    toml.write_text(toml.read_text().replace("seed = 3", "seed = 4"))
    (folder / "openings.json").write_text(
        (folder / "openings.json").read_text().replace('"seed": 3', '"seed": 4')
    )
    before = (folder / JOURNAL).read_bytes()
    ((where, what),) = found(folder)
    assert where == JOURNAL
    assert what.startswith("belongs to another contest: none of its 12 games")
    assert len(repaired(folder)) == 1
    assert (folder / JOURNAL).read_bytes() == before


def test_games_of_bots_that_left_are_counted_and_no_fault(folder: Path) -> None:
    toml = folder / "contest.toml"
    toml.write_text(toml.read_text().split("[bots.carol]")[0])
    left = checked(folder)
    assert left.findings == []
    assert left.notes == [
        "kept, without counting: 8 games of bots or settings that the contest had before; their "
        "rules are not known, so only their numbers were checked"
    ]


def test_games_of_an_excluded_bot_are_checked_by_the_rules_and_named(folder: Path) -> None:
    game = next(game for game in checked(folder).games if "carol" in (game.first, game.second))
    write_excluded(folder, [Exclusion("carol", "", "")])
    excluded = checked(folder)
    assert excluded.findings == []
    assert excluded.notes == ["kept, without counting: 8 games of bots in excluded.csv"]
    one = f"key = '{game.key.digest}'"
    with_row(folder, lambda row: row.update(winner=1 - row["winner"]), one)
    ((where, what),) = found(folder)
    assert where.startswith("journal.sqlite, game ")
    assert "was to move" in what or "it was won by seat" in what


def test_an_early_journal_is_no_fault_and_only_said(tmp_path: Path) -> None:
    folder = early_contest(tmp_path / "early")
    early = checked(folder)
    assert early.findings == []
    assert early.notes[0].startswith("journal.sqlite has format 1, of an earlier Arena")
    assert len(early.records) == 12


SNAPSHOT_DAMAGE: dict[str, tuple[Damage, str, str]] = {
    "missing": (lambda bots: shutil.rmtree(bots / ALICE), ALICE, "is missing"),
    "changed": (
        lambda bots: (bots / ALICE / "alice.py").write_text("def pick_move(rack): return 0"),
        ALICE,
        "has other files than those that played: their hash is ",
    ),
    "swapped": (
        lambda bots: (
            (bots / ALICE).rename(bots / "x"),
            (bots / BOB).rename(bots / ALICE),
            (bots / "x").rename(bots / BOB),
        ),
        ALICE,
        f"has other files than those that played: their hash is {BOB}",
    ),
    "a further file": (
        lambda bots: (bots / ALICE / "book.txt").touch(), ALICE, "has other files than",
    ),
    "a hidden file": (
        lambda bots: (bots / ALICE / ".cache").touch(), ALICE, "foreign files: .cache",
    ),
    "a link": (
        lambda bots: (bots / ALICE / "etc").symlink_to("/etc"), ALICE, "foreign files: etc",
    ),
    "a pipe": (lambda bots: os.mkfifo(bots / ALICE / "p"), ALICE, "foreign files: p"),
    "an empty folder": (
        lambda bots: (bots / ALICE / "d").mkdir(), ALICE, "foreign files: d",
    ),
    "a link in its place": (
        lambda bots: (
            (bots / ALICE).rename(bots.parent / "elsewhere"),
            (bots / ALICE).symlink_to(bots.parent / "elsewhere"),
        ),
        ALICE,
        "is not a folder",
    ),
    "of a bot that left": (
        lambda bots: (bots / ("0" * 16)).mkdir(), "0" * 16, "(files of a bot that left)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("which", SNAPSHOT_DAMAGE)
def test_bots_files_that_are_not_those_that_played_are_found(folder: Path, which: str) -> None:
    damage, digest, said = SNAPSHOT_DAMAGE[which]
    damage(folder / "bots")
    places = dict(found(folder))
    assert said in places[f"bots/{digest}"]
    assert len(places) == 1 + (which == "swapped")


def test_bots_files_are_put_back_from_where_they_were_handed_in(
    folder: Path, tmp_path: Path
) -> None:
    source = shutil.copytree(folder / "bots" / ALICE, tmp_path / "b") / "alice.py"
    toml = folder / "contest.toml"
    toml.write_text(toml.read_text().replace("b/alice.py", str(source)))
    (folder / "bots" / ALICE / "alice.py").write_text("changed")
    shutil.rmtree(folder / "bots" / BOB)  # whose source is not here
    (folder / "bots" / CAROL / ".hidden").write_text("a secret")
    (folder / "bots" / ("0" * 16)).mkdir()
    (left,) = repaired(folder)
    assert (left.where, left.what) == (f"bots/{BOB}", "is missing (the files of bob)")
    assert left.repair is not None
    assert "copies it from b/bob.py, if that is unchanged; else" in left.repair
    aside = contents(folder / "set-aside-1")
    assert aside[f"bots/{ALICE}/alice.py"] == b"changed"
    assert aside[f"bots/{CAROL}/.hidden"] == b"a secret"
    assert f"bots/{'0' * 16}" in aside


OPENINGS_DAMAGE: dict[str, tuple[Damage, str]] = {
    "missing": (Path.unlink, "is missing"),
    "garbled": (lambda path: path.write_text('{"openings": [['), "is not as it was written"),
    "of other terms": (
        lambda path: path.write_text(path.read_text().replace('"seed": 3', '"seed": 4')),
        "has the openings of a contest with other rules or another seed",
    ),
    "exchanged": (
        lambda path: path.write_text(path.read_text().replace("1, 6, 6, 3", "0, 6, 6, 3")),
        "lacks 1 opening that these bots played from, and has 1 without a game",
    ),
}


@pytest.mark.parametrize("which", OPENINGS_DAMAGE)
def test_openings_that_are_not_those_of_the_games_are_found(folder: Path, which: str) -> None:
    damage, said = OPENINGS_DAMAGE[which]
    path = folder / "openings.json"
    before = json.loads(path.read_text())
    damage(path)
    assert ("openings.json", said) in found(folder)
    assert repaired(folder) == []
    after = json.loads(path.read_text())
    assert after == before | {"block": after["block"]}  # an older folder's file has no block


def test_small_files_that_are_not_as_they_were_written_are_set_aside(folder: Path) -> None:
    (folder / "round.json").write_text('{"round": [1]}')
    (folder / "machines.json").write_text("[")
    assert [where for where, _ in found(folder)] == ["round.json", "machines.json"]
    assert repaired(folder) == []
    assert {"round.json", "machines.json"} <= contents(folder / "set-aside-1").keys()


def test_a_roster_of_other_bots_is_no_fault_and_only_said(folder: Path) -> None:
    (folder / "roster.csv").write_text("name,path,bot\nAlice,a,alice\nZoe,z,\x1b[31mzoe\n")
    said = checked(folder)
    assert said.findings == []
    assert "roster.csv names bots that are not in this contest" in said.notes[0]


def test_a_history_that_cannot_be_read_is_found(folder: Path) -> None:
    (folder / "history.csv").write_text("day,round\n")
    ((where, what),) = found(folder)
    assert where == "history.csv"
    assert what.startswith("cannot be read: history.csv:1: expected the columns day,round,bot")


@pytest.mark.parametrize("name", ["journal.sqlite", "openings.json", "round.json", "roster.csv"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(folder: Path, name: str) -> None:
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    contest = ContestFolder(folder)
    assert check(contest, lambda games: games).findings == [
        Finding(name, "is not a file", "remove it, or restore the file")
    ]


def test_a_name_that_leads_out_of_the_folder_is_found(folder: Path) -> None:
    toml = folder / "contest.toml"
    toml.write_text(toml.read_text().replace("[bots.carol", '[bots."../../carol"'))
    ((where, what),) = found(folder)
    assert (where, what[:39]) == ("contest.toml", "has a bot with the invalid name '../../")


def test_openings_keep_the_numbers_that_people_know(folder: Path) -> None:
    """The journal is in the order of keys; games.csv has the openings in theirs."""
    path = folder / "openings.json"
    before = json.loads(path.read_text())["openings"]
    table = (folder / "games.csv").read_text()
    texts = [" ".join(map(str, opening)) for opening in before]
    for order in (before, before[::-1]):
        path.unlink()
        lines = [line for text in texts for line in table.splitlines() if f",{text}," in line]
        head, body = table.splitlines()[0], lines if order == before else lines[::-1]
        (folder / "games.csv").write_text("\n".join([head, *body]) + "\n")
        games = Session.open(folder).games
        assert [list(game.key.opening) for game in games[:4:2]] == order
