//! What neighbours notice: how long moves take while others do their worst.
//!
//! `cargo run --release --locked -p referee-performance --example neighbours [-- SUBMITS [ATTACK…]]`
//!
//! The referee keeps its matches in SQLite, speaks TLS, tries packages in processes of their own and runs in one itself;
//! so does each attacker, at a lower priority than the referee, and so do the neighbours: what is measured is what the
//! referee does with its processors. Twenty matches are played by people who submit fifty moves a second together, ten
//! thousand unless it is said otherwise; only `SubmitMove` is timed. Before the next attack the referee is started anew.

mod tables;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rcgen::generate_simple_self_signed;
use referee::client::{Chooser, Chooses as _, Client, SeatClient, request_id};
use referee::library::Library;
use referee::sandbox::Bounds;
use referee::server::{Config, Pem, StoreChoice, Tls, start};
use referee::wire::v1;
use referee_tests::mini;
use tables::{Outcome, Process, at, begin, claim, create, seat_bot};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};

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
const ATTACKS: [(&str, &str); 12] = [
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
        "imports",
        "a host imports records whose texts double with every line",
    ),
    (
        "modules",
        "two publishers check a package of four hundred modules",
    ),
    (
        "memory",
        "two publishers check packages that ask for more room than there is",
    ),
    (
        "silent",
        "a thousand connections say nothing, again and again",
    ),
    (
        "watchers",
        "one seat watches its match as often as it can, and proposes what cannot be",
    ),
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
        // As the referee starts its own program.
        ["sandbox", "--mib", mib, "--seconds", seconds] => {
            let (mib, seconds) = (mib.parse()?, seconds.parse()?);
            Ok(referee::sandbox::serve(Bounds { mib, seconds })?)
        }
        ["neighbours", what, submits, ref referee @ ..] => {
            let runtime = tokio::runtime::Runtime::new()?;
            let referee = Referee::said(referee)?;
            runtime.block_on(neighbours(what, &referee, submits.parse()?))
        }
        ["attack", what, ref referee @ ..] => {
            let runtime = tokio::runtime::Runtime::new()?;
            runtime.block_on(attack(what, &Referee::said(referee)?))
        }
        _ => {
            let submits = arguments
                .first()
                .map_or(Ok(10_000), |count| count.parse())?;
            let wanted = arguments.get(1..).unwrap_or_default();
            println!("attack      median     99 in 100       longest   refused     busy");
            for (what, about) in ATTACKS {
                if wanted.is_empty() || wanted.contains(&what) {
                    measure(what, about, submits)?;
                }
            }
            Ok(())
        }
    }
}

// ---- the referee

/// Where a referee is, and what opens it.
struct Referee {
    url: String,
    host: String,
    publisher: String,
    /// The certificate that it has.
    authority: String,
}

impl Referee {
    fn said(words: &[&str]) -> Outcome<Referee> {
        let [url, host, publisher, authority] = words[..] else {
            return Err("the referee did not start".into());
        };
        Ok(Referee {
            url: url.into(),
            host: host.into(),
            publisher: publisher.into(),
            authority: authority.into(),
        })
    }

    fn words(&self) -> [&str; 4] {
        [&self.url, &self.host, &self.publisher, &self.authority]
    }

    /// A connection of its own.
    async fn connect(&self) -> Outcome<Client> {
        let authority = Certificate::from_pem(std::fs::read(&self.authority)?);
        let tls = ClientTlsConfig::new()
            .ca_certificate(authority)
            .domain_name("localhost");
        let endpoint = Endpoint::from_shared(self.url.clone())?;
        Ok(Client::on(endpoint.tls_config(tls)?.connect().await?))
    }

    async fn host(&self) -> Outcome<Client> {
        Ok(self.connect().await?.with_token(&self.host))
    }

    async fn publisher(&self) -> Outcome<Client> {
        Ok(self.connect().await?.with_token(&self.publisher))
    }
}

async fn serve(store: &str) -> Outcome<()> {
    let certified = generate_simple_self_signed(vec!["localhost".into()])?;
    let authority = Path::new(store).with_extension("pem");
    std::fs::write(&authority, certified.cert.pem())?;
    let address = ([127, 0, 0, 1], 0).into();
    let kept = StoreChoice::File(Path::new(store).into());
    let mut config = Config::new(address, kept, Library::embedded()?);
    config.testing = true;
    config.program = Some(std::env::current_exe()?);
    config.tls = Some(Tls::of(Pem {
        certificate: certified.cert.pem().into_bytes(),
        key: certified.signing_key.serialize_pem().into_bytes(),
        client_authority: None,
    }));
    let running = start(config).await?;
    let tokens = [running.host_token(), running.publisher_token()].map(str::to_owned);
    let authority = authority.display();
    println!("{} {} {} {authority}", running.url(), tokens[0], tokens[1]);
    std::io::stdout().flush()?;
    // Until the other side goes away.
    tokio::task::spawn_blocking(|| std::io::stdin().lines().count()).await?;
    Ok(())
}

// ---- what is measured

/// A process of this program, at a lower priority than the referee's.
fn aside(words: &[&str], referee: &Referee) -> Outcome<Command> {
    let mut command = Command::new("nice");
    command.args(["-n", "10"]).arg(std::env::current_exe()?);
    command.args(words).args(referee.words());
    Ok(command)
}

fn measure(what: &str, about: &str, submits: u64) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let mut serving = Command::new(std::env::current_exe()?)
        .arg("serve")
        .arg(folder.path().join("referee.sqlite"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut told = String::new();
    let output = serving.stdout.take().ok_or("no output")?;
    let id = serving.id();
    let _serving = Process(serving);
    BufReader::new(output).read_line(&mut told)?;
    let told: Vec<&str> = told.split_whitespace().collect();
    let referee = Referee::said(&told)?;
    let mut attacker = match what {
        "alone" => None,
        _ => {
            let mut command = aside(&["attack", what], &referee)?;
            let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
            let attacker = quiet.spawn()?;
            // It gets under way.
            std::thread::sleep(Duration::from_secs(3));
            Some(Process(attacker))
        }
    };
    let (begun, used) = (Instant::now(), processor_time(id));
    let submits = submits.to_string();
    let played = aside(&["neighbours", what, &submits], &referee)?
        .stderr(Stdio::inherit())
        .output()?;
    let used = processor_time(id).saturating_sub(used).as_secs_f64();
    let busy = 100.0 * used / begun.elapsed().as_secs_f64();
    if let Some(Process(attacker)) = &mut attacker
        && attacker.try_wait()?.is_some()
    {
        return Err(format!("the attack by {what} has ended before its time").into());
    }
    let figures = String::from_utf8(played.stdout)?;
    println!("{}{busy:>7.0} %   {about}", figures.trim_end());
    Ok(())
}

// ---- the neighbours

async fn neighbours(what: &str, referee: &Referee, submits: u64) -> Outcome<()> {
    let mut playing = JoinSet::new();
    for number in 0..MATCHES {
        let referee = Referee::said(&referee.words())?;
        playing.spawn(async move {
            let seats = seated(&referee, "rulesets/puerto-rico").await?;
            let first = Duration::from_millis(1000 * number / A_SECOND);
            tokio::time::sleep(first).await;
            play(&referee, seats, submits / MATCHES, number).await
        });
    }
    let (mut took, mut refused) = (Vec::new(), 0);
    while let Some(played) = playing.join_next().await {
        let (times, failed) = played??;
        took.extend(times);
        refused += failed;
    }
    took.sort_unstable();
    let at = |share| at(&took, share).unwrap_or_default();
    println!(
        "{what:<10}{:>8.1?}{:>14.1?}{:>14.1?}{refused:>10}",
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
async fn seated(referee: &Referee, ruleset: &str) -> Outcome<Vec<SeatClient>> {
    let client = referee.connect().await?;
    let host = client.with_token(&referee.host);
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
    referee: &Referee,
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
            seats = seated(referee, "rulesets/puerto-rico").await?;
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

async fn attack(what: &str, referee: &Referee) -> Outcome<()> {
    let mut attacking = JoinSet::new();
    match what {
        "packages" | "modules" | "memory" => {
            let files = match what {
                "packages" => dear(),
                "modules" => modular(),
                _ => roomy(),
            };
            for _ in 0..2 {
                let (client, files) = (referee.publisher().await?, files.clone());
                attacking.spawn(async move {
                    loop {
                        let asked = v1::CheckPackageRequest {
                            package: Some(v1::Package {
                                files: files.clone(),
                            }),
                            configuration: None,
                        };
                        let _ = client.call(asked).await;
                    }
                });
            }
        }
        "imports" => {
            let record = imported(referee).await?;
            for _ in 0..4 {
                let (host, record) = (referee.host().await?, record.clone());
                attacking.spawn(async move {
                    loop {
                        let asked = v1::ImportRecordRequest {
                            record: record.clone(),
                            request_id: request_id(),
                        };
                        let _ = host.call(asked).await;
                    }
                });
            }
        }
        "silent" => {
            let address = referee.url.trim_start_matches("https://").to_owned();
            attacking.spawn(async move {
                loop {
                    let mut silent = Vec::new();
                    for _ in 0..1000 {
                        silent.push(TcpStream::connect(&address).await);
                    }
                    tokio::time::sleep(Duration::from_secs(5)).await;
                }
            });
        }
        "watchers" => {
            let seats = seated(referee, "rulesets/genoa").await?;
            let seat = seats.into_iter().next().ok_or("no seats")?;
            for kind in [v1::ProposalKind::Undo, v1::ProposalKind::Pause] {
                let seat = seat.clone();
                attacking.spawn(async move {
                    loop {
                        let asked = v1::ProposeRequest {
                            kind: kind.into(),
                            ..v1::ProposeRequest::of(seat.name())
                        };
                        let _ = seat.client().call(asked).await;
                    }
                });
            }
            for _ in 0..64 {
                let seat = seat.clone();
                attacking.spawn(async move {
                    loop {
                        let asked = v1::WatchMatchRequest::of(seat.name());
                        let _ = seat.client().call(asked).await;
                    }
                });
            }
        }
        "schemas" => {
            for caller in 0..8u32 {
                let client = referee.connect().await?;
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
                        let _ = client.call(asked).await;
                    }
                });
            }
        }
        "bots" => bots(referee, "rulesets/genoa", v1::BotKind::Search, 10).await?,
        "greedy" => bots(referee, "rulesets/genoa", v1::BotKind::Greedy, 100).await?,
        "records" => {
            let seats = seated(referee, "rulesets/genoa").await?;
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
                        let asked = v1::VerifyRecordRequest::of(seat.name());
                        drop(seat.client().call(asked).await);
                    }
                });
            }
        }
        "rules" => {
            let client = referee.publisher().await?;
            let published = client
                .call(v1::PublishPackageRequest {
                    package: Some(v1::Package { files: busy() }),
                    request_id: request_id(),
                    ..Default::default()
                })
                .await?;
            let revision = published.revision;
            let ruleset = revision.split("/revisions/").next().unwrap_or_default();
            bots(referee, ruleset, v1::BotKind::Random, 4).await?;
        }
        _ => return Err("there is no such attack".into()),
    }
    while attacking.join_next().await.is_some() {}
    // Bots play by themselves.
    std::future::pending().await
}

/// Matches of bots alone, under way.
async fn bots(referee: &Referee, ruleset: &str, kind: v1::BotKind, matches: u64) -> Outcome<()> {
    let host = referee.host().await?;
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

/// A package that offers four hundred modules.
fn modular() -> Vec<v1::PackageFile> {
    let mut files = files(mini::GAME);
    let ids: Vec<String> = (0..400).map(|i| format!("m{i}")).collect();
    files[0].text += &format!("modules: [{}]\n", ids.join(", "));
    files.extend(ids.into_iter().map(|id| v1::PackageFile {
        text: format!(
            "id: {id}\nextends: mini\nversion: \"0.1.0\"\nlanguage: 1\ntitles: {{en: M, pl: M}}\n"
        ),
        path: format!("modules/{id}/module.yaml"),
    }));
    files
}

/// A package that asks for more room than there is.
fn roomy() -> Vec<v1::PackageFile> {
    let big = "counter big(a: colour, b: colour, c: colour)\n";
    let mut files = files(&format!("{big}{}", mini::GAME));
    for i in 0..300 {
        files[1].text += &format!("  r{i}: {{names: {{en: r, pl: r}}, weight: 1, twin: blue}}\n");
    }
    files
}

/// The record of a match that is over, whose texts have more in them than they had.
async fn imported(referee: &Referee) -> Outcome<Vec<u8>> {
    let seats = seated(referee, "rulesets/puerto-rico").await?;
    for seat in &seats[1..] {
        let resign = v1::ResignRequest::of(seat.name());
        seat.client().call(resign).await?;
    }
    let asked = v1::ExportRecordRequest::of(seats[0].name());
    let mut stream = seats[0].client().call(asked).await?;
    let mut record = Vec::new();
    while let Some(piece) = stream.message().await? {
        record.extend(piece.data);
    }
    let doubling: String = (1..40)
        .map(|i| format!("query q{i}(x: int): int = q{0}(x) + q{0}(x)\\n", i - 1))
        .collect();
    let text = String::from_utf8(record)?;
    let phase = "phase game";
    let more = format!("query q0(x: int): int = x\\n{doubling}{phase}");
    match text.contains(phase) {
        true => Ok(text.replacen(phase, &more, 1).into_bytes()),
        false => Err("no rules in the record".into()),
    }
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
