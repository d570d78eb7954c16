// Settings and machine, and how to play the same contest again.
"use strict";

(() => {
  const { html } = htmPreact;

  const Lines = ({ caption, lines }) => html`<table class="lines"><caption>${caption}</caption>
    <tbody>${lines.map(([label, text]) => html`<tr key=${label}><th scope="row">${label}</th><td>${text}</td></tr>`)}</tbody></table>`;

  function About({ overview: { contest, analysed } }) {
    return html`<h1>Settings</h1>
      <div class="about">
        <${Lines} caption="The contest" lines=${contest.settings} />
        <div>
          ${contest.machine.length > 0 && html`<${Lines} caption="The machine" lines=${contest.machine} />`}
          ${contest.command && html`<h2>Again</h2>
          <p>The contest's folder holds the bots as they were played, the openings and the seed. These commands play all of it
            again, in a copy of the folder; they are ${Arena.beside(contest)}:</p>
          <${Arena.command} text=${contest.command} />
          <p class="quiet">Bots that draw random numbers from Arena's seed play the same again; clocks never run quite the same.</p>`}
          ${analysed && html`<h2>Worth of moves</h2><p>${analysed.games.toLocaleString("en")} of ${Arena.counted(analysed.of, "game")} are analysed.
            Where the solver does not reach, chances are estimates, marked as such. In games that they were not fitted to they
            are off by less than ${(100 * analysed.calibration_error).toFixed(0)} points of 100 on average (expected calibration error, ten bins).</p>`}
          <h2>This page</h2>
          <p>Made by Arena ${contest.arena} on ${contest.made}. It needs no network and sends nothing anywhere.</p>
        </div>
      </div>`;
  }

  Arena.views.push({ name: "about", tab: "Settings", shown: (overview) => overview.view === "contest", component: About });
})();
