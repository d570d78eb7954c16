"""The command `arena`. One module a family of commands: parse, call, print."""

from __future__ import annotations

import logging
import multiprocessing
import os
import sys
import traceback
from importlib import import_module
from typing import NoReturn

import click

from arena.cli.streams import drop, ignore_signals, prepare_signals, prepare_streams
from arena.errors import InputError, MachineError

FAILED = 1
USAGE = 2
INTERRUPTED = 130

HOMES = {
    "analyse": "analyse",
    "bench": "bench",
    "check": "bots",
    "collect": "collect",
    "doctor": "doctor",
    "interactive": "maxconnect4",
    "match": "games",
    "new": "new",
    "one-move": "maxconnect4",
    "openings": "openings",
    "play": "play",
    "rank": "rank",
    "replay": "games",
    "resume": "run",
    "run": "run",
    "solve": "solve",
}
"""The module here that holds a command, by the command's name."""


class _Commands(click.Group):
    """Commands whose modules are imported when they are asked for.

    What only some of them need takes a while to import, pandas above all; nobody who types another
    command is to wait for it.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of the help page."""
        return list(HOMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name not in HOMES:
            return None
        home = import_module(f"arena.cli.{HOMES[cmd_name]}")
        command: click.Command = getattr(home, cmd_name.replace("-", "_"))
        return command


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="arena")
def arena() -> None:
    """Contests between Connect Four bots that students wrote.

    \b
    Example:
      arena run submissions --preset cs4100 --openings 5 --out results/homework4
    """


def main() -> NoReturn:
    """Run the command line; never shows a traceback.

    Exit codes: 0 done, 1 the thing asked about failed, 2 usage or input error, 130 interrupted.
    """
    multiprocessing.set_start_method("fork", force=True)
    prepare_streams()
    prepare_signals()
    code = _run()
    if code == INTERRUPTED:
        ignore_signals()
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        drop(sys.stdout)
        code = _failed(error)
    sys.exit(code)


def _run() -> int:
    """Run the command line to its exit code, and say what went wrong."""
    try:
        result = arena.main(prog_name="arena", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return USAGE
    except (click.ClickException, InputError) as error:
        text = error.format_message() if isinstance(error, click.ClickException) else str(error)
        return _said(text, USAGE)
    except MachineError as error:
        return _said(str(error), FAILED)
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except SystemExit:
        return 0  # Click's way to end where the output's reader has gone
    except OSError as error:
        return _failed(error)
    except Exception as error:
        logging.getLogger("arena").debug("internal error", exc_info=True)
        _show_where()
        return _said(
            f"internal error, please report it: {type(error).__name__}: {error} "
            "(ARENA_DEBUG=1 shows where)",
            FAILED,
        )


def _failed(error: OSError) -> int:
    """Say what the system refused, if anybody can still read it; returns the exit code."""
    if isinstance(error, BrokenPipeError):
        return 0  # whoever read the output has had enough
    _show_where()
    what = error.filename if error.filename is not None else "the output"
    return _said(f"{what}: {error.strerror or error}", FAILED)


def _said(text: str, code: int) -> int:
    """Say what went wrong in one line; returns the exit code."""
    click.echo(f"arena: {' '.join(text.split())}", err=True)
    return code


def _show_where() -> None:
    """Show where an error came from to whoever wants to know."""
    if os.environ.get("ARENA_DEBUG"):
        traceback.print_exc()
