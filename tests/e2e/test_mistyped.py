"""Mistyped words: the answer suggests the most similar one."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena import play
from arena.common.errors import InputError
from arena.rules import Position, Ruleset
from arena.settings.contest import Contest, with_preset
from support.command_line import Typed, refused


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("chekc", "bots"), "check"),
        (("run", "bots", "--preset", "clasic"), "classic"),
        (("run", "bots", "--format", "guantlet"), "gauntlet"),
        (("export", "contest", "--to", "canvsa"), "canvas"),
        (("match", "bots/ann.py", "refrence"), "reference"),
        (("match", "bots/ann.py", "quartest"), "quartets"),
        (("match", "bots/anne.py", "random"), "bots/ann.py"),
        (("rank", "contets"), "contest"),
        (("replay", "contets"), "contest"),
        (("rank", "resluts/hw"), "results/hw"),
        (("new", "x.py", "--interface", "pick_mov"), "pick_move"),
        (("run", "bots", "--config", "rule.toml"), "seed"),
        (("run", "bots", "--config", "tie_break.toml"), "buchholz"),
        (("run", "bots", "--config", "interface.toml"), "pick_move"),
    ],
)
def test_a_mistyped_word_is_answered_with_the_likest(
    tmp_path: Path, typed: Typed, words: tuple[str, ...], meant: str
) -> None:
    for folder in ("bots", "contest", "results/hw"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "bots" / "ann.py").write_text("def pick_move(rack):\n    return 0\n")
    (tmp_path / "rule.toml").write_text('[grades]\nrule = "sed"\n')
    (tmp_path / "tie_break.toml").write_text('[ranking]\ntie_breaks = ["bucholz"]\n')
    (tmp_path / "interface.toml").write_text('[bots."ann"]\ninterface = "pick_mov"\n')
    assert f"did you mean {meant}?" in refused(typed(*words))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("match", "ann.py", "random", "--connect", "9"), "2 to 7, as the board has 6 rows × 7"),
        (("play", "--connect", "8"), "2 to 7"),
        (("solve", "0", "--rows", "3", "--columns", "3", "--connect", "4"), "2 to 3"),
        (("openings", "--rows", "3", "--columns", "3", "--connect", "4"), "2 to 3"),
        (("check", "ann.py", "--preset", "cs4100", "--connect", "9"), "2 to 8"),
        (("run", "ann.py", "--config", "nine.toml"), "2 to 7"),
        (("run", "ann.py", "--config", "nine.toml", "--columns", "8"), "2 to 8"),
    ],
)
def test_a_line_that_fits_on_no_board_is_refused(
    tmp_path: Path, typed: Typed, words: tuple[str, ...], said: str
) -> None:
    (tmp_path / "ann.py").write_text("def pick_move(rack):\n    return 0\n")
    (tmp_path / "nine.toml").write_text("[rules]\nconnect = 9\n")
    assert said in refused(typed(*words))


def test_python_refuses_such_a_line_and_rules_of_their_own_do_not() -> None:
    nine = Ruleset(connect=9)
    with pytest.raises(InputError, match="connect = 9: expected 2 to 7"):
        play("random", "random", rules=nine)
    for small in (Ruleset(1, 1), Ruleset(1, 1, 2), Ruleset(2, 2)):
        assert Position(small).legal()


def test_python_has_hints_too() -> None:
    with pytest.raises(InputError, match=r"did you mean cs4100\?"):
        with_preset("cs4010", Contest())
