//! Places, counters and markers as the API names them, each made once: whatever happens names some of them, and so
//! does every view.

use super::ids::*;
use super::model::{Model, index_values, instances};
use super::tree::Ty;
use super::value::{PlaceRef, value};
use crate::source::Id;

/// Those of a ruleset: by their numbers in the model, then by instance.
#[derive(Clone, Debug)]
pub struct References {
    /// Places.
    pub places: IndexVec<PlaceId, Vec<PlaceRef>>,
    /// Counters.
    pub counters: IndexVec<CounterId, Vec<PlaceRef>>,
    /// Markers.
    pub markers: IndexVec<MarkerId, Vec<PlaceRef>>,
}

impl References {
    /// Returns the references of a model.
    pub fn new(model: &Model) -> References {
        let all = |name: &Id, index: &[(Ty, u32)]| -> Vec<PlaceRef> {
            let instances = 0..instances(index);
            instances
                .map(|n| reference(model, name, index, n))
                .collect()
        };
        let places = model.places.iter().map(|p| all(&p.name, &p.index));
        let counters = model.counters.iter().map(|c| all(&c.name, &c.index));
        let markers = model.markers.iter().map(|m| all(&m.name, &m.index));
        References {
            places: places.collect(),
            counters: counters.collect(),
            markers: markers.collect(),
        }
    }
}

/// One instance of something that has an index.
pub fn reference(model: &Model, name: &Id, index: &[(Ty, u32)], instance: u32) -> PlaceRef {
    let values = index_values(index, instance);
    let values = index.iter().zip(values);
    PlaceRef {
        name: name.clone(),
        index: values.map(|((ty, _), v)| value(model, ty, v)).collect(),
    }
}
