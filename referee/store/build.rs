//! Compiles the messages of the log in `proto/referee/log/v1` in pure Rust (no protoc), with their descriptor.

use std::path::PathBuf;

use prost::Message as _;

/// Folder of the messages, seen from this package.
const PROTO: &str = "../../proto";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed={PROTO}/referee/log/v1");
    println!("cargo:rerun-if-changed=build.rs");
    let log = protox::compile(["referee/log/v1/log.proto"], [PROTO])?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("referee_log_descriptor.bin"), log.encode_to_vec())?;
    prost_build::Config::new()
        .btree_map(["."])
        .compile_fds(log)?;
    Ok(())
}
