// The section that is read is marked among the links to all of them.
(() => {
  const strip = document.querySelector(".contents");
  if (!strip) return;
  const links = new Map([...strip.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));

  const mark = (id) => {
    for (const link of links.values()) link.removeAttribute("aria-current");
    const link = links.get(id);
    link.setAttribute("aria-current", "location");
    // The page itself must not scroll by it, so not `scrollIntoView`.
    strip.scrollLeft = link.offsetLeft - (strip.clientWidth - link.offsetWidth) / 2;
    strip.scrollTop = link.offsetTop - (strip.clientHeight - link.offsetHeight) / 2;
  };

  // A line in the upper quarter of the window is in one section at a time.
  const watcher = new IntersectionObserver((entries) => {
    const entered = entries.filter(({ isIntersecting }) => isIntersecting);
    if (entered.length > 0) mark(entered[entered.length - 1].target.id);
  }, { rootMargin: "-25% 0px -75% 0px" });
  for (const id of links.keys()) {
    const section = lath.byId(id);
    if (section) watcher.observe(section);
  }
})();
