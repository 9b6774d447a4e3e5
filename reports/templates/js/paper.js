// Paper has no lids: what is folded is opened for printing, and folded again afterwards.
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
