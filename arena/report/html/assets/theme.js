// Dark or light: like the system, until a reader chooses. The browser stores the choice if it can.
"use strict";

(() => {
  const { html, useState } = htmPreact;
  const NEXT = { system: "light", light: "dark", dark: "system" };
  const SIGN = { system: "◐", light: "☀", dark: "☾" };
  const KEY = "arena-theme";

  function kept() {
    try {
      const theme = localStorage.getItem(KEY);
      return theme in NEXT ? theme : "system";
    } catch {
      return "system"; // a page from a file may not store anything
    }
  }

  function keep(theme) {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // then it holds until the page is closed
    }
  }

  function apply(theme) {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }

  // The button that changes it.
  Arena.themeSwitch = () => {
    const [theme, choose] = useState(kept);
    const change = () => {
      const next = NEXT[theme];
      apply(next);
      keep(next);
      choose(next);
    };
    return html`<button type="button" class="theme" onClick=${change} title="Colours: as the system, light or dark">
      <span aria-hidden="true">${SIGN[theme]}</span> ${theme}<span class="unseen"> colours</span></button>`;
  };

  apply(kept());
  addEventListener("beforeprint", () => apply("light")); // paper is white
  addEventListener("afterprint", () => apply(kept()));
})();
