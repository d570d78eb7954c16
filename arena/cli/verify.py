"""`arena verify`: is a contest's folder sound, and do its games go as recorded?"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from arena.audit import words
from arena.audit.folder import Checked, check, repair
from arena.audit.rerun import Played, Rerun, Reruns, damage, is_of_another_engine, played, sample
from arena.cli.files import ANY_PATH
from arena.cli.options import AT_HOME, confine, lane_cores
from arena.cli.screen import ConsoleHandler, busy, ready_engine, remark, screen, tracked
from arena.common.errors import InputError, StorageError
from arena.common.packages import arena_version
from arena.common.text import counted, listed, one_line, quote, some_of
from arena.contest.folder import ContestFolder
from arena.contest.lost_games import Finding, shortfall
from arena.contest.retirement import retries_of, retry_in_words, settle
from arena.contest.session import Session
from arena.contest.settled import SettledGame
from arena.game.record import GameRecord
from arena.journal.mending import SetAside
from arena.machine.facts import other_software
from arena.playing.batches import open_lanes
from arena.playing.log import logged
from arena.report.game_file import FileGames
from arena.report.replay import ContestGames
from arena.settings.contest import draw_seed

ALL = "all"
SAMPLE = 50  # Default number of games that are played again.
MOST_SHOWN = 50  # Printed lines with findings.
NAMED = 3  # Files named in a line.
NAME = 40  # Characters of another version's name.
LONGEST = 900  # Characters of the longest line.
ENGINE = "played with the engine of another version of Arena"


def _size(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    if value is None or value == ALL:
        return None if value is None else 0
    if not value.isdecimal() or not 0 < int(value) < 1 << 62:
        raise click.BadParameter(f"{value!r} is not a number of games, nor {ALL}")
    return int(value)


@click.command()
@click.argument("folder", type=ANY_PATH)
@click.option(
    "--repair",
    "repairs",
    is_flag=True,
    help="Repair what can be repaired. Replaced files are moved to set-aside-1/ in FOLDER.",
)
@click.option(
    "--replay",
    "--sample",
    "size",
    callback=_size,
    metavar="N|all",
    help=f"Play this number of games again, or {ALL}, in place of the check. If only "
    f"--seed or --lanes is given: {SAMPLE}.",
)
@click.option("--seed", type=int, help="Seed of the sample. Default: drawn, and printed.")
@click.option("--lanes", type=click.IntRange(min=1), help="Games at a time. Default: one a core.")
@click.option("--home", is_flag=True, help=AT_HOME)
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def verify(
    folder: Path,
    repairs: bool,
    size: int | None,
    seed: int | None,
    lanes: int | None,
    home: bool,
    as_json: bool,
) -> int:
    """Check that a contest's FOLDER is sound, or play its games again.

    The check replays every game in the journal by the rules, hashes the bots' files again, and
    compares tables, pages and report with the journal. Each finding says where, what, and what to
    do. Without --repair nothing in the folder changes. Exit code 0 if nothing is wrong or all was
    repaired, else 1.

    With --replay a random sample of the games is played again, and every move compared with the
    records. A bot whose answer differs is asked up to three more times, to find out whether it is
    deterministic. The folder is only read, so the contest may be running. Exit code 0 if every game
    goes as recorded, or differs only because a bot is not deterministic or is close to a time
    limit; else 1.

    \b
    Example:
      arena verify results/homework4
      arena verify results/homework4 --repair
      arena verify results/homework4 --replay 50
    """
    given = {"replay": size, "seed": seed, "lanes": lanes}
    playing = [name for name, value in given.items() if value is not None]
    if repairs and playing:
        raise InputError(f"--{playing[0]}: --repair plays no games; leave it out")
    if not playing:
        return _check_folder(folder, repairs=repairs, as_json=as_json)
    confine(home)
    size = SAMPLE if size is None else size or None
    return _rerun_sample(folder, size, seed, lanes, as_json=as_json)


def _check_folder(path: Path, *, repairs: bool, as_json: bool) -> int:
    folder, console = ContestFolder(path), screen(stderr=True)
    checked = _check(folder, console)
    found, left = checked.findings, checked.findings
    aside = SetAside(path)
    if repairs and found and checked.contest.bots:
        with folder.locked():
            _repair(folder, checked, aside, console)
            checked = _check(folder, console)
            left = checked.findings
    repaired = [finding for finding in found if finding not in left]
    moved = aside.path.name if aside.path.exists() else None
    tries = _retries(
        SettledGame(game, record, is_forfeit=False)
        for game in checked.games
        if (record := checked.records.get(game.key.digest))
    )
    if as_json:
        found_out: dict[str, Any] = {
            "folder": str(path),
            "running": checked.is_running,
            "scheduled": len(checked.games),
            "games": len(checked.records),
            "findings": [asdict(finding) for finding in checked.findings],
            "repaired": [asdict(finding) for finding in repaired],
            "set_aside": moved,
            "notes": checked.notes,
            "second_tries": tries,
        }
        click.echo(json.dumps(found_out, indent=2))
    else:
        _print_checked(path, checked, repaired, moved, may_repair=not repairs)
        for line in _retry_lines(tries):
            screen().print(line, style="yellow", markup=False)
    return int(bool(left))


def _check(folder: ContestFolder, console: Console) -> Checked:
    def watch(games: list[GameRecord]) -> Iterable[GameRecord]:
        return tracked(games, "replayed", len(games), "games", console)

    checked = check(folder, watch)
    if checked.games and not checked.is_running and _find_lost_games(folder, checked):
        checked.notes.append(
            "tables and pages were not compared, because the journal may lack games that they "
            "have; they are unchanged"
        )
    elif checked.has_games and not checked.is_running:
        if wrong := len(checked.wrong.get("games", ())):
            checked.notes.append(
                f"the tables were compared without {counted(wrong, 'game')} with impossible records"
            )
        with busy("comparing tables and pages", console):
            _check_tables(folder, checked)
    if checked.is_running:
        checked.notes.append(
            "another arena process is using this contest: the games that it has stored were "
            "checked, and its tables are not final"
        )
    return checked


def _find_lost_games(folder: ContestFolder, checked: Checked) -> bool:
    if checked.records and not checked.has_games:
        return True  # some games may be lost
    settled = settle(checked.games, checked.records, checked.contest.schedule.retire_after)
    there = checked.records.keys() | checked.wrong.get("games", {}).keys()
    lost = shortfall(folder.path, checked.games, settled, there)
    checked.findings += filter(None, [lost])
    return checked.is_damaged or lost is not None


def _check_tables(folder: ContestFolder, checked: Checked) -> None:
    # pandas is slow to import
    from arena.audit.tables import in_report, table_findings
    from arena.report.files import FILES
    from arena.report.html.report import PAGES, REPORT
    from arena.report.pseudonyms import FEEDBACK, LOST_KEY, is_key

    contest = checked.contest
    key = folder.pseudonym_key
    if contest.publish.pseudonyms and not (key.exists() and is_key(key.read_bytes().strip())):
        what = "is not as it was written" if key.exists() else "is missing"
        checked.findings.append(Finding(key.name, what, LOST_KEY))
        return  # the pages need the key, and a check must not draw a new key
    try:
        session = Session(folder, contest)
        results = session.count(checked.games, checked.records, checked.analyses)
        found = [*table_findings(folder.path, contest, results.settled, results.analyses)]
    except InputError:
        return  # the roster or history is unreadable, which is already a finding
    if due := len(results.settled.due):
        missing = f"{counted(due, 'game')} {'is' if due == 1 else 'are'} not played yet"
        checked.notes.append(f"{missing}: arena resume {quote(str(folder.path))}")
    if (before := in_report(folder.path, "arena")) not in ("", arena_version()):
        checked.notes.append(
            f"tables and pages were made by Arena {one_line(before, NAME)}, and this is "
            f"{arena_version()}: they may differ for this reason alone"
        )
    checked.has_tables = True
    if folder.is_in_use:  # another process started it meanwhile: tables may be newer than the copy
        checked.is_running = True
        return
    for finding in found:
        checked.findings.append(finding)
        if finding.where in FILES or finding.where.startswith(f"{FEEDBACK}/"):
            checked.stale.append(finding.where)
        if finding.where == REPORT or finding.where.startswith(f"{PAGES}/"):
            checked.stale += (REPORT, PAGES)  # page and files belong together


def _repair(folder: ContestFolder, checked: Checked, aside: SetAside, console: Console) -> None:
    from arena.audit.tables import in_report
    from arena.report.facts import facts_of
    from arena.report.files import make_results
    from arena.report.html.report import REPORT

    ready_engine(console, checked.contest.engine)
    repair(folder, checked, aside)
    if not checked.has_tables:
        return  # the files may be the only trace of the games
    with busy("making tables and pages", console):
        settled, _, analyses = Session.open(folder.path).settle()
        facts = facts_of(folder.path, checked.contest, settled, analyses)
        results = make_results(folder.path, facts, in_report(folder.path, "name"))
        try:
            for name in checked.stale:
                aside.take(folder.path / name)
        except OSError as error:
            raise StorageError(f"{folder.path}: {error.strerror}") from None
        results.write(folder.path, report=REPORT in checked.stale)


def _print_checked(
    folder: Path,
    checked: Checked,
    repaired: list[Finding],
    moved: str | None,
    *,
    may_repair: bool,
) -> None:
    console = screen(whole_lines=True)
    for those, style, word in ((repaired, "green", "repaired: "), (checked.findings, "red", "")):
        lines = [f"{word}{line}" for line in _lines(those, with_repair=not word)]
        for line in lines[:MOST_SHOWN]:
            console.print(line, style=style, markup=False)
        if len(lines) > MOST_SHOWN:
            more = counted(len(lines) - MOST_SHOWN, "more line")
            console.print(f"{word}{more}; --json shows all", style=style)
    if moved:
        console.print(f"replaced files are in {moved}/", markup=False)
    for note in checked.notes:
        console.print(one_line(note, LONGEST), style="yellow", markup=False)
    left = len(list(_lines(checked.findings, with_repair=True)))
    games = f"{counted(len(checked.records), 'game')} checked, {len(checked.games):,} scheduled"
    said = f"{counted(left, 'finding')} left" if repaired else f"{counted(left, 'finding')}"
    if not left:
        said = "all repaired" if repaired else "nothing is wrong"
    console.print(f"{folder}: {games}: {said}", markup=False)
    if left and may_repair:
        console.print(
            f"repair what can be: arena verify {quote(str(folder))} --repair", markup=False
        )


def _lines(findings: list[Finding], *, with_repair: bool) -> Iterator[str]:
    alike: dict[tuple[str, str | None], list[str]] = {}
    for finding in findings:
        alike.setdefault((finding.what, finding.repair), []).append(finding.where)
    for (what, again), places in alike.items():
        each = " (each)" * (len(places) > 1)
        where = some_of([one_line(place) for place in places], NAMED) + each
        to_do = f"; {again}" if again and with_repair else ""
        yield one_line(f"{where}: {what}{to_do}", LONGEST)


def _rerun_sample(
    folder: Path, size: int | None, seed: int | None, lanes: int | None, *, as_json: bool
) -> int:
    session = Session.read(folder)
    console = screen(stderr=True)
    settled = session.settle(graded=False).settled
    counted_games = list(played(settled.games))
    if not counted_games:
        resume = f"arena resume {quote(str(folder))}"
        raise InputError(f"{folder}: no game has been played yet; {resume}")
    ready_engine(console, session.contest.engine)
    games, remarks, is_whole = _playable(session, counted_games)
    software = other_software(folder)
    remark(*map(one_line, (*remarks, *software)))
    if not games:
        raise InputError(f"{folder}: none of its games can be played again")
    seed = draw_seed() if seed is None else seed
    chosen = sample(games, size, seed)
    if len(chosen) < len(games):
        console.print(f"{counted(len(chosen), 'game')} of {len(games):,}, drawn with --seed {seed}")
    reruns: list[Rerun] = []
    facts = {
        "contest": str(folder),
        "seed": seed,
        "sample": len(chosen),
        "played": len(counted_games),
        "remarks": [*remarks, *software],
        "second_tries": _retries(settled.games),
    }
    try:
        with rerunning(chosen, lanes, console) as again:
            for rerun in tracked(again, "played again", len(chosen), "games", console):
                reruns.append(rerun)
    except KeyboardInterrupt:
        console.print(f"stopped after {counted(len(reruns), 'game')} of {len(chosen):,}")
        _print_found(reruns, facts | {"stopped": True}, as_json)
        raise
    _print_found(reruns, facts | {"stopped": False, "not_played": again.not_played()}, as_json)
    return int(bool(again.abandoned or words.unexplained(reruns)) or not is_whole)


def _retries(games: Iterable[SettledGame]) -> list[dict[str, Any]]:
    return [
        {"bot": bot, "game": game.number, "why": retry_in_words(retake)}
        for bot, tries in retries_of(games).items()
        for game, retake in tries
    ]


def _retry_lines(tries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    return (one_line(f"Game {each['game']}: {each['bot']} {each['why']}.") for each in tries)


def _playable(session: Session, games: Sequence[Played]) -> tuple[list[Played], list[str], bool]:
    names = {name for game, _ in games for name in (game.first, game.second)}
    bots = {name: bot for name, bot in session.bots.items() if name in names}
    damaged = {name: said for name, bot in bots.items() if (said := damage(bot))}
    others = [name for name, bot in bots.items() if is_of_another_engine(bot)]
    absent = {*others, *damaged}
    left = [each for each in games if absent.isdisjoint((each[0].first, each[0].second))]
    again = f"arena verify {quote(str(session.folder.path))} --repair"
    remarks = [f"{name} {said}; restore it: {again}" for name, said in damaged.items()]
    if others:
        remarks.append(f"{listed(others)}: left out; {ENGINE}")
    return left, remarks, not damaged


def _print_found(reruns: Sequence[Rerun], facts: Mapping[str, Any], as_json: bool) -> None:
    reruns = sorted(reruns, key=lambda each: each.game.number)
    if as_json:
        click.echo(json.dumps({**facts, **words.as_plain_sample(reruns)}, indent=2))
        return
    if not reruns:
        return
    console = screen()
    console.print(words.verified_table(words.verified(reruns), console.width))
    console.print(words.sentence(reruns, facts["played"]))
    software = other_software(Path(facts["contest"]))
    for line in words.findings(reruns, Path(facts["contest"]), same_machine=not software):
        console.print(line, markup=False)
    for line in _retry_lines(facts["second_tries"]):
        console.print(line, style="yellow", markup=False)


@contextmanager
def rerunning(games: Sequence[Played], lanes: int | None, console: Console) -> Iterator[Reruns]:
    cores = lane_cores(lanes, games[0][0].key.limits)
    with logged(Path(os.devnull), ConsoleHandler(console)), open_lanes(cores) as executor:
        again = Reruns(games, executor)
        yield again
    for line in again.not_played():
        console.print(line, style="red", markup=False)


def rerun_game(games: ContestGames | FileGames, folder: Path, word: str, *, as_json: bool) -> int:
    console = screen(stderr=True)
    if isinstance(games, FileGames):
        raise InputError(
            "--rerun: needs a contest's folder; to ask your own bot again: "
            f"arena ask my_bot.py --game {quote(str(folder))} {quote(word)}"
        )
    game, record = games.played(word)
    for name, bot in ((game.first, game.key.first), (game.second, game.key.second)):
        if is_of_another_engine(bot):
            raise InputError(
                f"{folder}: game {game.number} cannot be played again: {name} {ENGINE}"
            )
        if said := damage(bot):
            repair = f"arena verify {quote(str(folder))} --repair"
            raise InputError(f"{folder}: {name} {said}; restore it: {repair}")
    software = other_software(folder)
    remark(*map(one_line, software))
    with rerunning([(game, record)], 1, console) as again:
        found = list(again)
    for rerun in found:
        if as_json:
            click.echo(json.dumps({**words.as_plain(rerun), "remarks": software}, indent=2))
        else:
            for line in words.rerun_lines(rerun, same_machine=not software):
                click.echo(line)
    return int(any(each.difference is not None for each in found) or not found)
