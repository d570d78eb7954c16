// The value over a game as a graph: the first player's expected points after each ply. Exact parts
// are solid, estimated ones dashed; blunders are marked ?? and are links.
"use strict";

(() => {
  const { html } = htmPreact;

  // Props: `game`, `course` (see worth.js), `ply` that is shown, `go(ply)`, `address(ply)`.
  Arena.graph = ({ game, course, ply, go, address }) => {
    const from = game.p;
    const span = Math.max(game.m.length - from, 1);
    const x = (at) => ((at - from) / span) * 100;
    const y = (first) => (1 - first) * 100;
    const point = ({ ply: at, first }) => `${x(at)},${y(first)}`;
    const value = new Map(course.map((each) => [each.ply, each.first]));

    function clicked(event) {
      const box = event.currentTarget.getBoundingClientRect();
      go(Math.round(from + ((event.clientX - box.left) / box.width) * span));
    }

    return html`<figure class="graph">
      <div class="plot" onClick=${clicked}>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label=${summary(game, course)}>
          <polygon class="area" points=${`${x(course[0].ply)},50 ${course.map(point).join(" ")} ${x(course.at(-1).ply)},50`} />
          <line class="even" x1="0" x2="100" y1="50" y2="50" />
          ${course.slice(1).map((to, index) => html`<polyline
            class=${course[index].exact && to.exact ? "exact" : "estimate"}
            points=${`${point(course[index])} ${point(to)}`} />`)}
          ${ply >= from && html`<line class="now" x1=${x(ply)} x2=${x(ply)} y1="0" y2="100" />`}
        </svg>
        <span class="top">${html`<${Arena.mark} seat=${0} />`} wins</span>
        <span class="middle">even</span>
        <span class="bottom">${html`<${Arena.mark} seat=${1} />`} wins</span>
        ${(game.b ?? []).map((at) => value.has(at + 1) && html`<a key=${at} class="blunder"
          style=${`left: ${x(at + 1)}%; top: ${y(value.get(at + 1))}%`}
          href=${address(at + 1)} aria-label=${`Blunder of ${Arena.marks[at % 2]} at ply ${at + 1}`}
          onClick=${(event) => { event.preventDefault(); event.stopPropagation(); go(at + 1); }}>??</a>`)}
        ${Arena.isFault(game.v) && game.w !== null && html`<span class="fault">✗ fault</span>`}
      </div>
      <figcaption>Expected points after each ply. <span class="key exact"></span> exact,
        <span class="key estimate"></span> estimated, <span class="blunder">??</span> a blunder</figcaption>
    </figure>`;
  };

  function summary(game, course) {
    const exact = course.find((each) => each.exact);
    const blunders = (game.b ?? []).map((at) => `${Arena.marks[at % 2]} at ply ${at + 1}`);
    return [
      "Graph of the first player's expected points over the game",
      exact ? `exact from ply ${exact.ply} on` : "all of it estimated",
      blunders.length ? `blunders: ${blunders.join(", ")}` : "no blunders",
    ].join("; ");
  }
})();
