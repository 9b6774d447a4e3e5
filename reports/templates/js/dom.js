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
