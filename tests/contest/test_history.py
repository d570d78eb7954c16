"""`history.csv`: it is read as written, rows are only added, damage has a line."""

from __future__ import annotations

import errno
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from arena.common.errors import InputError, MachineError, StorageError
from arena.contest.folder import ContestFolder
from arena.contest.history import HISTORY, History, Placing, add_round, new_versions, read_history
from arena.contest.ladder import begin_ladder, enter_ladder
from arena.settings.contest import Contest, Format
from support.bots import FIRST_FREE, LAST_FREE, bots_in

ANN = Placing(
    day=date(2026, 11, 2),
    round=1,
    bot="ann",
    rank=1,
    rank_low=1,
    rank_high=2,
    points=3.5,
    games=4,
    rating=-12.5,
    rating_low=-100.0,
    rating_high=75.0,
    grade=10.0,
    content_hash="aa",
)
BEN = Placing(day=ANN.day, round=1, bot="ben", content_hash="bb", refused="=needs 8 columns, not 7")


def later(placing: Placing, **changes: object) -> Placing:
    values: dict[str, object] = {"day": date(2026, 11, 3), "round": 2, **changes}
    return replace(placing, **values)  # type: ignore[arg-type]


def test_what_is_written_is_read_again_and_no_cell_is_a_formula(tmp_path: Path) -> None:
    add_round(tmp_path, [ANN, BEN])
    before = (tmp_path / HISTORY).read_bytes()
    add_round(tmp_path, [later(ANN)])
    after = (tmp_path / HISTORY).read_bytes()
    assert after.startswith(before)
    assert after.count(b"day,round") == 1
    assert b'"\'=needs 8 columns, not 7"' in before
    history = read_history(tmp_path)
    assert history.placings == (ANN, BEN, later(ANN))
    assert history.rounds == ((ANN, BEN), (later(ANN),))
    assert history.last == (later(ANN),)
    assert history.of("ben") == (BEN,)
    assert b"\n\n" not in after
    (tmp_path / HISTORY).write_bytes(after.rstrip())  # as an editor may save it
    add_round(tmp_path, [later(ANN, round=3)])
    assert len(read_history(tmp_path).rounds) == 3


def test_a_round_is_added_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_round(tmp_path, [ANN])
    before = (tmp_path / HISTORY).read_bytes()

    def full(path: Path, target: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(StorageError, match="make room"):
            add_round(tmp_path, [later(ANN)])
    assert (tmp_path / HISTORY).read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [HISTORY]


def test_a_folder_without_rounds_has_an_empty_history(tmp_path: Path) -> None:
    assert read_history(tmp_path) == History()
    assert read_history(tmp_path).last == ()
    assert not History().is_last([])


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        (b"2026-11-02,1,ann", b"2/11/2026,1,ann", 2, 'day "2/11/2026": expected YYYY-MM-DD'),
        (b",ann,1,", b",ann,first,", 2, 'rank "first": expected a number'),
        (b",ben,", b",ann,", 3, "ann occurs twice in round 1"),
        (b"2026-11-02,1,ben", b"2026-11-01,1,ben", 3, "follows a later round"),
        (b"2026-11-02,1,ben", b"2026-11-02,,ben", 3, "expected the number of a round"),
        (b",aa,", b"", 2, "expected 14 cells"),
        (b"day,round", b"date,round", 1, "expected the columns day,round,bot"),
    ],
)
def test_damage_is_said_with_its_line(
    tmp_path: Path, old: bytes, new: bytes, line: int, said: str
) -> None:
    add_round(tmp_path, [ANN, BEN])
    path = tmp_path / HISTORY
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    with pytest.raises(InputError) as raised:
        read_history(tmp_path)
    assert str(raised.value).startswith(f"{path}:{line}: ")
    assert said in str(raised.value)


def test_a_round_is_the_last_again_but_for_its_day_and_number() -> None:
    history = History((ANN, BEN))
    assert history.is_last([later(ANN), later(BEN)])
    assert not history.is_last([later(ANN)])
    assert not history.is_last([later(BEN), later(ANN)])
    assert not history.is_last([later(ANN, content_hash="cc"), later(BEN)])


@pytest.fixture
def ladder(tmp_path: Path) -> ContestFolder:
    """A ladder of ann and ben, whose last round had three bots more."""
    bots_in(tmp_path / "bots", ann=FIRST_FREE, ben=LAST_FREE)
    folder = ContestFolder(tmp_path / "ladder")
    session = enter_ladder(folder, tmp_path / "bots", lambda base: base)
    session.snapshot()
    folder.write(session.contest, session.submissions.values())
    begin_ladder(folder.path)
    add_round(folder.path, [replace(BEN, bot=name) for name in ("ann", "ben", "x", "y", "z")])
    return folder


def test_most_bots_of_a_ladder_must_be_there(ladder: ContestFolder, tmp_path: Path) -> None:
    said = r"bots: 3 of the 5 bots of the last round are missing \(x, y, z\); a network share"
    with pytest.raises(MachineError, match=said):
        enter_ladder(ladder, tmp_path / "bots", lambda base: base)
    enter_ladder(ladder, tmp_path / "bots", lambda base: base, allow_leaving=True)


@pytest.mark.parametrize(
    ("part", "changed", "said"),
    [
        ("limits", {"move_seconds": 5.0}, "move_seconds 30.0, not move_seconds 5.0"),
        ("limits", {"nodes": None}, "nodes 10000, not nodes unlimited"),
        ("schedule", {"max_plies": 9}, "openings of 8 to 14 discs, not openings of 8 to 9 discs"),
        ("schedule", {"format": Format.GAUNTLET}, "round-robin, not gauntlet"),
        ("rules", {"rows": 5}, "6 rows × 7 columns, connect 4, not 5 rows × 7 columns, connect 4"),
    ],
)
def test_a_ladder_keeps_its_terms(
    ladder: ContestFolder, tmp_path: Path, part: str, changed: dict[str, object], said: str
) -> None:
    def configure(base: Contest) -> Contest:
        return replace(base, **{part: replace(getattr(base, part), **changed)})

    with pytest.raises(InputError, match=f"its rounds are played with {said}; on other terms"):
        enter_ladder(ladder, tmp_path / "bots", configure, allow_leaving=True)


def test_a_version_is_new_if_its_files_are_others_than_the_time_before() -> None:
    own = [replace(ANN, round=number, content_hash=text) for number, text in enumerate("aabba", 1)]
    assert new_versions(tuple(own)) == [False, False, True, False, True]
    assert new_versions(()) == []
