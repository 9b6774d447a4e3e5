// The standings, with what `reports/page/meetings.py` left out.

// A crosstable of so many bots out of the meetings of each with itself and those below.
lath.crosstableOf = ({ wins, draws, losses, superiority }, bots) => {
  const cell = (won, drawn, lost, better) => ({
    wins: won,
    draws: drawn,
    losses: lost,
    points: won + drawn / 2,
    games: won + drawn + lost,
    superiority: better,
  });
  const rows = Array.from({ length: bots }, () => []);
  let at = 0;
  for (let row = 0; row < bots; row += 1) {
    for (let column = row; column < bots; column += 1, at += 1) {
      const better = superiority[at];
      rows[row][column] = cell(wins[at], draws[at], losses[at], better);
      if (column === row) continue;
      const worse = better === null ? null : Math.round((1 - better) * 1e6) / 1e6;
      rows[column][row] = cell(losses[at], draws[at], wins[at], worse);
    }
  }
  return rows;
};

lath.withCrosstable = ({ meetings, ...table }) => ({
  ...table,
  crosstable: lath.crosstableOf(meetings, table.rows.length),
});

lath.openStandings = async () => {
  const packed = await lath.unpacked(lath.byId("standings-data").textContent);
  const { csv, overall, per_game: perGame, ...others } = packed;
  const json = { ...others, overall: lath.withCrosstable(overall), per_game: perGame.map(lath.withCrosstable) };
  return { csv, json };
};

// As `json` and as `csv`.
lath.standings = () => {
  lath.openedStandings = lath.openedStandings || lath.openStandings();
  return lath.openedStandings;
};
