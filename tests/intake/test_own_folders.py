"""Arena's own folders among submissions: nobody handed them in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena.common.errors import InputError
from arena.courses.collect import collect
from arena.courses.roster import find_roster, find_submission
from support.bots import FIRST_FREE
from support.handed_in import written


def results_folder(path: Path) -> None:
    """What `arena run` leaves, with a bot's copy."""
    names = ("contest.toml", "journal.sqlite", "openings.json", "leaderboard.csv")
    written(path, {"bots/0123456789abcdef/ann.py": FIRST_FREE, **dict.fromkeys(names, "")})


def set_aside(path: Path) -> None:
    """What a repair leaves."""
    written(path, {"bots/ann.py": FIRST_FREE, "rows.jsonl": "", "leaderboard.csv": ""})


def autograder(path: Path) -> None:
    """What `arena autograder` packs, unpacked."""
    written(path, {"bots/ann.py": FIRST_FREE, "run_autograder": "", "setup.sh": ""})


def collected(path: Path) -> None:
    """What `arena collect` makes of an export."""
    export = written(path.with_name(f"{path.name} export"), {"ann.py": FIRST_FREE})
    collect(export, path)
    shutil.rmtree(export)


def several(path: Path) -> None:
    """The folder of all results, as beside the submissions where the command was typed."""
    results_folder(path / "homework1")
    results_folder(path / "homework2")


@pytest.mark.parametrize("make", [results_folder, set_aside, autograder, collected, several])
def test_a_folder_of_arenas_own_is_passed_over_with_a_line(tmp_path: Path, make) -> None:  # type: ignore[no-untyped-def]
    written(tmp_path, {"bob.py": FIRST_FREE, "eve.py": FIRST_FREE})
    make(tmp_path / "own")
    roster = find_roster([tmp_path])
    assert [bot.name for bot in roster.submissions] == ["bob", "eve"]
    (line,) = roster.ignored
    assert line.startswith(f"{tmp_path / 'own'} (")


def test_a_bot_beside_a_results_folder_is_still_one_bot(tmp_path: Path) -> None:
    written(tmp_path, {"bot.py": FIRST_FREE})
    results_folder(tmp_path / "results")
    assert [bot.name for bot in find_roster([tmp_path]).submissions] == [tmp_path.name]


def test_a_results_folder_named_among_bots_is_passed_over_and_alone_refused(tmp_path: Path) -> None:
    (tmp_path / "bob.py").write_text(FIRST_FREE)
    results_folder(tmp_path / "own")
    roster = find_roster([tmp_path / "bob.py", tmp_path / "own"])
    assert [bot.name for bot in roster.submissions] == ["bob"]
    assert len(roster.ignored) == 1
    for find in (find_submission, lambda word: find_roster([Path(word)])):
        with pytest.raises(InputError, match="a results folder of Arena"):
            find(str(tmp_path / "own"))


def test_a_students_folder_with_files_called_like_arenas_is_a_bot(tmp_path: Path) -> None:
    written(tmp_path, {"bob/bot.py": FIRST_FREE, "eve/bot.py": FIRST_FREE})
    written(tmp_path / "eve", {"contest.toml": "", "leaderboard.csv": ""})
    assert [bot.name for bot in find_roster([tmp_path]).submissions] == ["bob", "eve"]
