// Elements made and found. Texts of records reach the page through `textContent` only.
// @ts-expect-error - that the templates have these is what `Ids` says
lath.byId = (id) => document.getElementById(id);

lath.make = (name, className = "", text = null, ...children) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== null) made.textContent = text;
  made.append(...children);
  return made;
};

// A name of a bot or another word of a record: its direction of writing is its own.
lath.nameOf = (text) => {
  const made = lath.make("bdi", "name", text);
  made.title = text;
  return made;
};

// Markup of our templates, in which records are escaped, as nodes; scripts in it are dead.
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

// Not `disabled`: a button that has the focus would lose it when it has nothing more to do.
lath.dim = (id, isDim) => lath.byId(id).setAttribute("aria-disabled", String(isDim));

// Not `toLocaleString`: its first call loads what the browser knows of languages, 20 ms of a page's start.
lath.grouped = (number) => String(number).replace(/\B(?=(?:[0-9]{3})+$)/gu, ",");

lath.counted = (number, word) => `${lath.grouped(number)} ${word}${number === 1 ? "" : "s"}`;

// Goes to another address of the page; back from there one is where one was.
lath.goTo = (address) => {
  history.replaceState({ isLeft: true }, "");
  location.hash = address;
};
