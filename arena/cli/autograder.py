"""`arena gradescope make` and `grade`: submissions graded one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.autograder import SPARE_SECONDS, USUAL_MINUTES
from arena.cli.files import ANY_PATH, FILE, FOLDER
from arena.cli.options import AT_HOME, Command, contest_from, contest_options
from arena.common.errors import InputError, writing
from arena.common.files import write_file
from arena.common.home import choose_home
from arena.common.text import counted
from arena.game.starter import require_confinement
from arena.settings.contest import Contest, Schedule, draw_seed

RESULTS = "results.json"  # Gradescope's name for the file.


def _grading_options(command: Command) -> Command:
    points = click.option(
        "--points",
        type=click.FloatRange(min=0, min_open=True),
        default=10,
        show_default=True,
        help="Full marks.",
    )
    at_home = click.option("--home", is_flag=True, help=AT_HOME)
    return contest_options(points(at_home(command)))


@click.command()
@_grading_options
@click.option(
    "--minutes",
    type=click.IntRange(min=2),
    default=USUAL_MINUTES,
    show_default=True,
    help="The assignment's time limit at Gradescope; games are played for a minute less.",
)
@click.option("--out", type=FILE, metavar="FILE", help="The archive to write.")
def autograder(points: float, minutes: int, home: bool, out: Path | None, **options: Any) -> int:
    """Make an archive for Gradescope, which then grades each submission at once.

    Gradescope checks a submission and lets it play the house players that the contest file names
    in [grades.levels], each opening with both sides. The grade becomes points. Students see their
    page and, if their bot cannot play, the reason. arena gradescope grade does the same on this
    machine.

    \b
    Example:
      arena gradescope make --preset cs4100 --points 20 --out autograder.zip
    """
    # pandas is slow to import
    from arena.autograder.bundle import bundle, is_bundle, levels_contest, most_games

    if out is None:
        raise InputError("--out is missing, the archive to write, like --out autograder.zip")
    if out.suffix.lower() != ".zip":
        raise InputError(f"--out {out}: expected the name of an archive, like autograder.zip")
    if out.exists() and not is_bundle(out):
        raise InputError(f"--out {out}: this file is no earlier autograder; name another")
    base = Contest(schedule=Schedule(seed=draw_seed()))
    contest = levels_contest(contest_from(base, options))
    _write(out, bundle(contest, points, minutes, home=home))
    click.echo(
        f"{out}: a submission plays {most_games(contest):,} games for up to {points:g} points, or "
        f"as many as end within {counted(minutes - 1, 'minute')}.\nA bot whose own moves take more "
        "than half of the time loses its unfinished games at the end.\nUpload the file to "
        "Gradescope as the autograder of a programming assignment."
    )
    return 0


@click.command()
@click.argument("submission", type=ANY_PATH)
@_grading_options
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=USUAL_MINUTES * 60 - SPARE_SECONDS,
    show_default=True,
    help="Time for all of it; the games that are finished by then count.",
)
@click.option(
    "--metadata",
    type=ANY_PATH,
    metavar="FILE",
    help="Gradescope's submission_metadata.json, which tells whether the submission is late.",
)
@click.option(
    "--results",
    type=FOLDER,
    metavar="DIR",
    help=f"Write Gradescope's {RESULTS} to this folder, also if something goes wrong; "
    "the folder is made if it is missing.",
)
@click.option("--json", "as_json", is_flag=True, help=f"Print the content of {RESULTS}.")
def grade(
    submission: Path,
    points: float,
    seconds: float,
    metadata: Path | None,
    results: Path | None,
    home: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Grade one SUBMISSION by its games against house players.

    Prints the page that a student would see at Gradescope, where the archive of arena gradescope
    make does the same. A folder is one submission. It is checked as by arena check. Then it
    plays the house players that the contest file names in [grades.levels], opening by opening,
    until the time is over. The grade becomes points.

    \b
    Example:
      arena gradescope grade my_bot.py --preset cs4100
    """
    from arena.autograder.bundle import levels_contest
    from arena.autograder.grading import grade as graded_by
    from arena.autograder.results import failure_json, remarks, results_json, student_page
    from arena.courses.gradescope import read_lateness

    if results is not None:
        with writing(results):  # before a game is played, so that its page is not lost
            results.mkdir(parents=True, exist_ok=True)
    try:
        if home:
            choose_home()
        warning = require_confinement()
        contest = levels_contest(contest_from(Contest(), options))
        known = [warning] if warning else []
        is_late = False
        if metadata is not None:
            try:
                is_late = read_lateness(metadata)
            except InputError as error:  # grading is still possible
                known.append(f"{error}; graded as on time")
        graded = graded_by(submission, contest, seconds, known)
        text = results_json(graded, is_late, points)
        page = student_page(graded, is_late, points)
    except Exception as error:
        if results is not None:
            _write(results / RESULTS, failure_json(f"{type(error).__name__}: {error}"))
        raise
    for remark in remarks(graded):
        click.echo(remark, err=True)
    if results is not None:
        _write(results / RESULTS, text)
    click.echo(text if as_json else page, nl=False)
    return int(graded.games is None)


def _write(path: Path, data: str | bytes) -> None:
    with writing(path):
        write_file(path, data)
