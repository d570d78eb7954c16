"""Measure if likeness of play finds copies with another search depth, and if asking helps.

`python tests/similar/depths.py` plays a contest of independent solutions and of copies
that look one ply further, or one less far. It prints how high the copies rank among all pairs: by
the contest's games, by games and positions that all bots were asked, and by the latter alone.
Asking happens in this process. It takes some ten minutes.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from plants import ORIGINALS

from arena.contest.folder import ContestFolder
from arena.contest.index import index_of
from arena.game.record import Bot, GameKey, GameRecord
from arena.game.verdict import Verdict
from arena.rules import Position
from arena.settings.contest import Contest, ScheduledGame
from arena.similar.play import ChosenMoves, honest_surprise, likeness_of
from arena.statistics.bradley_terry import fit

# Where each original has its depth, with {} in its place, and the depth that it has.
DEPTHS = {
    "aima_cutoff": ("DEPTH = {}", 4),
    "aima_state_class": ("player, {}, -INFINITY", 4),
    "arrays": ("negamax(grid, {}, -1)", 3),
    "bitboards": ("Engine({})", 6),
    "principal_variation": ("pvs(game, {}, -1000", 4),
    "text_patterns": ("worth(child, foe, {})", 3),
    "windows_of_four": ("search(board, {}, float", 4),
}
OTHERS = ("best_first", "rules_of_thumb")
ASKED = (100, 300)
Plain = Callable[[tuple[tuple[int, ...], ...]], int]


def sources(less: int, step: int) -> Iterator[tuple[str, str]]:
    """Yield the class: solutions that look `less` plies less far, and copies `step` plies off."""
    for name, (place, depth) in DEPTHS.items():
        text = (ORIGINALS / f"{name}.py").read_text("utf-8")
        assert text.count(place.format(depth)) == 1, name
        for copy, plies in ((name, depth - less), (f"{name}_copy", depth - less + step)):
            yield copy, text.replace(place.format(depth), place.format(plies))
    for name in OTHERS:
        text = (ORIGINALS / f"{name}.py").read_text("utf-8")
        yield name, text.replace("LIMIT = 3000", "LIMIT = 300")


def positions(records: Iterable[GameRecord], seed: int) -> list[tuple[int, ...]]:
    """Return the moves that led to each position of these games, in random order."""
    found: dict[str, tuple[int, ...]] = {}
    for record in records:
        for ply in range(record.opening_plies, len(record.columns)):
            moves = tuple(record.columns[:ply])
            found[str(rack_of(moves))] = moves
    return random.Random(seed).sample([*found.values()], len(found))


def rack_of(moves: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    rack = [[0] * 6 for _ in range(7)]
    for ply, column in enumerate(moves):
        rack[column][rack[column].index(0)] = ply % 2 + 1
    return tuple(map(tuple, rack))


def answers(
    bots: dict[str, str], asked: Sequence[tuple[int, ...]]
) -> Iterator[tuple[str, tuple[int, ...], int]]:
    """Yield each bot's answer (bot, moves before, column) in each position."""
    for name, text in bots.items():
        space: dict[str, Plain] = {}
        exec(compile(text, name, "exec"), space)
        for moves in asked:
            column = space["pick_move"](rack_of(moves))
            if Position(Contest().rules, moves).can_play(column):
                yield name, moves, column


def ranked(moves: ChosenMoves, names: Sequence[str], by_share: bool) -> str:
    """Return how high the copies and their originals rank among all pairs of bots."""
    choices, elo = moves.choices(), fit(moves.evidence).elo
    likeness = likeness_of(choices, elo, likeness_of(choices, elo).crowds)
    pairs = [(names.index(one), names.index(other)) for one, other in combinations(names, 2)]
    surprises = likeness.surprises(pairs)
    if by_share:
        surprises = [float(likeness.equal[pair] / likeness.positions[pair]) for pair in pairs]
    order = sorted(zip(surprises, pairs, strict=True), reverse=True)
    places = [
        place
        for place, (_, (one, other)) in enumerate(order, 1)
        if names[other] == f"{names[one]}_copy" or names[one] == f"{names[other]}_copy"
    ]
    precision = sum(number / place for number, place in enumerate(places, 1)) / len(places)
    enough = honest_surprise(len(pairs))
    above = [place for place, (value, _) in enumerate(order, 1) if value > enough]
    found = len(set(above) & set(places))
    seen = "" if by_share else f", above {enough:.1f}: {found} copies, {len(above) - found} others"
    return f"average precision {precision:.2f}, places {places} of {len(pairs)}{seen}"


def measure(openings: int, less: int, step: int, seed: int) -> None:
    bots = dict(sources(less, step))
    with TemporaryDirectory() as here:
        folder = Path(here, "bots")
        folder.mkdir()
        for name, text in bots.items():
            (folder / f"{name}.py").write_text(text, "utf-8")
        run = ["run", "bots", "--openings", openings, "--seed", seed, "--no-house", "--out", "out"]
        command = [sys.executable, "-m", "arena", *map(str, run), "--nodes", "10000000"]
        subprocess.run(command, cwd=here, check=True, capture_output=True)
        contest = ContestFolder(Path(here, "out"), only_read=True)
        index = contest.games(contest.read()).indexed
        with contest.read_journal() as journal:
            records = [*journal.records()]
    names = index.names
    places = index.sides[index.firsts].astype(np.int64)
    asked = positions(records, seed)[: max(ASKED)]
    found = [*answers(bots, asked)]
    print(f"{len(bots)} bots, {len(records)} games, {less} plies less, copies {step:+} plies")
    for count in (0, *ASKED):
        for with_games in (True, False) if count else (True,):
            for by_share in (False, True):
                moves = ChosenMoves(len(names), Contest().rules)
                moves.read(records, index, places)
                if not with_games:
                    moves._answers.clear()
                add(moves, names, [each for each in found if each[1] in set(asked[:count])])
                what = " and ".join(["games"] * with_games + [f"{count} asked"] * (count > 0))
                how = "share of equal moves" if by_share else "surprise"
                print(f"{what}, by {how}: {ranked(moves, names, by_share)}", flush=True)


def add(
    moves: ChosenMoves, names: Sequence[str], found: Sequence[tuple[str, tuple[int, ...], int]]
) -> None:
    """Add answers, each as a game of a bot with itself, which says nothing of its strength."""
    evidence = moves.evidence
    if not found:
        return
    games, records = [], []
    for number, (name, before, column) in enumerate(found, 1):
        bot = Bot(content_hash=name, root="")
        key = GameKey(
            rules=Contest().rules,
            limits=Contest().limits,
            seed=1,
            opening=before,
            first=bot,
            second=bot,
        )
        games.append(
            ScheduledGame(
                number=number, pairing=1, opening=number, first=name, second=name, key=key
            )
        )
        records.append(
            GameRecord(
                key=key.digest,
                columns=(*before, column),
                opening_plies=len(before),
                charged_ns=(0,),
                nodes=(0,),
                winner=None,
                reason="",
                verdict=Verdict.BOARD_FULL,
            )
        )
    index = index_of(games)
    own = np.array([names.index(name) for name in index.names])
    moves.read(records, index, own[index.sides[index.firsts]].astype(np.int64))
    moves.evidence = evidence


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for option, usual in (("--openings", 3), ("--less", 1), ("--step", 1), ("--seed", 1)):
        parser.add_argument(option, type=int, default=usual)
    measure(**vars(parser.parse_args()))
