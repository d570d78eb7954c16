// The head of a replay: who played, how it ended and why, the loser's wrong turn, and the games
// before and after in the reader's list.
"use strict";

(() => {
  const { html, useEffect, useState } = htmPreact;

  // Who plays whom, how it ended and why, and the games before and after in the list.
  Arena.heading = ({ overview, game, list, go, address }) => {
    const [near, setNear] = useState(null);
    useEffect(() => {
      let wanted = true;
      Arena.lists.neighbours(overview, list, game.n).then((found) => wanted && setNear(found), () => {});
      return () => { wanted = false; };
    }, [overview, game, JSON.stringify(list)]);
    const other = (number, label) => number && html`<a href=${Arena.link("game", number, ...(Object.keys(list).length ? [list] : []))}>${label}</a>`;
    const turn = game.turn ?? null;
    return html`<header>
      <nav class="near" aria-label="Games of this list">
        ${near && html`<span>${other(near.before, "‹ previous game")}</span>
          <span>${near.place && html`${near.place}${near.of !== null && html` of ${near.of.toLocaleString("en")}`} `}${Object.keys(list).length > 0
            && html`<a href=${Arena.link("games", list)}>${Arena.lists.title(list)}</a>`}</span>
          <span>${other(near.after, "next game ›")}</span>`}
      </nav>
      <h1>Game ${game.n}: <span class="player"><${Arena.mark} seat=${0} /> <${Arena.bot} overview=${overview} index=${game.f} /></span> against
        ${" "}<span class="player"><${Arena.mark} seat=${1} /> <${Arena.bot} overview=${overview} index=${game.s} /></span></h1>
      <p class="verdict"><${Arena.ending} overview=${overview} game=${game} />
        ${game.forfeit !== null && html` It counts as a forfeit${game.t.length ? ", whatever was played" : " and was not played"}.`}</p>
      ${turn !== null && html`<p class="turn"><${Turn} overview=${overview} game=${game} at=${turn} /> <a href=${address(turn)}
        onClick=${(event) => { event.preventDefault(); go(turn); }}>Show that position</a></p>`}
      ${game.out && game.out.trim() && html`<details class="output" open=${Arena.isFault(game.v)}><summary>Last output of the loser</summary><pre dir="ltr" tabindex="0">${Arena.plain(game.out)}</pre></details>`}
      ${overview.contest.command && Arena.isFault(game.v) && game.forfeit === null && html`<p class="quiet">This command plays it again and compares, ${Arena.beside(overview.contest)}:</p>
        <${Arena.command} text=${`arena replay ${Arena.quoted(overview.contest.name)} ${game.n} --rerun`} />`}
    </header>`;
  };

  // The loser's wrong turn, as a sentence.
  function Turn({ overview, game, at }) {
    const { rules } = overview.contest;
    const judged = Arena.worth.at(game, at);
    const name = html`<bdi>${overview.bots[[game.f, game.s][at % 2]].name}</bdi>`;
    return html`<strong>${name} went wrong at ply ${at + 1}:</strong> column ${game.m[at]}${" "}
      ${Arena.worth.inWords(Arena.worth.ofMove(game, at), at, rules)}; ${Arena.worth.bestInWords(judged, at, rules)}${judged.exact
        ? "" : " (estimates of the points it could expect)"}.`;
  }
})();
