// The standings, as `json` and as `csv`; `halves`: for each bot and each before it half the interval of
// their Elo difference, 0 where it is not known.
lath.standings = () => {
  lath.openedStandings = lath.openedStandings || lath.unpacked(lath.byId("standings-data").textContent);
  return lath.openedStandings;
};
