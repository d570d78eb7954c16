class Game:
    def __init__(self):
        self.__cells = [[None] * 7 for _ in range(6)]
        self.__turn = 1

    def make_move(self, column):
        if self.__cells[0][column] is not None:
            raise Exception("Illegal move.")
        row = max(r for r in range(6) if self.__cells[r][column] is None)
        self.__cells[row][column] = self.__turn
        self.__turn = 3 - self.__turn

    def get_winner(self):
        pass

    def get_player_at(self, row, col):
        return self.__cells[row][col]

    def get_current_player(self):
        return self.__turn
