"""Is an agent in one expression.
expect: plays as agent agent
"""

agent = lambda observation, configuration: observation.board.index(0)
