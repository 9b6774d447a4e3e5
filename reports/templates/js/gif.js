// Animated GIFs (89a) from frames of pixels. Each frame is reduced to the part that differs from
// the previous one, and all share the 256 most frequent colours.

// The LZW code of GIF for numbers from 0 to 255: codes of growing width, lowest bits first.
lath.lzw = (numbers) => {
  const [CLEAR, END, MOST] = [256, 257, 4096];
  /** @type {number[]} */
  const bytes = [];
  let [held, bits, width, next] = [0, 0, 9, END + 1];
  /** @type {Map<number, number>} */
  let known = new Map();
  /** @param {number} code */
  const put = (code) => {
    held |= code << bits;
    for (bits += width; bits >= 8; bits -= 8) {
      bytes.push(held & 255);
      held >>>= 8;
    }
  };
  put(CLEAR);
  let last = numbers[0];
  for (let i = 1; i < numbers.length; i += 1) {
    const pair = last * 256 + numbers[i];
    const code = known.get(pair);
    if (code !== undefined) {
      last = code;
      continue;
    }
    put(last);
    if (next < MOST) {
      if (next === 1 << width) width += 1;
      known.set(pair, next);
      next += 1;
    } else {
      put(CLEAR);
      known = new Map();
      [width, next] = [9, END + 1];
    }
    last = numbers[i];
  }
  put(last);
  if (next === 1 << width && width < 12) width += 1;
  put(END);
  if (bits > 0) bytes.push(held & 255);
  return bytes;
};

// The part of a frame that differs from the previous one, with `width` pixels per row; the whole
// first frame.
lath.changedBox = (pixels, before, width) => {
  const height = pixels.length / width;
  if (!before) return [0, 0, width, height];
  let [left, top, right, bottom] = [width, height, -1, -1];
  pixels.forEach((pixel, i) => {
    if (pixel === before[i]) return;
    const [x, y] = [i % width, Math.floor(i / width)];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  });
  return right < 0 ? [0, 0, 1, 1] : [left, top, right - left + 1, bottom - top + 1];
};

// `add(data, ms)` adds a frame from `getImageData` and its duration; `bytes()` returns the file,
// which loops.
lath.makeGif = (width, height) => {
  /** @type {{ left: number, top: number, wide: number, high: number, keys: Uint16Array, ms: number }[]} */
  const frames = [];
  /** @type {Map<number, number[]>} */
  const bins = new Map(); // the frequency of similar colours, and the sum of each channel
  /** @type {Uint32Array | null} */
  let before = null;

  /** @type {Gif["add"]} */
  const add = (data, ms) => {
    const pixels = new Uint32Array(data.buffer.slice(0));
    const [left, top, wide, high] = lath.changedBox(pixels, before, width);
    const keys = new Uint16Array(wide * high);
    for (let i = 0; i < keys.length; i += 1) {
      const at = ((top + Math.floor(i / wide)) * width + left + (i % wide)) * 4;
      const [red, green, blue] = [data[at], data[at + 1], data[at + 2]];
      const key = ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3);
      const bin = bins.get(key) || [0, 0, 0, 0];
      [bin[0], bin[1], bin[2], bin[3]] = [bin[0] + 1, bin[1] + red, bin[2] + green, bin[3] + blue];
      bins.set(key, bin);
      keys[i] = key;
    }
    frames.push({ left, top, wide, high, keys, ms });
    before = pixels;
  };

  const bytes = () => {
    /** @type {[number, number[]][]} */
    const colours = [...bins].sort(([, a], [, b]) => b[0] - a[0]).map(([key, [count, ...sums]]) => [key, sums.map((sum) => Math.round(sum / count))]);
    const palette = colours.slice(0, 256).map(([, rgb]) => rgb);
    /** @param {number[]} one @param {number[]} other */
    const far = ([r, g, b], [red, green, blue]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
    /** @param {number[]} rgb */
    const nearest = (rgb) => palette.reduce((best, one, i) => (far(one, rgb) < far(palette[best], rgb) ? i : best), 0);
    const place = new Map(colours.map(([key, rgb], i) => [key, i < 256 ? i : nearest(rgb)]));
    /** @param {number} value */
    const word = (value) => [value & 255, value >> 8];
    const parts = [
      [...new TextEncoder().encode("GIF89a"), ...word(width), ...word(height), 0xf7, 0, 0],
      Array.from({ length: 256 }, (_, i) => palette[i] || [0, 0, 0]).flat(),
      [0x21, 0xff, 11, ...new TextEncoder().encode("NETSCAPE2.0"), 3, 1, 0, 0, 0],
    ];
    for (const { left, top, wide, high, keys, ms } of frames) {
      parts.push([0x21, 0xf9, 4, 4, ...word(Math.round(ms / 10)), 0, 0]);
      parts.push([0x2c, ...[left, top, wide, high].flatMap(word), 0, 8]);
      const packed = lath.lzw(Uint8Array.from(keys, (key) => /** @type {number} */ (place.get(key))));
      for (let at = 0; at < packed.length; at += 255) {
        const block = packed.slice(at, at + 255);
        parts.push([block.length, ...block]);
      }
      parts.push([0]);
    }
    return parts.concat([[0x3b]]).map((part) => Uint8Array.from(part));
  };

  return { add, bytes };
};
