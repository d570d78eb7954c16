// Points with intervals on a common axis: each row of a table has a picture of the same width, the
// head of the table the axis, so that all points stand above each other.
"use strict";

(() => {
  const { html } = htmPreact;
  const TICKS = 6; // at most

  // Returns a scale from `low` to `high`, or the nearest round numbers outside: {low, high, ticks,
  // place}, with `place` a function from a value to a part of the width in percent.
  Arena.scale = (low, high, { whole = false, width = 94 } = {}) => {
    const span = high - low || 1;
    const rough = span / TICKS;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max([1, 2, 5, 10].find((factor) => factor * power >= rough) * power, whole ? 1 : 0);
    const ticks = [];
    for (let count = Math.ceil(low / step); count * step <= high; count += 1) ticks.push(count * step || 0);
    const place = (value) => (100 - width) / 2 + (width * (value - low)) / span;
    return { low, high, ticks, place };
  };

  // Returns a number without decimals, with a real minus.
  Arena.rounded = (value) => Math.round(value).toLocaleString("en").replace("-", "−");

  const percent = (number) => `${number.toFixed(2)}%`;

  // The axis. Props: `scale`, `label`, and `text(tick)`, a tick in words.
  Arena.axis = ({ scale, label, text = Arena.rounded }) => html`<svg class="axis" role="img"
      aria-label=${`${label}, from ${text(scale.ticks[0])} to ${text(scale.ticks.at(-1))}`}>
    ${scale.ticks.map((tick) => html`<text key=${tick} x=${percent(scale.place(tick))} y="1.05em">${text(tick)}</text>
      <line x1=${percent(scale.place(tick))} x2=${percent(scale.place(tick))} y1="80%" y2="100%" />`)}
  </svg>`;

  // Returns the lines behind a column of pictures as one background, in a grey for dark and light:
  // a line for each tick, dashed ones for the `boundaries` of grades that a scale can have.
  Arena.grid = (scale) => {
    const within = ([value]) => value >= scale.low && value <= scale.high;
    const line = (kind) => ([value]) => `<line x1='${percent(scale.place(value))}' x2='${percent(scale.place(value))}' y2='100%' ${kind}/>`;
    const lines = [...scale.ticks.map((tick) => [tick]).map(line("opacity='.35'")), ...(scale.boundaries ?? []).filter(within).map(line("stroke-dasharray='3 3'"))];
    return `url("data:image/svg+xml,${encodeURIComponent(`<svg xmlns='http://www.w3.org/2000/svg' stroke='#888'>${lines.join("")}</svg>`)}")`;
  };

  // A value with its interval, which continues beyond the picture at an arrow.
  // Props: `scale`, `value`, `low`, `high`, `label`.
  Arena.interval = ({ scale, value, low, high, label }) => {
    const within = (number) => number >= scale.low && number <= scale.high;
    const at = (number) => (within(number) ? percent(scale.place(number)) : number < scale.low ? "0.5%" : "99.5%");
    return html`<svg class="interval" role="img" aria-label=${label}>
      ${value !== null && html`
        <line class="range" x1=${at(low)} x2=${at(high)} y1="50%" y2="50%" />
        ${low < scale.low ? html`<svg x="0" y="50%"><path class="arrow" d="M0 0 6-4V4Z" /></svg>` : bar(at(low))}
        ${high > scale.high ? html`<svg x="100%" y="50%"><path class="arrow" d="M0 0-6-4V4Z" /></svg>` : bar(at(high))}
        ${within(value) && html`<circle cx=${at(value)} cy="50%" r="4.5" />`}`}
    </svg>`;
  };

  const bar = (x) => html`<svg x=${x} y="50%"><line class="range" y1="-4" y2="4" /></svg>`;
})();
