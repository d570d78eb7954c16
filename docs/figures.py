"""Draw the figures of the documents: `python docs/figures.py` writes `docs/drawings/*.svg`.

The documentation build runs it too. A test compares the files with what is drawn here.
"""

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

FOLDER = Path(__file__).parent / "drawings"
INK, PALE, BLUE, RED, GREEN = "#263238", "#eceff1", "#bbdefb", "#ffcdd2", "#c8e6c9"


class Drawing:
    """An SVG picture. Lengths are in pixels, from the upper left corner."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="sans-serif" font-size="14" '
            f'fill="{INK}" role="img" aria-label="{escape(title)}">',
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
            f'markerHeight="8" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" fill="{INK}"/>'
            "</marker></defs>",
            f'<rect width="{width}" height="{height}" rx="6" fill="#fff"/>',
        ]

    def text(self, x: float, y: float, words: str, anchor: str = "middle", size: int = 14) -> None:
        """Write a line; `y` is its base line. Words in * are bold."""
        weight = ' font-weight="bold"' if words.startswith("*") else ""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}"{weight}>'
            f"{escape(words.strip('*'))}</text>"
        )

    def box(
        self, x: float, y: float, width: float, height: float, lines: str = "", fill: str = PALE
    ) -> None:
        """Draw a box with centred lines of text."""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5" '
            f'fill="{fill}" stroke="{INK}"/>'
        )
        rows = lines.split("\n") if lines else []
        top = y + height / 2 - 9 * (len(rows) - 1) + 5
        for number, words in enumerate(rows):
            self.text(x + width / 2, top + 18 * number, words)

    def layer(self, x: float, y: float, width: float, height: float, words: str, fill: str) -> None:
        """Draw a box whose text is at its upper edge."""
        self.box(x, y, width, height, fill=fill)
        self.text(x + 12, y + 20, words, "start")

    def arrow(self, *points: tuple[float, float], words: str = "", both: bool = False) -> None:
        """Draw an arrow through points, with words above its middle."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        start = ' marker-start="url(#tip)"' if both else ""
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{INK}" marker-end="url(#tip)"{start}/>'
        )
        (x1, y1), (x2, y2) = points[0], points[-1]
        if words:
            self.text((x1 + x2) / 2, (y1 + y2) / 2 - 7, words, size=12)

    def line(self, x1: float, y1: float, x2: float, y2: float, width: float = 1) -> None:
        """Draw a line."""
        self.parts.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{INK}" '
            f'stroke-width="{width:g}"/>'
        )

    def disc(self, x: float, y: float, fill: str) -> None:
        """Draw a disc."""
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="8" fill="{fill}" stroke="{INK}"/>')

    def __str__(self) -> str:
        """Return the file's text."""
        return "\n".join([*self.parts, "</svg>", ""])


def grades() -> Drawing:
    """Draw one class graded by three rules."""
    drawing = Drawing(760, 335, "The rules scale, seed and curve grade the same bots")
    bots = {
        "eve": (-250, "0", "0"),
        "random": (40, "", ""),
        "dan": (330, "3", "3"),
        "cleo": (645, "5", "7"),
        "bob": (750, "8", "7"),
        "ann": (1210, "10", "10"),
        "reference": (1500, "", ""),
        "zoe": (1790, "10", "10"),
    }
    low, high = 250, 1500
    axis, ruler, seed_row, curve_row = 60, 125, 205, 265

    def place(rating: float) -> float:
        return 210 + 0.274 * rating

    drawing.text(60, axis + 4, "rating", size=13)
    drawing.line(110, axis, 740, axis)
    drawing.line(place(low), ruler, place(high), ruler, width=3)
    for grade in range(11):
        x = place(low + (high - low) * grade / 10)
        drawing.line(x, ruler, x, ruler + 6)
        drawing.text(x, ruler + 20, f"{grade}", size=11)
    for name, (rating, by_seed, by_curve) in bots.items():
        x = place(rating)
        is_house = name in ("random", "reference")
        if not is_house:
            drawing.line(x - 24, axis, x + 24, axis, width=5)
        drawing.disc(x, axis, BLUE if is_house else GREEN)
        y = axis - (40 if name == "bob" else 24)
        drawing.text(x, y, f"*{name}*" if is_house else name, size=12)
        exact = 10 * (rating - low) / (high - low)
        on_line = "" if is_house else f"{min(max(exact, 0), 10):.1f}".removesuffix(".0")
        for row, mark in ((ruler - 12, on_line), (seed_row, by_seed), (curve_row, by_curve)):
            drawing.text(x, row, f"*{mark}*" if mark else "–")
    for y, rule in ((ruler - 12, "scale"), (seed_row, "seed"), (curve_row, "curve")):
        drawing.text(60, y, f"*{rule}*")
    for rating in (low, high):
        drawing.text(place(rating), ruler + 36, f"rating {rating}", size=12)
    middle = (place(bots["cleo"][0]) + place(bots["bob"][0])) / 2
    for name, words in (("eve", "below: 0"), ("zoe", "above: 10")):
        drawing.text(place(bots[name][0]), seed_row + 24, words, size=12)
    drawing.text(middle, seed_row + 24, "4 bots share the scale: ⌈10 · place / 4⌉", size=12)
    drawing.box(middle - 31, curve_row - 20, 62, 30, fill="none")
    drawing.text(middle, curve_row + 28, "one group", size=12)
    drawing.text(
        60,
        curve_row + 56,
        "Thick bars are intervals. The intervals of cleo and bob overlap: their order is not sure.",
        "start",
        12,
    )
    return drawing


def sandbox() -> Drawing:
    """Draw the layers around a bot, and the referee outside of them."""
    drawing = Drawing(760, 400, "The layers of the sandbox around a bot")
    drawing.layer(10, 10, 740, 380, "lane: one core, three processes, one of them runs", "#fff")
    drawing.box(
        30, 70, 190, 290, "*referee*\n\nits own board\nits own clock\n(read from the\nkernel)"
    )
    layers = (
        "own process: dies with its lane",
        "user id, namespaces, file system (if possible)",
        "Landlock: its files only, no network",
        "seccomp: no program, no socket, no signal",
        "limits: time, memory, threads, files",
    )
    for depth, words in enumerate(layers):
        x, y = 330 + 12 * depth, 50 + 34 * depth
        fill = (PALE, "#fff")[depth % 2]
        drawing.layer(x, y, 410 - 24 * depth, 325 - 46 * depth, words, fill)
    drawing.box(
        410, 236, 240, 70, "*the bot's code*\nwith the host, which loads it\nand counts nodes", RED
    )
    drawing.arrow((222, 272), (408, 272), both=True)
    drawing.text(274, 240, "two pipes:", size=12)
    drawing.text(274, 256, "fixed size, nonce", size=12)
    return drawing


def game() -> Drawing:
    """Draw the life of a game on a lane."""
    drawing = Drawing(760, 300, "The life of a game")
    steps = (
        ("*game key*\nrules, limits,\nopening, bots", GREEN),
        ("*zygote*\nforks a process\nfor each bot", PALE),
        ("*sandbox*\nconfines it", PALE),
        ("*host*\nloads the files,\nmakes the adapter", RED),
    )
    for number, (words, fill) in enumerate(steps):
        x = 20 + 185 * number
        drawing.box(x, 20, 150, 80, words, fill)
        if number:
            drawing.arrow((x - 33, 60), (x - 2, 60))
    turns = (
        ("*BotPlayer*\nasks for a move", PALE),
        ("*host*\ncalls the bot", RED),
        ("*clock*\ncharges the time", PALE),
        ("*judge*\nmove or fault", PALE),
    )
    drawing.layer(10, 130, 570, 150, "every turn", "#fff")
    for number, (words, fill) in enumerate(turns):
        x = 25 + 138 * number
        drawing.box(x, 165, 124, 60, words, fill)
        if number:
            drawing.arrow((x - 13, 195), (x - 1, 195))
    drawing.arrow((500, 227), (500, 255), (87, 255), (87, 228), words="")
    drawing.text(290, 272, "the other bot's turn", size=12)
    drawing.arrow((650, 102), (650, 115), (125, 115), (125, 162))
    drawing.box(620, 165, 120, 60, "*game record*\nto the journal", GREEN)
    drawing.arrow((564, 195), (618, 195))
    drawing.text(592, 186, "end", size=12)
    return drawing


HOUSE: Sequence[tuple[str, Sequence[str]]] = (
    ("commands", ("notebooks", "cli", "api", "autograder", "doctor", "web")),
    ("results", ("audit", "similar", "report", "ranking")),
    ("a contest", ("contest", "trials")),
    ("lanes and records", ("cluster", "journal", "courses", "playing")),
    ("settings and bots", ("settings", "intake", "analysis")),
    ("one game", ("game", "machine", "host", "interfaces")),
    ("knowledge", ("openings", "engine", "source", "rules")),
    ("numbers and names", ("scoring", "statistics", "common")),
)
"""The rooms of the package by floor. A room imports rooms that come later in this order."""


def house() -> Drawing:
    """Draw the rooms, and the way of a contest through them."""
    drawing = Drawing(760, 60 * len(HOUSE) + 45, "The rooms of Arena and the way of a contest")
    for floor, (name, rooms) in enumerate(HOUSE):
        y = 15 + 60 * floor
        drawing.text(20, y + 26, name, "start", 13)
        width = 570 / len(rooms)
        for number, room in enumerate(rooms):
            x = 170 + width * number
            stop = f"{WAY[room]} " if room in WAY else ""
            drawing.box(x, y, width - 20, 42, f"*{stop}{room}*", GREEN if stop else PALE)
    y = 60 * len(HOUSE) + 30
    drawing.text(
        20,
        y,
        "① to ⑨: the way of a contest. A room imports only from below or its right.",
        "start",
        13,
    )
    return drawing


WAY = {
    "cli": "①",
    "courses": "②",
    "contest": "③",
    "playing": "④",
    "game": "⑤",
    "host": "⑥",
    "journal": "⑦",
    "ranking": "⑧",
    "report": "⑨",
}
"""The rooms that a contest passes through, in order."""

FIGURES: dict[str, Callable[[], Drawing]] = {
    "grades": grades,
    "sandbox": sandbox,
    "game": game,
    "house": house,
}


def draw() -> None:
    """Write every figure that is not yet as it is drawn here."""
    FOLDER.mkdir(exist_ok=True)
    for name, figure in FIGURES.items():
        path, text = FOLDER / f"{name}.svg", str(figure())
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


if __name__ == "__main__":
    draw()
