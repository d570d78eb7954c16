// The openings: the board of each, and its results for the side that moves first.
"use strict";

(() => {
  const { html, useMemo, useState } = htmPreact;
  const percent = (share) => `${(100 * share).toFixed(0)} %`;
  const AT_FIRST = 60;

  function Openings({ overview }) {
    const [order, sort] = useState("number");
    const [all, showAll] = useState(false);
    const sorted = useMemo(() => [...overview.openings].sort(ORDERS[order]), [overview, order]);
    const sum = (key) => overview.openings.reduce((so, opening) => so + opening[key], 0);
    const whole = { first_wins: sum("first_wins"), draws: sum("draws"), second_wins: sum("second_wins") };
    const shown = all ? sorted : sorted.slice(0, AT_FIRST);
    return html`<h1>Openings</h1>
      <p class="facts quiet">Each pairing plays its openings twice, with sides swapped, so an opening that favours a side favours no bot.
        Games lost by a fault say nothing of an opening and are counted apart.</p>
      <div class="all-openings"><h2>All together</h2><${Balance} tally=${whole} /></div>
      <div class="controls-line"><label>Order <select onChange=${(event) => sort(event.target.value)}>
        <option value="number">by number</option><option value="first">best for the first player</option>
        <option value="second">best for the second player</option></select></label></div>
      <ul class="openings">${shown.map((opening) => html`<${Opening} key=${opening.number} overview=${overview} opening=${opening} />`)}</ul>
      ${shown.length < sorted.length && html`<button type="button" class="secondary outline" onClick=${() => showAll(true)}>show all ${sorted.length}</button>`}`;
  }

  const share = (opening) => opening.first_share ?? 0.5;
  const ORDERS = {
    number: (one, other) => one.number - other.number,
    first: (one, other) => share(other) - share(one),
    second: (one, other) => share(one) - share(other),
  };

  function Opening({ overview, opening }) {
    const position = Arena.position(overview.contest.rules, opening.columns);
    return html`<li class="keep">
      <h2>Opening ${opening.number}</h2>
      <${Arena.board} position=${position} opening=${opening.columns.length} label=${`Opening ${opening.number}`} small />
      <div>
        <${Balance} tally=${opening} />
        <p>${opening.pairs > 0 && html`The same side won both games in ${opening.same_side} of ${Arena.counted(opening.pairs, "pair")}. `}
          ${opening.faults > 0 && html`Lost by a fault: ${opening.faults}. `}
          <a href=${Arena.link("games", { opening: opening.number })}>${Arena.counted(opening.games, "game")}</a></p>
        <p class="quiet">Columns ${opening.columns.join(" ")}</p>
      </div>
    </li>`;
  }

  // How games ended: a bar with three parts, in numbers too.
  function Balance({ tally }) {
    const parts = [["first", tally.first_wins], ["draws", tally.draws], ["second", tally.second_wins]];
    const games = parts.reduce((so, [, count]) => so + count, 0);
    if (!games) return html`<p>No game was played to its end.</p>`;
    const label = `first player won ${tally.first_wins}, drawn ${tally.draws}, second player won ${tally.second_wins}`;
    return html`<div class="balance" role="img" aria-label=${label}>
      ${parts.map(([kind, count]) => count > 0 && html`<span class=${kind} style=${`flex-grow: ${count}`}>${count}</span>`)}</div>
      <p class="scored"><strong>${percent((tally.first_wins + tally.draws / 2) / games)}</strong> for the first player${" "}
        <span class="quiet">(won ${tally.first_wins}, drawn ${tally.draws}, lost ${tally.second_wins})</span></p>`;
  }

  Arena.views.push({
    name: "openings", tab: "Openings", component: Openings,
    shown: (overview) => overview.view === "contest" && overview.openings?.length > 0,
  });
})();
