// The rules of the game: positions from moves, winner, and lines made.
// Games come with their results, so this decides nothing; a test compares it with Arena's rules.
"use strict";

(() => {
  const DIRECTIONS = [[1, 0], [0, 1], [1, 1], [1, -1]]; // columns, rows; row 0 is the lowest

  // Returns the position after `moves`, columns from the empty board:
  // {rules, moves, ply, toMove: 0|1, discs: [{column, row, player, ply}…] in order, heights,
  //  lines: [{player, cells: [[column, row]…]}…], made: [lines of each player], winner: 0|1|null,
  //  isOver, canPlay(column)}. Throws a RangeError for a move that cannot be played.
  Arena.position = (rules, moves) => {
    const grid = Array.from({ length: rules.columns }, () => []); // of players, the lowest first
    const discs = [];
    const lines = [];
    const made = [0, 0];
    let winner = null;
    let isOver = false;

    for (const column of moves) {
      if (!(Number.isInteger(column) && column >= 0 && column < rules.columns)) {
        throw new RangeError(`column ${column} does not exist`);
      }
      if (grid[column].length === rules.rows) throw new RangeError(`column ${column} is full`);
      if (isOver) throw new RangeError("the game is over");
      const disc = { column, row: grid[column].length, player: discs.length % 2, ply: discs.length + 1 };
      grid[column].push(disc.player);
      discs.push(disc);
      for (const cells of completed(grid, disc, rules.connect)) {
        lines.push({ player: disc.player, cells });
        made[disc.player] += 1;
      }
      const full = discs.length === rules.rows * rules.columns;
      if (made[0] !== made[1] && (full || rules.goal === "first")) winner = made[0] > made[1] ? 0 : 1;
      isOver = full || winner !== null;
    }

    return {
      rules,
      moves: [...moves],
      ply: discs.length,
      toMove: discs.length % 2,
      discs,
      heights: grid.map((column) => column.length),
      lines,
      made,
      winner,
      isOver,
      canPlay: (column) => !isOver && column >= 0 && column < rules.columns && grid[column].length < rules.rows,
    };
  };

  // Returns the lines of `connect` cells that the last disc has completed.
  function completed(grid, disc, connect) {
    const found = [];
    for (const [right, up] of DIRECTIONS) {
      const at = (step) => [disc.column + right * step, disc.row + up * step];
      const owns = (step) => {
        const [column, row] = at(step);
        return grid[column]?.[row] === disc.player;
      };
      let first = 0;
      let last = 0;
      while (first - 1 > -connect && owns(first - 1)) first -= 1;
      while (last + 1 < connect && owns(last + 1)) last += 1;
      for (let start = first; start + connect - 1 <= last; start += 1) {
        found.push(Array.from({ length: connect }, (_, step) => at(start + step)));
      }
    }
    return found;
  }
})();
