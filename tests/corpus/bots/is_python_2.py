# Is for Python 2.
# expect: problem is_python_2.py is written for Python 2 (print statement, line 6)

class ComputerPlayer:
    def pick_move(self, rack):
        print "thinking"
        return 3
