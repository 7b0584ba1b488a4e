//! Messages written field by field, without being made first.
//!
//! What prost writes from a message is written here from whatever is at hand: no text is copied before, and no length
//! is worked out before it is needed. Fields come in the order of their numbers, and what is nothing is left out, as
//! the encoding of proto3 has it.

use prost::Message;
use prost::encoding::{message, uint32};
use smallvec::SmallVec;

use referee_store::numbers::to_u64;

/// How fields are written: the numbers of prost's `WireType`.
const VARINT: u32 = 0;
const DELIMITED: u32 = 2;

/// Writes fields one behind the other.
#[derive(Debug, Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// With room for so many bytes to begin with.
    pub fn with_room(bytes: usize) -> Writer {
        Writer(Vec::with_capacity(bytes))
    }

    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// A number; zero is left out.
    pub fn number(&mut self, field: u32, number: impl Into<u64>) {
        let number = number.into();
        if number != 0 {
            self.present(field, number);
        }
    }

    /// A number of a field that tells zero from nothing: an `optional` one, or one of a `oneof`.
    pub fn present(&mut self, field: u32, number: impl Into<u64>) {
        self.key(field, VARINT);
        self.varint(number.into());
    }

    /// Numbers one behind the other; if there are none, they are left out.
    pub fn numbers(&mut self, field: u32, numbers: &[u32]) {
        uint32::encode_packed(field, numbers, &mut self.0);
    }

    /// Text; if it is empty, it is left out.
    pub fn text(&mut self, field: u32, text: &str) {
        if !text.is_empty() {
            self.key(field, DELIMITED);
            self.varint(to_u64(text.len()));
            self.0.extend_from_slice(text.as_bytes());
        }
    }

    /// A message whose fields are written by `fields`.
    pub fn message(&mut self, field: u32, fields: impl FnOnce(&mut Writer)) {
        self.key(field, DELIMITED);
        let at = self.0.len();
        // Most lengths take one byte.
        self.0.push(0);
        fields(self);
        let length = self.0.len() - at - 1;
        match u8::try_from(length) {
            Ok(length) if length < 0x80 => self.0[at] = length,
            _ => {
                let mut bytes = SmallVec::<[u8; 10]>::new();
                varint(to_u64(length), |byte| bytes.push(byte));
                self.0.splice(at..=at, bytes);
            }
        }
    }

    fn key(&mut self, field: u32, wire_type: u32) {
        self.varint((field << 3 | wire_type).into());
    }

    fn varint(&mut self, number: u64) {
        varint(number, |byte| self.0.push(byte));
    }

    /// A message that there is already.
    pub fn made(&mut self, field: u32, message: &impl Message) {
        message::encode(field, message, &mut self.0);
    }

    /// The fields of a message that there is already.
    pub fn fields_of(&mut self, message: &impl Message) {
        message.encode_raw(&mut self.0);
    }
}

/// Seven bits a byte, the lowest first. What `prost::encoding::encode_varint` writes, which asks for room before every byte and
/// hands each over as a slice.
fn varint(mut number: u64, mut push: impl FnMut(u8)) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            return push(low & 0x7f);
        }
        push(low | 0x80);
    }
}

/// Writers of the messages of an event: a method a field.
pub mod write {
    #![allow(dead_code, reason = "generated for every field")]
    use prost::Message;

    use super::super::v1;
    use super::Writer;

    include!(concat!(env!("OUT_DIR"), "/event_writers.rs"));
}
