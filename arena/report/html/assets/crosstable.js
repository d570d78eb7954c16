// The crosstable: points of each bot (row) against each other (column). A cell leads to the games of
// its pairing; arrow keys move from cell to cell. A table too large for the window shows a part of
// it, beside a map of the whole on which the part is chosen.
"use strict";

(() => {
  const { html, useEffect, useLayoutEffect, useMemo, useRef, useState } = htmPreact;
  const HEAD = 11.2; // a row's name, at most, in rem
  const ZOOM = { far: 0.7, near: 1.75, nearest: 3 }; // width of a cell, in rem
  const within = (value, low, high) => Math.min(Math.max(value, low), high);

  function Crosstable({ overview, isPaper }) {
    const [box, width] = Arena.useWidth();
    const [order, sort] = useState("rank");
    const [picked, setZoom] = useState(null);
    const [wanted, want] = useState("");
    const [{ at, from }, move] = useState({ at: [0, 1], from: [0, 0] }); // places in the order: a cell, and the part's first
    const count = overview.crosstable.length;
    const likeness = useMemo(() => (order === "rank" ? null : byLikeness(overview.crosstable)), [overview, order]);
    const indices = likeness ?? [...Array(count).keys()];
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const cells = (wide, each) => Math.max(Math.floor((wide / rem - Math.min(HEAD, (0.36 * wide) / rem)) / ZOOM[each]), 2);
    const zoom = picked ?? (isPaper && cells(width, "near") < count ? "far" : "near");
    const room = (wide) => cells(wide, zoom);
    const isWhole = count <= room(width);
    const beside = width > 60 * rem; // the map stands beside the table
    const size = isWhole ? count : Math.min(room(beside ? width * 0.6 : width), count);
    const go = (to, inMiddle = false) => move({ at: to, from: from.map((first, axis) => (inMiddle ? to[axis] - (size >> 1) : within(first, to[axis] - size + 1, to[axis]))) });
    const [rows, columns] = from.map((first) => slice(indices, within(first, 0, count - size), size));
    const find = (text) => {
      want(text);
      const word = text.trim().toLocaleLowerCase();
      const place = word ? indices.findIndex((index) => overview.bots[index].name.toLocaleLowerCase().includes(word)) : -1;
      if (place >= 0) go([place, place], true);
    };
    const props = { overview, indices, part: { rows, columns }, at, go, isWhole, zoom };
    return html`<h1>Crosstable</h1>
      <p class="facts quiet">Points of the bot in the row against the bot of the column; a cell leads to their games. The numbers before names are ranks.</p>
      <div class="controls-line">
        <label>Find <input type="search" value=${wanted} placeholder="a bot" onInput=${(event) => find(event.target.value)} /></label>
        <label>Order <select onChange=${(event) => sort(event.target.value)}><option value="rank">by rank</option><option value="likeness">by likeness of results</option></select></label>
        <label>Zoom <select onChange=${(event) => setZoom(event.target.value)}>${Object.keys(ZOOM).map((each) => html`<option value=${each} selected=${each === zoom}>${each}</option>`)}</select></label>
        <span class="heat-key" style="--much: 1"><span class="won">all won</span><span>even</span><span class="lost">all lost</span></span>
      </div>
      <div class=${beside ? "cross beside" : "cross"} ref=${box}>
        ${!isWhole && html`<${Picture} ...${props} />`}
        <${Table} ...${props} wanted=${wanted.trim() ? indices[at[0]] : null} />
      </div>`;
  }

  const slice = (list, from, size) => list.slice(from, from + size);

  // Returns the bots in an order in which those with like results are near each other: clusters are
  // joined by their mean distance (average linkage), each turned so that the likest ends meet.
  function byLikeness(table) {
    const share = table.map((cells) => cells.map((cell) => (cell ? cell[0] / cell[1] : null)));
    const apart = share.map((one, a) => share.map((other, b) => {
      let [sum, met] = [0, 0];
      one.forEach((value, opponent) => {
        if (value === null || other[opponent] === null || opponent === a || opponent === b) return;
        sum += Math.abs(value - other[opponent]);
        met += 1;
      });
      return met ? sum / met : 1;
    }));
    let clusters = table.map((_, bot) => ({ bots: [bot], far: [...apart[bot]] }));
    while (clusters.length > 1) {
      let [one, other, least] = [0, 1, Infinity];
      for (let a = 0; a < clusters.length; a += 1) {
        for (let b = a + 1; b < clusters.length; b += 1) {
          const distance = clusters[a].far[clusters[b].bots[0]];
          if (distance < least) [one, other, least] = [a, b, distance];
        }
      }
      const [left, right] = [clusters[one], clusters[other]];
      const turns = [left.bots, [...left.bots].reverse()].flatMap((first) => [right.bots, [...right.bots].reverse()].map((second) => [first, second]));
      const [first, second] = turns.reduce((best, turn) => (gap(apart, turn) < gap(apart, best) ? turn : best));
      const [m, n] = [left.bots.length, right.bots.length];
      const joined = { bots: [...first, ...second], far: left.far.map((far, bot) => (far * m + right.far[bot] * n) / (m + n)) };
      clusters = [...clusters.filter((_, place) => place !== one && place !== other), joined];
      for (const cluster of clusters) { // all bots of a cluster are as far from it
        const mean = joined.bots.reduce((sum, bot) => sum + cluster.far[bot], 0) / joined.bots.length;
        for (const bot of joined.bots) cluster.far[bot] = mean;
      }
    }
    return clusters[0].bots;
  }

  const gap = (apart, [first, second]) => apart[first.at(-1)][second[0]];

  // A cell in words.
  function inWords(bots, row, column, cell) {
    if (row === column) return bots[row].name;
    if (!cell) return `${bots[row].name} and ${bots[column].name} did not meet`;
    return `${bots[row].name}: ${Arena.decimal(cell[0])} of ${cell[1]} against ${bots[column].name}`;
  }

  const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -Infinity], End: [0, Infinity] };

  function Table({ overview, indices, part, at, go, isWhole, zoom, wanted }) {
    const { bots, crosstable } = overview;
    const box = useRef();
    const moved = useRef(false); // by a key: then the cell gets the focus
    useLayoutEffect(() => {
      if (!moved.current) return;
      moved.current = false;
      const cell = box.current.querySelector("[tabindex='0']");
      cell?.focus({ preventScroll: true });
      cell?.scrollIntoView({ block: "nearest" });
    }, [at]);
    const onKey = (event) => {
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      moved.current = true;
      go(at.map((place, axis) => within(place + step[axis], 0, indices.length - 1)));
    };
    const name = (index) => html`<span class="name" title=${bots[index].name}><span class="place">${bots[index].rank}</span><bdi>${bots[index].name}</bdi></span>`;
    const heads = (index) => (index === wanted ? "wanted" : null);
    return html`<table class=${`crosstable ${zoom}`} ref=${box} style=${`--cell: ${ZOOM[zoom]}rem`} onKeyDown=${onKey}>
      <caption class=${isWhole ? "unseen" : ""}>${isWhole ? "Points of each bot against each other; arrow keys move, Enter shows the games"
        : `${part.rows.length} of ${indices.length} rows and columns; arrow keys and a click on the map move on`}</caption>
      <thead><tr><td class="corner">of ↓ against →</td>${part.columns.map((index) => html`<th scope="col" key=${index} class=${heads(index)}>${name(index)}</th>`)}</tr></thead>
      <tbody>${part.rows.map((row) => html`<tr key=${row}>
        <th scope="row" class=${heads(row)}>${name(row)}</th>
        ${part.columns.map((column) => html`<${Cell} key=${column} bots=${bots} row=${row} column=${column} cell=${crosstable[row][column]}
          isAt=${indices[at[0]] === row && indices[at[1]] === column} go=${() => go([indices.indexOf(row), indices.indexOf(column)])} />`)}
      </tr>`)}</tbody>
    </table>`;
  }

  function Cell({ bots, row, column, cell, isAt, go }) {
    const at = { tabindex: isAt ? 0 : -1, onFocus: go };
    if (!cell) return html`<td class="none"><span class="unseen" ...${at}>${row === column ? "itself" : "not met"}</span></td>`;
    const share = cell[0] / cell[1];
    const kind = share > 0.5 ? "won" : share < 0.5 ? "lost" : "";
    const label = inWords(bots, row, column, cell);
    return html`<td class=${kind} style=${`--much: ${Math.abs(2 * share - 1).toFixed(2)}`}>
      <a href=${Arena.link("games", { a: bots[row].name, b: bots[column].name })} title=${label} aria-label=${label} ...${at}><span>${Arena.decimal(cell[0])}</span></a></td>`;
  }

  // The map: a pixel for each pairing, and a frame around the part in the table.
  function Picture({ overview, indices, part, go }) {
    const count = indices.length;
    const canvas = useRef();
    useEffect(() => {
      const again = () => paint(canvas.current, overview.crosstable, indices);
      again();
      const looks = matchMedia("(prefers-color-scheme: dark)");
      const watch = new MutationObserver(again);
      watch.observe(document.documentElement, { attributeFilter: ["data-theme"] });
      looks.addEventListener("change", again);
      return () => {
        watch.disconnect();
        looks.removeEventListener("change", again);
      };
    }, [overview, indices]);
    const click = ({ offsetX, offsetY, target }) =>
      go([offsetY / target.clientHeight, offsetX / target.clientWidth].map((share) => within(Math.floor(share * count), 0, count - 1)), true);
    const share = (bots) => `${(100 * indices.indexOf(bots[0])) / count}%`;
    const long = `${(100 * part.rows.length) / count}%`;
    return html`<div class="map"><canvas class="heat" ref=${canvas} width=${count} height=${count} onClick=${click}
        role="img" aria-label=${`Map of all ${count} rows and columns; the table shows a part of it`} />
      <div class="spot" style=${`left: ${share(part.columns)}; top: ${share(part.rows)}; width: ${long}; height: ${long}`} /></div>`;
  }

  // Paints a pixel for each pairing, in the colours of the page.
  function paint(canvas, table, indices) {
    const colours = getComputedStyle(document.documentElement);
    const [win, even, loss] = ["win", "even", "loss"].map((name) => rgb(colours.getPropertyValue(`--arena-${name}`)));
    const picture = canvas.getContext("2d");
    const image = picture.createImageData(canvas.width, canvas.height);
    indices.forEach((row, y) => indices.forEach((column, x) => {
      const cell = table[row][column];
      if (!cell) return;
      const share = cell[0] / cell[1];
      const end = share > 0.5 ? win : loss;
      const much = Math.abs(2 * share - 1);
      const at = 4 * (y * canvas.width + x);
      for (let part = 0; part < 3; part += 1) image.data[at + part] = even[part] + (end[part] - even[part]) * much;
      image.data[at + 3] = 255;
    }));
    picture.putImageData(image, 0, 0);
  }

  const rgb = (colour) => colour.trim().match(/[0-9a-f]{2}/gi).map((part) => parseInt(part, 16));

  Arena.views.push({
    name: "crosstable", tab: "Crosstable", component: Crosstable,
    shown: (overview) => overview.view === "contest" && Boolean(overview.crosstable),
  });
})();
