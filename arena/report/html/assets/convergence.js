// Convergence: how the ratings moved as more openings were played, a line for each bot.
"use strict";

(() => {
  const { html, useMemo, useState } = htmPreact;
  const [LEFT, TOP, BOTTOM] = [48, 12, 40]; // margins in pixels
  const AT_FIRST = 10; // bots that are shown at first
  const LABEL = 15; // height of a name
  const COLOURS = 6; // see convergence.css

  function Convergence({ overview }) {
    const { openings, ratings } = overview.convergence;
    const rated = useMemo(() => ratings.flatMap((line, index) => (line.some((value) => value !== null) ? [index] : [])), [ratings]);
    const [chosen, choose] = useState(() => new Set(rated.slice(0, AT_FIRST)));
    const [near, hover] = useState(null);
    const pick = (index) => {
      const next = new Set(chosen);
      if (!next.delete(index)) next.add(index);
      choose(next);
    };
    const shown = rated.filter((index) => chosen.has(index));
    return html`<h1>Convergence</h1>
      <p class="facts quiet">Ratings from each pairing's first openings only. Lines that still move or cross at the right would keep moving with more openings.</p>
      <${Chart} overview=${overview} shown=${shown} near=${near} hover=${hover} />
      <details class="bots-shown"><summary>Bots shown: ${shown.length} of ${rated.length}</summary>
        <p class="pick-all"><button type="button" class="secondary outline" onClick=${() => choose(new Set(rated))}>all</button>
          <button type="button" class="secondary outline" onClick=${() => choose(new Set())}>none</button></p>
        <ul>${rated.map((index) => html`<li key=${index} onMouseEnter=${() => hover(index)} onMouseLeave=${() => hover(null)}><label>
          <input type="checkbox" checked=${chosen.has(index)} onChange=${() => pick(index)} />
          <span class="name" title=${overview.bots[index].name}><bdi>${overview.bots[index].name}</bdi></span></label></li>`)}</ul>
      </details>
      <details><summary>The same as a table</summary><div class="wide" tabindex="0" role="region" aria-label="Ratings by openings"><table>
        <caption>Ratings by number of openings</caption>
        <thead><tr><th scope="col">bot</th>${openings.map((count) => html`<th scope="col" class="number">${count}</th>`)}</tr></thead>
        <tbody>${shown.map((index) => html`<tr key=${index}><th scope="row"><bdi>${overview.bots[index].name}</bdi></th>
          ${ratings[index].map((value) => html`<td class="number">${value === null ? "" : Arena.rounded(value)}</td>`)}</tr>`)}</tbody>
      </table></div></details>`;
  }

  // The chart, as wide as its box, so that names are as large as other text.
  function Chart(props) {
    const [box, width] = Arena.useWidth();
    return html`<div class="chart" ref=${box}><${Lines} ...${props} width=${width} height=${Math.round(Math.min(Math.max(width * 0.55, 380), 620))} /></div>`;
  }

  function Lines({ overview, shown, near, hover, width, height }) {
    const { openings, ratings } = overview.convergence;
    const right = width < 600 ? 112 : 200; // room for names
    const letters = Math.floor((right - 24) / 7.5);
    const values = shown.flatMap((index) => ratings[index].filter((value) => value !== null));
    if (!values.length) return html`<p>No bot is chosen.</p>`;
    const scale = Arena.scale(Math.min(...values), Math.max(...values), { width: 100 });
    const last = openings.at(-1);
    const x = (count) => LEFT + ((width - LEFT - right) * (count - 1)) / Math.max(last - 1, 1);
    const y = (value) => height - BOTTOM - ((height - TOP - BOTTOM) * scale.place(value)) / 100;
    const steps = openings.filter((_, place) => (openings.length - 1 - place) % Math.ceil(openings.length / Math.min(12, (width - LEFT - right) / 30)) === 0);
    const labels = apart(shown.map((index) => ({ index, y: y(ratings[index].findLast((value) => value !== null)) })), height);
    const line = (index) => ratings[index].flatMap((value, place) => (value === null ? [] : [`${x(openings[place]).toFixed(1)},${y(value).toFixed(1)}`])).join(" ");
    const kind = (index, place) => [`c${place % COLOURS}`, near !== null && (near === index ? "near" : "far"), overview.bots[index].house && "of-house"].filter(Boolean).join(" ");
    return html`<svg class="convergence" width=${width} height=${height} role="img"
        aria-label=${`Ratings of ${Arena.counted(shown.length, "bot")} after 1 to ${last} openings; the table below has the numbers`}>
      ${scale.ticks.map((tick) => html`<g key=${tick} class="grid"><line x1=${LEFT} x2=${width - right} y1=${y(tick)} y2=${y(tick)} />
        <text x=${LEFT - 6} y=${y(tick) + 4} text-anchor="end">${Arena.rounded(tick)}</text></g>`)}
      ${steps.map((count) => html`<text class="count" key=${count} x=${x(count)} y=${height - BOTTOM + 18} text-anchor="middle">${count}</text>`)}
      <text class="count" x=${(LEFT + width - right) / 2} y=${height - 4} text-anchor="middle">openings played by each pairing</text>
      ${shown.map((index, place) => html`<polyline key=${index} class=${kind(index, place)} points=${line(index)}
        onMouseEnter=${() => hover(index)} onMouseLeave=${() => hover(null)} />`)}
      ${labels.map((label) => html`<g key=${label.index} class=${kind(label.index, shown.indexOf(label.index))} onMouseEnter=${() => hover(label.index)} onMouseLeave=${() => hover(null)}>
        <path class="leader" d=${`M${width - right + 2} ${label.y} L${width - right + 14} ${label.at}`} />
        <text x=${width - right + 18} y=${label.at + 4}>${short(overview.bots[label.index].name, letters)}<title>${overview.bots[label.index].name}</title></text></g>`)}
    </svg>`;
  }

  // A name as it fits beside a line. Marks around it stop right-to-left text from turning the rest.
  const short = (name, letters) => `\u2068${[...name].length > letters ? `${[...name].slice(0, letters - 1).join("")}…` : name}\u2069`;

  // Returns the labels with `at`, their heights, moved apart so that none covers another.
  function apart(labels, height) {
    const sorted = labels.map((label) => ({ ...label, at: label.y })).sort((one, other) => one.y - other.y);
    const room = height - BOTTOM - TOP;
    const gap = Math.min(LABEL, room / Math.max(sorted.length - 1, 1));
    sorted.forEach((label, place) => {
      label.at = Math.max(label.at, place ? sorted[place - 1].at + gap : TOP);
    });
    sorted.reverse().forEach((label, place) => {
      label.at = Math.min(label.at, place ? sorted[place - 1].at - gap : height - BOTTOM);
    });
    return sorted;
  }

  Arena.views.push({
    name: "convergence", tab: "Convergence", component: Convergence,
    shown: (overview) => overview.view === "contest" && Boolean(overview.convergence),
  });
})();
