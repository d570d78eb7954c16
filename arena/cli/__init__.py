"""The command `arena`. One module a family of commands: parse, call, print."""

from __future__ import annotations

import io
import logging
import multiprocessing
import os
import signal
import sys
import traceback
from importlib import import_module
from typing import NoReturn

import click

from arena.errors import InputError

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
    "new": "bots",
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
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    multiprocessing.set_start_method("fork", force=True)
    for number in (signal.SIGTERM, signal.SIGHUP):  # a polite kill is as Ctrl-C
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    try:
        result = arena.main(prog_name="arena", standalone_mode=False)
        sys.exit(result if isinstance(result, int) else 0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(USAGE)
    except (click.ClickException, InputError) as error:
        text = error.format_message() if isinstance(error, click.ClickException) else str(error)
        click.echo(f"arena: {' '.join(text.split())}", err=True)
        sys.exit(USAGE)
    except (KeyboardInterrupt, click.Abort):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        logging.getLogger("arena").debug("internal error", exc_info=True)
        if os.environ.get("ARENA_DEBUG"):
            traceback.print_exc()
        click.echo(
            f"arena: internal error, please report it: {type(error).__name__}: {error} "
            "(ARENA_DEBUG=1 shows where)",
            err=True,
        )
        sys.exit(1)
