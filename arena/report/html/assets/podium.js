// The view `#/podium`, for a projector: the students' bots by place, revealed from the last upward.
"use strict";

(() => {
  const { html, useEffect, useMemo, useState } = htmPreact;
  const STEPS = 3; // places that stand on the podium
  const FROM = [3, 10, Infinity]; // places from which each has a moment of its own; the others share one
  const ON = [" ", "Enter", "ArrowRight", "PageDown"]; // a presenter's remote sends PageDown
  const BACK = ["ArrowLeft", "PageUp", "Backspace"];

  // Returns the bots by place, best first: {place, bots}. Bots that never played a game to its end have none.
  function placesOf(bots) {
    const places = [];
    bots.filter(isPlaced).forEach((bot, index) => {
      if (bot.rank === places.at(-1)?.bots[0].rank) places.at(-1).bots.push(bot);
      else places.push({ place: index + 1, bots: [bot] });
    });
    return places;
  }

  const isPlaced = (bot) => !bot.house && bot.rank !== null && bot.faults < bot.games;

  // Returns what each step reveals: an array of places, those of the last step best.
  function stepsOf(places, from) {
    const below = places.filter(({ place }) => place > from);
    return [...(below.length ? [below] : []), ...places.filter(({ place }) => place <= from).map((place) => [place]).reverse()];
  }

  function Podium({ overview }) {
    const places = useMemo(() => placesOf(overview.bots), [overview]);
    const [from, choose] = useState(10);
    const [done, go] = useState(0);
    const steps = useMemo(() => stepsOf(places, from), [places, from]);
    const step = (by) => go((now) => Math.min(Math.max(now + by, 0), steps.length));
    useEffect(() => {
      const press = (event) => {
        const by = ON.includes(event.key) ? 1 : BACK.includes(event.key) ? -1 : 0;
        if (!by || event.ctrlKey || event.altKey || event.metaKey || event.target.closest("a, button, select")) return;
        event.preventDefault();
        step(by);
      };
      document.addEventListener("keydown", press);
      return () => document.removeEventListener("keydown", press);
    }, [steps]);
    const revealed = steps.slice(0, done).flat();
    const isOver = done === steps.length;
    const without = overview.bots.filter((bot) => !bot.house && !isPlaced(bot)).length;
    return html`<div class="podium">
      <h1>Podium</h1>
      ${!overview.contest.is_final && html`<p class="notice">Not final: ${Arena.counted(overview.contest.due, "game")} to play.</p>`}
      <div class="controls-line">
        <button type="button" class="secondary" disabled=${isOver} onClick=${() => step(1)}>Reveal</button>
        <button type="button" class="secondary outline" disabled=${!done} onClick=${() => step(-1)}>Back</button>
        <label>One by one from <select onChange=${(event) => { choose(FROM[event.target.value]); go(0); }}>
          ${FROM.map((each, index) => html`<option value=${index} selected=${each === from}>${index === FROM.length - 1 ? "the last place" : `place ${each}`}</option>`)}
        </select></label>
      </div>
      <div class="stage" onClick=${() => step(1)}>
        <div class="moment" role="status">${done ? html`<${Moment} key=${done} places=${steps[done - 1]} />`
          : html`<p>${Arena.counted(places.flatMap(({ bots }) => bots).length, "bot")}, the last place first</p><p class="quiet">space bar or click</p>`}</div>
        <ol class="steps">${places.filter(({ place }) => place <= STEPS).map((each) => html`<li key=${each.place} class=${`step-${each.place}`}>
          <${Names} bots=${revealed.includes(each) ? each.bots : []} />
          <span class="block"><span class="unseen">place </span>${each.place}</span></li>`)}</ol>
        <ol class="others">${places.filter((each) => each.place > STEPS && revealed.includes(each)).map((each) => html`<li key=${each.place}>
          <span class="place">${each.place}</span> <${Names} bots=${each.bots} /></li>`)}</ol>
      </div>
      <p class="quiet">Places are those among the students' bots.${without > 0 && ` Without a place: ${Arena.counted(without, "bot")} that could not play.`}</p>
    </div>`;
  }

  // What a step reveals, in large letters, and read aloud.
  function Moment({ places }) {
    const [first, last] = [places[0], places.at(-1)];
    if (first !== last) return html`<p>Places ${first.place} to ${last.place + last.bots.length - 1}</p>`;
    return html`<p class="place">Place ${first.place}</p><p class="name-of"><${Names} bots=${first.bots} /></p>
      <p class="quiet">${[...new Set(first.bots.map((bot) => `${bot.points} of ${Arena.counted(bot.games, "point")}`))].join(", ")}</p>`;
  }

  const Names = ({ bots }) => html`<span class="names">${bots.map((bot, index) => html`${index > 0 && ", "}<bdi>${bot.name}</bdi>`)}</span>`;

  Arena.views.push({
    name: "podium", tab: "Podium", component: Podium,
    shown: (overview) => overview.view === "contest" && overview.bots.some(isPlaced),
  });
})();
