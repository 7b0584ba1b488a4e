//! Trees of data as JSON has them.

use referee_tests::random::Random;
use serde_json::{Value, json};

use super::{NUMBERS, once_in, place};

/// Changes something somewhere in a tree. What is put there may come from `shelf`.
pub fn change(tree: &mut Value, shelf: &[Value], random: &mut Random) {
    let mut at = tree;
    // Down to somewhere, sooner or later.
    loop {
        let deeper = match at {
            Value::Array(items) => !items.is_empty(),
            Value::Object(entries) => !entries.is_empty(),
            _ => false,
        };
        if !deeper || once_in(5, random) {
            break;
        }
        at = match at {
            Value::Array(items) => {
                let n = place(items.len(), random);
                &mut items[n]
            }
            Value::Object(entries) => {
                let n = place(entries.len(), random);
                match entries.iter_mut().nth(n) {
                    Some((_, value)) => value,
                    None => return,
                }
            }
            _ => return,
        };
    }
    here(at, shelf, random);
}

fn here(at: &mut Value, shelf: &[Value], random: &mut Random) {
    if once_in(4, random) && !shelf.is_empty() {
        *at = random.pick(shelf).clone();
        return;
    }
    match at {
        Value::Array(items) if !items.is_empty() => {
            let n = place(items.len(), random);
            let other = place(items.len(), random);
            match random.below(4) {
                0 => {
                    items.remove(n);
                }
                1 => items.insert(n, items[n].clone()),
                2 => items.swap(n, other),
                _ => items.truncate(n),
            }
        }
        Value::Object(entries) if !entries.is_empty() => {
            let n = place(entries.len(), random);
            let other = place(entries.len(), random);
            let name = |n: usize| entries.keys().nth(n).cloned();
            let (Some(name), Some(other)) = (name(n), name(other)) else {
                return;
            };
            match random.below(4) {
                0 => {
                    entries.remove(&name);
                }
                1 => {
                    let value = entries[&other].clone();
                    entries.insert(name, value);
                }
                2 => {
                    let value = entries[&name].clone();
                    entries.insert(format!("{name}x"), value);
                }
                _ => {
                    entries.insert(name, Value::Null);
                }
            }
        }
        Value::String(text) => {
            let cut =
                (0..=text.len()).rfind(|at| text.is_char_boundary(*at) && *at <= text.len() / 2);
            match random.below(6) {
                0 => text.clear(),
                1 => text.truncate(cut.unwrap_or(0)),
                2 => *text = text.repeat(2),
                3 => *at = json!(random.pick(NUMBERS)),
                4 => *text = random.pick(NUMBERS).to_string(),
                _ => {
                    let bytes = super::bytes::mutate(text.as_bytes(), random);
                    *text = String::from_utf8_lossy(&bytes).into_owned();
                }
            }
        }
        Value::Number(_) if once_in(3, random) => {
            *at = json!(
                at.as_i64()
                    .unwrap_or(0)
                    .wrapping_add(random.below(5) as i64 - 2)
            );
        }
        _ => {
            *at = match random.below(6) {
                0 => Value::Null,
                1 => json!(true),
                2 => json!([]),
                3 => json!({}),
                4 => json!(""),
                _ => json!(random.pick(NUMBERS)),
            };
        }
    }
}
