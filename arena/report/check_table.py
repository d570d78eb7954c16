"""The table of `arena check`, and below it a line for each bot that is not in order."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.table import Table
from rich.text import Text

from arena.contest.preflight import Preflight
from arena.numbers import duration, mean
from arena.report.check_facts import advised_depth, times, weakness

NAME_WIDTH = 24
"""Characters of a bot's name in the table."""


def check_table(results: Iterable[Preflight]) -> Table:
    """Show a line for each bot, narrow enough for any terminal."""
    table = Table(header_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("bot", overflow="fold", max_width=NAME_WIDTH)
    table.add_column("plays", no_wrap=True)
    table.add_column("interface", no_wrap=True)
    for title in ("won", "first", "later", "nodes", "boards"):
        table.add_column(title, justify="right", no_wrap=True)
    for result in results:
        first, later, nodes = times(result)
        score = result.examination.against_random
        table.add_row(
            Text(result.submission.name),
            _plays(result),
            Text(result.submission.entry_point.interface),
            f"{score.wins} of {score.games}" if score.games else "",
            duration(first[0]) if first else "",
            duration(mean(later)) if later else "",
            f"{mean(nodes):,.0f}" if nodes else "",
            _boards_played(result),
        )
    return table


def _plays(result: Preflight) -> Text:
    """Say in a word if it plays: a bot with faults takes part and loses by them."""
    if result.open:
        return Text("open", "red")
    if result.fault is not None:
        return Text("faults", "red") if result.takes_part else Text("no", "red")
    return Text("yes", "green") if result.examination.slow is None else Text("slow", "yellow")


def check_lines(results: Iterable[Preflight]) -> list[Text]:
    """Return a line for each bot of a table that is not in order."""
    lines = []
    for result in results:
        said = [Text(why, "red") for why in (result.fault, result.open) if why]
        if result.examination.slow is not None:
            said.append(
                Text(f"slow: {result.examination.slow.slow}, longer than a check waits", "yellow")
            )
        if (depth := advised_depth(result)) is not None:
            said.append(Text(f"within the limits with options = {{ {depth} }}", "yellow"))
        if result.examination.is_weak:
            said.append(Text(weakness(result), "yellow"))
        if result.missing:
            said.append(Text(f"not installed: {', '.join(map(str, result.missing))}", "yellow"))
        if choice := result.submission.choice:
            said.append(Text(choice, "yellow"))
        if said:
            name = Text(f"{result.submission.name}: ", "bold")
            lines.append(Text.assemble(name, Text("; ").join(said)))
    return lines


def _boards_played(result: Preflight) -> str:
    """Count the other boards that it played on, of those it was tried on: `3 of 5`."""
    boards = result.examination.boards
    tried = [b for b in boards if b.refused is not None or b.trial is not None]
    plays = [b for b in tried if b.trial is not None and not b.trial.is_fault]
    return f"{len(plays)} of {len(tried)}" if tried else ""
