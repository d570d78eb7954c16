from abc import ABC, abstractmethod


class PlayerController(ABC):
    def __init__(self, playerID, gameN, heuristic):
        self.playerID = playerID

    @abstractmethod
    def makeMove(self, board):
        pass
