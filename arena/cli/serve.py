"""`arena serve`: a contest's report in the browser, live while it is played."""

from __future__ import annotations

from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path

import click

from arena.cli.files import ANY_PATH
from arena.cli.options import runs_bots
from arena.cli.screen import screen
from arena.common.errors import InputError
from arena.common.packages import pip_install

NEEDED = ("starlette", "uvicorn")  # Packages of the extra `[web]`.


@click.command()
@click.argument("folder", type=ANY_PATH)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address or name to listen on."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to listen on; 0: any that is free.",
)
@click.option(
    "--games",
    type=click.IntRange(0, 64),
    default=4,
    show_default=True,
    help="Visitors' games at a time; 0: none.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Address of a trusted proxy, which forwards its clients' addresses. May be repeated.",
)
@runs_bots
def serve(folder: Path, host: str, port: int, games: int, proxies: tuple[str, ...]) -> int:
    """Serve the report of a contest to browsers, while and after it is played.

    The pages follow a contest that another process plays (arena run, arena resume). #/live is for a
    projector. In #/play visitors play against the bots, with the contest's sandbox and limits. Only
    this machine can open the pages, unless another --host is given; there is no password. Ctrl-C
    ends the server.

    \b
    Example:
      arena serve results/homework4
    """
    if any(find_spec(package) is None for package in NEEDED):
        raise InputError(f"arena serve needs two more packages: {pip_install(NEEDED)}")
    from arena.report.published import served_session
    from arena.web.server import listen, serve

    trusted = [_address(proxy) for proxy in proxies]
    session = served_session(folder)
    if session.folder.has_begun and not session.folder.is_in_use:
        session.settle(graded=False)  # raises errors of the folder
    listener = listen(host, port)
    name = f"[{host}]" if ":" in host else host
    address = f"http://{name}:{listener.getsockname()[1]}/"
    console = screen()

    def ready() -> None:
        console.print(f"{folder}: {address} (Ctrl-C ends it)", markup=False, soft_wrap=True)

    try:
        serve(session, listener, host, ready, games=games, proxies=trusted)
    except KeyboardInterrupt:
        console.print("ended")
    return 0


def _address(proxy: str) -> str:
    try:
        return str(ip_address(proxy))
    except ValueError:
        raise InputError(f"--proxy {proxy}: expected an address, like 127.0.0.1") from None
