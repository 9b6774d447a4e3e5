// Pictures of a position and of a game, made in the browser, and the code that embeds a replay.

// The duration of a ply in an animated picture, and of its last one.
lath.FRAME_MS = 900;
lath.LAST_FRAME_MS = 4000;

// A board as an SVG file; `width` in pixels.
lath.svgText = (element, width) => {
  const copy = element.cloneNode(true);
  const [, , wide, high] = /** @type {string} */ (element.getAttribute("viewBox")).split(" ").map(Number);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(Math.round((width * high) / wide)));
  return new XMLSerializer().serializeToString(copy);
};

// The board on a canvas, with a white background because not all picture formats have transparency.
lath.canvasOf = async (element, width) => {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(lath.svgText(element, width))}`;
  await image.decode();
  const canvas = lath.make("canvas");
  Object.assign(canvas, { width: image.width, height: image.height });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0);
  return canvas;
};

lath.pngOf = async (element, width) => {
  const canvas = await lath.canvasOf(element, width);
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
      moved: lath.movedAt(game, ply),
      deciding: isLast ? game.deciding : [],
      isLoss: game.isLoss,
    });
    const canvas = await lath.canvasOf(board.element, width);
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
  /** @param {Buttons} id @param {() => unknown} act */
  const on = (id, act) => byId(id).addEventListener("click", act);
  /** @param {string} words */
  const tell = (words) => {
    byId("copied").textContent = words;
  };
  const width = () => Number(byId("share-width").value);
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

  on("share-open", () => {
    replay.pause();
    tell("");
    byId("copy-field").hidden = true;
    byId("embed-code").value = lath.embedCode(state.game, state.ply);
    for (const id of /** @type {const} */ (["share-copy", "save-png", "save-svg", "save-gif"])) byId(id).disabled = !state.game.board;
    byId("share").showModal();
  });
  on("share-close", () => byId("share").close());
  on("share-copy", making(async () => {
    const png = lath.pngOf(replay.element(), width());
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
      tell("Picture copied.");
    } catch {
      png.catch(() => {}); // If the drawing failed, saving the PNG reports it.
      tell("The browser does not allow access to its clipboard. Save the PNG instead.");
    }
  }));
  on("save-png", making(async () => save([await lath.pngOf(replay.element(), width())], "png", "image/png", true)));
  on("save-svg", making(async () => save([lath.svgText(replay.element(), width())], "svg", "image/svg+xml", true)));
  on("save-gif", making(async () => {
    const { plies } = state.game;
    const parts = await lath.gifOf(/** @type {Replayed} */ (state.game), width(), (ply) => tell(`Drawing ply ${ply} of ${plies}.`));
    save(parts, "gif", "image/gif", false);
  }));
  on("copy-code", making(async () => {
    byId("embed-code").select();
    try {
      await navigator.clipboard.writeText(byId("embed-code").value);
      tell("Code copied.");
    } catch {
      tell("The browser does not allow access to its clipboard. Copy the selected code.");
    }
  }));
};
