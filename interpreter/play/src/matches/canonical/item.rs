//! The data that a state is written in: numbers, texts, lists and maps as deterministic CBOR (RFC 8949, 4.2.1).
//!
//! An [`Item`] is any of it as a tree: for reading, for tests, and for JSON. [`encode`](super::encode) writes states
//! without one. The same as JSON: numbers, texts, truth, lists and maps are JSON's own, none is `null`, a fraction is
//! `{"$scaled": [exponent, mantissa]}` and bytes are `{"$bytes": "…"}` in hexadecimal digits; names never begin with
//! `$`.

use minicbor::data::{Tag, Type};
use minicbor::{Decoder, decode};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::numbers::Fit as _;

/// Deepest nesting that is read. States nest six deep.
const DEPTH: usize = 32;

/// The tag of a decimal fraction (RFC 8949, 3.4.4).
const FRACTION: Tag = Tag::new(4);

/// Something that a state is written in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A whole number.
    Number(i64),
    /// A number that is not whole: so many times ten to the power of the (negative) exponent.
    Scaled {
        /// The exponent, below zero.
        exponent: i8,
        /// How many.
        mantissa: i64,
    },
    /// Yes or no.
    Truth(bool),
    /// None.
    Nothing,
    /// A name, or a row's id.
    Text(String),
    /// Bytes, such as a hash.
    Bytes(Vec<u8>),
    /// Several, in their order.
    List(Vec<Item>),
    /// By name; written in the order of the encoded names, no name twice.
    Map(Vec<(String, Item)>),
}

/// Bytes that are not the one way in which an [`Item`] is written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a state in its canonical form: {0}")]
pub struct Malformed(pub String);

impl From<decode::Error> for Malformed {
    fn from(error: decode::Error) -> Self {
        Malformed(error.to_string())
    }
}

/// Writes the head of an item: its major type and a number, in the fewest bytes. Most numbers are small, and take no
/// call.
#[inline(always)]
pub(super) fn head(out: &mut Vec<u8>, major: u8, number: u64) {
    match number {
        0..24 => out.push(major << 5 | number.fit::<u8>()),
        _ => long_head(out, major << 5, number),
    }
}

#[inline(never)]
fn long_head(out: &mut Vec<u8>, major: u8, number: u64) {
    let bytes = number.to_be_bytes();
    match number {
        0..0x100 => out.extend([major | 24, bytes[7]]),
        0x100..0x1_0000 => {
            out.push(major | 25);
            out.extend(&bytes[6..]);
        }
        0x1_0000..0x1_0000_0000 => {
            out.push(major | 26);
            out.extend(&bytes[4..]);
        }
        _ => {
            out.push(major | 27);
            out.extend(bytes);
        }
    }
}

/// Major types.
pub(super) const BYTES: u8 = 2;
pub(super) const TEXT: u8 = 3;
pub(super) const LIST: u8 = 4;
pub(super) const MAP: u8 = 5;
const TAG: u8 = 6;
/// Whole items.
pub(super) const FALSE: u8 = 0xf4;
pub(super) const TRUE: u8 = 0xf5;
pub(super) const NULL: u8 = 0xf6;

/// Writes a whole number.
#[inline]
pub(super) fn number(out: &mut Vec<u8>, number: i64) {
    match u64::try_from(number) {
        Ok(number) => head(out, 0, number),
        // -1 is written as 0, -2 as 1 and so on.
        Err(_) => head(out, 1, (!number).cast_unsigned()),
    }
}

/// Writes a text.
pub(super) fn text(out: &mut Vec<u8>, text: &str) {
    head(out, TEXT, text.len().fit());
    out.extend(text.as_bytes());
}

/// A text as it is written.
pub(super) fn encoded(name: &str) -> Box<[u8]> {
    let mut out = Vec::with_capacity(name.len() + 1);
    text(&mut out, name);
    out.into()
}

impl Item {
    /// As it is written: equal items are the same bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Item::Number(value) => number(out, *value),
            Item::Scaled { exponent, mantissa } => {
                head(out, TAG, FRACTION.as_u64());
                head(out, LIST, 2);
                number(out, i64::from(*exponent));
                number(out, *mantissa);
            }
            Item::Truth(false) => out.push(FALSE),
            Item::Truth(true) => out.push(TRUE),
            Item::Nothing => out.push(NULL),
            Item::Text(name) => text(out, name),
            Item::Bytes(bytes) => {
                head(out, BYTES, bytes.len().fit());
                out.extend(bytes);
            }
            Item::List(items) => {
                head(out, LIST, items.len().fit());
                items.iter().for_each(|item| item.write(out));
            }
            Item::Map(entries) => {
                head(out, MAP, entries.len().fit());
                let mut entries: Vec<(Box<[u8]>, &Item)> = entries
                    .iter()
                    .map(|(name, item)| (encoded(name), item))
                    .collect();
                entries.sort_by(|(a, _), (b, _)| a.cmp(b));
                for (name, item) in entries {
                    out.extend(&*name);
                    item.write(out);
                }
            }
        }
    }

    /// Reads what [`encode`](Self::encode) has written.
    ///
    /// # Errors
    ///
    /// When these are other bytes: what is equal is written in one way.
    pub fn decode(bytes: &[u8]) -> Result<Item, Malformed> {
        let mut from = Decoder::new(bytes);
        let item = read(&mut from, DEPTH)?;
        if from.position() != bytes.len() {
            return Err(Malformed("something follows its end".into()));
        }
        if item.encode() != bytes {
            return Err(Malformed("the same is written with other bytes".into()));
        }
        Ok(item)
    }

    /// What stands under a name of a map.
    pub fn get(&self, name: &str) -> Option<&Item> {
        match self {
            Item::Map(entries) => entries
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, item)| item),
            _ => None,
        }
    }
}

fn read(from: &mut Decoder<'_>, depth: usize) -> Result<Item, Malformed> {
    let depth = depth
        .checked_sub(1)
        .ok_or_else(|| Malformed("it nests too deep".into()))?;
    let definite =
        |count: Option<u64>| count.ok_or_else(|| Malformed("a length is missing".into()));
    Ok(match from.datatype()? {
        Type::Bool => Item::Truth(from.bool()?),
        Type::Null => {
            from.null()?;
            Item::Nothing
        }
        Type::String => Item::Text(from.str()?.to_owned()),
        Type::Bytes => Item::Bytes(from.bytes()?.to_owned()),
        Type::Array => {
            let count = definite(from.array()?)?;
            let items = (0..count).map(|_| read(from, depth));
            Item::List(items.collect::<Result<_, _>>()?)
        }
        Type::Map => {
            let count = definite(from.map()?)?;
            let mut last: Option<Box<[u8]>> = None;
            let entries = (0..count).map(|_| {
                let name = from.str()?.to_owned();
                // Whether it is the only one of its name shows here and not in what is written again.
                let this = encoded(&name);
                if name.starts_with('$') {
                    return Err(Malformed(format!("`{name}` is a name of the JSON form")));
                }
                if last.replace(this.clone()).is_some_and(|last| last >= this) {
                    return Err(Malformed(format!(
                        "`{name}` stands twice or is out of its order"
                    )));
                }
                Ok((name, read(from, depth)?))
            });
            Item::Map(entries.collect::<Result<_, _>>()?)
        }
        Type::Tag => {
            if from.tag()? != FRACTION || from.array()? != Some(2) {
                return Err(Malformed("a tag is nothing that a state holds".into()));
            }
            scaled(from.i8()?, from.i64()?).ok_or_else(|| Malformed(NOT_SHORTEST.into()))?
        }
        Type::U8
        | Type::U16
        | Type::U32
        | Type::U64
        | Type::I8
        | Type::I16
        | Type::I32
        | Type::I64 => Item::Number(from.i64()?),
        other => return Err(Malformed(format!("{other} is nothing that a state holds"))),
    })
}

/// What is wrong with a fraction that could be written with fewer digits, or is a whole number.
const NOT_SHORTEST: &str = "a fraction is not in its shortest form";

/// A fraction, if this is its shortest form.
fn scaled(exponent: i8, mantissa: i64) -> Option<Item> {
    let shortest = exponent < 0 && mantissa % 10 != 0;
    shortest.then_some(Item::Scaled { exponent, mantissa })
}

/// The names of what JSON has no form for.
const SCALED: &str = "$scaled";
const HEXADECIMAL: &str = "$bytes";

/// The bytes that pairs of hexadecimal digits say.
fn from_hexadecimal(digits: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = digits
        .chars()
        .map(|digit| digit.to_digit(16).map(|digit| digit.fit()))
        .collect();
    let pairs = digits?;
    let pairs = pairs.chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => Some(high << 4 | low),
            _ => None,
        })
        .collect()
}

impl Serialize for Item {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Item::Number(number) => to.serialize_i64(*number),
            Item::Scaled { exponent, mantissa } => {
                to.collect_map([(SCALED, [i64::from(*exponent), *mantissa])])
            }
            Item::Truth(truth) => to.serialize_bool(*truth),
            Item::Nothing => to.serialize_unit(),
            Item::Text(text) => to.serialize_str(text),
            Item::Bytes(bytes) => {
                let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
                to.collect_map([(HEXADECIMAL, digits.collect::<String>())])
            }
            Item::List(items) => to.collect_seq(items),
            Item::Map(entries) => to.collect_map(entries.iter().map(|(name, item)| (name, item))),
        }
    }
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Item, D::Error> {
        from.deserialize_any(Reading)
    }
}

/// Reads an item from JSON.
struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Item;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a number without a fraction, a text, yes or no, null, a list or a map")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Item, E> {
        Ok(Item::Number(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Item, E> {
        let number = i64::try_from(number);
        number
            .map(Item::Number)
            .map_err(|_| E::custom("a number is too large"))
    }

    fn visit_bool<E: de::Error>(self, truth: bool) -> Result<Item, E> {
        Ok(Item::Truth(truth))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Item, E> {
        Ok(Item::Nothing)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Item, E> {
        Ok(Item::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Item, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Item::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Item, A::Error> {
        let mut entries: Vec<(String, Item)> = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let item = match &name[..] {
                SCALED => {
                    let (exponent, mantissa) = map.next_value()?;
                    scaled(exponent, mantissa).ok_or_else(|| de::Error::custom(NOT_SHORTEST))?
                }
                HEXADECIMAL => {
                    let digits: String = map.next_value()?;
                    from_hexadecimal(&digits).map(Item::Bytes).ok_or_else(|| {
                        de::Error::custom("bytes are written as pairs of hexadecimal digits")
                    })?
                }
                _ if name.starts_with('$') => {
                    let why = format!("`{name}` is no name that a state can hold");
                    return Err(de::Error::custom(why));
                }
                _ => {
                    entries.push((name, map.next_value()?));
                    continue;
                }
            };
            // It stands alone in its map.
            return match (entries.is_empty(), map.next_key::<String>()?) {
                (true, None) => Ok(item),
                _ => Err(de::Error::custom(format!("`{name}` stands beside others"))),
            };
        }
        let mut names: Vec<&str> = entries.iter().map(|(name, _)| &**name).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(de::Error::custom(format!("`{}` stands twice", pair[0]))),
            None => Ok(Item::Map(entries)),
        }
    }
}
