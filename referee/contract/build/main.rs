//! Compiles the contract in `proto/referee/v1` in pure Rust (no protoc), and generates its descriptor for reflection, the writers of
//! events and what clients know of its methods.

mod client_methods;
mod field_writers;
mod routed;

use std::path::{Path, PathBuf};

use prost::Message as _;

/// Folder of the contract, seen from this package.
const PROTO: &str = "../../proto";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    println!("cargo:rerun-if-changed={PROTO}/referee/v1");
    println!("cargo:rerun-if-changed=build");

    let mut files = Vec::new();
    for entry in std::fs::read_dir(Path::new(PROTO).join("referee/v1"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "proto") {
            files.push(path);
        }
    }
    files.sort();

    let contract = protox::compile(files, [PROTO])?;
    for (name, content) in [
        ("referee_v1_descriptor.bin", contract.encode_to_vec()),
        (
            "event_writers.rs",
            field_writers::generate(&contract, "referee.v1", "Event").into_bytes(),
        ),
        (
            "methods.rs",
            client_methods::generate(&contract).into_bytes(),
        ),
        ("routed.rs", routed::generate(&contract).into_bytes()),
    ] {
        std::fs::write(out.join(name), content)?;
    }

    tonic_prost_build::configure()
        // Clients call by the request: see `client_methods`.
        .build_client(false)
        .btree_map(".")
        .codec_path("crate::codec::Codec")
        // Streams mostly tell of events, and what waits in their queues takes the room of the largest.
        .boxed(".referee.v1.WatchMatchResponse.item.snapshot")
        .boxed(".referee.v1.WatchMatchResponse.item.closed")
        .boxed(".referee.v1.WatchPublicMatchResponse.item.snapshot")
        .boxed(".referee.v1.WatchPublicMatchResponse.item.closed")
        // Their events are written, not made, and shared as bytes.
        .extern_path(".referee.v1.EventBatch", "crate::v1::EventBatch")
        .extern_path(
            ".referee.v1.SubmitMoveResponse",
            "crate::v1::SubmitMoveResponse",
        )
        .compile_fds(contract)?;
    Ok(())
}
