// Keeps the keys that come with the token, or goes to where the keys of an earlier visit lead.

{
  const KEPT = "lath-arena";
  const { root, secret, to } = document.body.dataset;

  try {
    if (root) localStorage.setItem(KEPT, JSON.stringify({ root, secret }));
  } catch {
    // Without storage one may read, and change nothing.
  }
  const known = () => {
    try {
      return JSON.parse(/** @type {string} */ (localStorage.getItem(KEPT)))?.root;
    } catch {
      return undefined;
    }
  };
  const { pathname, search, hash } = location;
  const found = root || known();
  if (root) location.replace(`${root}${to}${hash}`);
  else if (/^\/[\w-]{20,}$/u.test(found) && !pathname.startsWith(`${found}/`)) location.replace(`${found}${pathname}${search}${hash}`);
}
