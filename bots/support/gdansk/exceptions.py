"""Errors of the Gdańsk course."""


class GameplayException(Exception):
    pass


class AgentException(Exception):
    pass
