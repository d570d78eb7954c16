// A bot's rounds of a ladder: its rank and its rating after each, as graphs one above the other and
// as a table. A round in which it did not take part is a gap; a diamond is another version.
"use strict";

(() => {
  const { html } = htmPreact;
  const [LEFT, RIGHT, TOP, FOOT] = [52, 16, 22, 26]; // margins of a graph in pixels
  const HEIGHT = 150; // of a graph
  const DAY = 46; // room for a day below it
  const PAD = 50; // rating points above and below, so that a small change is no cliff

  // Props: `overview`, `bot`. Shows nothing outside a ladder.
  Arena.history = ({ overview, bot }) => {
    if (!overview.rounds || !bot.history) return null;
    const own = new Map(bot.history.map(([, number, rank, rating, isNew]) => [number, { rank, rating, isNew }]));
    const rounds = overview.rounds.map(([day, number, bots]) => ({ day, number, bots, ...own.get(number) }));
    return html`<section class="history"><h2>Round by round</h2>
      <${Graphs} rounds=${rounds} />
      <details><summary>The same as a table</summary><div class="wide" tabindex="0" role="region" aria-label="Ranks and ratings by round"><table>
        <caption>After each round</caption>
        <thead><tr><th scope="col">round</th><th scope="col">day</th><th scope="col">rank</th><th scope="col" class="number">rating</th><th scope="col">handed in</th></tr></thead>
        <tbody>${rounds.filter(({ number }) => own.has(number)).map((round) => html`<tr key=${round.number}>
          <th scope="row">${round.number}</th><td>${round.day}</td>
          <td>${round.rank ? `${round.rank} of ${round.bots}` : "did not take part"}</td>
          <td class="number">${missing(round.rating) ? "" : Arena.rounded(round.rating)}</td>
          <td>${round.isNew ? "another version" : ""}</td></tr>`)}</tbody>
      </table></div></details>
    </section>`;
  };

  const missing = (value) => value === null || value === undefined;
  const short = (day) => new Date(`${day}T00:00`).toLocaleDateString("en", { month: "short", day: "numeric" });

  function Graphs({ rounds }) {
    const [box, width] = Arena.useWidth();
    const ranks = rounds.map(({ rank }) => rank).filter((rank) => !missing(rank));
    const ratings = rounds.map(({ rating }) => rating).filter((rating) => !missing(rating));
    return html`<figure ref=${box}>
      ${ranks.length > 0 && html`<${Graph} rounds=${rounds} width=${width} title="Rank" of=${({ rank }) => rank} ...${rankScale(ranks)}
        label=${`Rank after each round: ${spoken(rounds, ({ rank }) => rank)}`} />`}
      ${ratings.length > 0 && html`<${Graph} rounds=${rounds} width=${width} title="Rating" of=${({ rating }) => rating} ...${ratingScale(ratings)}
        label=${`Rating after each round: ${spoken(rounds, ({ rating }) => rating)}`} />`}
      ${rounds.some(({ isNew }) => isNew) && html`<figcaption class="quiet"><svg class="sign" viewBox="-7 -7 14 14" aria-hidden="true"><${Mark} isNew=${true} /></svg> another version was handed in</figcaption>`}
    </figure>`;
  }

  // Ranks from the best at the top to the worst.
  function rankScale(ranks) {
    const [best, worst] = [Math.min(...ranks), Math.max(...ranks)];
    const step = Math.max(1, Math.ceil((worst - best) / 4));
    const ticks = [];
    for (let rank = best; rank <= worst; rank += step) ticks.push(rank);
    return { ticks, place: (rank) => (worst === best ? 0.5 : (worst - rank) / (worst - best)) };
  }

  function ratingScale(ratings) {
    const [low, high] = [Math.min(...ratings) - PAD, Math.max(...ratings) + PAD];
    const scale = Arena.scale(low, high);
    return { ticks: scale.ticks, place: (rating) => (rating - low) / (high - low) };
  }

  // The first and the last value, and the best and worst between them, for screen readers.
  function spoken(rounds, of) {
    const values = rounds.map(of).filter((value) => !missing(value)).map(Arena.rounded);
    const all = `from ${values[0]} to ${values.at(-1)} in ${Arena.counted(values.length, "round")}`;
    return `${all}; the table below has the numbers`;
  }

  // A graph. `of(round)` is a value, `place(value)` its height from 0 to 1.
  function Graph({ rounds, width, title, of, ticks, place, label }) {
    const x = (at) => (rounds.length > 1 ? LEFT + ((width - LEFT - RIGHT) * at) / (rounds.length - 1) : (LEFT + width - RIGHT) / 2);
    const y = (value) => HEIGHT - FOOT - (HEIGHT - FOOT - TOP) * place(value);
    const days = new Set(rounds.map(({ day }) => day));
    const named = ({ day, number }) => (days.size < rounds.length ? `#${number}` : short(day)); // two of a day look the same
    const every = Math.ceil(rounds.length / Math.max(1, Math.floor((width - LEFT - RIGHT) / DAY)));
    const lines = [[]];
    rounds.forEach((round, at) => {
      if (missing(of(round))) lines.push([]);
      else lines.at(-1).push(`${x(at).toFixed(1)},${y(of(round)).toFixed(1)}`);
    });
    return html`<svg class="rounds" width=${width} height=${HEIGHT} role="img" aria-label=${label}>
      <text class="title" x="0" y="12">${title}</text>
      ${ticks.map((tick) => html`<g key=${tick} class="grid"><line x1=${LEFT} x2=${width - RIGHT} y1=${y(tick)} y2=${y(tick)} />
        <text x=${LEFT - 10} y=${y(tick) + 4} text-anchor="end">${Arena.rounded(tick)}</text></g>`)}
      ${rounds.map((round, at) => (rounds.length - 1 - at) % every === 0 && html`<text key=${round.number} class="day"
        x=${x(at)} y=${HEIGHT - 6} text-anchor=${at === rounds.length - 1 && at ? "end" : "middle"}>${named(round)}</text>`)}
      ${lines.map((points, at) => html`<polyline key=${at} points=${points.join(" ")} />`)}
      ${rounds.map((round, at) => !missing(of(round)) && html`<g key=${round.number} transform=${`translate(${x(at).toFixed(1)} ${y(of(round)).toFixed(1)})`}>
        <${Mark} isNew=${round.isNew} /><title>${`round ${round.number}, ${round.day}: ${title.toLowerCase()} ${Arena.rounded(of(round))}${round.isNew ? ", another version" : ""}`}</title></g>`)}
    </svg>`;
  }

  const Mark = ({ isNew }) => (isNew ? html`<path class="version" d="M0-6.5 6.5 0 0 6.5-6.5 0Z" />` : html`<circle r="3" />`);
})();
