// The crosstable: points of each bot (row) against each other (column), as a heat map. Each cell
// leads to the games of its pairing. Arrow keys move from cell to cell.
"use strict";

(() => {
  const { html, useEffect, useMemo, useRef, useState } = htmPreact;
  const MOST_CELLS = 80; // bots in a table; more are a picture
  const half = (points) => points.toLocaleString("en", { maximumFractionDigits: 1 });

  function Crosstable({ overview }) {
    const bots = useMemo(() => overview.bots.slice(0, overview.crosstable.length), [overview]);
    const large = bots.length > MOST_CELLS;
    return html`<h1>Crosstable</h1>
      <p class="facts quiet">Points of the bot in the row against the bot of the column; a cell leads to their games.
        The numbers before names are ranks.</p>
      <p class="heat-key" style="--much: 1"><span class="won">all won</span><span>even</span><span class="lost">all lost</span></p>
      ${large ? html`<${Picture} overview=${overview} bots=${bots} />` : html`<${Table} overview=${overview} bots=${bots} />`}`;
  }

  // A cell in words.
  function said(bots, row, column, cell) {
    if (row === column) return bots[row].name;
    if (!cell) return `${bots[row].name} and ${bots[column].name} did not meet`;
    return `${bots[row].name}: ${half(cell[0])} of ${cell[1]} against ${bots[column].name}`;
  }

  // Returns the cell that an arrow key leads to; null for another key.
  function moved([row, column], key, count) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -count], End: [0, count] };
    const step = steps[key];
    const within = (place) => Math.min(Math.max(place, 0), count - 1);
    return step ? [within(row + step[0]), within(column + step[1])] : null;
  }

  function Table({ overview, bots }) {
    const [at, go] = useState([0, Math.min(1, bots.length - 1)]);
    const box = useRef();
    const onKey = (event) => {
      const next = moved(at, event.key, bots.length);
      if (!next) return;
      event.preventDefault();
      go(next);
      const cell = box.current.querySelector(`[data-at="${next}"]`);
      cell?.focus();
      cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
    };
    const name = (index) => html`<span class="name" title=${bots[index].name}><span class="place">${bots[index].rank}</span><bdi>${bots[index].name}</bdi></span>`;
    return html`<div class="wide cross" ref=${box} role="region" aria-label="Crosstable"><table class="crosstable" onKeyDown=${onKey}>
      <caption class="unseen">Points of each bot against each other; arrow keys move, Enter shows the games</caption>
      <thead><tr><td class="corner">of ↓ against →</td>${bots.map((bot, index) => html`<th scope="col" key=${bot.name}>${name(index)}</th>`)}</tr></thead>
      <tbody>${overview.crosstable.map((cells, row) => html`<tr key=${bots[row].name}>
        <th scope="row">${name(row)}</th>
        ${cells.map((cell, column) => html`<${Cell} key=${column} bots=${bots} row=${row} column=${column} cell=${cell}
          isAt=${at[0] === row && at[1] === column} go=${go} />`)}
      </tr>`)}</tbody>
    </table></div>`;
  }

  function Cell({ bots, row, column, cell, isAt, go }) {
    const at = { "data-at": [row, column], tabindex: isAt ? 0 : -1, onFocus: () => go([row, column]) };
    const label = said(bots, row, column, cell);
    if (!cell) return html`<td class="none"><span class="unseen" ...${at}>${row === column ? "itself" : "not met"}</span></td>`;
    const share = cell[0] / cell[1];
    const kind = share > 0.5 ? "won" : share < 0.5 ? "lost" : "";
    return html`<td class=${kind} style=${`--much: ${Math.abs(2 * share - 1).toFixed(2)}`}>
      <a href=${Arena.link("games", { a: bots[row].name, b: bots[column].name })} title=${label} aria-label=${label} ...${at}>${half(cell[0])}</a></td>`;
  }

  // A large crosstable as a picture of some pixels a cell; a line describes the cell in focus.
  function Picture({ overview, bots }) {
    const count = bots.length;
    const size = Math.max(3, Math.min(10, Math.floor(1400 / count)));
    const canvas = useRef();
    const [at, go] = useState([0, 1]);
    const cell = overview.crosstable[at[0]][at[1]];
    useEffect(() => {
      const again = () => paint(canvas.current, overview.crosstable, size);
      again();
      const looks = matchMedia("(prefers-color-scheme: dark)");
      const watch = new MutationObserver(again);
      watch.observe(document.documentElement, { attributeFilter: ["data-theme"] });
      looks.addEventListener("change", again);
      return () => {
        watch.disconnect();
        looks.removeEventListener("change", again);
      };
    }, [overview, size]);
    const under = (event) => {
      const [x, y] = [event.offsetX, event.offsetY].map((place) => Math.floor(place / size));
      return x >= 0 && y >= 0 && x < count && y < count ? [y, x] : null;
    };
    const visit = ([row, column]) => {
      if (overview.crosstable[row][column]) location.hash = Arena.link("games", { a: bots[row].name, b: bots[column].name });
    };
    const onKey = (event) => {
      const next = moved(at, event.key, count);
      if (!next && event.key !== "Enter") return;
      event.preventDefault();
      if (next) go(next);
      else visit(at);
    };
    const look = (event) => under(event) && go(under(event));
    return html`<p class="heat-line" role="status"><bdi>${said(bots, ...at, cell)}</bdi></p>
      <div class="wide cross" tabindex="0" role="application" aria-label="Crosstable: arrow keys move from cell to cell, Enter shows the games" onKeyDown=${onKey}>
        <div class="spot" style=${`left: ${at[1] * size}px; top: ${at[0] * size}px; width: ${size}px; height: ${size}px`} />
        <canvas class="heat" ref=${canvas} width=${count * size} height=${count * size} onMouseMove=${look}
          onClick=${(event) => under(event) && visit(under(event))} /></div>`;
  }

  // Paints a cell for each pairing, in the colours of the page.
  function paint(canvas, table, size) {
    const colours = getComputedStyle(document.documentElement);
    const [win, even, loss] = ["win", "even", "loss"].map((name) => rgb(colours.getPropertyValue(`--arena-${name}`)));
    const picture = canvas.getContext("2d");
    picture.clearRect(0, 0, canvas.width, canvas.height);
    table.forEach((cells, row) => cells.forEach((cell, column) => {
      if (!cell) return;
      const share = cell[0] / cell[1];
      const end = share > 0.5 ? win : loss;
      const much = Math.abs(2 * share - 1);
      picture.fillStyle = `rgb(${even.map((part, place) => Math.round(part + (end[place] - part) * much))})`;
      picture.fillRect(column * size, row * size, size, size);
    }));
  }

  const rgb = (colour) => colour.trim().match(/[0-9a-f]{2}/gi).map((part) => parseInt(part, 16));

  Arena.views.push({
    name: "crosstable", tab: "Crosstable", component: Crosstable,
    shown: (overview) => overview.view === "contest" && Boolean(overview.crosstable),
  });
})();
