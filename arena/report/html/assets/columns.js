// The row above a board: a button for each column, with the column's worth for the player to move.
// Bars show expected points: solid where they are exact, hatched where they are an estimate.
"use strict";

(() => {
  const { html } = htmPreact;

  // Props: `position`; `judged` (see worth.js) or null; `known`, true if other positions are judged
  // and need the room; `played`, the column played next, or null;
  // `onTry(column)` to drop a disc.
  Arena.columns = ({ position, judged, known, played, onTry }) => {
    const { rules, ply } = position;
    const crowd = rules.columns > 16 ? "crowd" : rules.columns > 9 ? "many" : "";
    return html`<div class=${`columns ${crowd}`} style=${`--across: ${rules.columns}`} role="toolbar"
        aria-label=${`Columns for ${Arena.marks[position.toMove]}, who is to move`}>
      ${Array.from({ length: rules.columns }, (_, column) => {
        const cell = judged?.columns[column] ?? null;
        const best = judged?.best.includes(column);
        const kind = [cell !== null && (Arena.worth.isExact(cell) ? "exact" : "estimate"), best && "best", column === played && "played"];
        const words = [
          `Column ${column}`,
          cell !== null && Arena.worth.inWords(cell, ply, rules),
          cell !== null && !Arena.worth.isExact(cell) && "an estimate",
          best && "best",
          column === played && "played",
        ].filter(Boolean).join(", ");
        const [word, where] = cell === null ? ["", ""] : Arena.worth.inShort(cell, ply, rules);
        return html`<button type="button" key=${column} class=${kind.filter(Boolean).join(" ")} title=${words}
            aria-label=${words} disabled=${!position.canPlay(column)} onClick=${() => onTry(column)}>
          <span class="signs">${best ? "★" : ""}${column === played ? "▼" : ""}</span>
          ${known && html`<span class="bar">${cell !== null && html`<span style=${`height: ${Arena.worth.points(cell) * 100}%`}></span>`}</span>`}
          ${known && html`<span class="worth"><span>${word}</span> <span>${where}</span></span>`}
        </button>`;
      })}
    </div>`;
  };
})();
