// The data of a report. It comes in chunks, loaded by name with Arena.load:
// "overview" is everything but the games, "bot-K" the list of a bot's games, "games-K" games in full.
// A chunk lies in this page, in a file beside it, or on the server that sent the page.
"use strict";

const Arena = {
  // The parts of the page; each script adds its own, see app.js.
  views: [],
  // True if the page came from a server, which has more data.
  live: document.body.hasAttribute("data-live"),
  // The edition of the server's data that is shown: in the next one, bots have other places.
  edition: undefined,
};

(() => {
  const loaded = new Map();
  const waiting = new Map();

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  }

  // Called by the files beside the page. In another edition of the report bots have other places.
  Arena.receive = async (name, edition, text) => {
    const { resolve, reject } = waiting.get(name);
    const overview = await Arena.load("overview");
    if (overview.edition === edition) resolve(unpack(text));
    else reject(new Error("the report was made again; reload this page"));
  };

  function fromFile(name) {
    return new Promise((resolve, reject) => {
      waiting.set(name, { resolve, reject });
      const script = document.createElement("script");
      const folder = document.body.dataset.beside;
      script.src = `${encodeURIComponent(folder)}/${name}.js`;
      script.onerror = () => reject(new Error(`${folder}/${name}.js is missing: it belongs beside this page`));
      document.head.append(script);
    });
  }

  async function fromServer(name) {
    const of = name === "overview" ? "" : `?edition=${Arena.edition}`;
    const answer = await fetch(`data/${name}${of}`);
    if (answer.status === 410) Arena.renew(); // it is no longer kept
    if (!answer.ok) throw new Error(`the server has no ${name} (${answer.status})`);
    return answer.json();
  }

  function find(name) {
    if (Arena.live) return fromServer(name);
    const inside = document.getElementById(`chunk-${name}`);
    return inside ? unpack(inside.textContent) : fromFile(name);
  }

  // Returns a promise of a chunk's data; each is read once.
  Arena.load = (name) => {
    if (!loaded.has(name)) {
      const found = find(name);
      found.catch(() => loaded.delete(name));
      loaded.set(name, found);
    }
    return loaded.get(name);
  };

  // Returns a promise of the overview as it is now; all other chunks are then loaded again.
  Arena.reload = async () => {
    const overview = await fromServer("overview");
    loaded.clear();
    loaded.set("overview", Promise.resolve(overview));
    Arena.edition = overview.edition;
    return overview;
  };

  // Returns a promise of one game in full; undefined if there is none of that number.
  Arena.game = async (overview, number) => {
    if (!(number >= 1 && number <= overview.last_game)) return undefined;
    const name = `games-${Math.floor((number - 1) / overview.chunk_games)}`;
    if (overview.me !== null && !document.getElementById(`chunk-${name}`)) return undefined; // another's
    const games = await Arena.load(name);
    return games.find((game) => game.n === number);
  };
})();
