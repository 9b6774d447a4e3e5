// Places on a board: paths and points, with cells 100 units wide. This file draws nothing.

lath.boardGeometry = (data) => {
  /** @param {number[]} flat @returns {Geometry["centres"]} */
  const pairs = (flat) => Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
  const corners = pairs(data.corners);
  const centres = pairs(data.centres);
  /** @param {Point} point */
  const at = ([x, y]) => `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
  /** @param {Point[]} points */
  const path = (...points) => `M${points.map(at).join("L")}`;
  /** @param {number} cell */
  const ends = (cell) => corners.map(([x, y]) => [centres[cell][0] + x, centres[cell][1] + y]);

  /** @type {Geometry["outlines"]} */
  const outlines = (cells) => cells.map((cell) => `${path(...ends(cell))}z`).join("");

  // The outer edges of cells, without the edges that two of them share.
  /** @type {Geometry["contour"]} */
  const contour = (cells) => {
    /** @param {number} x @param {number} y */
    const isOne = (x, y) =>
      cells.some((cell) => Math.abs(centres[cell][0] - x) < 5 && Math.abs(centres[cell][1] - y) < 5);
    /** @param {number} cell */
    const edgesOf = (cell) => {
      const [[x, y], points] = [centres[cell], ends(cell)];
      return points
        .map((point, i) => [point, points[(i + 1) % points.length]])
        .filter(([a, b]) => !isOne(a[0] + b[0] - x, a[1] + b[1] - y));
    };
    return cells.flatMap(edgesOf).map((edge) => path(...edge)).join("");
  };

  // The line and arrowhead of the view from a cell to the last visible one.
  /** @type {Geometry["view"]} */
  const view = (from, to) => {
    const [start, end] = [centres[from], centres[to]];
    const length = Math.hypot(end[0] - start[0], end[1] - start[1]);
    const [x, y] = [(end[0] - start[0]) / length, (end[1] - start[1]) / length];
    const tip = [end[0] + x * 45, end[1] + y * 45];
    const back = [tip[0] - x * 11, tip[1] - y * 11];
    /** @param {number} by */
    const side = (by) => [back[0] - y * by, back[1] + x * by];
    return [path(start, back), path(side(11), tip, side(-11))];
  };

  // The cell of a group that is nearest to the middle of the group.
  /** @type {Geometry["middle"]} */
  const middle = (group) => {
    /** @param {number} axis */
    const mean = (axis) => group.reduce((sum, cell) => sum + centres[cell][axis], 0) / group.length;
    const [x, y] = [mean(0), mean(1)];
    /** @param {number} cell */
    const far = (cell) => Math.round((centres[cell][0] - x) ** 2 + (centres[cell][1] - y) ** 2);
    return group.reduce((best, cell) => (far(cell) < far(best) ? cell : best));
  };

  /** @type {Geometry["bars"]} */
  const bars = (group, neighbours) =>
    group
      .flatMap((cell) => neighbours[cell].filter((near) => near > cell && group.includes(near)).map((near) => [cell, near]))
      .map(([cell, near]) => path(centres[cell], centres[near]))
      .join("");

  // The line through cells in a row, shifted by `aside`; for other cells, a small shape in their
  // middle.
  /** @type {Geometry["through"]} */
  const through = (cells, aside = 0) => {
    const points = cells.map((cell) => centres[cell]);
    const [[x0, y0], [x1, y1]] = [points[0], points[points.length - 1]];
    if (points.every(([x, y]) => Math.abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) < 100)) {
      const far = Math.hypot(x1 - x0, y1 - y0) || 1;
      const [dx, dy] = [(aside * (y0 - y1)) / far, (aside * (x1 - x0)) / far];
      return path([x0 + dx, y0 + dy], [x1 + dx, y1 + dy]);
    }
    /** @param {number} axis */
    const mean = (axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
    const [x, y] = [mean(0), mean(1)];
    const around = [...points].sort((a, b) => Math.atan2(a[1] - y, a[0] - x) - Math.atan2(b[1] - y, b[0] - x));
    return `${path(...around.map(([px, py]) => [x + 0.4 * (px - x), y + 0.4 * (py - y)]))}z`;
  };

  // The direction of the line through cells in degrees, equal for parallel lines.
  /** @type {Geometry["heading"]} */
  const heading = (cells) => {
    const [[x0, y0], [x1, y1]] = [centres[cells[0]], centres[cells[cells.length - 1]]];
    return Math.round((Math.atan2(y1 - y0, x1 - x0) * 180) / Math.PI);
  };

  // The nearest cell in a direction, such as [1, 0] to the right, or the cell itself. On a board of
  // hexagons, the next row is nearer than the cell straight ahead beyond it. From a free point, a
  // neighbour is nearer than all others.
  /** @type {Geometry["nextTo"]} */
  const nextTo = (cell, [dx, dy]) => {
    /** @param {Point} point @param {number} other */
    const cost = ([x, y], other) => {
      const [ahead, off] = [(x - centres[cell][0]) * dx + (y - centres[cell][1]) * dy, (x - centres[cell][0]) * dy - (y - centres[cell][1]) * dx];
      return ahead > 20 && Math.abs(off) < 1.2 * ahead ? ahead + 1.2 * Math.abs(off) + (data.near[cell]?.includes(other) ? -1e4 : 0) : Infinity;
    };
    const costs = centres.map(cost);
    const least = Math.min(...costs);
    return least === Infinity ? cell : costs.indexOf(least);
  };

  // A dot in equal parts, with the first on the left.
  /** @type {Geometry["sectors"]} */
  const sectors = (count) => {
    if (count === 1) return ["M-13 0a13 13 0 1 1 26 0a13 13 0 1 1-26 0z"];
    /** @param {number} i */
    const end = (i) => {
      const turn = Math.PI / 2 + (2 * Math.PI * i) / count;
      return at([13 * Math.cos(turn), 13 * Math.sin(turn)]);
    };
    return Array.from({ length: count }, (_, i) => `M0 0L${end(i)}A13 13 0 0 1 ${end(i + 1)}z`);
  };

  return { centres, outlines, contour, view, middle, bars, sectors, through, heading, nextTo };
};
