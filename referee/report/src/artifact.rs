//! Reports on a ruleset as texts of their own: the book, the phase graph, and what proves it.
//!
//! The first two are made of the rules alone. A book that also says which scenarios prove what is `referee doc`, which runs them.

use interpreter::Ruleset;
use interpreter::package::{Language, PackageTexts};

use super::book::{Edition, Material, book, to_html, to_markdown};
use super::coverage::{Told, coverage};
use super::graph::{Detail, Draftsman, dot, mermaid, svg_of_phases};
use super::proofs::Proofs;
use super::proving::kept::Kept;
use super::rules::{Rules, composed};

/// Which report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// The book in Markdown.
    BookMarkdown,
    /// The book as one page of HTML.
    BookHtml,
    /// A map of the phases and a picture of each.
    GraphSvg,
    /// The graph of all phases for Graphviz.
    GraphDot,
    /// The graph of all phases for Mermaid.
    GraphMermaid,
}

/// Writes a report. Takes its time: not for async threads.
pub fn write(ruleset: &Ruleset, report: Report, language: Language) -> String {
    let draftsman = || Draftsman::new(ruleset, language, Detail::Steps);
    match report {
        Report::BookMarkdown | Report::BookHtml => {
            let items = composed(ruleset.package());
            let rules = Rules::new(ruleset.package(), ruleset.sources(), &items, language);
            let written = book(&Material {
                rules: &rules,
                ruleset,
                proven: None,
                language,
            });
            match report {
                Report::BookHtml => to_html(&written, Edition::Editors, language),
                _ => to_markdown(&written, Edition::Editors, language),
            }
        }
        Report::GraphSvg => svg_of_phases(&draftsman()),
        Report::GraphDot => dot(&draftsman().whole()),
        Report::GraphMermaid => mermaid(&draftsman().whole()),
    }
}

/// Runs the scenarios that come with a ruleset, and writes in JSON what they prove of it. Takes its time.
pub fn covered(ruleset: &Ruleset, texts: &PackageTexts, language: Language) -> String {
    let package = ruleset.package();
    let items = composed(package);
    let rules = Rules::new(package, ruleset.sources(), &items, language);
    let proofs = Proofs::run(texts, &[], None);
    let modules = &ruleset.configuration().modules;
    // A proof that cannot be read proves nothing.
    let kept = Kept::read(texts, &[], modules).unwrap_or_default();
    let covered = coverage(&rules, &proofs, &kept);
    serde_json::to_string(&Told::of(package, &proofs, &covered)).unwrap_or_default()
}
