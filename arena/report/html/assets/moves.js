// The list of a game's moves: player, column, time and nodes against the limits, worth.
"use strict";

(() => {
  const { html, useEffect, useRef } = htmPreact;

  // Props: `overview`, `game`, `ply` that is shown, `go(ply)`, `address(ply)`.
  Arena.moves = ({ overview, game, ply, go, address }) => {
    const list = useRef(null);
    useEffect(() => {
      // the list scrolls by itself, the page stays where it is
      const box = list.current;
      const row = box.querySelector("[aria-current]");
      if (!row || box.scrollHeight <= box.clientHeight) return;
      const above = row.offsetTop - box.clientHeight / 2;
      box.scrollTop = above;
    }, [game, ply]);
    const answers = Math.max(game.m.length, game.p + game.t.length);
    return html`<div class="moves" ref=${list} tabindex="0" role="region" aria-label="Moves">
      <table>
        <thead><tr><th scope="col">ply</th><th scope="col">column</th><th scope="col" class="number">time</th>
          <th scope="col" class="number">nodes</th><th scope="col">worth</th></tr></thead>
        <tbody>
          ${Array.from({ length: answers }, (_, at) => html`<${Move} key=${at} overview=${overview} game=${game}
            at=${at} current=${at + 1 === ply} go=${go} address=${address} />`)}
        </tbody>
      </table>
    </div>`;
  };

  // A row: the move made after `at` discs; the last may be a fault, without a move.
  function Move({ overview, game, at, current, go, address }) {
    const moved = at < game.m.length;
    const shown = moved ? at + 1 : at;
    const answer = at - game.p;
    const opening = answer < 0;
    const blunder = game.b?.includes(at);
    const follow = (event) => {
      event.preventDefault();
      go(shown);
    };
    return html`<tr class=${[opening && "opening", blunder && "blunder"].filter(Boolean).join(" ")}
        aria-current=${current ? "true" : null} onClick=${follow}>
      <th scope="row"><${Arena.mark} seat=${at % 2} /> <a href=${address(shown)} onClick=${follow}>${at + 1}</a></th>
      <td>${moved ? game.m[at] : "no move"}</td>
      ${opening ? html`<td colspan="3" class="quiet">opening</td>` : html`
        <${Spent} value=${game.t[answer] / 1000} most=${Arena.limits.ms(overview, game, answer)} text=${Arena.duration(game.t[answer] / 1000)} />
        <${Spent} value=${game.d[answer]} most=${Arena.limits.nodes(overview, game, answer)}
          text=${game.d[answer] < 0 ? "" : game.d[answer].toLocaleString("en")} />
        <td>${worthOf(overview, game, at)}</td>`}
    </tr>`;
  }

  function worthOf(overview, game, at) {
    const cell = Arena.worth.ofMove(game, at);
    if (cell === null) return at < game.m.length ? "" : html`<strong>${Arena.verdicts[game.v] ?? game.v}</strong>`;
    const { rules } = overview.contest;
    const words = Arena.worth.inWords(cell, at, rules);
    if (!game.b?.includes(at)) return words;
    return html`<strong>${words} <span aria-label="a blunder" role="img">??</span></strong>
      <small>${Arena.worth.bestInWords(Arena.worth.at(game, at), at, rules)}</small>`;
  }

  // A cell with a bar: how much of a limit was spent. Without a limit there is no bar.
  function Spent({ value, most, text }) {
    const share = most && value >= 0 ? Math.min(value / most, 1) : 0;
    return html`<td class="number"><span class="spent" style=${`--share: ${(share * 100).toFixed(1)}%`}>${text}</span></td>`;
  }

  // The limits of an answer, the first of the game being 0; none where there is no limit.
  Arena.limits = {
    // A bot has more time for its first move.
    ms: ({ contest: { limits } }, game, answer) =>
      limits && (limits.move_seconds + (answer < 2 ? limits.first_move_seconds : 0)) * 1000,
    nodes: ({ bots }, game, answer) => bots[[game.f, game.s][(game.p + answer) % 2]].budget ?? null,
  };
})();
