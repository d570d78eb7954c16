// The class as a whole: how grades and ratings are distributed, and which faults there were.
"use strict";

(() => {
  const { html, useMemo } = htmPreact;
  const [HEIGHT, TOP, FOOT] = [190, 20, 24]; // of a histogram, in pixels
  const MOST = 18; // bars, about
  const FEW = 12; // names in a row of a table

  function Class({ overview }) {
    const students = useMemo(() => overview.bots.filter((bot) => !bot.house), [overview]);
    const graded = students.filter((bot) => bot.grade !== null);
    const rated = students.filter((bot) => bot.rank !== null && Arena.hasPlayed(bot));
    const never = students.filter((bot) => bot.rank !== null && bot.rating !== null && !Arena.hasPlayed(bot));
    const house = overview.bots.filter((bot) => bot.house && bot.rating !== null);
    return html`<h1>Class</h1>
      <div class="histograms">
        ${graded.length > 0 && html`<${Histogram} overview=${overview} title="Grades" bots=${graded} of=${(bot) => bot.grade} step=${1} house=${[]}
          note=${`A bar holds the grades from its number up to the next.${graded.length < students.length
            ? ` Without a grade: ${students.length - graded.length}.` : ""} House players get none.`} />`}
        ${rated.length > 1 && html`<${Histogram} overview=${overview} title="Ratings" bots=${rated} of=${(bot) => bot.rating} house=${house}
          step=${stepOf([...rated, ...house].map((bot) => bot.rating))}
          note=${`${house.length ? "◆ house players. " : ""}${never.length ? `Not shown, as they lost nearly every game by a fault: ${never.map((bot) => bot.name).join(", ")}.` : ""}`} />`}
      </div>
      <${Faults} overview=${overview} />`;
  }

  // A round width of bars.
  function stepOf(values) {
    const rough = Math.max((Math.max(...values) - Math.min(...values)) / MOST, 1);
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
  }

  const median = (values) => {
    const sorted = [...values].sort((one, other) => one - other);
    return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
  };

  // Props: `title`; `bots`, and `of(bot)`, the value; `step`, the width of a bar; `house`, players to be marked.
  function Histogram({ overview, title, bots, of, step, house, note }) {
    const [box, width] = Arena.useWidth();
    const binOf = (bot) => Math.floor(of(bot) / step + 1e-9);
    const all = [...bots, ...house].map(binOf);
    const from = Math.min(...all);
    const bins = Array.from({ length: Math.max(...all) - from + 1 }, (_, at) => {
      const inside = (some) => some.filter((bot) => binOf(bot) === from + at);
      return { low: (from + at) * step, bots: inside(bots), house: inside(house) };
    });
    const most = Math.max(...bins.map((bin) => bin.bots.length));
    const each = width / bins.length;
    const every = Math.ceil(46 / each);
    const middle = median(bots.map(of));
    const label = `${title} of ${Arena.counted(bots.length, "bot")}: median ${words(middle)}, from ${words(Math.min(...bots.map(of)))} to ${words(Math.max(...bots.map(of)))}; the table below has the numbers`;
    return html`<figure class="histogram" ref=${box}><figcaption><h2>${title}</h2> <span class="quiet">median ${words(middle)}</span></figcaption>
      <svg width=${width} height=${HEIGHT} role="img" aria-label=${label}>
        ${bins.map((bin, at) => {
          const tall = ((HEIGHT - TOP - FOOT) * bin.bots.length) / most;
          return html`<g key=${bin.low} transform=${`translate(${(at * each).toFixed(1)} 0)`}>
            <title>${[...bin.bots, ...bin.house].map((bot) => bot.name).join(", ")}</title>
            <rect x="1" y=${HEIGHT - FOOT - tall} width=${Math.max(each - 2, 1)} height=${tall} />
            ${bin.bots.length > 0 && html`<text x=${each / 2} y=${HEIGHT - FOOT - tall - 4}>${bin.bots.length}</text>`}
            ${at % every === 0 && (step === 1 || at * each < width - 40) && html`<text class="quiet" x=${step === 1 ? each / 2 : 1} y=${HEIGHT - 6} style=${step === 1 ? "" : "text-anchor: start"}>${words(bin.low)}</text>`}
          </g>`;
        })}
        <line x1="0" x2=${width} y1=${HEIGHT - FOOT} y2=${HEIGHT - FOOT} />
        ${house.map((bot) => html`<text key=${bot.name} class="of-house" x=${Math.min(Math.max((of(bot) / step - from) * each, 6), width - 6).toFixed(1)} y=${HEIGHT - FOOT + 5}>◆<title>${bot.name}</title></text>`)}
      </svg>
      <p class="quiet">${note}</p>
      <details><summary>The same as a table</summary><table><caption class="unseen">${title}</caption>
        <thead><tr><th scope="col" class="number">from</th><th scope="col" class="number">bots</th><th scope="col">which</th></tr></thead>
        <tbody>${bins.map((bin) => html`<tr key=${bin.low}><th scope="row" class="number">${words(bin.low)}</th><td class="number">${bin.bots.length}</td>
          <td><${Names} overview=${overview} bots=${[...bin.bots, ...bin.house]} /></td></tr>`)}</tbody>
      </table></details>
    </figure>`;
  }

  const words = (value) => value.toLocaleString("en", { maximumFractionDigits: value > 100 ? 0 : 1 }).replace("-", "−");

  // Names with links; `query(bot)`, if given, makes a link to games instead.
  function Names({ overview, bots, query }) {
    const list = (some) => some.map((bot, at) => html`${at > 0 && ", "}${query ? html`<a href=${Arena.link("games", query(bot))}><bdi>${bot.name}</bdi></a>`
      : html`<${Arena.bot} overview=${overview} index=${overview.bots.indexOf(bot)} />`}${bot.house && " (house)"}`);
    return html`${list(bots.slice(0, FEW))}${bots.length > FEW && html`<details><summary>${bots.length - FEW} more</summary>${list(bots.slice(FEW))}</details>`}`;
  }

  // Each kind of fault with its games and bots.
  function Faults({ overview }) {
    const kinds = new Map();
    for (const bot of overview.bots) {
      for (const [verdict, count] of Object.entries(bot.faults_by)) {
        const kind = kinds.get(verdict) ?? { games: 0, bots: [] };
        kind.games += count;
        kind.bots.push([bot, count]);
        kinds.set(verdict, kind);
      }
    }
    const sorted = [...kinds].sort(([, one], [, other]) => other.games - one.games);
    return html`<h2>Faults</h2>${!sorted.length ? html`<p>No game was lost by a fault.</p>` : html`<table class="kinds">
      <caption>Games lost by a fault, by kind</caption>
      <thead><tr><th scope="col">the bot</th><th scope="col" class="number">games</th><th scope="col" class="number">bots</th><th scope="col">which, most games first</th></tr></thead>
      <tbody>${sorted.map(([verdict, { games, bots }]) => html`<tr key=${verdict}>
        <th scope="row">${Arena.verdicts[verdict]}</th>
        <td class="number"><a href=${Arena.link("games", { verdict })}>${games.toLocaleString("en")}</a></td><td class="number">${bots.length}</td>
        <td><${Names} overview=${overview} bots=${bots.sort(([, one], [, other]) => other - one).map(([bot]) => bot)}
          query=${(bot) => ({ a: bot.name, result: "loss", verdict })} /></td></tr>`)}</tbody>
    </table>`}`;
  }

  // What is printed: the parts that say how the contest ended, one after the other.
  function Paper(props) {
    const parts = ["", "class", "crosstable"].map((name) => Arena.views.find((view) => view.name === name && view.shown(props.overview)));
    return parts.map((view) => view && html`<section class="paper-part"><${view.component} ...${props} isPaper=${true} /></section>`);
  }

  Arena.views.push({ name: "paper", shown: (overview) => overview.view === "contest", component: Paper });
  Arena.views.push({ name: "class", tab: "Class", shown: (overview) => overview.view === "contest", component: Class });
})();
