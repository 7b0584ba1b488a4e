//! The answer to a submitted move, whose events are written as those of streams are.

use prost::bytes::{Buf, BufMut};
use prost::encoding::{DecodeContext, WireType, bool, message, skip_field, string, uint32};
use prost::{DecodeError, Message};

use super::batch::{EVENTS, EventBatch};
use super::v1::View;

const RESUME_TOKEN: u32 = 2;
const VIEW: u32 = 3;
const REPLAYED: u32 = 4;
const MOVES_MADE: u32 = 5;

/// `referee.v1.SubmitMoveResponse`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubmitMoveResponse {
    /// What followed from it, as the seat saw it, up to the next question.
    pub events: EventBatch,
    /// For `WatchMatch` and `ListEvents`: what happens after these events.
    pub resume_token: String,
    /// The table now, if it was asked for.
    pub view: Option<View>,
    /// Whether this is the answer to an earlier request with the same `request_id`.
    pub replayed: bool,
    /// How many moves were made.
    pub moves_made: u32,
}

impl Message for SubmitMoveResponse {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        // They have the same field here as in a batch.
        self.events.encode_raw(buf);
        if !self.resume_token.is_empty() {
            string::encode(RESUME_TOKEN, &self.resume_token, buf);
        }
        if let Some(view) = &self.view {
            message::encode(VIEW, view, buf);
        }
        if self.replayed {
            bool::encode(REPLAYED, &self.replayed, buf);
        }
        if self.moves_made != 0 {
            uint32::encode(MOVES_MADE, &self.moves_made, buf);
        }
    }

    fn encoded_len(&self) -> usize {
        let text = |text: &String| match text.is_empty() {
            true => 0,
            false => string::encoded_len(RESUME_TOKEN, text),
        };
        let view = self.view.as_ref();
        self.events.encoded_len()
            + text(&self.resume_token)
            + view.map_or(0, |view| message::encoded_len(VIEW, view))
            + usize::from(self.replayed) * bool::encoded_len(REPLAYED, &self.replayed)
            + usize::from(self.moves_made != 0) * uint32::encoded_len(MOVES_MADE, &self.moves_made)
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        match tag {
            EVENTS => self.events.merge_field(tag, wire_type, buf, context),
            RESUME_TOKEN => string::merge(wire_type, &mut self.resume_token, buf, context),
            VIEW => {
                let view = self.view.get_or_insert_default();
                message::merge(wire_type, view, buf, context)
            }
            REPLAYED => bool::merge(wire_type, &mut self.replayed, buf, context),
            MOVES_MADE => uint32::merge(wire_type, &mut self.moves_made, buf, context),
            _ => skip_field(wire_type, tag, buf, context),
        }
    }

    fn clear(&mut self) {
        *self = SubmitMoveResponse::default();
    }
}
