// What html-validate holds the pages against; each exception with its reason.
module.exports = {
  root: true,
  extends: ["html-validate:recommended", "html-validate:document"],
  rules: {
    // A title is the event's own name, of whatever length.
    "long-title": "off",
    // What our own site serves is ours: scripts and styles of others are not let in at all.
    "require-sri": ["error", { target: "crossorigin" }],
    // A list may have a name (WAI-ARIA 1.2); without this only landmarks and controls may.
    "aria-label-misuse": ["error", { allowAnyNamable: true }],
  },
};
