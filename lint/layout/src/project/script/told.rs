//! The `cfg` names that a build script certainly sets or does not set, derived from the conditions
//! in its `main` and from tables of `cfg_aliases!`.

mod cond;
mod token;

#[cfg(test)]
mod tests;

use cargo_platform::{Cfg, CfgExpr};
pub use cond::Holds;
use cond::{Cond, any, condition, decide, expression, is_channel, names_minor};
use std::collections::{BTreeMap, HashMap};
use token::{Token, inside, tokens};

/// The conditions under which a build script sets names.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    /// Names with all conditions under which they are printed.
    prints: BTreeMap<String, Vec<Cond>>,
    /// The number of places that print a name, and of texts that mention `rustc-cfg`.
    places: usize,
    mentions: usize,
    /// The names of `cfg_aliases!` with their conditions, in order.
    aliases: Vec<(String, CfgExpr)>,
}

/// Limit of nesting.
const DEEPEST: u32 = 64;

/// Size limit of a build script, in bytes; nothing is derived from a longer one.
const LONGEST: usize = 256 * 1024;

/// Limit of the number of variables, of early returns and of aliases.
const MOST: usize = 256;

impl Told {
    /// Reads the text of a script.
    pub(super) fn read(text: &str) -> Told {
        let mut told = Told::default();
        if text.len() > LONGEST {
            return told;
        }
        let tokens = tokens(text);
        let texts = tokens.iter().filter_map(|token| match token {
            Token::Text(text) => Some(text.matches("rustc-cfg").count()),
            _ => None,
        });
        told.mentions = texts.sum();
        let mut depth = 0;
        let mut starts = Vec::new();
        for (i, token) in tokens.iter().enumerate() {
            match token {
                Token::Mark('{') => depth += 1,
                Token::Mark('}') => depth -= 1,
                Token::Word("fn") => {
                    let is_main = tokens.get(i + 1) == Some(&Token::Word("main"));
                    starts.push((i, is_main && depth == 0));
                }
                _ => {}
            }
        }
        let attributed = |at: usize| at > 0 && tokens[at - 1] == Token::Mark(']');
        let mut mains = starts.iter().filter(|(_, is_main)| *is_main);
        // Of several functions `main`, or under an attribute, one may be configured out.
        if mains.next().is_none_or(|(at, _)| attributed(*at)) || mains.next().is_some() {
            return told;
        }
        // By convention `minor` is the minor version of rustc, if the script reads `RUSTC`.
        let minor = tokens.contains(&Token::Text("RUSTC"));
        let minor = minor.then(|| ("minor".to_owned(), Cond::Minor));
        let versions: Vec<Token> = starts
            .iter()
            .filter(|(at, _)| says_version(&tokens, *at))
            .map(|(at, _)| tokens[at + 1])
            .collect();
        for (at, is_main) in starts {
            let Some(open) = tokens[at..].iter().position(|t| *t == Token::Mark('{')) else {
                continue;
            };
            let body = inside(&tokens, at + open);
            let mut walk = Walk {
                told: &mut told,
                versions: &versions,
                known: minor.iter().cloned().collect(),
                left: Vec::new(),
            };
            // The conditions under which other functions are called are not analysed.
            let when = if is_main { vec![] } else { vec![Cond::Open] };
            walk.block(body, &when, 0);
        }
        told
    }

    /// Returns true if the conditions cover every printed name.
    pub(super) fn is_all(&self) -> bool {
        self.places == self.mentions
    }

    /// Returns whether a name is set; `None` if there is no condition for it, or its value is
    /// unknown.
    pub(super) fn sets(&self, name: &str, holds: Holds) -> Option<bool> {
        let prints = self.prints.get(name).map(|conds| any(conds, holds));
        let alias = self.aliases.iter().rposition(|(n, _)| n == name);
        let alias = alias.map(|at| self.aliased(at, holds));
        match (prints, alias) {
            (None, None) => None,
            (Some(one), None) | (None, Some(one)) => one,
            (Some(Some(true)), _) | (_, Some(Some(true))) => Some(true),
            (Some(a), Some(b)) => a.and(b),
        }
    }

    /// Returns the value of an alias; it may refer only to aliases before it.
    fn aliased(&self, at: usize, holds: Holds) -> Option<bool> {
        let mut known: Vec<Option<bool>> = Vec::new();
        for (i, (_, cfg)) in self.aliases[..=at].iter().enumerate() {
            let ask = |cfg: &Cfg| {
                let before = match cfg {
                    Cfg::Name(name) => {
                        let mut before = self.aliases[..i].iter();
                        before.rposition(|(n, _)| name == n.as_str())
                    }
                    Cfg::KeyPair(..) => None,
                };
                before.map_or_else(|| holds(cfg, false), |before| known[before])
            };
            let holds = decide(cfg, &ask);
            known.push(holds);
        }
        known[at]
    }
}

/// The state of the walk over a function's statements.
struct Walk<'w> {
    told: &'w mut Told,
    /// The functions that certainly return the minor version of rustc.
    versions: &'w [Token<'w>],
    /// Variables with conditions as values.
    known: HashMap<String, Cond>,
    /// The conditions under which the function has returned.
    left: Vec<Cond>,
}

impl Walk<'_> {
    fn block(&mut self, tokens: &[Token], when: &[Cond], depth: u32) {
        if depth > DEEPEST {
            return self.leave(Cond::Open);
        }
        let known = self.known.clone();
        let open: Vec<_> = when.iter().cloned().chain([Cond::Open]).collect();
        let mut at = 0;
        while at < tokens.len() {
            // Inside a statement, or after an attribute, other conditions may apply.
            let plain = match at.checked_sub(1).map(|before| tokens[before]) {
                None | Some(Token::Mark(';' | '{' | '}')) => true,
                _ => begins_path(&tokens[..at]),
            };
            let when = if plain { when } else { &open[..] };
            at += match &tokens[at..] {
                [Token::Word("let"), rest @ ..] => self.bind(rest, plain),
                [Token::Word("if"), rest @ ..] => self.branch(rest, when, depth),
                [Token::Word("return" | "exit"), ..] => {
                    self.leave(Cond::All(when.to_vec()));
                    1
                }
                [
                    Token::Word("println"),
                    Token::Mark('!'),
                    Token::Mark('('),
                    Token::Text(text),
                    ..,
                ] => {
                    self.print(text, when);
                    4
                }
                [
                    Token::Word("cfg_aliases"),
                    Token::Mark('!'),
                    Token::Mark('{'),
                    ..,
                ] => {
                    let table = inside(tokens, at + 2);
                    if when.is_empty() && self.left.is_empty() {
                        self.table(table);
                    }
                    3 + table.len()
                }
                // Another function is read separately.
                [Token::Word("fn"), ..] => {
                    let open = tokens[at..].iter().position(|t| *t == Token::Mark('{'));
                    open.map_or(1, |open| open + 2 + inside(tokens, at + open).len())
                }
                [Token::Mark('{'), ..] => {
                    let body = inside(tokens, at);
                    self.apart(body, &open, depth + 1);
                    1 + body.len()
                }
                _ => 1,
            };
        }
        self.known = known;
    }

    /// Records that the function may have returned from here on.
    fn leave(&mut self, when: Cond) {
        if self.left.len() < MOST {
            self.left.push(when);
        } else {
            self.left = vec![Cond::Open];
        }
    }

    fn learn(&mut self, name: &str, cond: Cond) {
        // A variable that is missing from the map is unknown.
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.known.insert(name.to_owned(), cond);
    }

    /// Walks a block after a pattern that may shadow names.
    fn apart(&mut self, tokens: &[Token], when: &[Cond], depth: u32) {
        let known = std::mem::take(&mut self.known);
        self.block(tokens, when, depth);
        self.known = known;
    }

    /// Handles `let name = condition;`. The value of a mutable variable is unknown.
    fn bind(&mut self, rest: &[Token], plain: bool) -> usize {
        let (name, value) = match rest {
            [Token::Word(name), Token::Mark('='), value @ ..] if *name != "mut" => (*name, value),
            _ => {
                let ends = |t: &&Token| !matches!(t, Token::Mark('=' | ';'));
                for token in rest.iter().take_while(ends) {
                    if let Token::Word(name) = token {
                        self.learn(name, Cond::Open);
                    }
                }
                return 1;
            }
        };
        let end = value.iter().position(|t| *t == Token::Mark(';'));
        let minor = self.known.values().any(|c| matches!(c, Cond::Minor));
        let cond = match end.filter(|_| plain) {
            Some(end) if minor && value[..end].iter().any(names_minor) => Cond::Minor,
            Some(end) if is_channel(&value[..end]) => Cond::Channel,
            Some(end) => condition(&value[..end], &self.known),
            None => Cond::Open,
        };
        self.learn(name, cond);
        // A block in the value is walked as a block.
        1
    }

    fn branch(&mut self, rest: &[Token], when: &[Cond], depth: u32) -> usize {
        let open = rest.iter().position(|t| *t == Token::Mark('{'));
        let Some(open) = open.filter(|_| depth <= DEEPEST) else {
            self.leave(Cond::Open);
            return 1;
        };
        let body = inside(rest, open);
        let with = |cond: Cond| when.iter().cloned().chain([cond]).collect::<Vec<_>>();
        let cond = match &rest[..open] {
            [
                Token::Word("let"),
                Token::Word("Some" | "Ok"),
                Token::Mark('('),
                Token::Word(name),
                Token::Mark(')'),
                Token::Mark('='),
                call,
                Token::Mark('('),
                Token::Mark(')'),
            ] if self.versions.contains(call) => {
                let known = self.known.clone();
                self.learn(name, Cond::Minor);
                self.block(body, when, depth + 1);
                self.known = known;
                Cond::All(Vec::new())
            }
            tokens => {
                let cond = condition(tokens, &self.known);
                match tokens.contains(&Token::Word("let")) {
                    true => self.apart(body, &with(Cond::Open), depth + 1),
                    false => self.block(body, &with(cond.clone()), depth + 1),
                }
                cond
            }
        };
        // `if`, the condition, and the braces.
        let end = 1 + open + body.len() + 2;
        let not = with(Cond::Not(Box::new(cond)));
        match &rest[(end - 1).min(rest.len())..] {
            [Token::Word("else"), Token::Word("if"), more @ ..] => {
                end + 1 + self.branch(more, &not, depth + 1)
            }
            [Token::Word("else"), Token::Mark('{'), ..] => {
                let body = inside(rest, end);
                self.block(body, &not, depth + 1);
                end + 1 + body.len() + 2
            }
            _ => end,
        }
    }

    fn print(&mut self, text: &str, when: &[Cond]) {
        let text = text.strip_prefix("cargo:").unwrap_or_default();
        let text = text.strip_prefix(':').unwrap_or(text);
        let Some(name) = text.strip_prefix("rustc-cfg=") else {
            return;
        };
        let name = name.replace("\\\"", "\"");
        let feature = name.strip_prefix("feature=\"");
        let word = feature.map_or(Some(&*name), |value| value.strip_suffix('"'));
        if word.is_some_and(|word| !word.is_empty() && word.chars().all(super::is_word)) {
            let left = self.left.iter().cloned().map(|c| Cond::Not(Box::new(c)));
            let cond = Cond::All(when.iter().cloned().chain(left).collect());
            let conds = self.told.prints.entry(name).or_default();
            conds.push(cond);
            self.told.places += 1;
        }
    }

    /// Reads `name: { condition }, …`.
    fn table(&mut self, tokens: &[Token]) {
        let mut at = 0;
        while let [Token::Word(name), Token::Mark(':'), Token::Mark('{'), ..] =
            &tokens[at.min(tokens.len())..]
        {
            let cond = inside(tokens, at + 2);
            let Some(cfg) = expression(cond).filter(|_| self.told.aliases.len() < MOST) else {
                return;
            };
            self.told.aliases.push(((*name).to_owned(), cfg));
            at += 3 + cond.len() + 1;
            at += usize::from(tokens.get(at) == Some(&Token::Mark(',')));
        }
    }
}

/// Returns true for a function that asks rustc for its minor version, and returns none only if that
/// fails.
fn says_version(tokens: &[Token], at: usize) -> bool {
    let open = tokens[at..].iter().position(|t| *t == Token::Mark('{'));
    let body = open.map_or(&[][..], |open| inside(tokens, at + open));
    tokens.get(at + 1).is_some_and(names_minor)
        && body.contains(&Token::Text("RUSTC"))
        && !body.contains(&Token::Word("None"))
}

/// Returns true after `cfg_aliases::` at the start of a statement.
fn begins_path(before: &[Token]) -> bool {
    match before {
        [
            rest @ ..,
            Token::Word("cfg_aliases"),
            Token::Mark(':'),
            Token::Mark(':'),
        ] => matches!(rest.last(), None | Some(Token::Mark(';' | '{' | '}'))),
        _ => false,
    }
}
