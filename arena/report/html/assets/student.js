// The report for one bot's author begins with the page of that bot, below its notes.
"use strict";

(() => {
  const { html } = htmPreact;

  function Own({ overview, query }) {
    const { component: Bot } = Arena.views.find((view) => view.name === "bot");
    return html`${overview.contest.notes.map((note) => html`<p class="quiet">${Arena.plain(note)}</p>`)}
      <${Bot} overview=${overview} rest=${[overview.bots[overview.me].name]} query=${query} />`;
  }

  Arena.views.unshift({ name: "", tab: "Your bot", shown: (overview) => overview.view === "student", component: Own });
})();
