// Bytes out of texts, numbers out of bytes: what `reports/page/streams.py` made.

// The place of each letter by its code: what ASCII can print without blank, ", < and \.
lath.LETTERS = new Uint8Array(127);
for (let code = 33, place = 0; code < 127; code += 1) {
  lath.LETTERS[code] = place;
  if (![34, 60, 92].includes(code)) place += 1;
}

// Two letters are 13 bits; one, at the end, is six.
lath.unlettered = (text) => {
  const place = (i) => lath.LETTERS[text.charCodeAt(i)];
  const bytes = new Uint8Array(((text.length >> 1) * 13 + (text.length & 1) * 6) >> 3);
  let [at, held, bits] = [0, 0, 0];
  for (let i = 0; i < text.length; i += 2) {
    const isPair = i + 1 < text.length;
    held = isPair ? (held << 13) | (place(i) * 91 + place(i + 1)) : (held << 6) | place(i);
    for (bits += isPair ? 13 : 6; bits >= 8; at += 1) {
      bits -= 8;
      bytes[at] = held >> bits;
    }
    held &= (1 << bits) - 1;
  }
  return bytes;
};

lath.inflate = async (text) => {
  if (text === "") return new Uint8Array(0);
  const stream = new Blob([lath.unlettered(text)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

lath.inflateJson = async (text) => JSON.parse(new TextDecoder().decode(await lath.inflate(text)));

lath.unfolded = (number) => (number % 2 === 0 ? number / 2 : -(number + 1) / 2);

// Reads numbers from the beginning of bytes on; `at` is where it stands.
lath.Reader = class {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  // No shifts: clocks in thousandths go beyond 32 bits.
  next() {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = this.bytes[this.at];
      this.at += 1;
      value += (byte % 128) * unit;
      if (byte < 128) return value;
    }
  }

  signed() {
    return lath.unfolded(this.next());
  }

  kind() {
    const byte = this.bytes[this.at];
    this.at += 1;
    if (byte < 224) return byte;
    if (byte === 255) return this.next();
    this.at += 1;
    return 224 + (byte - 224) * 256 + this.bytes[this.at - 1];
  }

  list(count) {
    return Array.from({ length: count }, () => this.next());
  }

  // As many numbers as differences say, after how many there are.
  line(count = this.next()) {
    let value = 0;
    return Array.from({ length: count }, () => (value += this.signed()));
  }
};

// As many rows as each has letters; or what stands after a slash.
lath.inRows = (text) => {
  if (text.startsWith("/")) return text.slice(1);
  const letters = [...text];
  const width = Math.sqrt(letters.length);
  return letters.map((letter, i) => (i > 0 && i % width === 0 ? `/${letter}` : letter)).join("");
};

// A text for each game: `texts` are the different ones, `at` the number of each game's text.
lath.openColumn = async (packed, count) => {
  if ("all" in packed) return { texts: [packed.all], at: new Uint32Array(count) };
  if ("numbers" in packed) {
    const numbers = new lath.Reader(await lath.inflate(packed.numbers)).line(count);
    const place = new Map();
    const at = new Uint32Array(count);
    numbers.forEach((number, i) => {
      if (!place.has(number)) place.set(number, place.size);
      at[i] = place.get(number);
    });
    return { texts: [...place.keys()].map(String), at };
  }
  const [told, bytes] = await Promise.all([lath.inflateJson(packed.texts || packed.squared), lath.inflate(packed.at)]);
  const texts = packed.texts ? told : told.map(lath.inRows);
  const reader = new lath.Reader(bytes);
  const at = new Uint32Array(count);
  let fresh = 0;
  for (let i = 0; i < count; i += 1) {
    at[i] = fresh - reader.next();
    if (at[i] === fresh) fresh += 1;
  }
  return { texts, at };
};

lath.openColumns = async (packed, count) => {
  const open = async ([name, column]) => [name, await lath.openColumn(column, count)];
  return Object.fromEntries(await Promise.all(Object.entries(packed).map(open)));
};
