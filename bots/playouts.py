"""Flat Monte Carlo: plays every column many times to the end at random, and takes the best one.

It wins where it can and blocks where it must; else it knows nothing of the game but its rules.
"""

import random
from copy import copy
from typing import Any

DRAWN = 0.5
MOVES = 10_000
"""How many random moves it may play, all games together, to find one of its own."""


class Game:
    """A game to be played on. Columns have a cell more than rows, so that no line wraps around."""

    def __init__(self, observation: Any, configuration: Any) -> None:
        """Read `observation.board`, a flat list with the top row first, of 0, 1 and 2."""
        rows, columns = configuration.rows, configuration.columns
        self.inarow = configuration.inarow
        self.steps = (1, rows, rows + 1, rows + 2)  # up, down-right, right, up-right
        self.discs: dict[int, set[int]] = {1: set(), 2: set()}
        self.free: dict[int, list[int]] = {}  # of each column that has any, from the bottom
        for column in range(columns):
            bottom = column * (rows + 1)
            cells = list(range(bottom, bottom + rows))
            discs = observation.board[column::columns][::-1]
            for cell, disc in zip(cells, discs, strict=True):
                if disc:
                    self.discs[disc].add(cell)
            if 0 in discs:
                self.free[column] = cells[discs.index(0) :]

    def wins(self, player: int, cell: int) -> bool:
        """Whether a disc of this player in this cell makes a line."""
        discs = self.discs[player]
        for step in self.steps:
            length = 1
            for way in (step, -step):
                neighbour = cell + way
                while neighbour in discs:
                    length += 1
                    neighbour += way
            if length >= self.inarow:
                return True
        return False

    def drop(self, player: int, column: int) -> bool:
        """Play a disc. Returns whether it makes a line."""
        cell, *above = self.free.pop(column)
        if above:
            self.free[column] = above
        self.discs[player].add(cell)
        return self.wins(player, cell)


def playout(game: Game, player: int, column: int) -> float:
    """What it brings the player to play here, and all the rest at random: 1, DRAWN or 0."""
    game, mover = copy(game), player
    game.discs = {player: discs.copy() for player, discs in game.discs.items()}
    game.free = game.free.copy()
    while not game.drop(mover, column):
        if not game.free:
            return DRAWN
        mover = 3 - mover
        column = random.choice(list(game.free))
    return float(mover == player)


def agent(observation: Any, configuration: Any) -> int:
    """The column to play, counted from 0."""
    game, me = Game(observation, configuration), observation.mark
    for player in (me, 3 - me):
        for column, cells in game.free.items():
            if game.wins(player, cells[0]):
                return column
    moves = sum(map(len, game.free.values())) * len(game.free)  # of a game for every column
    games = range(max(1, MOVES // moves))
    return max(game.free, key=lambda column: sum(playout(game, me, column) for _ in games))
