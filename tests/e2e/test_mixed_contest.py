"""One contest among bots of every interface."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from arena.interfaces import BY_NAME
from arena.interfaces.contract import starter
from support.bots import bots_in
from support.command_line import arena

pytestmark = pytest.mark.slow

# No file shows by itself that it uses the line protocol.
ONLY_IF_SAID = '[bots.lines]\ninterface = "lines"\n'


def played(*words: object, cwd: Path) -> str:
    done = arena(*words, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def starters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contest")
    bots_in(folder / "bots", **{name: starter(name) for name in BY_NAME})
    (folder / "contest.toml").write_text(ONLY_IF_SAID)
    return folder


@pytest.mark.parametrize(
    ("preset", "bots", "refused", "plies"),
    [("cs4100", {*BY_NAME} - {"make_move"}, "one-move", 20), ("max", {*BY_NAME}, "", 32)],
    ids=["cs4100", "max"],
)
def test_bots_of_all_interfaces_play_each_other(
    preset: str, bots: set[str], refused: str, plies: int, starters: Path
) -> None:
    # few moves are left: for each move of a program a process is started
    options = ["--openings", 1, "--min-plies", plies, "--max-plies", plies, "--no-house"]
    options += ["--preset", preset, "--config", "contest.toml", "--out", preset]
    said = played("run", *(f"bots/{name}.py" for name in bots), *options, cwd=starters)
    games = pd.read_csv(starters / preset / "games.csv", keep_default_na=False)
    play = bots - {refused}
    assert set(games["first"]) == play
    assert len(games) == len(play) * (len(play) - 1)
    assert set(games["verdict"]) <= {"LINE", "BOARD_FULL", "MOST_LINES"}
    board = pd.read_csv(starters / preset / "leaderboard.csv")
    assert list(board.sort_values("bot")["interface"]) == sorted(play)
    if refused:
        board_said = "8 rows × 8 columns, connect 4"
        reason = f"one-move does not take part: it cannot play on {board_said}: the one-move "
        reason += "file format holds a 6×7 board only"
        assert reason in " ".join(said.split())
        assert "6×7" in (starters / preset / "feedback" / "one-move.md").read_text()
        again = played("resume", preset, cwd=starters)
        assert "one-move does not take part" in again
