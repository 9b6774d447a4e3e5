// The list of a game's moves, with one Tab stop; arrow keys go from move to move.

// A mark: its sign and colour, with its meaning as a tooltip and for screen readers.
lath.glyphOf = (note) => {
  const told = lath.glyphTold(note);
  const kind = { "?": "bad", "!": "good" }[note.glyph[0]];
  const made = lath.make("span", `glyph ${kind || ""}`, note.glyph, lath.make("span", "hidden", told && ` ${told}`));
  made.title = told;
  return made;
};

lath.moveItem = (game, i) => {
  const { glyph, said, better } = game.notes[i + 1];
  const button = lath.make("button");
  button.type = "button";
  button.tabIndex = -1;
  button.disabled = !game.board;
  button.dataset.ply = String(i + 1);
  button.append(lath.make("span", "ply", `${i + 1}.`));
  if (game.board) button.append(lath.chip(game.board, game.movers[i]));
  button.append(lath.make("bdi", "", lath.plainMove(game.moves[i]), ...(glyph ? [lath.glyphOf(game.notes[i + 1])] : [])));
  const told = [said, better && `Better: ${better}`].filter(Boolean).join(" ");
  const item = lath.make("li", told ? "said" : "", null, button);
  if (told) item.append(lath.make("p", "", null, lath.make("bdi", "", told)));
  return item;
};

// The better line at a ply, whose moves can be selected; `at` is the selected one.
lath.drawBetter = (game, ply, at) => {
  const line = lath.betterAt(game, ply);
  const buttons = line.map(({ text }, i) => {
    const button = lath.make("button", "", null, lath.make("span", "ply", `${ply + i}.`), lath.make("bdi", "", lath.plainMove(text)));
    button.type = "button";
    button.dataset.at = String(i + 1);
    if (i + 1 === at) button.setAttribute("aria-current", "step");
    return button;
  });
  lath.refill(lath.byId("better"), line.length > 0 ? [lath.make("span", "", "Better:"), ...buttons] : [], () => buttons[Math.max(at, 1) - 1] || lath.byId("board"));
};

lath.drawMoves = (game) => {
  const list = lath.byId("moves");
  // Keys control the replay while it has the focus.
  lath.refill(list, game.moves.map((_, i) => lath.moveItem(game, i)), () => list.querySelector("button:enabled") || lath.byId("replay"));
};

lath.markMove = (ply) => {
  const list = lath.byId("moves");
  for (const old of list.querySelectorAll("[tabindex='0']")) {
    old.removeAttribute("aria-current");
    old.tabIndex = -1;
  }
  const button = list.querySelector(`[data-ply="${Math.max(ply, 1)}"]`);
  if (!button) return;
  button.tabIndex = 0;
  if (ply > 0) button.setAttribute("aria-current", "step");
  if (list.contains(document.activeElement)) button.focus({ preventScroll: true });
  const top = button.offsetTop - list.clientHeight / 2;
  if (Math.abs(list.scrollTop - top) > list.clientHeight / 3) list.scrollTop = top;
};
