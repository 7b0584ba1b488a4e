//! What every engine must do, as tests that any engine can be given to.
//!
//! Call [`check`] with an empty store. It panics with the promise that was broken.

#![allow(
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a test suite"
)]

use super::{
    Append, Appended, Change, Erase, Grant, MatchId, MatchState, NAME_SALT, NameRow, NewMatch,
    NoticeRow, OUTAGES, Outage, OwnerRow, Principal, RequestRow, RevisionRow, STABLE, Shared,
    Store, StoreError, StoredEntry, TokenRow, WakeUp, Wanted, chain,
};

/// Runs the whole suite on an empty store.
pub fn check(store: &dyn Store) {
    logs_are_appended_in_order_and_read_back(store);
    a_wrong_length_changes_nothing(store);
    a_match_is_created_once(store);
    a_request_is_answered_once(store);
    members_of_a_group_are_judged_one_after_the_other(store);
    lists_are_the_hosts_own_newest_first(store);
    tokens_open_what_they_were_granted(store);
    people_are_granted_listed_and_revoked(store);
    revisions_are_listed_and_channels_point_to_them(store);
    matches_are_found_by_what_waits_in_them(store);
    snapshots_are_replaced_and_forgotten(store);
    requests_of_matches_that_are_over_are_forgotten(store);
    contents_are_kept_under_their_digest(store);
    names_are_kept_with_the_entries_that_hold_their_digests(store);
    names_are_erased_with_the_requests_that_said_them(store);
    a_match_is_erased_with_all_that_belongs_to_it(store);
    rulesets_have_owners(store);
    entries_are_chained(store);
    times_without_a_referee_are_remembered(store);
    seats_are_held_by_players(store);
    notices_wait_until_they_are_settled(store);
    what_was_learned_is_replaced(store);
}

/// Runs what concerns two referees with one store, each by its own way to it; it need not be empty.
pub fn check_shared(one: &dyn Store, other: &dyn Store) {
    what_one_writes_the_other_reads(one, other);
    one_at_a_time_acts_by_itself(one, other);
    what_is_published_is_counted(one, other);
    one_at_a_time_tells_a_notice(one, other);
    a_ruleset_becomes_theirs_who_publish_it_first(one, other);
    a_time_in_which_nobody_could_write_is_noted_by_whoever_can_first(one, other);
}

fn shared(store: &dyn Store) -> &dyn Shared {
    store
        .shared()
        .expect("several referees may serve from this store")
}

fn what_one_writes_the_other_reads(store: &dyn Store, other: &dyn Store) {
    let mut heard = shared(other).wake_ups();
    let (create, id) = new_match();
    one(store, create);
    let claim = Append {
        tokens: vec![TokenRow {
            label: "cyd".into(),
            ..TokenRow::new(
                [180; 32],
                Grant::Seat {
                    id: id.clone(),
                    seat: 0,
                },
            )
        }],
        listing: true,
        ..append_to(&id, 1, &[b"claimed", b"more"])
    };
    one(store, claim);
    let expected = [
        WakeUp::Grew(id.clone(), 3),
        WakeUp::Holder("cyd".into()),
        WakeUp::Listing,
    ];
    let mut missing: Vec<WakeUp> = expected.into();
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while !missing.is_empty() {
        assert!(
            std::time::Instant::now() < patience,
            "not heard: {missing:?}"
        );
        match heard.try_recv() {
            Ok(wake_up) => missing.retain(|expected| *expected != wake_up),
            Err(_) => std::thread::sleep(std::time::Duration::from_millis(2)),
        }
    }
    let ids = [id.clone(), MatchId::random()];
    assert_eq!(shared(other).lengths(&ids).unwrap(), [(id.clone(), 3)]);
    // Whoever is behind is told so, and whoever has read on goes on.
    assert_eq!(
        one(other, append_to(&id, 1, &[b"late"])),
        Appended::Conflict
    );
    let head = other.find(&id).unwrap().unwrap().chain;
    let wrong = Append {
        head: Some([0; 32]),
        ..append_to(&id, 3, &[b"of another log"])
    };
    let right = Append {
        head: Some(head),
        ..append_to(&id, 3, &[b"next"])
    };
    assert_eq!(one(other, wrong), Appended::Conflict);
    assert_eq!(one(other, right), Appended::Done);
    assert_eq!(bodies(store, &id).len(), 4);
    entries_are_chained_in(store, &id);
}

fn one_at_a_time_acts_by_itself(one: &dyn Store, other: &dyn Store) {
    let (id, another) = (MatchId::random(), MatchId::random());
    assert!(shared(one).claim(&id).unwrap());
    assert!(!shared(other).claim(&id).unwrap());
    assert!(shared(one).claim(&id).unwrap(), "again");
    assert!(shared(other).claim(&another).unwrap());
}

fn what_is_published_is_counted(one: &dyn Store, other: &dyn Store) {
    let before = shared(other).publications().unwrap();
    let change = Change::Own(OwnerRow {
        ruleset: "counted".into(),
        owner: "Ada".into(),
    });
    one.settle(&change, &request("counted", 1)).unwrap();
    assert_ne!(shared(other).publications().unwrap(), before);
}

fn one_at_a_time_tells_a_notice(one: &dyn Store, other: &dyn Store) {
    let (create, id) = new_match();
    let notice = NoticeRow {
        id: [7; 16],
        of: id.clone(),
        address: "https://club.example/turn".into(),
        body: vec![7],
        due_ms: 500,
        tries: 0,
    };
    let create = Append {
        notices: vec![notice.clone()],
        ..create
    };
    one.append(vec![create]).unwrap();
    let due = |store: &dyn Store, until| {
        let mut due = store.notices(until, 99).unwrap();
        due.retain(|row| row.of == id);
        due
    };
    assert_eq!(due(one, 500), std::slice::from_ref(&notice));
    assert_eq!(due(other, 500), std::slice::from_ref(&notice));
    assert!(shared(one).take_notice(&notice, 30_500).unwrap());
    assert!(!shared(other).take_notice(&notice, 30_501).unwrap());
    assert_eq!(due(other, 30_499), []);
    // The first has ended, or is late.
    let late = due(other, 30_500).remove(0);
    assert_eq!(late.tries, 0);
    assert!(shared(other).take_notice(&late, 60_500).unwrap());
    other.settle_notice(&late, Some(40_000)).unwrap();
    one.settle_notice(&notice, Some(50_000)).unwrap();
    let counted = due(one, 99_000).remove(0);
    assert_eq!((counted.tries, counted.due_ms), (1, 40_000));
    one.settle_notice(&counted, None).unwrap();
    assert_eq!(due(other, 99_000), []);
}

fn a_ruleset_becomes_theirs_who_publish_it_first(one: &dyn Store, other: &dyn Store) {
    let point = |digest, owner: &str| Change::Point {
        revision: RevisionRow {
            ruleset: "raced".into(),
            digest: [digest; 32],
            version: "1".into(),
            created_ms: 1,
        },
        channel: STABLE.into(),
        owner: Some(owner.into()),
    };
    // Neither has heard of the other, and both think that it is nobody's.
    let (ada, bea) = (point(211, "Ada"), point(212, "Bea"));
    let of = |number: u8| request(&format!("raced {number}"), number);
    let pointed = || -> Vec<[u8; 32]> {
        let mut channels = other.channels().unwrap();
        channels.retain(|row| row.ruleset == "raced");
        channels.into_iter().map(|row| row.digest).collect()
    };
    let first = one.settle_by(Some("Ada"), &ada, &of(1)).unwrap();
    let second = other.settle_by(Some("Bea"), &bea, &of(2)).unwrap();
    assert_eq!((first, second), (Appended::Done, Appended::Conflict));
    assert_eq!(pointed(), [[211; 32]]);
    // Nothing of it was written, its request neither.
    assert!(!one.offered("raced", &[212; 32]).unwrap());
    let asked = other.request(None, of(2).principal, &of(2).request_id);
    assert_eq!(asked.unwrap(), None);
    // It is given away, which Ada's referee has not heard of.
    let give = Change::Own(OwnerRow {
        ruleset: "raced".into(),
        owner: "Bea".into(),
    });
    assert_eq!(other.settle(&give, &of(3)).unwrap(), Appended::Done);
    let yank = Change::Yank {
        revision: match &ada {
            Change::Point { revision, .. } => revision.clone(),
            _ => unreachable!("it is one"),
        },
        reason: Some("mine".into()),
    };
    let remove = Change::RemoveChannel {
        ruleset: "raced".into(),
        channel: STABLE.into(),
    };
    for (number, change) in (4..).zip([&point(213, "Ada"), &yank, &remove]) {
        let late = one.settle_by(Some("Ada"), change, &of(number)).unwrap();
        assert_eq!(late, Appended::Conflict, "{change:?}");
    }
    assert!(
        one.yanked()
            .unwrap()
            .iter()
            .all(|row| row.ruleset != "raced")
    );
    let again = other.settle_by(Some("Bea"), &bea, &of(2)).unwrap();
    assert_eq!((again, pointed()), (Appended::Done, vec![[212; 32]]));
}

fn a_time_in_which_nobody_could_write_is_noted_by_whoever_can_first(
    one: &dyn Store,
    other: &dyn Store,
) {
    // After all that other tests have noted.
    let begun = 1_000_000_000;
    let moments = [
        (one, 0),
        (other, 9),
        (one, 18),
        (other, 60),
        (one, 61),
        (other, 70),
    ];
    for (store, seconds) in moments {
        store.alive(begun + 1000 * seconds, false).unwrap();
    }
    let mut known = one.outages().unwrap();
    assert_eq!(other.outages().unwrap().len(), known.len());
    known.retain(|outage| outage.from_ms > begun);
    let expected = Outage {
        from_ms: begun + 18_000,
        to_ms: begun + 60_000,
    };
    assert_eq!(known, [expected]);
}

fn seats_are_held_by_players(store: &dyn Store) {
    let (create, id) = new_match();
    let (create_other, other) = new_match();
    store.append(vec![create, create_other]).unwrap();
    let held = |hash, id: &MatchId, seat| TokenRow {
        label: "ada".into(),
        ..TokenRow::new(
            [hash; 32],
            Grant::Seat {
                id: id.clone(),
                seat,
            },
        )
    };
    let claim = |row: &TokenRow, id: &MatchId| Append {
        tokens: vec![row.clone()],
        ..append_to(id, 1, &[b"claimed"])
    };
    let (first, second) = (held(200, &id, 1), held(201, &other, 0));
    one(store, claim(&first, &id));
    one(store, claim(&second, &other));
    assert_eq!(store.held_in("ada", &id).unwrap(), Some(first));
    assert_eq!(store.held_in("bea", &id).unwrap(), None);
    let rows = |state, before, limit| -> Vec<_> {
        let rows = store.held("ada", state, before, limit).unwrap();
        rows.into_iter().map(|row| (row.row.id, row.seat)).collect()
    };
    let (one_of, other_of) = ((id.clone(), 1), (other.clone(), 0));
    assert_eq!(rows(None, None, 9), [other_of.clone(), one_of.clone()]);
    assert_eq!(rows(Some(MatchState::Running), None, 1), [other_of]);
    assert_eq!(rows(Some(MatchState::Lobby), None, 9), []);
    let latest = store.held("ada", None, None, 1).unwrap()[0].order;
    assert_eq!(rows(None, Some(latest), 9), std::slice::from_ref(&one_of));
    assert_eq!(store.held("", None, None, 9).unwrap(), []);
    // A seat that is released is nobody's; no list shows how it was held.
    let release = Append {
        revoke_seat: Some(0),
        ..append_to(&other, 2, &[b"released"])
    };
    one(store, release);
    assert_eq!(store.held_in("ada", &other).unwrap(), None);
    assert_eq!(rows(None, None, 9), [one_of]);
    let listed = store.tokens(None, usize::MAX >> 1).unwrap();
    assert!(listed.iter().all(|token| token.row.label != "ada"));
}

fn notices_wait_until_they_are_settled(store: &dyn Store) {
    let (create, id) = new_match();
    let notice = |number: u8, due_ms| NoticeRow {
        id: [number; 16],
        of: id.clone(),
        address: "https://club.example/turn".into(),
        body: vec![number],
        due_ms,
        tries: 0,
    };
    let create = Append {
        notices: vec![notice(1, 700), notice(2, 600)],
        ..create
    };
    assert_eq!(one(store, create), Appended::Done);
    let again = |expected, notices| Append {
        notices,
        ..append_to(&id, expected, &[b"more"])
    };
    // Nothing of an append that conflicts, and nothing twice.
    let conflicts = again(7, vec![notice(3, 1)]);
    assert_eq!(one(store, conflicts), Appended::Conflict);
    one(store, again(1, vec![notice(1, 5)]));
    let due = |until| -> Vec<_> {
        let due = store.notices(until, 9).unwrap();
        due.into_iter().map(|row| (row.id[0], row.tries)).collect()
    };
    assert_eq!(due(599), []);
    assert_eq!(due(600), [(2, 0)]);
    assert_eq!(due(9_999), [(2, 0), (1, 0)]);
    assert_eq!(store.notices(9_999, 1).unwrap(), [notice(2, 600)]);
    store.settle_notice(&notice(2, 600), Some(800)).unwrap();
    assert_eq!(due(9_999), [(1, 0), (2, 1)]);
    // Whoever has read it before it was counted counts nothing.
    store.settle_notice(&notice(2, 600), Some(900)).unwrap();
    assert_eq!(due(9_999), [(1, 0), (2, 1)]);
    store.settle_notice(&notice(1, 700), None).unwrap();
    assert_eq!(due(9_999), [(2, 1)]);
    let gone = Append {
        erase: Some(Erase::Match { archive: None }),
        ..append_to(&id, 2, &[])
    };
    one(store, gone);
    assert_eq!(due(9_999), []);
    // Another match's stay.
    let (create, other) = new_match();
    let create = Append {
        notices: vec![NoticeRow {
            of: other,
            ..notice(4, 900)
        }],
        ..create
    };
    one(store, create);
    assert_eq!(due(9_999), [(4, 0)]);
}

fn what_was_learned_is_replaced(store: &dyn Store) {
    assert_eq!(store.learned("keys").unwrap(), None);
    store.learn("keys", b"one").unwrap();
    store.learn("keys", b"two").unwrap();
    store.learn("others", b"").unwrap();
    assert_eq!(store.learned("keys").unwrap(), Some(b"two".to_vec()));
    assert_eq!(store.learned("others").unwrap(), Some(Vec::new()));
}

fn times_without_a_referee_are_remembered(store: &dyn Store) {
    // In seconds: where others may serve meanwhile, moments are none.
    let outage = |from: i64, to: i64| Outage {
        from_ms: 1000 * from,
        to_ms: 1000 * to,
    };
    let alive = |at: i64, begins| store.alive(1000 * at, begins).unwrap();
    let known = || {
        let mut known = store.outages().unwrap();
        known.sort_by_key(|outage| outage.from_ms);
        known
    };
    let before = known().len();
    alive(1_000, true);
    alive(1_010, false);
    alive(2_000, true);
    assert_eq!(known()[before..], [outage(1_010, 2_000)]);
    // A clock that was set back tells nothing.
    alive(1_900, true);
    alive(2_500, true);
    assert_eq!(
        known()[before..],
        [outage(1_010, 2_000), outage(1_900, 2_500)]
    );
    for more in 0..i64::try_from(OUTAGES).unwrap() {
        alive(10_000 + 100 * more, true);
    }
    assert_eq!(known().len(), OUTAGES);
    assert_eq!(
        known()[0],
        outage(2_500, 10_000),
        "the oldest are forgotten"
    );
}

/// An append that creates a match with one entry, and its id.
pub fn new_match() -> (Append, MatchId) {
    let id = MatchId::random();
    let create = Append {
        create: Some(NewMatch {
            host: Principal([1; 32]),
            ruleset: "chess".into(),
            created_ms: 7,
        }),
        entries: vec![b"created".to_vec()],
        content: Some([3; 32]),
        ..Append::to(id.clone(), 0, MatchState::Lobby)
    };
    (create, id)
}

/// An append to a match that has `expected` entries.
pub fn append_to(id: &MatchId, expected: u64, entries: &[&[u8]]) -> Append {
    Append {
        entries: entries.iter().map(|e| e.to_vec()).collect(),
        ..Append::to(id.clone(), expected, MatchState::Running)
    }
}

fn one(store: &dyn Store, append: Append) -> Appended {
    store.append(vec![append]).unwrap().remove(0)
}

fn bodies(store: &dyn Store, id: &MatchId) -> Vec<Vec<u8>> {
    store
        .read(id, 0, usize::MAX)
        .unwrap()
        .into_iter()
        .map(|entry| entry.body)
        .collect()
}

fn request(id: &str, digest: u8) -> RequestRow {
    RequestRow {
        principal: Principal([9; 32]),
        request_id: id.into(),
        digest: [digest; 32],
        receipt: vec![digest],
    }
}

fn names_are_kept_with_the_entries_that_hold_their_digests(store: &dyn Store) {
    let name = |digest: u8, name: &str| NameRow {
        digest: [digest; 32],
        salt: [digest; NAME_SALT],
        name: name.into(),
    };
    let (create, id) = new_match();
    let (other, _) = new_match();
    one(store, create);
    one(store, other);
    let ada = Append {
        names: vec![name(2, "Ada")],
        ..append_to(&id, 1, &[b"claimed"])
    };
    assert_eq!(one(store, ada.clone()), Appended::Done);
    assert_eq!(one(store, ada), Appended::Conflict);
    let others = Append {
        names: vec![name(1, "Żółć"), name(3, "")],
        ..append_to(&id, 2, &[b"claimed"])
    };
    assert_eq!(one(store, others), Appended::Done);
    let late = Append {
        names: vec![name(4, "nobody")],
        ..append_to(&id, 2, &[b"late"])
    };
    assert_eq!(one(store, late), Appended::Conflict);
    let expected = [name(1, "Żółć"), name(2, "Ada"), name(3, "")];
    assert_eq!(store.names(&id).unwrap(), expected);
    assert!(store.names(&MatchId::random()).unwrap().is_empty());
}

/// A match in which Cyd and Dag have claimed seats and a host has acted.
fn claimed(store: &dyn Store) -> (MatchId, [RequestRow; 4]) {
    let of = |principal: u8, id: &str| RequestRow {
        principal: Principal([principal; 32]),
        ..request(id, principal)
    };
    let (mut create, id) = new_match();
    let unique = |text: &str| format!("{text} of {id}");
    create.request = Some(of(1, &unique("create")));
    let token = |hash| {
        TokenRow::new(
            [hash; 32],
            Grant::Seat {
                id: id.clone(),
                seat: hash,
            },
        )
    };
    let mut requests = [
        of(1, &unique("create")),
        of(101, &unique("Cyd claims")),
        of(1, &unique("the host starts")),
        of(111, &unique("Cyd moves")),
    ];
    one(store, create);
    for (expected, row) in (1..).zip(&requests[1..]) {
        let mut append = append_to(&id, expected, &[b"an entry"]);
        append.request = Some(row.clone());
        if expected == 1 {
            append.tokens = vec![token(111)];
            append.names = ["Cyd", "Dag"].iter().zip(1..).map(called).collect();
        }
        assert_eq!(one(store, append), Appended::Done);
    }
    store.put_snapshot(&id, b"a snapshot").unwrap();
    requests.reverse();
    (id, requests)
}

fn called((name, digest): (&&str, u8)) -> NameRow {
    NameRow {
        digest: [digest; 32],
        salt: [digest; NAME_SALT],
        name: (*name).into(),
    }
}

fn kept<'a>(store: &dyn Store, id: &MatchId, requests: &'a [RequestRow]) -> Vec<&'a str> {
    let found = |row: &&RequestRow| {
        let kept = store.request(Some(id), row.principal, &row.request_id);
        kept.unwrap().is_some_and(|kept| kept == **row)
    };
    requests.iter().filter(found).map(said).collect()
}

/// What a request of these tests asks for, without the match that makes it its own.
fn said(row: &RequestRow) -> &str {
    row.request_id.split(" of ").next().unwrap_or_default()
}

fn names_are_erased_with_the_requests_that_said_them(store: &dyn Store) {
    let (id, requests) = claimed(store);
    let (other, of_other) = claimed(store);
    let whose = |player| Wanted {
        player: Some(player),
        ..Wanted::default()
    };
    let matches = |player| -> Vec<MatchId> {
        let rows = store.list(whose(player), None, 2).unwrap();
        rows.into_iter().map(|row| row.id).collect()
    };
    assert_eq!(matches("Cyd"), [other.clone(), id.clone()]);
    let erase = Append {
        request: Some(request(&format!("erase Cyd of {id}"), 5)),
        erase: Some(Erase::Names(vec![[1; 32]])),
        ..append_to(&id, 4, &[])
    };
    assert_eq!(one(store, erase.clone()), Appended::Done);
    assert!(matches!(one(store, erase), Appended::Duplicate(_)));
    assert_eq!(store.names(&id).unwrap(), [called((&"Dag", 2))]);
    assert_eq!(matches("Cyd"), std::slice::from_ref(&other));
    assert_eq!(matches("Dag"), [other.clone(), id.clone()]);
    let left = ["Cyd moves", "the host starts", "create"];
    assert_eq!(kept(store, &id, &requests), left);
    assert_eq!(kept(store, &other, &of_other).len(), 4);
    assert_eq!(bodies(store, &id).len(), 4, "the log stays");
    assert!(store.token(&[111; 32], None).unwrap().is_some());
}

fn a_match_is_erased_with_all_that_belongs_to_it(store: &dyn Store) {
    let (id, requests) = claimed(store);
    let (other, _) = claimed(store);
    let own = TokenRow::new([99; 32], Grant::Spectator { id: id.clone() });
    store.grant(&own).unwrap();
    let archive = [98; 32];
    store.put_content(&archive, b"what it came from").unwrap();
    let before = store.list(Wanted::default(), None, usize::MAX).unwrap();
    let revocations = store.revocations().unwrap();
    let erase = Append {
        request: Some(request(&format!("delete of {id}"), 6)),
        erase: Some(Erase::Match {
            archive: Some(archive),
        }),
        ..append_to(&id, 4, &[])
    };
    let wrong = Append {
        expected: 3,
        request: None,
        ..erase.clone()
    };
    assert_eq!(one(store, wrong), Appended::Conflict);
    assert_eq!(one(store, erase.clone()), Appended::Done);
    assert!(matches!(one(store, erase), Appended::Duplicate(_)));
    assert_eq!(store.find(&id).unwrap(), None);
    assert!(bodies(store, &id).is_empty());
    assert!(store.names(&id).unwrap().is_empty());
    assert_eq!(store.snapshot(&id).unwrap(), None);
    assert_eq!(store.token(&own.hash, None).unwrap(), None);
    assert_ne!(store.revocations().unwrap(), revocations);
    assert_eq!(store.content(&archive).unwrap(), None);
    assert_eq!(
        kept(store, &id, &requests),
        ["create"],
        "outside of any match"
    );
    let mut left = before;
    left.retain(|row| row.id != id);
    assert_eq!(
        store.list(Wanted::default(), None, usize::MAX).unwrap(),
        left
    );
    assert_eq!(bodies(store, &other).len(), 4);
    assert_eq!(
        one(store, append_to(&id, 0, &[b"late"])),
        Appended::Conflict
    );
    // What comes after it is told from what was there.
    let (create, next) = new_match();
    one(store, create);
    let newest = store.list(Wanted::default(), None, 1).unwrap();
    assert_eq!(newest[0].id, next);
    assert!(newest[0].order > left[0].order);
}

fn rulesets_have_owners(store: &dyn Store) {
    let row = |owner: &str| OwnerRow {
        ruleset: "owned".into(),
        owner: owner.into(),
    };
    let owners = || -> Vec<OwnerRow> {
        let mut rows = store.owners().unwrap();
        rows.retain(|row| row.ruleset == "owned");
        rows
    };
    let point = |owner: Option<&str>, id: &str| {
        let change = Change::Point {
            revision: RevisionRow {
                ruleset: "owned".into(),
                digest: [77; 32],
                version: "1".into(),
                created_ms: 1,
            },
            channel: STABLE.into(),
            owner: owner.map(str::to_owned),
        };
        store.settle(&change, &request(id, 1)).unwrap()
    };
    assert_eq!(point(None, "owned 1"), Appended::Done);
    assert_eq!(owners(), []);
    assert_eq!(point(Some("Ada"), "owned 2"), Appended::Done);
    assert_eq!(point(Some("Bea"), "owned 3"), Appended::Done);
    assert_eq!(owners(), [row("Ada")], "whoever came first");
    let give = Change::Own(row("Bea"));
    let given = store.settle(&give, &request("owned 4", 1)).unwrap();
    assert_eq!((given, owners()), (Appended::Done, vec![row("Bea")]));
}

fn logs_are_appended_in_order_and_read_back(store: &dyn Store) {
    let (create, id) = new_match();
    assert_eq!(one(store, create), Appended::Done);
    assert_eq!(one(store, append_to(&id, 1, &[b"a", b""])), Appended::Done);
    assert_eq!(one(store, append_to(&id, 3, &[b"c"])), Appended::Done);
    assert_eq!(bodies(store, &id), [&b"created"[..], b"a", b"", b"c"]);
    let part = store.read(&id, 1, 2).unwrap();
    assert_eq!(part.iter().map(|e| e.sequence).collect::<Vec<_>>(), [1, 2]);
    assert!(store.read(&id, 4, 9).unwrap().is_empty());
    assert!(store.read(&MatchId::random(), 0, 9).unwrap().is_empty());
    let kept = store.find(&id).unwrap().unwrap();
    assert_eq!(
        (kept.new.ruleset.as_str(), kept.new.created_ms, kept.state),
        ("chess", 7, MatchState::Running)
    );
    let last = store.read(&id, 3, 1).unwrap().remove(0);
    assert_eq!((kept.length, kept.chain), (4, last.chain));
    assert_eq!(store.find(&MatchId::random()).unwrap(), None);
}

fn a_wrong_length_changes_nothing(store: &dyn Store) {
    let (create, id) = new_match();
    one(store, create);
    for wrong in [0, 2, 99] {
        let mut append = append_to(&id, wrong, &[b"lost"]);
        append.request = Some(request("of a conflict", 1));
        append.tokens = vec![TokenRow::new([77; 32], Grant::Host)];
        assert_eq!(
            one(store, append),
            Appended::Conflict,
            "expected {wrong}, has 1"
        );
    }
    assert_eq!(bodies(store, &id).len(), 1);
    assert_eq!(store.find(&id).unwrap().unwrap().state, MatchState::Lobby);
    assert_eq!(
        store
            .request(None, Principal([9; 32]), "of a conflict")
            .unwrap(),
        None
    );
    assert_eq!(store.token(&[77; 32], None).unwrap(), None);
    assert_eq!(
        one(store, append_to(&MatchId::random(), 0, &[b"x"])),
        Appended::Conflict,
        "there is no such match"
    );
}

fn a_match_is_created_once(store: &dyn Store) {
    let (create, id) = new_match();
    assert_eq!(one(store, create.clone()), Appended::Done);
    assert_eq!(one(store, create), Appended::Conflict);
    assert_eq!(bodies(store, &id).len(), 1);
}

fn a_request_is_answered_once(store: &dyn Store) {
    let (create, id) = new_match();
    one(store, create);
    let mut first = append_to(&id, 1, &[b"first"]);
    first.request = Some(request("once", 1));
    assert_eq!(one(store, first.clone()), Appended::Done);
    // The same request, as its client repeats it, and as a client repeats it after others have moved.
    assert_eq!(
        one(store, first.clone()),
        Appended::Duplicate(request("once", 1))
    );
    let mut other = append_to(&id, 2, &[b"other"]);
    other.request = Some(request("once", 2));
    assert_eq!(
        one(store, other),
        Appended::Duplicate(request("once", 1)),
        "the first answer stays"
    );
    assert_eq!(bodies(store, &id).len(), 2);
    assert_eq!(
        store
            .request(Some(&id), Principal([9; 32]), "once")
            .unwrap(),
        Some(request("once", 1))
    );
    assert_eq!(
        store
            .request(Some(&id), Principal([8; 32]), "once")
            .unwrap(),
        None,
        "another caller's ids are others"
    );
    let mut another = append_to(&id, 2, &[b"another"]);
    another.request = Some(RequestRow {
        principal: Principal([8; 32]),
        ..request("once", 2)
    });
    assert_eq!(one(store, another), Appended::Done);
}

fn members_of_a_group_are_judged_one_after_the_other(store: &dyn Store) {
    let (create, id) = new_match();
    let (other, other_id) = new_match();
    let mut with_request = append_to(&id, 2, &[b"b"]);
    with_request.request = Some(request("in a group", 3));
    let done = store
        .append(vec![
            create,
            append_to(&id, 1, &[b"a"]),
            append_to(&id, 1, &[b"raced"]),
            other,
            with_request.clone(),
            with_request,
        ])
        .unwrap();
    let duplicate = Appended::Duplicate(request("in a group", 3));
    assert_eq!(
        done,
        [
            Appended::Done,
            Appended::Done,
            Appended::Conflict,
            Appended::Done,
            Appended::Done,
            duplicate
        ]
    );
    assert_eq!(bodies(store, &id), [&b"created"[..], b"a", b"b"]);
    assert_eq!(bodies(store, &other_id).len(), 1);
    assert_eq!(store.append(vec![]).unwrap(), []);
}

fn lists_are_the_hosts_own_newest_first(store: &dyn Store) {
    let host = Principal([42; 32]);
    let mut ids = Vec::new();
    for i in 0..5 {
        let (mut create, id) = new_match();
        create.create = Some(NewMatch {
            host,
            ruleset: format!("game-{i}"),
            created_ms: i,
        });
        one(store, create);
        ids.push(id);
    }
    one(store, append_to(&ids[1], 1, &[b"started"]));
    let of_host = Wanted {
        host: Some(host),
        ..Wanted::default()
    };
    let all = store.list(of_host, None, 99).unwrap();
    assert_eq!(
        all.iter().map(|row| &row.id).rev().collect::<Vec<_>>(),
        ids.iter().collect::<Vec<_>>()
    );
    let first = store.list(of_host, None, 2).unwrap();
    let next = store.list(of_host, Some(first[1].order), 2).unwrap();
    assert_eq!(first.into_iter().chain(next).collect::<Vec<_>>(), all[..4]);
    let running = store
        .list(
            Wanted {
                state: Some(MatchState::Running),
                ..of_host
            },
            None,
            99,
        )
        .unwrap();
    assert_eq!(
        running.iter().map(|row| &row.id).collect::<Vec<_>>(),
        [&ids[1]]
    );
    assert_eq!(running[0].ruleset, "game-1");
    let of_nobody = Wanted {
        host: Some(Principal([43; 32])),
        ..Wanted::default()
    };
    assert!(store.list(of_nobody, None, 99).unwrap().is_empty());
    let everybodys = store.list(Wanted::default(), None, 3).unwrap();
    assert_eq!(everybodys, all[..3], "these are the newest of all");
    assert_eq!(everybodys[0].host, host);
}

fn tokens_open_what_they_were_granted(store: &dyn Store) {
    let (mut create, id) = new_match();
    let of_seat = |hash, seat| {
        let id = id.clone();
        TokenRow::new([hash; 32], Grant::Seat { id, seat })
    };
    create.tokens = vec![of_seat(5, 3), of_seat(15, 3), of_seat(25, 2)];
    one(store, create);
    let host = TokenRow {
        label: "club".into(),
        created_ms: 3,
        expires_ms: Some(9),
        ..TokenRow::new([6; 32], Grant::Host)
    };
    store.grant(&host).unwrap();
    store.grant(&host).unwrap();
    assert_eq!(store.token(&[5; 32], None).unwrap(), Some(of_seat(5, 3)));
    assert_eq!(store.token(&[6; 32], None).unwrap(), Some(host.clone()));
    assert_eq!(store.token(&[7; 32], None).unwrap(), None);
    let spectator = TokenRow::new([8; 32], Grant::Spectator { id: id.clone() });
    store.grant(&spectator).unwrap();
    assert_eq!(store.token(&[8; 32], None).unwrap(), Some(spectator));

    // A seat that is released: its tokens are gone, its neighbour's are not, a new one may be granted.
    let mut release = append_to(&id, 1, &[b"released"]);
    release.revoke_seat = Some(3);
    release.tokens = vec![of_seat(35, 3)];
    assert_eq!(one(store, release), Appended::Done);
    for (hash, opens) in [(5, false), (15, false), (25, true), (35, true), (6, true)] {
        assert_eq!(
            store.token(&[hash; 32], None).unwrap().is_some(),
            opens,
            "{hash}"
        );
    }
}

fn people_are_granted_listed_and_revoked(store: &dyn Store) {
    let row = |hash, grant| TokenRow {
        label: "of a person".into(),
        ..TokenRow::new([hash; 32], grant)
    };
    let (publisher, admin) = (row(51, Grant::Publisher), row(52, Grant::Admin));
    let settle = |change, id: &str| store.settle(&change, &request(id, 1)).unwrap();
    assert_eq!(
        settle(Change::Grant(publisher.clone()), "g1"),
        Appended::Done
    );
    assert_eq!(settle(Change::Grant(admin.clone()), "g2"), Appended::Done);
    // The same request again does nothing.
    assert_eq!(
        settle(Change::Grant(row(53, Grant::Admin)), "g2"),
        Appended::Duplicate(request("g2", 1))
    );
    assert_eq!(store.token(&[53; 32], None).unwrap(), None);
    let all = store.tokens(None, 99).unwrap();
    assert_eq!(
        [&all[0].row, &all[1].row],
        [&admin, &publisher],
        "newest first"
    );
    assert!(
        all.iter()
            .all(|token| !matches!(token.row.grant, Grant::Seat { .. }))
    );
    let rest = store.tokens(Some(all[0].order), 1).unwrap();
    assert_eq!((rest.len(), &rest[0]), (1, &all[1]));
    assert_eq!(settle(Change::Revoke([51; 32]), "r1"), Appended::Done);
    assert_eq!(store.token(&[51; 32], None).unwrap(), None);
    assert!(store.tokens(None, 99).unwrap()[1].revoked);
    store.grant(&publisher).unwrap();
    assert_eq!(
        store.token(&[51; 32], None).unwrap(),
        None,
        "what was revoked stays so"
    );
}

fn revisions_are_listed_and_channels_point_to_them(store: &dyn Store) {
    let row = |digest: u8, version: &str| RevisionRow {
        ruleset: "go".into(),
        digest: [digest; 32],
        version: version.into(),
        created_ms: i64::from(digest),
    };
    store.offer(&row(1, "1.0")).unwrap();
    store.offer(&row(1, "1.0")).unwrap();
    let channels = || -> Vec<(String, u8)> {
        let all = store.channels().unwrap().into_iter();
        let named = all.map(|row| (format!("{}/{}", row.ruleset, row.channel), row.digest[0]));
        named.collect()
    };
    let pointing = |all: &[(&str, u8)]| -> Vec<(String, u8)> {
        let named = all
            .iter()
            .map(|(name, digest)| ((*name).to_owned(), *digest));
        named.collect()
    };
    assert_eq!(channels(), [], "what is offered has no channel");
    let point = |revision, channel: &str, id: &str| {
        let channel = channel.to_owned();
        let change = Change::Point {
            revision,
            channel,
            owner: None,
        };
        store.settle(&change, &request(id, 1)).unwrap()
    };
    assert_eq!(point(row(2, "2.0"), STABLE, "p1"), Appended::Done);
    assert_eq!(channels(), pointing(&[("go/stable", 2)]));
    assert_eq!(point(row(1, "1.0"), STABLE, "p2"), Appended::Done);
    assert_eq!(channels(), pointing(&[("go/stable", 1)]), "an earlier one");
    assert_eq!(point(row(2, "2.0"), "next", "p3"), Appended::Done);
    assert_eq!(point(row(2, "2.0"), "beta", "p4"), Appended::Done);
    let three = pointing(&[("go/beta", 2), ("go/next", 2), ("go/stable", 1)]);
    assert_eq!(channels(), three);
    let remove = Change::RemoveChannel {
        ruleset: "go".into(),
        channel: "beta".into(),
    };
    let removed = store.settle(&remove, &request("p5", 1)).unwrap();
    assert_eq!(removed, Appended::Done);
    assert_eq!(channels(), three[1..]);
    let all = store.revisions("go", None, 99).unwrap();
    let listed: Vec<_> = all.iter().map(|kept| &kept.row).collect();
    assert_eq!(listed, [&row(2, "2.0"), &row(1, "1.0")]);
    let rest = store.revisions("go", Some(all[0].order), 9).unwrap();
    assert_eq!(rest, all[1..]);
    assert!(store.revisions("chess", None, 9).unwrap().is_empty());

    let yank = |digest: u8, reason: Option<&str>, id: &str| {
        let change = Change::Yank {
            revision: row(digest, &format!("{digest}.0")),
            reason: reason.map(str::to_owned),
        };
        store.settle(&change, &request(id, 1)).unwrap()
    };
    let yanked = || -> Vec<Option<String>> {
        let all = store.revisions("go", None, 99).unwrap();
        all.into_iter().map(|kept| kept.yanked).collect()
    };
    assert_eq!(store.yanked().unwrap(), []);
    assert_eq!(yank(2, Some("it crashes"), "y1"), Appended::Done);
    assert_eq!(yank(1, Some(""), "y2"), Appended::Done);
    assert_eq!(store.yanked().unwrap(), [row(1, "1.0"), row(2, "2.0")]);
    assert_eq!(yanked(), [Some("it crashes".into()), Some(String::new())]);
    // Being offered again does not take it back.
    store.offer(&row(2, "2.0")).unwrap();
    assert_eq!(yanked()[0].as_deref(), Some("it crashes"));
    assert_eq!(yank(1, None, "y3"), Appended::Done);
    assert_eq!(store.yanked().unwrap(), [row(2, "2.0")]);
    assert_eq!(
        channels(),
        pointing(&[("go/stable", 1)]),
        "a yanked revision has no channel but that of its ruleset's id"
    );
    assert_eq!(yank(3, Some("never"), "y4"), Appended::Done);
    assert_eq!(yanked().len(), 3, "one that was never offered is known now");
}

fn matches_are_found_by_what_waits_in_them(store: &dyn Store) {
    let mut ids = Vec::new();
    for due in [30, 10, 20] {
        let (mut create, id) = new_match();
        create.due_ms = Some(due);
        create.open = true;
        one(store, create);
        ids.push(id);
    }
    assert_eq!(store.due(9, 9).unwrap(), []);
    assert_eq!(store.due(25, 9).unwrap(), [ids[1].clone(), ids[2].clone()]);
    assert_eq!(
        store.due(25, 1).unwrap(),
        [ids[1].clone()],
        "the longest overdue first"
    );
    let lobbies = store.listed(MatchState::Lobby, None, 2).unwrap();
    assert_eq!([&lobbies[0].id, &lobbies[1].id], [&ids[2], &ids[1]]);
    let rest = store
        .listed(MatchState::Lobby, Some(lobbies[1].order), 9)
        .unwrap();
    assert_eq!(rest[0].id, ids[0]);
    one(store, append_to(&ids[1], 1, &[b"started"]));
    assert_eq!(
        store.due(25, 9).unwrap(),
        [ids[2].clone()],
        "an append says it anew"
    );
    assert!(
        store
            .listed(MatchState::Lobby, None, 99)
            .unwrap()
            .iter()
            .all(|row| row.id != ids[1])
    );
    let all = store.every(None, 0, usize::MAX).unwrap();
    assert!(all.is_sorted_by_key(|row| row.order) && all.len() >= 3);
    let after = store.every(None, all[1].order, 1).unwrap();
    assert_eq!(after, all[2..3]);
}

fn snapshots_are_replaced_and_forgotten(store: &dyn Store) {
    let ((create, id), (other, neighbour)) = (new_match(), new_match());
    one(store, create);
    one(store, other);
    assert_eq!(store.snapshot(&id).unwrap(), None);
    store.put_snapshot(&neighbour, b"its own").unwrap();
    store.put_snapshot(&id, b"first").unwrap();
    store.put_snapshot(&id, &[7; 100_000]).unwrap();
    assert_eq!(store.snapshot(&id).unwrap(), Some(vec![7; 100_000]));
    assert_eq!(bodies(store, &id).len(), 1, "the log is as it was");
    assert_eq!(one(store, append_to(&id, 1, &[b"a"])), Appended::Done);
    assert!(store.snapshot(&id).unwrap().is_some(), "a log outgrows it");
    for _ in 0..2 {
        store.delete_snapshot(&id).unwrap();
        assert_eq!(store.snapshot(&id).unwrap(), None);
    }
    assert_eq!(bodies(store, &id).len(), 2, "nothing else is deleted");
    let kept = store.snapshot(&neighbour).unwrap();
    assert_eq!(kept.as_deref(), Some(&b"its own"[..]));
    let nobody = MatchId::random();
    store.put_snapshot(&nobody, b"of no match").unwrap();
    store.delete_snapshot(&nobody).unwrap();
    assert_eq!(store.snapshot(&nobody).unwrap(), None);
}

fn requests_of_matches_that_are_over_are_forgotten(store: &dyn Store) {
    let ((create, over), (other, running)) = (new_match(), new_match());
    one(store, create);
    one(store, other);
    let asked = |id: &MatchId, at, name: &str, state| Append {
        request: Some(request(name, 1)),
        state,
        ..append_to(id, at, &[b"a move"])
    };
    let (first, last) = ("remembered 1", "remembered 2");
    one(store, asked(&over, 1, first, MatchState::Running));
    one(store, asked(&running, 1, first, MatchState::Running));
    let remembered = || {
        let rows = store.remembered(0, usize::MAX).unwrap();
        let orders: Vec<u64> = rows.iter().map(|row| row.order).collect();
        assert!(orders.is_sorted());
        let ids = rows.into_iter().map(|row| row.id);
        ids.filter(|id| *id == over || *id == running)
            .collect::<Vec<_>>()
    };
    assert!(remembered().is_empty(), "neither is over");
    one(store, asked(&over, 2, last, MatchState::Finished));
    assert_eq!(remembered(), std::slice::from_ref(&over));
    let order = store.find(&over).unwrap().unwrap();
    assert_eq!(order.length, 3);
    let known = |id: &MatchId, name| {
        let row = store.request(Some(id), request(name, 1).principal, name);
        row.unwrap().is_some()
    };
    assert!(known(&over, first) && known(&over, last));
    store.put_snapshot(&over, b"a game").unwrap();
    store.forget_requests(&over).unwrap();
    assert!(!known(&over, first) && !known(&over, last) && known(&running, first));
    assert_eq!(store.snapshot(&over).unwrap(), None);
    assert!(remembered().is_empty());
    assert_eq!(bodies(store, &over).len(), 3, "its log is as it was");
    // A snapshot alone is remembered, too.
    store.put_snapshot(&over, b"a game").unwrap();
    assert_eq!(remembered(), std::slice::from_ref(&over));
    store.forget_requests(&over).unwrap();
    store.forget_requests(&MatchId::random()).unwrap();
}

fn contents_are_kept_under_their_digest(store: &dyn Store) {
    store.put_content(&[1; 32], b"rules").unwrap();
    store.put_content(&[1; 32], b"rules").unwrap();
    assert_eq!(
        store.content(&[1; 32]).unwrap().as_deref(),
        Some(&b"rules"[..])
    );
    assert_eq!(store.content(&[2; 32]).unwrap(), None);
}

fn entries_are_chained_in(store: &dyn Store, id: &MatchId) {
    let mut verifier = chain::Verifier::new(id);
    let entries = store.read(id, 0, usize::MAX).unwrap();
    let verified = entries.iter().try_for_each(|entry| verifier.verify(entry));
    assert_eq!(verified, Ok(()));
    assert_eq!(store.find(id).unwrap().unwrap().chain, verifier.head());
}

fn entries_are_chained(store: &dyn Store) {
    let (create, id) = new_match();
    one(store, create);
    one(store, append_to(&id, 1, &[b"a", b"b"]));
    let entries = store.read(&id, 0, 9).unwrap();
    let verify = |id: &MatchId, entries: &[StoredEntry]| {
        let mut verifier = chain::Verifier::new(id);
        entries.iter().try_for_each(|entry| verifier.verify(entry))
    };
    assert_eq!(verify(&id, &entries), Ok(()));
    let damaged =
        |entries: &[StoredEntry]| matches!(verify(&id, entries), Err(StoreError::Damaged(_)));
    for i in 0..entries.len() {
        let mut bent = entries.clone();
        bent[i].body.push(0);
        assert!(damaged(&bent), "a changed body of entry {i} shows");
        let mut bent = entries.clone();
        bent[i].chain[0] ^= 1;
        assert!(damaged(&bent), "a changed hash of entry {i} shows");
    }
    let mut gap = entries.clone();
    gap.remove(1);
    assert!(damaged(&gap), "a missing entry shows");
    let mut swapped = entries.clone();
    swapped.swap(1, 2);
    assert!(damaged(&swapped), "another order shows");
    assert!(
        matches!(
            verify(&MatchId::random(), &entries),
            Err(StoreError::Damaged(_))
        ),
        "another match's log shows"
    );
}
