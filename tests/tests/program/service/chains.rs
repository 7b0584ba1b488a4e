//! Several moves in one request: all of them, or none; and what that must not tell.

use referee::client::{Chooser, Chooses as _, refusal, request_id};
use referee::wire::v1::{self, event::Kind};
use tonic::Status;

use super::errors::{Before, argument, before, choose, row, submit, unchanged};
use super::publishing::publish;
use super::records::verify;
use super::world::{Table, World, create_of, expect, fields, metadata};

fn plain(name: &str) -> v1::Move {
    v1::Move {
        name: name.into(),
        arguments: Vec::new(),
    }
}

fn build(building: &str) -> v1::Move {
    v1::Move {
        name: "build".into(),
        arguments: vec![argument("b", row("building", building))],
    }
}

fn chain(table: &Table, before: &Before, moves: &[v1::Move]) -> v1::SubmitMoveRequest {
    v1::SubmitMoveRequest {
        further_moves: moves[1..].to_vec(),
        ..submit(table, &before.decision.decision_id, moves[0].clone())
    }
}

/// Judges moves, or makes them.
async fn attempt(
    table: &Table,
    seat: usize,
    moves: v1::SubmitMoveRequest,
    judges: bool,
) -> Result<(), Status> {
    match judges {
        true => table.call(seat, moves.check()).await.map(|_| ()),
        false => table.call(seat, moves).await.map(|_| ()),
    }
}

fn moves_in(events: &[v1::Event]) -> Vec<String> {
    let names = events.iter().filter_map(|event| match &event.kind {
        Some(Kind::MoveMade(made)) => Some(made.r#move.clone().expect("a move").name),
        _ => None,
    });
    names.collect()
}

#[tokio::test]
async fn a_seat_answers_its_own_questions_in_one_request() {
    let mut world = World::new().await;
    let (mut table, tokens) = world.table(3, 4).await;
    let before = before(&table).await;
    let moves = [choose("builder"), build("small_market")];
    let asked = chain(&table, &before, &moves);
    table.call(before.seat, asked.check()).await.expect("good");
    unchanged(&table, &before).await;

    let made = table
        .call(before.seat, asked.clone())
        .await
        .expect("both are made");
    assert_eq!((made.moves_made, made.replayed), (2, false));
    assert_eq!(moves_in(&made.events)[..2], ["choose", "build"]);
    let (next, _, _) = table.asked().await.expect("another is asked");
    assert_ne!(next, before.seat);

    // The same request is answered alike, also by a referee that only has the log.
    world.restart().await;
    world.rejoin(&mut table, &tokens);
    let again = table.call(before.seat, asked).await.expect("the same");
    assert_eq!((again.moves_made, again.replayed), (2, true));
    assert_eq!(again.events, made.events);
    assert!(verify(&table.host, &table.name).await.sound);
}

#[tokio::test]
async fn a_refusal_says_which_move_it_is_of_and_nothing_is_kept() {
    let world = World::new().await;
    let (table, _) = world.table(3, 4).await;
    let before = before(&table).await;
    for judges in [true, false] {
        let try_these = async |moves: &[v1::Move]| {
            let asked = chain(&table, &before, moves);
            attempt(&table, before.seat, asked, judges).await
        };
        // Too dear.
        let refused = try_these(&[choose("builder"), build("guild_hall")]).await;
        let refused = expect(refused, "MOVE_REFUSED");
        assert_eq!(metadata(&refused, "move_index"), "1");
        let told = refusal(&refused).expect("a refusal");
        assert!(told.clause.is_some() && !told.alternatives.is_empty());
        // Not what is asked next.
        let unknown = try_these(&[choose("builder"), choose("mayor")]).await;
        let unknown = expect(unknown, "MALFORMED_REQUEST");
        assert_eq!(fields(&unknown)[0], "further_moves[0].name");
        // The next question is another seat's.
        let moves = [choose("builder"), build("small_market"), plain("pass")];
        let foreign = try_these(&moves).await;
        let foreign = expect(foreign, "MOVE_REFUSED");
        assert_eq!(metadata(&foreign, "move_index"), "2");
        // One that cannot be read.
        let unread = try_these(&[choose("builder"), plain("")]).await;
        let unread = expect(unread, "MALFORMED_REQUEST");
        assert_eq!(fields(&unread)[0], "further_moves[0].name");
        // Too many.
        let many = vec![choose("builder"); 17];
        let many = expect(try_these(&many).await, "LIMIT_REACHED");
        assert_eq!(metadata(&many, "limit"), "moves_per_request");
        // Of a question that is no longer open.
        let stale = v1::SubmitMoveRequest {
            decision_id: "d_of_yesterday".into(),
            ..chain(&table, &before, &[choose("builder"), plain("pass")])
        };
        let stale = attempt(&table, before.seat, stale, judges).await;
        expect(stale, "DECISION_SUPERSEDED");
        unchanged(&table, &before).await;
    }
    // A single move says no number.
    let alone = submit(&table, &before.decision.decision_id, choose("chairman"));
    let alone = table.call(before.seat, alone).await.expect_err("no role");
    assert_eq!(metadata(&alone, "move_index"), "");
}

/// A game in which a move draws a card only if another holds a red one: whether it does is a secret.
fn cups() -> Vec<v1::PackageFile> {
    let files = [
        (
            "ruleset.yaml",
            "id: cups\nversion: '1'\nlanguage: 1\ntitles: {en: Cups, pl: Kubki}\nplayers: {from: 2, to: 2}\n\
             files: {components: [cards.yaml], rules: [cups.rules], setup: setup.yaml}\n",
        ),
        (
            "cards.yaml",
            "table: card\nplural: cards\nnames: {en: card, pl: karta}\ncolumns: {copies: int}\nrows:\n\
             \x20 red: {names: {en: red, pl: czerwona}, copies: 1}\n\
             \x20 blue: {names: {en: blue, pl: niebieska}, copies: 1}\n",
        ),
        ("setup.yaml", "figures: {}\n"),
        (
            "cups.rules",
            "place deck: pile of card  face down  starts each c with copies(c)\n\
             place hand(p: player): card  seen by p\n\
             counter coins(p: player)\n\
             phase game\n\
             \x20 step deal\n\
             \x20   do {\n\
             \x20     shuffle(deck);\n\
             \x20     for p in players { if p != first_player { draw(1, deck, hand(p)); } }\n\
             \x20   }\n\
             \x20 step turns: repeat until the game ends\n\
             \x20   ask first_player\n\
             \x20     move save\n\
             \x20       do { gain(coins(first_player), 1); }\n\
             \x20     move turn_over\n\
             \x20       needs size(deck) > 0\n\
             \x20       do { draw(1, deck, hand(first_player)); }\n\
             \x20     move peep\n\
             \x20       needs size(deck) > 0\n\
             \x20       do {\n\
             \x20         for p in players {\n\
             \x20           if p != first_player {\n\
             \x20             if hand(p, red) > 0 { draw(1, deck, hand(first_player)); } else { gain(coins(first_player), 1); }\n\
             \x20           }\n\
             \x20         }\n\
             \x20       }\n\
             \x20     move stop\n\
             \x20       do { finish(stopped); }\n\
             ending stopped\n\
             score coins for p: coins(p)\n\
             winner p with most score(p)\n",
        ),
    ];
    let files = files.map(|(path, text)| v1::PackageFile {
        path: path.into(),
        text: text.into(),
    });
    files.to_vec()
}

/// A world where the game of the cups is published.
async fn world_of_cups() -> World {
    let world = World::new().await;
    let publisher = world.publisher().await;
    let published = publisher.call(publish(cups())).await;
    published.expect("the rules are right");
    world
}

async fn cups_table(world: &World, seed: u64) -> Table {
    let create = create_of("cups", 2, seed);
    world.begin(create).await.0
}

#[tokio::test]
async fn what_a_move_shows_does_not_decide_whether_it_was_made() {
    let world = world_of_cups().await;
    let table = cups_table(&world, 1).await;
    let before = before(&table).await;
    for judges in [true, false] {
        // Nobody draws a card first, and takes it back because of what it was.
        for moves in [
            [plain("turn_over"), plain("save")],
            [plain("turn_over"), plain("stop")],
        ] {
            let asked = chain(&table, &before, &moves);
            let refused = attempt(&table, before.seat, asked, judges).await;
            let refused = expect(refused, "MOVE_REVEALS");
            assert_eq!(metadata(&refused, "move_index"), "0");
            assert!(!metadata(&refused, "why").is_empty());
        }
        unchanged(&table, &before).await;
    }
    // As the last move it may show what it likes.
    let asked = chain(&table, &before, &[plain("save"), plain("turn_over")]);
    let made = table.call(before.seat, asked).await.expect("both");
    assert_eq!(made.moves_made, 2);
}

/// Whether the move shows anything is itself a secret: no refusal tells it, and where it is found out, the move is made.
#[tokio::test]
async fn whether_a_move_shows_something_is_found_out_by_making_it_only() {
    let world = world_of_cups().await;
    let mut found = [0, 0];
    for seed in 1..=8 {
        let table = cups_table(&world, seed).await;
        let (seat, decision, _) = table.asked().await.expect("it begins");
        let asked = v1::SubmitMoveRequest {
            further_moves: vec![plain("save")],
            ..submit(&table, &decision.decision_id, plain("peep"))
        };
        let mut reveals = 0;
        for _ in 0..48 {
            if let Err(status) = table.call(seat, asked.check()).await {
                let status = Err::<(), _>(status);
                expect(status, "MOVE_REVEALS");
                reveals += 1;
            }
        }
        // Whatever the other really holds: it is imagined otherwise, too. Rarely it happens not to be.
        assert!(reveals > 24, "{reveals}");
        let made = loop {
            let asked = v1::SubmitMoveRequest {
                request_id: request_id(),
                ..asked.clone()
            };
            if let Ok(made) = table.call(seat, asked).await {
                break made;
            }
        };
        let drew = made
            .events
            .iter()
            .any(|event| matches!(event.kind, Some(Kind::PiecesMoved(_))));
        // A card that was drawn stays drawn, and what follows is decided by somebody who has seen it; that none was drawn
        // tells as much.
        assert!(made.moves_made == 1 || !drew, "{made:?}");
        assert_eq!(moves_in(&made.events).len(), made.moves_made as usize);
        found[usize::from(drew)] += 1;
        assert!(verify(&table.host, &table.name).await.sound);
    }
    assert!(found[0] > 0 && found[1] > 0, "{found:?}");
}

/// A match of the Rivals in which a seat may look through a stack of cards, and that move.
async fn before_a_search(world: &World) -> (Table, Before, v1::Move) {
    for seed in 0..20 {
        let create = create_of("catan-rivals", 2, seed);
        let (table, _) = world.begin(create).await;
        let mut player = Chooser::new(seed);
        for _ in 0..400 {
            let Some((seat, decision, offers)) = table.asked().await else {
                break;
            };
            let named = |name: &str| offers.iter().find(|offer| offer.name == name).cloned();
            if let Some(search) = named("search") {
                let search = player.choose(&decision, &[search]);
                let now = before(&table).await;
                return (table, now, search);
            }
            // Whoever puts a card away may take another one.
            let offers = named("put_under").map_or(offers, |offer| vec![offer]);
            let mv = player.choose(&decision, &offers);
            let made = table.seats[seat].submit(&decision.decision_id, mv).await;
            made.expect("a listed move");
        }
    }
    panic!("nobody could look through a stack");
}

/// Where a chain begins with a look at what is hidden, its refusal would show that for nothing.
#[tokio::test]
async fn a_chain_looks_at_nothing_that_is_hidden() {
    let world = World::new().await;
    let (table, before, search) = before_a_search(&world).await;
    let ruleset = v1::GetRulesetRequest::of("rulesets/catan-rivals");
    let ruleset = world.client().call(ruleset).await;
    let tables = ruleset.expect("it").ruleset.expect("it").tables;
    let cards = tables.into_iter().find(|table| table.id == "card");
    for card in cards.expect("cards").rows {
        let take = v1::Move {
            name: "take_card".into(),
            arguments: vec![argument("c", row("card", &card.id))],
        };
        for judges in [true, false] {
            let asked = chain(&table, &before, &[search.clone(), take.clone()]);
            let refused = attempt(&table, before.seat, asked, judges).await;
            let refused = expect(refused, "MOVE_REVEALS");
            assert_eq!(metadata(&refused, "move_index"), "0", "{}", card.id);
            assert_eq!(refusal(&refused), None);
        }
    }
    unchanged(&table, &before).await;
}

/// What was looked at cannot be forgotten: only the fee would come back.
#[tokio::test]
async fn a_look_at_what_is_hidden_is_not_taken_back() {
    let world = World::new().await;
    let (table, before, search) = before_a_search(&world).await;
    let seat = before.seat;
    let decision = &before.decision.decision_id;
    let looked = table.seats[seat].submit(decision, search).await;
    looked.expect("it may");
    let undo = table.propose(seat, v1::ProposalKind::Undo, 1).await;
    expect(undo, "UNDO_IMPOSSIBLE");
}
