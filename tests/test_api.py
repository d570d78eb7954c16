"""Arena from Python."""

from __future__ import annotations

import ast
import builtins
import doctest
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import arena
from arena import Limits, Ruleset, play, run_contest
from arena.common.errors import InputError
from arena.game.verdict import Verdict
from support.bots import FIRST_FREE, LAST_FREE, bots_in
from support.public_api import promised


def test_one_game_between_two_files(tmp_path: Path) -> None:
    bots_in(tmp_path, a=FIRST_FREE, b=LAST_FREE)
    record = play(tmp_path / "a.py", tmp_path / "b.py", rules=Ruleset(4, 4, 3), opening=[3, 0])
    assert record.verdict is Verdict.LINE
    assert record.columns[:2] == (3, 0)
    with pytest.raises(InputError, match="no such file"):
        play(tmp_path / "a.py", "nobody")
    with pytest.raises(InputError, match="opening = '33': expected columns, like"):
        play(tmp_path / "a.py", "random", opening="33")  # type: ignore[arg-type]
    with pytest.raises(InputError, match='seed = "x": expected a whole number'):
        play(tmp_path / "a.py", "random", seed="x")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="has 2 bots; name one of them"):
        arena.check(tmp_path)


def test_what_is_promised_is_what_the_kept_file_says() -> None:
    again = "python -m tests.support.public_api > tests/api.txt, and a line of CHANGELOG.md"
    kept = Path(__file__).with_name("api.txt").read_text("utf-8")
    assert list(promised()) == kept.splitlines(), again


def test_the_public_face_is_complete() -> None:
    assert set(arena.__all__) <= set(dir(arena))
    with pytest.raises(AttributeError, match="no attribute 'pick_move'"):
        _ = arena.pick_move
    names = {re.findall(r"\w+", line.removeprefix("class "))[0] for line in promised()}
    assert names == {*arena.__all__, "__version__"}


def test_a_promise_names_no_class_that_is_not_public() -> None:
    types = {word for line in promised() for word in re.findall(r"(?<![.'])\b[A-Z]\w*[a-z]", line)}
    others = {*dir(builtins), "Any", "DataFrame", "Enum", "Iterable", "Path", "Sequence", "StrEnum"}
    aliases = {"BotLike", "Rack"}  # of a path, name or function; of tuples
    assert types <= {*arena.__all__, *others, *aliases}


def test_editors_and_type_checkers_find_each_name_where_it_is_imported_from() -> None:
    tree = ast.parse(Path(arena.__file__).read_text("utf-8"))
    (block,) = [each for each in tree.body if isinstance(each, ast.If)]
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    imports = [each for each in block.body if isinstance(each, ast.ImportFrom)]
    seen = {name.asname: each.module for each in imports for name in each.names}
    assert seen == arena._HOMES
    assert Path(arena.__file__).with_name("py.typed").exists()


def _docstring(name: str) -> str:
    """Return a public name's docstring; that of a constant stands below it in its module."""
    if name != "PRESETS":
        return inspect.cleandoc(getattr(arena, name).__doc__)
    body = ast.parse(Path(sys.modules["arena.settings.contest"].__file__ or "").read_text()).body
    names = [ast.unparse(each.target) if isinstance(each, ast.AnnAssign) else "" for each in body]
    below = body[names.index(name) + 1]
    assert isinstance(below, ast.Expr)
    return str(ast.literal_eval(below.value))


@pytest.mark.parametrize("name", arena.__all__)
def test_the_example_of_a_public_name_is_right(name: str) -> None:
    example = doctest.DocTestParser().get_doctest(_docstring(name), {}, name, None, None)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.slow
def test_a_preset_is_a_whole_contest_that_arguments_override(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(FIRST_FREE)
    record = play(tmp_path / "a.py", "random", preset="max", limits=Limits(nodes=50))
    assert record.verdict in (Verdict.MOST_LINES, Verdict.BOARD_FULL)
    assert len(record.columns) == 42
    with pytest.raises(arena.InputError, match="preset = 'chess': expected one of classic"):
        play(tmp_path / "a.py", "random", preset="chess")


@pytest.mark.slow
def test_a_contest_gives_its_leaderboard_as_a_frame_and_is_gone_on_with_as_it_was(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    sources = {"a": FIRST_FREE, "b": LAST_FREE, "eight": "def pick_move(rack): return rack[7][0]\n"}
    paths = sorted(bots_in(tmp_path, **sources).glob("*.py"))
    rules, limits = Ruleset(6, 6, 4), Limits(nodes=100)
    words = {"rules": rules, "limits": limits, "openings": 2, "seed": 5}
    board = run_contest(paths, tmp_path / "out", **words, house=False)  # type: ignore[arg-type]
    assert (sorted(board["bot"]), board["points"].sum()) == (["a", "b"], 4)
    said = capfd.readouterr().err
    assert "4/4 games" in said
    assert "eight does not take part: it cannot play on 6×6" in said
    file = tmp_path / "out" / "contest.toml"
    text = file.read_text()
    assert 'interface = "pick_move"' in text
    file.write_text(text.replace("[bots.eight]", '[bots.eight]\nnode_function = "pick_move"'))
    board = run_contest(paths[1::-1], tmp_path / "out", house=False, progress=False)
    said = capfd.readouterr().err.splitlines()
    assert said == [
        "no longer in this contest: eight",
        "[bots.eight]: not here, so its settings are dropped",
    ]
    assert (board["games"].tolist(), board["points"].sum()) == ([4, 4], 4)
    settings = [line for line in text.splitlines() if line.startswith(("rows", "openings", "seed"))]
    assert settings == ["rows = 6", "openings = 2", "seed = 5"]
    assert set(settings) <= set(file.read_text().splitlines())
    with pytest.raises(InputError, match="a contest needs two"):
        run_contest(paths[:1], tmp_path / "other", house=False)
    with pytest.raises(InputError, match="only b can play on this board; a contest needs two"):
        run_contest(paths[1:], tmp_path / "another", house=False, progress=False)


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        ({"limits": 3}, "limits = 3: expected an arena.Limits"),
        ({"rules": {"rows": 6}}, "rules = {'rows': 6}: expected an arena.Ruleset"),
        ({"openings": "x"}, 'openings = "x": expected a whole number'),
        ({"lanes": 0}, "lanes = 0: expected 1 or more"),
        ({"format": "cup"}, 'format = "cup": expected one of "round-robin"'),
        ({"min": 3}, None),
        ({"preset": arena.PRESETS["max"]}, "preset: expected a name, one of classic, cs4100, max"),
        ({"paths": [len]}, "paths and out: expected files or folders; only play, ask and check"),
        ({"paths": []}, "paths and out: expected files or folders"),
        ({"paths": [""]}, "paths and out: expected files or folders"),
    ],
)
def test_a_wrong_argument_is_one_line(
    tmp_path: Path, wrong: dict[str, Any], line: str | None
) -> None:
    with pytest.raises(TypeError if line is None else arena.InputError) as caught:
        run_contest(**{"paths": "random", "out": tmp_path / "out", **wrong})
    if line is not None:
        assert line in str(caught.value)
        assert not (tmp_path / "out").exists()


def test_importing_arena_imports_no_pandas() -> None:
    code = "import sys, arena.host.zygote; sys.exit('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
