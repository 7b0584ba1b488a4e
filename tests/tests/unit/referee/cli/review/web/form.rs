//! Tests of the module `cli::review::web::form`.

use referee::cli::review::web::form::{Form, written};

#[test]
fn what_is_written_is_read_the_same() {
    let pairs = [("name", "a b&c=d+e%ż\r\n\"'<"), ("of", "captain 3")];
    let read = Form::read(&written(&pairs));
    for (name, value) in pairs {
        assert_eq!(read.get(name), value);
    }
    assert_eq!(written(&[("a", ""), ("b", "1")]), "b=1");
}

#[test]
fn whatever_is_sent_is_read() {
    let form = Form::read("a=1+2&b&=&c=%&d=%zz&e=%C5%BB&f=%ff&a=9&g=%4");
    let read = |name| form.get(name).to_owned();
    assert_eq!(
        ["a", "b", "c", "d", "e", "f", "g", "h"].map(read),
        ["1 2", "", "%", "%zz", "Ż", "\u{fffd}", "%4", ""]
    );
}
