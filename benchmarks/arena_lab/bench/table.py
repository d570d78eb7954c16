"""The figures of `arena lab bench`.

A new figure needs a row here, a function in one of the measuring modules, and its name in
docs/reference/fixed-names.md if it is fixed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from arena_lab.bench import commands, contests, crowds, moves, starts, thinking
from arena_lab.bench.compare import BenchResult
from arena_lab.bench.figure import USUAL, Effort, Figure, Samples

# The figures, in the order of measurement and output.
FIGURES = (
    Figure(
        name="floor_us",
        unit="µs",
        what="a bare round trip of 16 bytes between two Python processes on one core",
        limit="two system calls in each process, and the kernel's switches between them",
        measure=moves.moves,
    ),
    Figure(
        name="move_us",
        unit="µs",
        what="a refereed move of a bot that returns the first free column",
        limit="the floor, two readings of the bot's clock, and Python on both ends",
        measure=moves.moves,
    ),
    Figure(
        name="move_ratio",
        unit="",
        what="move ÷ floor, both measured within the same round",
        limit="the rest of a move: the clock, the rules, the bot itself",
        measure=moves.moves,
    ),
    Figure(
        name="described_us",
        unit="µs",
        what="what a described interface with an array and a state adds to move_us",
        limit="a copy of the array, and a getter for each argument",
        measure=moves.described,
    ),
    Figure(
        name="games_per_s",
        unit="games/s",
        what="random against random on 6×7, in sandboxes and with a journal, on all lanes",
        limit="moves; the main process and its disk use the same cores",
        measure=contests.random_games,
        more_is_better=True,
    ),
    Figure(
        name="bot_start_ms",
        unit="ms",
        what="start of a bot in its sandbox, loaded, from a running zygote",
        limit="the kernel's fork, namespaces and mounts, and reading the bot's files",
        measure=starts.starts,
    ),
    Figure(
        name="cold_start_ms",
        unit="ms",
        what="the same with the zygote's own start",
        limit="the start of Python and the import of numpy, once per lane",
        measure=starts.starts,
    ),
    Figure(
        name="meter_overhead",
        unit="",
        what="charged time of the same games with nodes counted ÷ not counted",
        limit="one call of a counter in C for each call of the search",
        measure=moves.meter,
    ),
    Figure(
        name="engine_mnps",
        unit="million/s",
        what="positions searched by plain alpha-beta, on 6×7 or 8×8, the slower one",
        limit="memory: line table and transposition table do not fit the nearest caches",
        measure=thinking.search,
        more_is_better=True,
    ),
    Figure(
        name="solve_ms",
        unit="ms",
        what="the exact value of a position of 6×7, mean over 12 to 36 plies",
        limit="the few positions of about 12 plies, which have the largest trees",
        measure=thinking.solve,
    ),
    Figure(
        name="overhead_share",
        unit="",
        what="share of games_per_s lost to journal, log and live view together",
        limit="the main process's work on each record, on cores that lanes use too",
        measure=contests.overhead,
    ),
    Figure(
        name="help_s",
        unit="s",
        what="`arena --help`",
        limit="the start of Python, and the import of click",
        measure=commands.help_page,
    ),
    Figure(
        name="first_move_10_s",
        unit="s",
        what="`arena run` of 10 bots until it plays",
        limit="imports, reading the bots, and a few moves of each to estimate the duration",
        measure=commands.first_moves,
    ),
    Figure(
        name="first_move_50_s",
        unit="s",
        what="`arena run` of 50 bots until it plays",
        limit="the same; slow bots take longer for it",
        measure=commands.first_moves,
    ),
    Figure(
        name="numba_start_ms",
        unit="ms",
        what="bot_start_ms of a make_move bot: its course's modules need numba",
        limit="loading compiled code from files, besides a start",
        measure=starts.numba_starts,
    ),
    Figure(
        name="program_move_ms",
        unit="ms",
        what="a move of a one-move Python program, started for every move",
        limit="a fork and a sandbox for every move, and the program's own imports",
        measure=moves.program,
    ),
    Figure(
        name="quick_bots_games_per_s",
        unit="games/s",
        what="200 random bots, one opening, two lanes: 8,000 games",
        limit="a bot's start for every sixteen opponents, and loading it again for every game",
        measure=contests.quick_class,
        more_is_better=True,
    ),
    Figure(
        name="bots_flat",
        unit="",
        what="games per second with 300 bots ÷ with 5, with the same games per pairing",
        limit="1 if nothing grows with the bots; less by the main process's work for each",
        measure=contests.large_contests,
        more_is_better=True,
    ),
    Figure(
        name="check_one_s",
        unit="s",
        what="`arena check` of one quick bot, which prints its page",
        limit="imports, a zygote's start, and some hundred moves of the bot",
        measure=commands.check_one,
    ),
    Figure(
        name="check_endless_s",
        unit="s",
        what="`arena check` of a bot that never answers",
        limit="the time after which a check calls a bot slow",
        measure=commands.endless_check,
        whole=True,
    ),
    Figure(
        name="check_50_s",
        unit="s",
        what="`arena check` of 50 bots, a fifth of which think",
        limit="the bots that think: each gets up to 13 seconds, on one lane per core",
        measure=commands.check,
        whole=True,
    ),
    Figure(
        name="first_contest_s",
        unit="s",
        what="the README's contest of 364 games where the engine was never compiled",
        limit="what second_contest_s has, and numba: it compiles the search beside the games",
        measure=commands.first_contest,
        whole=True,
    ),
    Figure(
        name="second_contest_s",
        unit="s",
        what="the same contest again, with the engine compiled",
        limit="the demo bots, which think for most of it, on one lane per core",
        measure=commands.first_contest,
        whole=True,
    ),
    Figure(
        name="first_use_s",
        unit="s",
        what="`arena lab solve 3333` where the engine was never compiled",
        limit="numba: it compiles the solver before the first position is searched",
        measure=commands.first_use,
        whole=True,
    ),
    Figure(
        name="opening_value_s",
        unit="s",
        what="the exact value of an opening one ply longer than the table's",
        limit="the size of the tree; the highest value is near the worst case",
        measure=thinking.opening_value,
        whole=True,
    ),
    Figure(
        name="large_value_s",
        unit="s",
        what="the exact value of a position of 8×8 after 26 random plies",
        limit="the same",
        measure=thinking.large_value,
        whole=True,
    ),
    Figure(
        name="utilisation_1ms",
        unit="",
        what="the same at 1 ms a move",
        limit="starts and messages, a large part of such short games",
        measure=contests.utilisation("utilisation_1ms", 0.001),
        more_is_better=True,
        whole=True,
    ),
    Figure(
        name="utilisation_5ms",
        unit="",
        what="the same at 5 ms a move",
        limit="the command's own start and end, and the tail when few games are left",
        measure=contests.utilisation("utilisation_5ms", 0.005),
        more_is_better=True,
        whole=True,
    ),
    Figure(
        name="utilisation_10ms",
        unit="",
        what="the same at 10 ms a move",
        limit="the same",
        measure=contests.utilisation("utilisation_10ms", 0.01),
        more_is_better=True,
        whole=True,
    ),
    Figure(
        name="utilisation",
        unit="",
        what="bots' CPU ÷ (time × lanes) of a whole `arena run` of 40 bots, 50 ms a move",
        limit="the tail: some lanes are idle while the last games end",
        measure=contests.utilisation("utilisation", 0.05),
        more_is_better=True,
        whole=True,
    ),
    Figure(
        name="games_flat",
        unit="",
        what="games per second over 100,000 games ÷ over 1,000",
        limit="1 if nothing grows with the games; start and tail slow down a short contest",
        measure=contests.long_contests,
        more_is_better=True,
        whole=True,
    ),
    Figure(
        name="main_mb",
        unit="MB",
        what="peak memory of the main process in a contest of 897,000 games, all ended",
        limit="code of numpy, pandas and Rich, and each game's key and verdict",
        measure=crowds.main_memory,
        whole=True,
    ),
    Figure(
        name="rank_s",
        unit="s",
        what="`arena rank` of 100,000 games between 50 bots",
        limit="reading the journal's rows, and writing one line of games.csv for each",
        measure=crowds.rank,
        whole=True,
    ),
    Figure(
        name="rank_mb",
        unit="MB",
        what="peak memory of that command",
        limit="the games, in memory while tables and the report are written",
        measure=crowds.rank,
        whole=True,
    ),
    Figure(
        name="report_s",
        unit="s",
        what="`arena report` of 897,000 games between 300 bots, with 2,094 files",
        limit="checking and reading the journal, and each game's entry in three files",
        measure=crowds.report,
        whole=True,
    ),
    Figure(
        name="report_mb",
        unit="MB",
        what="peak memory of that command",
        limit="the games as arrays, and the frame made from them",
        measure=crowds.report,
        whole=True,
    ),
)


def measure(
    figures: Iterable[Figure] = FIGURES,
    effort: Effort = USUAL,
) -> BenchResult:
    """Return the values of these figures. Raises InputError, MachineError."""
    wanted = list(figures)
    found: dict[str, Samples] = {}
    samples: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for figure in wanted:
            if figure.name not in found:
                measured = figure.measure(Path(folder), effort)
                found.update((name, measured) for name in measured)
            samples[figure.name] = list(found[figure.name][figure.name])
    return BenchResult.of(samples)
