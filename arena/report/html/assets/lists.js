// Lists of games: choosing games by an address, and reading them. A list is made of rows
// {n, seats: [index of first bot, of second], w: winner's seat or null, isGame, verdict, plies,
// opening, turn: ply of the loser's wrong turn or null}, in the order of the games' numbers.
"use strict";

(() => {
  // Parameters of an address that choose games: `a` and `b` are names of bots, `side` (first or
  // second) and `result` (win, draw or loss) are a's, `verdict` can also be "fault".
  const PARAMETERS = ["a", "b", "opening", "result", "verdict", "side"];

  // Returns the parameters of an address that choose games, as an object.
  function chosen(query) {
    const given = PARAMETERS.filter((name) => query.get(name) && query.get(name) !== "any");
    return Object.fromEntries(given.map((name) => [name, query.get(name)]));
  }

  // Returns a function that says if a row belongs to a list.
  function filter(overview, list) {
    const index = (name) => overview.bots.findIndex((bot) => bot.name === name);
    const [a, b] = [list.a, list.b].map((name) => (name === undefined ? null : index(name)));
    return (row) => {
      const seat = a === null ? null : row.seats.indexOf(a);
      if (seat === -1) return false;
      if (b !== null && !(seat === null ? row.seats.includes(b) : row.seats[1 - seat] === b)) return false;
      if (list.opening && row.opening !== Number(list.opening)) return false;
      if (list.verdict && !(list.verdict === "fault" ? Arena.isFault(row.verdict) : row.verdict === list.verdict)) return false;
      if (list.side && seat !== null && (list.side === "first") !== (seat === 0)) return false;
      return !list.result || result(row, seat) === list.result;
    };
  }

  // Returns how a game ended for the bot in that seat: win, draw, loss or none; without a seat
  // games that somebody won are wins.
  function result(row, seat) {
    if (!row.isGame) return "none";
    if (row.w === null) return "draw";
    return seat === null || row.w === seat ? "win" : "loss";
  }

  const fromBot = (own) => ([n, opponent, seat, letter, verdict, plies, opening, turn]) => ({
    n,
    seats: seat === 0 ? [own, opponent] : [opponent, own],
    w: letter === "W" ? seat : letter === "L" ? 1 - seat : null,
    isGame: letter !== "-",
    verdict,
    plies,
    opening,
    turn,
  });

  const fromGame = (game) => ({
    n: game.n,
    seats: [game.f, game.s],
    w: game.w,
    isGame: game.w !== null || !Arena.isFault(game.v),
    verdict: game.v,
    plies: game.m.length,
    opening: game.o,
    turn: game.turn ?? null,
  });

  // Yields the rows of a list in portions, as they are read: {rows, isLast}. Of one bot's games all
  // come at once.
  async function* portions(overview, list) {
    const belongs = filter(overview, list);
    const anybodys = overview.view === "contest" ? [list.a, list.b] : []; // bots with a list of games
    const own = overview.me ?? overview.bots.findIndex((bot) => anybodys.includes(bot.name));
    if (own >= 0) {
      yield { rows: (await Arena.load(`bot-${own}`)).map(fromBot(own)).filter(belongs), isLast: true };
      return;
    }
    for (let first = 1; first <= overview.last_game; first += overview.chunk_games) {
      const games = await Arena.load(`games-${Math.floor((first - 1) / overview.chunk_games)}`).catch(() => []);
      yield { rows: games.map(fromGame).filter(belongs), isLast: first + overview.chunk_games > overview.last_game };
    }
  }

  // Returns the games around one in a list: {before, after, place, of}; `of` is null where the list
  // is too long to be read for this, and without a list the neighbours are those by number.
  async function neighbours(overview, list, number) {
    if (!Object.keys(list).length) {
      const there = async (n) => ((await Arena.game(overview, n)) ? n : null);
      return { before: await there(number - 1), after: await there(number + 1), place: null, of: null };
    }
    const rows = [];
    for await (const portion of portions(overview, list)) {
      rows.push(...portion.rows);
      const place = rows.findIndex((row) => row.n === number);
      if (list.a === undefined && place >= 0 && place + 1 < rows.length) {
        return { before: rows[place - 1]?.n ?? null, after: rows[place + 1].n, place: place + 1, of: null };
      }
    }
    const place = rows.findIndex((row) => row.n === number);
    if (place < 0) return { before: null, after: null, place: null, of: rows.length };
    return { before: rows[place - 1]?.n ?? null, after: rows[place + 1]?.n ?? null, place: place + 1, of: rows.length };
  }

  // Returns a list in words, for a heading: parts of text and names.
  function title(list) {
    const { html } = htmPreact;
    const parts = [];
    if (list.result) parts.push({ win: "won", draw: "drawn", loss: "lost" }[list.result] ?? list.result);
    parts.push("games");
    if (list.a) parts.push(html`of <bdi>${list.a}</bdi>`);
    if (list.b) parts.push(html`against <bdi>${list.b}</bdi>`);
    if (list.side) parts.push(`moving ${list.side}`);
    if (list.opening) parts.push(`with opening ${list.opening}`);
    if (list.verdict) parts.push(list.verdict === "fault" ? "ended by a fault" : `ended by: ${Arena.verdicts[list.verdict] ?? list.verdict}`);
    return parts.map((part, index) => html`${index > 0 && " "}${part}`);
  }

  Arena.lists = { chosen, fromBot, portions, neighbours, result, title };
})();
