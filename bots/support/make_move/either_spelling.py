"""Names in either of the spellings that editions of the `make_move` course use."""

import re


class EitherSpelling:
    """Has its methods also by names like `getBestAction`, whichever class defines them."""

    def __getattr__(self, name):
        """What is called `get_best_action`, when asked for `getBestAction`."""
        other = re.sub("(?<=[a-z])[A-Z]", lambda letter: "_" + letter[0].lower(), name)
        if other != name and other in dir(self):
            return getattr(self, other)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
