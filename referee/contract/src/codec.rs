//! The codec of tonic: how messages are read from calls and written to answers.

use std::cell::RefCell;
use std::marker::PhantomData;

use prost::Message;
use prost::bytes::BufMut as _;
use tonic::Status;
use tonic::codec::{BufferSettings, EncodeBuf, Encoder};
use tonic_prost::ProstDecoder;

/// Most messages fit into so many bytes. A buffer for one is kept by every stream that is open.
const USUAL_BYTES: usize = 1024;

/// Bytes that wait to be sent before a stream is no longer asked for more.
const ENOUGH_BYTES: usize = 32 * 1024;

/// The codec of every service of the contract. It writes what tonic's own writes.
pub struct Codec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for Codec<T, U> {
    fn default() -> Self {
        Codec(PhantomData)
    }
}

impl<T, U> tonic::codec::Codec for Codec<T, U>
where
    T: Message + 'static,
    U: Message + Default + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = AtOnce<T>;
    type Decoder = ProstDecoder<U>;

    fn encoder(&mut self) -> AtOnce<T> {
        AtOnce(PhantomData)
    }

    fn decoder(&mut self) -> ProstDecoder<U> {
        ProstDecoder::new(buffer())
    }
}

/// Writes a message into a vector and that into the call's buffer: a message has many short pieces, and a vector
/// takes each of them in with far less ado.
pub struct AtOnce<T>(PhantomData<T>);

thread_local! {
    /// Where messages are written first.
    static DRAFT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl<T: Message> Encoder for AtOnce<T> {
    type Item = T;
    type Error = Status;

    fn encode(&mut self, message: T, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        DRAFT.with_borrow_mut(|draft| {
            draft.clear();
            draft.shrink_to(ENOUGH_BYTES);
            message.encode_raw(draft);
            into.put_slice(draft);
        });
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        buffer()
    }
}

fn buffer() -> BufferSettings {
    BufferSettings::new(USUAL_BYTES, ENOUGH_BYTES)
}
