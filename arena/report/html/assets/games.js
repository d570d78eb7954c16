// Lists of games as tables, some games at a time: `#/games?a=NAME&b=NAME&opening=3&result=loss…`,
// and the same within a bot's page.
"use strict";

(() => {
  const { html, useEffect, useRef, useState } = htmPreact;
  const PAGE = 50;

  // Props: `overview`; `list`, see lists.js; `change(list)`, called to show another list;
  // `own`: the bot on whose page it stands, if any.
  Arena.gameList = ({ overview: newest, list, change, own = null }) => {
    const key = JSON.stringify(list);
    const [{ overview, rows, done, error }, read] = useRows(newest, list, key);
    const [at, turnTo] = useState(0);
    useEffect(() => turnTo(0), [key]);
    useEffect(() => { if (!done && rows.length < (at + 1) * PAGE) read(); }, [rows, done, at]);
    const shown = rows.slice(at * PAGE, (at + 1) * PAGE);
    const count = rows.length.toLocaleString("en") + (done ? "" : "+");
    const turn = (to) => html`<button type="button" class="secondary outline" onClick=${() => turnTo(to)}>${to < at ? "‹ earlier" : "later ›"}</button>`;
    return html`<section class="games">
      <${Filters} overview=${overview} list=${list} change=${change} own=${own} />
      ${error && html`<p role="alert">Not all games can be read: ${error.message}.</p>`}
      <p role="status">${done && !rows.length ? "No such games." : html`${shown.length
        && html`${at * PAGE + 1} to ${at * PAGE + shown.length} of `}${count} ${rows.length === 1 ? "game" : "games"}`}</p>
      ${shown.length > 0 && html`<div class="wide"><table>
        <thead><tr><th scope="col" class="number">game</th>
          ${list.a ? html`<th scope="col">side</th><th scope="col">opponent</th><th scope="col">result</th>`
            : html`<th scope="col">first</th><th scope="col">second</th><th scope="col">result</th>`}
          <th scope="col">went wrong</th><th scope="col">how</th><th scope="col" class="number">plies</th><th scope="col" class="number">opening</th></tr></thead>
        <tbody>${shown.map((row) => html`<${Row} key=${row.n} overview=${overview} list=${list} row=${row} />`)}</tbody>
      </table></div>`}
      <p class="pages">${at > 0 && turn(at - 1)} ${(!done || rows.length > (at + 1) * PAGE) && turn(at + 1)}</p>
    </section>`;
  };

  // Returns [{overview, rows, done, error}, read]: the rows of a list as far as they are read, the
  // overview in which their bots have places, and a function that reads on until there are more.
  function useRows(overview, list, key) {
    const empty = { overview, rows: [], done: false, error: null, key };
    const [state, setState] = useState(empty);
    const source = useRef(null);
    const read = async () => {
      const from = source.current;
      if (from.busy || from.done) return;
      from.busy = true;
      const wanted = from.rows.length + PAGE;
      try {
        while (!from.done && from.rows.length < wanted) {
          const { value } = await from.portions.next();
          from.done = value?.isLast ?? true;
          from.rows = [...from.rows, ...(value?.rows ?? [])];
        }
      } catch (wrong) {
        Object.assign(from, { done: true, error: wrong });
      }
      from.busy = false;
      if (source.current === from) setState({ ...from });
    };
    useEffect(() => {
      source.current = { ...empty, portions: Arena.lists.portions(overview, list), busy: false };
      read();
    }, [overview, key]);
    return [state.key === key ? state : empty, read];
  }

  function Row({ overview, list, row }) {
    const game = (label, ...ply) => html`<a href=${Arena.link("game", row.n, ...ply, ...(Object.keys(list).length ? [list] : []))}>${label}</a>`;
    const seat = list.a ? (overview.bots[row.seats[0]].name === list.a ? 0 : 1) : null;
    const bot = (at) => html`<${Arena.bot} overview=${overview} index=${row.seats[at]} />`;
    const result = Arena.lists.result(row, seat);
    return html`<tr>
      <th scope="row" class="number">${game(row.n)}</th>
      ${seat === null ? html`<td>${bot(0)}</td><td>${bot(1)}</td><td class="result">${result === "win" ? html`<${Arena.mark} seat=${row.w} /> wins` : result === "draw" ? "draw" : "no game"}</td>`
        : html`<td class="seat"><${Arena.mark} seat=${seat} /> <span>${seat ? "second" : "first"}</span></td><td>${bot(1 - seat)}</td><td class=${`result ${result}`}>${result === "none" ? "no game" : result}</td>`}
      <td>${row.turn !== null ? game(`ply ${row.turn + 1}`, row.turn) : Arena.isFault(row.verdict) && row.w !== null ? game("the fault", row.plies) : ""}</td>
      <td>${Arena.verdicts[row.verdict] ?? row.verdict}</td>
      <td class="number">${row.plies}</td>
      <td class="number">${row.opening}</td>
    </tr>`;
  }

  // The choices above a list.
  function Filters({ overview, list, change, own }) {
    const bots = overview.bots.map((bot) => bot.name);
    const pick = (name, label, options) => html`<label>${label}
      <select value=${list[name] ?? ""} onChange=${(event) => {
        const { [name]: _, ...others } = list;
        change(event.target.value ? { ...others, [name]: event.target.value } : others);
      }}>${options.map(([value, text]) => html`<option value=${value} selected=${value === (list[name] ?? "")}>${text}</option>`)}</select></label>`;
    const others = (except) => [["", "any"], ...bots.filter((name) => name !== except).map((name) => [name, name])];
    return html`<form class="filters" onSubmit=${(event) => event.preventDefault()}>
      ${own === null && pick("a", "Bot", others(list.b))}
      ${(list.a || list.b) && pick("b", "Against", others(list.a))}
      ${list.a && pick("result", "Result", [["", "any"], ["loss", "lost"], ["draw", "drawn"], ["win", "won"]])}
      ${!list.a && pick("result", "Result", [["", "any"], ["draw", "drawn"], ["win", "won"]])}
      ${list.a && pick("side", "Side", [["", "either"], ["first", "first"], ["second", "second"]])}
      ${overview.openings?.length > 1 && pick("opening", "Opening", [["", "any"], ...overview.openings.map(({ number }) => [String(number), String(number)])])}
      ${pick("verdict", "How", [["", "any"], ["fault", "any fault"], ...Object.entries(Arena.verdicts)])}
    </form>`;
  }

  function Games({ overview, query }) {
    const [list, setList] = useState(() => Arena.lists.chosen(query));
    useEffect(() => setList(Arena.lists.chosen(query)), [query]);
    const change = (other) => {
      setList(other);
      history.replaceState(null, "", Object.keys(other).length ? Arena.link("games", other) : Arena.link("games"));
    };
    return html`<h1>${Object.keys(list).length ? html`<${Heading} list=${list} />` : "Games"}</h1>
      <${Arena.gameList} overview=${overview} list=${list} change=${change} />`;
  }

  // A list's title as a heading begins with a capital, as all of them begin with one of a few words.
  function Heading({ list }) {
    return html`<span class="title">${Arena.lists.title(list)}</span>`;
  }

  // A page of a match or a game begins with its games, and with the replay if there is only one.
  function Played({ overview, query }) {
    if (overview.last_game === 1) return html`<${Arena.replay} overview=${overview} rest=${["1", "0"]} query=${query} />`;
    return html`<h1><bdi>${overview.bots[0].name}</bdi> against <bdi>${overview.bots[1].name}</bdi></h1>
      <${Score} overview=${overview} />
      <p class="quiet">${overview.contest.rules_text}; ${overview.contest.limits_text}</p>
      <${Arena.gameList} overview=${overview} list=${{}} change=${(list) => { location.hash = Arena.link("games", list); }} />`;
  }

  // Points of both players.
  function Score({ overview }) {
    const [points, setPoints] = useState(null);
    useEffect(() => {
      (async () => {
        const sums = [0, 0];
        for await (const { rows } of Arena.lists.portions(overview, {})) {
          for (const row of rows.filter((each) => each.isGame)) {
            for (const [seat, index] of row.seats.entries()) sums[index] += row.w === null ? 0.5 : Number(row.w === seat);
          }
        }
        setPoints(sums);
      })();
    }, [overview]);
    return points && html`<p class="score">${points[0]} : ${points[1]}</p>`;
  }

  Arena.views.push({ name: "", tab: "Result", shown: (overview) => overview.view === "games", component: Played });
  Arena.views.push({ name: "games", tab: "Games", shown: () => true, component: Games });
})();
