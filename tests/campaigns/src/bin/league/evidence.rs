//! What is looked for afterwards: every acknowledged move, every event that somebody heard, every log, every turn that was ended.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use referee::library::Library;
use referee::secrets::Keys;
use referee::server::check_store;
use referee::store::postgres::{Address, Postgres};
use referee::wire::v1::{self, event::Kind};

use crate::Trouble;
use crate::harm::Fault;
use crate::people::{League, Played};

/// Matches that are looked at side by side.
const AT_ONCE: usize = 4;

/// What was found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    /// Moves that were acknowledged.
    pub moves: u64,
    /// Of these, those that are not answered as before when they are asked for again.
    lost: u64,
    /// Moves of players in the logs that nobody was acknowledged.
    doubled: u64,
    /// Matches whose log has the moves of players otherwise than in the order in which they were acknowledged, each before the
    /// next was asked for.
    disordered: u64,
    /// Watchers who heard otherwise than the log says.
    otherwise: u64,
    /// Turns that were ended because their time was up.
    turns: u64,
    /// Of these, those that cannot have lasted as long as they may.
    early: u64,
}

impl Found {
    fn and(self, other: Found) -> Found {
        Found {
            moves: self.moves + other.moves,
            lost: self.lost + other.lost,
            doubled: self.doubled + other.doubled,
            disordered: self.disordered + other.disordered,
            otherwise: self.otherwise + other.otherwise,
            turns: self.turns + other.turns,
            early: self.early + other.early,
        }
    }

    /// What must be nothing.
    pub fn wrong(&self) -> u64 {
        self.lost + self.doubled + self.disordered + self.otherwise + self.early
    }
}

/// Looks at every match that was played.
///
/// # Errors
///
/// When nobody answers.
pub async fn look(league: &Arc<League>, played: Vec<Played>) -> Result<Found, Trouble> {
    let mut lanes: Vec<Vec<Played>> = (0..AT_ONCE).map(|_| Vec::new()).collect();
    for (number, one) in played.into_iter().enumerate() {
        lanes[number % AT_ONCE].push(one);
    }
    let mut looking = Vec::new();
    for lane in lanes {
        let league = league.clone();
        looking.push(tokio::spawn(async move {
            let mut found = Found::default();
            for one in lane {
                found = found.and(look_at(&league, &one).await?);
            }
            Ok::<_, Trouble>(found)
        }));
    }
    let mut found = Found::default();
    for one in looking {
        found = found.and(one.await??);
    }
    Ok(found)
}

async fn look_at(league: &League, one: &Played) -> Result<Found, Trouble> {
    let mut found = Found::default();
    for made in &one.moves {
        found.moves += 1;
        let token = &one.tokens[made.seat];
        match league.ask(token, made.request.clone()).await {
            Ok(again) if again.replayed => {}
            _ => found.lost += 1,
        }
    }
    let mut events = Vec::new();
    let mut page_token = String::new();
    loop {
        let asked = v1::ListEventsRequest {
            name: one.name.clone(),
            page_size: 1000,
            page_token,
            ..Default::default()
        };
        let page = league.ask(&one.tokens[0], asked).await?;
        events.extend(page.events);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    let by_players: Vec<(usize, &str)> = events
        .iter()
        .filter_map(|event| match &event.kind {
            Some(Kind::MoveMade(made)) if made.origin() == v1::MoveOrigin::Player => {
                Some((made.seat as usize, made.r#move.as_ref()?.name.as_str()))
            }
            _ => None,
        })
        .collect();
    found.doubled = (by_players.len() as u64).saturating_sub(found.moves);
    let acknowledged = one.moves.iter().filter_map(|made| {
        let asked = made.request.r#move.as_ref()?;
        Some((made.seat + 1, asked.name.as_str()))
    });
    found.disordered = u64::from(!acknowledged.eq(by_players));
    // Whoever was told that this is all has heard all of it; the others were cut off when all was over.
    let heard = match one.closed {
        true => events.len(),
        false => one.told.len(),
    };
    let told = one.told.iter().map(|told| &told.event);
    found.otherwise = u64::from(!told.eq(events.iter().take(heard)));
    (found.turns, found.early) = one.turns();
    Ok(found)
}

/// Checks every log as `referee store check` does; gives the matches, and how many of them are not as they were written.
///
/// # Errors
///
/// When the database cannot be read.
pub async fn check(address: &str, key: &Path) -> Result<(u64, u64), Trouble> {
    let keys = Keys::load(key)?;
    let store = Postgres::open(&Address::read(address)?, &keys)?;
    let checked = tokio::task::spawn_blocking(move || {
        let library = Library::embedded().map_err(|error| error.to_string())?;
        let mut damaged = 0;
        let found = check_store(store, keys, library, None, 0, |id, _, checked| {
            if let Some(finding) = checked.findings.first() {
                println!("matches/{id}: {finding}");
                damaged += 1;
            }
        });
        let matches = found.map_err(|error| error.to_string())?;
        Ok::<_, String>((matches, damaged))
    });
    Ok(checked.await??)
}

/// Says it, in Markdown.
pub fn tell(faults: &[(Fault, Duration)], found: &Found, (matches, damaged): (u64, u64)) {
    let mut kinds: BTreeMap<Fault, Vec<Duration>> = BTreeMap::new();
    for (fault, without) in faults {
        kinds.entry(*fault).or_default().push(*without);
    }
    println!("| fault | how often | nothing is acknowledged: median | most |");
    println!("| --- | --- | --- | --- |");
    for (fault, mut without) in kinds {
        without.sort_unstable();
        let median = without[without.len() / 2].as_millis();
        let most = without.last().map_or(0, Duration::as_millis);
        let (name, count) = (fault.name(), without.len());
        println!("| {name} | {count} | {median} ms | {most} ms |");
    }
    println!();
    println!("| looked for | found |");
    println!("| --- | --- |");
    println!(
        "| acknowledged moves, each asked for again | {} |",
        found.moves
    );
    println!("| of these, lost | {} |", found.lost);
    println!("| moves that were made twice | {} |", found.doubled);
    println!(
        "| matches whose moves stand in another order than they were acknowledged in | {} |",
        found.disordered
    );
    println!(
        "| watchers who heard otherwise than the log says | {} |",
        found.otherwise
    );
    println!(
        "| turns that were ended because time was up | {} |",
        found.turns
    );
    println!("| of these, ended early | {} |", found.early);
    println!("| matches whose logs were checked | {matches} |");
    println!("| of these, not as they were written | {damaged} |");
}
