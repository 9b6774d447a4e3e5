// The standings, as `json` and as `csv`.
lath.standings = () => {
  lath.openedStandings = lath.openedStandings || lath.unpacked(lath.byId("standings-data").textContent);
  return lath.openedStandings;
};
