// On a site, a link in the replay opens Analyse at the game and ply that are shown.

{
  const { listenToReplay, byId } = lath;
  lath.listenToReplay = (replay) => {
    listenToReplay(replay);
    const { record, where, places } = byId("site").dataset;
    const placed = places ? places.split(" ") : [];
    if (!record) return;
    const link = lath.make("a", "analyse", "Analyse");
    const aim = () => {
      const { game, ply } = replay.state;
      link.hidden = !game.board;
      const asked = new URLSearchParams({ record: `${record}/${placed[game.place] || game.place + 1}`, ply: String(ply) });
      if (where) asked.set("where", where);
      link.href = `../analyse?${asked}`;
    };
    new MutationObserver(aim).observe(byId("at"), { childList: true });
    byId("share-open").before(link);
  };
}
