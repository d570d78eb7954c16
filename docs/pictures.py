"""Make the pictures of the documents from a contest that is played for it: `docs/pictures.py`.

It takes some minutes and needs Chromium beside the packages of `[dev,pictures]`. The pictures
show what Arena prints and writes; nothing in them is drawn by hand.
"""

from __future__ import annotations

import csv
import os
import pty
import re
import runpy
import shutil
import subprocess
import sys
import termios
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from select import select
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pyte
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright
from rich.color import Color, ColorParseError
from rich.console import Console
from rich.style import Style
from rich.text import Text

DOCS = Path(__file__).parent
TARGET = DOCS / "pictures"
BOTS = DOCS.parent / "bots"
MOST_BYTES = 150_000
"""Bytes of a picture at most: they are part of the repository."""

COLOURS = 256
"""Of a picture: a page of text has few."""

CONTEST = "homework4"
COLUMNS, ROWS = 100, 34
"""Of the terminal."""

QUIET = 0.02
"""Seconds without output after which a screen is complete."""

LONG = 150
"""Rows of a terminal for a text that is longer than the screen; its first part is pictured."""

EMIL = """def pick_move(rack):
    return 3
"""
"""A bot with a fault: it plays the middle column even when that is full."""

ANN = """class Kid:
    def __init__(self, side):
        self.side = side

    def brain(self, grid, turn):
        other = "Y" if turn == "R" else "R"
        room = [c for c in range(7) if grid[0][c] == "."]
        for side in (turn, other):
            for column in room:
                if wins(drop(grid, column, side), side):
                    return column + 1
        return min(room, key=lambda c: abs(c - 3)) + 1


def drop(grid, column, side):
    after = [row[:] for row in grid]
    row = max(r for r in range(6) if grid[r][column] == ".")
    after[row][column] = side
    return after


def wins(grid, side):
    return any(
        all(0 <= r + i * dr and 0 <= c + i * dc and (r + i * dr, c + i * dc) in own
            for i in range(4))
        for own in [{(r, c) for r in range(6) for c in range(7) if grid[r][c] == side}]
        for r, c in own
        for dr, dc in ((0, 1), (1, 0), (1, 1), (-1, 1))
    )
"""
"""A bot of a course that Arena does not know."""

COMPLETED = """entry = { class = "Kid", method = "brain" }
make.arguments = ["side"]
side = { first = "R", second = "Y" }
board = { form = "lists", empty = ".", first = "R", second = "Y", top = false }
move = { arguments = ["board", "side"], base = 1 }
"""
"""Its interface, with the rows the wrong way round."""

SHOWN = 0.7
"""The share of the games after which the terminal is pictured."""

BROWSER = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")

LOST = """async () => {
    const overview = await Arena.load("overview");
    for (let number = 1; number <= overview.last_game; number += 1) {
        const game = await Arena.game(overview, number);
        const judged = game.turn === null ? null : Arena.worth.at(game, game.turn);
        const isLong = game.m.length - game.turn > 8;
        if (judged?.exact && game.v === "LINE" && isLong) return [number, game.turn];
    }
}"""
"""Finds a game that was lost by a wrong turn, whose loss is proved, long before its end."""


class View(NamedTuple):
    """A picture of a page."""

    name: str
    where: str
    width: int
    height: int


def main() -> None:
    """Play the contest and make all pictures."""
    TARGET.mkdir(exist_ok=True)
    with TemporaryDirectory() as here:
        folder = Path(here)
        bots = folder / "submissions"
        shutil.copytree(
            BOTS, bots, ignore=shutil.ignore_patterns("__pycache__", "reference.py", "random")
        )
        (bots / "emil.py").write_text(EMIL)
        out = f"results/{CONTEST}"
        run = ("run", "submissions", "--openings", "4", "--seed", "1", "--out", out)
        screens = list(at_terminal(run, folder))
        figure = ("rank", out, "--figure", str(TARGET / "ratings.svg"))
        subprocess.run(arena(*figure), cwd=folder, check=True)
        subprocess.run(arena("analyse", out, "--nodes", "200000"), cwd=folder, check=True)
        with sync_playwright() as playwright:
            chromium = shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=chromium, args=list(BROWSER))
            title = f"arena run submissions --out results/{CONTEST}"
            picture_terminal(browser, chosen(screens), "run", title)
            picture_interface(browser, folder)
            picture_pages(browser, (folder / out / "report.html").as_uri())
            picture_likeness(browser, folder)
            picture_class(browser, folder, out)
            browser.close()
    for file in TARGET.glob("*.png"):
        with Image.open(file) as picture:
            picture.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)
    large = [file.name for file in TARGET.iterdir() if file.stat().st_size > MOST_BYTES]
    if large:
        sys.exit(f"larger than {MOST_BYTES:,} bytes: {', '.join(large)}")


def arena(*words: str) -> list[str]:
    """Return a command line of Arena."""
    return [sys.executable, "-m", "arena", *words]


def at_terminal(words: tuple[str, ...], folder: Path, rows: int = ROWS) -> Iterator[Text]:
    """Run a command at a terminal and yield what is on it, each time that something has come.

    Exits if the command fails, except with 1, which `arena check` returns for a faulty bot.
    """
    screen = pyte.Screen(COLUMNS, rows)
    stream = pyte.ByteStream(screen)
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (rows, COLUMNS))
    environment = {**os.environ, "TERM": "xterm-256color", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        arena(*words), cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        while True:
            try:
                data = os.read(ours, 1 << 16)
            except OSError:  # the command has ended
                break
            stream.feed(data)
            if not select([ours], [], [], QUIET)[0]:  # nothing is drawn by halves
                yield written(screen)
    os.close(ours)
    yield written(screen)
    if process.returncode not in (0, 1):
        sys.exit(f"arena {' '.join(words)} ended with {process.returncode}")


def written(screen: pyte.Screen) -> Text:
    """Return what is on a screen, with its colours."""
    text = Text()
    for row in range(screen.lines):
        for column in range(screen.columns):
            cell = screen.buffer[row][column]
            style = Style(
                color=colour(cell.fg), bgcolor=colour(cell.bg), bold=cell.bold, reverse=cell.reverse
            )
            text.append(cell.data, style)
        text.append("\n")
    return text


def colour(name: str) -> Color | None:
    """Return a colour as the terminal's emulator names it; None for the usual one."""
    if name == "default":
        return None
    named = name.replace("brown", "yellow").replace("bright", "bright_")
    try:
        return Color.parse(named if not re.fullmatch("[0-9a-f]{6}", name) else f"#{name}")
    except ColorParseError:
        return None


def chosen(screens: list[Text]) -> Text:
    """Return the first screen with a board and this number of games played."""
    for screen in screens:
        found = re.search(r"([\d,]+)/([\d,]+) games", screen.plain)
        if found:
            done, of = (int(number.replace(",", "")) for number in found.groups())
            if done >= SHOWN * of:
                return screen
    sys.exit("the contest was over before there was anything to see")


def picture_interface(browser: Browser, folder: Path) -> None:
    """Make pictures of a drafted description, and of a check that finds it wrong."""
    (folder / "ann.py").write_text(ANN)
    new = ("new", "mycourse.toml", "--interface-from", "ann.py")
    *_, screen = at_terminal(new, folder, LONG)
    drafted = (folder / "mycourse.toml").read_text()
    screen = Text(f"{screen.plain.rstrip()}\n\n$ cat mycourse.toml\n{drafted}")
    picture_terminal(browser, screen, "draft", f"arena {' '.join(new)}")
    (folder / "mycourse.toml").write_text(COMPLETED)
    check = ("check", "ann.py", "--interface", "mycourse.toml")
    *_, screen = at_terminal(check, folder, LONG)
    start = screen.plain.index("# ann")
    end = screen.plain.index("## Games against")
    picture_terminal(browser, screen[start:end], "check", f"arena {' '.join(check)}")


def picture_terminal(browser: Browser, screen: Text, name: str, title: str) -> None:
    """Make a picture of what was on a terminal."""
    lines = screen.split("\n")
    while lines and not lines[-1].plain.strip():
        lines.pop()
    console = Console(width=COLUMNS, record=True, file=StringIO(), force_terminal=True)
    console.print(Text("\n").join(lines), no_wrap=True)
    drawn = console.export_svg(title=title)
    drawn = re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.DOTALL)  # they are on the network
    drawn = drawn.replace("Fira Code", "DejaVu Sans Mono")
    page = browser.new_page(viewport={"width": 1000, "height": 800})
    page.set_content(f"<style>body {{ margin: 0 }} svg {{ width: 1000px }}</style>{drawn}")
    page.locator("svg").first.screenshot(path=TARGET / f"{name}.png", omit_background=True)
    page.close()


def picture_pages(browser: Browser, report: str) -> None:
    """Make the pictures of the report."""
    page = browser.new_page(color_scheme="light", reduced_motion="reduce")
    page.goto(report)
    number, ply = page.evaluate(LOST)
    for view in (
        View("leaderboard", "#/", 1200, 800),
        View("class", "#/class", 1100, 660),
        View("crosstable", "#/crosstable", 720, 680),
        View("bot", "#/bot/emil", 1100, 1000),
        View("replay", f"#/game/{number}/{ply}", 1200, 1010),
        View("phone", "#/", 390, 760),
    ):
        take(page, view)


def picture_likeness(browser: Browser, folder: Path) -> None:
    """Make a picture of a copy with other names, found among independent solutions."""
    plants = runpy.run_path(str(DOCS.parent / "tests" / "similar" / "plants.py"))
    submissions = folder / "class"
    submissions.mkdir()
    names = ("ann", "dora", "emil", "finn")
    for name, path in zip(names, sorted(plants["ORIGINALS"].glob("*.py")), strict=False):
        (submissions / f"{name}.py").write_text(path.read_text())
    copied = plants["disguised"]((submissions / "ann.py").read_text())
    (submissions / "ben.py").write_text(plants["ast"].unparse(plants["ast"].parse(copied)))
    subprocess.run(arena("similar", "class"), cwd=folder, check=True)
    page = browser.new_page(viewport={"width": 1100, "height": 1000}, color_scheme="light")
    page.goto((folder / "likeness.html").as_uri())
    page.screenshot(path=TARGET / "likeness.png")


def picture_class(browser: Browser, folder: Path, out: str) -> None:
    """Make pictures of the podium on the page for a class, and of mails to the class."""
    subprocess.run(arena("report", out, "--for-class", "class.html"), cwd=folder, check=True)
    page = browser.new_page(viewport={"width": 1280, "height": 720}, color_scheme="light")
    page.goto(f"{(folder / 'class.html').as_uri()}#/podium")
    page.get_by_role("heading", name="Podium").wait_for()
    reveal = page.get_by_role("button", name="Reveal")
    while reveal.is_enabled():
        reveal.click()
    page.wait_for_timeout(1000)
    page.screenshot(path=TARGET / "podium.png")
    names = sorted(path.stem for path in (folder / "submissions").glob("*.py"))
    people = [f"{name.title()} Example,{name}@u.example,{name}\n" for name in names]
    (folder / out / "roster.csv").write_text("name,e-mail,bot\n" + "".join(people))
    export = ("export", out, "--to", "mail", "--out", "mails")
    *_, screen = at_terminal(export, folder)
    with (folder / "mails" / "mails.csv").open(encoding="utf-8", newline="") as file:
        rows = "\n".join(",".join(row[:5]) for row in csv.reader(file))
    files = "  ".join(sorted(path.name for path in (folder / "mails" / "Emil Example").iterdir()))
    shown = f"{screen.plain.rstrip()}\n\n$ cut -d, -f1-5 mails/mails.csv\n{rows}"
    shown += f"\n\n$ ls 'mails/Emil Example'\n{files}"
    picture_terminal(browser, Text(shown), "mail", f"arena {' '.join(export)}")


def take(page: Page, view: View) -> None:
    """Make a picture of a view of the report."""
    page.set_viewport_size({"width": view.width, "height": view.height})
    page.evaluate("where => { location.hash = where; }", view.where)
    page.locator("main h1").wait_for()
    expect(page.locator("main [aria-busy=true]")).to_have_count(0)
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)  # until all that moves has come to rest
    page.screenshot(path=TARGET / f"{view.name}.png")


if __name__ == "__main__":
    main()
