// The last move of the position shown and what it was worth, in words, for eyes and screen readers.
"use strict";

(() => {
  const { html } = htmPreact;

  // Props: `overview`, `game`, `ply`, the moves `tried` from there on, and the `position` shown.
  Arena.said = ({ overview, game, ply, tried, position }) => {
    const { rules } = overview.contest;
    if (tried.length) {
      const cell = tried.length === 1 ? Arena.worth.at(game, ply)?.columns[tried[0]] ?? null : null;
      const mover = Arena.marks[1 - position.toMove];
      return html`${mover} in column ${tried.at(-1)}${cell !== null && html`: ${worthInWords(cell, ply, rules)}`}. ${outcome(position)}${lines(position)}`;
    }
    if (ply === 0) return html`The empty board. ${Arena.marks[0]} moves first.`;
    const at = ply - 1;
    const name = html`<bdi>${overview.bots[[game.f, game.s][at % 2]].name}</bdi>`;
    if (ply <= game.p) return html`Opening, ply ${ply} of ${game.p}: ${Arena.marks[at % 2]} in column ${game.m[at]}.`;
    const cell = Arena.worth.ofMove(game, at);
    const answer = at - game.p;
    const blunder = game.b?.includes(at);
    const judged = Arena.worth.at(game, at);
    return html`Ply ${ply}: ${Arena.marks[at % 2]} ${name} played column ${game.m[at]}${cell !== null && html`: ${worthInWords(cell, at, rules)}`}${blunder
      && html`, <strong>a blunder</strong> (${Arena.worth.bestInWords(judged, at, rules)})`}.
      ${" "}It took ${Arena.duration(game.t[answer] / 1000)}${game.d[answer] >= 0 && ` and ${Arena.counted(game.d[answer], "node")}`}.${lines(position)}
      ${ply === game.m.length && html` <strong><${Arena.ending} overview=${overview} game=${game} /></strong>`}`;
  };

  function worthInWords(cell, ply, rules) {
    const words = Arena.worth.inWords(cell, ply, rules);
    return Arena.worth.isExact(cell) ? words : `${words} of the points (an estimate)`;
  }

  // The lines of both players, where they decide the game.
  function lines({ rules, made }) {
    return rules.goal === "most" ? ` Lines: ${Arena.marks[0]} ${made[0]}, ${Arena.marks[1]} ${made[1]}.` : "";
  }

  // The end of a tried game, or whose move it is.
  function outcome(position) {
    if (!position.isOver) return `${Arena.marks[position.toMove]} to move.`;
    return position.winner === null ? "The board is full: a draw." : `${Arena.marks[position.winner]} wins.`;
  }
})();
