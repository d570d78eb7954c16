"""The command `arena`: its commands, each imported when it is asked for, and its exit codes."""

from __future__ import annotations

import errno
import logging
import os
import resource
import sys
import traceback
from importlib import import_module
from typing import NoReturn

import click

from arena.cli.streams import drop, ignore_signals, prepare_signals, prepare_streams
from arena.errors import InputError, InternalError, MachineError, explained

FAILED = 1
USAGE = 2
INTERRUPTED = 130

NO_TEMPORARY_FOLDER = (
    "no folder for temporary files can be written to; name one in TMPDIR, or give a container one "
    "on /tmp"
)

COMMANDS = {
    "analyse": ("analyse", "Say what every move of a contest was worth."),
    "autograder": ("autograder", "Make an autograder for Gradescope."),
    "bench": ("bench", "Measure what a move, a game and a bot's start cost here."),
    "check": ("bots", "Check bots before a contest."),
    "collect": ("collect", "Collect submissions from a course system's export."),
    "doctor": ("doctor", "Try every layer of the sandbox and every clock here."),
    "exclude": ("exclude", "Leave a bot out of the tables, or take it back in."),
    "export": ("export", "Write results for a gradebook or a page."),
    "fsck": ("fsck", "Check that a contest's folder is sound, and repair it."),
    "grade": ("autograder", "Grade one hand-in as the autograder does."),
    "interactive": ("maxconnect4", "Play MaxConnect4 against Arena's engine."),
    "ladder": ("ladder", "Play a ladder's next round, or show where it stands."),
    "match": ("games", "Play one pairing and print it game by game."),
    "new": ("new", "Write a small bot to start from."),
    "one-move": ("maxconnect4", "Make one move of MaxConnect4, from file to file."),
    "openings": ("openings", "List the openings that a contest draws."),
    "play": ("play", "Play against a bot, or with two persons."),
    "rank": ("rank", "Compute a contest's tables again and print the leaderboard."),
    "replay": ("replay", "Step through a game, or list games."),
    "report": ("report", "Write a contest's report, a page for a browser."),
    "resume": ("run", "Play what is missing from a contest."),
    "run": ("run", "Play a contest among bots."),
    "serve": ("serve", "Show a contest in the browser, live."),
    "simulate": ("simulate", "Simulate classes: how sure are ranks and grades?"),
    "solve": ("solve", "Exact value and best columns of a position."),
    "verify": ("verify", "Play a sample of a contest's games again, and compare."),
}
"""The commands: the module here that holds each, as a function of its name, and its line of
`arena --help`. A further command is a module and a line of this table."""


READING = frozenset({"check", "collect", "grade", "ladder", "match", "play", "run"})
"""The commands that read submissions. What does that is started before their modules, so that both
are ready at the same time."""


LEAST_MEMORY = 1 << 30
"""Bytes that a process of Arena's may need: numpy, pandas, some threads, and what they reserve."""


def _require_memory() -> None:
    """See that a shell's limits leave a process enough memory to work. Raises InputError."""
    for kind, option in ((resource.RLIMIT_AS, "-v"), (resource.RLIMIT_DATA, "-d")):
        allowed, _ = resource.getrlimit(kind)
        if allowed != resource.RLIM_INFINITY and allowed < LEAST_MEMORY:
            raise InputError(
                f"ulimit {option} allows a process {allowed >> 20:,} MB of memory, and Arena needs "
                f"{LEAST_MEMORY >> 20:,} MB; type first: ulimit {option} {LEAST_MEMORY >> 10}, "
                "in a new shell if this one may not raise it"
            )


class _Commands(click.Group):
    """Commands whose modules are imported when they are asked for.

    What some of them need takes a while to import, pandas above all; nobody who types another
    command, or asks which there are, is to wait for it.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of the help page."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of that name; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        home, _ = COMMANDS[cmd_name]
        module = import_module(f"arena.cli.{home}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Import the command that is named first, which is not only asked for its help.

        Raises UsageError for a name that is no command's.
        """
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from arena.naming import hint_for  # help need not wait for it

            hint = hint_for(args[0], COMMANDS, "arena --help lists all")
            raise click.UsageError(f"No such command {args[0]!r}; {hint}", ctx)
        wants_help = bool({*ctx.help_option_names} & {*args})
        if not wants_help:
            _require_memory()
        if args[0] in READING and not wants_help:
            import_module("arena.intake.confined").get_ready()
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


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
    # read when numpy is imported: its matrices are small here, and threads would fight for cores
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
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
    except (MachineError, InternalError) as error:
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
        own = explained(error)
        more = "; ARENA_DEBUG=1 shows more" if isinstance(own, InternalError) else ""
        return _said(f"{own}{more}", FAILED)


def _failed(error: OSError) -> int:
    """Say what the system refused, if anybody can still read it; returns the exit code."""
    if isinstance(error, BrokenPipeError):
        return 0  # whoever read the output has had enough
    _show_where()
    if error.errno == errno.ENOENT and error.filename is None:  # tempfile has looked everywhere
        return _said(NO_TEMPORARY_FOLDER, FAILED)
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
