// The leaderboard: a row for each bot, to be sorted and filtered.
"use strict";

(() => {
  const { html, useLayoutEffect, useMemo, useRef, useState } = htmPreact;

  const number = (digits = 0) => (value) =>
    value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const percent = (digits) => (value) => `${(value * 100).toFixed(digits)} %`;

  // The columns: `key` of a bot's entry, or `of`, a function of it; `text`, from the value to what is
  // shown; `falls`: sorted by it, the largest comes first; `always`: cannot be left out; `even`: all
  // values have a decimal if one needs it.
  const COLUMNS = [
    { key: "rank", title: "#", hint: "Rank; bots that are level share it", text: String, always: true },
    { key: "name", title: "bot", always: true },
    { key: "grade", title: "grade", hint: "± the 95 % interval, with other openings", falls: true, text: Arena.decimal, even: true, always: true },
    { key: "interval", title: "rating with 95 % interval", of: (bot) => bot.rating, falls: true, draw: true, always: true },
    { key: "points", title: "points", falls: true, text: Arena.decimal, always: true },
    { key: "rating", title: "rating", hint: "Elo points", falls: true, text: Arena.rounded },
    { key: "ranks", title: "likely rank", hint: "From the best to the worst likely rank", of: (bot) => bot.rank_low, draw: true },
    { key: "games", title: "games", falls: true, text: number() },
    { key: "wins", title: "won", falls: true, text: number() },
    { key: "draws", title: "drawn", falls: true, text: number() },
    { key: "losses", title: "lost", falls: true, text: number() },
    { key: "faults", title: "faults", hint: "Games lost by a fault, and which", falls: true, text: number() },
    { key: "superiority", title: "over next", hint: "Likelihood that the bot is better than the next one in the table", falls: true, text: percent(0) },
    { key: "accuracy", title: "accuracy", hint: "Share of the moves that matter that were no blunders", falls: true, text: percent(0) },
    { key: "blunders", title: "blunders", falls: true, text: number() },
    { key: "mean_nodes", title: "nodes/move", falls: true, text: number() },
    { key: "mean_ms", title: "ms/move", falls: true, text: number(1) },
    { key: "max_ms", title: "slowest ms", falls: true, text: number(1) },
  ];
  const KEY = "arena-columns"; // of the columns that a reader chose

  const valueOf = (column, bot) => (column.of ?? ((entry) => entry[column.key]))(bot);

  // True if some bot has a value; of the column of games, if their numbers differ.
  function isUseful(column, bots) {
    const values = new Set(bots.map((bot) => valueOf(column, bot)));
    return column.key === "games" ? values.size > 1 : [...values].some((value) => value !== null);
  }

  function Leaderboard({ overview }) {
    const ranked = useMemo(() => overview.bots.filter((bot) => bot.rank !== null), [overview]);
    const useful = useMemo(() => COLUMNS.filter((column) => isUseful(column, ranked)).map((column) =>
      (column.even ? { ...column, text: number(ranked.some((bot) => valueOf(column, bot) % 1) ? 1 : 0) } : column)), [ranked]);
    const scales = useMemo(() => scalesOf(ranked, overview.contest.boundaries), [overview, ranked]);
    const [chosen, choose] = useState(() => new Set((Arena.stored(KEY) ?? "").split(" ")));
    const [by, sortBy] = useState({ key: "rank", up: true });
    const [wanted, want] = useState("");
    const [house, showHouse] = useState(true);
    const [open, toggle] = useToggled(new Set());
    const columns = useful.filter((column) => column.always || chosen.has(column.key));
    const [box, isCards] = useCards(columns);
    const order = useful.find((column) => column.key === by.key) ?? useful[0];
    const rows = found(ranked, order, by.up, wanted, house);
    const inOrder = by.key === "rank" && by.up && rows.length === ranked.length;
    const sort = (column) => sortBy({ key: column.key, up: by.key === column.key ? !by.up : !column.falls });
    const pick = (key) => {
      const next = toggled(chosen, key);
      choose(next);
      Arena.store(KEY, [...next].join(" "));
    };
    return html`
      <h1>Leaderboard</h1>
      <${Arena.headline} overview=${overview} />
      <div class="controls-line">
        <label>Find <input type="search" value=${wanted} placeholder="a bot" onInput=${(event) => want(event.target.value)} /></label>
        ${ranked.some((bot) => bot.house) && html`<label><input type="checkbox" role="switch" checked=${house}
          onChange=${(event) => showHouse(event.target.checked)} /> house players</label>`}
        ${isCards && html`<label>Order <select onChange=${(event) => sort(useful.find((column) => column.key === event.target.value))}>
          ${useful.filter((column) => !column.draw).map((column) => html`<option value=${column.key} selected=${column.key === by.key}>${nameOf(column)}</option>`)}
        </select></label>`}
        <details class="choice"><summary>Columns</summary><fieldset><legend class="unseen">Further columns</legend>
          ${useful.filter((column) => !column.always).map((column) => html`<label key=${column.key} title=${column.hint}>
            <input type="checkbox" checked=${chosen.has(column.key)} onChange=${() => pick(column.key)} /> ${column.title}</label>`)}
        </fieldset></details>
        <span role="status" class="quiet">${rows.length < ranked.length ? `${rows.length} of ${Arena.counted(ranked.length, "bot")}` : ""}</span>
      </div>
      <div class=${`standings ${isCards ? "cards" : ""}`} ref=${box}
        style=${Object.entries(scales).map(([key, scale]) => `--grid-${key}: ${Arena.grid(scale)}`).join(";")}>
      ${isCards && scales.interval && html`<div class="axis-line"><${Arena.axis} scale=${scales.interval} label="Rating with 95 % interval" /></div>`}
      <table class=${`leaderboard ${inOrder ? "in-order" : ""}`} role="table">
        <caption class="unseen">Leaderboard; the columns can be sorted by the buttons in their heads</caption>
        <thead role="rowgroup"><tr role="row">
          ${columns.map((column) => html`<${Head} key=${column.key} column=${column} by=${by} sort=${sort} scale=${scales[column.key]} />`)}
        </tr></thead>
        <tbody role="rowgroup">${rows.map((bot) => html`<${Row} key=${bot.name} overview=${overview} bot=${bot} columns=${columns} useful=${useful}
          scales=${scales} isOpen=${open.has(bot.name)} toggle=${toggle} />`)}</tbody>
      </table></div>
      <${Below} overview=${overview} />`;
  }

  const nameOf = (column) => (column.title === "#" ? "rank" : column.title);

  function toggled(set, value) {
    const next = new Set(set);
    if (!next.delete(value)) next.add(value);
    return next;
  }

  function useToggled(first) {
    const [set, setSet] = useState(first);
    return [set, (value) => setSet(toggled(set, value))];
  }

  // Returns a reference for the box of the table, and if the table has no room in it: then each bot
  // is a card, so that nothing scrolls sideways.
  function useCards(columns) {
    const box = useRef();
    const needs = useRef(0); // pixels of the table
    const [isCards, show] = useState(false);
    const keys = columns.map((column) => column.key).join();
    const look = () => {
      const table = box.current.querySelector("table");
      if (getComputedStyle(table).display === "table") needs.current = Math.max(needs.current, table.offsetWidth > box.current.clientWidth ? table.offsetWidth : 0);
      show(box.current.clientWidth < needs.current);
    };
    useLayoutEffect(() => {
      needs.current = 0;
      show(false);
      const watch = new ResizeObserver(look);
      watch.observe(box.current);
      return () => watch.disconnect();
    }, [keys]);
    useLayoutEffect(look);
    return [box, isCards];
  }

  // Returns the filtered bots in the chosen order; those without a value come last.
  function found(bots, column, up, wanted, house) {
    const word = wanted.trim().toLocaleLowerCase();
    const shown = bots.filter((bot) => (house || !bot.house) && bot.name.toLocaleLowerCase().includes(word));
    const order = (one, other) => {
      const [a, b] = [valueOf(column, one), valueOf(column, other)];
      if (a === null || b === null) return (a === null) - (b === null);
      const before = typeof a === "string" ? a.localeCompare(b) : a - b;
      return up ? before : -before;
    };
    return shown.sort(order);
  }

  // False for a bot that never loaded or lost nearly every game by a fault: its rating says nothing.
  Arena.hasPlayed = (bot) => bot.rating !== null && bot.faults < 0.9 * bot.games;

  // Returns the scales of ranks and ratings. A bot that won or lost everything has an interval so
  // wide that the others would have no room: it is cut off, as are bots that never played.
  function scalesOf(bots, boundaries) {
    const rated = bots.some(Arena.hasPlayed) ? bots.filter(Arena.hasPlayed) : bots.filter((bot) => bot.rating !== null);
    if (!rated.length) return {};
    const ratings = rated.map((bot) => bot.rating);
    const widths = rated.map((bot) => (bot.rating_high - bot.rating_low) / 2).sort((one, other) => one - other);
    const [least, most] = [Math.min(...ratings), Math.max(...ratings)];
    const room = Math.min(widths.at(-1), Math.max(widths[Math.floor(widths.length / 2)] * 1.2, (most - least) / 20));
    return { ranks: Arena.scale(1, Math.max(bots.length, 2), { whole: true, width: 88 }), interval: { ...Arena.scale(least - room, most + room), boundaries } };
  }

  function Head({ column, by, sort, scale }) {
    const is = by.key === column.key;
    return html`<th role="columnheader" scope="col" class=${`of-${column.key} ${column.text ? "number" : ""}`}
        aria-sort=${is ? (by.up ? "ascending" : "descending") : null}>
      <button type="button" class="sort" title=${column.hint} onClick=${() => sort(column)}>${column.title}<span class="sign" aria-hidden="true">${is ? (by.up ? "▲" : "▼") : ""}</span></button>
      ${scale && html`<${Arena.axis} scale=${scale} label=${column.title} />`}
    </th>`;
  }

  function Row({ overview, bot, columns, useful, scales, isOpen, toggle }) {
    const more = `more-${bot.rank}-${overview.bots.indexOf(bot)}`;
    const settled = bot.superiority === null || Arena.isSettled(bot.superiority);
    return html`
      <tr role="row" class=${[bot.house && "house", !settled && "open-order", isOpen && "opened"].filter(Boolean).join(" ")}>
        ${columns.map((column) => html`<${Cell} key=${column.key} overview=${overview} bot=${bot} column=${column} scale=${scales[column.key]}
          toggle=${() => toggle(bot.name)} isOpen=${isOpen} more=${more} />`)}
      </tr>
      ${isOpen && html`<tr role="row" class="more" id=${more}><td role="cell" colspan=${columns.length}><${More} bot=${bot} columns=${useful} /></td></tr>`}`;
  }

  function Cell({ overview, bot, column, scale, toggle, isOpen, more }) {
    const value = valueOf(column, bot);
    const label = nameOf(column);
    switch (column.key) {
      case "name":
        return html`<th role="rowheader" scope="row" class="of-name">
          <button type="button" class="toggle" aria-expanded=${isOpen} aria-controls=${isOpen ? more : null} aria-label=${`More about ${bot.name}`} onClick=${toggle}>${isOpen ? "▾" : "▸"}</button>
          <span class="name" title=${bot.name}><${Arena.bot} overview=${overview} index=${overview.bots.indexOf(bot)} /></span>
          <${Marks} bot=${bot} />
        </th>`;
      case "ranks":
        return html`<td role="cell" class="picture of-ranks">${value !== null && html`<${Arena.interval} scale=${scale} value=${bot.rank} low=${bot.rank_low} high=${bot.rank_high}
          label=${bot.rank_low === bot.rank_high ? `rank ${bot.rank_low}` : `rank ${bot.rank_low} to ${bot.rank_high}`} />`}</td>`;
      case "interval":
        return html`<td role="cell" class="picture of-interval">${value !== null && html`<${Arena.interval} scale=${scale} value=${value} low=${bot.rating_low} high=${bot.rating_high}
          label=${`rating ${Arena.rounded(value)}, 95 % interval ${Arena.rounded(bot.rating_low)} to ${Arena.rounded(bot.rating_high)}`} />`}</td>`;
      case "faults":
        return html`<td role="cell" data-label=${label} class=${`number of-faults ${bot.faults ? "" : "without"}`}><${Faults} bot=${bot} /></td>`;
      case "grade":
        return html`<td role="cell" data-label=${label} class="number of-grade" title=${bot.grade_why}>${value !== null && html`<strong>${column.text(value)}</strong> ${bot.grade_error}`}</td>`;
      case "superiority":
        return html`<td role="cell" data-label=${label} class="number">${value !== null && html`<span class=${Arena.isSettled(value) ? "" : "unsettled"}>${column.text(value)}</span>`}</td>`;
      default:
        return html`<td role="cell" data-label=${label} class=${`number of-${column.key}`}>${value === null ? "" : column.text(value)}</td>`;
    }
  }

  // Marks of special bots.
  function Marks({ bot }) {
    return html`<span class="marks">
      ${bot.house && html`<span class="tag">house</span>`}
      ${bot.same_as.length > 0 && html`<span class="tag" title=${`the same as ${bot.same_as.join(", ")}`}>same as ${Arena.counted(bot.same_as.length, "other")}</span>`}
      ${bot.late && html`<span class="tag">late</span>`}
      ${bot.retired && html`<span class="tag bad" title=${`${bot.name} ${bot.retired}`}>retired</span>`}
    </span>`;
  }

  function Faults({ bot }) {
    if (!bot.faults) return html`<span class="quiet">0</span>`;
    const kinds = Object.entries(bot.faults_by).map(([verdict, count]) => `${verdict} ${count}`);
    return html`<span class="count">${bot.faults.toLocaleString("en")}</span><small>${kinds.join(", ")}</small>`;
  }

  // All facts about a bot.
  function More({ bot, columns }) {
    const sentences = [
      bot.grade_why,
      bot.grade_certainty,
      bot.same_as.length > 0 && html`The same as <bdi>${bot.same_as.join(", ")}</bdi>: they share rank, rating and grade.`,
      bot.late && (bot.penalty ? `Handed in late: ${bot.penalty} taken off the grade.` : "Handed in late."),
      bot.retired && html`<span class="bad"><bdi>${bot.name}</bdi> ${bot.retired}.</span>`,
      bot.remark && `It ${bot.remark}.`,
    ].filter(Boolean);
    const facts = columns.filter((column) => column.text && !["rank", "grade"].includes(column.key) && valueOf(column, bot) !== null);
    return html`<div class="more-box">
      <h2><bdi>${bot.name}</bdi></h2>
      ${sentences.map((sentence) => html`<p>${sentence}</p>`)}
      <dl>${facts.map((column) => html`<div key=${column.key}><dt>${column.title}</dt><dd>${column.text(valueOf(column, bot))}</dd></div>`)}
        <div><dt>interface</dt><dd>${bot.interface}</dd></div></dl>
    </div>`;
  }

  // Notes on the table.
  function Below({ overview }) {
    return html`<ul class="plain-list notes">
      ${overview.contest.boundaries?.length > 0 && html`<li>A dashed upright line beside the ratings: where a grade begins.</li>`}
      <li>A point with a line is a rating with its 95 % interval. A dashed line between two bots: which of them is better is not settled.</li>
      ${overview.contest.notes.map((note) => html`<li>${note}</li>`)}
    </ul>`;
  }

  Arena.views.push({ name: "", tab: "Leaderboard", shown: (overview) => overview.view === "contest", component: Leaderboard });
})();
