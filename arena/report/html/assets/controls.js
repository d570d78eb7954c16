// The buttons that step through a game and play it.
"use strict";

(() => {
  const { html } = htmPreact;
  const SPEEDS = [0.5, 1, 2, 4]; // moves a second
  const ICONS = {
    start: "M3 3v10M13 3 6 8l7 5z", back: "M12 3 5 8l7 5z", play: "M4 2l10 6-10 6z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
    on: "M4 3l7 5-7 5z", end: "M13 3v10M3 3l7 5-7 5z",
  };
  const icon = (name) => html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=${ICONS[name]} /></svg>`;

  // Props: `game`, `ply` that is shown, the moves `tried` from there on, `go(ply)`, `back()`, `on()`, `play()`, which also pauses,
  // `playing`, `speed` in moves a second and `setSpeed`.
  Arena.controls = ({ game, ply, tried, go, playing, play, back, on, speed, setSpeed }) => {
    const last = game.m.length;
    const button = (name, label, act, disabled) =>
      html`<button type="button" class="secondary" aria-label=${label} title=${label} disabled=${disabled} onClick=${act}>${icon(name)}</button>`;
    const blunders = game.b ?? [];
    const next = blunders.find((at) => at + 1 > ply) ?? blunders[0];
    return html`<div class="controls" role="toolbar" aria-label="Step through the game">
      <div class="buttons">
        ${button("start", "To the empty board (Home)", () => go(0), ply === 0)}
        ${button("back", "Back (←)", back, ply === 0 && !tried.length)}
        ${button(playing ? "pause" : "play", playing ? "Pause (space)" : "Play (space)", play)}
        ${button("on", "On (→)", on, ply === last || tried.length > 0)}
        ${button("end", "To the end (End)", () => go(last), ply === last)}
        ${next !== undefined && html`<button type="button" class="secondary outline" title="To the next blunder" aria-label="To the next blunder" onClick=${() => go(next + 1)}>?? ›</button>`}
        <select aria-label="Speed" value=${speed} onChange=${(event) => setSpeed(Number(event.target.value))}>
          ${SPEEDS.map((each) => html`<option value=${each} selected=${each === speed}>${each}/s</option>`)}
        </select>
      </div>
      <input type="range" min="0" max=${last} value=${ply} aria-label="Ply" aria-valuetext=${`after ${Arena.counted(ply, "disc")}`}
        onInput=${(event) => go(Number(event.target.value))} />
    </div>`;
  };
})();
