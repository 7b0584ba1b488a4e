//! What neighbours notice: how long moves take while others do their worst.
//!
//! `cargo run --profile dist --locked -p referee-performance --example neighbours [-- SUBMITS [ATTACK…]]`
//!
//! The referee keeps its matches in SQLite and runs in a process of its own, and so does each attacker, at a lower
//! priority: what is measured is what the referee does with its processors. Twenty matches are played by people who
//! submit fifty moves a second together; only `SubmitMove` is timed. Before the next attack the referee is started anew.

mod tables;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use referee::client::{Chooser, Chooses as _, Client, SeatClient, request_id};
use referee::library::Library;
use referee::server::{Config, StoreChoice, start};
use referee::wire::v1;
use referee_tests::mini;
use tables::{Outcome, Process, at, begin, claim, create, seat_bot};
use tokio::task::JoinSet;

/// As the command: it is the referee that is measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Matches of neighbours.
const MATCHES: u64 = 20;
/// Moves that all of them submit in a second.
const A_SECOND: u64 = 50;
/// Players of each.
const PLAYERS: u32 = 3;

/// Ways to do one's worst, with what each is.
const ATTACKS: [(&str, &str); 7] = [
    ("alone", "nobody attacks"),
    (
        "packages",
        "two publishers check packages that take all that is allowed",
    ),
    (
        "schemas",
        "eight callers without a token ask for schemas, each time of another configuration",
    ),
    ("bots", "ten matches of Genoa among bots that think"),
    (
        "greedy",
        "a hundred matches of Genoa among bots that look at hints",
    ),
    ("records", "a host has records verified and goes away"),
    (
        "rules",
        "four matches of bots by rules that do nearly all that is allowed after every move",
    ),
];

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["serve", store] => referee::server::runtime(None)?.block_on(serve(store)),
        ["attack", what, url, host, publisher] => {
            let runtime = tokio::runtime::Runtime::new()?;
            runtime.block_on(attack(what, url, host, publisher))
        }
        _ => {
            let submits = arguments.first().map_or(Ok(2000), |count| count.parse())?;
            let wanted = arguments.get(1..).unwrap_or_default();
            let runtime = tokio::runtime::Runtime::new()?;
            println!("attack      median     99 in 100       longest   refused     busy");
            for (what, about) in ATTACKS {
                if wanted.is_empty() || wanted.contains(&what) {
                    runtime.block_on(measure(what, about, submits))?;
                }
            }
            Ok(())
        }
    }
}

// ---- the referee

async fn serve(store: &str) -> Outcome<()> {
    let address = ([127, 0, 0, 1], 0).into();
    let store = StoreChoice::File(Path::new(store).into());
    let mut config = Config::new(address, store, Library::embedded()?);
    config.testing = true;
    let running = start(config).await?;
    let tokens = [running.host_token(), running.publisher_token()].map(str::to_owned);
    println!("{} {} {}", running.url(), tokens[0], tokens[1]);
    std::io::stdout().flush()?;
    // Until the other side goes away.
    tokio::task::spawn_blocking(|| std::io::stdin().lines().count()).await?;
    Ok(())
}

// ---- the neighbours

async fn measure(what: &str, about: &str, submits: u64) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let program = std::env::current_exe()?;
    let mut referee = Command::new(&program)
        .arg("serve")
        .arg(folder.path().join("referee.sqlite"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut told = String::new();
    let output = referee.stdout.take().ok_or("no output")?;
    let id = referee.id();
    let _referee = Process(referee);
    BufReader::new(output).read_line(&mut told)?;
    let told: Vec<&str> = told.split_whitespace().collect();
    let [url, host, publisher] = told[..] else {
        return Err("the referee did not start".into());
    };
    let mut tables = Vec::new();
    for _ in 0..MATCHES {
        tables.push(seated(url, host, "rulesets/puerto-rico").await?);
    }
    let mut attacker = match what {
        "alone" => None,
        _ => {
            let attacker = Command::new("nice")
                .args(["-n", "10"])
                .arg(&program)
                .args(["attack", what, url, host, publisher])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()?;
            // It gets under way.
            tokio::time::sleep(Duration::from_secs(3)).await;
            Some(Process(attacker))
        }
    };
    let (begun, used) = (Instant::now(), processor_time(id));
    let mut playing = JoinSet::new();
    for (number, table) in (0..).zip(tables) {
        let (url, host) = (url.to_owned(), host.to_owned());
        playing.spawn(async move {
            let first = Duration::from_millis(1000 * number / A_SECOND);
            tokio::time::sleep(first).await;
            play(&url, &host, table, submits / MATCHES, number).await
        });
    }
    let (mut took, mut refused) = (Vec::new(), 0);
    while let Some(played) = playing.join_next().await {
        let (times, failed) = played?.map_err(|error| error.to_string())?;
        took.extend(times);
        refused += failed;
    }
    let used = processor_time(id).saturating_sub(used).as_secs_f64();
    let busy = 100.0 * used / begun.elapsed().as_secs_f64();
    if let Some(Process(attacker)) = &mut attacker
        && attacker.try_wait()?.is_some()
    {
        return Err(format!("the attack by {what} has ended before its time").into());
    }
    took.sort_unstable();
    let at = |share| at(&took, share).unwrap_or_default();
    println!(
        "{what:<10}{:>8.1?}{:>14.1?}{:>14.1?}{refused:>10}{busy:>7.0} %   {about}",
        at(50),
        at(99),
        at(100)
    );
    Ok(())
}

/// Processor time that a process has used; none where the system does not say.
fn processor_time(id: u32) -> Duration {
    let said = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // Behind its name, in hundredths of a second.
    let fields = said
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace();
    let hundredths = fields
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok());
    Duration::from_millis(10 * hundredths.sum::<u64>())
}

/// A match under way, with a client on every seat.
async fn seated(url: &str, host: &str, ruleset: &str) -> Outcome<Vec<SeatClient>> {
    let client = Client::connect(url).await?;
    let host = client.with_token(host);
    let (name, codes) = create(&host, ruleset, PLAYERS).await?;
    let mut seats = Vec::new();
    for code in &codes {
        seats.push(claim(&client, &name, code).await?);
    }
    begin(&host, &name).await?;
    Ok(seats)
}

/// Submits so many moves at their times; how long each took, and how many were not taken.
async fn play(
    url: &str,
    host: &str,
    mut seats: Vec<SeatClient>,
    submits: u64,
    seed: u64,
) -> Outcome<(Vec<Duration>, u32)> {
    let mut chooser = Chooser::new(seed);
    let mut ticks = tokio::time::interval(Duration::from_millis(1000 * MATCHES / A_SECOND));
    let (mut took, mut refused) = (Vec::new(), 0);
    while (took.len() as u64) < submits {
        ticks.tick().await;
        let mut asked = None;
        for seat in &seats {
            // Whoever asks in vain asks again.
            if let Ok(Some((decision, offers))) = seat.decision().await {
                asked = Some((seat, decision, offers));
                break;
            }
        }
        let Some((seat, decision, offers)) = asked else {
            seats = seated(url, host, "rulesets/puerto-rico").await?;
            continue;
        };
        let mv = chooser.choose(&decision, &offers);
        let begun = Instant::now();
        let done = seat.submit(&decision.decision_id, mv).await;
        took.push(begun.elapsed());
        refused += u32::from(done.is_err());
    }
    Ok((took, refused))
}

// ---- the attackers

async fn attack(what: &str, url: &str, host: &str, publisher: &str) -> Outcome<()> {
    let mut attacking = JoinSet::new();
    match what {
        "packages" => {
            for _ in 0..2 {
                let client = Client::connect(url).await?.with_token(publisher);
                attacking.spawn(async move {
                    loop {
                        let asked = v1::CheckPackageRequest {
                            package: Some(v1::Package { files: dear() }),
                            configuration: None,
                        };
                        let _ = client.publishing().check_package(asked).await;
                    }
                });
            }
        }
        "schemas" => {
            for caller in 0..8u32 {
                let client = Client::connect(url).await?;
                attacking.spawn(async move {
                    for number in 0u32.. {
                        let modules = ["new-buildings", "nobles", "corsair", "festival"];
                        let chosen = modules.iter().enumerate();
                        let chosen = chosen.filter(|(bit, _)| (number + caller) >> bit & 1 == 1);
                        let options = ["every_building_once", "points_out_in_any_phase"];
                        let set = |(bit, option): (usize, &&str)| v1::OptionSetting {
                            option: (*option).to_owned(),
                            value: i64::from((number >> (4 + bit)) & 1),
                        };
                        let asked = v1::GetSchemasRequest {
                            name: "rulesets/puerto-rico".into(),
                            configuration: Some(v1::Configuration {
                                players: 3 + (number >> 6) % 3,
                                modules: chosen.map(|(_, id)| (*id).to_owned()).collect(),
                                options: options.iter().enumerate().map(set).collect(),
                            }),
                        };
                        let _ = client.rulesets().get_schemas(asked).await;
                    }
                });
            }
        }
        "bots" => bots(url, host, "rulesets/genoa", v1::BotKind::Search, 10).await?,
        "greedy" => bots(url, host, "rulesets/genoa", v1::BotKind::Greedy, 100).await?,
        "records" => {
            let seats = seated(url, host, "rulesets/genoa").await?;
            let mut chooser = Chooser::new(1);
            for _ in 0..200 {
                for seat in &seats {
                    if let Some((decision, offers)) = seat.decision().await? {
                        let mv = chooser.choose(&decision, &offers);
                        let _ = seat.submit(&decision.decision_id, mv).await;
                        break;
                    }
                }
            }
            for seat in seats {
                attacking.spawn(async move {
                    loop {
                        let asked = v1::VerifyRecordRequest {
                            name: seat.name().to_owned(),
                        };
                        drop(seat.client().records().verify_record(asked).await);
                    }
                });
            }
        }
        "rules" => {
            let client = Client::connect(url).await?.with_token(publisher);
            let published = client
                .publishing()
                .publish_package(v1::PublishPackageRequest {
                    package: Some(v1::Package { files: busy() }),
                    request_id: request_id(),
                    ..Default::default()
                })
                .await?;
            let revision = published.into_inner().revision;
            let ruleset = revision.split("/revisions/").next().unwrap_or_default();
            bots(url, host, ruleset, v1::BotKind::Random, 4).await?;
        }
        _ => return Err("there is no such attack".into()),
    }
    while attacking.join_next().await.is_some() {}
    // Bots play by themselves.
    std::future::pending().await
}

/// Matches of bots alone, under way.
async fn bots(
    url: &str,
    host: &str,
    ruleset: &str,
    kind: v1::BotKind,
    matches: u64,
) -> Outcome<()> {
    let host = Client::connect(url).await?.with_token(host);
    for _ in 0..matches {
        let (name, _) = create(&host, ruleset, PLAYERS).await?;
        for seat in 1..=PLAYERS {
            seat_bot(&host, &name, seat, kind).await?;
        }
        begin(&host, &name).await?;
    }
    Ok(())
}

fn files(rules: &str) -> Vec<v1::PackageFile> {
    let files = mini::package(rules).files.into_iter();
    files
        .map(|(path, text)| v1::PackageFile { path, text })
        .collect()
}

/// A package that takes all the work that is allowed.
fn dear() -> Vec<v1::PackageFile> {
    let sum = "sum x in colours: sum y in colours: sum z in colours: weight(x) * weight(y)";
    let rules = format!("counter big(a: colour)   starts {sum}\n{}", mini::GAME);
    let mut files = files(&rules);
    for i in 0..200 {
        files[1].text += &format!("  r{i}: {{names: {{en: r, pl: r}}, weight: 1, twin: blue}}\n");
    }
    files
}

/// A package whose matches do nearly as much after every move as they may, and never end.
fn busy() -> Vec<v1::PackageFile> {
    let mut files = files(
        "
phase game
  step going: repeat until the game ends
    step turns: each p from dealer
      step burning: for n in 1 to 2
        do { let i = 0; while i < 900000 { i += 1; } }
      step asking: ask p
        move act
        move pass
ending rich when any p in players: purse(p) > 20
",
    );
    files[0].text = files[0].text.replace("id: mini", "id: busy");
    files
}
