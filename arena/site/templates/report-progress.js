// While a report is made: its progress, then the first games, and the report once it is complete.

/* global lath */
import { ROOT, listen } from "./common.js";

const { byId } = lath;
const { key, where = "" } = byId("report-progress").dataset;
/** @param {string} what */
const address = (what) => `/report/${key}/${what}?${new URLSearchParams({ where })}`;

// A reader who looks at one of the first games decides when the report replaces them.
/** @param {ReportNews[]} parts */
const hear = ([{ part, error, what, done, is_shown: isShown }]) => {
  if (part !== "progress") stop();
  if (part === "ready") {
    byId("told").textContent = "The report is complete.";
    byId("done").value = 100;
    if (document.activeElement === byId("first") && navigator.userActivation?.hasBeenActive) byId("again").hidden = false;
    else location.reload();
  } else if (part === "failed") {
    byId("told").textContent = `This report could not be made: ${error}.`.replace("?.", "?");
    byId("done").hidden = true;
  } else {
    byId("told").textContent = `${what || "Reading the games"} …`;
    if (done) byId("done").value = Math.max(byId("done").value, done); // until then, how long it takes is unknown
    if (isShown && byId("first").hidden) {
      byId("first").src = `${ROOT}${address("first")}${location.hash}`;
      byId("first").hidden = false;
    }
  }
};

const stop = listen(address("events"), hear, (isLost) => byId("report-progress").classList.toggle("lost", isLost), { isHeardHidden: true });
byId("again").addEventListener("click", () => location.reload());
addEventListener("message", ({ source, data }) => {
  const isPlace = source === byId("first").contentWindow && /^#game=\d+&ply=\d+$/.test(data);
  if (isPlace) history.replaceState(null, "", data); // the report begins at the reader's game and ply
});
