"""Arena's own folders among submissions: nobody handed them in."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.common.errors import InputError
from arena.courses.collect import collect
from arena.courses.roster import find_roster, find_submission
from arena.interfaces.contract import COURSES
from support.bots import FIRST_FREE
from support.handed_in import Tree, written

RESULTS: Tree = {
    "bots/0123456789abcdef/ann.py": FIRST_FREE,
    **dict.fromkeys(("contest.toml", "journal.sqlite", "openings.json", "leaderboard.csv"), ""),
}
OWN: dict[str, Tree] = {
    "a results folder": RESULTS,
    "what a repair leaves": {"bots/ann.py": FIRST_FREE, "rows.jsonl": "", "leaderboard.csv": ""},
    "an autograder": {"bots/ann.py": FIRST_FREE, "run_autograder": "", "setup.sh": ""},
    "several results": {f"hw{n}/{name}": text for n in (1, 2) for name, text in RESULTS.items()},
    "collected submissions": {},
    "what courses give": {f"{path.name}/bot.py": FIRST_FREE for path in COURSES.iterdir()},
}


@pytest.mark.parametrize("what", OWN)
def test_a_folder_of_arenas_own_is_left_out_with_a_line(tmp_path: Path, what: str) -> None:
    folder = written(tmp_path / "class", {"bob.py": FIRST_FREE, "eve.py": FIRST_FREE})
    written(folder / "own", OWN[what])
    if not OWN[what]:
        (folder / "own").rmdir()
        collect(written(tmp_path / "export", {"ann.py": FIRST_FREE}), folder / "own")
    roster = find_roster([folder])
    assert [bot.name for bot in roster.submissions] == ["bob", "eve"]
    (line,) = roster.ignored
    assert line.startswith(f"{folder / 'own'} (")


def test_a_results_folder_beside_bots_is_left_out_and_alone_refused(tmp_path: Path) -> None:
    (tmp_path / "bob.py").write_text(FIRST_FREE)
    own = written(tmp_path / "own", RESULTS)
    roster = find_roster([tmp_path / "bob.py", own])
    assert [bot.name for bot in roster.submissions] == ["bob"]
    assert len(roster.ignored) == 1
    (tmp_path / "bot.py").write_text(FIRST_FREE)  # and beside a file that must be the one bot
    assert [bot.name for bot in find_roster([tmp_path]).submissions] == [tmp_path.name]
    # a student's folder with files called like Arena's is a bot
    tree: Tree = {"bo/bot.py": FIRST_FREE, "eve/bot.py": FIRST_FREE, "eve/contest.toml": ""}
    folder = written(tmp_path / "class", {**tree, "eve/leaderboard.csv": ""})
    assert [bot.name for bot in find_roster([folder]).submissions] == ["bo", "eve"]
    for find in (find_submission, lambda word: find_roster([Path(word)])):
        with pytest.raises(InputError, match="a results folder of Arena"):
            find(str(own))
