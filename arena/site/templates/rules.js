// The page of a game type's rules.

/* global lath */
import { trying } from "./common.js";
import { makeLessons } from "./lessons.js";

trying(lath.byId("said"), async () => {
  const id = /** @type {string} */ (lath.byId("lessons").dataset.game);
  const lessons = await makeLessons(id);
  lath.byId("lessons").replaceChildren(...lessons.parts);
  lessons.begin();
});
