"""The command `arena`, also as `python -m arena`."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; Ctrl-C shows no traceback, however early it comes."""
    try:
        from arena.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
