// The replay of a game: `#/game/12` shows game 12 at its end, `#/game/12/17` after 17 discs. With
// `try=3,3` these columns were tried from there on. Other parameters name the reader's list of
// games, see lists.js.
"use strict";

(() => {
  const { html, useEffect, useLayoutEffect, useRef, useState } = htmPreact;

  // Props as of any view: `rest` is the number of a game and, if given, a ply.
  Arena.replay = ({ overview, rest, query }) => {
    const number = Number(rest[0]) || 0; // no game has the number 0
    // Of one number: a game, none, or an error; with the overview of that moment, as in a live page
    // both change together.
    const [found, setFound] = useState({});
    useEffect(() => {
      let wanted = true;
      const set = (state) => wanted && setFound({ number, overview, ...state });
      Arena.game(overview, number).then((game) => set({ game, none: !game }), (error) => set({ error }));
      return () => { wanted = false; };
    }, [overview, number]);
    if (found.number !== number) return html`<p aria-busy="true">Reading the game …</p>`;
    if (found.error) return html`<p role="alert">This game cannot be read: ${found.error.message}.</p>`;
    if (found.none) return html`<p>There is no game ${rest[0]} in this report.</p>`;
    return html`<${Game} key=${number} overview=${found.overview} game=${found.game} rest=${rest} query=${query} />`;
  };

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

    // before the first key press: on a busy machine it would undo its effect
    useLayoutEffect(() => setState((was) => ({ ...was, ...asked(game, rules, rest, query), stepped: 0 })), [rest, query]);

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
      <${Arena.heading} ...${steps} list=${list} />
      <div class="stage" style=${`--across: ${rules.columns}; --up: ${rules.rows}`}>
        <${Arena.columns} position=${position} judged=${judged} known=${game.x !== null}
          played=${!tried.length && ply < last ? game.m[ply] : null}
          onTry=${(column) => { setPlaying(false); if (!tried.length && game.m[ply] === column) go(ply + 1); else show(ply, [...tried, column]); }} />
        <${Arena.board} position=${position} opening=${Math.min(game.p, ply)} label=${`Game ${game.n} after ${ply + tried.length} discs`}
          falling=${state.stepped === 1} />
        <${Arena.controls} ...${steps} tried=${tried} playing=${playing} play=${play} back=${back} on=${on} speed=${speed} setSpeed=${setSpeed} />
        <p class="said" role="status" aria-live=${playing ? "off" : "polite"}><${Arena.said} overview=${overview} game=${game} ply=${ply} tried=${tried} position=${position} /></p>
        ${tried.length > 0 && html`<p class="tried"><strong>You are trying moves</strong> from ply ${ply} of the game on.
          <button type="button" class="secondary outline" onClick=${back}>take back</button> <button type="button" onClick=${() => show(ply)}>back to the game</button></p>`}
        ${judged && html`<p class="legend quiet">★ best, ▼ played. ${judged.exact ? "" : html`<em>≈</em> and hatched bars: an estimate of the points that ${Arena.marks[position.toMove]} can expect.`}</p>`}
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

  // Calls the function of a key that is pressed, unless the focused element uses it.
  function useKeys(keys) {
    const current = useRef(keys);
    current.current = keys;
    useLayoutEffect(() => { // as soon as there is a board to step through, however busy the machine
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

  function NotAnalysed({ overview }) {
    if (!overview.contest.command) return html`<p class="quiet">What the moves were worth is not known.</p>`;
    return html`<p class="quiet">What the moves were worth is not known yet. This computes it, ${Arena.beside(overview.contest)}:</p>
      <${Arena.command} text=${`arena analyse ${Arena.quoted(overview.contest.name)}`} />`;
  }

  Arena.views.push({ name: "game", shown: () => true, component: Arena.replay });
})();
