"""The JSON of `arena check`: everything that was found out about a bot, as plain values.

Times are in milliseconds; columns count from 0 and plies from 1.
"""

from __future__ import annotations

from typing import Any

from arena.contest.preflight import Preflight
from arena.numbers import mean
from arena.referee.examine import Board, Examination
from arena.referee.refusal import size
from arena.referee.trial import Trial
from arena.report.check_facts import ending, times
from arena.rules import format_moves


def check_record(result: Preflight) -> dict[str, Any]:
    """Return what was found out about a bot, as plain values for JSON."""
    return {
        **_outcome(result),
        **_entered(result),
        **_spent(result),
        **_played(result),
        **_examined(result.examination or Examination()),
    }


def _outcome(result: Preflight) -> dict[str, Any]:
    """Name the bot and what keeps it from playing."""
    refused = result.examination.refused if result.examination else None
    return {
        "bot": result.submission.name,
        "source": result.submission.source.name,
        "fault": result.fault,
        "slow": result.examination.slow.slow if result.examination.slow else None,
        "refused": refused.reason if refused else None,
        "open": result.open or None,
    }


def _entered(result: Preflight) -> dict[str, Any]:
    """Tell how the bot was understood and with what it is entered."""
    bot = result.submission
    return {
        "interface": bot.entry_point.interface,
        "file": bot.file_as_known,
        "entry": bot.entry_point.name,
        "search": result.search,
        "nodes_counted": result.is_counted,
        "counting": result.counting,
        "counters": list(result.counters),
        "chosen": dict(result.chosen),
        "less_deep": result.examination.less_deep,
        "missing": [
            {"module": m.name, "file": m.file, "line": m.line, "at_load": m.at_load}
            for m in result.missing
        ],
        "support": list(bot.support),
        "others": list(bot.others),
        "notes": list(bot.notes),
        "seated": next((game.seated for game in result.examination.games if game.seated), ""),
    }


def _spent(result: Preflight) -> dict[str, Any]:
    """Sum up the time and the nodes of its games from the empty board."""
    first, later, nodes = times(result)
    return {
        "first_ms": [ns / 1e6 for ns in first],
        "later_mean_ms": mean(later) / 1e6 if later else None,
        "later_max_ms": max(later) / 1e6 if later else None,
        "mean_nodes": mean(nodes) if nodes else None,
        "max_nodes": max(nodes) if nodes else None,
    }


def _played(result: Preflight) -> dict[str, Any]:
    """Tell how it did against `random`."""
    score = result.examination.against_random
    return {
        "score": {
            "wins": score.wins,
            "draws": score.draws,
            "losses": score.losses,
            "faults": score.faults,
        },
        "weak": result.examination.is_weak,
        "against_random": [_trial(game) for game in result.examination.games],
    }


def _examined(examination: Examination) -> dict[str, Any]:
    """Tell how it did in positions, in quick games and on other boards."""
    return {
        "positions": [
            {
                "what": situation.what,
                "lines": sorted(situation.wins),
                "threats": sorted(situation.saves),
                **_trial(trial),
            }
            for situation, trial in examination.positions
        ],
        "quick_games": [_trial(game) for game in examination.quick_games],
        "boards": [_board(board) for board in examination.boards],
    }


def _board(board: Board) -> dict[str, Any]:
    trial = board.trial
    return {
        "board": size(board.rules),
        "plays": None if trial is None else not trial.is_fault,
        "reason": board.refused or (trial.reason if trial and trial.is_fault else None),
        "output": trial.output if trial else "",
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
