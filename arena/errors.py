"""The one error that people see: something they typed or wrote cannot be used as it is."""


class InputError(ValueError):
    """One line: what, where, and what to do. Commands print it and exit with 2."""
