//! Server-streams of chunks, for texts that do not fit into one message.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

/// Bytes in one message.
const PIECE: usize = 64 << 10;

/// Messages that wait for a reader.
const QUEUE: usize = 4;

/// The messages of a text.
pub type Pieces<T> = ReceiverStream<Result<T, Status>>;

/// Streams a text; `wrap` makes a message of each piece, given where it begins. A text without a letter is one empty piece.
pub fn stream<T: Send + 'static>(
    text: Arc<str>,
    wrap: impl Fn(usize, Vec<u8>) -> T + Send + 'static,
) -> Pieces<T> {
    let (queue, messages) = mpsc::channel(QUEUE);
    tokio::spawn(async move {
        let bytes = text.as_bytes();
        for begin in (0..bytes.len().max(1)).step_by(PIECE) {
            let end = bytes.len().min(begin + PIECE);
            let piece = wrap(begin, bytes[begin..end].to_vec());
            // A reader that has gone away wants no more.
            if queue.send(Ok(piece)).await.is_err() {
                return;
            }
        }
    });
    ReceiverStream::new(messages)
}
