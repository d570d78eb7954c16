// The page of a bot, `#/bot/NAME`: its results, time and nodes, faults, wrong turns, and games, lost
// ones first. Parameters of the address choose games, see lists.js.
"use strict";

(() => {
  const { html, useEffect, useState } = htmPreact;

  function Bot({ overview, rest, query }) {
    const index = overview.bots.findIndex((bot) => bot.name === rest[0]);
    if (index < 0) return html`<p>There is no bot <bdi>${rest[0]}</bdi> in this report.</p>`;
    if (overview.view !== "contest" && index !== overview.me) {
      const me = overview.bots[overview.me]?.name;
      return html`<h1><bdi>${rest[0]}</bdi></h1>
        <p><a href=${Arena.link("games", { ...(me ? { a: me } : {}), b: rest[0] })}>Games with <bdi>${rest[0]}</bdi></a></p>`;
    }
    return html`<${Page} key=${rest[0]} overview=${overview} index=${index} query=${query} />`;
  }

  function Page({ overview: newest, index: place, query }) {
    // Rows name bots by their place in the overview, so in a live page both change together.
    const [{ overview, index, rows, error }, set] = useState({ overview: newest, index: place, rows: null, error: null });
    const bot = overview.bots[index];
    useEffect(() => {
      const known = { overview: newest, index: place, rows: null, error: null };
      Arena.load(`bot-${place}`).then(
        (found) => set({ ...known, rows: found.map(Arena.lists.fromBot(place)) }),
        (wrong) => set({ ...known, error: wrong }),
      );
    }, [newest]);
    if (bot.refused) return html`<h1><bdi>${bot.name}</bdi></h1><p class="verdict">It does not take part: it ${Arena.plain(bot.refused)}.</p>${bot.grade_why && html`<p>${bot.grade_why}</p>`}`;
    return html`<article class="bot">
      <h1><bdi>${bot.name}</bdi></h1>
      ${bot.retired && html`<p class="turn">${Arena.plain(bot.retired)}</p>`}
      <div class="facts">
        <${Results} overview=${overview} bot=${bot} />
        <${Spending} overview=${overview} bot=${bot} />
        <${Accuracy} overview=${overview} bot=${bot} index=${index} rows=${rows} />
      </div>
      <${Arena.history} overview=${overview} bot=${bot} />
      ${bot.second_tries?.length > 0 && html`<section><h2>Retries</h2>
        <p>Faults with proof that they may not be the bot's own.</p>
        <ul>${bot.second_tries.map((text) => html`<li>${Arena.plain(text)}</li>`)}</ul></section>`}
      ${error && html`<p role="alert">Its games cannot be read: ${error.message}.</p>`}
      ${rows === null ? !error && html`<p aria-busy="true">Reading its games …</p>` : html`
        <${Extremes} overview=${overview} bot=${bot} index=${index} rows=${rows} />
        <${Faults} overview=${overview} bot=${bot} index=${index} rows=${rows} />
        <h2 id="games">Its games</h2>
        <${Own} overview=${overview} bot=${bot} query=${query} />
        <${Arena.saveGames} overview=${overview} index=${index} rows=${rows} />
        <${Tallies} overview=${overview} bot=${bot} index=${index} rows=${rows} />`}
    </article>`;
  }

  // A fact: its name and value; nothing without a value.
  const fact = (name, value) => ![null, undefined, false, ""].includes(value) && html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const whole = (number) => Math.round(number).toLocaleString("en");

  function Results({ overview, bot }) {
    const place = bot.rank_low === bot.rank_high || bot.rank_low === null ? "" : ` (${bot.rank_low} to ${bot.rank_high} are possible)`;
    const playing = overview.contest.playing ?? overview.bots.filter((each) => !each.refused).length;
    return html`<section><h2>Results</h2><dl>
      ${fact("Rank", bot.rank && `${bot.rank} of ${playing}${place}`)}
      ${fact("Points", bot.points !== null && bot.games && `${bot.points} of ${bot.games}, ${Math.round((bot.points / bot.games) * 100)} %`)}
      ${fact("Won, drawn, lost", bot.games && `${bot.wins}, ${bot.draws}, ${bot.losses}`)}
      ${fact("Lost by a fault", bot.games && `${bot.faults ?? 0}`)}
      ${fact("Rating", bot.rating && `${whole(bot.rating)}${bot.rating_low ? `, between ${whole(bot.rating_low)} and ${whole(bot.rating_high)} with 95 % confidence` : ""}`)}
      ${fact("Grade", bot.grade !== null && bot.grade !== undefined && html`<strong>${bot.grade}</strong> ${bot.grade_error}
        ${bot.grade_why && html`<br /><small>${bot.grade_why} ${bot.grade_certainty}</small>`}`)}
      ${fact("Plays like", bot.same_as?.length > 0 && bot.same_as.map((name, at) => html`${at > 0 && ", "}<bdi>${name}</bdi>`))}
      ${fact("Interface", bot.interface)}
      ${fact("Late", bot.late && `handed in late${bot.penalty ? `, penalty ${bot.penalty}` : ""}`)}
    </dl></section>`;
  }

  function Spending({ overview, bot }) {
    const { limits } = overview.contest;
    return html`<section><h2>Time and nodes</h2><dl>
      ${fact("Time for a move", bot.mean_ms !== null && html`<${Meter} mean=${bot.mean_ms} most=${bot.max_ms} limit=${limits && limits.move_seconds * 1000}
        say=${Arena.duration} />${limits?.first_move_seconds > 0 && html`<small>A bot has ${limits.first_move_seconds} s more for its first move.</small>`}`)}
      ${fact("Nodes for a move", bot.mean_nodes === null || bot.mean_nodes === undefined ? "not counted" : html`<${Meter} mean=${bot.mean_nodes} most=${bot.max_nodes} limit=${bot.budget}
        say=${whole} />`)}
    </dl></section>`;
  }

  // Mean and maximum of time or nodes, against a limit if there is one.
  function Meter({ mean, most, limit, say }) {
    const share = (value) => `${Math.min((value / limit) * 100, 100)}%`;
    return html`mean ${say(mean)}${most !== null && most !== undefined && `, most ${say(most)}`}${limit ? ` of ${say(limit)}` : ", no limit"}
      ${limit && html`<span class="meter" aria-hidden="true"><span style=${`width: ${share(most ?? mean)}`}></span><span class="mean" style=${`width: ${share(mean)}`}></span></span>`}`;
  }

  function Accuracy({ overview, bot, index, rows }) {
    const lost = (rows ?? []).filter((row) => Arena.lists.result(row, row.seats.indexOf(index)) === "loss");
    const turns = lost.filter((row) => row.turn !== null);
    if (bot.accuracy === null || bot.accuracy === undefined) {
      return html`<section><h2>Its moves</h2><p class="quiet">${overview.analysed ? "None of its moves could be judged."
        : html`Their worth is unknown.${overview.contest.command && html` This computes it, ${Arena.beside(overview.contest)}:${" "}
          <code>arena analyse ${Arena.quoted(overview.contest.name)}</code>`}`}</p></section>`;
    }
    return html`<section><h2>Its moves</h2><dl>
      ${fact("Accuracy", `${(bot.accuracy * 100).toFixed(1)} % of the moves that mattered were no blunders`)}
      ${fact("Blunders", bot.blunders)}
      ${fact("Lost games with a wrong turn", rows && `${turns.length} of ${lost.length}`)}
    </dl>${turns.length > 0 && html`<${Turns} overview=${overview} turns=${turns} />`}</section>`;
  }

  // Its win against the strongest opponent and its loss against the weakest, of games without a
  // fault if there are any. Bots are in the order of their ranks. Only an instructor's report knows these.
  function Extremes({ overview, bot, index, rows }) {
    if (overview.view !== "contest") return null;
    const opponent = (row) => row.seats[1 - row.seats.indexOf(index)];
    const first = (result, sign) => rows.filter((row) => Arena.lists.result(row, row.seats.indexOf(index)) === result && overview.bots[opponent(row)].rank !== bot.rank)
      .sort((one, other) => Arena.isFault(one.verdict) - Arena.isFault(other.verdict) || sign * (opponent(one) - opponent(other)))[0];
    const [win, loss] = [first("win", 1), first("loss", -1)];
    const list = (result) => ({ a: bot.name, result });
    const game = (row, result, ply, label) => html`<a href=${Arena.link("game", row.n, ...ply, list(result))}>${label}</a>`;
    const against = (row) => html`against <${Arena.bot} overview=${overview} index=${opponent(row)} />, rank ${overview.bots[opponent(row)].rank}`;
    const move = (row) => (row.turn !== null ? html`; ${game(row, "loss", [row.turn], `the move at ply ${row.turn + 1} lost it`)}`
      : Arena.isFault(row.verdict) ? html`; ${game(row, "loss", [row.plies], "lost by a fault")}`
        : !overview.analysed && "; which move lost it is known after an analysis");
    return html`<section class="extremes"><h2>Best and worst</h2><dl>
      ${fact("Best win", win && html`${game(win, "win", [], `game ${win.n}`)} ${against(win)}`)}
      ${fact("Worst loss", loss && html`${game(loss, "loss", [], `game ${loss.n}`)} ${against(loss)}${move(loss)}`)}
    </dl>${!win && !loss && html`<p class="quiet">It won and lost no game.</p>`}</section>`;
  }

  // Bars: games by the ply of the wrong turn.
  function Turns({ overview, turns }) {
    const { rows, columns } = overview.contest.rules;
    const step = Math.max(1, Math.ceil((rows * columns) / 14));
    const counts = Array.from({ length: Math.ceil((rows * columns) / step) }, () => 0);
    for (const { turn } of turns) counts[Math.floor(turn / step)] += 1;
    const from = counts.findIndex(Boolean);
    const to = counts.findLastIndex(Boolean);
    const most = Math.max(...counts);
    const shown = counts.slice(from, to + 1).map((count, at) => ({ count, first: (from + at) * step + 1 }));
    const plies = ({ first }) => (step === 1 ? `${first}` : `${first}–${first + step - 1}`);
    return html`<table class="bars"><caption>The wrong turns of its lost games, by ply</caption><tbody>
      ${shown.map((bin) => html`<tr><th scope="row">${plies(bin)}</th><td><span style=${`width: ${(bin.count / most) * 85}%`}></span> ${bin.count}</td></tr>`)}
    </tbody></table>`;
  }

  // Games it lost by a fault, with the reason and a link to where it happened.
  function Faults({ overview, bot, index, rows }) {
    const FEW = 10;
    const faults = rows.filter((row) => Arena.isFault(row.verdict) && row.w !== null && row.seats[row.w] !== index);
    const [found, setFound] = useState(null);
    const [limit, setLimit] = useState(FEW);
    useEffect(() => { read(); }, [rows, limit]);
    // Unplayed forfeits are counted once, above: a retired bot may have thousands.
    async function read() {
      const played = [];
      for (const row of faults.slice(0, 20 * limit)) {
        const game = await Arena.game(overview, row.n).catch(() => undefined);
        if (game && game.forfeit === null) played.push({ game, row });
        if (played.length === limit) break;
      }
      setFound(played);
    }
    if (!faults.length) return null;
    const kinds = new Map();
    for (const { verdict } of faults) kinds.set(verdict, (kinds.get(verdict) ?? 0) + 1);
    const list = { a: bot.name, result: "loss", verdict: "fault" };
    return html`<section class="faults"><h2>Faults</h2>
      <p>${Arena.counted(faults.length, "game")} lost by a fault: ${[...kinds].map(([verdict, count], at) => html`${at > 0 && ", "}${Arena.verdicts[verdict] ?? verdict} <a
        href=${Arena.link("games", { ...list, verdict })}>${count}</a>`)}.</p>
      ${found === null ? html`<p aria-busy="true">Reading the reasons …</p>` : html`<ul>${found.map(({ game, row }) => html`<li key=${game.n}>
        <a href=${Arena.link("game", game.n, game.m.length, list)}>Game ${game.n}</a>, against <${Arena.bot} overview=${overview} index=${row.seats[row.w]} />: ${Arena.plain(game.r)}</li>`)}</ul>
        ${found.length === limit && html`<p><button type="button" class="secondary outline" onClick=${() => setLimit(limit + FEW)}>more faults</button></p>`}`}
    </section>`;
  }

  // Its games, the lost ones unless the address asks for others.
  function Own({ overview, bot, query }) {
    const asked = () => {
      const list = { ...Arena.lists.chosen(query), a: bot.name };
      return query.get("result") || !bot.losses ? list : { ...list, result: "loss" };
    };
    const [list, setList] = useState(asked);
    useEffect(() => setList(asked()), [query]);
    const change = (other) => {
      setList(other);
      const { a, ...rest } = { result: "any", ...other };
      history.replaceState(null, "", Arena.link("bot", bot.name, rest));
    };
    return html`<${Arena.gameList} overview=${overview} list=${list} change=${change} own=${bot.name} />`;
  }

  // Wins, draws and losses by side, opponent, and the openings that the bot met most often: most
  // pairings have openings of their own.
  function Tallies({ overview, bot, index, rows }) {
    const of = (key) => {
      const sums = new Map();
      for (const row of rows) {
        const at = key(row);
        if (!sums.has(at)) sums.set(at, { win: 0, draw: 0, loss: 0, none: 0 });
        sums.get(at)[Arena.lists.result(row, row.seats.indexOf(index))] += 1;
      }
      return [...sums].sort(([one], [other]) => one - other);
    };
    const games = ({ win, draw, loss, none }) => win + draw + loss + none;
    const common = (sums) => {
      const most = Math.max(...sums.map(([, sum]) => games(sum)));
      return sums.filter(([, sum]) => games(sum) > most / 2);
    };
    const table = (title, sums, label, list) => html`<table class="tally"><caption>${title}</caption>
      <thead><tr><th scope="col">${title}</th><th scope="col" class="number">won</th><th scope="col" class="number">drawn</th><th scope="col" class="number">lost</th><th scope="col"></th></tr></thead>
      <tbody>${sums.map(([at, sum]) => html`<tr key=${at}><th scope="row"><a href=${Arena.link("games", { a: bot.name, ...list(at) })}>${label(at)}</a></th>
        <td class="number">${sum.win}</td><td class="number">${sum.draw}</td><td class="number">${sum.loss}</td><td><${Shares} sum=${sum} /></td></tr>`)}</tbody></table>`;
    return html`<section><h2>By side, opponent and opening</h2><div class="tallies">
      ${table("side", of((row) => row.seats.indexOf(index)), (seat) => html`<${Arena.mark} seat=${seat} /> ${seat ? "second" : "first"}`, (seat) => ({ side: seat ? "second" : "first" }))}
      ${table(overview.view === "contest" ? "opponent, the strongest first" : "opponent", of((row) => row.seats[1 - row.seats.indexOf(index)]), (other) => html`${overview.bots[other].rank} <bdi>${overview.bots[other].name}</bdi>`, (other) => ({ b: overview.bots[other].name }))}
      ${table("opening", common(of((row) => row.opening)), (number) => number, (number) => ({ opening: number }))}
    </div></section>`;
  }

  // Shares of wins, draws and losses as one bar.
  function Shares({ sum }) {
    const all = sum.win + sum.draw + sum.loss || 1;
    return html`<span class="shares" aria-hidden="true">${["win", "draw", "loss"].map((kind) => html`<span class=${kind} style=${`width: ${(sum[kind] / all) * 100}%`}></span>`)}</span>`;
  }

  Arena.views.push({ name: "bot", shown: (overview) => overview.view !== "games", component: Bot });
})();
