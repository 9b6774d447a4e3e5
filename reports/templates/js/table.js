// The games that a list shows, and their order. It works on the columns of all games by place, and
// handles each different text once, however many games share it. This file must not depend on the
// drawing of the list.

lath.LIST = ["number", "title", "round", "first", "second", "result", "why", "plies"];

// The columns of lists that are not tags of records.
lath.listColumns = ({ columns, families, count }) => {
  const { family, ending, termination, ruling, ...others } = columns;
  const titles = family.texts.map((number) => families[Number(number)].title);
  const [endings, terminations] = [ending.texts, termination.texts];
  /** @type {Map<string, number>} */
  const why = new Map();
  const at = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) {
    const [word, told] = [terminations[termination.at[i]], endings[ending.at[i]]];
    const byRules = told !== "" && (word === "" || word === "rules") ? told : word;
    const text = ruling.texts[ruling.at[i]] || byRules;
    const known = why.get(text) ?? why.size;
    why.set(text, known);
    at[i] = known;
  }
  const ids = { texts: family.texts.map((number) => families[Number(number)].id), at: family.at };
  return { ...others, ending, termination, ruling, id: ids, title: { texts: titles, at: family.at }, why: { texts: [...why.keys()], at } };
};

// The rank of each text among all texts: numbers by value, before words.
lath.ranksOf = (texts) => {
  const keyed = texts.map((text, at) => ({ at, text, low: text.toLowerCase(), size: /^-?[0-9]+(\.[0-9]+)?$/u.test(text) ? Number(text) : NaN }));
  /** @param {{ size: number }} one */
  const isNumber = (one) => !Number.isNaN(one.size);
  keyed.sort((a, b) => {
    if (isNumber(a) || isNumber(b)) {
      if (isNumber(a) && isNumber(b)) return a.size - b.size;
      return isNumber(a) ? -1 : 1;
    }
    return lath.naturally(a.low, b.low) || (a.text < b.text ? -1 : 1);
  });
  const ranks = new Float64Array(texts.length);
  keyed.forEach((one, rank) => (ranks[one.at] = rank));
  return ranks;
};

// Compares words so that bot-9 comes before bot-10.
lath.naturally = (a, b) => {
  const [these, those] = [a, b].map((text) => text.match(/[0-9]+|[^0-9]+/gu) || []);
  for (let i = 0; i < Math.min(these.length, those.length); i += 1) {
    const [one, other] = [these[i], those[i]];
    const byNumber = /^[0-9]/u.test(one) && /^[0-9]/u.test(other) ? Number(one) - Number(other) : 0;
    if (byNumber) return byNumber;
    if (one !== other && !(byNumber === 0 && Number(one) === Number(other))) return one < other ? -1 : 1;
  }
  return these.length - those.length;
};

// The names that lower-case words mean: equal names, or names that contain the words.
lath.namedBy = (words, names) => {
  const lows = names.map((name) => name.toLowerCase());
  const same = names.filter((_, i) => lows[i] === words);
  return same.length > 0 ? same : names.filter((_, i) => lows[i].includes(words));
};

// The names of both sides in words such as "greedy vs shell" and the other words; each side has as
// many words as match a name. Null without two names.
lath.pairIn = (words, names) => {
  const all = words.toLowerCase().split(/\s+/u).filter(Boolean);
  for (const [at, word] of all.entries()) {
    if (!/^(?:vs?\.?|against)$/u.test(word)) continue;
    for (let from = 0; from < at; from += 1) {
      for (let to = all.length; to > at + 1; to -= 1) {
        const sides = [all.slice(from, at), all.slice(at + 1, to)].map((side) => lath.namedBy(side.join(" "), names));
        if (sides.every((side) => side.length > 0)) return { sides, others: [...all.slice(0, from), ...all.slice(to)] };
      }
    }
  }
  return null;
};

// Whether a name is that of a bot or of one of its versions.
lath.isOf = (name, bot) => name === bot || (lath.data.members || {})[name] === bot;

lath.makeTable = (games) => {
  const columns = lath.listColumns(games);
  /** @type {ColumnOfList[]} */
  const searched = ["id", "title", "round", "first", "second", "result", "termination", "why", "setup", "position"];
  /** @type {Map<ColumnOfList, Float64Array>} */
  const ranks = new Map();
  const lows = new Map(searched.map((name) => [name, columns[name].texts.map((text) => text.toLowerCase())]));

  /** @param {ColumnOfList} name */
  const ranksOf = (name) => {
    const known = ranks.get(name) || lath.ranksOf(columns[name].texts);
    ranks.set(name, known);
    return known;
  };

  /** @param {ColumnOfList} name */
  const rankIn = (name) => {
    const { at } = columns[name];
    const rank = ranksOf(name);
    return /** @type {(i: number) => number} */ ((i) => rank[at[i]]);
  };

  // The games that have the word in one of their texts, or as their number.
  /** @param {string} word @param {Uint8Array} keep */
  const having = (word, keep) => {
    const found = new Uint8Array(games.count);
    for (const name of searched) {
      const { at } = columns[name];
      const hits = Uint8Array.from(/** @type {string[]} */ (lows.get(name)), (text) => (text.includes(word) ? 1 : 0));
      if (hits.some(Boolean)) for (let i = 0; i < games.count; i += 1) found[i] |= hits[at[i]];
    }
    const called = /^#?[0-9]+$/u.test(word) ? games.gameOf(Number(word.replace("#", ""))) : -1;
    if (called >= 0) found[called] = 1;
    for (let i = 0; i < games.count; i += 1) keep[i] &= found[i];
  };

  /** @param {ColumnOfList[]} names @param {string[]} wanted @param {Uint8Array} keep */
  const being = (names, wanted, keep) => {
    const asked = names.map((name) => ({ at: columns[name].at, is: columns[name].texts.map((text) => wanted.includes(text)) }));
    for (let i = 0; i < games.count; i += 1) {
      if (!asked.some(({ at, is }) => is[at[i]])) keep[i] = 0;
    }
  };

  // Games with one of these names on one side and one of those on the other.
  /** @param {string[][]} sides @param {Uint8Array} keep */
  const between = ([these, those], keep) => {
    const [first, second] = /** @type {ColumnOfList[]} */ (["first", "second"]).map((name) => {
      const { texts, at } = columns[name];
      const sides = Uint8Array.from(texts, (text) => (these.includes(text) ? 1 : 0) | (those.includes(text) ? 2 : 0));
      return /** @type {(i: number) => number} */ ((i) => sides[at[i]]);
    });
    for (let i = 0; i < games.count; i += 1) {
      const [one, other] = [first(i), second(i)];
      if (!((one & 1 && other & 2) || (one & 2 && other & 1))) keep[i] = 0;
    }
  };

  const names = [...new Set([...columns.first.texts, ...columns.second.texts])];

  // `words`: all of them must match, or two bots, "greedy vs shell". `only`: required texts; `bot`
  // and `against` can be on either side.
  /** @type {Table["find"]} */
  const find = ({ words, only: { bot = "", against = "", ...only } }) => {
    const keep = new Uint8Array(games.count).fill(1);
    const pair = lath.pairIn(words, names);
    if (pair) between(pair.sides, keep);
    // While the second name after "greedy vs" is being typed, the games of the first one are shown.
    const plain = pair ? pair.others : words.toLowerCase().replace(/\s(?:vs?\.?|against)\s*$/u, "").split(/\s+/u).filter(Boolean);
    for (const word of plain) having(word, keep);
    for (const [name, text] of Object.entries(only)) if (text !== "") being([/** @type {ColumnOfList} */ (name)], [text], keep);
    /** @param {string} one */
    const namesOf = (one) => names.filter((name) => lath.isOf(name, one));
    if (bot !== "" && against !== "") between([namesOf(bot), namesOf(against)], keep);
    else if (bot || against) being(["first", "second"], namesOf(bot || against), keep);
    const found = [];
    for (let i = 0; i < games.count; i += 1) if (keep[i]) found.push(i);
    return Uint32Array.from(found);
  };

  // Games in the order of a column, up or down; equal games keep their order.
  /** @type {Table["sort"]} */
  const sort = (found, name, isDown) => {
    const sign = isDown ? -1 : 1;
    const keyOf = name === "number" ? games.numberOf : rankIn(name);
    // Key and place in one number, so that numbers are sorted without a comparison function.
    const keys = Float64Array.from(found, (i) => sign * keyOf(i) * games.count + i);
    keys.sort();
    return Uint32Array.from(keys, (key) => ((key % games.count) + games.count) % games.count);
  };

  /** @type {Table["text"]} */
  const text = (name, i) => (name === "number" ? String(games.numberOf(i)) : columns[name].texts[columns[name].at[i]]);

  // The different texts of a column, in order, with their numbers of games.
  /** @type {Table["choices"]} */
  const choices = (...names) => {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const name of names) {
      const per = new Uint32Array(columns[name].texts.length);
      for (let i = 0; i < games.count; i += 1) per[columns[name].at[i]] += 1;
      columns[name].texts.forEach((word, at) => {
        if (per[at]) counts.set(word, (counts.get(word) || 0) + per[at]);
      });
    }
    // A member of a pool is one choice with the games of all its versions.
    for (const [version, member] of Object.entries(names.includes("first") ? lath.data.members || {} : {})) {
      if (version !== member && counts.has(version)) counts.set(member, (counts.get(member) || 0) + /** @type {number} */ (counts.get(version)));
    }
    const rank = lath.ranksOf([...counts.keys()]);
    return [...counts].map((pair, i) => ({ pair, rank: rank[i] })).sort((a, b) => a.rank - b.rank).map(({ pair }) => pair);
  };

  // The two bots of a filter that names exactly two; otherwise null.
  /** @type {Table["pairOf"]} */
  const pairOf = ({ words, only: { bot, against } }) => {
    const sides = bot && against ? [[bot], [against]] : lath.pairIn(words, names)?.sides;
    return sides && sides.every((side) => side.length === 1) && sides[0][0] !== sides[1][0] ? sides.flat() : null;
  };

  return { find, sort, text, choices, pairOf };
};
