// A board as a picture (SVG), of any size. Discs of the first player bear a cross, of the second a
// ring, so that no colour is needed; an opening's discs are pale with a dashed rim, the last disc
// has a bright rim, and complete lines are drawn through their discs.
"use strict";

(() => {
  const { html } = htmPreact;
  const CELL = 10; // units of the picture
  const HEAD = 5; // height of the numbers above the board

  // The players' marks in text, first player first, as everywhere in Arena.
  Arena.marks = ["X", "O"];

  // Returns a picture of a position (see rules.js). Props: `position`; `opening`, its number of
  // plies; `label`, read aloud before the description of the board; `small` leaves out the numbers
  // of columns; `falling` lets the last disc fall.
  Arena.board = ({ position, opening = 0, label = "", small = false, falling = false }) => {
    const { rows, columns } = position.rules;
    const head = small ? 0 : HEAD;
    const x = (column) => (column + 0.5) * CELL;
    const y = (row) => head + (rows - row - 0.5) * CELL;
    const won = new Set(position.lines.flatMap((line) => line.cells.map(String)));
    return html`<svg class=${small ? "board small" : "board"} role="img"
        aria-label=${[label, described(position, opening)].filter(Boolean).join(": ")}
        viewBox="0 0 ${columns * CELL} ${head + rows * CELL}">
      ${!small && Array.from({ length: columns }, (_, column) => html`
        <text class="column" x=${x(column)} y=${HEAD - 1.4}>${column}</text>`)}
      <rect class="frame" x="0" y=${head} width=${columns * CELL} height=${rows * CELL} rx="2" />
      ${Array.from({ length: rows * columns }, (_, cell) => html`
        <circle class="hole" cx=${x(Math.floor(cell / rows))} cy=${y(cell % rows)} r="4.1" />`)}
      ${position.discs.map((disc) => {
        const last = disc.ply === position.ply;
        const kind = [
          "disc",
          disc.player === 0 ? "first" : "second",
          disc.ply <= opening && "opening",
          last && "last",
          won.has(String([disc.column, disc.row])) && "won",
          last && falling && "falling",
        ].filter(Boolean).join(" ");
        const place = `translate(${x(disc.column)} ${y(disc.row)})`;
        const height = `--fall: ${-(rows - disc.row) * CELL}px`;
        return html`<g key=${disc.ply} transform=${place}><g class=${kind} style=${height}>
          <circle class="body" r="4.1" />
          ${disc.player === 0 ? html`<path class="mark" d="M-1.6-1.6 1.6 1.6M-1.6 1.6 1.6-1.6" />`
            : html`<circle class="mark" r="1.8" />`}
        </g></g>`;
      })}
      ${["halo", "line"].map((kind) => position.lines.map(({ cells }) => {
        const [from, to] = [cells[0], cells.at(-1)];
        return html`<line class=${kind} x1=${x(from[0])} y1=${y(from[1])} x2=${x(to[0])} y2=${y(to[1])} />`;
      }))}
    </svg>`;
  };

  // Returns the board in words: each column from the bottom up, and the lines made.
  function described({ rules, discs, lines, heights, ply }, opening) {
    const size = `${rules.rows} rows, ${rules.columns} columns, ${ply} ${ply === 1 ? "disc" : "discs"}`;
    const filled = heights.flatMap((height, column) => {
      const marks = discs.filter((disc) => disc.column === column).map((disc) => Arena.marks[disc.player]);
      return height ? [`column ${column}: ${marks.join(" ")}`] : [];
    });
    const made = lines.map(({ player, cells }) =>
      `line of ${Arena.marks[player]} from column ${cells[0][0]} row ${cells[0][1]} to column ${cells.at(-1)[0]} row ${cells.at(-1)[1]}`);
    const begun = opening > 0 && ply > 0 ? [`opening: the first ${Math.min(opening, ply)}`] : [];
    return [size, ...begun, ...filled, ...made].join("; ");
  }
})();
