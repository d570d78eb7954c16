// Text that can be copied with a button.
"use strict";

(() => {
  const { html, useState } = htmPreact;

  // A button that copies. Props: `text`, a function that returns it; `label`.
  Arena.copy = ({ text, label }) => {
    const [said, say] = useState("");
    const [shown, show] = useState(null); // to be copied by hand where the browser does not allow it
    async function copy() {
      try {
        await navigator.clipboard.writeText(text());
        show(null);
        say("copied");
        setTimeout(() => say(""), 2000);
      } catch {
        show(text());
      }
    }
    return html`<span class="copy"><button type="button" class="secondary outline" onClick=${copy}>${label}</button>
      <span role="status">${said}</span>
      ${shown !== null && html`<input readonly value=${shown} aria-label="Copy this" onFocus=${(event) => event.target.select()} />`}</span>`;
  };

  // A command to type. Props: `text`.
  Arena.command = ({ text }) => html`<p class="command"><code>${text}</code> <${Arena.copy} text=${() => text} label="copy" /></p>`;

  // A word quoted for a shell.
  Arena.quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);

  // Where commands that name the contest's folder are typed: a page does not know the path.
  Arena.beside = (contest) => html`typed in the folder that contains <bdi>${contest.name}</bdi>`;
})();
