"""Statistics of paired games: evidence, ratings, certainty.

Players are indices from 0; this room knows no bots, games or contests.
"""
