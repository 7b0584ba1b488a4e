//! Compiles the contract in `proto/` in pure Rust (no protoc), and keeps its descriptor for reflection.

use std::path::{Path, PathBuf};

use prost::Message as _;

/// Folder of the contract, seen from this package.
const PROTO: &str = "../proto";

/// Package of the store's own messages. They are compiled, but clients are not told of them.
const LOG_PACKAGE: &str = "referee.log.v1";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    println!("cargo:rerun-if-changed={PROTO}");
    // `include_dir!` does not tell cargo what it read.
    println!("cargo:rerun-if-changed=../rulesets");

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
    let mut public = descriptors.clone();
    public.file.retain(|file| file.package() != LOG_PACKAGE);
    std::fs::write(
        out.join("referee_v1_descriptor.bin"),
        public.encode_to_vec(),
    )?;

    tonic_prost_build::configure()
        .btree_map(".")
        .codec_path("crate::wire::codec::Codec")
        // Streams mostly tell of events, and what waits in their queues takes the room of the largest.
        .boxed(".referee.v1.WatchMatchResponse.item.snapshot")
        .boxed(".referee.v1.WatchMatchResponse.item.closed")
        .boxed(".referee.v1.WatchPublicMatchResponse.item.snapshot")
        .boxed(".referee.v1.WatchPublicMatchResponse.item.closed")
        // Their events are written, not made.
        .extern_path(".referee.v1.EventBatch", "crate::wire::v1::EventBatch")
        .extern_path(
            ".referee.v1.SubmitMoveResponse",
            "crate::wire::v1::SubmitMoveResponse",
        )
        .compile_fds(descriptors)?;
    Ok(())
}
