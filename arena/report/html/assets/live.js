// The view `#/live`, for a projector: standings, a game, upsets and faults, as they come, and after
// the contest the games between the best two. A page from a server receives its news.
"use strict";

if (Arena.live) {
  (() => {
    const { html, useEffect, useState } = htmPreact;
    const STEP = 700; // milliseconds between two moves of a game that is replayed
    const PAUSE = 4000; // and after its last

    let source = null;
    let news = null;
    const listeners = new Set();
    function hear() {
      source = new EventSource("live");
      source.addEventListener("news", ({ data }) => {
        news = JSON.parse(data);
        listeners.forEach((listen) => listen(news));
      });
      source.addEventListener("edition", ({ data }) => {
        if (JSON.parse(data) !== Arena.edition) Arena.renew?.(); // the first is on its way already
      });
      source.addEventListener("error", () => { // a browser asks again by itself, but not after a 503
        if (source.readyState === EventSource.CLOSED) setTimeout(hear, 5000);
      });
    }
    hear();

    // Shows a game move by move. `onEnd` is called a while after its last move.
    function Replayed({ rules, game, onEnd }) {
      const [ply, step] = useState(game.opening);
      useEffect(() => step(game.opening), [game.game]);
      const isOver = ply >= game.moves.length;
      useEffect(() => {
        const timer = setTimeout(isOver ? () => onEnd?.() : () => step(ply + 1), isOver ? PAUSE : STEP);
        return () => clearTimeout(timer);
      }, [ply, game.game]);
      const position = Arena.position(rules, game.moves.slice(0, ply));
      return html`<figure class="replayed">
        <figcaption>
          <p class="players">${game.names.map((name, seat) => html`
            <span class=${seat === game.winner && isOver ? "winner" : null}>${Arena.marks[seat]} <bdi>${name}</bdi></span>`)}</p>
          <p><a href=${Arena.link("game", game.game)}>Game ${game.game}</a>${isOver && html`: ${ended(game)}`}</p>
        </figcaption>
        <${Arena.board} position=${position} opening=${game.opening} falling=${ply > game.opening} />
      </figure>`;
    }

    const ended = ({ winner, reason, is_fault }) =>
      (winner === null ? reason : is_fault ? `${Arena.marks[1 - winner]} ${reason}` : `${Arena.marks[winner]} wins: ${reason}`);

    // The games between the best two, an opening at a time: one with each side.
    function Final({ rules, games }) {
      const [place, go] = useState(0);
      const pair = games.slice(place, place + 2);
      const next = () => go(place + 2 < games.length ? place + 2 : 0);
      const longest = pair.reduce((one, other) => (length(other) > length(one) ? other : one));
      return html`<section class="final" aria-label="Final">
        <h2>The best two</h2>
        <div class="pair">${pair.map((game, side) => html`
          <${Replayed} key=${side} rules=${rules} game=${game} onEnd=${game === longest ? next : null} />`)}</div>
      </section>`;
    }

    const length = (game) => game.moves.length - game.opening;

    function Standings({ rows, since }) {
      return html`<section class="standings" aria-label="Standings">
        <table>
          <thead><tr><th class="number">#</th><th title=${`since ${since}`}><span class="unseen">rank </span>±</th>
            <th>bot</th><th class="number">points</th><th class="number">games</th></tr></thead>
          <tbody>${rows.map((row) => html`<tr key=${row.name}>
            <td class="number">${row.rank}</td>
            <td>${moved(row)}</td>
            <td><a href=${Arena.link("bot", row.name)}><bdi>${row.name}</bdi></a>${row.faults > 0 && html`
              <small class="fault" title="games lost by a fault"> ! ${row.faults}</small>`}</td>
            <td class="number">${row.points}</td>
            <td class="number">${row.games}</td>
          </tr>`)}</tbody>
        </table>
        <p><small>± places since ${since}</small></p>
      </section>`;
    }

    function moved({ rank, before }) {
      const places = before - rank;
      if (!places) return "";
      const words = `${places > 0 ? "up" : "down"} ${Math.abs(places)}`;
      return html`<span class=${places > 0 ? "up" : "down"} aria-label=${words}>${places > 0 ? "▲" : "▼"}${Math.abs(places)}</span>`;
    }

    function Progress({ news }) {
      const done = news.played + news.forfeited;
      const of = `${news.at_most ? "at most " : ""}${news.total.toLocaleString("en")}`;
      const left = news.left === null ? "" : `, about ${spoken(news.left)} left`;
      const state = news.is_played ? `${left}` : done < news.total && !news.at_most ? ", not being played" : ", over";
      return html`<p class="progress">
        <progress max=${news.total} value=${done} aria-label="Games played"></progress>
        <span>${done.toLocaleString("en")} of ${of} games${state}</span></p>`;
    }

    function spoken(seconds) {
      if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
      return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
    }

    function Told({ title, children }) {
      return html`<section aria-label=${title}><h2>${title}</h2><ul>${children}</ul></section>`;
    }

    const gameLink = (number) => html`<a href=${Arena.link("game", number)}>game ${number}</a>`;

    function Live({ overview }) {
      const [told, hear] = useState(news);
      useEffect(() => {
        listeners.add(hear);
        hear(news);
        return () => listeners.delete(hear);
      }, []);
      const [isHeard, note] = useState(true);
      useEffect(() => {
        const timer = setInterval(() => note(source.readyState === EventSource.OPEN), 1000);
        return () => clearInterval(timer);
      }, []);
      if (!told) return html`<p aria-busy="true">Waiting for the server …</p>`;
      const { rules } = overview.contest;
      return html`<div class="live">
        <h1 class="unseen">Live</h1>
        ${!isHeard && html`<p role="alert">The server does not answer; this is the last that was heard.</p>`}
        <${Progress} news=${told} />
        <div class="stage">
          <${Standings} rows=${told.standings} since=${told.since} />
          ${told.final.length ? html`<${Final} rules=${rules} games=${told.final} />`
            : told.moment && html`<section class="moment" aria-label="A game"><${Replayed} rules=${rules} game=${told.moment} /></section>`}
          <div class="told">
            <${Told} title="Upsets">${told.upsets.map((upset) => html`<li key=${upset.game}>
              <bdi>${upset.winner}</bdi> beat <bdi>${upset.loser}</bdi>, rated ${upset.gap} points above it (${gameLink(upset.game)})</li>`)}<//>
            ${told.faults.length > 0 && html`<${Told} title="Faults">${told.faults.map((fault) => html`<li key=${fault.game}>
              <bdi>${fault.name}</bdi> <bdi>${fault.reason}</bdi>${fault.times > 1 && `, ${fault.times} such games`} (${gameLink(fault.game)})</li>`)}<//>`}
          </div>
        </div>
      </div>`;
    }

    Arena.views.push({ name: "live", tab: "Live", shown: () => true, component: Live });
  })();
}
