// The page itself: tabs, and the view that the address names.
// A view is {name, tab, shown(overview), component}: `#/NAME/…` shows it, `tab` is its title among
// the tabs (none without one), and the component gets {overview, rest, query}: the parts of the
// address after the name, and its parameters.
"use strict";

(() => {
  const { html, render, useEffect, useState } = htmPreact;

  // Returns the address of a view: Arena.link("game", 12, 17), or with parameters as last argument.
  Arena.link = (name, ...rest) => {
    const query = typeof rest.at(-1) === "object" ? `?${new URLSearchParams(rest.pop())}` : "";
    return `#/${[name, ...rest].map(encodeURIComponent).join("/")}${query}`;
  };

  function route() {
    const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
    const [name, ...rest] = path.split("/").map(decoded);
    return { name, rest, query: new URLSearchParams(query) };
  }

  function decoded(part) {
    try {
      return decodeURIComponent(part);
    } catch {
      return part; // not written by this page
    }
  }

  function App({ overview: first }) {
    const [overview, show] = useState(first);
    Arena.renew = () => Arena.reload().then(show, () => {}); // a server that is gone tells nothing new
    const [{ name, rest, query }, go] = useState(route);
    useEffect(() => {
      const follow = () => go(route());
      addEventListener("hashchange", follow);
      return () => removeEventListener("hashchange", follow);
    }, []);
    const views = Arena.views.filter((view) => view.shown(overview));
    const shown = views.find((view) => view.name === name) ?? views[0];
    const tabs = views.filter((view) => view.tab);
    return html`
      <header class="container"><nav aria-label="Parts of the report">
        <ul><li><strong><bdi>${overview.contest.name}</bdi></strong></li></ul>
        <ul>${tabs.map((view) => html`<li key=${view.name}>
          <a href=${Arena.link(view.name)} aria-current=${view === shown ? "page" : null}>${view.tab}</a>
        </li>`)}</ul>
      </nav></header>
      <main class="container"><${shown.component} overview=${overview} rest=${rest} query=${query} /></main>`;
  }

  (Arena.live ? Arena.reload() : Arena.load("overview")).then((overview) => {
    const app = document.getElementById("app");
    app.textContent = "";
    render(html`<${App} overview=${overview} />`, app);
  });
})();
