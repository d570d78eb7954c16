"""What `arena check` found out about bots: a table of all, a page for each, the same as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from arena.interfaces import is_program
from arena.preflight import Preflight
from arena.quoting import one_line, plain_lines
from arena.referee.examine import Trial, size
from arena.rules import Ruleset

WIDTH = 200
"""Characters shown of a line that a bot printed."""

LINES = 40
"""Lines shown of what a bot printed last before a fault."""

QUIET_LINES = 10
"""Lines shown if there was no fault."""

CUT = "cut"
"""Word for a game that was not played to its end."""

NAME_WIDTH = 24
"""Characters of a bot's name in the table."""


def check_table(results: Iterable[Preflight]) -> Table:
    """A line for each bot, narrow enough for any terminal."""
    table = Table(header_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("bot", overflow="fold", max_width=NAME_WIDTH)
    table.add_column("plays", no_wrap=True)
    table.add_column("interface", no_wrap=True)
    table.add_column("v random", no_wrap=True)
    for title in ("first", "later", "nodes", "boards"):
        table.add_column(title, justify="right", no_wrap=True)
    for result in results:
        first, later, nodes = _times(result)
        plays = Text("yes", "green") if result.fault is None else Text("no", "red")
        games = " ".join(_ending(game) for game in result.games)
        table.add_row(
            Text(result.submission.name),
            plays,
            Text(result.submission.interface),
            games,
            _duration(first[:1]),
            _duration(later),
            f"{sum(nodes) / len(nodes):,.0f}" if nodes else "",
            _boards_played(result),
        )
    return table


def check_lines(results: Iterable[Preflight]) -> list[Text]:
    """What is to be said of the bots in a table that are not in order, a line each."""
    lines = []
    for result in results:
        said = [] if result.fault is None else [Text(result.fault, "red")]
        if result.missing:
            said.append(Text(f"not installed: {', '.join(map(str, result.missing))}", "yellow"))
        if said:
            name = Text(f"{result.submission.name}: ", "bold")
            lines.append(Text.assemble(name, Text("; ").join(said)))
    return lines


def check_page(result: Preflight, rules: Ruleset) -> str:
    """All that was found out about one bot, for its author: a page of Markdown.

    `rules` are the contest's.
    """
    bot = result.submission
    fault = result.fault
    lines = [f"# {bot.name}", ""]
    if result.examination is not None and result.examination.refused is not None:
        lines.append(f"It `{_quoted(result.examination.refused.reason)}`.")
    elif fault is not None:
        lines.append(f"On {rules} it `{_quoted(fault)}`.")
    elif any(game.verdict is None for game in result.games):
        lines.append(f"As far as it was tried it plays without a fault on {rules}.")
    else:
        lines.append(f"It plays without a fault on {rules}.")
    lines += ["", *(f"- {_quoted(fact)}" for fact in _facts(result))]
    if result.games:
        lines += ["", "## Games against `random`", "", *_games(result)]
    if result.failures:
        lines += ["", "## Faults", *_faults(result)]
    printed = [game for game in result.games if game.output.strip() and not game.is_fault]
    for game in printed[:1]:
        title = f"## The last it printed as player {game.seat + 1}"
        lines += ["", title, "", *_printed(game.output, QUIET_LINES)]
    if result.examination is not None and result.examination.boards:
        lines += ["", "## Boards that this contest is not played on", ""]
        lines += ["What happens there costs nothing in this contest.", "", *_boards(result)]
    return "\n".join(lines) + "\n"


def check_record(result: Preflight) -> dict[str, Any]:
    """The same, as plain values for JSON; times in milliseconds, columns and plies as on pages."""
    bot = result.submission
    first, later, nodes = _times(result)
    boards = result.examination.boards if result.examination else ()
    refused = result.examination.refused if result.examination else None
    return {
        "bot": bot.name,
        "source": str(bot.source),
        "fault": result.fault,
        "refused": refused.reason if refused else None,
        "interface": bot.interface,
        "file": bot.file_as_known,
        "entry": bot.entry,
        "search": result.search,
        "nodes_counted": result.is_counted,
        "counters": list(result.counters),
        "missing": [
            {"module": m.name, "file": m.file, "line": m.line, "at_load": m.at_load}
            for m in result.missing
        ],
        "support": list(bot.support),
        "notes": list(bot.notes),
        "seated": next((game.seated for game in result.games if game.seated), ""),
        "first_ms": [ns / 1e6 for ns in first],
        "later_mean_ms": sum(later) / len(later) / 1e6 if later else None,
        "later_max_ms": max(later) / 1e6 if later else None,
        "mean_nodes": sum(nodes) / len(nodes) if nodes else None,
        "max_nodes": max(nodes) if nodes else None,
        "against_random": [_trial(game) for game in result.games],
        "boards": [
            {
                "board": size(board.rules),
                "plays": None if board.trial is None else not board.trial.is_fault,
                "reason": board.refused
                or (board.trial.reason if board.trial and board.trial.is_fault else None),
                "output": board.trial.output if board.trial else "",
            }
            for board in boards
        ],
    }


def _trial(game: Trial) -> dict[str, Any]:
    return {
        "player": game.seat + 1,
        "result": _ending(game),
        "reason": game.reason,
        "verdict": game.verdict.name if game.verdict else None,
        "load_ms": game.load_ns / 1e6,
        "move_ms": [ns / 1e6 for ns in game.charged_ns],
        "nodes": list(game.nodes),
        "output": game.output,
    }


def _facts(result: Preflight) -> Iterable[str]:
    """How the bot was understood, a sentence each."""
    bot = result.submission
    yield f"Submitted as {bot.source}"
    if is_program(bot.interface):
        yield f"Interface {bot.interface}, a program: {bot.file or 'what the contest file says'}"
    elif bot.interface:
        yield f"Interface {bot.interface}, entered at {bot.entry} of {bot.file_as_known}"
    if bot.engine is not None:
        yield "A house player: its nodes are those that Arena's engine searched"
    elif result.is_counted:
        yield f"Its calls of {result.search} are counted as nodes"
    elif bot.problem is None:
        search = "no search function was found" if result.search == "none" else result.search
        yield f"Its nodes are not counted: {search}"
    if result.counters:
        yield f"Put back before every move: {', '.join(result.counters)}"
    yield from (f"Not installed: {missing}" for missing in result.missing)
    yield from (f"Note: {note}" for note in bot.notes)
    for seated in dict.fromkeys(game.seated for game in result.games if game.seated):
        yield f"It {_quoted(seated)}"


def _games(result: Preflight) -> list[str]:
    """A line for each game: how it went, and what it took."""
    lines = []
    for game in result.games:
        moves, later = game.charged_ns, game.charged_ns[1:]
        count = "1 move" if len(moves) == 1 else f"{len(moves)} moves"
        if not game.is_fault:
            cut = game.verdict is None
            ending = f"made {count} without a fault" if cut else f"{_ending(game)} after {count}"
        else:
            ending = f"failed in move {len(moves)}" if moves else "could not make a move"
        took = [f"loaded in {_duration((game.load_ns,))}"]
        if moves:
            took.append(f"first move {_duration(moves[:1])}")
        if later:
            took.append(
                f"later ones {_duration(later)} on average, {_duration((max(later),))} at most"
            )
        if nodes := [nodes for nodes in game.nodes if nodes >= 0]:
            mean = sum(nodes) / len(nodes)
            took.append(f"{mean:,.0f} nodes a move on average, {max(nodes):,} at most")
        lines.append(f"- As player {game.seat + 1} it {ending}: {'; '.join(took)}")
    if any(game.verdict is None for game in result.games):
        lines.append("- No game is played to its end with a bot that thinks for long")
    if len(result.games) == 1:
        lines.append("- As it ran out of time, it was not tried as player 2")
    return lines


def _boards(result: Preflight) -> list[str]:
    """On which boards it plays, on which it does not and why."""
    assert result.examination is not None
    plays, untried = [], []
    fails: dict[str, list[str]] = {}
    for board in result.examination.boards:
        name = size(board.rules)
        if board.refused is not None:
            fails.setdefault(f"`{_quoted(board.refused)}`", []).append(name)
        elif board.trial is None:
            untried.append(name)
        elif board.trial.is_fault:
            fails.setdefault(f"it `{_quoted(board.trial.sentence)}`", []).append(name)
        else:
            plays.append(name)
    lines = [f"- Its first moves were in order on {', '.join(plays)}"] if plays else []
    lines += [f"- Not on {', '.join(names)}: {why}" for why, names in fails.items()]
    if untried:
        lines.append(f"- Not tried, as it thinks for long: {', '.join(untried)}")
    return lines


def _faults(result: Preflight) -> list[str]:
    """Every fault on the contest's board once, with what was printed last before it."""
    lines = []
    for reason, trials in result.failures.items():
        seats = " and ".join(f"as player {trial.seat + 1}" for trial in trials)
        lines += ["", f"It `{_quoted(reason)}`", "", f"- {seats}"]
        if output := next((trial.output for trial in trials if trial.output.strip()), ""):
            lines += ["- the last it printed:", "", *_printed(output, LINES)]
    return lines


def _printed(output: str, lines: int) -> list[str]:
    return [f"    {line}" for line in plain_lines(output.strip("\n"), WIDTH)[-lines:]]


def _ending(game: Trial) -> str:
    """How a game went for the bot, in a word."""
    if game.is_fault:
        return "fault"
    if game.verdict is None:
        return CUT
    return "drew" if game.won is None else "won" if game.won else "lost"


def _boards_played(result: Preflight) -> str:
    """On how many other boards it played, of those it was tried on, `3 of 5`."""
    boards = result.examination.boards if result.examination else ()
    tried = [b for b in boards if b.refused is not None or b.trial is not None]
    plays = [b for b in tried if b.trial is not None and not b.trial.is_fault]
    return f"{len(plays)} of {len(tried)}" if tried else ""


def _times(result: Preflight) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    """Nanoseconds of first moves and of later ones, and nodes of all, on the contest's board."""
    first = [game.charged_ns[0] for game in result.games if game.charged_ns]
    later = [ns for game in result.games for ns in game.charged_ns[1:]]
    nodes = [count for game in result.games for count in game.nodes if count >= 0]
    return first, later, nodes


def _duration(times_ns: Sequence[int]) -> str:
    """The mean of times, as `8.2 s`, `15 ms` or `0.1 ms`; nothing for none."""
    if not times_ns:
        return ""
    seconds = sum(times_ns) / len(times_ns) / 1e9
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1e3:.0f} ms" if seconds >= 0.01 else f"{seconds * 1e3:.1f} ms"


def _quoted(text: str) -> str:
    """A stranger's text that stays within its code marks and on its line."""
    return one_line(text, 4 * WIDTH).replace("`", "'")
