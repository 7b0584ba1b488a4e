//! Tests of the module `cli::review::dialogue`.

use referee::cli::out::Out;
use referee::cli::review::dialogue::{Answer, NO_NAME, ask, name};

fn answered(typed: &str) -> (Answer, String) {
    let (mut data, mut notes) = (Vec::new(), Vec::new());
    let mut out = Out::plain(&mut data, &mut notes);
    let answer = ask(&mut typed.as_bytes(), &mut out).expect("an answer");
    (answer, String::from_utf8(data).expect("text"))
}

#[test]
fn each_answer_is_understood() {
    assert_eq!(answered("a\n").0, Answer::Accept(None));
    assert_eq!(answered("ACCEPT\n").0, Answer::Accept(None));
    assert_eq!(answered("\n").0, Answer::Skip);
    assert_eq!(answered("q\n").0, Answer::Quit);
    assert_eq!(answered("").0, Answer::Quit);
}

#[test]
fn what_is_not_understood_is_asked_again() {
    let (answer, told) = answered("yes\nskip\n");
    assert_eq!(
        (answer, told.matches("[a]ccept").count()),
        (Answer::Skip, 2)
    );
}

#[test]
fn a_comment_is_kept_with_the_acceptance() {
    let said = Answer::Accept(Some("as in print".to_owned()));
    assert_eq!(answered("c\n as in print \na\n").0, said);
    assert_eq!(answered("c\n\na\n").0, Answer::Accept(None));
    assert_eq!(answered("c\nas in print\ns\n").0, Answer::Skip);
}

#[test]
fn a_name_that_cannot_sign_is_asked_again() {
    let (mut data, mut notes) = (Vec::new(), Vec::new());
    let mut out = Out::plain(&mut data, &mut notes);
    let name = name(&mut "\n*\nanna\n".as_bytes(), &mut out).expect("an answer");
    assert_eq!(name, "anna");
    assert_eq!(
        String::from_utf8(notes)
            .expect("text")
            .matches(NO_NAME)
            .count(),
        2
    );
}
