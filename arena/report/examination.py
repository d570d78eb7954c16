"""What `arena check` found out about bots: a table of all, a line for each fault, and JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from arena.contest.preflight import Preflight
from arena.numbers import duration, mean
from arena.referee.refusal import size
from arena.referee.trial import Trial
from arena.rules import format_moves

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
    for title in ("won", "first", "later", "nodes", "boards"):
        table.add_column(title, justify="right", no_wrap=True)
    for result in results:
        first, later, nodes = times(result)
        score = result.against_random
        table.add_row(
            Text(result.submission.name),
            _plays(result),
            Text(result.submission.interface),
            f"{score.wins} of {score.games}" if score.games else "",
            duration(first[0]) if first else "",
            duration(mean(later)) if later else "",
            f"{mean(nodes):,.0f}" if nodes else "",
            _boards_played(result),
        )
    return table


def _plays(result: Preflight) -> Text:
    """Whether it plays, in a word: a bot with faults takes part and loses by them."""
    if result.fault is not None:
        return Text("faults", "red") if result.takes_part else Text("no", "red")
    return Text("yes", "green") if result.slow is None else Text("slow", "yellow")


def check_lines(results: Iterable[Preflight]) -> list[Text]:
    """What is to be said of the bots in a table that are not in order, a line each."""
    lines = []
    for result in results:
        said = [] if result.fault is None else [Text(result.fault, "red")]
        if result.slow is not None:
            said.append(Text(f"slow: {result.slow.slow}, and was not waited for", "yellow"))
        if (depth := advised_depth(result)) is not None:
            said.append(Text(f"within the limits with options = {{ {depth} }}", "yellow"))
        if result.is_weak:
            said.append(Text(weakness(result), "yellow"))
        if result.missing:
            said.append(Text(f"not installed: {', '.join(map(str, result.missing))}", "yellow"))
        if choice := result.submission.choice:
            said.append(Text(choice, "yellow"))
        if said:
            name = Text(f"{result.submission.name}: ", "bold")
            lines.append(Text.assemble(name, Text("; ").join(said)))
    return lines


def weakness(result: Preflight) -> str:
    """That a search is of no use, as the predicate of a sentence."""
    score = result.against_random
    return f"searches, and yet wins only {score.wins} of {score.games} games against random"


def advised_depth(result: Preflight) -> str | None:
    """The option with which a bot that searches too long plays: `lookahead = 2`, or None."""
    less = result.examination.less_deep if result.examination else None
    if less is None:
        return None
    return next(f"{name} = {less}" for name, v in result.chosen.items() if isinstance(v, int))


def check_record(result: Preflight) -> dict[str, Any]:
    """What was found out about a bot as plain values for JSON.

    Times are in milliseconds; columns count from 0 and plies from 1.
    """
    bot = result.submission
    first, later, nodes = times(result)
    shown = result.examination
    refused = shown.refused if shown else None
    score = result.against_random
    return {
        "bot": bot.name,
        "source": bot.source.name,
        "fault": result.fault,
        "slow": result.slow.slow if result.slow else None,
        "refused": refused.reason if refused else None,
        "interface": bot.interface,
        "file": bot.file_as_known,
        "entry": bot.entry,
        "search": result.search,
        "nodes_counted": result.is_counted,
        "counting": result.counting,
        "counters": list(result.counters),
        "chosen": dict(result.chosen),
        "less_deep": shown.less_deep if shown else None,
        "missing": [
            {"module": m.name, "file": m.file, "line": m.line, "at_load": m.at_load}
            for m in result.missing
        ],
        "support": list(bot.support),
        "others": list(bot.others),
        "notes": list(bot.notes),
        "seated": next((game.seated for game in result.games if game.seated), ""),
        "first_ms": [ns / 1e6 for ns in first],
        "later_mean_ms": mean(later) / 1e6 if later else None,
        "later_max_ms": max(later) / 1e6 if later else None,
        "mean_nodes": mean(nodes) if nodes else None,
        "max_nodes": max(nodes) if nodes else None,
        "score": {
            "wins": score.wins,
            "draws": score.draws,
            "losses": score.losses,
            "faults": score.faults,
        },
        "weak": result.is_weak,
        "against_random": [_trial(game) for game in result.games],
        "positions": [
            {
                "what": situation.what,
                "lines": sorted(situation.wins),
                "threats": sorted(situation.saves),
                **_trial(trial),
            }
            for situation, trial in (shown.positions if shown else ())
        ],
        "quick_games": [_trial(game) for game in (shown.quick_games if shown else ())],
        "boards": [
            {
                "board": size(board.rules),
                "plays": None if board.trial is None else not board.trial.is_fault,
                "reason": board.refused
                or (board.trial.reason if board.trial and board.trial.is_fault else None),
                "output": board.trial.output if board.trial else "",
            }
            for board in (shown.boards if shown else ())
        ],
    }


def _trial(game: Trial) -> dict[str, Any]:
    return {
        "player": game.seat + 1,
        "result": ending(game),
        "reason": game.reason,
        "verdict": game.verdict.name if game.verdict else None,
        "slow": game.slow or None,
        "moves": format_moves(game.moves),
        "answers": list(game.answers),
        "load_ms": game.load_ns / 1e6,
        "move_ms": [ns / 1e6 for ns in game.charged_ns],
        "nodes": list(game.nodes),
        "output": game.output,
    }


def ending(game: Trial) -> str:
    """How a game went for the bot, in a word."""
    if game.is_fault:
        return "fault"
    if game.slow:
        return "slow"
    if not game.is_played:
        return CUT
    return "drew" if game.won is None else "won" if game.won else "lost"


def _boards_played(result: Preflight) -> str:
    """On how many other boards it played, of those it was tried on, `3 of 5`."""
    boards = result.examination.boards if result.examination else ()
    tried = [b for b in boards if b.refused is not None or b.trial is not None]
    plays = [b for b in tried if b.trial is not None and not b.trial.is_fault]
    return f"{len(plays)} of {len(tried)}" if tried else ""


def times(result: Preflight) -> tuple[list[int], list[int], list[int]]:
    """Nanoseconds of first moves and of later ones, and nodes of all, in its two games."""
    first = [game.charged_ns[0] for game in result.games if game.charged_ns]
    later = [ns for game in result.games for ns in game.charged_ns[1:]]
    nodes = [count for game in result.games for count in game.nodes if count >= 0]
    return first, later, nodes
