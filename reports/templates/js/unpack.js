// What the page of very many games or bots holds deflated: sections, and at the end the other
// scripts. The page's policy names them by their digest; nothing else runs.
// `parsed`: markup of our templates, in which records are escaped, as nodes; scripts in it are dead.
lath.parsed = (markup) => {
  const parsed = document.createDocumentFragment();
  parsed.append(...new DOMParser().parseFromString(markup, "text/html").body.childNodes);
  return parsed;
};

lath.unpack = async () => {
  const packed = [...document.querySelectorAll("script.packed")];
  const bytes = await Promise.all(packed.map((one) => lath.inflate(one.textContent)));
  packed.forEach((one, i) => {
    const text = new TextDecoder().decode(bytes[i]);
    if (one.id !== "script") {
      one.replaceWith(lath.parsed(text));
      return;
    }
    const script = document.createElement("script");
    script.textContent = text;
    one.replaceWith(script);
  });
  // An address such as #bot-3 has led nowhere so far.
  if (packed.length > 0 && location.hash.startsWith("#bot-")) location.replace(location.hash);
};

lath.unpack();
