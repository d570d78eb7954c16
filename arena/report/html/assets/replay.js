// The replay of a game: `#/game/12` shows game 12 at its end, `#/game/12/17` after 17 discs. With
// `try=3,3` these columns were tried from there on. Other parameters name the list of games that
// one has come from, see lists.js.
"use strict";

(() => {
  const { html, useEffect, useRef, useState } = htmPreact;
  const SPEEDS = [0.5, 1, 2, 4]; // moves a second

  function Replay({ overview, rest, query }) {
    const number = Number(rest[0]);
    const [found, setFound] = useState({}); // of one number: a game, undefined, or an error
    useEffect(() => {
      let wanted = true;
      const set = (state) => wanted && setFound({ number, ...state });
      Arena.game(overview, number).then((game) => set({ game, none: !game }), (error) => set({ error }));
      return () => { wanted = false; };
    }, [overview, number]);
    if (found.number !== number) return html`<p aria-busy="true">Reading the game …</p>`;
    if (found.error) return html`<p role="alert">This game cannot be read: ${found.error.message}.</p>`;
    if (found.none) return html`<p>There is no game ${rest[0]} in this report.</p>`;
    return html`<${Game} key=${number} overview=${overview} game=${found.game} rest=${rest} query=${query} />`;
  }

  // Returns the ply and the tried moves that an address asks for, as far as they can be played.
  function asked(game, rules, rest, query) {
    const last = game.m.length;
    const wanted = rest[1] === undefined || rest[1] === "" ? last : Math.trunc(Number(rest[1]));
    const ply = wanted >= 0 ? Math.min(wanted, last) : last;
    const tried = [];
    for (const word of (query.get("try") ?? "").split(",").filter(Boolean)) {
      const here = Arena.position(rules, [...game.m.slice(0, ply), ...tried]);
      if (!here.canPlay(Number(word))) break;
      tried.push(Number(word));
    }
    return { ply, tried };
  }

  function Game({ overview, game, rest, query }) {
    const { rules } = overview.contest;
    const list = Arena.lists.chosen(query);
    const [state, setState] = useState(() => ({ ...asked(game, rules, rest, query), stepped: 0 }));
    const [playing, setPlaying] = useState(false);
    const [speed, setSpeed] = useState(1);
    const { ply, tried } = state;
    const last = game.m.length;

    useEffect(() => setState((was) => ({ ...was, ...asked(game, rules, rest, query), stepped: 0 })), [rest, query]);

    function address(at, moves = []) {
      const also = { ...list, ...(moves.length ? { try: moves.join(",") } : {}) };
      return Arena.link("game", game.n, at, ...(Object.keys(also).length ? [also] : []));
    }
    function show(at, moves = []) {
      const shown = Math.max(0, Math.min(at, last));
      setState((was) => ({ ply: shown, tried: moves, stepped: shown + moves.length - was.ply - was.tried.length }));
      // the address follows without filling the browser's history
      history.replaceState(null, "", address(shown, moves));
    }
    const go = (at) => {
      setPlaying(false);
      show(at);
    };
    const back = () => (tried.length ? show(ply, tried.slice(0, -1)) : go(ply - 1));
    const on = () => !tried.length && go(ply + 1);
    const play = () => {
      if (!playing && (tried.length || ply === last)) show(0);
      setPlaying(!playing);
    };

    useEffect(() => {
      if (!playing) return undefined;
      if (ply === last) {
        setPlaying(false);
        return undefined;
      }
      const timer = setTimeout(() => show(ply + 1), 1000 / speed);
      return () => clearTimeout(timer);
    }, [playing, ply, speed]);
    useKeys({ ArrowLeft: back, ArrowRight: on, Home: () => go(0), End: () => go(last), " ": play });

    const position = Arena.position(rules, [...game.m.slice(0, ply), ...tried]);
    const course = Arena.worth.course(game);
    const judged = tried.length || position.isOver ? null : Arena.worth.at(game, ply);
    const steps = { overview, game, ply, go, address };
    return html`<article class="replay">
      <${Heading} ...${steps} list=${list} />
      <div class="stage">
        <${Arena.columns} position=${position} judged=${judged}
          played=${!tried.length && ply < last ? game.m[ply] : null}
          onTry=${(column) => { setPlaying(false); if (!tried.length && game.m[ply] === column) go(ply + 1); else show(ply, [...tried, column]); }} />
        <${Arena.board} position=${position} opening=${Math.min(game.p, ply)} label=${`Game ${game.n} after ${ply + tried.length} discs`}
          falling=${state.stepped === 1} />
        <p class="said" role="status" aria-live=${playing ? "off" : "polite"}><${Said} overview=${overview} game=${game} ply=${ply} tried=${tried} position=${position} /></p>
        ${tried.length > 0 && html`<p class="tried"><strong>You are trying moves</strong> from ply ${ply} of the game on.
          <button type="button" class="secondary outline" onClick=${back}>take back</button> <button type="button" onClick=${() => show(ply)}>back to the game</button></p>`}
        <${Controls} ...${steps} last=${last} playing=${playing} play=${play} back=${back} on=${on} speed=${speed} setSpeed=${setSpeed} />
      </div>
      <div class="side">
        ${course.length > 1 && html`<${Arena.graph} ...${steps} course=${course} />`}
        ${game.x === null && html`<${NotAnalysed} overview=${overview} />`}
        <${Arena.moves} ...${steps} />
        <p class="links"><${Arena.copy} label="copy link to this position" text=${() => location.href} /></p>
        <${Arena.onward} overview=${overview} game=${game} position=${position} />
      </div>
    </article>`;
  }

  // Calls the function of a key that is pressed, unless it means something where the focus is.
  function useKeys(keys) {
    const current = useRef(keys);
    current.current = keys;
    useEffect(() => {
      const pressed = (event) => {
        const act = current.current[event.key];
        const { tagName = "", type } = event.target;
        const typing = /^(SELECT|TEXTAREA)$/.test(tagName) || (tagName === "INPUT" && type !== "range");
        const presses = event.key === " " && /^(BUTTON|A|SUMMARY)$/.test(tagName);
        if (!act || typing || presses || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        act();
      };
      addEventListener("keydown", pressed);
      return () => removeEventListener("keydown", pressed);
    }, []);
  }

  // Who plays whom, how it ended and why, and the games before and after in the list.
  function Heading({ overview, game, list, go, address }) {
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
      ${game.out && game.out.trim() && html`<details class="output" open=${Arena.isFault(game.v)}><summary>The last the loser printed</summary><pre dir="ltr">${Arena.plain(game.out)}</pre></details>`}
    </header>`;
  }

  // Where the loser went wrong, as a sentence.
  function Turn({ overview, game, at }) {
    const { rules } = overview.contest;
    const { best, columns, exact } = Arena.worth.at(game, at);
    const name = html`<bdi>${overview.bots[[game.f, game.s][at % 2]].name}</bdi>`;
    return html`<strong>${name} went wrong at ply ${at + 1}:</strong> column ${game.m[at]}${" "}
      ${Arena.worth.inWords(Arena.worth.ofMove(game, at), at, rules)}; column ${best.join(" or ")}${" "}
      ${Arena.worth.inWords(columns[best[0]], at, rules)}${exact ? "" : " (estimates of its points)"}.`;
  }

  // The last move and its worth in words, for eyes and for screen readers.
  function Said({ overview, game, ply, tried, position }) {
    const { rules } = overview.contest;
    if (tried.length) {
      const cell = tried.length === 1 ? Arena.worth.at(game, ply)?.columns[tried[0]] ?? null : null;
      const mover = Arena.marks[1 - position.toMove];
      return html`${mover} in column ${tried.at(-1)}${cell !== null && html`: ${worthInWords(cell, ply, rules)}`}. ${outcome(position)}`;
    }
    if (ply === 0) return html`The empty board. ${Arena.marks[0]} moves first.`;
    const at = ply - 1;
    const name = html`<bdi>${overview.bots[[game.f, game.s][at % 2]].name}</bdi>`;
    if (ply <= game.p) return html`Opening, ply ${ply} of ${game.p}: ${Arena.marks[at % 2]} in column ${game.m[at]}.`;
    const cell = Arena.worth.ofMove(game, at);
    const answer = at - game.p;
    const blunder = game.b?.includes(at);
    const judged = Arena.worth.at(game, at);
    return html`Ply ${ply}: ${Arena.marks[at % 2]} ${name} played column ${game.m[at]}${cell !== null && html`: ${worthInWords(cell, at, rules)}`}${blunder
      && html`, <strong>a blunder</strong> (column ${judged.best.join(" or ")} ${Arena.worth.inWords(judged.columns[judged.best[0]], at, rules)})`}.
      ${" "}${Arena.duration(game.t[answer] / 1000)}${game.d[answer] >= 0 && `, ${Arena.counted(game.d[answer], "node")}`}.
      ${ply === game.m.length && html` <strong><${Arena.ending} overview=${overview} game=${game} /></strong>`}`;
  }

  function worthInWords(cell, ply, rules) {
    const words = Arena.worth.inWords(cell, ply, rules);
    return Arena.worth.isExact(cell) ? words : `${words} of the points (an estimate)`;
  }

  // The end of a tried game, or whose move it is.
  function outcome(position) {
    if (!position.isOver) return `${Arena.marks[position.toMove]} to move.`;
    return position.winner === null ? "The board is full: a draw." : `${Arena.marks[position.winner]} wins.`;
  }

  const ICONS = {
    start: "M3 3v10M13 3 6 8l7 5z", back: "M12 3 5 8l7 5z", play: "M4 2l10 6-10 6z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
    on: "M4 3l7 5-7 5z", end: "M13 3v10M3 3l7 5-7 5z",
  };
  const icon = (name) => html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=${ICONS[name]} /></svg>`;

  function Controls({ game, ply, last, go, playing, play, back, on, speed, setSpeed }) {
    const button = (name, label, act, disabled) =>
      html`<button type="button" class="secondary" aria-label=${label} title=${label} disabled=${disabled} onClick=${act}>${icon(name)}</button>`;
    const blunders = game.b ?? [];
    const next = blunders.find((at) => at + 1 > ply) ?? blunders[0];
    return html`<div class="controls" role="toolbar" aria-label="Step through the game">
      <div class="buttons">
        ${button("start", "To the empty board (Home)", () => go(0), ply === 0)}
        ${button("back", "Back (←)", back, ply === 0)}
        ${button(playing ? "pause" : "play", playing ? "Pause (space)" : "Play (space)", play)}
        ${button("on", "On (→)", on, ply === last)}
        ${button("end", "To the end (End)", () => go(last), ply === last)}
        ${next !== undefined && html`<button type="button" class="secondary outline" title="To the next blunder" aria-label="To the next blunder" onClick=${() => go(next + 1)}>?? ›</button>`}
        <select aria-label="Speed" value=${speed} onChange=${(event) => setSpeed(Number(event.target.value))}>
          ${SPEEDS.map((each) => html`<option value=${each} selected=${each === speed}>${each}/s</option>`)}
        </select>
      </div>
      <input type="range" min="0" max=${last} value=${ply} aria-label="Ply" aria-valuetext=${`after ${Arena.counted(ply, "disc")}`}
        onInput=${(event) => go(Number(event.target.value))} />
    </div>`;
  }

  function NotAnalysed({ overview }) {
    if (overview.view !== "contest") return html`<p class="quiet">What the moves were worth is not known.</p>`;
    return html`<p class="quiet">What the moves were worth is not known yet. This computes it:</p>
      <${Arena.command} text=${`arena analyse ${overview.contest.name}`} />`;
  }

  Arena.views.push({ name: "game", shown: () => true, component: Replay });
})();
