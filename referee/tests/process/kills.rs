//! A referee that is killed again and again: nothing that it acknowledged is lost, nothing is made twice,
//! streams go on where they stopped.
//!
//! It is killed at fail points, which are the moments before and after each operation of its store, and at random
//! times. A seed tells a story: a match, and how the referee dies while it is played. The soak, some thousands:
//!
//! `REFEREE_KILLS=3000 cargo test --release -p referee --test process kills -- --nocapture`
//!
//! It prints how far it is. A story that goes wrong prints its seed and the command that tells it again.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::serving::{Server, table};
use referee::client::{Chooser, Chooses, Client, SeatClient};
use referee::library::Library;
use referee::secrets::Keys;
use referee::server::{Config, StoreChoice, start};
use referee::store::faults::{Faulty, Moment, Operation};
use referee::store::sqlite::Sqlite;
use referee::wire::v1::{self, MoveOrigin, event, watch_match_response::Item};
use tonic::Code;

/// What is known of a match from outside.
struct Known {
    name: String,
    tokens: Vec<String>,
    /// Moves that were acknowledged.
    made: usize,
    /// A move whose fate is not known: whose, and the request.
    open: Option<(usize, v1::SubmitMoveRequest)>,
    /// What a watcher of the first seat has seen, and where it goes on.
    seen: Vec<v1::Event>,
    resume: String,
}

async fn begin(server: &Server, seed: u64) -> Known {
    let client = server.client().await;
    let host = client.with_token(&server.host);
    let seed = [u8::try_from(seed % 251).expect("small"); 32];
    let created = table::create(&host, "puerto-rico", 3, Some(seed)).await;
    let created = created.expect("a match");
    let name = table::name(&created);
    let mut tokens = Vec::new();
    for seat in 1..=3 {
        tokens.push(table::claim(&client, &created, seat, "x").await);
    }
    table::start(&host, &name).await;
    Known {
        name,
        tokens,
        made: 0,
        open: None,
        seen: Vec::new(),
        resume: String::new(),
    }
}

/// Plays on until the referee is gone, or the match over; says whether it is over.
async fn play(client: &Client, known: &mut Known, player: &mut Chooser) -> bool {
    let seats: Vec<SeatClient> = known
        .tokens
        .iter()
        .map(|token| SeatClient::new(client.with_token(token), known.name.as_str()))
        .collect();
    if let Some((seat, request)) = known.open.clone() {
        match seats[seat].client().call(request).await {
            Ok(_) => {
                known.made += 1;
                known.open = None;
            }
            Err(status) => {
                assert!(gone(&status), "a repeated move was refused: {status:?}");
                return false;
            }
        }
    }
    loop {
        let mut asked = None;
        for (seat, client) in seats.iter().enumerate() {
            match client.decision().await {
                Ok(Some(found)) => asked = Some((seat, found)),
                Ok(None) => {}
                Err(_) => return false,
            }
        }
        let Some((seat, (decision, offers))) = asked else {
            return true;
        };
        let request = v1::SubmitMoveRequest {
            decision_id: decision.decision_id.clone(),
            r#move: Some(player.choose(&decision, &offers)),
            ..v1::SubmitMoveRequest::of(&known.name)
        };
        known.open = Some((seat, request.clone()));
        match seats[seat].client().call(request).await {
            Ok(_) => {
                known.made += 1;
                known.open = None;
            }
            Err(status) => {
                assert!(gone(&status), "{status:?}");
                return false;
            }
        }
    }
}

/// Whether a call failed because the referee was killed.
fn gone(status: &tonic::Status) -> bool {
    matches!(
        status.code(),
        Code::Unavailable | Code::Unknown | Code::Cancelled | Code::Internal
    )
}

/// Reads a stream until the referee is gone.
async fn watch(
    client: &Client,
    token: &str,
    name: &str,
    seen: &mut Vec<v1::Event>,
    resume: &mut String,
) {
    let watch = v1::WatchMatchRequest::of(name).behind(&**resume);
    let stream = client.with_token(token).call(watch).await;
    let Ok(mut stream) = stream else { return };
    while let Ok(Some(message)) = stream.message().await {
        *resume = message.resume_token;
        if let Some(Item::Events(batch)) = message.item {
            seen.extend(batch);
        }
    }
}

/// How many times the referee dies in a story.
const LIVES: u64 = 3;

/// How long it lives if it is not killed before, at most.
const LONGEST: u64 = 900;

/// How a referee dies.
#[derive(Clone, Copy, Debug)]
enum Death {
    /// At a random time, in milliseconds.
    Time(u64),
    /// At a fail point, when it comes there for the so manieth time; if it does not, at the longest time.
    Point(Operation, Moment, u64),
}

impl Death {
    /// Of a story's life: fail points in turn, and every third time at random.
    fn of(seed: u64, life: u64) -> Death {
        let number = seed * LIVES + life;
        let (turn, kind) = (number / 3, number % 3);
        if kind == 2 {
            return Death::Time(15 + number * 7919 % LONGEST);
        }
        let points = Operation::ALL.len() as u64;
        let operation = Operation::ALL[usize::try_from(turn % points).expect("small")];
        let moment = if kind == 0 {
            Moment::Before
        } else {
            Moment::After
        };
        // What is done often is passed often: sometimes it dies only then.
        Death::Point(operation, moment, 1 + turn / points % 12)
    }

    /// Starts a referee that will die so; none if it does before it listens.
    fn start(self, store: &Path) -> Option<Server> {
        let Death::Point(operation, moment, nth) = self else {
            return Some(Server::start(store, "info"));
        };
        // This test again, as a referee with a store that kills it.
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command
            .args(["--exact", TEST, "--nocapture"])
            .env(STORE, store)
            .env(POINT, format!("{operation:?} {moment:?} {nth}"));
        Server::of(&mut command, store).ok()
    }

    /// When it is killed from outside.
    fn life(self) -> Duration {
        Duration::from_millis(match self {
            Death::Time(time) => time,
            Death::Point(..) => LONGEST,
        })
    }
}

const STORE: &str = "REFEREE_DIES_WITH_STORE";
const POINT: &str = "REFEREE_DIES_AT_POINT";

/// The test that the process of a referee is started with.
const TEST: &str = "kills::nothing_acknowledged_is_lost_and_nothing_made_twice";

/// Serves as the referee of a story until it comes to its fail point and is gone.
async fn serve_and_die(store: String, point: String) {
    let mut words = point.split(' ');
    let mut word = || words.next().expect("a word").to_owned();
    let (operation, moment) = (word(), word());
    let nth: u64 = word().parse().expect("a number");
    let (path, passed) = (PathBuf::from(&store), AtomicU64::new(0));
    let keys = Keys::load_or_create(Path::new(&format!("{store}.key"))).expect("a key");
    let kept = Sqlite::open(&path, &keys).expect("a store");
    let kept = Faulty::new(kept, move |at, when| {
        let here = format!("{at:?}") == operation && format!("{when:?}") == moment;
        if here && passed.fetch_add(1, Ordering::SeqCst) + 1 == nth {
            die();
        }
        Ok(())
    });
    let library = Library::embedded().expect("the rulesets");
    let choice = StoreChoice::Own(Arc::new(kept), keys);
    let mut config = Config::new(([127, 0, 0, 1], 0).into(), choice, library);
    config.testing = true;
    let running = start(config).await.expect("it starts");
    eprintln!("listens on {}", running.url());
    eprintln!("host token {}", running.host_token());
    std::future::pending().await
}

/// As a power cut: nothing of this process runs any more.
fn die() -> ! {
    let id = std::process::id().to_string();
    let _ = Command::new("kill").args(["-KILL", &id]).status();
    loop {
        std::thread::park();
    }
}

/// Tells the story of a seed: a match is played, the referee dies, another finds everything in order and the match
/// is played on; gives how many moves were made.
async fn tell(seed: u64) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("referee.sqlite");
    let mut player = Chooser::new(seed);
    let mut known = {
        let server = Server::start(&store, "info");
        begin(&server, seed).await
    };
    for life in 0..LIVES {
        let death = Death::of(seed, life);
        let over = match death.start(&store) {
            Some(server) => live(server, death, &mut known, &mut player).await,
            None => false,
        };
        look(&store, &known, death).await;
        if over {
            break;
        }
    }
    known.made
}

/// Plays and watches until the referee is dead; says whether the match is over.
async fn live(server: Server, death: Death, known: &mut Known, player: &mut Chooser) -> bool {
    // One that dies at once has no connection to give.
    let Ok(client) = Client::connect(&server.url).await else {
        return false;
    };
    let stopper = tokio::spawn(async move {
        tokio::time::sleep(death.life()).await;
        drop(server);
    });
    let (name, token) = (known.name.clone(), known.tokens[0].clone());
    let mut seen = std::mem::take(&mut known.seen);
    let mut resume = std::mem::take(&mut known.resume);
    let watching = watch(&client, &token, &name, &mut seen, &mut resume);
    let (over, ()) = tokio::join!(play(&client, known, player), watching);
    (known.seen, known.resume) = (seen, resume);
    stopper.await.expect("it is dead");
    over
}

/// Holds a referee that starts anew to what was acknowledged and told.
async fn look(store: &Path, known: &Known, death: Death) {
    let server = Server::start(store, "info");
    let client = server.client().await;
    let seat = SeatClient::new(client.with_token(&known.tokens[0]), known.name.as_str());
    let told = seat.events(1000).await.expect("its history");
    let made = told.iter().filter(|event| {
        matches!(&event.kind, Some(event::Kind::MoveMade(made)) if made.origin() == MoveOrigin::Player)
    });
    let made = made.count();
    let most = known.made + usize::from(known.open.is_some());
    assert!(
        (known.made..=most).contains(&made),
        "{death:?}: {} moves were acknowledged, {made} are kept",
        known.made
    );
    // What the stream told is what happened, each once and in order.
    assert!(known.seen.len() <= told.len(), "{death:?}");
    assert_eq!(known.seen[..], told[..known.seen.len()], "{death:?}");
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_and_nothing_made_twice() {
    if let (Ok(store), Ok(point)) = (std::env::var(STORE), std::env::var(POINT)) {
        return serve_and_die(store, point).await;
    }
    let kills = number("REFEREE_KILLS").unwrap_or(3);
    let first = number("REFEREE_SEED").unwrap_or(0);
    let stories = kills.div_ceil(LIVES);
    // On a slow machine a referee may die before it has taken a move: then there are more stories.
    let most = stories + 3;
    let (mut moves, mut told) = (0, 0);
    while told < stories || (moves as u64 <= told && told < most) {
        let (story, seed) = (told, first + told);
        told += 1;
        match tokio::spawn(tell(seed)).await {
            Ok(made) => moves += made,
            Err(error) => panic!(
                "the story of seed {seed} went wrong: {error}\n\
                 tell it again: REFEREE_SEED={seed} REFEREE_KILLS={LIVES} \
                 cargo test --release -p referee --test process kills -- --nocapture"
            ),
        }
        if story % 10 == 9 {
            let kills = (story + 1) * LIVES;
            eprintln!("{kills} kills, {moves} moves kept, up to seed {seed}");
        }
    }
    assert!(moves as u64 > told, "{moves} moves in {told} stories");
}
