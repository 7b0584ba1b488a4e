//! What administrators do: matches of every host found, ended, deleted; names erased, of which nothing is left on the
//! disk; whose rulesets are.

use referee::client::{Chooser, Client, request_id};
use referee::wire::v1::{self, MatchState, TokenKind};

use super::publishing::{edited, publish};
use super::world::{Table, World, claim_request, create_request, expect, metadata};

async fn list(world: &World, asked: v1::ListAllMatchesRequest) -> Vec<v1::HostedMatch> {
    let listed = world.admin().call(asked).await;
    listed.expect("a list").matches
}

fn names(matches: &[v1::HostedMatch]) -> Vec<&str> {
    let summaries = matches.iter().filter_map(|one| one.summary.as_ref());
    summaries.map(|summary| &summary.name[..]).collect()
}

async fn end(world: &World, name: &str) -> v1::EndMatchResponse {
    let asked = v1::EndMatchRequest::of(name);
    let ended = world.admin().call(asked).await;
    ended.expect("it may")
}

fn delete(name: &str) -> v1::DeleteMatchRequest {
    v1::DeleteMatchRequest::of(name)
}

async fn erase(world: &World, name: &str, called: &str) -> v1::EraseNamesResponse {
    let asked = v1::EraseNamesRequest {
        display_name: called.to_owned(),
        ..v1::EraseNamesRequest::of(name)
    };
    let erased = world.admin().call(asked).await;
    erased.expect("it may")
}

async fn record(client: &Client, name: &str) -> Result<String, tonic::Status> {
    let asked = v1::ExportRecordRequest::of(name);
    let mut pieces = client.call(asked).await?;
    let mut text = Vec::new();
    while let Some(piece) = pieces.message().await? {
        text.extend(piece.data);
    }
    Ok(String::from_utf8(text).expect("UTF-8"))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_administrator_finds_ends_and_deletes_the_matches_of_every_host() {
    let world = World::new().await;
    let (first, tokens) = world.table(3, 1).await;
    let other = world.token(TokenKind::Host).await;
    let other_host = world.client().with_token(&other.token);
    let created = other_host.call(create_request(4, 2)).await;
    let second = created.expect("a match");
    let second = second.r#match.expect("it is told").name;

    let everything = list(&world, v1::ListAllMatchesRequest::default()).await;
    assert_eq!(names(&everything), [&second[..], &first.name[..]]);
    let of_other = v1::ListAllMatchesRequest {
        host: other.name.clone(),
        ..Default::default()
    };
    let of_other = list(&world, of_other).await;
    assert_eq!(names(&of_other), [&second[..]]);
    assert_eq!(of_other[0].host, other.name);
    let running = v1::ListAllMatchesRequest {
        state: MatchState::Running.into(),
        ..Default::default()
    };
    assert_eq!(names(&list(&world, running).await), [&first.name[..]]);
    let page = v1::ListAllMatchesRequest {
        page_size: 1,
        ..Default::default()
    };
    let page = world.admin().call(page).await;
    let page = page.expect("a page");
    assert_eq!(names(&page.matches), [&second[..]]);
    let next = v1::ListAllMatchesRequest {
        page_size: 1,
        page_token: page.next_page_token,
        ..Default::default()
    };
    assert_eq!(names(&list(&world, next).await), [&first.name[..]]);

    // What goes on is not deleted; what was ended is, with everything that opened it.
    expect(
        world.admin().call(delete(&first.name)).await,
        "MATCH_STATE_WRONG",
    );
    let ended = end(&world, &first.name).await.r#match.expect("it is told");
    assert_eq!(ended.state(), MatchState::Finished);
    let asked = delete(&first.name);
    for replayed in [false, true] {
        let deleted = world.admin().call(asked.clone()).await;
        assert_eq!(deleted.expect("it may").replayed, replayed);
    }
    expect(world.admin().call(delete(&first.name)).await, "NOT_FOUND");
    let get = v1::GetMatchRequest::of(&first.name);
    expect(world.host().call(get).await, "NOT_FOUND");
    let seat = world.client().with_token(&tokens[0]);
    let view = v1::GetViewRequest::of(&first.name);
    expect(seat.call(view).await, "TOKEN_INVALID");
    let everything = list(&world, v1::ListAllMatchesRequest::default()).await;
    assert_eq!(names(&everything), [&second[..]]);
}

/// A match of two in which seat 1 is called so, played to its end.
async fn finished(world: &World, called: &str) -> Table {
    let created = world.create(2, 5).await;
    let name = created.r#match.as_ref().expect("it is told").name.clone();
    let mut tokens = Vec::new();
    for (code, called) in created.claim_codes.iter().zip([called, "Bea"]) {
        let mut claim = claim_request(code);
        claim.display_name = called.to_owned();
        let claimed = world.client().call(claim).await;
        tokens.push(claimed.expect("a seat").seat_token);
    }
    let start = v1::StartMatchRequest::of(&name);
    let started = world.host().call(start).await;
    started.expect("it starts");
    let mut table = Table {
        name,
        host: world.host(),
        seats: Vec::new(),
        created,
    };
    table.seats = world.again(&table, &tokens);
    let mut player = Chooser::new(7);
    while table.play(1, &mut player).await {}
    table
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erased_name_is_nowhere_and_what_was_proved_stays() {
    const NAME: &str = "Adelgunde Quandt";
    let mut world = World::new().await;
    let table = finished(&world, NAME).await;
    let sum = |text: &str| -> String {
        let end = text.lines().find(|line| line.starts_with("{\"end\""));
        end.expect("an end").to_owned()
    };
    let before = record(&world.host(), &table.name).await.expect("a record");
    assert!(before.contains(NAME));
    let proof = v1::GetProofRequest::of(&table.name);
    let proof = || async {
        let got = world.host().call(proof.clone()).await;
        got.expect("a proof").proof
    };
    let proved = proof().await;

    let nobody = erase(&world, &table.name, "Nobody").await;
    assert_eq!((nobody.erased, nobody.replayed), (0, false));
    assert_eq!(table.get().await.seats[0].display_name, NAME);
    let erased = erase(&world, &table.name, NAME).await;
    assert_eq!(erased.erased, 1);
    assert_eq!(erased.seats_named_in_log, [0; 0]);
    let seats = table.get().await.seats;
    let called: Vec<(bool, &str)> = seats
        .iter()
        .map(|seat| (seat.claimed, &seat.display_name[..]))
        .collect();
    assert_eq!(called, [(true, ""), (true, "Bea")]);
    let after = record(&world.host(), &table.name).await.expect("a record");
    assert!(!after.contains(NAME) && after.contains("Bea"));
    assert_eq!(sum(&after), sum(&before), "its signature stays");
    assert_eq!(proof().await, proved);
    let found = v1::ListAllMatchesRequest {
        display_name: NAME.to_owned(),
        ..Default::default()
    };
    assert!(list(&world, found).await.is_empty());

    // Not on the disk either: not in the store, not in its write-ahead log.
    world.stop().await;
    let folder = world.path();
    let folder = folder.parent().expect("a folder");
    let mut files = 0;
    for file in std::fs::read_dir(folder).expect("a folder") {
        let path = file.expect("a file").path();
        let bytes = std::fs::read(&path).expect("its bytes");
        let found = bytes
            .windows(NAME.len())
            .any(|part| part == NAME.as_bytes());
        assert!(!found, "{} has the name", path.display());
        files += 1;
    }
    assert!(files >= 2, "the store and its key");
    world.restart().await;
    let asked = v1::VerifyRecordRequest::of(&table.name);
    let mut verified = world.host().call(asked).await.expect("it may");
    let mut verdict = None;
    while let Some(message) = verified.message().await.expect("a message") {
        verdict = message.item.or(verdict);
    }
    let Some(v1::verify_record_response::Item::Result(result)) = verdict else {
        panic!("{verdict:?}");
    };
    assert!(result.sound, "{result:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_erased_while_a_match_goes_on() {
    let world = World::new().await;
    let (table, _) = world.table(3, 6).await;
    let mut player = Chooser::new(1);
    assert!(table.play(10, &mut player).await);
    let erased = erase(&world, &table.name, "").await;
    assert_eq!(erased.erased, 3);
    let seats = table.get().await.seats;
    assert!(
        seats
            .iter()
            .all(|seat| seat.claimed && seat.display_name.is_empty())
    );
    assert!(table.play(10, &mut player).await, "it goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ruleset_is_published_by_its_owner_alone() {
    let world = World::new().await;
    let publisher = |label: &'static str| {
        let create = v1::CreateTokenRequest {
            kind: TokenKind::Publisher.into(),
            label: label.into(),
            request_id: request_id(),
            ..Default::default()
        };
        let (admin, client) = (world.admin(), world.client().clone());
        async move {
            let made = admin.call(create).await.expect("a token");
            client.with_token(&made.token)
        }
    };
    let (ada, bea) = (publisher("Ada").await, publisher("Bea").await);
    let give = |to: &str| {
        let asked = v1::SetRulesetOwnerRequest {
            owner: to.into(),
            ..v1::SetRulesetOwnerRequest::of("rulesets/san-juan")
        };
        let admin = world.admin();
        async move { admin.call(asked).await.expect("it may") }
    };
    let owner = || async {
        let asked = v1::ListRulesetsRequest::default();
        let listed = world.client().call(asked).await;
        let mut listed = listed.expect("a list").rulesets.into_iter();
        let found = listed.find(|one| one.name == "rulesets/san-juan");
        found.expect("it is offered").owner
    };
    assert_eq!(owner().await, "operator");

    // What the referee brought is nobody else's: not to be published, pointed to, or yanked.
    let refused = ada.call(publish(edited("7.1"))).await;
    let refused = expect(refused, "RULESET_OWNED");
    assert_eq!(metadata(&refused, "owner"), "operator");
    let current = super::publishing::revision(world.client()).await;
    let yank = v1::YankRevisionRequest {
        revision: current.clone(),
        request_id: request_id(),
        ..Default::default()
    };
    expect(ada.call(yank).await, "RULESET_OWNED");
    let point = |to: &str| v1::SetChannelRequest {
        revision: to.into(),
        ..v1::SetChannelRequest::of("rulesets/san-juan/channels/next")
    };
    for to in [&current[..], ""] {
        expect(ada.call(point(to)).await, "RULESET_OWNED");
    }
    let only_looked = v1::PublishPackageRequest {
        validate_only: true,
        ..publish(edited("7.1"))
    };
    expect(ada.call(only_looked).await, "RULESET_OWNED");

    // Given away, it is theirs, and no longer the operator's.
    give("Ada").await;
    assert_eq!(owner().await, "Ada");
    let published = ada.call(publish(edited("7.1"))).await;
    published.expect("it is hers");
    let operators = world.publisher().await;
    let refused = operators.call(publish(edited("7.2"))).await;
    expect(refused, "RULESET_OWNED");

    // An id that nobody has used is theirs who comes first, with every token of that label.
    let mut files = edited("1.0");
    files.retain(|file| !file.path.starts_with("modules/"));
    for file in &mut files {
        if file.path == "ruleset.yaml" {
            let lines = file
                .text
                .lines()
                .filter(|line| !line.contains("new-buildings"));
            file.text = lines.map(|line| format!("{line}\n")).collect();
            file.text = file.text.replace("id: san-juan", "id: beas-own");
        }
    }
    let first = bea.call(publish(files.clone())).await;
    first.expect("nobody else's");
    let refused = ada.call(publish(files.clone())).await;
    let refused = expect(refused, "RULESET_OWNED");
    assert_eq!(metadata(&refused, "owner"), "Bea");
    let another = publisher("Bea").await;
    let again = another.call(publish(files)).await;
    again.expect("a token of the same publisher");
}
