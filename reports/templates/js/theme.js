// The theme that the reader has chosen. A file or a frame may have no storage to keep it in.
{
  const meta = /** @type {HTMLMetaElement} */ (document.querySelector("[name=color-scheme]"));
  /** @param {(all: Storage) => string | null} act */
  const kept = (act) => {
    try {
      return act(localStorage);
    } catch {
      return null;
    }
  };
  meta.content = kept((all) => all["lath-theme"]) || meta.content;
  addEventListener("DOMContentLoaded", () => {
    const select = /** @type {HTMLSelectElement | null} */ (document.getElementById("theme"));
    if (!select) return;
    /** @type {HTMLElement} */ (select.parentElement).hidden = false;
    select.value = meta.content.trim();
    select.addEventListener("change", () => {
      const theme = (meta.content = select.value);
      // Reports on the site have no storage: the cookie is for them.
      kept((all) => (document.cookie = `lath-theme=${theme};path=/;max-age=30000000;samesite=strict`, all["lath-theme"] = theme));
    });
  });
}
