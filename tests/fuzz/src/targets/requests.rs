//! Requests to every method of the contract, one after the other at a referee in this process.
//!
//! An input has a call on each line: the method, who calls, and the message as JSON (or `raw` and bytes in Base64, for
//! what is no message):
//!
//! ```text
//! PlayService/GetView seat1 {"name":"$match"}
//! PlayService/SubmitMove seat1 {"name":"$match","decisionId":"$decision","move":"$move","requestId":"$id"}
//! ```
//!
//! Words that begin with `$` stand for what is another thing in every process: see `Meant`.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use referee::client::{Chooser, Chooses, Client, SeatClient, error_info, request_id};
use referee::server::Running;
use referee::store::memory::Memory;
use referee::wire::v1;
use referee_tests::json;
use referee_tests::random::Random;
use referee_tests::raw::Raw;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::metadata::MetadataValue;
use tonic::transport::Channel;
use tonic::{Code, Status};
use tonic_prost::ProstCodec;

use super::hosted::{RULESET, RUNTIME, create, keys, referee, seated, sure};
use crate::Target;
use crate::mutate::{bytes, message, once_in, place, rounds};

/// Calls, a line each.
pub const TARGET: Target = Target {
    name: "requests",
    about: "calls of every method by every kind of caller, with messages changed by their descriptors: no panic, no status that \
            is a mistake of the referee's, a reason with every refusal, and it answers afterwards",
    run,
    mutate,
    seeds,
    longest: 1 << 14,
};

/// Kinds of callers.
const CALLERS: [&str; 7] = [
    "nobody",
    "host",
    "seat1",
    "seat2",
    "spectator",
    "publisher",
    "admin",
];

/// Calls of one input at most.
const CALLS: usize = 12;

/// The methods of the contract, with their requests.
static METHODS: LazyLock<BTreeMap<String, MessageDescriptor>> = LazyLock::new(|| {
    let pool = DescriptorPool::decode(v1::DESCRIPTOR).unwrap_or_else(|why| panic!("{why}"));
    let mut all = BTreeMap::new();
    for service in pool
        .services()
        .filter(|service| service.package_name() == "referee.v1")
    {
        for method in service.methods() {
            all.insert(
                format!("{}/{}", service.name(), method.name()),
                method.input(),
            );
        }
    }
    assert!(all.len() > 40, "the contract has methods");
    all
});

/// Words for texts of messages.
const WORDS: &[&str] = &[
    "$match",
    "$lobby",
    "$code",
    "$decision",
    "$proposal",
    "$resume",
    "$page",
    "$id",
    "$id",
    "rulesets/tea-house",
    "rulesets/puerto-rico",
    "$revision",
    "random",
    "greedy",
    "search",
    "brew",
    "tea-house",
    "stable",
    "beta",
    "$match/x",
    "$token",
];

/// What words stand for.
struct Meant(Vec<(&'static str, String)>);

impl Meant {
    fn within(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for (word, real) in &self.0 {
            line = line.replace(word, real);
        }
        line.replace("$id", &request_id())
    }
}

struct World {
    running: Running,
    client: Client,
    channel: Channel,
    used: usize,
}

static WORLD: LazyLock<Mutex<Option<World>>> = LazyLock::new(Mutex::default);

async fn world() -> World {
    let (running, client) = referee(Arc::new(Memory::default()), keys()).await;
    let channel = Channel::from_shared(running.url()).unwrap_or_else(|why| panic!("{why}"));
    let channel = channel
        .connect()
        .await
        .unwrap_or_else(|why| panic!("{why}"));
    World {
        running,
        client,
        channel,
        used: 0,
    }
}

fn line(method: &str, caller: &str, message: &DynamicMessage) -> String {
    let told = serde_json::to_string(message).unwrap_or_default();
    format!("{method} {caller} {}", told.replace('\n', " "))
}

fn default_caller(method: &str) -> &'static str {
    match method.split('/').next().unwrap_or_default() {
        "PlayService" | "TableService" => "seat1",
        "SpectatorService" => "spectator",
        "PublishingService" => "publisher",
        "AdminService" => "admin",
        _ => "host",
    }
}

/// A message whose fields have the words that belong there by their names.
fn sensible(of: &MessageDescriptor) -> String {
    let mut fields = Vec::new();
    for field in of.fields() {
        let text = match field.name() {
            "name" if of.name().contains("Ruleset") || of.name().contains("Revision") => {
                "rulesets/tea-house"
            }
            "name" if of.name().contains("Schemas") || of.name().contains("Artifact") => {
                "rulesets/tea-house"
            }
            "name" if of.name().contains("ClaimSeat") || of.name().contains("SeatBot") => {
                "$lobby/seats/1"
            }
            "name" if of.name().contains("ReleaseSeat") => "$match/seats/1",
            "name" if ["RespondRequest", "WithdrawRequest"].contains(&of.name()) => "$proposal",
            "name" => "$match",
            "ruleset" | "before" | "after" => "rulesets/tea-house",
            "request_id" => "$id",
            "claim_code" => "$code",
            "decision_id" => "$decision",
            "display_name" | "label" => "somebody",
            "move" => "$move",
            "bot" => "random",
            "resume_token" | "at_least" => "",
            _ => continue,
        };
        fields.push(format!(
            "{}:{}",
            serde_json::json!(field.json_name()),
            serde_json::json!(text)
        ));
    }
    for name in ["seat", "players"] {
        if of.get_field_by_name(name).is_some() {
            fields.push(format!("\"{name}\":1"));
        }
    }
    format!("{{{}}}", fields.join(","))
}

fn seeds() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for (method, of) in &*METHODS {
        let call = format!("{method} {} {}\n", default_caller(method), sensible(of));
        all.push(call.repeat(2).into_bytes());
    }
    let submit = "PlayService/SubmitMove seat1 {\"name\":\"$match\",\"decisionId\":\"$decision\",\"move\":\"$move\",\"requestId\":\"$id\"}\n";
    let check = "PlayService/CheckMove seat1 {\"name\":\"$match\",\"decisionId\":\"$decision\",\"move\":\"$move\"}\n";
    all.push(submit.repeat(4).into_bytes());
    all.push(format!("{check}{submit}").repeat(3).into_bytes());
    let talk = "TableService/Propose seat1 {\"name\":\"$match\",\"kind\":\"PROPOSAL_KIND_UNDO\",\"moves\":1,\"requestId\":\"$id\"}\n\
                TableService/Respond seat2 {\"name\":\"$proposal\",\"agree\":true,\"requestId\":\"$id\"}\n";
    all.push(format!("{submit}{talk}{submit}").into_bytes());
    let create = json::of("CreateMatchRequest", &create(3))
        .to_string()
        .replace('\n', "");
    let create = format!("MatchService/CreateMatch host {create}\n");
    all.push(format!("{create}{create}").into_bytes());
    all
}

fn mutate(input: &[u8], random: &mut Random) -> Vec<u8> {
    let text = String::from_utf8_lossy(input);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let methods: Vec<&String> = METHODS.keys().collect();
    let words: Vec<String> = WORDS.iter().map(|word| (*word).to_owned()).collect();
    for _ in 0..rounds(random) {
        if lines.is_empty() || (lines.len() < CALLS && once_in(4, random)) {
            let method = *random.pick(&methods);
            let caller = if once_in(4, random) {
                *random.pick(&CALLERS)
            } else {
                default_caller(method)
            };
            let message = match once_in(3, random) {
                true => message::filled(METHODS[method].clone(), &words, random, 0),
                false => match parsed(&METHODS[method], &sensible(&METHODS[method])) {
                    Some(message) => message,
                    None => continue,
                },
            };
            let at = place(lines.len() + 1, random);
            lines.insert(at, line(method, caller, &message));
            continue;
        }
        let at = place(lines.len(), random);
        let other = place(lines.len(), random);
        match random.below(14) {
            0 => {
                lines.remove(at);
            }
            1 => lines.insert(other, lines[at].clone()),
            2 => lines.swap(at, other),
            3 => {
                let mut parts = lines[at].splitn(3, ' ');
                if let (Some(method), Some(_), Some(rest)) =
                    (parts.next(), parts.next(), parts.next())
                {
                    lines[at] = format!("{method} {} {rest}", random.pick(&CALLERS));
                }
            }
            _ => {
                let mut parts = lines[at].splitn(3, ' ');
                let (Some(method), Some(caller), Some(said)) =
                    (parts.next(), parts.next(), parts.next())
                else {
                    continue;
                };
                let Some(of) = METHODS.get(method) else {
                    continue;
                };
                let Some(mut read) = parsed(of, said) else {
                    continue;
                };
                if once_in(25, random) {
                    let raw = bytes::mutate(&read.encode_to_vec(), random);
                    lines[at] = format!("{method} {caller} raw {}", STANDARD.encode(raw));
                    continue;
                }
                message::change(&mut read, &words, random);
                lines[at] = line(method, caller, &read);
            }
        }
    }
    lines.truncate(CALLS);
    (lines.join("\n") + "\n").into_bytes()
}

/// A message from its JSON; where a move is meant that is not known yet, without one.
fn parsed(of: &MessageDescriptor, told: &str) -> Option<DynamicMessage> {
    let told = told.replace("\"$move\"", "{\"name\":\"pass\"}");
    let mut reader = serde_json::Deserializer::from_str(&told);
    DynamicMessage::deserialize(of.clone(), &mut reader).ok()
}

fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.is_empty())
        .take(CALLS)
        .collect();
    if lines.is_empty() {
        return;
    }
    let mut kept = WORLD.lock().unwrap_or_else(PoisonError::into_inner);
    RUNTIME.block_on(async {
        let mut here = match kept.take() {
            Some(here) => here,
            None => world().await,
        };
        tell(&here, &lines).await;
        here.used += 1;
        // What is published and administered changes what later inputs meet.
        let lasting = lines
            .iter()
            .any(|line| line.starts_with("Publishing") || line.starts_with("Admin"));
        match lasting || here.used > 300 {
            true => here.running.stop().await,
            false => *kept = Some(here),
        }
    });
}

async fn tell(world: &World, lines: &[&str]) {
    let running = &world.running;
    let host = world.client.with_token(running.host_token());
    let (name, tokens) = seated(&world.client, &host, 5).await;
    let lobby = sure(host.call(create(6)).await);
    let code = lobby
        .claim_codes
        .first()
        .map(|code| code.code.clone())
        .unwrap_or_default();
    let lobby = lobby.r#match.map(|one| one.name).unwrap_or_default();
    let invite = v1::InviteSpectatorRequest::of(&name);
    let spectator = sure(host.call(invite).await).spectator_token;
    let revision = sure(
        host.call(v1::ListRevisionsRequest {
            name: format!("rulesets/{RULESET}"),
            ..Default::default()
        })
        .await,
    );
    let revision = revision
        .revisions
        .first()
        .map(|one| one.name.clone())
        .unwrap_or_default();
    let mut proposal = String::new();
    let mut chooser = Chooser::new(1);
    for said in lines {
        let mut parts = said.splitn(3, ' ');
        let (Some(method), Some(caller), Some(message)) =
            (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let Some(of) = METHODS.get(method) else {
            continue;
        };
        let own = tokens
            .get(usize::from(caller == "seat2"))
            .cloned()
            .unwrap_or_default();
        let mut meant = Meant(vec![
            ("$match", name.clone()),
            ("$lobby", lobby.clone()),
            ("$code", code.clone()),
            ("$revision", revision.clone()),
            ("$proposal", proposal.clone()),
            ("$token", own.clone()),
        ]);
        if message.contains("$decision") || message.contains("$move") || message.contains("$resume")
        {
            let seat = SeatClient::new(world.client.with_token(&own), name.as_str());
            if let Ok(Some((decision, offers))) = seat.decision().await {
                let mv = chooser.choose(&decision, &offers);
                meant
                    .0
                    .push(("\"$move\"", json::of("Move", &mv).to_string()));
                meant.0.push(("$decision", decision.decision_id));
            }
            let view = v1::GetViewRequest::of(&name);
            if let Ok(view) = seat.client().call(view).await {
                meant.0.push(("$resume", view.resume_token));
            }
        }
        let bytes = match message.strip_prefix("raw ") {
            Some(raw) => STANDARD.decode(raw).unwrap_or_default(),
            None => match parsed(of, &meant.within(message)) {
                Some(message) => message.encode_to_vec(),
                None => continue,
            },
        };
        let token = match caller {
            "host" => Some(running.host_token()),
            "admin" => Some(running.admin_token()),
            "publisher" => Some(running.publisher_token()),
            "seat1" | "seat2" => Some(&*own),
            "spectator" => Some(&*spectator),
            _ => None,
        };
        let path = format!("/referee.v1.{method}");
        let answer = tokio::time::timeout(
            Duration::from_secs(15),
            call(&world.channel, &path, token, bytes),
        )
        .await;
        match answer {
            Err(_) => panic!("no answer to {said}"),
            Ok(Err(status)) => refused(said, &status),
            Ok(Ok(first)) if method == "TableService/Propose" => {
                let made = v1::ProposeResponse::decode(&first[..]);
                proposal = made.map(|made| made.name).unwrap_or_default();
            }
            Ok(Ok(_)) => {}
        }
    }
    // Whatever was asked, it goes on answering.
    sure(world.client.call(v1::GetServerInfoRequest {}).await);
}

/// Holds a refusal to what is promised of it.
fn refused(said: &str, status: &Status) {
    assert!(
        ![Code::Internal, Code::Unknown, Code::DataLoss].contains(&status.code()),
        "a mistake of the referee's: {said}: {status:?}"
    );
    let info = error_info(status);
    let known = info.is_some_and(|info| {
        info.domain == "referee.v1"
            && v1::Reason::from_str_name(&format!("REASON_{}", info.reason)).is_some()
    });
    assert!(known, "no reason of the catalogue: {said}: {status:?}");
}

/// Calls any method with any bytes; what comes first.
async fn call(
    channel: &Channel,
    path: &str,
    token: Option<&str>,
    bytes: Vec<u8>,
) -> Result<Vec<u8>, Status> {
    let mut client = tonic::client::Grpc::new(channel.clone()).max_decoding_message_size(64 << 20);
    client
        .ready()
        .await
        .unwrap_or_else(|why| panic!("the connection is gone: {why}"));
    let mut request = tonic::Request::new(Raw(bytes));
    if let Some(bearer) =
        token.and_then(|token| MetadataValue::try_from(format!("Bearer {token}")).ok())
    {
        request.metadata_mut().insert("authorization", bearer);
    }
    let path = PathAndQuery::try_from(path).unwrap_or_else(|why| panic!("{why}"));
    let codec: ProstCodec<Raw, Raw> = ProstCodec::default();
    // Every method can be called as a stream: a unary answer is a stream of one.
    let mut stream = client
        .server_streaming(request, path, codec)
        .await?
        .into_inner();
    let first = stream.message().await?;
    // Streams that watch a match go on for ever: a little of them is enough.
    for _ in 0..3 {
        match tokio::time::timeout(Duration::from_millis(5), stream.message()).await {
            Ok(Ok(Some(_))) => {}
            Ok(Err(status)) => return Err(status),
            Ok(Ok(None)) | Err(_) => break,
        }
    }
    Ok(first.map(|first| first.0).unwrap_or_default())
}
