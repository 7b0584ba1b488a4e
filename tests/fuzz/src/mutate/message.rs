//! Messages of Protocol Buffers, by their descriptors: fields set, cleared, exchanged, taken to their extremes.

use prost_reflect::{
    DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, ReflectMessage, Value,
};
use referee_tests::random::Random;

use super::{NUMBERS, bytes, once_in, place};

/// How deep messages are filled.
const DEPTH: usize = 4;

/// Texts that mean something to whoever reads them, beside those that a target brings.
const TEXTS: &[&str] = &[
    "",
    "a",
    "p1",
    "matches/",
    "matches/x",
    "rulesets/",
    "rulesets/nothing",
    "rulesets/tea-house@",
    "/",
    "..",
    "00000000-0000-0000-0000-000000000000",
    "żółw",
    "\u{0}",
    "\u{202e}x",
    "\u{feff}",
];

/// Changes something somewhere in a message.
pub fn change(message: &mut DynamicMessage, texts: &[String], random: &mut Random) {
    let fields: Vec<FieldDescriptor> = message.descriptor().fields().collect();
    if fields.is_empty() {
        return;
    }
    let set: Vec<FieldDescriptor> = fields
        .iter()
        .filter(|field| message.has_field(field))
        .cloned()
        .collect();
    // Into what is there more often than beside it.
    let field = match set.is_empty() || once_in(3, random) {
        true => random.pick(&fields).clone(),
        false => random.pick(&set).clone(),
    };
    if once_in(8, random) {
        message.clear_field(&field);
        return;
    }
    let old = message.get_field(&field).into_owned();
    let new = match old {
        Value::Message(mut inner) if !once_in(6, random) => {
            change(&mut inner, texts, random);
            Value::Message(inner)
        }
        Value::List(mut items) => {
            list(&mut items, &field, texts, random);
            Value::List(items)
        }
        Value::Map(mut entries) => {
            let key = match field.kind() {
                Kind::Message(entry) => entry.map_entry_key_field().kind(),
                _ => return,
            };
            let value = match field.kind() {
                Kind::Message(entry) => entry.map_entry_value_field(),
                _ => return,
            };
            match key {
                Kind::String => {
                    entries.insert(
                        MapKey::String(word(texts, random)),
                        single(&value, texts, random, 0),
                    );
                }
                Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => {
                    entries.insert(
                        MapKey::I64(*random.pick(NUMBERS)),
                        single(&value, texts, random, 0),
                    );
                }
                Kind::Uint32 | Kind::Fixed32 => {
                    let key = *random.pick(NUMBERS) as u32;
                    entries.insert(MapKey::U32(key), single(&value, texts, random, 0));
                }
                _ => {}
            }
            Value::Map(entries)
        }
        Value::String(text) if once_in(3, random) => {
            let bytes = bytes::mutate(text.as_bytes(), random);
            Value::String(String::from_utf8_lossy(&bytes).into_owned())
        }
        Value::Bytes(old) if once_in(2, random) => Value::Bytes(bytes::mutate(&old, random).into()),
        Value::U32(n) if once_in(2, random) => {
            Value::U32(n.wrapping_add(random.below(3) as u32).wrapping_sub(1))
        }
        Value::U64(n) if once_in(2, random) => {
            Value::U64(n.wrapping_add(random.below(3)).wrapping_sub(1))
        }
        _ => single(&field, texts, random, 0),
    };
    let _ = message.try_set_field(&field, new);
}

fn list(items: &mut Vec<Value>, field: &FieldDescriptor, texts: &[String], random: &mut Random) {
    if items.is_empty() || once_in(4, random) {
        let most = if once_in(30, random) { 300 } else { 3 };
        for _ in 0..1 + random.below(most) {
            items.push(single(field, texts, random, 0));
        }
        return;
    }
    let (at, other) = (place(items.len(), random), place(items.len(), random));
    match random.below(5) {
        0 => {
            items.remove(at);
        }
        1 => items.insert(at, items[at].clone()),
        2 => items.swap(at, other),
        _ => match &mut items[at] {
            Value::Message(inner) => change(inner, texts, random),
            item => *item = single(field, texts, random, 0),
        },
    }
}

fn word(texts: &[String], random: &mut Random) -> String {
    if texts.is_empty() || once_in(4, random) {
        let text = (*random.pick(TEXTS)).to_owned();
        return if once_in(20, random) {
            text.repeat(1 + place(2000, random))
        } else {
            text
        };
    }
    random.pick(texts).clone()
}

/// A value of a field; of a list, one item.
fn single(field: &FieldDescriptor, texts: &[String], random: &mut Random, depth: usize) -> Value {
    let number = *random.pick(NUMBERS);
    match field.kind() {
        Kind::Bool => Value::Bool(random.below(2) == 1),
        Kind::String => Value::String(word(texts, random)),
        Kind::Bytes => {
            let length = *random.pick(&[0, 1, 15, 16, 31, 32, 33, 64, 1000]);
            let seed = random.word() as u8;
            Value::Bytes(vec![seed; length].into())
        }
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(number as i32),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(number),
        Kind::Uint32 | Kind::Fixed32 => Value::U32(number as u32),
        Kind::Uint64 | Kind::Fixed64 => Value::U64(number as u64),
        Kind::Float => Value::F32(number as f32),
        Kind::Double => Value::F64(number as f64),
        Kind::Enum(kind) => match once_in(3, random) {
            true => Value::EnumNumber(number as i32),
            false => {
                let all: Vec<i32> = kind.values().map(|value| value.number()).collect();
                Value::EnumNumber(*random.pick(&all))
            }
        },
        Kind::Message(of) => Value::Message(filled(of, texts, random, depth + 1)),
    }
}

/// A message with some of its fields.
pub fn filled(
    of: MessageDescriptor,
    texts: &[String],
    random: &mut Random,
    depth: usize,
) -> DynamicMessage {
    let mut message = DynamicMessage::new(of.clone());
    if depth > DEPTH {
        return message;
    }
    for field in of.fields() {
        if once_in(2, random) {
            continue;
        }
        let value = match field.is_map() {
            true => continue,
            false => single(&field, texts, random, depth),
        };
        let value = match field.is_list() {
            true => Value::List(vec![value]),
            false => value,
        };
        // Of a oneof the last one that is set counts.
        let _ = message.try_set_field(&field, value);
    }
    message
}
