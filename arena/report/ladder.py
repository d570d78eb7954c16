"""A ladder's rounds: the bots' places, and the changes since the round before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from rich.table import Table

from arena.common.errors import unwritable
from arena.common.files import new_folder
from arena.common.plain import from_plain
from arena.common.text import counted
from arena.contest.history import HISTORY_CSV, ROUNDS, History, Placing, add_round, new_versions
from arena.report.facts import Facts
from arena.report.files import ResultFiles
from arena.report.html.overview import plain
from arena.report.screen.fitting import fitted_table
from arena.report.screen.leaderboard import GRADE

KEPT = ("leaderboard.csv", "crosstable.csv")  # tables stored for each round

# columns that a narrow screen leaves out, in this order
DROPPED = ("grade", "games", "handed in", "rating")


def placings(facts: Facts, day: date, number: int) -> tuple[Placing, ...]:
    """Return a round's places: the leaderboard's bots, then the bots left out."""
    columns = [name for name in HISTORY_CSV if name in facts.board]
    rows = facts.board[columns].to_dict("records")
    cells = [{str(column): plain(cell) for column, cell in row.items()} for row in rows]
    bots, grades = facts.contest.bots, facts.grades.by_bot
    return (
        *(from_plain(Placing, {"day": day, "round": number, **row}) for row in cells),
        *(
            Placing(
                day=day,
                round=number,
                bot=name,
                grade=None if (grade := grades.get(name)) is None else float(grade.value),
                content_hash=bots[name].content_hash or "",
                refused=why,
            )
            for name, why in facts.contest.left_out.items()
        ),
    )


def keep_round(folder: Path, round_: Sequence[Placing], results: ResultFiles) -> None:
    """Store a round's tables, then its rows in the history. Raises StorageError.

    The rows are written last, in one step: a round without rows is unfinished, and is stored again.
    """
    kept = folder / ROUNDS / f"{round_[0].day}-{round_[0].round:03}"
    try:
        with new_folder(kept) as new:
            for name in KEPT:
                (new / name).write_text(results.files[name], encoding="utf-8")
    except OSError as error:
        raise unwritable(kept, error) from None
    add_round(folder, round_)


# A bot's place in the last round; by how many ranks it rose since the round before (None if it was
# absent); whether the bot is new; whether its version is new.
PlaceChange = tuple[Placing, int | None, bool, bool]


def changes_of(history: History) -> list[PlaceChange]:
    before = {each.bot: each.rank for each in history.rounds[-2]} if history.rounds[1:] else {}
    found = []
    for placing in history.last:
        own = history.of(placing.bot)
        was = before.get(placing.bot)
        moved = None if was is None or placing.rank is None else was - placing.rank
        found.append((placing, moved, len(own) == 1, new_versions(own)[-1]))
    return found


def _mark(moved: int | None, is_new: bool) -> str:
    if moved is None:
        return "new" if is_new else "back"
    return f"▲{moved}" if moved > 0 else f"▼{-moved}" if moved else ""


def missing_bots(history: History) -> list[str]:
    present = {placing.bot for placing in history.last}
    before = history.rounds[-2] if history.rounds[1:] else ()
    return [placing.bot for placing in before if placing.bot not in present]


def round_title(history: History) -> str:
    bots = sum(placing.rank is not None for placing in history.last)
    return f"round {history.last[0].round}, {history.last[0].day}: {counted(bots, 'bot')}"


def round_table(history: History, width: int) -> Table:
    ranked = [change for change in changes_of(history) if change[0].rank is not None]
    places = [placing for placing, *_ in ranked]

    def cell(value: float | None, form: str) -> str:
        return "" if value is None else format(value, form)

    cells = {
        "#": [str(each.rank) for each in places],
        "moved": [_mark(moved, is_new) for _, moved, is_new, _ in ranked],
        "bot": [each.bot for each in places],
        "points": [cell(each.points, "g") for each in places],
        "games": [cell(each.games, "d") for each in places],
        "rating": [cell(each.rating, ".0f") for each in places],
        "grade": GRADE.cells((each.grade, 0.0) for each in places),
        "handed in": ["new version" * is_new_version for *_, is_new_version in ranked],
    }
    return fitted_table({k: v for k, v in cells.items() if any(v)}, width, DROPPED)


def round_lines(history: History) -> Iterator[str]:
    """Yield lines about bots that do not take part, and bots that left the ladder."""
    for placing in history.last:
        if placing.refused:
            yield f"{placing.bot} does not take part: it {placing.refused}"
    if missing := missing_bots(history):
        yield f"no longer in the ladder: {', '.join(missing)}"


def round_record(history: History) -> dict[str, Any]:
    return {
        "day": history.last[0].day.isoformat(),
        "round": history.last[0].round,
        "bots": [
            {name: getattr(placing, name) for name in HISTORY_CSV[2:]}
            | {"moved": moved, "new": is_new, "new_version": is_new_version}
            for placing, moved, is_new, is_new_version in changes_of(history)
        ],
        "gone": missing_bots(history),
    }
