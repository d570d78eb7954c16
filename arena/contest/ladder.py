"""A ladder: a contest over several weeks, in rounds that can be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields
from datetime import date
from pathlib import Path

from arena.common.errors import InputError, MachineError, writing
from arena.common.names import HOUSE
from arena.common.text import counted, one_line, quote, some_of
from arena.contest.folder import ContestFolder
from arena.contest.history import ROUNDS, History, is_ladder, read_history
from arena.contest.session import Session
from arena.intake.files import listing
from arena.settings.contest import Contest

NAMED = 3  # Bots named in an error; the others are counted.
MAX_REFUSAL = 600  # Characters of an error.
ALLOW_LEAVING = "--allow-leaving"
_MOUNTED = "a network share may not be mounted"


def enter_ladder(
    folder: ContestFolder,
    submissions: Path,
    configure: Callable[[Contest], Contest],
    *,
    allow_leaving: bool = False,
) -> Session:
    """Enter the bots in a folder of submissions, like `Session.enter`.

    Raises InputError for settings unlike earlier rounds', MachineError if most bots are missing.
    """
    if not submissions.is_dir():
        where = quote(str(submissions))
        said = f"not a folder; an export becomes one: arena collect {where} --into DIR"
        raise InputError(f"{submissions}: {said if submissions.exists() else 'no such folder'}")
    history = read_history(folder.path)
    with suppress(OSError):  # Session.enter reports an unreadable folder
        if history.rounds and not listing(submissions):
            raise MachineError(f"{submissions}: the folder is empty; {_MOUNTED}")
    session = Session.enter(folder, [submissions], configure, ladder=True)
    if session.contest.schedule.in_rounds:
        raise InputError(
            "a ladder plays every opening, so that a changed bot plays its own games and no "
            "others; leave out until_settled (--until-settled 0) and until (--until never)"
        )
    if session.before is not None and history.rounds:
        for old, new in zip(_terms(session.before), _terms(session.contest), strict=True):
            if old != new:
                raise InputError(
                    f"{folder.path}: its rounds are played with {old}, not {new}; on other "
                    "terms they could not be compared: leave that option out, or name another "
                    "folder"
                )
        if not allow_leaving:
            _require_most(submissions, history, session)
    return session


def require_ladder(folder: ContestFolder) -> None:
    if (folder.is_contest or folder.has_journal) and not is_ladder(folder.path):
        raise InputError(
            f"{folder.path}: holds a contest that is not a ladder; name another folder"
        )


def begin_ladder(folder: Path) -> None:
    with writing(folder):
        (folder / ROUNDS).mkdir(exist_ok=True)


def require_day(folder: Path, history: History, day: date) -> None:
    if history.rounds and day < (last := history.last[0].day):
        raise InputError(f"{folder}: the last round was on {last}, after {day}; give a later --day")


def _require_most(submissions: Path, history: History, session: Session) -> None:
    there = [placing.bot for placing in history.last if placing.bot not in HOUSE]
    gone = sorted({*there} - session.contest.bots.keys())
    if 2 * len(gone) > len(there):
        raise MachineError(
            one_line(
                f"{submissions}: {len(gone)} of the {counted(len(there), 'bot')} of the last "
                f"round are missing ({some_of(gone, NAMED)}); {_MOUNTED}; "
                f"if they have left, add {ALLOW_LEAVING}",
                MAX_REFUSAL,
            )
        )


def _terms(contest: Contest) -> Iterator[str]:
    plan = contest.schedule
    yield str(contest.rules)
    for limit in fields(contest.limits):
        value = getattr(contest.limits, limit.name)
        yield f"{limit.name} {'unlimited' if value is None else value}"
    yield plan.format
    yield f"openings of {plan.min_plies} to {plan.max_plies} discs"
    yield f"seed {plan.seed}"
