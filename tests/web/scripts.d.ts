// What the scripts of report and site share: `lath`, whose members each file adds to; the shape of the data
// that the page embeds and that the site sends; and what templates are sure to have. `make scripts` holds
// the scripts against it. Units are part of the name; cells, seats and kinds are places from 0.

type Child = Node | string;
type Point = readonly number[];
type Words = string | null;
type Shapes = Map<string, string>;

// Boards: `lath.games.drawing.board.to_json`.

type PieceJson = [code: string, name: string, shape: string, colour: string];
type SeatJson = [word: string, colour: string];
interface GroupsOverlay { kind: "groups"; codes: string }
interface SightOverlay { kind: "sight"; marker: string; blockers: string }

interface BoardJson {
  title: string;
  cells: string[];
  centres: number[];
  corners: number[];
  near: number[][];
  pieces: PieceJson[];
  seats: SeatJson[];
  overlays: { shown: (GroupsOverlay | SightOverlay)[]; neighbours: number[][]; rays: number[][][] };
  credit: string;
  card: string;
  drawn: string;
}

/** As the site sends it: `lath.arena.site.boards.board_json`. */
interface SiteBoard extends BoardJson { id: string; card: string; can_arrange: boolean }

type Change = [cell: number, what: string];
interface LegalMove { text: string; changes: Change[] }

interface DrawnMove {
  text: string;
  kind: "dots" | "kinds" | "lines" | "turned" | "others";
  cells: number[];
  codes: string | string[];
}

interface Effects {
  dots: Map<number, string>;
  kinds: Map<string, number[]>;
  lines: number[][];
  turned: number[];
  others: string[];
  all: DrawnMove[];
}

type Share = [cell: number, part: number, colour: string, words: string];

interface Shown {
  stacks: string[];
  extras?: string;
  moved?: number[];
  deciding?: number[];
  isLoss?: boolean;
  legal?: LegalMove[] | null;
  looked?: number;
  isKept?: boolean;
  hinted?: [cell: number, isWin: boolean | undefined][];
  shares?: Share[];
  ghost?: [cell: number, stack: string][];
  cursor?: number;
  aids?: boolean;
  title?: string;
}

interface ShownBoard { effects: Effects; words: (move: DrawnMove) => string }

interface BoardView {
  element: SVGSVGElement;
  show: (position: Shown) => ShownBoard;
  cellOf: (event: Heard) => number;
  moveOf: (event: Heard) => string;
  nextTo: (cell: number, way: Point) => number;
  hasAids: boolean;
}

interface Sprites {
  has: (name: string) => boolean;
  copy: (name: string, ...paths: string[]) => SVGElement;
  written: (name: string, words: string) => SVGElement;
}

interface Geometry {
  centres: [x: number, y: number][];
  outlines: (cells: number[]) => string;
  contour: (cells: number[]) => string;
  view: (from: number, to: number) => string[];
  middle: (group: number[]) => number;
  bars: (group: number[], neighbours: number[][]) => string;
  sectors: (count: number) => string[];
  through: (cells: number[], aside?: number) => string;
  heading: (cells: number[]) => number;
  nextTo: (cell: number, way: Point) => number;
}

// Games as the page embeds them: `lath.reports.page.pack`.

interface Column { texts: string[]; at: ArrayLike<number> }
type Kind = [text: string, first: string, second: string];

interface Family {
  id: string;
  title: string;
  board: number | null;
  plain: string[];
  kinds: Kind[];
  legal: number[];
  ends: number[][];
  begins: number[][];
}

type HeadName =
  | "first" | "second" | "round" | "result" | "termination" | "ruling" | "setup" | "position" | "ending" | "problem";
type ColumnName = HeadName | "family" | "plies";
/** Those of a list besides. */
type ListName = Exclude<ColumnName, "family"> | "id" | "title" | "why" | "number";

interface EmbeddedData { games: number; chunk: number; head: string; members?: Record<string, string> }

interface EmbeddedHead {
  columns: Record<ColumnName, Column>;
  numbers: number[] | null;
  replayed: number[] | null;
  boards: BoardJson[];
  families: Family[];
}

interface Chunk {
  tags: [name: string, value: string][][];
  starts: string[];
  kinds: number[][];
  repeats: number[][];
  deciding: number[][];
  said: number[][];
  digits: string[];
  legal: number[][][];
  hints: number[][][];
  better: number[][][];
  extras?: [plies: number[], better: Record<string, number[] | undefined>][];
  words?: string[];
  forms: string[];
}

interface Games {
  count: number;
  columns: Record<ColumnName, Column>;
  families: Family[];
  boards: BoardJson[];
  text: (name: ColumnName, i: number) => string;
  replayed: number;
  familyOf: (i: number) => Family;
  numberOf: (i: number) => number;
  gameOf: (number: number) => number;
  replayedAt: (i: number) => number | undefined;
  chunks: Map<number, Promise<Chunk>>;
}

interface Note { glyph: string; words: string; said: string; better: string; annotations: Map<string, string> }

interface Head extends Record<HeadName, string> {
  why: string;
  title: string;
  place: number;
  number: number;
  plies: number;
}

/** A game, opened. Without a board nothing lies anywhere and nothing is legal. */
interface GameOf<Board> extends Head {
  board: Board;
  family: Family;
  kinds: number[];
  moves: string[];
  movers: number[];
  tags: [name: string, value: string][];
  notes: Note[];
  deciding: number[];
  isLoss: boolean;
  legal: Board extends null ? null : number[][];
  hints: number[][];
  better: Map<number, number[]>;
  extrasAt: (ply: number, better?: number) => string | undefined;
  analysis: string;
  shapes: Shapes;
  stacks: string[][];
}
type Replayed = GameOf<BoardJson>;
type Game = Replayed | GameOf<null>;

interface BetterMove { text: string; seat: number; before: string[]; stacks: string[] }

type ColumnOfList = Exclude<ListName, "number">;

interface Table {
  find: (wanted: Wanted) => Uint32Array;
  sort: (found: Uint32Array, name: ListName, isDown: boolean) => Uint32Array;
  text: (name: ListName, i: number) => string;
  choices: (...names: ColumnOfList[]) => [text: string, count: number][];
  pairOf: (wanted: Wanted) => string[] | null;
}

interface Only { title?: string; bot?: string; against?: string; result?: string; why?: string }
interface Wanted { words: string; only: Only }
interface KeptList { words: string; only: Only; size: string; page: number; column: ListName; isDown: boolean }

interface List {
  games: Games;
  state: { table: Table; found: Uint32Array; page: number; column: ListName; isDown: boolean };
  show: () => void;
  listen: () => void;
  markRow: (number?: number) => void;
  isFiltered: () => boolean;
  filter: (words?: string, only?: Only) => void;
  kept: () => KeptList;
  restore: (was: KeptList) => void;
}

/** Of the address: a game and its ply. */
interface Place { place: number; ply: number }
/** How a page that loads itself again was left. */
interface KeptPlace { paused: boolean; left: number; top: number; open: boolean[]; focus: string }
interface KeptReport extends Record<Aid, boolean> { list: KeptList }

type Aid = "aids" | "legal" | "hints";

type PictureArguments = [element: SVGSVGElement, width: number, game: Replayed, told: string];
interface ReplayState {
  /** That which is shown; none at first, when nothing but `showGame` can be asked for. */
  game: Game;
  ply: number;
  aids: boolean;
  legal: boolean;
  hints: boolean;
  timer: number;
  asked: number;
  late: number;
  better: number;
  looked: number;
  pointed: string;
  isPinned: boolean;
}

interface Replay {
  state: ReplayState;
  element: () => SVGSVGElement;
  showGame: (place: number, ply: number) => Promise<boolean>;
  lookFrom: (event: Heard) => void;
  lookAway: () => void;
  lookNext: (way: Point | null) => void;
  pin: (event: Heard) => void;
  go: (ply: number) => void;
  move: (by: number) => void;
  goBetter: (better: number) => void;
  goMistake: () => void;
  goGame: (place: number) => Promise<void>;
  pause: () => void;
  play: () => void;
  toggle: (id: Aid) => void;
  copyLink: () => void;
  copyPosition: () => void;
}

interface Gif { add: (pixels: Uint8ClampedArray<ArrayBuffer>, ms: number) => void; bytes: () => Uint8Array<ArrayBuffer>[] }

interface Score { games: number; wins: number; draws: number; losses: number; points: number }
/** What came of games, and the interval of first's score. */
interface Favour { games: number; wins: number; draws: number; low: number; high: number }
interface Way { cell: number; games: number; low: number; high: number }
interface WayRow { head: Child[]; games: number; cells: Child[] }
interface Beginning { title: string; text: string; kind: string; example: number; score: Score }

// How games began: `lath.reports.page.page`.

type LineJson = [before: number, move: string, effect: string, ...counts: number[]];
type SetupJson = [
  text: string, stacks: string[], wins: number, draws: number, losses: number, low: number, high: number, example: number,
  extras?: string,
];
interface Begun { game: string; lines: (LineJson | null)[]; extras?: string[]; setups: SetupJson[]; different: number }
interface OpenedLine extends Favour {
  before: number;
  move: string;
  effect: string;
  losses: number;
  example: number;
  chosen: number;
  reached: Favour & { losses: number };
}

// Standings: `lath.reports.schema`.

interface StandingsRow { name: string }
interface Meeting {
  games: number;
  wins: number;
  draws: number;
  losses: number;
  points: number;
  superiority: number | null;
  head_to_head: number | null;
  difference: number | null;
  difference_low: number | null;
  difference_high: number | null;
}
interface StandingsTable { game: string | null; rows: StandingsRow[]; crosstable: Meeting[][] }
interface StandingsFiles { json: { overall: StandingsTable; per_game: StandingsTable[] }; csv: string }

/** What the files of `reports/templates/js` share. */
interface Lath {
  // dom
  byId: ById;
  make: <K extends keyof HTMLElementTagNameMap>(
    name: K, className?: string, text?: Words, ...children: Child[]
  ) => HTMLElementTagNameMap[K];
  buttonOf: (words: string, act: () => unknown, className?: string) => HTMLButtonElement;
  onClick: (id: Buttons, act: () => unknown) => void;
  linkOf: (words: string | null | undefined, href: string, className?: string) => HTMLAnchorElement;
  chip: (board: BoardJson, seat: number) => HTMLElement;
  refill: (place: HTMLElement, parts: Child[], next: () => HTMLElement | null | undefined) => void;
  teller: (id: "told" | "cell" | "copied") => (words: string) => void;
  nameOf: (text: string) => HTMLElement;
  parsed: (markup: string) => DocumentFragment;
  drawn: <K extends keyof SVGElementTagNameMap>(
    name: K, attributes?: Record<string, string | number>, ...children: Child[]
  ) => SVGElementTagNameMap[K];
  dim: (id: Buttons, isDim: boolean) => void;
  grouped: (number: number) => string;
  counted: (number: number, word: string) => string;
  goTo: (address: string) => void;

  // packed
  data: EmbeddedData;
  unpacked: <T>(letters: string) => Promise<T>;
  lettersOf: (number: number) => Promise<string>;
  openGames: () => Promise<Games>;
  CHUNKS_KEPT: number;
  chunkOf: (games: Games, number: number) => Promise<Chunk>;
  headOf: (games: Games, i: number) => Head;

  // geometry, overlays, sprites, board
  boardGeometry: (board: BoardJson) => Geometry;
  overlays: {
    groups: (shown: GroupsOverlay, neighbours: number[][], stacks: string[]) => number[][];
    sight: (shown: SightOverlay, rays: number[][][], stacks: string[]) => [cell: number, seen: number[][]][];
  };
  without: (old: string, now: string) => string;
  effectsOf: (legal: LegalMove[], stacks: string[]) => Effects;
  placed: <E extends SVGElement>(made: E, x: number, y: number) => E;
  takeSprites: (element: SVGSVGElement) => Sprites;
  withArticle: (name: string) => string;
  plainMove: (move: string) => string;
  makeBoard: (board: BoardJson, template: { content: DocumentFragment }) => BoardView;

  // effects, opened, records
  effectWords: (effect: string) => [cell: number, what: string, operand: string][];
  applied: (effect: string, before: string[], shapes: Shapes) => string[];
  changesOf: (before: string[], after: string[]) => Change[];
  noteOf: (form: string, take: () => string) => Note;
  readWords: (words: string) => Pick<Note, "said" | "better" | "annotations">;
  numberIn: (note: Note, name: string) => number | undefined;
  moversOf: (length: number, repeats: number[]) => number[];
  openingIn: (text?: string) => string;
  readGame: (games: Games, i: number) => Promise<{ tags: Map<string, string>; moves: string[] }>;
  openGame: (games: Games, i: number) => Promise<Game>;
  playThrough: (game: Replayed, start: string) => void;
  betterAt: (game: Game, ply: number) => BetterMove[];
  movedAt: (game: Game, ply: number) => number[];
  movedFrom: (game: { shapes: Shapes }, before: string[], stacks: string[]) => number[];
  summed: (distances?: number[], sum?: number) => number[];
  legalAt: (game: Replayed, ply: number) => LegalMove[];
  hintsAt: (game: Game, ply: number) => Map<string, boolean>;
  quoted: (value: string) => string;
  LINE_WIDTH: number;
  linesOf: (pieces: string[]) => string;
  recordOf: (game: Game, plies?: number) => string;
  positionOf: (game: Game, ply: number, line?: string[]) => string;

  // table
  LIST: ListName[];
  listColumns: (games: Games) => Record<ColumnOfList, Column>;
  ranksOf: (texts: string[]) => Float64Array;
  naturally: (a: string, b: string) => number;
  namedBy: (words: string, names: string[]) => string[];
  pairIn: (words: string, names: string[]) => { sides: string[][]; others: string[] } | null;
  isOf: (name: string, bot: string) => boolean;
  makeTable: (games: Games) => Table;

  // words
  SEATS: string[];
  winnerOf: (result: string) => number;
  HAPPENED: Record<string, RegExp>;
  BROKE_OFF: Record<string, string>;
  verdictOf: (game: Game) => Child[];
  storyOf: (game: Game) => string;
  saidAt: (game: Game, ply: number) => string;
  signed: (value: number, digits?: number) => string;
  GLYPHS: Record<string, string>;
  PROVEN: Record<string, string>;
  provenTold: (note: Note) => string;
  glyphTold: (note: Note) => string;
  mistakesOf: (game: Game) => number[];
  colourOf: (game: Game, ply: number) => string;
  plyTold: (game: Game, ply: number) => string;
  betterTold: (game: Replayed, ply: number, at: number) => string;
  decimalsOf: (text: string) => number;
  replayedTold: (games: Games) => string;
  ANNOTATIONS: Record<string, string>;
  annotationsTold: (game: Game, note: Note) => string[];
  legalTold: (game: Replayed, shown: ShownBoard, looked: number, pointed: string) => string;
  hintsTold: (hints: Map<string, boolean>) => string;
  pointsTold: (value: number) => string;
  likely: (rate: number) => string;
  shortened: (name: string) => string;

  // evals, moves, copying
  evalPoints: (game: Game, name: string, seats: number[]) => number[][];
  evalLines: (game: Game) => [kind: string, who: string, points: number[][]][];
  timeBars: (game: Game) => SVGElement[];
  drawEvals: (game: Game) => void;
  sample: (kind: string) => SVGElement;
  markEvals: (game: Game, ply: number) => void;
  KNOB: number;
  plyAt: (game: Game, event: MouseEvent) => number;
  glyphOf: (note: Note) => HTMLElement;
  moveItem: (game: Game, i: number) => HTMLElement;
  drawBetter: (game: Game, ply: number, at: number) => void;
  drawMoves: (game: Game) => void;
  markMove: (ply: number) => void;
  copy: (text: string, what: string) => Promise<void>;

  // replay, gif, share, keys
  REMEMBERED_MS: number;
  isEmbedded: () => boolean;
  boardOf: (board: BoardJson) => BoardView;
  makeReplay: (games: Games, onGame: (number: number) => void) => Replay;
  lzw: (numbers: Uint8Array) => number[];
  changedBox: (pixels: Uint32Array, before: Uint32Array | null, width: number) => number[];
  makeGif: (width: number, height: number) => Gif;
  FRAME_MS: number;
  LAST_FRAME_MS: number;
  plyOf: (ply: number, plies: number) => string;
  svgText: (...of: PictureArguments) => string;
  canvasOf: (...of: PictureArguments) => Promise<HTMLCanvasElement>;
  pngOf: (...of: PictureArguments) => Promise<Blob>;
  gifOf: (game: Replayed, width: number, told: (ply: number) => void) => Promise<Uint8Array<ArrayBuffer>[]>;
  embedCode: (game: Game, ply: number) => string;
  listenToShare: (replay: Replay) => void;
  listenToReplay: (replay: Replay) => void;

  // ways, versus, games, openings
  percentOf: (share: number) => string;
  leanOf: (low: number, high: number) => number;
  LEANS: Record<string, string>;
  scoreChip: (counts: Favour) => HTMLElement;
  waysTable: (
    caption: string, heads: string[], rows: WayRow[], of: number, groups: [words: string, columns: number][], labels?: string[]
  ) => HTMLTableElement;
  wayDiscs: (moves: Way[], of: number) => Share[];
  wayTo: (steps: string[], buttonAt: (words: string, i: number) => Child) => Child[];
  POINTS: Record<string, number | undefined>;
  pointsAt: (table: Table, i: number) => number | undefined;
  score: () => Score;
  addPoints: (score: Score, points: number) => void;
  wilson: (share: number, games: number) => [low: number, high: number];
  scoreTold: (score: Score) => string;
  intervalTold: (score: Score) => string;
  setupTold: (text: string) => string;
  inLines: (text: string) => string;
  beginnings: (games: Games, table: Table, found: number[], a: string) => Promise<Beginning[]>;
  showVersus: (games: Games, table: Table, pair: string[] | null) => Promise<void>;
  makeList: (games: Games, replay: Replay) => List;
  openedLines: (lines: (LineJson | null)[]) => (OpenedLine | null)[];
  exampleLink: (number: number, ply: number) => HTMLElement;
  makeTree: (begun: Begun, family: Family, board: BoardJson) => HTMLElement;
  makeSetups: (begun: Begun, board: BoardJson) => HTMLElement;
  makeOpenings: (games: Games) => void;

  // standings, downloads, showpiece, start
  standings: () => Promise<StandingsFiles>;
  openedStandings?: Promise<StandingsFiles>;
  save: (parts: BlobPart[], name: string, type: string) => void;
  csvCell: (value: string | number | null | undefined) => string;
  csv: (rows: (string | number)[][]) => string;
  gamesCsv: (list: List) => string;
  recordsText: (list: List) => Promise<string[]>;
  replayedOf: (games: Games, found: Iterable<number>) => number[];
  tellDownloads: (list: List) => void;
  listenToDownloads: (list: List) => void;
  playShowpiece: (games: Games) => Promise<void>;
  showpiece: { ply: number; isOn: boolean; isSeen: boolean; timer: number };
  isBusy: () => boolean;
  readyAt: number;
  start: () => Promise<void>;
}
declare const lath: Lath;

// What the site sends.

interface StartJson { game: string; setup: string; position: string }

/** `lath.arena.site.boards.boards_of`. */
interface PositionShown {
  stacks: string[];
  extras?: string;
  moved: number[];
  deciding: number[];
  to_move: number;
  is_over: boolean;
  ending: string;
  winner: number | null;
  is_loss: boolean;
}

/** `lath.arena.site.boards.position_json`. */
interface PositionJson extends PositionShown {
  text: string;
  told: string;
  legal: [text: string, cells: [cell: number, stack: string][]][];
  direct: [text: string, words: string][];
  wins: string[];
  loses: string[];
  threats: string[];
}

/** `lath.arena.site.boards.lesson_json`. */
interface LessonJson { title: string; words: string; steps: (PositionShown & { told: string })[]; legal: PositionJson["legal"] | null }
interface SiteBoard { lessons: LessonJson[] }

/** A part of what a bot says: `lath.arena.site.thinking`. */
interface Thought {
  value: string;
  words: string;
  expected: number | null;
  depth: number | null;
  nodes: number | null;
  seconds: number;
  line: string[];
}
type ThinkingPart =
  | { part: "waits" }
  | { part: "begins" }
  | ({ part: "info" } & Thought)
  | ({ part: "answer"; move: string | null } & Thought)
  | { part: "error"; error: string; why: string };
type LastPart = Extract<ThinkingPart, { part: "answer" | "error" }>;
type HeardPart = Exclude<ThinkingPart, LastPart>;

interface Levels { lowest: number; highest: number; usual: number }
interface AboutBot { games: string[]; level: Levels | null }
interface KeptJson { text: string; tree: TreeJson; file: string; error?: string }
/** `lath.arena.site.playing.review_json`. */
interface ReviewJson {
  part: "review";
  tree: TreeJson;
  sides: { accuracy: number | null; words: string }[];
  marks: string[];
  turns: { ply: number; seat: number; kind: string; words: string }[];
  better: Record<number, { line: string[]; words: string } | undefined>;
}
type ReviewPart = { part: "waits" } | { part: "begins" } | { part: "judged"; done: number } | ReviewJson | { part: "error"; error: string };
/** A tournament or a file in the list of the site: `lath.arena.site.standing`. */
interface ItemJson { key: string; kind: string; is_playing: boolean; has_games: boolean; told: string; state: string; board: string; done: number; total: number }

interface RefutationJson { line: string[]; words: string }
interface PuzzleJson { number: number; key: string; position: string; question: string; grade: number; line: string[]; words: string }

interface PlainMove { move: string; glyph: string; before: string[]; comments: string[] }
interface LineMove extends PlainMove { variations: PlainLine[] }
type PlainLine = LineMove[];
interface TreeJson extends StartJson {
  tags: Record<string, string>;
  comments: string[];
  line: PlainLine;
  result: string;
  termination: string;
}

/** `lath.reports.exploring.explorer`, and what `lath.arena.site.exploring` adds. */
interface Interval { value: number; low: number; high: number }
interface TallyJson {
  games: number;
  first_wins: number;
  draws: number;
  second_wins: number;
  first_score: Interval | null;
  mover_score: Interval | null;
  plies: number | null;
}
interface ReferenceJson { number: number; ply: number; first: string; second: string; result: string; date: string; opening: string }
interface ContinuationJson {
  move: string;
  same: string[];
  played: TallyJson;
  reached: TallyJson;
  newest: ReferenceJson | null;
  best: ReferenceJson | null;
}
interface NodeJson {
  game: string;
  games: number;
  here: TallyJson;
  ended: number;
  continuations: ContinuationJson[];
  of_games: Record<string, number>;
  left_out: number;
  start: StartJson;
}

/** What is seen of a tournament: `lath.arena.site.watching`. Of what a run tells anything may be missing. */
interface LiveBoard extends PositionShown {
  slot: string;
  number: number | null;
  game: string;
  names: string[];
  left_s: (number | null)[];
  ply: number;
  recent: string[];
  /** Whether the game is stored, so that the report has it. */
  is_kept: boolean;
  /** The first player's expected score in -1..1. */
  value: number | null;
  /** When it came, as `performance.now`. */
  since?: number;
}
interface HistoryJson {
  moves: string[];
  movers: number[];
  values: (number | null)[];
  /** The ply of the first of the boards. */
  from: number;
  boards: PositionShown[];
}
interface EloJson { value: number | null; low: number | null; high: number | null }
interface StandingJson { name: string; rank?: number | null; group?: number; games: number; points: number; score: number; low?: number | null; high?: number | null; elo?: EloJson | null }
interface SprtJson { bounds: [low: number, high: number]; llr: number; elo: number | null; elo_low: number | null; elo_high: number | null }
interface RecentGame { number: number; game: string; first: string; second: string; result: string; termination: string; plies: number }
interface StatusJson {
  is_playing: boolean;
  has_games?: boolean;
  can_start?: boolean;
  can_stop?: boolean;
  winner?: string;
  /** The result in words, each text with a flag for names. */
  result?: [text: string, isName: boolean][];
  places?: number;
  /** The first game type. */
  game?: string;
  title?: string;
  tournament?: string;
  /** How far the tournament is, and what a stop has cost, in words. */
  state: string;
  note: string;
  /** The titles of the game types, as planned. */
  types: string;
  verdict?: string;
  done: number;
  total?: number;
  rate?: number | null;
  left_s?: number | null;
  words?: string[];
  standings?: StandingJson[];
  format?: { sprt?: SprtJson };
  way?: [games: number, llr: number][];
  recent?: RecentGame[];
  warned?: string[];
  log?: string[];
}
interface NewsParts { status: StatusJson; boards: { slots: string[]; are_last: boolean }; board: LiveBoard; sheet: { html: string } }
/** What is told while a report is made. */
type ReportNews = { part: "ready" | "failed" | "progress"; error?: string; what?: string; done?: number; is_shown?: boolean };
type News = { [K in keyof NewsParts]: { part: K } & NewsParts[K] }[keyof NewsParts];

/** What is kept of a clicked way through a game's moves, and by whom each was played: `site/templates/play.js`. */
interface PlayedMove { move: string; seat: number; used_s: number; left_s: number | null; said: Thought | null }
interface BotSeat { bot: string; level: number | null }
interface Sitting {
  start: StartJson;
  board: SiteBoard;
  seats: (BotSeat | null)[];
  tc: string;
  control: { initial: number; increment: number } | null;
  thinks_s: number;
  plies: PlayedMove[];
  ended: { result: string; termination?: string; words: string } | null;
  tree?: TreeJson;
  review?: ReviewJson | null;
  began?: { ply: number; at: number };
  kept?: string;
  saved?: Pick<KeptJson, "text" | "file">;
}

/** A move in the tree of `site/templates/analyse.js`; the root has none. */
interface TreeNode extends PlainMove { parent: TreeNode | null; next: TreeNode[] }

/** An analysis as a tab keeps it; `place` is where one is, as the child of each node on the way. */
interface KeptTree {
  id: number;
  address: string;
  source: { record: string; where: string };
  given: TreeJson;
  comments: string[];
  line: PlainLine;
  place: number[];
}

/** A board at which one moves: `site/templates/table.js`. Before the first position it has none. */
interface TableState {
  view: BoardView;
  game: SiteBoard;
  board: SiteBoard;
  now: PositionJson | null;
  effects: Effects;
  legalMoves: LegalMove[];
  words: (move: DrawnMove) => string;
  asked: object;
  isMine: boolean;
  cursor: number;
  hover: number;
  pointed: string;
  chosen: DrawnMove[];
  at: number;
  over: string;
  take: string;
  hinted: string;
  onCell: ((cell: number) => unknown) | null;
  shares: Share[];
  legal: boolean;
  threats: boolean;
  aids: boolean;
  flipped: boolean;
}

/** A place for boards of one worker, whose `slot` is empty if that has left: `site/templates/watch.js`. */
interface Card {
  slot: string;
  node: HTMLElement;
  players: HTMLElement[];
  bar: HTMLElement;
  stage: HTMLElement;
  enlarge: HTMLElement;
  told: HTMLElement;
  board: BoardView & { game: SiteBoard };
  game: string;
  shown: LiveBoard | null;
  next: LiveBoard;
  timer: number;
}

/** The enlarged board, which follows one of the others while `ply` is null. */
interface Large { card: Card; of: Card | null; number: number | null; ply: number | null; history: HistoryJson | null; isAsking: boolean }

// What templates are sure to have. Of other names a script must ask whether they are there.

type Buttons =
  | "after" | "again" | "aids" | "answer" | "back" | "before" | "clear" | "copy-link" | "copy-code" | "copy-position"
  | "flip" | "forward" | "game-after" | "game-before" | "hint" | "hints" | "keep" | "keys-close" | "keys-open" | "large-close" | "legal"
  | "mistake" | "new" | "now" | "page-after" | "page-before" | "page-first" | "page-last" | "play" | "promote" | "rematch" | "remove"
  | "resign" | "retry" | "review" | "save-games" | "save-gif" | "save-png" | "save-records" | "save-standings-csv" | "save-standings-json"
  | "save-svg" | "share-close" | "share-copy" | "share-open" | "showpiece-play" | "start" | "stepped" | "stop" | "think" | "threats"
  | "to-end" | "to-start" | "undo";
type Inputs =
  | "comment" | "filter" | "parameters" | "seek" | "start-position" | "start-setup" | "text" | "typed-move" | "where";
type Areas = "copy-text" | "embed-code" | "record";
type Selects =
  | "bot" | "clock" | "game" | "glyph" | "grade" | "level" | "page-size" | "share-width" | "side" | "source" | "thinks"
  | `only-${"title" | "bot" | "against" | "result" | "why"}`;
type Others =
  | "arranged" | "at" | "better" | "board" | "boards" | "card" | "cell" | "copied" | "copy-field" | "desk" | "direct" | "discs-told"
  | "downloads-body" | "downloads-told" | "evals" | "evals-told" | "event" | "found" | "game-of" | "games" | "games-body"
  | "interval-head" | "kept" | "large-title" | "leans" | "level-of" | "line" | "live" | "log" | "log-of" | "log-title" | "more" | "moves"
  | "boards-title" | "lost" | "note" | "order" | "others" | "outcome" | "page" | "pager" | "palette" | "picker" | "pieces" | "players" | "plies" | "question"
  | "recent" | "replay" | "replay-body" | "replay-waits" | "replayed" | "report-progress" | "result" | "reviewed" | "reviewing" | "rows" | "said" | "saved"
  | "score" | "seats" | "setup" | "sheet" | "site" | "showpiece-at" | "showpiece-board" | "showpiece-told" | "sitting" | "sprt"
  | "standings" | "state" | "tags" | "thinks-of" | "thought" | "threats-told" | "told" | "tree" | "winner" | "typed" | "verdict"
  | "versus" | "versus-title" | "watch" | "way" | "ways" | "which";

interface Ids
  extends Record<Buttons, HTMLButtonElement>,
    Record<Inputs, HTMLInputElement>,
    Record<Areas, HTMLTextAreaElement>,
    Record<Selects, HTMLSelectElement>,
    Record<Others, HTMLElement>,
    Record<"analysed" | "explored" | "further" | "report" | "whole", HTMLAnchorElement>,
    Record<"done", HTMLProgressElement>,
    Record<"first", HTMLIFrameElement>,
    Record<"keys" | "large" | "share", HTMLDialogElement>,
    Record<"data" | "openings-data" | "standings-data", Sure> {
  place: HTMLTemplateElement;
  progress: HTMLProgressElement;
  "set-up": HTMLDetailsElement;
  bar: HTMLElement & { firstElementChild: HTMLElement };
  choices: HTMLElement & { firstChild: HTMLElement };
  columns: HTMLElement & { children: HTMLCollectionOf<HTMLElement & { firstElementChild: HTMLElement }> };
  showpiece: HTMLElement | null;
  lessons: HTMLElement;
  rules: HTMLElement;
}
type ById = <K extends keyof Ids>(id: K) => Ids[K];

/** One with text. */
interface Sure extends HTMLElement { textContent: string }

interface Selected {
  ".chip": HTMLElement;
  ".sorted": HTMLElement;
  ".sprites": SpritesElement;
  circle: SVGCircleElement;
  bdi: Sure;
  desc: SVGElement;
  main: HTMLElement;
  small: HTMLElement;
  svg: SVGSVGElement;
  text: SVGElement;
  th: HTMLTableCellElement;
  title: SVGElement;
}
interface SpritesElement extends SVGElement { children: HTMLCollectionOf<SVGElement> }

interface Crosstable extends HTMLTableElement { tHead: HTMLTableSectionElement }
interface SelectedAll {
  ".crosstable": Crosstable;
  ".sortable": Crosstable;
  ":scope > table": Crosstable;
  ".contents": HTMLElement;
  details: HTMLDetailsElement;
  "main details:not([open])": HTMLDetailsElement;
  path: SVGPathElement;
  a: HTMLAnchorElement;
}

// What scripts select are elements of HTML, but in drawings; and elements hear what happens to them.

interface ParentNode {
  querySelector<K extends keyof Selected>(selectors: K): Selected[K];
  querySelector<K extends keyof SelectedAll>(selectors: K): SelectedAll[K] | null;
  querySelector(selectors: "button" | "button:enabled" | "button:last-of-type"): HTMLButtonElement | null;
  querySelector(selectors: string): HTMLElement | null;
  querySelectorAll<K extends keyof SelectedAll>(selectors: K): NodeListOf<SelectedAll[K]>;
  querySelectorAll(selectors: string): NodeListOf<HTMLElement>;
}
interface Element {
  cloneNode(isDeep?: boolean): this;
  closest(selector: "details"): HTMLDetailsElement;
  closest(selector: "label" | ".scroll"): HTMLElement;
  closest(selector: string): HTMLElement | null;
}

interface OnElement { readonly target: HTMLElement }
type Heard = Event & OnElement;
type Hears<E> = (event: E & OnElement) => unknown;
type Options = boolean | AddEventListenerOptions;

interface HTMLElement {
  addEventListener<K extends keyof HTMLElementEventMap>(type: K, listener: Hears<HTMLElementEventMap[K]>, options?: Options): void;
}
interface HTMLDivElement {
  addEventListener<K extends keyof HTMLElementEventMap>(type: K, listener: Hears<HTMLElementEventMap[K]>, options?: Options): void;
}
interface HTMLTableElement {
  addEventListener<K extends keyof HTMLElementEventMap>(type: K, listener: Hears<HTMLElementEventMap[K]>, options?: Options): void;
}
interface HTMLButtonElement {
  addEventListener<K extends keyof HTMLElementEventMap>(type: K, listener: Hears<HTMLElementEventMap[K]>, options?: Options): void;
}
interface Document {
  addEventListener<K extends keyof DocumentEventMap>(type: K, listener: Hears<DocumentEventMap[K]>, options?: Options): void;
  addEventListener(type: "listed", listener: (event: Heard) => unknown, options?: Options): void;
}
interface Window {
  addEventListener<K extends keyof WindowEventMap>(type: K, listener: Hears<WindowEventMap[K]>, options?: Options): void;
}
declare function addEventListener<K extends keyof WindowEventMap>(type: K, listener: Hears<WindowEventMap[K]>, options?: Options): void;
type StepId = "to-start" | "back" | "forward" | "to-end";
