//! Tests of the module `server::calls::place_tokens`.

use interpreter::play::{Audience, Seat};
use referee::secrets::{Keys, Purpose, base64url};
use referee::server::calls::place_tokens::{
    PLACES, Places, page, paged, resume, resume_all, resumed, resumed_all,
};
use referee::store::MatchId;
use referee::table::Cursor;
use referee::wire::v1::Reason;

#[test]
fn a_resume_token_is_of_one_match_and_one_audience() {
    let keys = Keys::random().unwrap();
    let (id, other) = (MatchId::random(), MatchId::random());
    let cursor = Cursor {
        happened: 300,
        number: 41,
    };
    let token = resume(&keys, &id, Audience::Seat(Seat(1)), cursor).unwrap();
    assert_eq!(
        resumed(&keys, &id, Audience::Seat(Seat(1)), &token).unwrap(),
        cursor
    );
    for (id, audience) in [
        (&id, Audience::Seat(Seat(0))),
        (&id, Audience::Spectator),
        (&other, Audience::Seat(Seat(1))),
    ] {
        assert_eq!(
            resumed(&keys, id, audience, &token).unwrap_err().reason(),
            Reason::ResumeTokenInvalid
        );
    }
    assert_eq!(
        resumed(&keys, &id, Audience::Spectator, "").unwrap(),
        Cursor::default()
    );
    let late = Cursor {
        happened: u64::MAX,
        number: u64::MAX,
    };
    let late = resume(&keys, &id, Audience::Seat(Seat(1)), late).unwrap();
    assert_eq!(token.len(), late.len(), "the length tells nothing");
}

#[test]
fn a_resume_token_of_another_form_is_refused() {
    let keys = Keys::random().unwrap();
    let id = MatchId::random();
    let bound: [&[u8]; 2] = [id.as_str().as_bytes(), &[0]];
    // As it was written before places had a form, and as it may be written some day.
    for plain in [vec![0; 16], [&[PLACES + 1][..], &[0; 16]].concat()] {
        let sealed = keys.seal(Purpose::ResumeToken, &bound, &plain);
        let token = base64url(&sealed.unwrap());
        let refused = resumed(&keys, &id, Audience::Seat(Seat(0)), &token);
        assert_eq!(refused.unwrap_err().reason(), Reason::ResumeTokenInvalid);
    }
}

#[test]
fn places_in_several_matches_are_one_token_of_one_player() {
    let keys = Keys::random().unwrap();
    let place = |number| Cursor {
        happened: number * 3,
        number,
    };
    let mut places = Places {
        from_now: true,
        ..Places::default()
    };
    let token = resume_all(&keys, &[1; 32], &places).unwrap();
    assert_eq!(resumed_all(&keys, &[1; 32], &token).unwrap(), places);
    let of = &mut places.of;
    of.insert(MatchId::random(), (Audience::Spectator, place(7)));
    of.insert(
        MatchId::random(),
        (Audience::Seat(Seat(3)), place(u64::MAX / 3)),
    );
    let token = resume_all(&keys, &[1; 32], &places).unwrap();
    assert_eq!(resumed_all(&keys, &[1; 32], &token).unwrap(), places);
    for (player, token) in [([2; 32], &token[..]), ([1; 32], ""), ([1; 32], &token[1..])] {
        let refused = resumed_all(&keys, &player, token).unwrap_err();
        assert_eq!(refused.reason(), Reason::ResumeTokenInvalid);
    }
}

#[test]
fn a_page_token_is_of_one_list() {
    let keys = Keys::random().unwrap();
    let token = page(&keys, &[b"matches", b"host"], 7).unwrap();
    assert_eq!(
        paged(&keys, &[b"matches", b"host"], &token).unwrap(),
        Some(7)
    );
    assert_eq!(paged(&keys, &[b"matches", b"host"], "").unwrap(), None);
    for (list, token) in [
        (&[&b"matches"[..], b"guest"], token.as_str()),
        (&[&b"matches"[..], b"host"], "7"),
    ] {
        assert_eq!(
            paged(&keys, list, token).unwrap_err().reason(),
            Reason::PageTokenInvalid
        );
    }
}
