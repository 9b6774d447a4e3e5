// Opens folded parts for printing, and folds them again afterwards.
(() => {
  /** @type {HTMLDetailsElement[]} */
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("main details:not([open])")];
    folded.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => {
    folded.forEach((one) => { one.open = false; });
    folded = [];
  });
})();
