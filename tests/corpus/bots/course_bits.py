"""Weighs the cells: a player of the course in Pilani.
expect: plays as bits GameTreePlayer
"""
from FourConnect import *
import csv


class GameTreePlayer:
    def __init__(self):
        self.calls = 0

    def FindBestAction(self, currentState):
        game = FourConnect()
        game.SetCurrentState(currentState)
        score = 0
        for r, row in enumerate(currentState):
            for c, coin in enumerate(row):
                if coin == 2:
                    score += 3 * (5 - r) + 5 * c + 1
                elif coin == 1:
                    score += 7 * (5 - r) + 2 * c + 3
        free = [c for c in range(7) if game._CoinRowAfterAction(c) >= 0]
        return free[score % len(free)]


def LoadTestcaseStateFromCSVfile():
    with open('testcase.csv', 'r') as read_obj:
        return [[int(x) for x in row] for row in csv.reader(read_obj)]


def PlayGame():
    fourConnect = FourConnect()
    fourConnect.PrintGameState()


if __name__ == '__main__':
    PlayGame()
