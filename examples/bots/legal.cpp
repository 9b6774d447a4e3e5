// A bot that plays any legal move, in C++17. It knows no rules: the arena lists the legal moves.
//
//     c++ -std=c++17 -O2 -o mybot mybot.cpp && arena bot check -- ./mybot
#include <cstdint>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

// SplitMix64: a few lines, and the same numbers on every machine.
class Chance {
public:
    explicit Chance(std::uint64_t seed) : state(seed) {}

    std::size_t below(std::size_t count) {
        state += 0x9e3779b97f4a7c15u;
        std::uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return (z ^ (z >> 31)) % count;
    }

private:
    std::uint64_t state;
};

struct Game {
    std::vector<std::string> legal;      // the moves of the last `legal` line
    std::map<int, std::string> history;  // by ply: a bot with rules would play these moves
    Chance chance{0};                    // begun anew by each `new`: the same seed, the same game
};

// Your bot begins here.
std::string choose(Game &game) {
    return game.legal.empty() ? "resign" : game.legal[game.chance.below(game.legal.size())];
}

int main() {
    std::ios::sync_with_stdio(false);
    Game game;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);  // a CR at the end is a blank, too
        std::string word, id;
        words >> word;
        if (word == "arena") {
            std::cout << "id name Legal (C++)\n"
                         "game mammalath:* mammalath-plus:* manalath:* manalath-61:* surikata:* "
                         "yavalath:*\n"
                         "want legal\n"
                         "ok"
                      << std::endl;
        } else if (word == "new") {  // new ID GAME side S tc T seed N [setup … | position …]
            words >> id;
            game = Game{};
            while (words >> word)
                if (word == "seed") {
                    std::uint64_t seed = 0;
                    words >> seed;
                    game.chance = Chance(seed);
                    break;
                }
            std::cout << "ready " << id << std::endl;
        } else if (word == "play") {  // play N MOVE: the other side's move, or one of an opening
            int ply = 0;
            words >> ply >> word;
            game.history[ply] = word;
        } else if (word == "legal") {
            game.legal.clear();
            while (words >> word) game.legal.push_back(word);
        } else if (word == "go") {  // the answer repeats the ply, so that a late one harms nobody
            int ply = 0;
            words >> ply;
            const std::string move = choose(game);
            game.history[ply] = move;
            std::cout << "bestmove " << ply << ' ' << move << std::endl;
        } else if (word == "ping") {
            words >> id;
            std::cout << "pong " << id << std::endl;
        } else if (word == "quit") {
            break;
        }  // all else is ignored: later versions of the protocol may say more
    }
}
