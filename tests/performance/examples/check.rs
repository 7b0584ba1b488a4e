//! How fast a store is checked: what an operator waits for before an upgrade.
//!
//! `cargo run --release --locked -p referee-performance --example check [-- MATCHES]`
//!
//! Of each title, finished random matches are played through the service (10,000 of Puerto Rico in two configurations by
//! default, a tenth of that of the others), written into a store on disk, and checked as `referee store check` checks:
//! the file and the seal of every row, the chain of every log, every move, the state after every entry, the promise of the
//! seed. Prints matches and moves in a second.

use std::sync::Arc;
use std::time::{Duration, Instant};

use interpreter::package::Configuration;
use interpreter::play::{Match, Seat, Seed};
use referee::client::{Client, request_id};
use referee::library::Library;
use referee::limits::Limits;
use referee::secrets::Keys;
use referee::server::{Config, StoreChoice, check_store, start};
use referee::store::memory::Memory;
use referee::store::sqlite::Sqlite;
use referee::store::{Append, MatchId, Store};
use referee::table::decision_id;
use referee::wire::convert::move_out;
use referee::wire::v1;
use referee_tests::random::Random;

/// As the command: it is the referee that is measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Matches that are played at once.
const LANES: u64 = 16;

/// Matches of one configuration are played on a store in memory, so that it does not grow beyond this machine's.
const AT_ONCE: u64 = 500;

/// What is checked: a title, players, modules.
const PLANS: [(&str, &[Plan]); 4] = [
    ("puerto-rico", &[(4, &[]), (3, &["new-buildings"])]),
    ("san-juan", &[(3, &[]), (4, &["new-buildings"])]),
    ("catan-rivals", &[(2, &[])]),
    ("genoa", &[(3, &[])]),
];

type Plan = (u8, &'static [&'static str]);

fn main() -> Outcome<()> {
    let matches = match std::env::args().nth(1) {
        Some(number) => number.parse()?,
        None => 10_000,
    };
    let runtime = tokio::runtime::Runtime::new()?;
    for (title, plans) in PLANS {
        let matches = if title == "puerto-rico" {
            matches
        } else {
            matches / 10
        };
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("store.sqlite");
        let keys = Keys::random()?;
        let store = Sqlite::open(&path, &keys)?;
        for (players, modules) in plans {
            let configuration = Configuration {
                modules: modules.iter().map(|id| (*id).to_owned()).collect(),
                ..Configuration::base(*players)
            };
            let mut left = matches / plans.len() as u64;
            while left > 0 {
                let now = left.min(AT_ONCE);
                let played = Arc::new(Memory::default());
                runtime.block_on(play(&played, &keys, title, &configuration, left, now))?;
                copy(&played, &store)?;
                left -= now;
            }
        }
        drop(store);
        let began = Instant::now();
        let (mut moves, mut wrong) = (0, Vec::new());
        let library = Library::embedded()?;
        let look = Sqlite::look(&path, &keys)?;
        look.inspect(|finding| wrong.push(finding));
        let checked = check_store(look, keys, library, None, 0, |id, _, checked| {
            moves += checked.moves;
            wrong.extend(
                checked
                    .findings
                    .iter()
                    .map(|found| format!("{id}: {found}")),
            );
        })?;
        if let Some(wrong) = wrong.first() {
            return Err(format!("{title}: {wrong}").into());
        }
        let took = began.elapsed().as_secs_f64();
        println!(
            "{title:14} {checked:6} matches in {took:6.1} s: {:7.0} matches and {:9.0} moves a second",
            checked as f64 / took,
            moves as f64 / took,
        );
    }
    Ok(())
}

/// Plays matches to their ends, through the service.
async fn play(
    store: &Arc<Memory>,
    keys: &Keys,
    title: &'static str,
    configuration: &Configuration,
    first: u64,
    count: u64,
) -> Outcome<()> {
    let address = ([127, 0, 0, 1], 0).into();
    let library = Library::embedded()?;
    let edition = library.get(title).ok_or("no such title")?;
    let ruleset = library.compile(edition, configuration);
    let ruleset = ruleset.map_err(|_| "mistakes")?;
    let choice = StoreChoice::Own(store.clone(), keys.clone());
    let mut config = Config::new(address, choice, library);
    config.testing = true;
    config.limits = Limits {
        calls_per_second: 1_000_000,
        moves_per_match: 100_000,
        call_time: Duration::from_secs(60),
        ..Limits::default()
    };
    let running = start(config).await?;
    let mut lanes = tokio::task::JoinSet::new();
    for lane in 0..LANES {
        let (url, host) = (running.url(), running.host_token().to_owned());
        let (keys, ruleset) = (keys.clone(), ruleset.clone());
        lanes.spawn(async move {
            let client = Client::connect(&url).await?;
            for number in (lane..count).step_by(LANES as usize) {
                let create = created(title, ruleset.configuration(), first * 100_000 + number);
                let seed = Seed::from_number(first * 100_000 + number);
                let host = client.with_token(&host);
                let created = host.call(create).await?;
                let name = created.r#match.ok_or("no match")?.name;
                let mut seats = Vec::new();
                for code in created.claim_codes {
                    let claim = v1::ClaimSeatRequest::by(&code, "somebody");
                    let claimed = client.call(claim).await?;
                    seats.push(client.with_token(&claimed.seat_token));
                }
                let start = v1::StartMatchRequest::of(&name);
                host.call(start).await?;
                let id = MatchId::parse(name.trim_start_matches("matches/")).ok_or("no id")?;
                let mut game = Match::new(ruleset.clone(), seed, false)?;
                let mut random = Random::new(number);
                while let Some(seat) = game.waiting().first().copied() {
                    let question = game.question(seat).ok_or("nobody is asked")?;
                    let mv = game.sample(seat, &mut || random.word()).ok_or("no move")?;
                    let Seat(index) = seat;
                    let submit = v1::SubmitMoveRequest {
                        decision_id: decision_id(&keys, &id, seat, question.number, 0),
                        r#move: Some(move_out(&mv)),
                        ..v1::SubmitMoveRequest::of(&name)
                    };
                    seats[usize::from(index)].call(submit).await?;
                    game.apply(seat, &mv)
                        .map_err(|error| format!("{error:?}"))?;
                }
            }
            Outcome::Ok(())
        });
    }
    while let Some(done) = lanes.join_next().await {
        done??;
    }
    running.stop().await;
    Ok(())
}

fn created(title: &str, configuration: &Configuration, number: u64) -> v1::CreateMatchRequest {
    v1::CreateMatchRequest {
        ruleset: format!("rulesets/{title}"),
        configuration: Some(v1::Configuration {
            players: configuration.players.into(),
            modules: configuration.modules.clone(),
            ..Default::default()
        }),
        test_seed: Seed::from_number(number).0.to_vec(),
        request_id: request_id(),
        ..Default::default()
    }
}

/// Writes every match of a store into another one, with all that a check reads.
fn copy(from: &Memory, to: &Sqlite) -> Outcome<()> {
    let mut group = Vec::new();
    for row in from.every(None, 0, usize::MAX)? {
        let Some(kept) = from.find(&row.id)? else {
            continue;
        };
        let entries = from.read(&row.id, 0, usize::MAX)?;
        let created = texts_of(&entries.first().ok_or("an empty log")?.body)?;
        let content = from.content(&created)?.ok_or("no texts")?;
        to.put_content(&created, &content)?;
        group.push(Append {
            create: Some(kept.new),
            entries: entries.into_iter().map(|entry| entry.body).collect(),
            content: Some(created),
            names: from.names(&row.id)?,
            ..Append::to(row.id.clone(), 0, kept.state)
        });
    }
    to.append(group)?;
    Ok(())
}

/// The digest of the texts that a match was created with.
fn texts_of(entry: &[u8]) -> Outcome<[u8; 32]> {
    use prost::Message as _;
    use referee::log::v1::{Entry, entry::Body};
    match Entry::decode(entry)?.body {
        Some(Body::Created(created)) => Ok(created.content[..].try_into()?),
        _ => Err("the log has no beginning".into()),
    }
}
