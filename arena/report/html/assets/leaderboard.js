// The leaderboard: a row for each bot.
"use strict";

(() => {
  const { html } = htmPreact;

  function Leaderboard({ overview }) {
    return html`<table>
      <thead><tr><th>#</th><th>bot</th><th class="number">points</th><th class="number">games</th><th class="number">rating</th></tr></thead>
      <tbody>
        ${overview.bots.map((bot) => html`<tr key=${bot.name}>
          <td>${bot.rank}</td>
          <td><a href=${Arena.link("bot", bot.name)}><bdi>${bot.name}</bdi></a></td>
          <td class="number">${bot.points}</td>
          <td class="number">${bot.games}</td>
          <td class="number">${bot.rating}</td>
        </tr>`)}
      </tbody>
    </table>`;
  }

  Arena.views.push({ name: "", tab: "Leaderboard", shown: (overview) => overview.view === "contest", component: Leaderboard });
})();
