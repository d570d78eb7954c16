class Game:
    def __init__(self, name):
        with open(name) as file:
            lines = file.read().split()
        self.board = [list(line) for line in lines[:6]]
        self.player = lines[6]

    def play(self, column):
        row = max(r for r in range(6) if self.board[r][column] == "0")
        self.board[row][column] = self.player

    def write(self, name):
        with open(name, "w") as file:
            for row in self.board:
                file.write("".join(row) + "\r\n")
            file.write("%s\r\n" % self.player)
