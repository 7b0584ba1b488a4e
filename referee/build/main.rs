//! Compiles the contract in `proto/` in pure Rust (no protoc), writes the descriptors for reflection and for the log and the
//! writers of events, and embeds the shipped rulesets and the page in the `release` profile.

mod client_methods;
mod field_writers;
mod routed;
#[path = "../src/ruleset_files.rs"]
mod ruleset_files;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use prost::Message as _;

/// Folder of the contract, seen from this package.
const PROTO: &str = "../proto";

/// Folder of the shipped rulesets, seen from this package.
const RULESETS: &str = "../rulesets";

/// Folder of the built page, seen from this package.
const PAGE: &str = "web/dist";

/// Package of the store's own messages. They are compiled, but clients are not told of them.
const LOG_PACKAGE: &str = "referee.log.v1";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    println!("cargo:rerun-if-changed={PROTO}");
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=src/ruleset_files.rs");
    let release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    std::fs::write(out.join("shipped.rs"), shipped(release)?)?;

    let mut files = Vec::new();
    for package in ["referee/v1", "referee/log/v1"] {
        for entry in std::fs::read_dir(Path::new(PROTO).join(package))? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "proto") {
                files.push(path);
            }
        }
    }
    files.sort();

    let descriptors = protox::compile(files, [PROTO])?;
    let (mut public, mut kept) = (descriptors.clone(), descriptors.clone());
    public.file.retain(|file| file.package() != LOG_PACKAGE);
    kept.file.retain(|file| file.package() == LOG_PACKAGE);
    std::fs::write(out.join("referee_log_descriptor.bin"), kept.encode_to_vec())?;
    std::fs::write(
        out.join("referee_v1_descriptor.bin"),
        public.encode_to_vec(),
    )?;

    std::fs::write(
        out.join("event_writers.rs"),
        field_writers::generate(&descriptors, "referee.v1", "Event"),
    )?;
    std::fs::write(out.join("methods.rs"), client_methods::generate(&public))?;
    std::fs::write(out.join("routed.rs"), routed::generate(&public))?;

    tonic_prost_build::configure()
        // Clients call by the request: see `client_methods`.
        .build_client(false)
        .btree_map(".")
        .codec_path("crate::wire::codec::Codec")
        // Streams mostly tell of events, and what waits in their queues takes the room of the largest.
        .boxed(".referee.v1.WatchMatchResponse.item.snapshot")
        .boxed(".referee.v1.WatchMatchResponse.item.closed")
        .boxed(".referee.v1.WatchPublicMatchResponse.item.snapshot")
        .boxed(".referee.v1.WatchPublicMatchResponse.item.closed")
        // Their events are written, not made, and shared as bytes.
        .extern_path(".referee.v1.EventBatch", "crate::wire::v1::EventBatch")
        .extern_path(
            ".referee.v1.SubmitMoveResponse",
            "crate::wire::v1::SubmitMoveResponse",
        )
        .compile_fds(descriptors)?;
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
