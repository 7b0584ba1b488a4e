//! Embeds the shipped rulesets and the page in the `release` profile; in `dev` it writes where they are.

#[path = "src/ruleset_files.rs"]
mod ruleset_files;

use std::fmt::Write as _;
use std::path::PathBuf;

/// Folder of the shipped rulesets, seen from this package.
const RULESETS: &str = "../../rulesets";

/// Folder of the built page, seen from this package.
const PAGE: &str = "../web/dist";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/ruleset_files.rs");
    let release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("shipped.rs"), shipped(release)?)?;
    Ok(())
}

/// Writes the tables of `src/shipped.rs`: the files themselves in the `release` profile, else where they are.
fn shipped(release: bool) -> Result<String, Box<dyn std::error::Error>> {
    let mut tables = String::new();
    for (name, folder, belongs) in [
        (
            "RULESETS",
            RULESETS,
            ruleset_files::belongs as fn(&str) -> bool,
        ),
        ("PAGE", PAGE, |_| true),
    ] {
        let root = std::fs::canonicalize(folder)?;
        write!(tables, "static {name}: Folder = Folder::")?;
        if !release {
            writeln!(tables, "Source({root:?});")?;
            continue;
        }
        println!("cargo:rerun-if-changed={folder}");
        tables.push_str("Embedded(&[\n");
        for entry in walkdir::WalkDir::new(&root).sort_by_file_name() {
            let entry = entry?;
            let path = entry.path().strip_prefix(&root)?;
            let path = path.to_str().ok_or("a path that is not Unicode")?;
            let path = path.replace('\\', "/");
            if entry.file_type().is_file() && belongs(&path) {
                writeln!(tables, "({path:?}, include_bytes!({:?})),", entry.path())?;
            }
        }
        tables.push_str("]);\n");
    }
    Ok(tables)
}
