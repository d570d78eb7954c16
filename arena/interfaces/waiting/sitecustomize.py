"""Wait just before Python would run its program, and run the program in forks.

Python imports a module of this name at the end of its start; `arena.interfaces.program` puts this
module first on the path. Each fork removes every trace of it, so the program finds everything as
usual.
"""

import os
import sys


def wait(channel: int) -> None:
    """Fork for each byte received, and return in the fork; exit at the channel's end.

    The waiting process sends each fork's exit status, four bytes, as in `Popen.returncode`.
    """
    try:
        while os.read(channel, 1):
            pid = os.fork()
            if pid == 0:
                os.close(channel)
                return
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            os.write(channel, status.to_bytes(4, "little", signed=True))
    except BaseException:  # fork failed, or a fork sent a signal
        os._exit(1)
    os._exit(0)


wait(int(os.environ.pop("ARENA_CHANNEL")))
sys.path.remove(os.path.dirname(__file__))
del sys.path_importer_cache[os.path.dirname(__file__)]
del os.environ["PYTHONPATH"], sys.modules["sitecustomize"]
import sitecustomize  # type: ignore[import-not-found]  # noqa: E402, F401
