//! Seals: beside a row stands a digest of it that only who has the store's key can compute, so that neither a damaged page nor
//! somebody who can write the database, but has not the key, makes a row that is believed.

use blake3::Hasher;

use crate::numbers::to_u64;
use crate::secrets::{Keys, Purpose};

/// Bytes of a seal.
pub const SEAL: usize = 16;

/// The key of the seals of one store.
#[derive(Clone)]
pub struct Seals {
    key: [u8; 32],
}

/// A value of a row.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// Nothing.
    Null,
    /// A number.
    Number(i64),
    /// A text.
    Text(&'a [u8]),
    /// Bytes.
    Bytes(&'a [u8]),
}

impl Seals {
    /// The seals of the store that belongs to a root key.
    pub fn of(keys: &Keys) -> Seals {
        Seals {
            key: keys.derive(Purpose::StoreSeal, &[]),
        }
    }

    /// For tables in which nothing will ever stand.
    pub fn of_nobody() -> Seals {
        Seals { key: [0; 32] }
    }

    /// The seal of these values; the first says of what they are.
    pub fn seal<'a>(&self, values: impl IntoIterator<Item = Value<'a>>) -> [u8; SEAL] {
        let mut hasher = Hasher::new_keyed(&self.key);
        for value in values {
            update(&mut hasher, value);
        }
        let mut seal = [0; SEAL];
        seal.copy_from_slice(&hasher.finalize().as_bytes()[..SEAL]);
        seal
    }
}

/// A value with its type and length, so that no two rows are the same bytes.
fn update(hasher: &mut Hasher, value: Value<'_>) {
    let (kind, bytes) = match value {
        Value::Null => (0, &[][..]),
        Value::Number(number) => {
            hasher.update(&[1]).update(&number.to_le_bytes());
            return;
        }
        Value::Text(bytes) => (2, bytes),
        Value::Bytes(bytes) => (3, bytes),
    };
    hasher
        .update(&[kind])
        .update(&to_u64(bytes.len()).to_le_bytes())
        .update(bytes);
}
