//! What moves would bring, as the contract says it.

use interpreter::package::Package;
use interpreter::play::Preview;

use super::convert::Outward;
use super::events::{EventWriter, InGame};
use super::v1::{self, Certainty};
use referee_store::log::v1::Maker;
use referee_store::numbers::{to_u32, to_u64};

/// A preview for somebody who has been told of so many events.
pub fn preview(package: &Package, preview: &Preview, told: u64) -> v1::Preview {
    let mut writer = EventWriter::of(package, preview.events.len());
    for (number, event) in (told..).zip(&preview.events) {
        writer.game(
            number,
            InGame {
                event,
                cause: None,
                maker: Maker::Unspecified,
                move_number: 0,
                at_ms: None,
            },
        );
    }
    let after = told + to_u64(preview.events.len());
    let view = preview.view.as_ref();
    let certainty = match preview.certain {
        true => Certainty::Certain,
        false => Certainty::Likely,
    };
    v1::Preview {
        events: writer.done().into_iter().collect(),
        complete: preview.complete,
        view: view.map(|view| Outward::new(package).view(view, after)),
        certainty: certainty.into(),
        tables: to_u32(preview.tables),
    }
}
