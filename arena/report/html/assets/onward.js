// "Play on from here": exports the position as a file for `arena play`, or to the page's game
// against a bot if the page came from a server.
"use strict";

(() => {
  const { html } = htmPreact;

  // Returns a position as `arena play --load` reads it.
  Arena.savedGame = ({ rules, moves }) =>
    `game ${rules.rows} ${rules.columns} ${rules.connect} ${rules.goal}\nmoves ${moves.join(" ")}`.trimEnd() + "\n";

  // Props: `overview`, `game`, `position`.
  Arena.onward = ({ overview, game, position }) => {
    const file = `game-${game.n}-${position.ply}.txt`;
    const bots = [...new Set([game.f, game.s])].map((index) => overview.bots[index]);
    return html`<details class="onward">
      <summary>Play on from here</summary>
      <p>Try moves for both sides right here: click a column above the board.</p>
      ${position.isOver ? html`<p>The game is over in this position; step back to play on from an earlier one.</p>` : html`
        ${Arena.live && html`<p>Play against ${bots.map((bot, index) => html`${index > 0 && " or "}<a
          href=${Arena.link("play", { bot: bot.name, moves: position.moves.join(",") })}><bdi>${bot.name}</bdi></a>`)} from here.</p>`}
        <p>Against a bot in your terminal: save <a download=${file}
          href=${`data:text/plain,${encodeURIComponent(Arena.savedGame(position))}`}>${file}</a> and type</p>
        ${[...new Set(bots.map((bot) => command(bot, position, file)))].map((text) => html`<${Arena.command} key=${text} text=${text} />`)}`}
    </details>`;
  };

  // Whoever is at the keyboard moves next. Only house players exist everywhere.
  function command(bot, position, file) {
    const who = bot.house ? bot.name : "my_bot.py";
    return `arena play ${who}${position.toMove === 1 ? " --second" : ""} --load ${file}`;
  }
})();
