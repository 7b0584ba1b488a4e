//! Tests of the module `hashing`.

use referee::hashing::Context;

#[test]
fn it_is_the_key_derivation_of_blake3() {
    static CONTEXT: Context = Context::new("a test of hashing");
    let hash = CONTEXT.hasher().update(b"some bytes").finalize();
    let other = blake3::derive_key("a test of hashing", b"some bytes");
    assert_eq!(*hash.as_bytes(), other);
}
