//! Compiles the contract in `proto/` in pure Rust (no protoc), keeps its descriptor for reflection and that of the log, writes the writers of
//! events, and embeds the shipped rulesets and the page.

mod client_methods;
mod field_writers;
mod routed;
#[path = "../src/ruleset_files.rs"]
mod ruleset_files;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
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
    println!("cargo:rerun-if-changed={RULESETS}");
    std::fs::write(out.join("rulesets.rs"), embedded()?)?;
    println!("cargo:rerun-if-changed={PAGE}");
    std::fs::write(out.join("page.rs"), page(&out)?)?;

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

/// The files of the page as a table in Rust, each also packed by gzip.
fn page(out: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let root = std::fs::canonicalize(PAGE)?;
    let folder = out.join("page");
    std::fs::create_dir_all(&folder)?;
    let mut table = String::from(
        "/// The files of the page, in the order of their names.\npub static BUILT: &[Built] = &[\n",
    );
    let files = walkdir::WalkDir::new(&root).sort_by_file_name();
    for (number, entry) in files.into_iter().enumerate() {
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        let path = entry.path().strip_prefix(&root)?;
        let path = path.to_str().ok_or("a path that is not Unicode")?;
        let path = format!("/{}", path.replace('\\', "/"));
        let packed = folder.join(number.to_string());
        let mut writer = GzEncoder::new(std::fs::File::create(&packed)?, Compression::best());
        std::io::copy(&mut std::fs::File::open(entry.path())?, &mut writer)?;
        writer.finish()?;
        let bytes = entry.path();
        writeln!(
            table,
            "Built {{ path: {path:?}, bytes: include_bytes!({bytes:?}), packed: include_bytes!({packed:?}) }},"
        )?;
    }
    table.push_str("];\n");
    Ok(table)
}

/// The texts of the shipped rulesets as a table in Rust: what else lies in their folders, accepted games above all,
/// would be a seventh of the program.
fn embedded() -> Result<String, Box<dyn std::error::Error>> {
    let root = std::fs::canonicalize(RULESETS)?;
    let mut folders: BTreeMap<String, BTreeMap<String, PathBuf>> = BTreeMap::new();
    for entry in walkdir::WalkDir::new(&root).min_depth(2) {
        let entry = entry?;
        let inside = entry.path().strip_prefix(&root)?;
        let inside = inside.to_str().ok_or("a path that is not Unicode")?;
        let inside = inside.replace('\\', "/");
        if let Some((folder, path)) = inside.split_once('/')
            && entry.file_type().is_file()
            && ruleset_files::belongs(path)
        {
            let files = folders.entry(folder.to_owned()).or_default();
            files.insert(path.to_owned(), entry.path().to_owned());
        }
    }
    let mut table = String::from("static EMBEDDED: &[(&str, &Embedded)] = &[\n");
    for (folder, files) in folders {
        writeln!(table, "({folder:?}, &[")?;
        for (path, file) in files {
            writeln!(table, "({path:?}, include_str!({file:?})),")?;
        }
        table.push_str("]),\n");
    }
    table.push_str("];\n");
    Ok(table)
}
