"""Arena from Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.bots import FIRST_FREE, LAST_FREE

from arena import Limits, Ruleset, play, run_contest
from arena.errors import InputError
from arena.referee import Verdict


def test_one_game_between_two_files(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(FIRST_FREE)
    (tmp_path / "b.py").write_text(LAST_FREE)
    record = play(tmp_path / "a.py", tmp_path / "b.py", rules=Ruleset(4, 4, 3), opening=[3, 0])
    assert record.verdict is Verdict.LINE
    assert record.columns[:2] == (3, 0)
    with pytest.raises(InputError, match="no such file"):
        play(tmp_path / "a.py", "nobody")


def test_a_contest_gives_its_leaderboard_as_a_frame(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(FIRST_FREE)
    (tmp_path / "b.py").write_text(LAST_FREE)
    for _ in range(2):
        board = run_contest(
            [tmp_path / "a.py", tmp_path / "b.py"],
            tmp_path / "out",
            limits=Limits(nodes=100),
            openings=2,
            house=False,
        )
        assert sorted(board["bot"]) == ["a", "b"]
        assert board["points"].sum() == 4
    with pytest.raises(InputError, match="a contest needs two"):
        run_contest([tmp_path / "a.py"], tmp_path / "other", house=False)


def test_importing_arena_imports_no_pandas() -> None:
    code = "import sys, arena.host.zygote; sys.exit('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_bot_for_another_board_is_in_no_frame(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    sources = {"a": FIRST_FREE, "b": LAST_FREE, "eight": "def pick_move(rack): return rack[7][0]\n"}
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(source)
    paths = [tmp_path / f"{name}.py" for name in sources]
    board = run_contest(paths, tmp_path / "out", limits=Limits(nodes=100), openings=1, house=False)
    assert sorted(board["bot"]) == ["a", "b"]
    capfd.readouterr()
    with pytest.raises(InputError, match="only b can play on this board; a contest needs two"):
        run_contest(paths[1:], tmp_path / "another", openings=1, house=False)
    assert "eight does not take part: it cannot play on 6×7" in capfd.readouterr().err
