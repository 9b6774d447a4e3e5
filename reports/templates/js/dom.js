// Creates and finds elements. Texts of records reach the page only through `textContent`.
// @ts-expect-error - that the templates have these is what `Ids` says
lath.byId = (id) => document.getElementById(id);

lath.make = (name, className = "", text = null, ...children) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== null) made.textContent = text;
  made.append(...children);
  return made;
};

lath.buttonOf = (words, act, className = "") => {
  const made = lath.make("button", className, words);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
};

lath.onClick = (id, act) => lath.byId(id).addEventListener("click", act);

lath.linkOf = (words, href, className = "") => Object.assign(lath.make("a", className, words), { href });

// A disc in the colour of a seat.
lath.chip = (board, seat) => {
  const made = lath.make("span", "chip");
  made.style.setProperty("--seat", board.seats[seat][1]);
  return made;
};

// Fills a place anew. If it has the focus, that of the new parts gets it which `next` returns.
lath.refill = (place, parts, next) => {
  const hadFocus = place.contains(document.activeElement);
  place.replaceChildren(...parts);
  if (hadFocus) next()?.focus({ preventScroll: true });
};

// The words of a place of the page, as a function that sets them.
lath.teller = (id) => (words) => void (lath.byId(id).textContent = words);

// A name or another word of a record, isolated because its writing direction can differ.
lath.nameOf = (text) => {
  const made = lath.make("bdi", "name", text);
  made.title = text;
  return made;
};

// Markup of the bundled templates, in which records are escaped, as nodes; scripts in it do not
// run.
lath.parsed = (markup) => {
  const parsed = document.createDocumentFragment();
  parsed.append(...new DOMParser().parseFromString(markup, "text/html").body.childNodes);
  return parsed;
};

lath.drawn = (name, attributes = {}, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
};

// What a line of a graph looks like, for its legend.
lath.sample = (kind) =>
  lath.drawn("svg", { class: "sample", viewBox: "0 0 24 8", "aria-hidden": "true" }, lath.drawn("path", { class: kind, d: "M1 4H23" }));

// Not `disabled`, because a disabled button loses the focus.
lath.dim = (id, isDim) => lath.byId(id).setAttribute("aria-disabled", String(isDim));

// Not `toLocaleString`, because its first call loads language data, 20 ms of a page's start.
lath.grouped = (number) => String(number).replace(/\B(?=(?:[0-9]{3})+$)/gu, ",");

lath.counted = (number, word) => `${lath.grouped(number)} ${word}${number === 1 ? "" : "s"}`;

// Goes to another address of the page; the back button restores the current place.
lath.goTo = (address) => {
  history.replaceState({ isLeft: true }, "");
  location.hash = address;
};
