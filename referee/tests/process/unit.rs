//! The referee under the restrictions of the unit that is shipped: system calls that the unit does not list end it, and
//! memory is never writable and executable.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use referee::client::{Client, request_id};
use referee::wire::v1;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};
use syscalls::Sysno;

use super::sandbox::{files, publisher_of};
use super::serving::{Server, table, tokens};

const UNIT: &str = include_str!("../../deploy/referee.service");
const GROUPS: &str = include_str!("system_calls.txt");

/// What stands for a word of a filter: a system call, or all of a group.
fn calls(word: &str, into: &mut BTreeSet<String>) {
    if !word.starts_with('@') {
        into.insert(word.to_owned());
        return;
    }
    let mut lines = GROUPS.lines().skip_while(|line| *line != word);
    assert!(lines.next().is_some(), "{word} is in no list");
    for line in lines.take_while(|line| line.starts_with(' ')) {
        calls(line.trim(), into);
    }
}

/// The system calls that a unit allows.
fn allowed(unit: &str) -> BTreeSet<String> {
    let mut allowed = BTreeSet::new();
    for words in unit
        .lines()
        .filter_map(|line| line.strip_prefix("SystemCallFilter="))
    {
        let (away, words) = match words.strip_prefix('~') {
            Some(words) => (true, words),
            None => (false, words),
        };
        for word in words.split_whitespace() {
            let mut named = BTreeSet::new();
            calls(word, &mut named);
            match away {
                true => allowed.retain(|call| !named.contains(call)),
                false => allowed.append(&mut named),
            }
        }
    }
    allowed
}

fn number(call: &str) -> Option<i64> {
    // Some are of other processors.
    call.parse::<Sysno>().ok().map(|call| i64::from(call.id()))
}

/// Ends whoever makes another system call.
fn only(allowed: &BTreeSet<String>) -> BpfProgram {
    let rules = allowed
        .iter()
        .filter_map(|call| Some((number(call)?, vec![])));
    filter(
        rules.collect(),
        SeccompAction::KillProcess,
        SeccompAction::Allow,
    )
}

/// `MemoryDenyWriteExecute=yes`: an error for whoever asks for such memory.
fn never_writable_and_executable() -> BpfProgram {
    let has = |argument, bits| {
        let op = SeccompCmpOp::MaskedEq(bits);
        let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, op, bits);
        SeccompRule::new(vec![condition.expect("a condition")]).expect("a rule")
    };
    const WRITE_AND_EXECUTE: u64 = 2 | 4;
    const EXECUTE: u64 = 4;
    let rules = [
        ("mmap", has(2, WRITE_AND_EXECUTE)),
        ("mprotect", has(2, EXECUTE)),
        ("pkey_mprotect", has(2, EXECUTE)),
    ];
    let rules = rules.map(|(call, rule)| (number(call).expect("a call"), vec![rule]));
    const EPERM: u32 = 1;
    filter(
        rules.into(),
        SeccompAction::Allow,
        SeccompAction::Errno(EPERM),
    )
}

fn filter(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    otherwise: SeccompAction,
    then: SeccompAction,
) -> BpfProgram {
    let processor = std::env::consts::ARCH.try_into().expect("a processor");
    let filter = SeccompFilter::new(rules, otherwise, then, processor);
    filter
        .expect("a filter")
        .try_into()
        .expect("it is compiled")
}

/// What a referee does only where everything may be done: SQLite gives its files to their owner.
const AS_ROOT: &str = "fchown";

/// A referee that may do what a unit allows; or what it said if it ends before it serves.
fn server(store: &Path, unit: &str) -> Result<Server, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--store"]);
    command.arg(store).arg("--token-file").arg(tokens(store));
    let (unit, store) = (unit.to_owned(), store.to_owned());
    // What a thread may not do, neither may what it starts.
    let thread = std::thread::spawn(move || {
        apply_filter(&never_writable_and_executable()).expect("a filter");
        let mut allowed = allowed(&unit);
        if rustix::process::geteuid().is_root() {
            allowed.insert(AS_ROOT.into());
        }
        apply_filter(&only(&allowed)).expect("a filter");
        Server::of(&mut command, &store)
    });
    thread.join().expect("no panic")
}

/// Publishes a package, and plays a match of it between bots to its end.
async fn publish_and_play(server: &Server, store: &Path) -> Result<(), tonic::Status> {
    let publisher = publisher_of(&server.url, store).await;
    let published = v1::PublishPackageRequest {
        package: Some(v1::Package { files: files() }),
        request_id: request_id(),
        ..Default::default()
    };
    publisher.call(published).await?;
    let host = server.client().await.with_token(&server.host);
    let created = table::create(&host, "tea-house", 2, None).await?;
    let name = table::name(&created);
    table::bots(&host, &name, 1..=2).await;
    table::start(&host, &name).await;
    over(&host, &name).await;
    Ok(())
}

/// Waits until a match is over.
async fn over(host: &Client, name: &str) {
    for _ in 0..600 {
        let asked = v1::GetMatchRequest::of(name);
        let found = host.call(asked).await.expect("a match");
        let found = found.r#match.expect("a match");
        if found.state() == v1::MatchState::Finished {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("it does not end");
}

#[tokio::test]
async fn everything_works_under_the_restrictions_of_the_unit() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("matches.sqlite");
    let mut server = server(&store, UNIT).expect("it serves");
    publish_and_play(&server, &store).await.expect("it works");
    server.stop().await;
}

#[tokio::test]
async fn the_restrictions_of_the_unit_bite() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("matches.sqlite");
    // Nobody could wait for a process that has ended.
    let less = format!("{UNIT}\nSystemCallFilter=~wait4 waitid\n");
    let mut server = server(&store, &less).expect("it serves");
    let _ = publish_and_play(&server, &store).await;
    for _ in 0..500 {
        if !server.runs() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("it goes on");
}
