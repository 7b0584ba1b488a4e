use interpreter::diagnostic::{Code, Diagnostic, Style};
use interpreter::source::{Sources, Span};

#[test]
fn shows_every_label_note_and_help() {
    let mut sources = Sources::default();
    let a = sources.add("ruleset.yaml", "id: demo\nversion: 1\ntitels: {}\n");
    let b = sources.add("modules/x/module.yaml", "id: x\nextends: démo\n");
    let diagnostic = Code::MalformedYaml
        .error(
            Span {
                file: a,
                start: 20,
                end: 26,
            },
            "unknown key `titels`",
        )
        .label("not a key of a ruleset")
        .also(
            Span {
                file: a,
                start: 0,
                end: 2,
            },
            "of this ruleset",
        )
        .also(
            Span {
                file: b,
                start: 15,
                end: 20,
            },
            "extended here",
        )
        .note("keys are spelt as documented")
        .help("did you mean `titles`?");
    insta::assert_snapshot!(diagnostic.render(&sources, Style::Plain));
    assert!(
        diagnostic
            .render(&sources, Style::Coloured)
            .contains("\u{1b}[")
    );
}

#[test]
fn bears_every_span() {
    let mut sources = Sources::default();
    let empty = sources.add("empty.yaml", "");
    let short = sources.add("short.yaml", "ąę\t\r\n");
    for (file, start, end) in [
        (empty, 0, 0),
        (empty, 5, 9),
        (short, 1, 3),
        (short, 9, 2),
        (short, 0, 99),
    ] {
        let text = Code::MalformedYaml
            .warning(Span { file, start, end }, "odd")
            .render(&sources, Style::Plain);
        assert!(text.starts_with("warning[RF0301]: odd"), "{text}");
    }
    let nowhere = Diagnostic::without_place(Code::MissingKey, "there is no `ruleset.yaml`");
    assert_eq!(
        nowhere.render(&sources, Style::Plain),
        "error[RF0310]: there is no `ruleset.yaml`"
    );
}
