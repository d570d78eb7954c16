// Numbers, times and strangers' text as people read them, and how a game ended.
"use strict";

(() => {
  const { html } = htmPreact;

  // Returns a count with its noun: `1 move`, `1,000 moves`.
  Arena.counted = (number, thing) => `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;

  // Returns points or a grade, without a decimal if it is 0.
  Arena.decimal = (value) => value.toLocaleString("en", { maximumFractionDigits: 1 });

  // Returns a measured time in milliseconds: `8.2 s`, `15 ms`, `0.2 ms` or `under 0.1 ms`.
  Arena.duration = (ms) => {
    if (ms >= 1000) return `${(ms / 1000).toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} s`;
    if (ms >= 10) return `${Math.round(ms)} ms`;
    return ms >= 0.1 ? `${ms.toFixed(1)} ms` : "under 0.1 ms";
  };

  // Returns columns in a sentence: `column 3`, `column 3, 4 or 0`, `column 3, 4, 0 or another`.
  Arena.anyColumn = (columns) => {
    const words = columns.length > 3 ? [...columns.slice(0, 3), "another"] : columns;
    const [last, ...most] = [words.at(-1), ...words.slice(0, -1)];
    return `column ${most.length ? `${most.join(", ")} or ${last}` : last}`;
  };

  // Returns text that a stranger wrote without characters that steer a screen or turn the direction
  // of what follows; lines are kept.
  Arena.plain = (text) => text.replace(/\r\n?/g, "\n").replace(/[^\P{C}\n]/gu, " ");

  // The name of a bot, with a link to its page if this report has one. Props: `overview`, `index`.
  Arena.bot = ({ overview, index }) => {
    const name = html`<bdi>${overview.bots[index].name}</bdi>`;
    const has = overview.view === "contest" || index === overview.me;
    return has ? html`<a href=${Arena.link("bot", overview.bots[index].name)}>${name}</a>` : name;
  };

  // A player's mark as it is on the discs. Props: `seat`.
  Arena.mark = ({ seat }) => html`<svg class="board chip" viewBox="-4.5 -4.5 9 9" role="img" aria-label=${Arena.marks[seat]}>
    <g class=${seat === 0 ? "disc first" : "disc second"}><circle class="body" r="4.1" />
      ${seat === 0 ? html`<path class="mark" d="M-1.6-1.6 1.6 1.6M-1.6 1.6 1.6-1.6" />` : html`<circle class="mark" r="1.8" />`}
    </g></svg>`;

  // Says whether the loser is at fault. `Arena.verdicts`, all verdicts as lists name them, and
  // `Arena.play`, those without a fault, are made from the referee's list. A game that was left
  // before its end has no verdict.
  Arena.isFault = (verdict) => verdict !== null && !Arena.play.includes(verdict);

  // The end of a game in a sentence. Props: `overview`, `game` in full.
  Arena.ending = ({ overview, game }) => {
    const name = (seat) => html`<bdi>${overview.bots[[game.f, game.s][seat]].name}</bdi>`;
    const reason = Arena.plain(game.r);
    const fault = Arena.isFault(game.v);
    if (game.v === null) return "The game was left before its end.";
    if (game.w === null) return html`${fault ? "No game" : "Draw"}: ${reason}.`;
    if (fault) return html`${name(1 - game.w)} ${reason}. So ${name(game.w)} wins.`;
    return html`${name(game.w)} wins: ${reason}.`;
  };
})();
