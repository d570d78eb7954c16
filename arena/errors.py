"""The errors that people see: each is one line that says what, where, and what to do."""


class InputError(ValueError):
    """Something that was typed or written cannot be used as it is. Commands exit with 2."""


class StorageError(RuntimeError):
    """A disk, a folder or a journal cannot be used any further. Commands exit with 1."""
