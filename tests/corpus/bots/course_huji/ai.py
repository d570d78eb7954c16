"""Weighs the cells: an AI of the course in Jerusalem.
expect: plays as huji AI
"""


class AI:
    def __init__(self, game, player):
        self.__game = game
        self.__player = player
        self.__last = None

    def find_legal_move(self, timeout=None):
        if self.__game.get_current_player() != self.__player:
            raise Exception("Wrong player")
        score = 0
        for row in range(6):
            for col in range(7):
                owner = self.__game.get_player_at(row, col)
                if owner == self.__player:
                    score += 3 * (5 - row) + 5 * col + 1
                elif owner is not None:
                    score += 7 * (5 - row) + 2 * col + 3
        free = [col for col in range(7) if self.__game.get_player_at(0, col) is None]
        if not free:
            raise Exception("No possible AI moves")
        self.__last = free[score % len(free)]
        return self.__last

    def get_last_found_move(self):
        return self.__last
