"""`arena export` and `arena report`: results for other systems, and pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.files import ANY_PATH, EXISTING_FILE, FILE, FOLDER, OneOf
from arena.cli.screen import GAMES, PGN, check_saved, screen, write_games
from arena.common.errors import InputError, writing
from arena.common.files import new_folder, write_file
from arena.common.names import hint_for, plain_name, report_name
from arena.common.text import counted, one_line, quote
from arena.contest.session import Session
from arena.courses.export import Person
from arena.courses.gradebook import Form, read_sheet
from arena.report.exports import FORMATS, ExportFormat, make_mail
from arena.report.game_file import terms_of
from arena.report.html.pdf import installed_browser, print_report
from arena.settings.contest import Contest

if TYPE_CHECKING:
    from arena.report.facts import Facts


@click.command()
@click.argument("folder", type=ANY_PATH)
@click.option("--to", "name", type=OneOf([*FORMATS]), help="The format.")
@click.option(
    "--games",
    type=FILE,
    metavar="FILE",
    help="Instead of --to: write the games, as JSON that arena replay and ask read (FILE.json), or "
    "as text (FILE.pgn).",
)
@click.option(
    "--bot", metavar="NAME", help="With --games: those of this bot, as its author may see them."
)
@click.option(
    "--out",
    type=ANY_PATH,
    metavar="PATH",
    help="The file to write, for gradescope and reports a folder. Default: standard output.",
)
@click.option(
    "--gradebook",
    type=EXISTING_FILE,
    metavar="CSV",
    help="The file that Canvas, Moodle or GitHub Classroom gave you: a copy is filled in.",
)
@click.option(
    "--assignment", default="", metavar="NAME", help="The assignment's name in the gradebook."
)
@click.option(
    "--roster",
    type=EXISTING_FILE,
    metavar="CSV",
    help="The people and their bots, if the contest's folder has no roster.csv, or an old one.",
)
@click.option(
    "--missing",
    type=click.FloatRange(min=0),
    metavar="GRADE",
    help="The grade of those who handed in nothing, or nothing that takes part. Default: none.",
)
@click.option(
    "--template",
    type=EXISTING_FILE,
    metavar="FILE",
    help="With --to mail: the text of the messages. Its first line is Subject: and the subject; "
    "$name, $grade and others stand for a student's.",
)
@click.option("--no-house", is_flag=True, help="Leave out the house players.")
@click.option(
    "--pseudonyms",
    is_flag=True,
    help="Call bots by pseudonyms, and write nothing that says whose they are.",
)
def export(
    folder: Path,
    name: str | None,
    games: Path | None,
    bot: str | None,
    out: Path | None,
    gradebook: Path | None,
    assignment: str,
    roster: Path | None,
    missing: float | None,
    template: Path | None,
    no_house: bool,
    pseudonyms: bool,
) -> int:
    """Write the results of a contest for a gradebook, a page or mails.

    csv, json, markdown and latex are the leaderboard; with a roster, csv and json have a row for
    each person. canvas, moodle, github and gradescope are files that these systems import, with
    each person's grade. reports, moodle-reports and canvas-reports are the students' own reports: a
    folder for each person, or an archive that the system imports. mail adds messages and mails.csv
    to these folders, and sends nothing. Standard error names everyone who has no grade or report.

    \b
    Example:
      arena export results/homework4 --to canvas --gradebook grades.csv --out upload.csv
      arena export results/homework4 --games alice.json --bot alice
    """
    if games is not None:
        others = (name, out, gradebook, roster, assignment, missing, template, no_house)
        if any(each not in (None, "", False) for each in others):
            raise InputError("--games: takes only --bot and --pseudonyms; leave out other options")
        _write_games(folder, games, bot, pseudonyms=pseudonyms)
        return 0
    if name is None:
        raise click.UsageError("Missing option '--to' or '--games'.")
    if bot is not None:
        raise InputError("--bot: is for --games FILE; add it")
    from arena.report.course_results import course_results  # pandas is slow to import

    wanted = _wanted(name, out, gradebook, roster, template, pseudonyms=pseudonyms)
    sheet = read_sheet(gradebook) if gradebook else None
    form = Form(sheet=sheet, assignment=assignment, missing=missing, template=template)
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
    unused = _unused_pseudonyms(facts, session.people)
    for remark in filter(None, (session.unknown_lateness, *unused, *made.remarks)):
        click.echo(one_line(remark, 2000), err=True)
    _write(made.files, out, wanted.in_folders)
    return 0


def _wanted(
    name: str,
    out: Path | None,
    gradebook: Path | None,
    roster: Path | None,
    template: Path | None,
    *,
    pseudonyms: bool,
) -> ExportFormat:
    wanted = FORMATS[name]
    if gradebook is not None and not wanted.takes_sheet:
        raise InputError(f"--gradebook: --to {name} fills in no file; leave it out")
    if template is not None and wanted.make is not make_mail:
        raise InputError("--template: is for --to mail; leave it out")
    if pseudonyms and wanted.takes_sheet:
        raise InputError(f"--pseudonyms: --to {name} finds people by their names; leave it out")
    if out is None and (wanted.in_folders or wanted.is_archive):
        what = "file" if wanted.is_archive else "folder"
        raise InputError(f"--out is missing, the {what} to write")
    for given in filter(None, (gradebook, roster, template)):
        if out is not None and out.exists() and out.samefile(given):
            raise InputError(f"--out {out}: this would overwrite what is read; name another file")
    return wanted


def _write_games(folder: Path, path: Path, bot: str | None, *, pseudonyms: bool) -> None:
    from arena.report.own_games import OwnGames, contest_games  # pandas is slow to import

    check_saved(path, (GAMES, PGN))
    if bot is None and pseudonyms:
        raise InputError("--pseudonyms: the games of all bots tell who they are; add --bot NAME")
    session = Session.read(folder)
    contest, terms = session.contest, None
    if bot is not None:
        _require_bot(contest, bot, "--bot")
    facts = _facts(session, pseudonyms=pseudonyms or contest.publish.pseudonyms)
    played = contest_games(facts)
    if bot is not None:
        played, terms = OwnGames(facts)(bot), terms_of(contest, bot)
    written = write_games(path, folder.resolve().name, str(contest.limits), played, terms)
    click.echo(f"written: {path}, {counted(written, 'game')}", err=True)


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
        missing, go_on = f"{counted(due, 'game')} to play", f"arena resume {quote(str(path))}"
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
    with writing(out):
        if in_folders:
            _require_export(out, in_folders)
            with new_folder(out) as new:
                for name, data in files.items():
                    (new / name).parent.mkdir(exist_ok=True)
                    (new / name).write_bytes(data)
        else:
            for data in files.values():
                write_file(out, data)
    folders = {Path(name).parent for name in files} - {Path()}
    where = f"{counted(len(folders), 'folder')} in {out}" if in_folders else out
    click.echo(f"written: {where}", err=True)


def _require_export(folder: Path, endings: tuple[str, ...]) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: not a folder; name another with --out")
    for child in folder.iterdir() if folder.is_dir() else ():
        if child.name in endings:
            continue
        if not child.is_dir() or not all(each.name.endswith(endings) for each in child.iterdir()):
            raise InputError(
                f"{folder}: holds {one_line(child.name)}, which no export wrote; "
                "name another folder with --out"
            )


def _require_bot(contest: Contest, bot: str, option: str) -> None:
    if bot in contest.bots:
        return
    hint = hint_for(bot, contest.bots, f"bots: {', '.join(contest.bots)}")
    raise InputError(one_line(f"{option} {bot}: there is no bot of this name; {hint}"))


def _write_handout(
    facts: Facts, contest: str, bot: str | None, folder: Path | None, out: Path | None
) -> None:
    from arena.report.html.student import StudentReports  # pandas is slow to import

    bots = [name for name, each in facts.contest.bots.items() if not each.house]
    targets = {name: (folder or Path()) / report_name(name) for name in bots}
    if bot is not None:
        targets = {bot: out or Path(report_name(bot))}
    reports = StudentReports(facts, contest)
    path, size = folder or Path(), 0
    if folder is not None:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
    for name, path in targets.items():
        text = reports(name)
        with writing(path):
            write_file(path, text)
        size += len(text)
    where = path if folder is None else f"{folder}: {counted(len(targets), 'report')}"
    screen().print(f"{where}, {size / 1e6:.1f} MB", markup=False)


@click.command()
@click.argument("folder", type=ANY_PATH)
@click.option(
    "--out",
    type=FILE,
    metavar="FILE",
    help="The page to write. Default: report.html in FOLDER, or BOT.html here.",
)
@click.option(
    "--for", "bot", metavar="BOT", help="The report for one bot's author: its games, its results."
)
@click.option(
    "--for-all",
    type=FOLDER,
    metavar="DIR",
    help="The report for each student's bot, as BOT.html in DIR.",
)
@click.option(
    "--for-class",
    type=FILE,
    metavar="FILE",
    help="The page for the whole class: with pseudonyms and a podium, without anything private.",
)
@click.option(
    "--pseudonyms",
    is_flag=True,
    help="In reports for authors, call other students' bots by pseudonyms. Default: as the contest "
    "file says.",
)
@click.option(
    "--pdf",
    type=FILE,
    metavar="FILE",
    help="Also print the leaderboard, the class and the crosstable to FILE, with an installed "
    "Chromium, Chrome or Edge.",
)
def report(
    folder: Path,
    out: Path | None,
    bot: str | None,
    for_all: Path | None,
    for_class: Path | None,
    pseudonyms: bool,
    pdf: Path | None,
) -> int:
    """Write the report of a contest: leaderboard, crosstable, every bot, every game.

    It is one page for any browser and needs no network. More than 8,000 games are in a folder
    beside the page, report/ beside report.html. Every arena run writes it.

    --for and --for-all write reports for students: each has only the games and results of one bot.
    --for-class writes a page for a projector or the course's site: no names, grades or printed
    texts. FILE#/podium reveals the places from the last upward.

    \b
    Example:
      arena report results/homework4
      arena report results/homework4 --for-all handout --pseudonyms
      arena report results/homework4 --for-class class.html
    """
    if sum(each is not None for each in (bot, for_all, for_class)) > 1:
        raise InputError("--for, --for-all, --for-class: one of them at a time")
    if out is not None and (named := for_class or for_all) is not None:
        raise InputError(f"--out: {named} already names what to write; remove --out")
    is_for_students = bot is not None or for_all is not None
    if pseudonyms and not is_for_students:
        raise InputError("--pseudonyms: for reports for students; add --for BOT or --for-all DIR")
    if pdf is not None and is_for_students:
        raise InputError("--pdf: prints the instructor's report; leave out --for and --for-all")
    for option, path in (("--out", out), ("--for-class", for_class), ("--pdf", pdf)):
        if path is not None and not path.parent.is_dir():
            raise InputError(f"{option} {path}: there is no folder {path.parent}")
    if pdf is not None:
        installed_browser()  # before anything is written
    session = Session.read(folder)
    if bot is not None:
        _require_bot(session.contest, bot, "--for")
    if for_class is not None:
        _write_for_class(session, for_class, pdf)
    elif is_for_students:
        facts = _facts(session, pseudonyms=pseudonyms or session.contest.publish.pseudonyms)
        _write_handout(facts, folder.resolve().name, bot, for_all, out)
    else:
        _write_report(session, _facts(session, pseudonyms=False, writes=out is None), out, pdf)
    return 0


def _write_for_class(session: Session, out: Path, pdf: Path | None) -> None:
    from arena.report.html.report import REPORT
    from arena.report.published import public_session

    if out.resolve() == (session.folder.path / REPORT).resolve():
        raise InputError(f"--for-class {out}: arena run writes it with names; name another file")
    public = public_session(session)
    _write_report(public, replace(_facts(public, pseudonyms=False), is_public=True), out, pdf)


def _write_report(session: Session, facts: Facts, out: Path | None, pdf: Path | None) -> None:
    from arena.report.html.report import REPORT, write_report

    folder = session.folder.path
    path = out or folder / REPORT
    with writing(path):
        written = write_report(path, facts, folder.resolve().name)
    files = counted(written.pages, "file")
    beside = f", with {files} in {path.stem}/ beside it" if written.pages else ""
    bots = counted(len(session.contest.playing), "bot")
    games = counted(len(facts.settled.games), "game")
    size = f"{written.size / 1e6:.1f} MB"
    screen().print(f"{path}: {bots}, {games}, {size}{beside}", markup=False)
    if pdf is not None:
        with writing(pdf):
            print_report(installed_browser(), path, pdf)
        screen().print(f"{pdf}: printed", markup=False)
