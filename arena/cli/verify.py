"""`arena verify`: does a contest repeat? A sample of its games is played again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

import click

from arena.cli.fsck import check_folder
from arena.cli.options import UNCONFINED, confine
from arena.cli.rerun import ENGINE, playing_again
from arena.cli.screen import ready_engine, screen, tracked
from arena.contest import Session, Settled, draw_seed
from arena.contest.machines import other_software
from arena.contest.rerun import Rerun, damage, is_of_another_engine
from arena.contest.retakes import second_tries, told
from arena.contest.sampling import Played, played, sample
from arena.errors import InputError
from arena.numbers import counted, listed
from arena.quoting import one_line

ALL = "all"
SAMPLE = "50"


def _size(ctx: click.Context, param: click.Parameter, value: str) -> int | None:
    """Return the number of games; None for all. Raises UsageError."""
    if value == ALL:
        return None
    if not value.isdecimal() or not 0 < int(value) < 1 << 62:
        raise click.BadParameter(f"{value!r} is not a number of games, nor {ALL}", ctx, param)
    return int(value)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--sample",
    "size",
    default=SAMPLE,
    callback=_size,
    metavar="N|all",
    help=f"Games to play again, or {ALL} of them. Default: {SAMPLE}.",
)
@click.option("--seed", type=int, help="Seed of the sample. Default: drawn, and printed.")
@click.option("--lanes", type=click.IntRange(min=1), help="Games at a time. Default: one a core.")
@click.option("--allow-unsandboxed", is_flag=True, help=UNCONFINED)
@click.option(
    "--repair",
    "repairs",
    is_flag=True,
    help="Play nothing: check the files in FOLDER and repair what can be, as arena fsck --repair.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
@click.pass_context
def verify(
    ctx: click.Context,
    folder: Path,
    size: int | None,
    seed: int | None,
    lanes: int | None,
    allow_unsandboxed: bool,
    repairs: bool,
    as_json: bool,
) -> int:
    """Play a random sample of a contest's games again, and say what does not repeat.

    Each game is played by its key, with the contest's own copies of the bots, and compared with its
    record move for move. A bot whose answer differs is asked the same again, up to three times, so
    that it is known whether it is not deterministic. Nothing is changed in the contest, which may
    be under way, or in a folder that is read-only.

    The exit code is 0 if every game repeats, or a bot's own ways are the cause that it does not: it
    is not deterministic, or comes near a time limit. It is 1 if there is anything to look at.

    With --repair no game is played: the folder is checked as by arena fsck, and repaired.

    \b
    Example:
      arena verify results/homework4 --sample 50
      arena verify results/homework4 --repair
    """
    if repairs:
        for name in ("size", "seed", "lanes"):
            if ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
                option = {"size": "sample"}.get(name, name)
                raise InputError(f"--{option}: --repair plays no games; leave it out")
        return check_folder(folder, repairs=True, as_json=as_json)
    confine(allow_unsandboxed)
    return _played_again(folder, size, seed, lanes, as_json=as_json)


def _played_again(
    folder: Path, size: int | None, seed: int | None, lanes: int | None, *, as_json: bool
) -> int:
    """Play a sample again and print what was found; returns the exit code."""
    session = Session.read(folder)
    console = screen(stderr=True)
    settled = session.settle(graded=False).settled
    counted_games = list(played(settled.games))
    if not counted_games:
        raise InputError(f"{folder}: no game has been played yet; arena resume {folder}")
    if session.contest.needs_engine:
        ready_engine(console)
    games, remarks, is_whole = _playable(session, counted_games)
    for remark in (*remarks, *(software := other_software(folder))):
        console.print(one_line(remark), style="yellow", markup=False)
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
        "second_tries": _tries(settled),
    }
    try:
        with playing_again(chosen, lanes, console) as again:
            for rerun in tracked(again, "played again", len(chosen), "games", console):
                reruns.append(rerun)
    except KeyboardInterrupt:
        console.print(f"stopped after {counted(len(reruns), 'game')} of {len(chosen):,}")
        _print_found(reruns, facts | {"stopped": True}, as_json)
        raise
    _print_found(reruns, facts | {"stopped": False, "not_played": again.not_played()}, as_json)
    for line in again.not_played():
        console.print(line, style="red", markup=False)
    from arena.report.verified import unexplained

    return int(bool(again.given_up or unexplained(reruns)) or not is_whole)


def _tries(settled: Settled) -> list[dict[str, Any]]:
    """Return the games and moves that bots were given a second try of in the contest."""
    return [
        {"bot": bot, "game": game.number, "why": told(retake)}
        for bot, tries in second_tries(settled.games).items()
        for game, retake in tries
    ]


def _playable(session: Session, games: Sequence[Played]) -> tuple[list[Played], list[str], bool]:
    """Return the games whose bots are there as they were, remarks on the others' bots, and whether
    all copies of bots are whole."""
    names = {name for game, _ in games for name in (game.first, game.second)}
    bots = {name: bot for name, bot in session.bots.items() if name in names}
    damaged = {name: said for name, bot in bots.items() if (said := damage(bot))}
    others = [name for name, bot in bots.items() if is_of_another_engine(bot)]
    absent = {*others, *damaged}
    left = [each for each in games if absent.isdisjoint((each[0].first, each[0].second))]
    again = f"arena verify {quote(str(session.folder.path))} --repair"
    remarks = [f"{name} {said}; put it back: {again}" for name, said in damaged.items()]
    if others:
        remarks.append(f"{listed(others)}: left out; {ENGINE}")
    return left, remarks, not damaged


def _print_found(reruns: Sequence[Rerun], facts: Mapping[str, Any], as_json: bool) -> None:
    """Print what was found, of each bot and of each game that does not repeat."""
    # pandas takes a while, and is not to be forked with the lanes
    from arena.report.verified import (
        as_plain_sample,
        findings,
        sentence,
        verified,
        verified_table,
    )

    reruns = sorted(reruns, key=lambda each: each.game.number)
    if as_json:
        click.echo(json.dumps({**facts, **as_plain_sample(reruns)}, indent=2))
        return
    if not reruns:
        return
    console = screen()
    console.print(verified_table(verified(reruns), console.width))
    console.print(sentence(reruns, facts["played"]))
    software = other_software(Path(facts["contest"]))
    for line in findings(reruns, Path(facts["contest"]), same_machine=not software):
        console.print(line, markup=False)
    for each in facts["second_tries"]:
        line = f"Game {each['game']}: {each['bot']} {each['why']}."
        console.print(one_line(line), style="yellow", markup=False)
