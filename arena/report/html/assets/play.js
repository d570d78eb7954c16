// The view `#/play`: a game against a bot, which plays on the server, confined as in the contest.
// `#/play?bot=NAME&moves=3,3,2` continues from a position.
"use strict";

if (Arena.live) {
  (() => {
    const { html, useEffect, useLayoutEffect, useRef, useState } = htmPreact;

    // Asks the server; returns its answer, whose `problem` is the reason for a refusal.
    async function ask(path, data) {
      const how = data && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(data), keepalive: true };
      try {
        const answer = await fetch(path, how);
        return await answer.json();
      } catch {
        return { problem: "the server does not answer" };
      }
    }

    // Returns columns that the address names; none if they cannot be played.
    function movesFrom(text, rules) {
      const moves = text ? text.split(",").map(Number) : [];
      try {
        return Arena.position(rules, moves).moves;
      } catch {
        return [];
      }
    }

    // The choices before a game: the bot, and the person's side.
    function Start({ overview, query, problem, onStart }) {
      const bots = overview.bots.filter((bot) => !bot.refused);
      const moves = movesFrom(query.get("moves"), overview.contest.rules);
      const named = bots.find((bot) => bot.name === query.get("bot"));
      const [bot, choose] = useState((named ?? bots[0]).name);
      const [person, sit] = useState(query.has("person") ? Number(query.get("person") === "1") : moves.length % 2);
      const start = (event) => {
        event.preventDefault();
        onStart({ bot, person, moves });
      };
      return html`<form class="start" onSubmit=${start}>
        <label>Bot
          <select value=${bot} onChange=${(event) => choose(event.target.value)}>
            ${bots.map((each) => html`<option key=${each.name} value=${each.name}>${each.name}</option>`)}
          </select>
        </label>
        <fieldset><legend>You play</legend>
          ${["moves first from the empty board", "moves second"].map((when, seat) => html`<label key=${seat}>
            <input type="radio" name="person" checked=${person === seat} onChange=${() => sit(seat)} />
            <${Arena.mark} seat=${seat} /> ${when}</label>`)}
        </fieldset>
        ${moves.length > 0 && html`<div class="from">
          <p>The game goes on from here; ${Arena.marks[moves.length % 2]} is to move. <a href=${Arena.link("play", { bot })}>From the empty board</a></p>
          <${Arena.board} position=${Arena.position(overview.contest.rules, moves)} opening=${moves.length} small=${true} /></div>`}
        ${problem && html`<p role="alert">${said(problem)}</p>`}
        <button type="submit">Play</button>
        <p class="quiet">The bot has the limits of the contest: ${overview.contest.limits_text}.</p>
      </form>`;
    }

    const said = (problem) => `${problem[0].toUpperCase()}${problem.slice(1)}.`;

    // How the game stands, in a sentence.
    function standing(told, bot) {
      const name = html`<bdi>${bot}</bdi>`;
      const { over, problem, thinking, loading, answers = [], moves, person } = told;
      if (problem) return said(problem);
      if (over) {
        const reason = Arena.plain(over.reason);
        if (over.is_fault) return html`${name} ${reason}. You win.`;
        if (over.winner === null) return `A draw: ${reason}.`;
        return over.winner === person ? `You win: ${reason}.` : html`${name} wins: ${reason}.`;
      }
      if (loading) return html`${name} is being loaded …`;
      if (thinking) return html`${name} is thinking …`;
      const last = answers.at(-1);
      if (!last || last[0] !== moves.length - 1) return "Your move.";
      const nodes = last[2] < 0 ? "" : `, ${Arena.counted(last[2], "node")}`;
      return html`${name} played column ${moves.at(-1)} (${Arena.duration(last[1] / 1000)}${nodes}). Your move.`;
    }

    // A game that is played. Props: `told`, as the server tells it; `onMove`, `onAgain`.
    function Game({ overview, bot, opening, told, onMove, onBack, onAgain }) {
      const { rules } = overview.contest;
      const position = Arena.position(rules, told.moves);
      const isMine = !told.thinking && !told.over && !told.problem;
      const drop = (column) => isMine && position.canPlay(column) && onMove(column);
      const board = useRef(null);
      useLayoutEffect(() => {
        const press = (event) => {
          const column = event.key >= "0" && event.key <= "9" ? Number(event.key) : -1;
          if (!event.ctrlKey && !event.metaKey && !event.altKey) drop(column);
        };
        addEventListener("keydown", press);
        return () => removeEventListener("keydown", press);
      });
      const click = (event) => {
        const { left, width } = board.current.getBoundingClientRect();
        drop(Math.floor(((event.clientX - left) / width) * rules.columns));
      };
      const mine = told.moves.length - opening.length >= 2 || (told.over && told.moves.length > opening.length);
      const shown = isMine ? position : { ...position, canPlay: () => false };
      return html`<article class="playing">
        <p class="players">
          ${[0, 1].map((seat) => html`<span key=${seat}><${Arena.mark} seat=${seat} /> ${seat === told.person ? "you" : html`<bdi>${bot}</bdi>`}</span>`)}</p>
        <p class="standing" role="status" aria-busy=${told.thinking && !told.problem}>${standing(told, bot)}</p>
        <${Arena.columns} position=${shown} judged=${null} played=${null} onTry=${drop} />
        <div ref=${board} onClick=${click} class=${isMine ? "mine" : null}>
          <${Arena.board} position=${position} opening=${opening.length} falling=${told.moves.length > opening.length} /></div>
        ${told.over?.output?.trim() && html`<details><summary>The last that the bot printed, or where it was</summary>
          <pre dir="ltr" tabindex="0">${Arena.plain(told.over.output)}</pre></details>`}
        <div class="buttons">
          <button type="button" class="secondary" disabled=${!mine || told.thinking} onClick=${onBack}>Take back</button>
          <button type="button" class="secondary" onClick=${onAgain}>${isMine || told.thinking ? "Leave" : "Another game"}</button>
        </div>
      </article>`;
    }

    function Play({ overview, query }) {
      const [played, set] = useState(null); // {bot, opening, told}
      const [problem, complain] = useState("");
      const current = useRef(null); // the id of the game that is shown
      const show = (game, told) => {
        if (current.current === told.game) set({ ...game, told });
      };

      // Shows the game as it goes on until it is the person's turn.
      async function follow(game, told) {
        while (told.thinking && current.current === told.game) {
          show(game, told);
          const next = await ask(`play/${told.game}?after=${told.version}`);
          told = next.game ? next : { ...told, thinking: false, problem: next.problem };
        }
        show(game, told);
      }

      async function start({ bot, person, moves }, opening = moves) {
        leave();
        const told = await ask("play", { bot, person, moves });
        complain(told.game ? "" : told.problem);
        if (!told.game) return set(null);
        current.current = told.game;
        return follow({ bot, opening }, told);
      }

      async function move(column) {
        const { told, ...game } = played;
        const moves = [...told.moves, column];
        set({ ...game, told: { ...told, moves, thinking: !Arena.position(overview.contest.rules, moves).isOver, loading: false } });
        const next = await ask(`play/${told.game}`, { ply: told.moves.length, column });
        follow(game, next.game ? next : { ...told, problem: next.problem });
      }

      function leave() {
        if (current.current) ask(`play/${current.current}/leave`, {});
        current.current = null;
      }

      // Goes back to the person's last turn, in a new game.
      function back() {
        const { bot, opening, told } = played;
        const moves = told.moves.slice(0, -1);
        const mine = moves.length % 2 === told.person ? moves : moves.slice(0, -1);
        start({ bot, person: told.person, moves: mine }, opening);
      }

      useEffect(() => {
        addEventListener("pagehide", leave);
        return () => {
          removeEventListener("pagehide", leave);
          leave();
        };
      }, []);

      const again = () => {
        leave();
        complain("");
        set(null);
      };
      return html`<section class="play"><h1>Play against a bot</h1>
        ${played ? html`<${Game} overview=${overview} bot=${played.bot} opening=${played.opening} told=${played.told}
            onMove=${move} onBack=${back} onAgain=${again} />`
          : html`<${Start} key=${query.toString()} overview=${overview} query=${query} problem=${problem} onStart=${start} />`}
      </section>`;
    }

    Arena.views.push({ name: "play", tab: "Play", shown: (overview) => overview.boards !== 0, component: Play });
  })();
}
