//! Messages of which only the bytes matter, to call any method with.

use prost::bytes::{Buf, BufMut};
use prost::encoding::{self, DecodeContext, WireType};
use prost::{DecodeError, Message};

/// Bytes as a message of any kind. Of an answer it keeps the first field, if that has a length, and passes over the rest.
#[derive(Clone, Debug, Default)]
pub struct Raw(pub Vec<u8>);

impl Message for Raw {
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        buffer.put_slice(&self.0);
    }
    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buffer: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        match (tag, wire_type) {
            (1, WireType::LengthDelimited) => {
                let mut field = Vec::new();
                encoding::bytes::merge(wire_type, &mut field, buffer, context)?;
                encoding::bytes::encode(1, &field, &mut self.0);
                Ok(())
            }
            _ => encoding::skip_field(wire_type, tag, buffer, context),
        }
    }
    fn encoded_len(&self) -> usize {
        self.0.len()
    }
    fn clear(&mut self) {
        self.0.clear();
    }
}
