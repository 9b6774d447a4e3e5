// Boards. `lath.makeBoard(data, template)`: `data` as `lath.games.drawing.board.to_json` gives it,
// `template` a <template> with what `lath.games.drawing.board.template` draws. Knows no rules.

lath.makeBoard = (data, template) => {
  const element = template.content.querySelector("svg").cloneNode(true);
  const [title, desc] = [element.querySelector("title"), element.querySelector("desc")];
  const geometry = lath.boardGeometry(data);
  const pieces = new Map(data.pieces.map(([code, name, shape, colour]) => [code, { name, shape, colour }]));
  const { shown: overlays, neighbours, rays } = data.overlays;
  const { has, copy, written } = lath.takeSprites(element);
  const { drawn: make, placed } = lath;
  const at = (made, cell) => placed(made, ...geometry.centres[cell]);

  // The cells with their titles; nothing that lies on them hides these from a pointer.
  const cells = data.cells.map((name, i) => {
    const told = make("title");
    element.append(at(make("g", { class: "cell" }, told, copy("cell"), ...(has("name") ? [written("name", name)] : [])), i));
    return { told, stack: at(make("g"), i), content: null };
  });
  const below = make("g", { class: "below" });
  const marks = make("g", { class: "marks" });
  element.append(below, make("g", { class: "stacks" }, ...cells.map((cell) => cell.stack)), marks);

  const nameOf = (code) => pieces.get(code)?.name || code;
  const wordsOf = (stack) => [...stack].reverse().map(nameOf).join(" on ") || "empty";
  const namesOf = (list) => list.map((i) => data.cells[i]).join(" ");

  const drawStack = (stack) => {
    let hasTile = false;
    const known = [...stack].filter((code) => pieces.has(code));
    const drawn = known.map((code) => {
      const { shape } = pieces.get(code);
      const made = copy(`${hasTile && shape === "disc" ? "ring" : "piece"}-${code}`);
      hasTile = hasTile || shape === "tile";
      return made;
    });
    const strange = [...stack].filter((code) => !pieces.has(code)).join("");
    return strange ? [...drawn, written("strange", strange)] : drawn;
  };

  const showStacks = (stacks) => {
    stacks.forEach((stack, i) => {
      const cell = cells[i];
      if (cell.content === stack) return;
      cell.content = stack;
      cell.told.textContent = `${data.cells[i]}: ${wordsOf(stack)}`;
      cell.stack.replaceChildren(...drawStack(stack));
    });
  };

  // Groups of pieces: bars that join them below, their sizes above, and in words.
  const groupsShown = (shown, stacks) => {
    const groups = lath.overlays.groups(shown, neighbours, stacks);
    const codeOf = (group) => stacks[group[0]].slice(-1);
    const bars = new Map();
    for (const group of groups) {
      bars.set(codeOf(group), (bars.get(codeOf(group)) || "") + geometry.bars(group, neighbours));
    }
    const joined = [...bars].filter(([, path]) => path);
    const several = groups.filter((group) => group.length > 1);
    return {
      below: joined.map(([code, path]) => copy(`links-${code}`, path)),
      above: groups.map((group) => at(written(`size-${codeOf(group)}`, String(group.length)), geometry.middle(group))),
      words: several.map((group) => `Group of ${group.length}, ${nameOf(codeOf(group))}: ${namesOf(group)}`),
    };
  };

  // What a marker sees: cells and lines, and in words.
  const sightShown = (shown, stacks) => {
    const sights = lath.overlays.sight(shown, rays, stacks);
    const listed = (seen) => namesOf(seen.flat().sort((a, b) => a - b)) || "nothing";
    return {
      below: sights.flatMap(([marker, seen]) => [
        copy("seen", geometry.outlines(seen.flat())),
        ...seen.map((ray) => copy("sight", ...geometry.view(marker, ray[ray.length - 1]))),
      ]),
      above: [],
      words: sights.map(([, seen]) => `The ${nameOf(shown.marker)} sees ${listed(seen)}`),
    };
  };

  const decided = (deciding, isLoss) => {
    if (deciding.length === 0) return [];
    const others = data.cells.map((_, i) => i).filter((i) => !deciding.includes(i));
    return [copy("veil", geometry.outlines(others)), copy(isLoss ? "losing" : "deciding", geometry.contour(deciding))];
  };

  const dot = (path, colour) => {
    const made = copy("dot", path);
    made.firstElementChild.setAttribute("fill", colour);
    return made;
  };
  const dotted = (dots, stacks) =>
    [...dots].filter(([cell]) => cells[cell]).map(([cell, codes]) => {
      const [x, y] = geometry.centres[cell];
      const off = stacks[cell] === "" ? 0 : 33;
      const known = [...codes].filter((code) => pieces.has(code));
      const paths = geometry.sectors(known.length);
      const parts = known.map((code, i) => dot(paths[i], pieces.get(code).colour));
      return placed(make("g", { class: "dot" }, ...(off ? [] : [copy("halo")]), ...parts), x + off, y + off);
    });

  // Shows a position. `stacks`: what lies on each cell, codes from the bottom up. `moved` and
  // `deciding`: cells; with `isLoss` who made these lost. `legal`: null, or a list of {text, changes: [[cell, "+w"], …]}. `aids`: whether
  // overlays are on. `title`: the accessible name. Returns {others}: legal moves that are no dots.
  const show = ({ stacks, moved = [], deciding = [], isLoss = false, legal = null, aids = false, title: told = data.title }) => {
    const { dots, others } = lath.dotsOf(legal || []);
    const shown = (aids ? overlays : []).map((one) => (one.kind === "groups" ? groupsShown(one, stacks) : sightShown(one, stacks)));
    const all = (part) => shown.flatMap((one) => one[part]);
    showStacks(stacks);
    below.replaceChildren(...all("below"));
    marks.replaceChildren(
      ...decided(deciding, isLoss),
      ...moved.map((cell) => at(copy("moved"), cell)),
      ...all("above"),
      ...dotted(dots, stacks),
    );
    const lying = stacks.flatMap((stack, i) => (stack ? [`${data.cells[i]} ${wordsOf(stack)}`] : []));
    title.textContent = told;
    desc.textContent = `${[lying.join(", ") || "Empty board", ...all("words")].join(". ")}.`;
    return { others };
  };

  return { element, show, hasAids: overlays.length > 0 };
};
