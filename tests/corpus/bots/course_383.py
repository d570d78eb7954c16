"""Is for other rules: an agent of a course whose streaks are squared.
expect: problem connect383: its course has other rules
"""


class MinimaxAgent:
    def get_move(self, state):
        return max(state.successors(), key=lambda pair: pair[1].utility())
