"""A forked Python program sees nothing but what a started one sees."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from arena.game.player import Fault
from arena.interfaces import program
from arena.interfaces.contract import starter
from arena.interfaces.program import PythonProgram
from arena.rules import Ruleset
from support.bots import MakeProgram, first_fault, first_move

SEES = """
import sys
modules, importers = sorted(sys.modules), sorted(sys.path_importer_cache)
names = sorted(globals())
import atexit, gc, json, os, signal, threading
descriptors = []
for fd in range(128):
    try:
        descriptors.append((fd, os.get_inheritable(fd)))
    except OSError:
        pass
atexit.register(print, "ended", flush=True)
print(json.dumps([
    sys.argv, sys.orig_argv, sys.executable, sys.flags, sys.path, modules, importers, names,
    __name__, __file__, dict(os.environ), os.getcwd(), descriptors,
    [str(signal.getsignal(number)) for number in sorted(signal.valid_signals())],
    str(signal.pthread_sigmask(signal.SIG_BLOCK, ())), threading.active_count(),
    [(s.name, s.mode, s.isatty(), s.line_buffering, s.encoding, s.errors, s.write_through)
     for s in (sys.stdin, sys.stdout, sys.stderr)],
    sys.stdin.read(), sys.getrecursionlimit(), sys.warnoptions, sys.meta_path.__repr__().count(","),
    os.getpgrp() == os.getsid(0), os.umask(0o22), gc.get_threshold(), gc.isenabled(),
    hash("a"), sys.getswitchinterval(),
]))
sys.exit(7)
"""


def shown(make_program: MakeProgram, **options: object) -> tuple[list[object], str]:
    """Return what a program sees, with ROOT for its folder, and its last line."""
    player = make_program("one-move", SEES, **options)
    fault = first_fault(player)
    assert fault.reason == "ended with exit status 7 (it printed last: 'ended')", player._output
    assert player._root
    seen, ended = player._output.replace(player._root, "ROOT").splitlines()
    return json.loads(seen), ended


def test_a_forked_program_sees_what_a_started_one_sees(make_program: MakeProgram) -> None:
    forked = shown(make_program)
    started = shown(make_program, interpreter=sys.executable)
    assert forked == started


def test_no_run_leaves_anything_to_the_next(make_program: MakeProgram) -> None:
    source = """
    import os, sys
    import json
    assert os.getppid() != os.getpgrp(), "started by the bot's process"
    assert not hasattr(json, "left"), "what the last run did is there"
    json.left = sys.left = True
    """
    player = make_program("one-move", source + starter("one-move").replace("\n", "\n    "))
    assert player.sit(0, Ruleset(), (), 1) is None
    first, second = player.ask(-1), player.ask(0)
    assert not isinstance(first, Fault), first.reason
    assert not isinstance(second, Fault), second.reason


def test_a_program_that_changes_its_file_is_run_as_changed(make_program: MakeProgram) -> None:
    source = "open('bot.py', 'w').write('import sys; sys.exit(5)')\n" + starter("one-move")
    player = make_program("one-move", source)
    first_move(player)
    fault = player.ask(0)
    assert isinstance(fault, Fault)
    assert fault.reason == "ended with exit status 5"


@pytest.mark.parametrize("number", [9, 15])
def test_a_program_that_ends_its_parent_is_started_as_any_other(
    number: int, make_program: MakeProgram
) -> None:
    source = f"""
import os
if os.getppid() != os.getpgrp():
    os.kill(os.getppid(), {number})
"""
    player = make_program("one-move", source + starter("one-move"))
    first_move(player)
    assert not isinstance(player.ask(0), Fault)


def test_packages_of_its_own_are_looked_for_in_every_run(make_program: MakeProgram) -> None:
    """Python looks for them at its start, so such a program is not forked."""
    source = "import os; os.makedirs('.local', exist_ok=True); print(os.getppid() == os.getpgrp())"
    player = make_program("one-move", f"{source}\n{starter('one-move')}")
    first_move(player)
    assert not isinstance(player.ask(0), Fault)
    assert player.dismiss().splitlines() == ["False", "True"]


def test_what_the_machine_has_python_do_at_its_start_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.customized = __file__\n")
    (tmp_path / "bot.py").write_text(
        "import sys, sitecustomize\n"
        "open('seen', 'w').write(sys.customized)\n"
        "sys.exit(0 if sitecustomize.__file__ == sys.customized else 1)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(program, "WAITING", f"{program.WAITING}:{tmp_path}")
    again = PythonProgram([sys.executable, "bot.py"])
    assert again.run() == 0
    assert again.run() == 0
    assert Path("seen").read_text() == str(tmp_path / "sitecustomize.py")
