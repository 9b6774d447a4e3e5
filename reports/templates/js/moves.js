// The list of a game's moves. One of them can be reached by Tab; the arrow keys go on from there.

lath.chip = (game, seat) => {
  const made = lath.make("span", "chip");
  made.style.setProperty("--seat", game.board.seats[seat][1]);
  return made;
};

lath.moveItem = (game, i) => {
  const { glyph, said } = game.notes[i + 1];
  const button = lath.make("button");
  button.type = "button";
  button.tabIndex = -1;
  button.disabled = !game.board;
  button.dataset.ply = i + 1;
  button.append(lath.make("span", "ply", `${i + 1}.`));
  if (game.board) button.append(lath.chip(game, game.movers[i]));
  button.append(lath.make("bdi", "", game.moves[i] + glyph));
  const item = lath.make("li", said ? "said" : "", null, button);
  if (said) item.append(lath.make("p", "", null, lath.make("bdi", "", said)));
  return item;
};

lath.drawMoves = (game) => {
  const list = lath.byId("moves");
  const hadFocus = list.contains(document.activeElement);
  list.replaceChildren(...game.moves.map((_, i) => lath.moveItem(game, i)));
  // Keys are the replay's as long as the focus is in it.
  if (hadFocus) (list.querySelector("button:enabled") || lath.byId("replay")).focus({ preventScroll: true });
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
