//! What stands behind the `?` of an address and in a form: names and values, encoded as browsers do.

/// Names with their values, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form(Vec<(String, String)>);

impl Form {
    /// Reads `name=value&other=value`.
    pub fn read(text: &str) -> Form {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        });
        Form(pairs.collect())
    }

    /// The value of a name; empty if it has none.
    pub fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }
}

/// Writes names and values; what is empty is left out.
pub fn written(pairs: &[(&str, &str)]) -> String {
    let said = pairs.iter().filter(|(_, value)| !value.is_empty());
    let said = said.map(|(name, value)| format!("{name}={}", encoded(value)));
    said.collect::<Vec<_>>().join("&")
}

fn encoded(text: &str) -> String {
    let mut all = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                all.push(char::from(byte));
            }
            _ => all += &format!("%{byte:02X}"),
        }
    }
    all
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        let two = match first {
            b'%' => behind.first_chunk::<2>().and_then(|two| hex(*two)),
            _ => None,
        };
        match (first, two) {
            (_, Some(byte)) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            (b'+', None) => bytes.push(b' '),
            (first, None) => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(two: [u8; 2]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(two[0])? * 16 + digit(two[1])?).ok()
}
