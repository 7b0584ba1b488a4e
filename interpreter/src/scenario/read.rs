//! Reads scenario files: what is written where, and nothing about what the names mean.

use super::document::{
    Expectation, Given, Legal, Over, Scenario, Score, StateItem, Step, Written, WrittenMove,
};
use super::setup::Setup;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::numbers::Fit as _;
use crate::play::{RefusalReason, Seat};
use crate::program::package::Configuration;
use crate::source::{FileId, Sources, Span, Spanned};
use crate::syntax::document::read::{Fields, is_int, unknown_key};
use crate::syntax::document::{self, Node, Pair};

/// The greatest number of seats at a table.
const MOST_PLAYERS: u8 = 12;

const REASONS: &[(&str, RefusalReason)] = &[
    ("match_over", RefusalReason::MatchOver),
    ("not_asked", RefusalReason::NotAsked),
    ("unknown_move", RefusalReason::UnknownMove),
    ("malformed", RefusalReason::MalformedArgument),
    ("forbidden", RefusalReason::Forbidden),
];

/// Reads the scenarios of a file: one, or a list under `scenarios`; nothing in place of one that cannot be read. `house` are the house rules at
/// hand, and `own` the one to which the file belongs.
pub(super) fn read(
    sources: &Sources,
    file: FileId,
    house: &[String],
    own: Option<&str>,
    diagnostics: &mut Diagnostics,
) -> Vec<Option<Scenario>> {
    let Some(root) = document::parse(sources, file, diagnostics) else {
        return vec![None];
    };
    let reader = Reader { house, own };
    if root.get("scenarios").is_none() {
        return vec![reader.whole(&root, None, diagnostics)];
    }
    let at = start(&root);
    let Some(mut fields) = Fields::open(&root, "a file of scenarios", at, diagnostics) else {
        return vec![None];
    };
    let game = fields.take("game", diagnostics);
    let game = game.map(|node| reader.game(node, diagnostics));
    let list = fields.require("scenarios", diagnostics);
    let list = list.and_then(|node| node.list("scenarios", diagnostics));
    fields.finish(diagnostics);
    let list = list.unwrap_or_default().iter();
    list.map(|node| reader.whole(node, game.as_ref(), diagnostics))
        .collect()
}

/// Where a map begins: its first key.
fn start(node: &Node) -> Span {
    node.pairs()
        .and_then(|pairs| pairs.first())
        .map_or(node.span, |pair| pair.key.span)
}

struct Reader<'a> {
    house: &'a [String],
    own: Option<&'a str>,
}

#[derive(Clone)]
struct Game {
    setup: Setup,
    span: Span,
    ruleset: Option<Spanned<String>>,
    seed: u64,
}

impl Reader<'_> {
    /// Reads a scenario; one that is wrong is reported and not played. `game` is what the file says
    /// of all its scenarios, if it does, and if that could be read.
    fn whole(
        &self,
        node: &Node,
        game: Option<&Option<Game>>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Scenario> {
        let before = diagnostics.counts().0;
        let scenario = self.scenario(node, game, diagnostics)?;
        if diagnostics.counts().0 == before {
            if !scenario.can_fail() {
                diagnostics.push(
                    Code::ScenarioWithoutExpectation
                        .error(scenario.name.span, "this scenario expects nothing")
                        .help("make a move under `when:`, or say what is true under `then:`"),
                );
            } else if !scenario.expected().all(Expectation::says_anything) {
                // As a skeleton has it, until a person fills it.
                let at = node
                    .get("then")
                    .map_or(scenario.name.span, |then| then.span);
                diagnostics.push(
                    Code::ScenarioWithoutExpectation
                        .error(at, "an expectation of this scenario says nothing")
                        .help("say what is true then, or leave `then:` out"),
                );
            }
        }
        (diagnostics.counts().0 == before).then_some(scenario)
    }

    fn scenario(
        &self,
        node: &Node,
        game: Option<&Option<Game>>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Scenario> {
        let at = node.get("scenario").map_or(start(node), |name| name.span);
        let mut fields = Fields::open(node, "a scenario", at, diagnostics)?;
        let name = fields
            .require("scenario", diagnostics)
            .and_then(|n| n.text("what the scenario shows", diagnostics));
        let cites = fields
            .take("cites", diagnostics)
            .and_then(|n| n.list("ids of clauses", diagnostics));
        let cites = cites
            .unwrap_or_default()
            .iter()
            .filter_map(|n| n.address("the id of a clause", diagnostics))
            .collect();
        let game = match game {
            Some(game) if !fields.has("game") => game.clone(),
            _ => {
                let node = fields.require("game", diagnostics);
                node.and_then(|node| self.game(node, diagnostics))
            }
        };
        let players = game
            .as_ref()
            .map_or(MOST_PLAYERS, |game| game.setup.configuration.players);
        let seats = Seats { players };
        let given = fields
            .take("given", diagnostics)
            .map(|n| seats.given(n, diagnostics))
            .unwrap_or_default();
        let when = fields
            .take("when", diagnostics)
            .and_then(|n| n.list("moves", diagnostics))
            .unwrap_or_default();
        let when = when
            .iter()
            .filter_map(|n| seats.step(n, diagnostics))
            .collect();
        let then = fields
            .take("then", diagnostics)
            .and_then(|n| seats.expectation(n, diagnostics));
        fields.finish(diagnostics);
        let game = game?;
        Some(Scenario {
            name: name?,
            cites,
            setup: game.setup,
            game: game.span,
            ruleset: game.ruleset,
            seed: game.seed,
            given,
            when,
            then,
        })
    }

    fn game(&self, node: &Node, diagnostics: &mut Diagnostics) -> Option<Game> {
        let mut fields = Fields::open(node, "the game of a scenario", start(node), diagnostics)?;
        let players = fields
            .require("players", diagnostics)
            .and_then(|n| n.int_within("a number of players", 1, MOST_PLAYERS.into(), diagnostics));
        let seed = fields
            .take("seed", diagnostics)
            .and_then(|n| n.int_within("a seed", 0, i64::MAX, diagnostics));
        let ruleset = fields
            .take("ruleset", diagnostics)
            .and_then(|n| n.address("the id of a ruleset", diagnostics));
        let mut configuration = Configuration::base(players.as_ref().map_or(0, |n| n.node.fit()));
        let mut house: Vec<String> = self.own.iter().map(|own| (*own).to_owned()).collect();
        let modules = fields
            .take("modules", diagnostics)
            .and_then(|n| n.list("ids of modules", diagnostics));
        for id in modules
            .unwrap_or_default()
            .iter()
            .filter_map(|n| n.address("the id of a module", diagnostics))
        {
            let list = if self.house.contains(&id.node) {
                &mut house
            } else {
                &mut configuration.modules
            };
            if !list.contains(&id.node) {
                list.push(id.node);
            }
        }
        let options = fields
            .take("options", diagnostics)
            .and_then(|n| n.map("options by their names", diagnostics));
        for pair in options.unwrap_or_default() {
            let value = match pair.value.plain() {
                Some(text) if is_int(text) => {
                    pair.value.int("a number", diagnostics).map(|n| n.node)
                }
                _ => pair
                    .value
                    .bool("the value of an option", diagnostics)
                    .map(|b| i64::from(b.node)),
            };
            configuration
                .options
                .extend(value.map(|value| (pair.key.node.clone(), value)));
        }
        fields.finish(diagnostics);
        players?;
        Some(Game {
            setup: Setup {
                configuration,
                house,
            },
            span: node.span,
            ruleset,
            seed: seed.map_or(1, |seed| seed.node.fit()),
        })
    }
}

/// Reads what names seats; knows how many there are.
struct Seats {
    players: u8,
}

impl Seats {
    /// `p1`: the first seat.
    fn seat(&self, text: &str) -> Option<Seat> {
        let number: u8 = text.strip_prefix('p')?.parse().ok()?;
        (1..=self.players)
            .contains(&number)
            .then(|| Seat(number - 1))
    }

    fn read_seat(
        &self,
        text: &Spanned<String>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Spanned<Seat>> {
        match self.seat(&text.node) {
            Some(seat) => Some(Spanned::new(seat, text.span)),
            None => {
                diagnostics.push(
                    Code::UnknownSeat
                        .error(
                            text.span,
                            format!("`{}` is nobody at this table", text.node),
                        )
                        .help(format!("the players are `p1` to `p{}`", self.players)),
                );
                None
            }
        }
    }

    /// One seat, a list of seats, or `nobody`.
    fn seats(&self, node: &Node, diagnostics: &mut Diagnostics) -> Option<Spanned<Vec<Seat>>> {
        if node.plain() == Some("nobody") {
            return Some(Spanned::new(Vec::new(), node.span));
        }
        let items = match node.scalar() {
            Some(_) => std::slice::from_ref(node),
            None => node.list("players", diagnostics)?,
        };
        let mut seats = Vec::new();
        for item in items {
            seats.push(
                self.read_seat(&item.text("a player", diagnostics)?, diagnostics)?
                    .node,
            );
        }
        seats.sort();
        Some(Spanned::new(seats, node.span))
    }

    fn given(&self, node: &Node, diagnostics: &mut Diagnostics) -> Given {
        let mut given = Given::default();
        for pair in node
            .map("changes to the table", diagnostics)
            .unwrap_or_default()
        {
            match pair.key.node.as_str() {
                "phase" => given.phase = self.phase(&pair.value, diagnostics),
                "at" => given.at = pair.value.address("the address of a step", diagnostics),
                "after" if pair.value.scalar().is_some() => {
                    given.after_phase = pair.value.text("a phase, or moves", diagnostics);
                }
                "after" => {
                    let moves = pair.value.list("moves", diagnostics).unwrap_or_default();
                    for node in moves {
                        match self.step(node, diagnostics) {
                            Some(Step::Move(made)) => given.after.push(made),
                            Some(_) => diagnostics.push(
                                Code::WrongNodeKind
                                    .error(
                                        node.span,
                                        "only moves are made before the table is changed",
                                    )
                                    .help("write what is refused or expected under `when:`"),
                            ),
                            None => {}
                        }
                    }
                }
                "turn_of" => {
                    let steps = pair
                        .value
                        .map("steps, and whose turn it is there", diagnostics);
                    for step in steps.unwrap_or_default() {
                        let seat = step.value.text("a player", diagnostics);
                        let seat = seat.and_then(|seat| self.read_seat(&seat, diagnostics));
                        given
                            .turns
                            .extend(seat.map(|seat| (step.key.clone(), seat)));
                    }
                }
                "rolls" => {
                    let dice = pair.value.map("dice", diagnostics).unwrap_or_default();
                    given.rolls.extend(dice.iter().cloned());
                }
                "draws" => {
                    let piles = pair.value.map("piles", diagnostics).unwrap_or_default();
                    given.draws.extend(piles.iter().cloned());
                }
                _ => self.state(pair, &mut given.state, diagnostics),
            }
        }
        given
    }

    /// `captain`, or `{captain: {holder: p1}}`
    fn phase(
        &self,
        node: &Node,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Spanned<String>, Vec<Pair>)> {
        let written = self.written(node, "a phase", diagnostics)?;
        Some((written.name, written.args))
    }

    /// `p1: {…}` and `table: {…}` with places, counters and markers in them; or one of these.
    fn state(&self, pair: &Pair, state: &mut Vec<StateItem>, diagnostics: &mut Diagnostics) {
        let looks_like_seat = pair
            .key
            .node
            .strip_prefix('p')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
        let seat = match pair.key.node.as_str() {
            "table" => None,
            _ if looks_like_seat => match self.read_seat(&pair.key, diagnostics) {
                Some(seat) => Some(seat.node),
                None => return,
            },
            _ => {
                return state.push(StateItem {
                    seat: None,
                    pair: pair.clone(),
                });
            }
        };
        for pair in pair
            .value
            .map("places, counters and markers", diagnostics)
            .unwrap_or_default()
        {
            state.push(StateItem {
                seat,
                pair: pair.clone(),
            });
        }
    }

    /// `pass`, or `{load: {g: corn}}`
    fn written(&self, node: &Node, what: &str, diagnostics: &mut Diagnostics) -> Option<Written> {
        if node.scalar().is_some() {
            let name = node.text(what, diagnostics)?;
            return Some(Written {
                name,
                args: Vec::new(),
                ways: None,
                whole: node.span,
            });
        }
        let pairs = node.map(what, diagnostics)?;
        let [pair] = pairs else {
            diagnostics.push(
                Code::InvalidScenarioStep
                    .error(
                        node.span,
                        format!("{what} has one name, this has {}", pairs.len()),
                    )
                    .help("write the name, or `{name: {parameter: value}}`"),
            );
            return None;
        };
        let args = match &pair.value.kind {
            document::NodeKind::Nothing => &[],
            _ => pair.value.map("arguments by their names", diagnostics)?,
        };
        Some(Written {
            name: pair.key.clone(),
            args: args.to_vec(),
            ways: None,
            whole: node.span,
        })
    }

    /// A move that may be legal: `pass`, `{load: {g: corn}}`, `{sell: {some: {of: {corn: 2}}}, ways: 3}`.
    fn legal_move(&self, node: &Node, diagnostics: &mut Diagnostics) -> Option<Written> {
        let [mv, ways] = node.pairs().unwrap_or_default() else {
            return self.written(node, "a move", diagnostics);
        };
        if ways.key.node != "ways" {
            return self.written(node, "a move", diagnostics);
        }
        let (value, one) = (
            &ways.value,
            Node {
                kind: document::NodeKind::Map(vec![mv.clone()]),
                span: node.span,
            },
        );
        let count = match value.plain() {
            Some("uncounted") => None,
            _ => {
                let count = value.int_within("a number of ways", 1, i64::MAX, diagnostics)?;
                Some(count.node.fit())
            }
        };
        Some(Written {
            ways: Some(Spanned::new(count, value.span)),
            ..self.written(&one, "a move", diagnostics)?
        })
    }

    fn legal_moves(&self, node: &Node, diagnostics: &mut Diagnostics) -> Vec<Written> {
        let items = node.list("moves", diagnostics).unwrap_or_default();
        items
            .iter()
            .filter_map(|item| self.legal_move(item, diagnostics))
            .collect()
    }

    fn list(&self, node: &Node, what: &str, diagnostics: &mut Diagnostics) -> Vec<Written> {
        let items = node
            .list(&format!("{what}s"), diagnostics)
            .unwrap_or_default();
        items
            .iter()
            .filter_map(|item| self.written(item, &format!("a {what}"), diagnostics))
            .collect()
    }

    /// `p1: pass`
    fn seat_move(&self, pair: &Pair, diagnostics: &mut Diagnostics) -> Option<WrittenMove> {
        let seat = self.read_seat(&pair.key, diagnostics)?;
        Some(WrittenMove {
            seat,
            mv: self.written(&pair.value, "a move", diagnostics)?,
        })
    }

    /// `[p1: pass, p2: {load: {g: corn}}]`: moves of which each says who makes it.
    fn forced(
        &self,
        node: &Node,
        diagnostics: &mut Diagnostics,
    ) -> Option<Spanned<Vec<WrittenMove>>> {
        let mut moves = Vec::new();
        for item in node.list("moves that the referee made (`[p1: pass]`)", diagnostics)? {
            let [pair] = item.map("a player and a move", diagnostics)? else {
                diagnostics.push(one_move(item));
                return None;
            };
            moves.push(self.seat_move(pair, diagnostics)?);
        }
        Some(Spanned::new(moves, node.span))
    }

    fn step(&self, node: &Node, diagnostics: &mut Diagnostics) -> Option<Step> {
        let pairs = node.map(
            "a move (`p1: pass`), `refused: …`, `forced: …` or `expect: …`",
            diagnostics,
        )?;
        let key = |key: &str| pairs.iter().find(|pair| pair.key.node == key);
        if let Some(pair) = key("expect").filter(|_| pairs.len() == 1) {
            return self.expectation(&pair.value, diagnostics).map(Step::Expect);
        }
        if let Some(list) = key("forced").filter(|pair| pair.value.items().is_some())
            && pairs.len() == 1
        {
            return self.forced(&list.value, diagnostics).map(Step::AllForced);
        }
        if key("forced").is_some() {
            let mut fields = Fields::open(node, "a forced move", start(node), diagnostics)?;
            let moves = fields
                .require("forced", diagnostics)
                .and_then(|n| n.map("a player and a move", diagnostics));
            let instead = fields
                .take("instead_of", diagnostics)
                .and_then(|n| self.written(n, "a move", diagnostics));
            let by = match instead {
                Some(_) => fields.take("by", diagnostics),
                None => None,
            };
            let by = by.and_then(|n| n.address("the id of a clause", diagnostics));
            fields.finish(diagnostics);
            let [pair] = moves? else {
                diagnostics.push(one_move(node));
                return None;
            };
            return Some(Step::Forced {
                mv: self.seat_move(pair, diagnostics)?,
                instead: instead.map(|instead| (instead, by)),
            });
        }
        if key("refused").is_some() {
            let mut fields = Fields::open(node, "a refusal", start(node), diagnostics)?;
            let moves = fields
                .require("refused", diagnostics)
                .and_then(|n| n.map("a player and a move", diagnostics));
            let by = fields
                .take("by", diagnostics)
                .and_then(|n| n.address("the id of a clause", diagnostics));
            let reason = fields.take("reason", diagnostics).and_then(|n| {
                n.choice("a reason for a refusal", REASONS, diagnostics)
                    .map(|reason| Spanned::new(reason, n.span))
            });
            fields.finish(diagnostics);
            let [pair] = moves? else {
                diagnostics.push(one_move(node));
                return None;
            };
            return Some(Step::Refused {
                mv: self.seat_move(pair, diagnostics)?,
                by,
                reason,
            });
        }
        match pairs {
            [pair] if self.seat(&pair.key.node).is_none() && pair.key.node.len() > 3 => {
                unknown_key(
                    &pair.key,
                    "a step",
                    ["expect", "forced", "refused"],
                    diagnostics,
                );
                None
            }
            [pair] => self.seat_move(pair, diagnostics).map(Step::Move),
            _ => {
                diagnostics.push(one_move(node));
                None
            }
        }
    }

    fn expectation(&self, node: &Node, diagnostics: &mut Diagnostics) -> Option<Expectation> {
        let mut expectation = Expectation {
            no_game: None,
            asked: None,
            state: Vec::new(),
            legal: Vec::new(),
            events: None,
            forced: None,
            scores: Vec::new(),
            over: None,
            views: Vec::new(),
        };
        for pair in node.map("what is expected", diagnostics)? {
            let value = &pair.value;
            match pair.key.node.as_str() {
                "no_game" => expectation.no_game = code(value, diagnostics),
                "asked" => expectation.asked = self.seats(value, diagnostics),
                "legal" => {
                    for pair in value
                        .map("players and their moves", diagnostics)
                        .unwrap_or_default()
                    {
                        let seat = self.read_seat(&pair.key, diagnostics);
                        let legal = self.legal(&pair.value, diagnostics);
                        expectation.legal.extend(seat.zip(legal));
                    }
                }
                "events" => {
                    let events = self.list(value, "event", diagnostics);
                    expectation.events = Some(Spanned::new(events, value.span));
                }
                "forced" => expectation.forced = self.forced(value, diagnostics),
                "scores" => {
                    for pair in value
                        .map("players and their scores", diagnostics)
                        .unwrap_or_default()
                    {
                        let seat = self.read_seat(&pair.key, diagnostics);
                        let score = self.score(&pair.value, diagnostics);
                        expectation.scores.extend(seat.zip(score));
                    }
                }
                "over" => expectation.over = self.over(value, diagnostics),
                "view" => {
                    for pair in value.map("who sees what", diagnostics).unwrap_or_default() {
                        let seat = match pair.key.node.as_str() {
                            "spectator" => Some(Spanned::new(None, pair.key.span)),
                            _ => self
                                .read_seat(&pair.key, diagnostics)
                                .map(|seat| Spanned::new(Some(seat.node), seat.span)),
                        };
                        let mut state = Vec::new();
                        for pair in pair
                            .value
                            .map("what is seen", diagnostics)
                            .unwrap_or_default()
                        {
                            self.state(pair, &mut state, diagnostics);
                        }
                        expectation.views.extend(seat.map(|seat| (seat, state)));
                    }
                }
                _ => self.state(pair, &mut expectation.state, diagnostics),
            }
        }
        Some(expectation)
    }

    fn legal(&self, node: &Node, diagnostics: &mut Diagnostics) -> Option<Legal> {
        let mut fields = Fields::open(node, "legal moves", start(node), diagnostics)?;
        let exactly = fields.take("exactly", diagnostics);
        let exactly = exactly.map(|n| Spanned::new(self.legal_moves(n, diagnostics), n.span));
        let includes = fields.take("includes", diagnostics);
        let includes = includes
            .map(|n| self.legal_moves(n, diagnostics))
            .unwrap_or_default();
        let excludes = fields.take("excludes", diagnostics);
        let excludes = excludes
            .map(|n| self.legal_moves(n, diagnostics))
            .unwrap_or_default();
        fields.finish(diagnostics);
        Some(Legal {
            exactly,
            includes,
            excludes,
        })
    }

    fn score(&self, node: &Node, diagnostics: &mut Diagnostics) -> Option<Score> {
        if node.scalar().is_some() {
            return node.int("a score", diagnostics).map(|total| Score {
                total: Some(total),
                lines: Vec::new(),
                place: None,
                tie_breaks: None,
            });
        }
        let mut fields = Fields::open(node, "a score", start(node), diagnostics)?;
        let total = fields
            .take("total", diagnostics)
            .and_then(|n| n.int("a score", diagnostics));
        let lines = fields
            .take("lines", diagnostics)
            .and_then(|n| n.map("lines of a score", diagnostics));
        let lines = lines
            .unwrap_or_default()
            .iter()
            .filter_map(|pair| Some((pair.key.clone(), pair.value.int("points", diagnostics)?)));
        let lines = lines.collect();
        let place = fields
            .take("place", diagnostics)
            .and_then(|n| n.int_within("a place", 1, self.players.into(), diagnostics));
        let tie_breaks = fields.take("tie_breaks", diagnostics).and_then(|node| {
            let mut numbers = Vec::new();
            for item in node.list("numbers", diagnostics)? {
                numbers.push(item.int("a number", diagnostics)?.node);
            }
            Some(Spanned::new(numbers, node.span))
        });
        fields.finish(diagnostics);
        Some(Score {
            total,
            lines,
            place,
            tie_breaks,
        })
    }

    fn over(&self, node: &Node, diagnostics: &mut Diagnostics) -> Option<Over> {
        let mut over = Over {
            span: node.span,
            ended: true,
            ending: None,
            winners: None,
        };
        if node.scalar().is_some() {
            over.ended = node.bool("whether the game is over", diagnostics)?.node;
            return Some(over);
        }
        let mut fields = Fields::open(node, "the end of the game", start(node), diagnostics)?;
        over.ending = fields
            .take("ending", diagnostics)
            .and_then(|n| n.id("the name of an ending", diagnostics));
        over.winners = fields
            .take("winners", diagnostics)
            .and_then(|n| self.seats(n, diagnostics));
        fields.finish(diagnostics);
        Some(over)
    }
}

/// `RF0410`
fn code(node: &Node, diagnostics: &mut Diagnostics) -> Option<Spanned<Code>> {
    let text = node.text("the code of a mistake", diagnostics)?;
    match text.node.parse() {
        Ok(code) => Some(Spanned::new(code, node.span)),
        Err(_) => node.wrong("the code of a mistake, such as `RF0410`", diagnostics),
    }
}

fn one_move(node: &Node) -> Diagnostic {
    Code::InvalidScenarioStep
        .error(node.span, "one move is made at a time")
        .help("write each move as an item of its own: `- p1: pass`")
}
