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
    const select = /** @type {HTMLSelectElement} */ (document.getElementById("theme"));
    /** @type {HTMLElement} */ (select.parentElement).hidden = false;
    select.value = meta.content;
    select.addEventListener("change", () => (kept((all) => (all["lath-theme"] = meta.content = select.value))));
  });
}
