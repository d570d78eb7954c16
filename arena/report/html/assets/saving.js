// A bot's games as a file that `arena replay` and `arena ask` read, see arena/report/game_file.py.
// Like the author's own report it has no reasons and output of other bots' faults.
"use strict";

(() => {
  const { html, useState } = htmPreact;
  const FILE = "games.json";
  const MOST = 20_000; // games of a bot; more would not be read again

  // A button that saves the games of a bot. Props: `overview`; `index`, the bot's; `rows`, its list.
  Arena.saveGames = ({ overview, index, rows }) => {
    const [said, say] = useState("");
    if (!rows.length || rows.length > MOST) return null;
    async function save() {
      say("reading …");
      try {
        const games = [];
        for (const row of rows) games.push(await Arena.game(overview, row.n));
        const played = games.filter((game) => game && game.v !== null && game.forfeit === null);
        if (played.length) offer(fileOf(overview, played.map((game) => plain(overview, game, index))));
        say(played.length ? Arena.counted(played.length, "game") : "none was played");
      } catch (wrong) {
        say(`not all games can be read: ${wrong.message}`);
      }
    }
    return html`<p class="saving"><button type="button" class="secondary outline" onClick=${save}>save its games</button> <span role="status">${said}</span>
      <br /><small><code>arena replay ${FILE}</code> lists and shows them.</small></p>`;
  };

  const fileOf = ({ contest }, games) =>
    `${JSON.stringify({ kind: "games of a contest", version: 1, contest: contest.name, limits: contest.limits_text, rules: contest.rules, games })}\n`;

  function plain(overview, game, own) {
    const isOthers = Arena.isFault(game.v) && (game.w === null || [game.f, game.s][game.w] === own);
    const others = game.w === null ? "neither bot plays" : Arena.verdicts[game.v];
    return {
      game: game.n,
      opening: game.o,
      first: overview.bots[game.f].name,
      second: overview.bots[game.s].name,
      moves: game.m,
      opening_plies: game.p,
      charged_ns: game.t.map((microseconds) => microseconds * 1000),
      nodes: game.d,
      winner: game.w,
      verdict: game.v,
      reason: isOthers ? others : game.r,
      output: isOthers ? "" : game.out,
      worth: game.x,
    };
  }

  function offer(text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = FILE;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }
})();
