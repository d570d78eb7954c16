// The page itself: tabs, and the view that the address names.
// A view is {name, tab, shown(overview), component}: `#/NAME/…` shows it, `tab` is its title among
// the tabs (none without one), and the component gets {overview, rest, query}: the parts of the
// address after the name, and its parameters.
"use strict";

(() => {
  const { html, render, useEffect, useErrorBoundary, useLayoutEffect, useRef, useState } = htmPreact;

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
    Arena.renew = () => Arena.reload().then(show, () => {}); // a stopped server has no news
    const [{ name, rest, query }, go] = useState(route);
    useLayoutEffect(() => { // at once: a busy machine must not miss an address
      const follow = () => go(route());
      addEventListener("hashchange", follow);
      return () => removeEventListener("hashchange", follow);
    }, []);
    const views = Arena.views.filter((view) => view.shown(overview));
    const shown = views.find((view) => view.name === name) ?? views[0];
    const tabs = views.filter((view) => view.tab);
    const main = useRef();
    const place = `${shown.name}/${rest[0] ?? ""}`;
    useTurn(place, main);
    useEffect(() => {
      document.title = [shown.tab ?? `${shown.name} ${rest[0] ?? ""}`, overview.contest.name].join(" – ");
    }, [place, overview]);
    const skip = (event) => {
      event.preventDefault(); // the address names the view
      main.current.focus();
    };
    return html`
      <a class="skip" href="#main" onClick=${skip}>Skip to the content</a>
      <header class="top">
        <div class="container title">
          <a href=${Arena.link(views[0].name)} title=${overview.contest.name}><bdi>${overview.contest.name}</bdi></a>
          <${Arena.themeSwitch} />
        </div>
        <nav class="container" aria-label="Parts of the report"><ul>${tabs.map((view) => html`<li key=${view.name}>
          <a href=${Arena.link(view.name)} aria-current=${view === shown ? "page" : null}>${view.tab}</a>
        </li>`)}</ul></nav>
      </header>
      <main class="container" id="main" tabindex="-1" ref=${main}>
        <${Guarded} key=${place} view=${shown} overview=${overview} rest=${rest} query=${query} />
      </main>`;
  }

  // Begins at the top of another view, also for screen readers.
  function useTurn(place, main) {
    const before = useRef(place);
    useEffect(() => {
      if (before.current === place) return;
      before.current = place;
      main.current.focus({ preventScroll: true });
      scrollTo(0, 0);
    }, [place]);
  }

  // A view that fails leaves the others usable.
  function Guarded({ view, ...props }) {
    const [error] = useErrorBoundary((wrong) => console.error(wrong));
    if (error) return html`<p role="alert">This part of the report cannot be shown: ${error.message}</p>`;
    return html`<${view.component} ...${props} />`;
  }

  (Arena.live ? Arena.reload() : Arena.load("overview")).then(
    (overview) => {
      const app = document.getElementById("app");
      app.textContent = "";
      render(html`<${App} overview=${overview} />`, app);
    },
    (error) => {
      const said = document.createElement("p");
      said.setAttribute("role", "alert");
      said.textContent = `This browser shows the table only; a current one shows every game. (${error.message})`;
      document.querySelector("main").prepend(said);
    },
  );
})();
