use interpreter::diagnostic::{Code, Position};
use interpreter::source::{Sources, Span};

#[test]
fn counts_characters_not_bytes() {
    let mut sources = Sources::default();
    let file = sources.add("names.yaml", "pl: żółw\nen: turtle\n");
    let text = &sources.file(file).text;
    let start = text.find("turtle").expect("written above") as u32;
    let report = Code::MalformedYaml
        .error(
            Span {
                file,
                start: 4,
                end: start + 6,
            },
            "odd",
        )
        .report(&sources);
    assert_eq!((report.line, report.column), (Some(1), Some(5)));
    assert_eq!(
        report.end,
        Some(Position {
            line: 2,
            column: 11
        })
    );
}
