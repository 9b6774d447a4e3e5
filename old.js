import { ask } from "./common.js";
const EVERY_MS = 10_000;
const tell = async () => {
if (document.hidden) return;
const playing = new Set();
let words = "";
try {
const lines = await ask("/api/items");
for (const line of lines) if (line.is_playing) playing.add(line.key);
} catch {
words = "The site does not answer. This list may be out of date; it connects again by itself.";
}
(document.getElementById("lost")).textContent = words;
for (const label of (document.querySelectorAll(".live"))) label.hidden = !playing.has(label.dataset.key || "");
};
setInterval(tell, EVERY_MS);
document.addEventListener("visibilitychange", tell);
