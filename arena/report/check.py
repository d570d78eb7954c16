"""The findings of `arena check`: a page for each author, the table, the JSON.

The JSON has times in milliseconds and columns from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from arena.common.names import handed_in
from arena.common.packages import pip_install
from arena.common.text import counted, duration, in_code, plain_lines
from arena.game.limits import Limits
from arena.intake.facts import NOT_PROMISED, PackageUse
from arena.interfaces import is_program
from arena.report.reading import explains, first_position, misreading, reading_lines
from arena.rules import Goal, Position, Ruleset, draw, format_moves
from arena.trials.examine import GAME_SECONDS, GAMES_SECONDS, POSITIONS_SECONDS, SECONDS, shortest
from arena.trials.pace import size
from arena.trials.preflight import Preflight
from arena.trials.readings import Reading, ReadingFit, Situation
from arena.trials.trial import Trial

CUT = "cut"  # word for a game that was not played to its end


def ending(game: Trial) -> str:
    if game.is_fault:
        return "fault"
    if game.slow:
        return "slow"
    if not game.is_played:
        return CUT
    return "drew" if game.won is None else "won" if game.won else "lost"


def weakness(result: Preflight) -> str:
    score = result.examination.against_random
    return f"searches, but wins only {score.wins} of {score.games} games against random"


def times(result: Preflight) -> tuple[list[int], list[int], list[int]]:
    """Return lists: ns of first moves, ns of later moves, nodes of all counted moves."""
    first = [game.charged_ns[0] for game in result.examination.games if game.charged_ns]
    later = [ns for game in result.examination.games for ns in game.charged_ns[1:]]
    nodes = [count for game in result.examination.games for count in game.nodes if count >= 0]
    return first, later, nodes


WIDTH = 200  # characters shown of a printed line
LINES = 40  # lines shown of a bot's last output before a fault
QUIET_LINES = 20  # lines shown without a fault
MOST_PLIES = 100  # a longer position is shown as a board, without its moves


def check_page(result: Preflight, rules: Ruleset, limits: Limits) -> str:
    bot, shown = result.submission, result.examination
    reading = reading_lines(shown, bot.entry_point)
    is_explained = explains(shown, bot.entry_point)
    verdict = [*_verdict(result, rules, limits)]
    paragraphs = [reading, verdict] if is_explained else [verdict, reading]
    lines = [f"# {bot.name}"]
    for paragraph in paragraphs:
        lines += ["", *paragraph] if paragraph else []
    lines += ["", *(f"- {in_code(fact)}" for fact in _facts(result))]
    if is_explained:
        output = shown.positions[0][1].output
        lines += ["", "## How it sees the board", ""]
        lines += [*first_position(shown), "", *_printed(output, LINES)]
    if shown.games:
        lines += ["", "## Games against `random`", "", *_score(result), *_games(result)]
    if shown.positions_in_all:
        lines += ["", "## Positions", "", *_positions(result, rules)]
    if shown.slow is not None:
        lines += ["", "## Where it was slow", *_incident(result, shown.slow.slow, [shown.slow])]
    if shown.failures:
        lines += ["", "## Faults"]
        for reason, trials in shown.failures.items():
            lines += _incident(result, reason, trials)
    printed = [game for game in shown.games if game.output.strip() and not _is_elsewhere(game)]
    for game in printed[: not is_explained]:
        title = f"## The last it printed as player {game.seat + 1}"
        lines += ["", title, "", *_printed(game.output, QUIET_LINES)]
    if shown.boards:
        lines += ["", "## Boards that this contest is not played on", ""]
        lines += ["What happens there costs nothing in this contest.", "", *_boards(result)]
    return "\n".join(lines) + "\n"


def _verdict(result: Preflight, rules: Ruleset, limits: Limits) -> Iterator[str]:
    fault, slow = result.fault, result.examination.slow
    if result.open:
        yield f"It {in_code(result.open)}. How it plays is unknown."
    elif result.examination.refused is not None:
        yield f"It `{in_code(result.examination.refused.reason)}`."
    elif fault is not None:
        yield f"On {rules} it `{in_code(fault)}`."
        if result.takes_part:
            yield "In a contest it takes part, and loses each game in which that happens."
    elif slow is not None:
        yield (
            f"It is slow: on {rules} it `{in_code(slow.slow)}`, longer than a check waits. "
            f"This contest allows {limits.times}: a bot that needs longer, or never answers, loses "
            "the game."
        )
    elif any(not trial.is_played for trial in result.examination.games):
        yield f"As far as it was checked, it plays without a fault on {rules}."
    else:
        yield f"It plays without a fault on {rules}."


def _facts(result: Preflight) -> Iterable[str]:
    bot = result.submission
    yield f"Submitted as {' in '.join(handed_in(bot.source.name, bot.file_as_known))}"
    point = bot.entry_point
    if is_program(point.interface):
        file = point.file or "the one in the contest file"
        yield f"Interface {point.interface}, a program: {file}"
    elif point.interface:
        yield f"Interface {point.interface}, entry point {point.name} in {bot.file_as_known}"
    if point.engine is not None:
        yield "A house player: Arena's engine counts its nodes"
    elif result.is_counted or result.doubt:
        budget = "" if result.has_budget else "; the node budget does not apply to them"
        part = f"; this may be only a part of its search: {result.doubt}" if result.doubt else ""
        yield f"Its calls of {result.search} are counted as nodes{budget}{part}"
    elif bot.problem is None:
        search = "no search function was found" if result.search == "none" else result.search
        yield f"Its nodes are not counted: {search}"
    if result.counters:
        yield f"Reset before every move: {', '.join(result.counters)}"
    if result.chosen:
        values = ", ".join(f"{name} = {value}" for name, value in result.chosen.items())
        yield f"Chosen by Arena for its constructor, as the contest file sets no value: {values}"
    yield from (f"Not installed: {missing}: {missing.cure}" for missing in result.missing)
    others = (each for each in result.imports if each.is_installed and each.is_promised is False)
    yield from (f"Installed, but not promised: {each}: {NOT_PROMISED}" for each in others)
    yield from (f"Note: {note}" for note in (*bot.notes, *filter(None, [bot.choice])))
    yield from dict.fromkeys(
        f"It {game.seated}" for game in result.examination.games if game.seated
    )


def _score(result: Preflight) -> Iterator[str]:
    score = result.examination.against_random
    if score.games:
        others = [f"{score.draws} drawn"] if score.draws else []
        some = f"{score.faults} of them " if score.faults < score.losses else ""
        by_faults = f", {some}by a fault" if score.faults else ""
        others += [f"{score.losses} lost{by_faults}"] if score.losses else []
        more = f" ({', '.join(others)})" if others else ""
        yield f"Of {counted(score.games, 'game')} it wins {score.wins}{more}."
    else:
        yield "No game was played to its end, so its strength is unknown."
    if result.examination.is_weak:
        yield f"WARNING: it {weakness(result)}. Check which discs it takes for its own, and"
        yield "the sign of its evaluation."
    yield ""


def _games(result: Preflight) -> list[str]:
    lines = []
    for game in result.examination.games:
        moves, later = list(game.charged_ns), list(game.charged_ns[1:])
        took = [f"loaded in {duration(game.load_ns)}"]
        if moves:
            took.append(f"first move {duration(moves[0])}")
        if later:
            took.append(
                f"later ones {duration(fmean(later))} on average, {duration(max(later))} at most"
            )
        if nodes := [nodes for nodes in game.nodes if nodes >= 0]:
            took.append(f"{fmean(nodes):,.0f} nodes a move on average, {max(nodes):,} at most")
        lines.append(f"- As player {game.seat + 1} it {_how(game)}: {'; '.join(took)}")
    if any(not game.is_played and not game.slow for game in result.examination.games):
        lines.append(f"- Games are stopped after {GAME_SECONDS:g} s of its thinking time")
    if len(result.examination.games) == 1:
        lines.append("- It did not answer in time, so it was not checked further")
    elif quick := result.examination.quick_games:
        text = counted(len(quick), "quick game")
        if not all(game.is_played for game in quick):
            text += f", all that fit into {GAMES_SECONDS:g} s of its thinking time"
        lines.append(f"- Then it played {text}, from openings of up to four discs")
    return lines


def _how(game: Trial) -> str:
    moves = len(game.charged_ns)
    if game.slow:
        return f"had not answered in move {moves}" if moves else "was not loaded yet"
    if game.is_fault:
        return f"failed in move {moves}" if moves else "could not make a move"
    if game.is_played:
        return f"{ending(game)} after {counted(moves, 'move')}"
    return f"made {counted(moves, 'move')} without a fault"


def _is_elsewhere(game: Trial) -> bool:
    return game.is_fault or bool(game.slow)


def _positions(result: Preflight, rules: Ruleset) -> Iterator[str]:
    tried = result.examination.positions
    if not tried:
        yield (f"- None was tried: it thinks too long for the {SECONDS:g} s of a check")
        return
    legal = [trial for _, trial in tried if not _is_elsewhere(trial)]
    yield (
        f"- It made a legal move in {len(legal)} of {counted(len(tried), 'position')} that can "
        "occur in a game: full columns, a single column left, the last cells, a line to complete"
    )
    telling = [(s, trial.answers[:1]) for s, trial in tried if s.columns]
    wins = [columns == (s.columns[Reading.RIGHT],) for s, columns in telling if s.is_win]
    saves = [columns == (s.columns[Reading.RIGHT],) for s, columns in telling if not s.is_win]
    line = "a win" if rules.goal is Goal.FIRST else "a line"
    if wins:
        yield f"- It took {line} that one disc makes in {sum(wins)} of {len(wins)} of them"
    if saves:
        yield f"- It prevented {line} of its opponent in one move in {sum(saves)} of {len(saves)}"
    if len(tried) < result.examination.positions_in_all and not tried[-1][1].ran_out:
        left = counted(result.examination.positions_in_all - len(tried), "more position")
        yield f"- Not tried: {left}, as it had used {POSITIONS_SECONDS:g} s of thinking time"


def _boards(result: Preflight) -> list[str]:
    plays, untried = [], []
    fails: dict[str, list[str]] = {}
    for board in result.examination.boards:
        name = size(board.rules)
        if board.refused is not None:
            fails.setdefault(f"`{in_code(board.refused)}`", []).append(name)
        elif board.trial is None or board.trial.slow:
            untried.append(name)
        elif board.trial.is_fault:
            fails.setdefault(f"it `{in_code(board.trial.sentence)}`", []).append(name)
        else:
            plays.append(name)
    lines = [f"- Its first moves were legal on {', '.join(plays)}"] if plays else []
    lines += [f"- Not on {', '.join(names)}: {why}" for why, names in fails.items()]
    if untried:
        lines.append(f"- Not tried, as the time for them was used up: {', '.join(untried)}")
    return lines


def _incident(result: Preflight, reason: str, trials: list[Trial]) -> list[str]:
    positions = {id(trial): situation for situation, trial in result.examination.positions}
    lines = ["", f"It `{in_code(reason)}`", "", f"- {_where(result, trials, positions)}"]
    example = shortest(trials)
    if example.charged_ns:
        position = Position(example.rules, example.moves)
        situation = positions.get(id(example))
        about = f", where {situation.what}" if situation else ""
        mark = "X" if example.seat == 0 else "O"
        lines.append(f"- for example here{about}; it plays {mark} and must move:")
        lines += ["", *(f"      {line}" for line in draw(position).splitlines())]
        if 0 < len(example.moves) <= MOST_PLIES:
            lines += ["", f"      columns played so far: {format_moves(example.moves)}"]
    output = example.output.strip() or next((t.output for t in trials if t.output.strip()), "")
    if output:
        lines += ["", "- the last it printed, or where it was:", "", *_printed(output, LINES)]
    return lines


def _where(result: Preflight, trials: list[Trial], positions: dict[int, Situation]) -> str:
    places = []
    from_the_start = [
        trial for trial in trials if any(trial is game for game in result.examination.games)
    ]
    if from_the_start:
        places.append(" and ".join(f"as player {trial.seat + 1}" for trial in from_the_start))
    in_positions = sum(id(trial) in positions for trial in trials)
    if in_positions:
        places.append(f"in {in_positions} of {counted(len(positions), 'position')}")
    quick = len(trials) - len(from_the_start) - in_positions
    if quick and result.examination.quick_games:
        played = len(result.examination.quick_games)
        places.append(f"in {quick} of {counted(played, 'quick game')}")
    return ", ".join(places) or "in its first move"


def _printed(output: str, lines: int) -> list[str]:
    return [f"    {line}" for line in plain_lines(output.strip("\n"), WIDTH)[-lines:]]


NAME_WIDTH = 24


def check_table(results: Iterable[Preflight]) -> Table:
    table = Table(header_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("bot", overflow="fold", max_width=NAME_WIDTH)
    table.add_column("plays", no_wrap=True)
    table.add_column("interface", no_wrap=True)
    for title in ("won", "first", "later", "nodes", "boards"):
        table.add_column(title, justify="right", no_wrap=True)
    for result in results:
        first, later, nodes = times(result)
        score = result.examination.against_random
        tried = [b for b in result.examination.boards if b.refused is not None or b.trial]
        played = [b for b in tried if b.trial is not None and not b.trial.is_fault]
        table.add_row(
            Text(result.submission.name),
            _plays(result),
            Text(result.submission.entry_point.interface),
            f"{score.wins} of {score.games}" if score.games else "",
            duration(first[0]) if first else "",
            duration(fmean(later)) if later else "",
            f"{fmean(nodes):,.0f}" if nodes else "",
            f"{len(played)} of {len(tried)}" if tried else "",
        )
    return table


def _plays(result: Preflight) -> Text:
    if result.open:
        return Text("open", "red")
    if result.fault is not None:
        return Text("faults", "red") if result.takes_part else Text("no", "red")
    return Text("yes", "green") if result.examination.slow is None else Text("slow", "yellow")


def check_lines(results: Iterable[Preflight]) -> list[Text]:
    lines = []
    for result in results:
        problems = [Text(why, "red") for why in (result.fault, result.open) if why]
        if result.examination.slow is not None:
            problems.append(
                Text(f"slow: {result.examination.slow.slow}, longer than a check waits", "yellow")
            )
        if result.examination.is_weak:
            problems.append(Text(weakness(result), "yellow"))
        if wrong := misreading(result.examination, result.submission.entry_point):
            problems.append(Text(" ".join(wrong), "yellow"))
        if result.missing:
            problems.append(Text(f"not installed: {', '.join(map(str, result.missing))}", "yellow"))
        if choice := result.submission.choice:
            problems.append(Text(choice, "yellow"))
        if problems:
            name = Text(f"{result.submission.name}: ", "bold")
            lines.append(Text.assemble(name, Text("; ").join(problems)))
    return lines


def package_table(uses: Sequence[PackageUse]) -> Table:
    table = Table(header_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    lists = any(use.is_promised is not None for use in uses)
    counts = "bots", "cannot load without"
    for title in ("package", *counts, "installed", *["allowed"] * lists):
        table.add_column(title, justify="right" if title in counts else "left")
    for use in uses:
        missing = "no" if use.is_known else "no; a module that was not handed in?"
        installed = Text(use.version or missing, "" if use.version else "yellow")
        allowed = ["yes" if use.is_promised else "no"] * lists
        table.add_row(Text(use.name), str(use.bots), str(use.at_load), installed, *allowed)
    return table


def install_line(uses: Iterable[PackageUse]) -> str:
    """Return a line with the command that installs missing packages, or "".

    If the contest file lists packages, others are left out.
    """
    missing = [
        use.name
        for use in uses
        if not use.version and use.is_known and use.is_promised is not False
    ]
    return f"to install: {pip_install(missing)}" if missing else ""


def check_record(result: Preflight) -> dict[str, Any]:
    bot, shown = result.submission, result.examination
    first, later, nodes = times(result)
    return {
        "bot": bot.name,
        "source": bot.source.name,
        "fault": result.fault,
        "slow": shown.slow.slow if shown.slow else None,
        "refused": shown.refused.reason if shown.refused else None,
        "open": result.open or None,
        "interface": bot.entry_point.interface,
        "file": bot.file_as_known,
        "entry": bot.entry_point.name,
        "search": result.search,
        "nodes_counted": result.is_counted,
        "counting": result.counting,
        "counters": list(result.counters),
        "chosen": dict(result.chosen),
        "missing": [
            {"module": m.name, "file": m.file, "line": m.line, "at_load": m.at_load}
            for m in result.missing
        ],
        "not_allowed": [each.name for each in result.imports if each.is_promised is False],
        "support": list(bot.support),
        "others": list(bot.others),
        "notes": list(bot.notes),
        "seated": next((game.seated for game in shown.games if game.seated), ""),
        "first_ms": [ns / 1e6 for ns in first],
        "later_mean_ms": fmean(later) / 1e6 if later else None,
        "later_max_ms": max(later) / 1e6 if later else None,
        "mean_nodes": fmean(nodes) if nodes else None,
        "max_nodes": max(nodes) if nodes else None,
        "score": asdict(shown.against_random),
        "weak": shown.is_weak,
        "reading": _reading(shown.reading),
        "games": [_trial(game) for game in shown.games],
        "boards": {
            size(board.rules): board.trial is not None and not board.trial.is_fault
            for board in shown.boards
            if board.refused or board.trial
        },
    }


def _reading(found: ReadingFit | None) -> dict[str, Any] | None:
    return found and {**found._asdict(), "reading": found.reading.name.lower()}


def _trial(game: Trial) -> dict[str, Any]:
    return {
        "player": game.seat + 1,
        "result": ending(game),
        "reason": game.reason or game.slow,
        "moves": format_moves(game.moves),
        "output": game.output,
    }
