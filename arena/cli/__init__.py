"""The command `arena`: subcommands, each imported on demand, and exit codes."""

from __future__ import annotations

import errno
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

import click

from arena.cli.streams import drop, ignore_signals, prepare_signals, prepare_streams
from arena.common.errors import DEBUG, InputError, InternalError, MachineError, explained
from arena.common.home import has_sandbox
from arena.common.system import limit_of

FAILED = 1
USAGE = 2
INTERRUPTED = 130

NO_TEMPORARY_FOLDER = (
    "no writable folder for temporary files; name one in TMPDIR, or mount one on /tmp in a "
    "container"
)


class Row(NamedTuple):
    name: str

    home: str
    """`MODULE` or `MODULE:FUNCTION`; without a function, the command's last word names it."""

    line: str = ""

    reads: bool = False
    needs_sandbox: bool = False


# Groups of commands; each is also a section.
GROUPS = {
    "gradescope": "Grade submissions at Gradescope.",
    "lab": "Openings, exact values, simulated classes, and what things cost here.",
    "maxconnect4": "Play MaxConnect4 as its course does.",
}

# Commands by section of `arena --help`. To add a command, add a row and a function.
SECTIONS = {
    "Contest": (
        Row("run", ".run", "Play a contest among bots.", True),
        Row("resume", ".run", "Play what is missing from a contest."),
        Row("ladder", ".ladder", "Play a ladder's next round, or show where it stands.", True),
        Row("match", ".match", "Play one pairing and print it game by game.", True),
        Row("serve", ".serve", "Show a contest in the browser, live."),
    ),
    "Results": (
        Row("rank", ".rank", "Compute a contest's tables again and print the leaderboard."),
        Row("report", ".export", "Write a contest's report, a page for a browser."),
        Row("export", ".export", "Write results for a gradebook or a page."),
        Row("analyse", ".analyse", "Say what every move of a contest was worth."),
        Row("replay", ".replay", "Step through a game, or list games."),
        Row("similar", ".similar", "Show which submissions are alike, in source or in play.", True),
        Row("exclude", ".rank", "Leave a bot out of the tables, or take it back in."),
    ),
    "Bots": (
        Row("new", ".new", "Write a small bot to start from."),
        Row("check", ".check", "Check bots before a contest.", True),
        Row("ask", ".ask", "Ask a bot for a move, or debug it.", True),
        Row("play", ".play", "Play against a bot, or with two persons.", True),
        Row("collect", ".collect", "Collect submissions from a course system's export.", True),
    ),
    "Trust": (
        Row(
            "verify", ".verify", "Check that a contest's folder is sound; repair it, or replay it."
        ),
        Row("doctor", ".doctor", "Try every layer of the sandbox and every clock here."),
    ),
    "gradescope": (
        Row("gradescope make", ".autograder:autograder", "Make an autograder for Gradescope."),
        Row("gradescope grade", ".autograder", "Grade a submission as the autograder does.", True),
    ),
    "lab": (
        Row("lab openings", "arena_lab.openings_command", "List openings that contests draw."),
        Row("lab solve", "arena_lab.solve_command", "Exact value and best columns of a position."),
        Row("lab simulate", "arena_lab.simulate_command", "Simulate classes: how sure are grades?"),
        Row("lab steady", "arena_lab.steady_command", "Compare a class's grades over seeds."),
        Row(
            "lab scale",
            "arena_lab.scale_command",
            "Measure the house players' ratings.",
            needs_sandbox=True,
        ),
        Row(
            "lab bench",
            "arena_lab.bench_command",
            "Measure what a move, a game and a bot's start cost here.",
            needs_sandbox=True,
        ),
    ),
    "maxconnect4": (
        Row("maxconnect4 one-move", ".maxconnect4", "Make one move, from file to file."),
        Row("maxconnect4 interactive", ".maxconnect4", "Play against Arena's engine."),
    ),
}

# Earlier names, which still work.
ALIASES = {
    "autograder": "gradescope make",
    "grade": "gradescope grade",
    "openings": "lab openings",
    "solve": "lab solve",
    "simulate": "lab simulate",
    "bench": "lab bench",
    "one-move": "maxconnect4 one-move",
    "interactive": "maxconnect4 interactive",
    "fsck": "verify",
}

SHOWN = {row.name: row for rows in SECTIONS.values() for row in rows}
COMMANDS = SHOWN | {old: SHOWN[name] for old, name in ALIASES.items()}
LEAST_MEMORY = 1 << 30  # Bytes of address space: numpy, pandas, some threads.


def _require_memory() -> None:
    for name, option in (("AS", "-v"), ("DATA", "-d")):
        if (allowed := limit_of(name)) is not None and allowed < LEAST_MEMORY:
            raise InputError(
                f"ulimit {option} allows a process {allowed >> 20:,} MB of memory, and Arena needs "
                f"{LEAST_MEMORY >> 20:,} MB; type first: ulimit {option} {LEAST_MEMORY >> 10}, "
                "in a new shell if this one may not raise it"
            )


class _Commands(click.Group):
    def __init__(self, *args: Any, within: str = "", **more: Any) -> None:
        super().__init__(*args, **more)
        self._within = within

    def list_commands(self, ctx: click.Context) -> list[str]:
        own = (name.removeprefix(self._within) for name in SHOWN if name.startswith(self._within))
        return list(dict.fromkeys(name.split(" ")[0] for name in own))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if (row := COMMANDS.get(self._within + cmd_name)) is not None:
            if row.needs_sandbox and not has_sandbox():
                return _without_sandbox(row)
            module, _, function = row.home.partition(":")
            function = function or row.name.split()[-1].replace("-", "_")
            try:
                command: click.Command = getattr(import_module(module, "arena.cli"), function)
            except ModuleNotFoundError as error:
                if (error.name or "").partition(".")[0] != "arena_lab":
                    raise
                raise click.UsageError(
                    "this command needs arena_lab, which is not installed"
                ) from None
            return command
        if self._within or cmd_name not in GROUPS:
            return None
        return _Commands(cmd_name, within=f"{cmd_name} ", help=GROUPS[cmd_name])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        row = COMMANDS.get(self._within + args[0])
        names = {*self.list_commands(ctx), *({} if self._within else COMMANDS)}
        if args[0] not in names and not args[0].startswith("-"):
            from arena.common.names import hint_for  # slow for --help

            hint = hint_for(args[0], sorted(names), f"arena {self._within}--help lists all")
            raise click.UsageError(f"No such command {args[0]!r}; {hint}", ctx)
        if row is not None and not {*ctx.help_option_names} & {*args}:
            _require_memory()
            if row.reads and "--home" not in args:  # which has another reader
                import_module("arena.intake.confined").start_reader()
        found = super().resolve_command(ctx, args)
        if isinstance(found[1], click.Command) and not isinstance(found[1], click.Group):
            _require_values(found[1], ctx.help_option_names, found[2])
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        within = self._within
        width = max(map(len, self.list_commands(ctx) if within else SHOWN))
        for section, rows in SECTIONS.items():
            own = [row for row in rows if row.name.startswith(within)]
            if own:
                with formatter.section("Commands" if within else section):
                    formatter.write_dl(
                        [(f"{row.name.removeprefix(within):<{width}}", row.line) for row in own]
                    )


def _require_values(command: click.Command, helps: Sequence[str], words: Sequence[str]) -> None:
    """Refuse empty words, and options where a value is missing: Click takes them for it."""
    if "" in words:
        raise click.UsageError('an argument is empty (""), maybe because a variable is not set')
    takes_value = dict.fromkeys(helps, False)
    for option in command.params:
        if isinstance(option, click.Option):
            takes = not (option.is_flag or option.count or option._flag_needs_value)
            takes_value |= dict.fromkeys((*option.opts, *option.secondary_opts), takes)
    for word, after in pairwise(words):
        if word == "--":
            return
        if takes_value.get(word) and after in takes_value:
            raise click.UsageError(f"{word} needs a value, and {after} is another option")


def _without_sandbox(row: Row) -> click.Command:
    why = f"{row.name} needs the sandbox, which only Linux has"

    def refuse(words: Sequence[str]) -> NoReturn:
        raise InputError(why)

    words = click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)
    settings = {"ignore_unknown_options": True}
    about = f"{row.line} {why[0].upper()}{why[1:]}."
    return click.Command(row.name, settings, refuse, [words], help=about)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="arena-tournament")  # as in arena/common/packages.py
def arena() -> None:
    """Contests between Connect Four bots that students wrote.

    \b
    Example:
      arena run submissions --preset cs4100 --openings 5 --out results/homework4
    """


def main() -> NoReturn:
    """Exit with 0 if done, 1 for a failure, 2 for wrong input, 130 if interrupted."""
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
        code = _print_system_error(error)
    sys.exit(code)


def _run() -> int:
    try:
        result = arena.main(prog_name="arena", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return USAGE
    except (click.ClickException, InputError) as error:
        text = error.format_message() if isinstance(error, click.ClickException) else str(error)
        return _print_error(text, USAGE)
    except (MachineError, InternalError) as error:
        return _print_error(str(error), FAILED)
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except SystemExit:
        return 0  # Click raises it if the output's reader has gone
    except OSError as error:
        return _print_system_error(error)
    except Exception as error:
        logging.getLogger("arena").debug("internal error", exc_info=True)
        _print_traceback()
        own = explained(error)
        more = f"; {DEBUG}=1 shows more" if isinstance(own, InternalError) else ""
        return _print_error(f"{own}{more}", FAILED)


def _print_system_error(error: OSError) -> int:
    if isinstance(error, BrokenPipeError):
        return 0  # the output's reader has ended
    _print_traceback()
    if error.errno == errno.ENOENT and error.filename is None:  # raised by tempfile
        return _print_error(NO_TEMPORARY_FOLDER, FAILED)
    what = error.filename if error.filename is not None else "the output"
    return _print_error(f"{what}: {error.strerror or error}", FAILED)


def _print_error(text: str, code: int) -> int:
    click.echo(f"arena: {' '.join(text.split())}", err=True)
    return code


def _print_traceback() -> None:
    if os.environ.get(DEBUG):
        traceback.print_exc()
