// The width of a box, for pictures whose text should be as large as other text.
"use strict";

(() => {
  const { useLayoutEffect, useRef, useState } = htmPreact;

  // Returns a reference for a box, and its width in pixels.
  Arena.useWidth = () => {
    const box = useRef();
    const [width, say] = useState(960);
    useLayoutEffect(() => {
      const watch = new ResizeObserver(([{ contentRect }]) => say(Math.max(Math.floor(contentRect.width), 280)));
      watch.observe(box.current);
      return () => watch.disconnect();
    }, []);
    return [box, width];
  };
})();
