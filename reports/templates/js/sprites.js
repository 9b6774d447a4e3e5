// Pieces and marks, copied from the template of a board, which alone defines their looks.

lath.placed = (made, x, y) => {
  made.setAttribute("transform", `translate(${x} ${y})`);
  return made;
};

// Takes the sprites out of the board's `element`. `has(name)`; `copy(name, ...paths)`: a copy whose
// paths are replaced by `paths`, if given, in order; `written(name, words)`.
lath.takeSprites = (element) => {
  /** @type {Map<string, SVGElement>} */
  const sprites = new Map();
  const all = element.querySelector(".sprites");
  for (const sprite of all.children) {
    sprites.set(/** @type {string} */ (sprite.dataset.sprite), sprite);
    delete sprite.dataset.sprite;
  }
  all.remove();

  /** @type {Sprites["has"]} */
  const has = (name) => sprites.has(name);
  /** @type {Sprites["copy"]} */
  const copy = (name, ...paths) => {
    const made = /** @type {SVGElement} */ (sprites.get(name)).cloneNode(true);
    if (paths.length === 0) return made;
    [...made.querySelectorAll("path")].forEach((path, i) => {
      path.setAttribute("d", paths[Math.min(i, paths.length - 1)]);
    });
    return made;
  };
  /** @type {Sprites["written"]} */
  const written = (name, words) => {
    const made = copy(name);
    made.querySelector("text").textContent = words;
    return made;
  };
  return { has, copy, written };
};
