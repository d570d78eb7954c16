"""`arena export` and `arena report`: results for other systems, and pages."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.files import OneOf
from arena.cli.screen import screen
from arena.common.errors import InputError, unwritable
from arena.common.files import new_folder, write_file
from arena.common.names import hint_for, plain_name, report_name
from arena.common.text import counted, one_line
from arena.contest.session import Session
from arena.courses.gradebook import Form, read_sheet
from arena.courses.handin import Person
from arena.report.exports import FORMATS
from arena.settings.contest import Contest

if TYPE_CHECKING:
    from arena.report.facts import Facts

A_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--to", "name", required=True, type=OneOf([*FORMATS]), help="The format.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The file to write, for gradescope and reports a folder. Default: standard output.",
)
@click.option(
    "--gradebook",
    type=A_FILE,
    metavar="CSV",
    help="The file that Canvas, Moodle or GitHub Classroom gave you: a copy is filled in.",
)
@click.option(
    "--assignment", default="", metavar="NAME", help="The assignment's name in the gradebook."
)
@click.option(
    "--roster",
    type=A_FILE,
    metavar="CSV",
    help="The people and their bots, if the contest's folder has no roster.csv, or an old one.",
)
@click.option(
    "--missing",
    type=click.FloatRange(min=0),
    metavar="GRADE",
    help="The grade of those who handed in nothing, or nothing that takes part. Default: none.",
)
@click.option("--no-house", is_flag=True, help="Leave out the house players.")
@click.option(
    "--pseudonyms",
    is_flag=True,
    help="Call bots by pseudonyms, and write nothing that says whose they are.",
)
def export(
    folder: Path,
    name: str,
    out: Path | None,
    gradebook: Path | None,
    assignment: str,
    roster: Path | None,
    missing: float | None,
    no_house: bool,
    pseudonyms: bool,
) -> int:
    """Write the results of a contest for a gradebook, or for a page.

    csv, json, markdown and latex are the leaderboard; with a roster, csv and json have a row for
    each person. canvas, moodle, github and gradescope are files that these systems import, with
    each person's grade. reports, moodle-reports and canvas-reports are the students' own reports: a
    folder for each person, or an archive that the system imports (Gradescope imports none).
    Standard error names everyone who has no grade or report, or is not found.

    \b
    Example:
      arena export results/homework4 --to canvas --gradebook grades.csv --out upload.csv
    """
    from arena.report.course_results import course_results  # pandas is slow to import

    wanted = FORMATS[name]
    if gradebook is not None and not wanted.takes_sheet:
        raise InputError(f"--gradebook: --to {name} fills in no file; leave it out")
    if out is None and (wanted.in_folders or wanted.is_archive):
        what = "file" if wanted.is_archive else "folder"
        raise InputError(f"--out is missing, the {what} to write")
    for given in filter(None, (gradebook, roster)):
        if out is not None and out.exists() and out.samefile(given):
            raise InputError(f"--out {out}: this would overwrite what is read; name another file")
    sheet = read_sheet(gradebook) if gradebook else None
    form = Form(sheet=sheet, assignment=assignment, missing=missing)
    if pseudonyms and wanted.takes_sheet:
        raise InputError(f"--pseudonyms: --to {name} finds people by their names; leave it out")
    session = Session.read(folder, roster)
    facts = _facts(session, pseudonyms=pseudonyms or session.contest.publish.pseudonyms)
    _require_games(facts, folder, name, is_gradebook=wanted.is_gradebook)
    results = course_results(
        facts,
        session.people,
        contest=folder.resolve().name,
        house=not no_house,
        missing=missing,
        is_published=pseudonyms and not wanted.is_gradebook,
    )
    made = wanted.make(results, form)
    lateness = [session.unknown_lateness] if session.unknown_lateness else []
    for remark in (*lateness, *_unused_pseudonyms(facts, session.people), *made.remarks):
        click.echo(one_line(remark, 2000), err=True)
    _write(made.files, out, wanted.in_folders)
    return 0


def _unused_pseudonyms(facts: Facts, people: Iterable[Person]) -> Iterator[str]:
    from arena.report.pseudonyms import CHOICE_FILE

    for bot, pseudonym in facts.pseudonyms.items():
        if pseudonym.refused:
            yield f"{bot}: the name in its {CHOICE_FILE} is not used, as it {pseudonym.refused}"
    for person in people:
        used = facts.pseudonyms.get(person.bot)
        if person.pseudonym and used is not None and used.name != plain_name(person.pseudonym):
            yield (
                f"{person.bot}: the roster's pseudonym {person.pseudonym} is not used, as another "
                "bot has this name, or the bot another pseudonym"
            )


def _facts(session: Session, *, pseudonyms: bool, writes: bool = False) -> Facts:
    from arena.report.facts import facts_of
    from arena.report.pseudonyms import contest_pseudonyms

    contest = session.contest
    settled, _, analyses = session.settle(writes=writes)
    facts = facts_of(session.folder.path, contest, settled, analyses)
    if pseudonyms:
        facts = replace(facts, pseudonyms=contest_pseudonyms(session.folder, contest))
    return facts


def _require_games(facts: Facts, path: Path, name: str, *, is_gradebook: bool) -> None:
    due = len(facts.settled.due)
    if not facts.settled.is_final:
        missing, go_on = f"{counted(due, 'game')} to play", f"arena resume {shlex.quote(str(path))}"
        if is_gradebook:
            raise InputError(f"{path}: {missing}, so there are no grades; first: {go_on}")
        click.echo(f"{missing}, so the table is not final: {go_on}", err=True)
    elif is_gradebook and not facts.board["grade"].count():
        why = facts.grades.remark or 'nobody has a grade in this contest: [grades] rule = "none"'
        raise InputError(f"--to {name}: {path}: {why}")


def _write(files: Mapping[str, bytes], out: Path | None, in_folders: tuple[str, ...]) -> None:
    if out is None:
        for data in files.values():
            click.echo(data, nl=False)
        return
    try:
        if in_folders:
            _require_export(out, in_folders)
            with new_folder(out) as new:
                for name, data in files.items():
                    (new / name).parent.mkdir(exist_ok=True)
                    (new / name).write_bytes(data)
        else:
            for data in files.values():
                write_file(out, data)
    except OSError as error:
        raise unwritable(out, error) from None
    folders = {Path(name).parent for name in files}
    where = f"{counted(len(folders), 'folder')} in {out}" if in_folders else out
    click.echo(f"written: {where}", err=True)


def _require_export(folder: Path, endings: tuple[str, ...]) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: not a folder; name another with --out")
    for child in folder.iterdir() if folder.is_dir() else ():
        if not child.is_dir() or not all(each.name.endswith(endings) for each in child.iterdir()):
            raise InputError(
                f"{folder}: holds {one_line(child.name)}, which no export wrote; "
                "name another folder with --out"
            )


def _require_bot(contest: Contest, bot: str) -> None:
    if bot in contest.bots:
        return
    hint = hint_for(bot, contest.bots, f"bots: {', '.join(contest.bots)}")
    raise InputError(one_line(f"--for {bot}: there is no bot of this name; {hint}"))


def _write_handout(
    facts: Facts, contest: str, bot: str | None, folder: Path | None, out: Path | None
) -> None:
    """Write the report for the author of `bot`, or those for all students.

    Raises InputError, StorageError.
    """
    from arena.report.html.student import StudentReports  # pandas is slow to import

    bots = [name for name, each in facts.contest.bots.items() if not each.house]
    targets = {name: (folder or Path()) / report_name(name) for name in bots}
    if bot is not None:
        targets = {bot: out or Path(report_name(bot))}
    reports = StudentReports(facts, contest)
    path, size = folder or Path(), 0
    try:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        for name, path in targets.items():
            text = reports(name)
            write_file(path, text)
            size += len(text)
    except OSError as error:
        raise unwritable(path, error) from None
    where = path if folder is None else f"{folder}: {counted(len(targets), 'report')}"
    screen().print(f"{where}, {size / 1e6:.1f} MB", markup=False)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The page to write. Default: report.html in FOLDER, or BOT.html here.",
)
@click.option(
    "--for", "bot", metavar="BOT", help="The report for one bot's author: its games, its results."
)
@click.option(
    "--for-all",
    "out_of_all",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The report for each student's bot, as BOT.html in DIR.",
)
@click.option(
    "--pseudonyms",
    is_flag=True,
    help="In reports for authors, call other students' bots by pseudonyms. Default: as the contest "
    "file says.",
)
def report(
    folder: Path, out: Path | None, bot: str | None, out_of_all: Path | None, pseudonyms: bool
) -> int:
    """Write the report of a contest: leaderboard, crosstable, every bot, every game.

    It is one page for any browser and needs no network. The games of a contest with more than 8,000
    are in a folder report/ beside the page. Every arena run writes it.

    --for and --for-all write reports for students: each has only the games and results of one bot.

    \b
    Example:
      arena report results/homework4
      arena report results/homework4 --for-all handout --pseudonyms
    """
    if bot is not None and out_of_all is not None:
        raise InputError("--for, --for-all: one of them at a time")
    if out is not None and out_of_all is not None:
        raise InputError("--out: --for-all already names the folder to write; remove --out")
    is_for_students = bot is not None or out_of_all is not None
    if pseudonyms and not is_for_students:
        raise InputError("--pseudonyms: for reports for students; add --for BOT or --for-all DIR")
    if out is not None and not out.parent.is_dir():
        raise InputError(f"--out {out}: there is no folder {out.parent}")
    session = Session.read(folder)
    if bot is not None:
        _require_bot(session.contest, bot)
    if not is_for_students:
        _write_report(session, _facts(session, pseudonyms=False, writes=out is None), out)
        return 0
    facts = _facts(session, pseudonyms=pseudonyms or session.contest.publish.pseudonyms)
    _write_handout(facts, folder.resolve().name, bot, out_of_all, out)
    return 0


def _write_report(session: Session, facts: Facts, out: Path | None) -> None:
    from arena.report.html.report import REPORT, write_report

    folder = session.folder.path
    path = out or folder / REPORT
    try:
        written = write_report(path, facts, folder.resolve().name)
    except OSError as error:
        raise unwritable(path, error) from None
    beside = f", with {counted(written.pages, 'file')} in report/ beside it" * bool(written.pages)
    bots = counted(len(session.contest.playing), "bot")
    games = counted(len(facts.settled.games), "game")
    size = f"{written.size / 1e6:.1f} MB"
    screen().print(f"{path}: {bots}, {games}, {size}{beside}", markup=False)
