//! Sentences with holes, as clients are sent them: of moves, of events, and the referee's own.

use std::collections::BTreeSet;

use interpreter::package::Sentence;
use referee::client::Chooser;
use referee::wire::v1;

use super::world::{World, create_of};

/// The holes of a text, which is the same sentence in every language.
fn holes(text: &v1::Text) -> BTreeSet<String> {
    let read = |language: &str| {
        let text = &text.by_language[language];
        let sentence = Sentence::parse(text).unwrap_or_else(|flaw| panic!("{text}: {flaw:?}"));
        sentence.holes().into_iter().map(str::to_owned).collect()
    };
    let (en, pl): (BTreeSet<String>, BTreeSet<String>) = (read("en"), read("pl"));
    assert_eq!(en, pl, "{text:?}");
    en
}

#[tokio::test(flavor = "multi_thread")]
async fn the_catalogue_has_every_sentence_with_a_hole_for_each_parameter() {
    let world = World::new().await;
    for id in ["puerto-rico", "san-juan", "genoa", "catan-rivals"] {
        let asked = v1::GetRulesetRequest::of(format!("rulesets/{id}"));
        let told = world.client().call(asked).await.expect("a ruleset");
        let ruleset = told.ruleset.expect("a ruleset");
        for mv in &ruleset.moves {
            let params = mv.parameters.iter().map(|param| param.name.clone());
            let sentence = mv.sentence.as_ref().expect("every move has one");
            assert_eq!(holes(sentence), params.collect(), "{} {}", mv.step, mv.name);
        }
        let parameters = ruleset.moves.iter().flat_map(|mv| &mv.parameters);
        for parameter in parameters {
            let names = parameter.names.as_ref().expect("every parameter has one");
            let called = names.by_language.values();
            assert!(
                called.into_iter().all(|name| name.chars().count() > 1),
                "{parameter:?}"
            );
        }
        for event in &ruleset.events {
            let params = event.parameters.iter().map(|param| param.name.clone());
            let params: BTreeSet<String> = params.collect();
            let said = event.sentence.as_ref().map(holes).unwrap_or_default();
            assert!(said.is_subset(&params), "{}", event.id);
        }
        let ids: BTreeSet<&str> = ruleset.phrases.iter().map(|phrase| &*phrase.id).collect();
        for id in [
            "move_made",
            "move_made.forced",
            "pieces_moved",
            "raised",
            "seat",
        ] {
            assert!(ids.contains(id), "{id}");
        }
        for phrase in &ruleset.phrases {
            holes(phrase.sentence.as_ref().expect("a sentence"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_glossary_has_the_sentences_of_what_is_asked() {
    let world = World::new().await;
    let (table, _) = world.begin(create_of("puerto-rico", 3, 1)).await;
    let (seat, ..) = table.asked().await.expect("somebody is asked");
    let asked = v1::ListDecisionsRequest {
        name: table.name.clone(),
        include_names: true,
        ..v1::ListDecisionsRequest::default()
    };
    let told = table.call(seat, asked).await.expect("a question");
    let entries = told.glossary.expect("a glossary").entries;
    let has = |kind: v1::NameKind, within: &str, id: &str, en: &str| {
        let mut found = entries.iter().filter(|entry| entry.kind() == kind);
        found.any(|entry| {
            let text = entry.text.as_ref().expect("a text");
            (&*entry.within, &*entry.id, &*text.by_language["en"]) == (within, id, en)
        })
    };
    let choose = "choose the role {r}";
    assert!(has(
        v1::NameKind::MoveSentence,
        "turn.choosing",
        "choose",
        choose
    ));
    assert!(has(v1::NameKind::Phrase, "", "nothing", "nothing"));
    let mut of_events = entries
        .iter()
        .filter(|entry| entry.kind() == v1::NameKind::EventSentence);
    assert!(of_events.next().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_refusal_compares_is_called_by_its_name_in_every_language() {
    let world = World::new().await;
    let (table, _) = world.begin(create_of("puerto-rico", 3, 1)).await;
    let mut player = Chooser::new(3);
    let mut labelled = 0;
    for _ in 0..60 {
        let (seat, decision, offers) = table.asked().await.expect("somebody is asked");
        let names: BTreeSet<String> = offers.iter().map(|offer| offer.name.clone()).collect();
        for move_name in names {
            let asked = v1::ListRefusalsRequest {
                name: table.name.clone(),
                decision_id: decision.decision_id.clone(),
                move_name,
                ..v1::ListRefusalsRequest::default()
            };
            let refused = table.call(seat, asked).await.expect("refusals");
            for value in refused.moves.iter().flat_map(|refused| &refused.values) {
                let Some(label) = &value.label else { continue };
                labelled += 1;
                for language in ["en", "pl"] {
                    assert!(label.by_language[language].chars().count() > 1, "{value:?}");
                }
            }
        }
        table.play(1, &mut player).await;
    }
    assert!(labelled > 20, "{labelled}");
}
