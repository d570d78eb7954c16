// What moves are worth. A game has for each answer that was asked of a bot the worth of each column
// (`x`, see data.js): null where there is no room, an integer where the exact value under perfect
// play is known, else an estimate, strictly between 0 and 1. Both are *expected points* of whoever
// moves: 1 for a win, ½ for a draw.
"use strict";

(() => {
  const isExact = (cell) => Number.isInteger(cell);
  const points = (cell) => (isExact(cell) ? (Math.sign(cell) + 1) / 2 : cell);

  // Returns the worth of a move in words, for whoever makes it after `ply` discs.
  function inWords(cell, ply, rules) {
    if (!isExact(cell)) return `≈ ${percent(cell)}`;
    if (cell === 0) return "draws";
    const verb = cell > 0 ? "wins" : "loses";
    if (rules.goal === "most") return `${verb} by ${Arena.counted(Math.abs(cell), "line")}`;
    return `${verb} at ply ${lastPly(cell, ply, rules)}`;
  }

  // Returns the best columns of a position and what they are worth: `column 3 or 4 draws`.
  function bestInWords({ best, columns }, ply, rules) {
    return `${Arena.anyColumn(best)} ${inWords(columns[best[0]], ply, rules)}`;
  }

  // Returns the worth of a move in a word or two, to stand above a column: two lines.
  function inShort(cell, ply, rules) {
    if (!isExact(cell)) return ["≈", percent(cell)];
    if (cell === 0) return ["draw"];
    const word = cell > 0 ? "win" : "loss";
    return rules.goal === "most" ? [word, `by ${Math.abs(cell)}`] : [word, `ply ${lastPly(cell, ply, rules)}`];
  }

  // Returns the ply of the line that ends the game: a value counts the winner's discs from the end.
  function lastPly(value, ply, rules) {
    const cells = rules.rows * rules.columns;
    const moverIsLast = (cells - ply) % 2 === 1;
    const last = moverIsLast === value > 0 ? cells : cells - 1;
    return last - 2 * (Math.abs(value) - 1);
  }

  // An estimate is never certain, so it is never shown as 0 % or 100 %.
  const percent = (share) => `${Math.min(Math.max(Math.round(share * 100), 1), 99)} %`;

  // Returns a position's judgement from the worth of its columns: {columns, points of whoever
  // moves, exact, best: [columns]}; null if nothing is.
  function judged(columns) {
    if (!columns) return null;
    const known = columns.flatMap((cell, column) => (cell === null ? [] : [{ cell, column }]));
    if (!known.length) return null;
    const top = Math.max(...known.map(({ cell }) => points(cell)));
    const equals = known.filter(({ cell }) => points(cell) === top);
    const most = Math.max(...equals.map(({ cell }) => (isExact(cell) ? cell : 0)));
    return {
      columns,
      points: top,
      exact: known.every(({ cell }) => isExact(cell)),
      best: equals.filter(({ cell }) => !isExact(cell) || cell === most).map(({ column }) => column),
    };
  }

  // Returns a game's judgement after `ply` discs; null in its opening or without an analysis.
  const at = (game, ply) => judged(ply >= game.p && game.x ? game.x[ply - game.p] : null);

  // Returns the worth of the move that was played after `ply` discs, as a cell of `x`; null if
  // it is not known.
  const ofMove = (game, ply) => (ply < game.m.length ? at(game, ply)?.columns[game.m[ply]] ?? null : null);

  // Returns the value over a game: [{ply, first: expected points of the first player, exact}…].
  function course(game) {
    const known = [];
    for (let ply = game.p; ply <= game.m.length; ply += 1) {
      const position = at(game, ply);
      if (position) known.push({ ply, first: ply % 2 ? 1 - position.points : position.points, exact: position.exact });
    }
    const last = game.m.length;
    if (known.length && known.at(-1).ply < last && !Arena.isFault(game.v)) {
      known.push({ ply: last, first: game.w === null ? 0.5 : 1 - game.w, exact: true });
    }
    return known;
  }

  Arena.worth = { isExact, points, inWords, bestInWords, inShort, at, ofMove, course };
})();
