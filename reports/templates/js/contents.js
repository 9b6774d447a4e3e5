// Marks the visible section among the links to all sections.
(() => {
  const strip = document.querySelector(".contents");
  if (!strip) return;
  const links = new Map(/** @type {HTMLAnchorElement[]} */ ([...strip.querySelectorAll("a:not(:has(+ ul))")]).map((link) => [link.hash.slice(1), link]));
  const sections = /** @type {HTMLElement[]} */ ([...links.keys()].map((id) => document.getElementById(id)).filter(Boolean));
  let [entered, marked] = ["", strip.querySelector("a[aria-current]")?.getAttribute("href")?.slice(1) || ""];

  /** @param {string} id */
  const mark = (id) => {
    if (id === marked) return;
    links.get(marked)?.removeAttribute("aria-current");
    marked = id;
    const link = /** @type {HTMLElement} */ (links.get(id));
    link.setAttribute("aria-current", "location");
    // `scrollIntoView` would scroll the page too.
    const row = /** @type {HTMLElement} */ (link.closest("ul"));
    row.scrollLeft = link.offsetLeft - row.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
    strip.scrollTop = link.offsetTop - (strip.clientHeight - link.offsetHeight) / 2;
  };

  // At the end of the page, several sections are visible: the requested one is marked, or the last
  // one.
  const look = () => {
    const isEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
    const asked = isEnd && sections.find(({ id }) => id === location.hash.slice(1));
    const isSeen = asked && asked.getBoundingClientRect().bottom > 0;
    if (isEnd) mark((isSeen ? asked : sections[sections.length - 1]).id);
    else mark(entered || sections[0].id);
  };

  // A line just below the top of the window is always in a single section.
  const watcher = new IntersectionObserver((entries) => {
    entered = entries.findLast(({ isIntersecting }) => isIntersecting)?.target.id ?? entered;
    look();
  }, { rootMargin: "-12% 0px -88% 0px" });
  for (const section of sections) watcher.observe(section);
  for (const name of ["scroll", "hashchange"]) addEventListener(name, look);
})();
