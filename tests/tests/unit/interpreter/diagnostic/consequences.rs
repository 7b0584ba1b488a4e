use interpreter::diagnostic::{Code, Diagnostic, Diagnostics};
use interpreter::source::{Sources, Span};

/// Number of messages that an author is shown at most.
const MOST: usize = 1000;

#[test]
fn an_error_is_told_however_many_warnings_there_are() {
    let mut sources = Sources::default();
    let file = sources.add("many.rules", "1 ".repeat(MOST));
    let at = |start: usize| Span {
        file,
        start: start as u32,
        end: start as u32,
    };
    // In a file of its own: what is in the same sentence as an error may be left out as its consequence.
    let other = sources.add("other.rules", "1\n");
    let last = sources.whole(other);
    let settled = |list: Vec<Diagnostic>| {
        let all = Diagnostics {
            list,
            ..Diagnostics::default()
        };
        all.settled(&sources).list
    };
    let mut list: Vec<Diagnostic> = (0..2 * MOST)
        .map(|n| Code::UnnamedNumber.warning(at(n), "a number"))
        .collect();
    list.push(Code::TypeMismatch.error(last, "a mistake"));
    let list = settled(list);
    assert_eq!(list.len(), MOST);
    assert!(list.iter().any(|d| d.code == Code::TypeMismatch));
    let mut list: Vec<Diagnostic> = (0..2 * MOST)
        .map(|n| Code::TypeMismatch.error(at(n), "a mistake"))
        .collect();
    list.push(Code::WorkLimitExceeded.error(last, "given up"));
    let list = settled(list);
    assert_eq!(list.len(), MOST + 1);
    assert!(list.iter().any(|d| d.code == Code::WorkLimitExceeded));
}
