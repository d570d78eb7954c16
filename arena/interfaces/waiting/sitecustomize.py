"""An interpreter that waits just before it would run its program, and has forks of it do that.

Python imports a module of this name at the end of its own start. `program` puts this one
before others. In each fork it then fails as if there were none, or hands over to the machine's own:
argv, `__main__`, the modules, the path and the environment of the program are Python's own doing.
"""

import os
import sys


def wait(channel: int) -> None:
    """Return in a fork of this process for each byte that comes; end it when no more can.

    Each fork's exit status is answered, four bytes, as Popen has it.
    """
    try:
        while os.read(channel, 1):
            pid = os.fork()
            if pid == 0:
                os.close(channel)
                return
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            os.write(channel, status.to_bytes(4, "little", signed=True))
    except BaseException:  # no fork can be had, or one of them sent a signal
        os._exit(1)
    os._exit(0)


wait(int(os.environ.pop("ARENA_CHANNEL")))
sys.path.remove(os.path.dirname(__file__))
del sys.path_importer_cache[os.path.dirname(__file__)]
del os.environ["PYTHONPATH"], sys.modules["sitecustomize"]
import sitecustomize  # type: ignore[import-not-found]  # noqa: E402, F401
