// A bot that plays any legal move, in Rust. It knows no rules: the arena lists the legal moves.
//
//     rustc -O -o mybot mybot.rs && arena bot check -- ./mybot
use std::collections::HashMap;
use std::io::{self, BufRead, Write};

/// SplitMix64: a few lines, and the same numbers on every machine.
struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % count as u64) as usize
    }
}

struct Game {
    legal: Vec<String>,            // the moves of the last `legal` line
    history: HashMap<u32, String>, // by ply: a bot with rules would play these moves
    chance: Chance,                // begun anew by each `new`: the same seed, the same game
}

impl Game {
    fn new(seed: u64) -> Game {
        Game { legal: Vec::new(), history: HashMap::new(), chance: Chance(seed) }
    }

    /// Your bot begins here.
    fn choose(&mut self) -> String {
        if self.legal.is_empty() {
            return "resign".to_string();
        }
        let place = self.chance.below(self.legal.len());
        self.legal[place].clone()
    }
}

fn main() -> io::Result<()> {
    let mut out = io::stdout();
    let mut game = Game::new(0);
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect(); // a CR is a blank, too
        match words.as_slice() {
            ["arena", ..] => writeln!(
                out,
                "id name Legal (Rust)\n\
                 game mammalath:* mammalath-plus:* manalath:* manalath-61:* surikata:* yavalath:*\n\
                 want legal\nok"
            )?,
            // new ID GAME side S tc T seed N [setup … | position …]
            ["new", id, rest @ ..] => {
                let seed = rest.iter().position(|word| *word == "seed").map(|at| rest[at + 1]);
                game = Game::new(seed.and_then(|text| text.parse().ok()).unwrap_or(0));
                writeln!(out, "ready {id}")?;
            }
            // play N MOVE: the other side's move, or one of an opening
            ["play", ply, text, ..] => {
                game.history.insert(ply.parse().unwrap_or(0), text.to_string());
            }
            ["legal", moves @ ..] => {
                game.legal = moves.iter().map(|text| text.to_string()).collect();
            }
            // The answer repeats the ply, so that a late one harms nobody.
            ["go", ply, ..] => {
                let text = game.choose();
                writeln!(out, "bestmove {ply} {text}")?;
                game.history.insert(ply.parse().unwrap_or(0), text);
            }
            ["ping", id, ..] => writeln!(out, "pong {id}")?,
            ["quit", ..] => break,
            _ => {} // later versions of the protocol may say more
        }
        out.flush()?;
    }
    Ok(())
}
