//! Bytes without a form.

use referee_tests::random::Random;

use super::{NUMBERS, place, rounds};

/// Other bytes, near to these.
pub fn mutate(input: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..rounds(random) {
        change(&mut bytes, random);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        bytes.extend((0..1 + random.below(32)).map(|_| random.word() as u8));
        return;
    }
    let at = place(bytes.len(), random);
    let end = (at + 1 + place(32, random)).min(bytes.len());
    match random.below(9) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.word() as u8,
        2 => bytes[at] = *random.pick(&[0, 1, 0x7f, 0x80, 0xff, b'\n', b'"', b'{']),
        3 => {
            bytes.drain(at..end);
        }
        4 => {
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again);
        }
        5 => {
            let more: Vec<u8> = (at..end).map(|_| random.word() as u8).collect();
            bytes.splice(at..at, more);
        }
        6 => {
            let number = random.pick(NUMBERS).to_le_bytes();
            let width = 1 << random.below(4);
            for (byte, new) in bytes[at..].iter_mut().zip(&number[..width]) {
                *byte = *new;
            }
        }
        7 => bytes.truncate(at),
        _ => {
            let other = place(bytes.len(), random);
            bytes.swap(at, other);
        }
    }
}
