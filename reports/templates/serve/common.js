// What all pages of the site use: asking it, boards of games, a stream of news. `lath` is the report's.

/* global lath */

// Asks the site; what it refuses is an Error with its words.
export const ask = async (path, body) => {
  const options = body === undefined
    ? { headers: { accept: "application/json" } }
    : { method: "POST", headers: { accept: "application/json", "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(path, options);
  const value = await answer.json().catch(() => ({ error: `the site said ${answer.status}` }));
  if (!answer.ok) throw new Error(value.error || `the site said ${answer.status}`);
  return value;
};

const kept = new Map();

// What is known of a game's board, asked for once.
export const gameOf = (id) => {
  if (!kept.has(id)) kept.set(id, ask(`/api/boards/${encodeURI(id)}`));
  return kept.get(id);
};

// A new board of a game, as `lath.makeBoard` gives it, with the game itself.
export const boardOf = async (id) => {
  const game = await gameOf(id);
  return { game, ...lath.makeBoard(game, { content: lath.parsed(game.drawn) }) };
};

export const chipOf = (game, seat) => {
  const made = lath.make("span", "chip");
  made.style.setProperty("--seat", game.seats[seat][1]);
  return made;
};

// Hears news for as long as the page is there; `hear` gets each list of parts, `lost` whether nobody answers.
export const listen = (path, hear, lost = () => {}) => {
  const source = new EventSource(path);
  source.onmessage = ({ data }) => {
    lost(false);
    hear(JSON.parse(data));
  };
  source.onerror = () => lost(true);
  return source;
};

export const clockOf = (seconds) => {
  if (seconds === null || seconds === undefined) return "";
  const whole = Math.max(0, seconds);
  if (whole < 10) return `${whole.toFixed(1)} s`;
  return `${Math.floor(whole / 60)}:${String(Math.floor(whole % 60)).padStart(2, "0")}`;
};

export const percent = (share) => (share === null || share === undefined ? "" : `${(100 * share).toFixed(1)} %`);
