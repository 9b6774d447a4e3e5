// Pictures of a position and of a game, made in the browser, and the code that embeds a replay.

// The duration of a ply in an animated picture, and of its last one.
lath.FRAME_MS = 900;
lath.LAST_FRAME_MS = 4000;

lath.plyOf = (ply, plies) => `ply ${ply} of ${plies}`;

// A board as an SVG file, `width` pixels wide, above a strip with the players, the game type, the
// result, and what the board shows of the game: `told`.
lath.svgText = (element, width, game, told) => {
  const copy = element.cloneNode(true);
  const [left, top, wide, high] = /** @type {string} */ (element.getAttribute("viewBox")).split(" ").map(Number);
  const [size, end] = [wide / 28, top + high];
  const whole = high + 4.7 * size;
  const rows = [game.first, game.second].map(lath.shortened);
  rows.push(`${game.title} · ${told} · ${game.result === "*" ? "unfinished" : game.result}`);
  copy.append(lath.drawn("path", { d: `M${left} ${end}h${wide}v${whole - high}h-${wide}z`, fill: "#fff" }));
  rows.forEach((words, i) => {
    const y = end + (1.4 * i + 1.3) * size;
    const seat = game.board.seats[i];
    if (seat) copy.append(lath.drawn("circle", { cx: left + size, cy: y - 0.35 * size, r: 0.4 * size, fill: seat[1], stroke: "#222" }));
    copy.append(lath.drawn("text", { x: left + (seat ? 2 : 0.6) * size, y, "text-anchor": "start", "font-weight": seat ? 700 : 400, "font-size": Math.min(size, (1.6 * wide) / words.length), fill: "#222" }, words));
  });
  const attributes = { xmlns: "http://www.w3.org/2000/svg", viewBox: `${left} ${top} ${wide} ${whole}`, width, height: Math.round((width * whole) / wide) };
  for (const [name, value] of Object.entries(attributes)) copy.setAttribute(name, String(value));
  return new XMLSerializer().serializeToString(copy);
};

// The board on a canvas, with a white background because not all picture formats have transparency.
lath.canvasOf = async (...of) => {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(lath.svgText(...of))}`;
  await image.decode();
  const canvas = lath.make("canvas");
  Object.assign(canvas, { width: image.width, height: image.height });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0);
  return canvas;
};

lath.pngOf = async (...of) => {
  const canvas = await lath.canvasOf(...of);
  return new Promise((done) => canvas.toBlob(/** @type {BlobCallback} */ (done), "image/png"));
};

// The whole game as an animation; `told` is called with the ply that is being drawn.
lath.gifOf = async (game, width, told) => {
  const board = lath.boardOf(game.board);
  /** @type {Gif | null} */
  let gif = null;
  for (let ply = 0; ply <= game.plies; ply += 1) {
    const isLast = ply === game.plies;
    board.show({
      stacks: game.stacks[ply],
      extras: game.extrasAt(ply),
      moved: lath.movedAt(game, ply),
      deciding: isLast ? game.deciding : [],
      isLoss: game.isLoss,
    });
    const canvas = await lath.canvasOf(board.element, width, game, lath.plyOf(ply, game.plies));
    gif = gif || lath.makeGif(canvas.width, canvas.height);
    const { data } = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).getImageData(0, 0, canvas.width, canvas.height);
    gif.add(data, isLast ? lath.LAST_FRAME_MS : lath.FRAME_MS);
    told(ply);
  }
  return /** @type {Gif} */ (gif).bytes();
};

// The HTML that embeds a replay. A local file is referenced by its name, relative to the embedding
// page.
lath.embedCode = (game, ply) => {
  const [address] = location.href.split("#");
  const page = location.protocol === "file:" ? /** @type {string} */ (address.split("/").pop()) : address;
  /** @param {string} text */
  const escaped = (text) => text.replace(/[&<>"]/gu, (sign) => `&#${sign.charCodeAt(0)};`);
  const title = escaped(`${game.title}: ${game.first} against ${game.second}`);
  // eslint-disable-next-line no-useless-escape -- an end tag would end the script that has it
  return `<iframe src="${escaped(page)}#embed=${game.number}&amp;ply=${ply}" title="${title}" width="480" height="560" loading="lazy"><\/iframe>`;
};

lath.listenToShare = (replay) => {
  const { byId } = lath;
  const { state } = replay;
  const tell = lath.teller("copied");
  /** @returns {PictureArguments} */
  const shown = () => {
    const { game, ply, better } = /** @type {ReplayState & { game: Replayed }} */ (state);
    const told = better > 0 ? lath.betterTold(game, ply, better) : lath.plyOf(ply, game.plies);
    return [replay.element(), Number(byId("share-width").value), game, told];
  };
  /** @param {string} kind @param {boolean} ply */
  const name = (kind, ply) => `${state.game.family.id}-${state.game.number}${ply ? `-ply-${state.ply}` : ""}.${kind}`;
  /** @param {BlobPart[]} parts @param {string} kind @param {string} type @param {boolean} ply */
  const save = (parts, kind, type, ply) => {
    lath.save(parts, name(kind, ply), type);
    tell(`${name(kind, ply)} is ready.`);
  };
  // Errors are reported, and only one picture is made at a time.
  /** @param {() => Promise<void>} act */
  const making = (act) => async () => {
    if (byId("share").getAttribute("aria-busy") === "true") return;
    byId("share").setAttribute("aria-busy", "true");
    try {
      await act();
    } catch (error) {
      tell(`The download failed: ${/** @type {Error} */ (error).message}.`);
    } finally {
      byId("share").setAttribute("aria-busy", "false");
    }
  };

  /** @param {() => Promise<void>} act @param {string} what @param {string} otherwise */
  const copying = async (act, what, otherwise) => {
    const isDone = await Promise.resolve().then(act).then(() => true, () => false);
    tell(isDone ? `${what} copied.` : `The browser does not allow access to its clipboard. ${otherwise}.`);
  };

  lath.onClick("share-open", () => {
    replay.pause();
    tell("");
    byId("copy-field").hidden = true;
    byId("embed-code").value = lath.embedCode(state.game, state.ply);
    for (const id of /** @type {const} */ (["share-copy", "save-png", "save-svg", "save-gif"])) byId(id).disabled = !state.game.board;
    byId("share").showModal();
  });
  lath.onClick("share-close", () => byId("share").close());
  lath.onClick("share-copy", making(async () => {
    const png = lath.pngOf(...shown());
    png.catch(() => {}); // If the drawing failed, saving the PNG reports it.
    await copying(() => navigator.clipboard.write([new ClipboardItem({ "image/png": png })]), "Picture", "Save the PNG instead");
  }));
  lath.onClick("save-png", making(async () => save([await lath.pngOf(...shown())], "png", "image/png", true)));
  lath.onClick("save-svg", making(async () => save([lath.svgText(...shown())], "svg", "image/svg+xml", true)));
  lath.onClick("save-gif", making(async () => {
    const [, width, game] = shown();
    const parts = await lath.gifOf(game, width, (ply) => tell(`Drawing ${lath.plyOf(ply, game.plies)}.`));
    save(parts, "gif", "image/gif", false);
  }));
  lath.onClick("copy-code", making(async () => {
    byId("embed-code").select();
    await copying(() => navigator.clipboard.writeText(byId("embed-code").value), "Code", "Copy the selected code");
  }));
};
