// The replay of a game: `#/game/12` shows game 12 at its end, `#/game/12/17` after 17 discs.
"use strict";

(() => {
  const { html, useEffect, useState } = htmPreact;

  function Replay({ overview, rest }) {
    const number = Number(rest[0]);
    const [game, setGame] = useState(null); // undefined: there is none
    useEffect(() => {
      setGame(null);
      Arena.game(overview, number).then(setGame);
    }, [overview, number]);
    if (game === undefined) return html`<p>There is no game ${rest[0]} in this report.</p>`;
    if (game === null || game.n !== number) return html`<p aria-busy="true">Reading the game …</p>`;
    const ply = rest[1] === undefined ? game.m.length : Math.min(Number(rest[1]) || 0, game.m.length);
    const position = Arena.position(overview.contest.rules, game.m.slice(0, ply));
    const names = [game.f, game.s].map((index) => overview.bots[index].name);
    return html`<article class="replay">
      <h1>Game ${game.n}: <bdi>${names[0]}</bdi> against <bdi>${names[1]}</bdi></h1>
      <p>${game.r}</p>
      <${Arena.board} position=${position} opening=${game.p} />
      <p><a href=${Arena.link("game", game.n, Math.max(ply - 1, 0))}>back</a> <a href=${Arena.link("game", game.n, Math.min(ply + 1, game.m.length))}>on</a></p>
    </article>`;
  }

  Arena.views.push({ name: "game", shown: () => true, component: Replay });
})();
