// A second opinion on what is proven: the six games from rules.md once more, and full-width search.
//
//     g++ -O2 -std=c++17 -o opinion second_opinion.cc
//     ./opinion FILE.lath…      # of puzzles: length, other moves, line, tags Tempting and Grade
//     ./opinion --claims < …    # lines of: game, position, win|draw|loss, plies, at most (or -), by tabs
//
// It shares nothing with the package. "A seat wins within n plies" is looked at over all legal
// moves: one of its own must do, all of the opponent's must. What was looked at is remembered.
// The status is 1 where something is wrong, 3 where a search took more than NODES.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

using std::array;
using std::map;
using std::string;
using std::vector;

typedef unsigned __int128 Set;  // of cells

static Set one(int cell) { return (Set)1 << cell; }

static int count(Set s) {
    return __builtin_popcountll((uint64_t)s) + __builtin_popcountll((uint64_t)(s >> 64));
}

static int lowest(Set s) {
    return (uint64_t)s ? __builtin_ctzll((uint64_t)s) : 64 + __builtin_ctzll((uint64_t)(s >> 64));
}

[[noreturn]] static void refuse(const string &why) {
    std::cerr << why << std::endl;
    exit(2);
}

enum Kind { ROWS, ANIMALS, GROUPS, SIGHT };
enum { OPEN = -1, DRAW = 2 };  // besides a seat, 0 or 1

struct Game {
    Kind kind = ROWS;
    int cells = 0, supply = 1000, types = 0;
    vector<vector<int>> rows;      // the cells of each row, from the top
    vector<string> name;           // of each cell
    vector<array<int, 2>> place;   // column and row; of hexagons a step up right is (0, 1)
    vector<Set> winning, losing;   // shapes that end the game
    vector<vector<Set>> win_at, lose_at;
    vector<string> shape_name;     // of the release of each winning shape
    vector<Set> near;
    vector<array<vector<int>, 4>> rays;
    map<array<int, 2>, int> at;

    int find(int x, int y) const {
        auto it = at.find({x, y});
        return it == at.end() ? -1 : it->second;
    }
    Set full() const { return one(cells) - 1; }
};

static void add_lines(Game &g, int length, const vector<array<int, 2>> &ways, vector<Set> &into) {
    for (int c = 0; c < g.cells; c++)
        for (auto way : ways) {
            Set shape = 0;
            int last = c, many = 0;
            for (; many < length; many++) {
                int next = g.find(g.place[c][0] + many * way[0], g.place[c][1] + many * way[1]);
                if (next < 0) break;
                shape |= one(last = next);
            }
            if (many < length) continue;
            into.push_back(shape);
            auto ends = std::minmax(g.name[c], g.name[last]);
            if (&into == &g.winning) g.shape_name.push_back("x" + ends.first + "-" + ends.second);
        }
}

static Game squares(int size) {
    Game g;
    for (int x = 0; x < size; x++)
        for (int y = 0; y < size; y++) {
            g.name.push_back(string(1, 'a' + x) + std::to_string(y + 1));
            g.place.push_back({x, y});
        }
    g.cells = size * size;
    for (int y = size - 1; y >= 0; y--) {
        g.rows.emplace_back();
        for (int x = 0; x < size; x++) g.rows.back().push_back(x * size + y);
    }
    return g;
}

static Game hexagon(int first, int widest) {  // cells of the lowest row, and of the middle one
    Game g;
    int tall = widest - first;
    for (int y = 0; y <= 2 * tall; y++) {
        g.rows.insert(g.rows.begin(), vector<int>());
        int many = y <= tall ? first + y : widest - (y - tall);
        for (int k = 0; k < many; k++) {
            g.name.push_back(string(1, 'a' + y) + std::to_string(k + 1));
            g.place.push_back({k - std::min(y, tall), y});
            g.rows.front().push_back(g.cells++);
        }
    }
    return g;
}

static Game made(const string &id) {
    const vector<array<int, 2>> hex = {{1, 0}, {0, 1}, {-1, 1}};
    const vector<array<int, 2>> square = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    bool plus = id == "mammalath-plus", is_hex = false;
    Game g;
    if (id == "yavalath" || id == "manalath-61") g = hexagon(5, 9), is_hex = true;
    else if (id == "manalath") g = hexagon(6, 10), is_hex = true;
    else if (id == "surikata") g = squares(5);
    else if (id == "mammalath" || plus) g = squares(plus ? 8 : 6);
    else refuse("unknown game " + id);
    for (int c = 0; c < g.cells; c++) g.at[g.place[c]] = c;
    if (id == "yavalath") {
        add_lines(g, 4, hex, g.winning);
        add_lines(g, 3, hex, g.losing);
    } else if (is_hex) {
        g.kind = GROUPS;
        if (id == "manalath") g.supply = 25;
    } else if (id == "surikata") {
        g.kind = SIGHT;
        add_lines(g, 3, square, g.losing);
    } else {
        g.kind = ANIMALS;
        g.types = plus ? 8 : 6;
        g.supply = plus ? 32 : 18;
        add_lines(g, plus ? 4 : 3, square, g.winning);
        for (int c = 0; plus && c < g.cells; c++) {
            int x = g.place[c][0], y = g.place[c][1], corner = g.find(x + 1, y + 1);
            if (corner < 0) continue;
            Set block = one(c) | one(corner) | one(g.find(x, y + 1)) | one(g.find(x + 1, y));
            g.winning.push_back(block);
            g.shape_name.push_back("x" + g.name[c] + "-" + g.name[corner]);
        }
    }
    g.win_at.resize(g.cells);
    g.lose_at.resize(g.cells);
    g.near.assign(g.cells, 0);
    g.rays.resize(g.cells);
    const int step[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (int c = 0; c < g.cells; c++) {
        for (Set s : g.winning) if (s & one(c)) g.win_at[c].push_back(s);
        for (Set s : g.losing) if (s & one(c)) g.lose_at[c].push_back(s);
        int x = g.place[c][0], y = g.place[c][1], next;
        for (auto way : is_hex ? hex : square)
            for (int sign : {1, -1})
                if ((next = g.find(x + sign * way[0], y + sign * way[1])) >= 0) g.near[c] |= one(next);
        for (int d = 0; g.kind == SIGHT && d < 4; d++)
            for (int k = 1; (next = g.find(x + k * step[d][0], y + k * step[d][1])) >= 0; k++)
                g.rays[c][d].push_back(next);
    }
    return g;
}

struct State {
    Set stones[2] = {0, 0};  // of each seat; in Manalath of each colour
    Set other = 0;           // mounds, blockers, or cells with an animal
    uint64_t kinds[8] = {0}; // the animals of each type
    int meerkat = -1, mover = 0, winner = OPEN;
};

enum What { STONE, TYPE, SHAPE, SWAP, MOUND, ORANGE, PURPLE };
struct Move { int what, at; };

static Set group(const Game &g, Set of, int cell) {
    Set found = one(cell), front = found;
    while (front) {
        Set more = g.near[lowest(front)] & of & ~found;
        front = (front & (front - 1)) | more;
        found |= more;
    }
    return found;
}

static vector<Move> legal(const Game &g, const State &s) {
    vector<Move> moves;
    if (s.winner != OPEN) return moves;
    Set taken = s.stones[0] | s.stones[1];
    bool is_second_turn = s.mover == 1 && count(s.stones[0]) == 1 && !s.stones[1];
    if (g.kind == GROUPS) {
        for (int c = 0; c < g.cells; c++)
            for (int colour = 0; colour < 2; colour++)
                if (!((taken | s.other) & one(c)) && count(s.stones[colour]) < g.supply &&
                    count(group(g, s.stones[colour], c)) <= 5)
                    moves.push_back({ORANGE + colour, c});
        return moves;
    }
    if (g.kind == SIGHT) {
        taken |= s.other;
        if (s.meerkat >= 0)
            for (auto &ray : g.rays[s.meerkat])
                for (int c : ray) {
                    if (s.other & one(c)) break;
                    taken |= one(c);
                }
    }
    int what = g.kind == SIGHT && count(s.other) < 5 ? MOUND : STONE;
    for (int c = 0; c < g.cells; c++) if (!(taken & one(c))) moves.push_back({what, c});
    if (g.kind == ROWS && is_second_turn) moves.push_back({SWAP, 0});
    if (g.kind == ANIMALS && taken) {
        for (int t = 0; t < g.types; t++) if (s.kinds[t]) moves.push_back({TYPE, t});
        for (size_t i = 0; i < g.winning.size(); i++)
            if ((s.other & g.winning[i]) == g.winning[i]) moves.push_back({SHAPE, (int)i});
        if (is_second_turn && s.other == g.full()) moves.push_back({SWAP, 0});
    }
    return moves;
}

static int examined(const Game &g, const State &s, int colour) {  // OPEN where nothing ends
    bool has_five = false;
    for (Set left = s.stones[colour]; left;) {
        Set one_group = group(g, s.stones[colour], lowest(left));
        if (count(one_group) == 4) return 1 - colour;
        has_five |= count(one_group) == 5;
        left &= ~one_group;
    }
    return has_five ? colour : (int)OPEN;
}

static State played(const Game &g, State s, Move m) {
    int me = s.mover;
    s.mover = 1 - me;
    if (m.what == SWAP) {
        std::swap(s.stones[0], s.stones[1]);
    } else if (m.what == TYPE || m.what == SHAPE) {
        Set gone = m.what == TYPE ? (Set)s.kinds[m.at] : g.winning[m.at];
        s.other &= ~gone;
        for (auto &kind : s.kinds) kind &= ~(uint64_t)gone;
    } else if (m.what == MOUND) {
        s.other |= one(m.at);
        if (count(s.other) == 5) s.mover = me;
    } else if (m.what == ORANGE || m.what == PURPLE) {
        s.stones[m.what - ORANGE] |= one(m.at);
        s.winner = examined(g, s, me);
        if (s.winner == OPEN && legal(g, s).empty()) {
            s.winner = examined(g, s, s.mover);
            if (s.winner == OPEN) s.winner = DRAW;
        }
    } else {
        Set mine = s.stones[me] |= one(m.at);
        bool wins = false, loses = false;
        for (Set x : g.win_at[m.at])
            if ((mine & x) == x) (g.kind == ANIMALS && x & s.other ? loses : wins) = true;
        for (Set x : g.lose_at[m.at]) loses |= (mine & x) == x;
        if (g.kind == ROWS) loses &= !wins;
        Set taken = s.stones[0] | s.stones[1] | (g.kind == SIGHT ? s.other : 0);
        if (g.kind == SIGHT) s.meerkat = m.at;
        if (loses) s.winner = 1 - me;
        else if (wins) s.winner = me;
        else if (g.kind == ANIMALS ? count(mine) == g.supply : taken == g.full()) s.winner = DRAW;
        else if (g.kind == SIGHT && legal(g, s).empty()) s.winner = me;
    }
    return s;
}

static vector<string> split(const string &text, char by) {
    vector<string> found;
    std::istringstream in(text);
    for (string x; getline(in, x, by);) found.push_back(x);
    return found;
}

static map<char, Set> read_rows(const Game &g, const string &text) {
    map<char, Set> into;
    auto rows = split(text, '/');
    if (rows.size() != g.rows.size()) refuse("rows of " + text);
    for (size_t r = 0; r < rows.size(); r++) {
        size_t place = 0;
        for (size_t i = 0; i < rows[r].size();) {
            size_t digits = 0;
            while (i + digits < rows[r].size() && isdigit((unsigned char)rows[r][i + digits])) digits++;
            if (digits) place += stoi(rows[r].substr(i, digits)), i += digits;
            else into[rows[r][i++]] |= one(g.rows[r].at(place++));
        }
        if (place != g.rows[r].size()) refuse("a row of " + text);
    }
    return into;
}

static State read_state(const Game &g, const string &text) {
    auto fields = split(text, ' ');
    auto lies = read_rows(g, fields[g.kind == ANIMALS ? 1 : 0]);
    const char *codes = g.kind == GROUPS ? "op" : g.kind == SIGHT ? "ow" : "wb";
    State s;
    for (int seat = 0; seat < 2; seat++) s.stones[seat] = lies[codes[seat]];
    s.mover = fields.back()[0] == codes[1];
    s.other = g.kind == GROUPS ? lies['g'] : g.kind == SIGHT ? lies['m'] : 0;
    if (g.kind == SIGHT && fields[1] != "-")
        s.meerkat = std::find(g.name.begin(), g.name.end(), fields[1]) - g.name.begin();
    if (g.kind == ANIMALS) {
        auto animals = read_rows(g, fields[0]);
        for (int t = 0; t < g.types; t++) s.other |= s.kinds[t] = (uint64_t)animals['A' + t];
    }
    return s;
}

static string text_of(const Game &g, Move m) {
    switch (m.what) {
        case STONE: return g.name[m.at];
        case TYPE: return string("x") + (char)('A' + m.at);
        case SHAPE: return g.shape_name[m.at];
        case SWAP: return "swap";
        default: return string(1, "MOP"[m.what - MOUND]) + g.name[m.at];
    }
}

static Move read_move(const Game &g, const State &s, const string &text) {
    for (Move m : legal(g, s)) if (text_of(g, m) == text) return m;
    refuse("no legal move " + text);
}

static uint64_t mixed(uint64_t h) {
    h ^= h >> 30, h *= 0xbf58476d1ce4e5b9ULL;
    h ^= h >> 27, h *= 0x94d049bb133111ebULL;
    return h ^ h >> 31;
}

static uint64_t hashed(const State &s, int seat, int plies) {
    uint64_t h = 1;
    auto add = [&h](uint64_t x) { h = mixed(h + 0x9e3779b97f4a7c15ULL + x); };
    for (Set x : {s.stones[0], s.stones[1], s.other}) add((uint64_t)x), add((uint64_t)(x >> 64));
    for (uint64_t kind : s.kinds) add(kind);
    add((s.meerkat + 1) * 4 + s.mover * 2 + seat), add(plies);
    return h;
}

struct Enough {};
struct Entry { uint64_t key; int8_t is_won; };

static vector<Entry> table(1 << 22);
static std::unordered_map<uint64_t, int8_t> values;
static long long nodes, most;
static long history[2][7][1024];  // which moves were good before: what is looked at first

static bool wins(const Game &g, const State &s, int seat, int plies) {
    if (s.winner != OPEN) return s.winner == seat;
    if (plies <= 0) return false;
    if (++nodes > most) throw Enough();
    uint64_t key = hashed(s, seat, plies);
    Entry &known = table[key & (table.size() - 1)];
    if (plies > 1 && known.key == key) return known.is_won;
    bool is_own = s.mover == seat, found = !is_own;
    vector<State> after;
    vector<std::pair<long, int>> order;
    for (Move m : legal(g, s)) {
        after.push_back(played(g, s, m));
        if (after.back().winner == OPEN) {
            order.push_back({-history[is_own][m.what][m.at] * 1024 - m.at, (int)after.size() - 1});
        } else if ((after.back().winner == seat) == is_own) {
            found = is_own;
            order.clear();
            break;
        }
    }
    std::sort(order.begin(), order.end());
    auto moves = order.empty() ? vector<Move>() : legal(g, s);
    for (auto &next : order)
        if (wins(g, after[next.second], seat, plies - 1) == is_own) {
            Move m = moves[next.second];
            history[is_own][m.what][m.at] += plies * plies;
            found = is_own;
            break;
        }
    if (plies > 1) table[key & (table.size() - 1)] = {key, (int8_t)found};
    return found;
}

static int value(const Game &g, const State &s, int seat) {  // 1, 0 or -1, over the whole tree
    if (s.winner != OPEN) return s.winner == DRAW ? 0 : s.winner == seat ? 1 : -1;
    uint64_t key = hashed(s, seat, -1);
    auto known = values.find(key);
    if (known != values.end()) return known->second;
    if (++nodes > most) throw Enough();
    int sign = s.mover == seat ? 1 : -1, best = -1;
    for (Move m : legal(g, s)) {
        best = std::max(best, sign * value(g, played(g, s, m), seat));
        if (best == 1) break;
    }
    return values[key] = sign * best;
}

static int tempting(const Game &g, const State &s) {
    int found = 0;
    for (Move m : legal(g, s)) {
        State after = played(g, s, m);
        bool is_bad = after.winner == 1 - s.mover;
        if (after.winner == OPEN && after.mover != s.mover)
            for (Move reply : legal(g, after)) is_bad |= played(g, after, reply).winner == after.mover;
        found += !is_bad;
    }
    return found;
}

static int first_win(const Game &g, const State &s, int seat, int deepest) {  // -1: none so deep
    for (int plies = 0; plies <= deepest; plies++) if (wins(g, s, seat, plies)) return plies;
    return -1;
}

typedef map<string, string> Tags;

struct Opinion { string wrong, open; };

static long long budget() { return getenv("NODES") ? atoll(getenv("NODES")) : 300000000LL; }

static void begin() {
    nodes = 0, most = budget();
    memset(history, 0, sizeof history);
}

// Whether a seat wins from here, or at least holds: 1, 0, -1; throws Enough.
static int settled(const Game &g, const State &s, int seat) {
    try {
        for (int plies = 0; plies <= 14; plies++) {
            begin();
            if (wins(g, s, 1 - seat, plies)) return -1;
            if (wins(g, s, seat, plies)) return 1;
        }
    } catch (Enough &) {
    }
    begin(), values.clear();
    return value(g, s, seat);
}

static Opinion about_puzzle(const Tags &tags, const vector<string> &line) {
    Game g = made(tags.at("Game"));
    State s = read_state(g, tags.at("Position"));
    int me = s.mover, plies = stoi(tags.at("Plies")), tempts = tempting(g, s);
    int depth = plies ? std::min(4, std::max(1, (plies - 1) / 2)) : 4;
    string task = tags.at("Puzzle");
    Opinion found;
    if (std::to_string(tempts) != tags.at("Tempting")) found.wrong += " Tempting";
    if (std::to_string(std::min(5, depth + (tempts >= 10))) != tags.at("Grade")) found.wrong += " Grade";
    State at = s;
    for (size_t n = 0; n < line.size(); n++) {
        at = played(g, at, read_move(g, at, line[n]));
        if (task == "hold") continue;
        begin();
        int left = first_win(g, at, me, plies);
        if (left + (int)n + 1 != plies) {
            found.wrong += " length after " + line[n] + ": " + std::to_string(left);
            break;
        }
    }
    if (task != "hold" && at.winner != me) found.wrong += " the line ends early";
    for (Move m : legal(g, s)) {
        string text = text_of(g, m);
        State after = played(g, s, m);
        bool is_answer = text == line[0];
        try {
            begin();
            if (task == "win-in") {
                if (wins(g, after, me, plies - 1) != is_answer) found.wrong += " " + text;
                continue;
            }
            int value = settled(g, after, me);
            bool is_right = task == "win" ? value == 1 : value >= 0;
            if (is_right != is_answer) found.wrong += " " + text + ": " + std::to_string(value);
        } catch (Enough &) {
            found.open += " " + text;
        }
    }
    return found;
}

static string about_claim(const vector<string> &told) {  // what is wrong; "?" where it is not known
    Game g = made(told.at(0));
    State s = read_state(g, told.at(1));
    int me = s.mover, winner = told.at(2) == "win" ? me : 1 - me;
    try {
        begin();
        if (told.at(2) == "draw") {
            values.clear();
            return value(g, s, me) ? "not a draw" : "";
        }
        if (told.at(3) == "-" && told.at(4) == "-")
            return settled(g, s, winner) == 1 ? "" : "not a " + told[2];
        bool is_exact = told[3] != "-";
        int said = stoi(told[is_exact ? 3 : 4]), plies = first_win(g, s, winner, said);
        if (plies < 0) return "not a " + told[2] + " in " + std::to_string(said);
        return is_exact && plies != said ? "it is in " + std::to_string(plies) : "";
    } catch (Enough &) {
        return "?";
    }
}

static int judge_claims() {
    int all = 0, wrong = 0, open = 0;
    for (string line; getline(std::cin, line); all++) {
        string why = about_claim(split(line, '\t'));
        why == "?" ? open++ : wrong += !why.empty();
        if (!why.empty()) std::cout << line << "\t" << why << std::endl;
    }
    std::cout << all << " claims: " << wrong << " wrong, " << open << " not settled" << std::endl;
    return wrong ? 1 : open ? 3 : 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && string(argv[1]) == "--claims") return judge_claims();
    int all = 0, wrong = 0, open = 0;
    for (int f = 1; f < argc; f++) {
        std::ifstream in(argv[f]);
        Tags tags;
        vector<string> moves;
        int number = 0;
        auto judge = [&] {
            if (moves.empty()) return;
            Opinion found = about_puzzle(tags, moves);
            number++, all++, wrong += !found.wrong.empty(), open += !found.open.empty();
            if (!found.wrong.empty()) std::cout << argv[f] << " " << number << " wrong:" << found.wrong << std::endl;
            if (!found.open.empty()) std::cout << argv[f] << " " << number << " not settled:" << found.open << std::endl;
            tags.clear(), moves.clear();
        };
        for (string line; getline(in, line);) {
            if (line[0] == '[') {
                judge();
                size_t quote = line.find('"');
                tags[line.substr(1, line.find(' ') - 1)] = line.substr(quote + 1, line.rfind('"') - quote - 1);
            } else {
                std::istringstream words(line);
                for (string word; words >> word;)
                    if (!isdigit((unsigned char)word[0]) && word != "*") moves.push_back(word);
            }
        }
        judge();
    }
    std::cout << all << " puzzles: " << wrong << " wrong, " << open << " not settled" << std::endl;
    return wrong ? 1 : open ? 3 : 0;
}
