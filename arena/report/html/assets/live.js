// The news of a server, which come by themselves: a page that a server sent shows what is new.
"use strict";

if (Arena.live) {
  (() => {
    const source = new EventSource("live");
    source.addEventListener("edition", ({ data }) => {
      if (JSON.parse(data) !== Arena.edition) Arena.renew?.(); // the first is on its way already
    });
  })();
}
