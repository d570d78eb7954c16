// Dark or light: like the system, until a reader chooses. The browser stores the choice if it can.
"use strict";

(() => {
  const { html, useState } = htmPreact;
  const NEXT = { system: "light", light: "dark", dark: "system" };
  const SIGN = { system: "◐", light: "☀", dark: "☾" };
  const KEY = "arena-theme";

  // What a reader chose, kept until the next visit. A page from a file may not store anything: then
  // it holds until the page is closed.
  Arena.stored = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  Arena.store = (key, value) => {
    try {
      localStorage.setItem(key, value);
    } catch {
      // see above
    }
  };

  function kept() {
    const theme = Arena.stored(KEY);
    return theme in NEXT ? theme : "system";
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
      Arena.store(KEY, next);
      choose(next);
    };
    return html`<button type="button" class="theme" onClick=${change} title="Colours: as the system, light or dark">
      <span aria-hidden="true">${SIGN[theme]}</span> ${theme}<span class="unseen"> colours</span></button>`;
  };

  apply(kept());
  addEventListener("beforeprint", () => apply("light")); // paper is white
  addEventListener("afterprint", () => apply(kept()));
})();
