//! Every limit of the referee: finite, with one name by which `GetServerInfo` tells it, `--limit` sets it and refusals
//! cite it.

use std::time::Duration;

use interpreter::diagnostic::did_you_mean;
use referee_store::numbers::to_usize;

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

const fn days(days: u64) -> Duration {
    seconds(days * 24 * 3600)
}

/// What a limit limits: a number of things, or a time.
trait Limit: Sized {
    /// Reads it as an operator writes it.
    fn read(text: &str) -> Result<Self, String>;

    /// Writes it so that it can be read.
    fn write(&self) -> String;
}

impl Limit for u32 {
    fn read(text: &str) -> Result<u32, String> {
        match text.parse() {
            Ok(0) => Err("must be at least 1".into()),
            Ok(number) => Ok(number),
            Err(_) => Err(format!(
                "takes a whole number up to {}, not `{text}`",
                u32::MAX
            )),
        }
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

/// Units of time, the longest first, in milliseconds.
const UNITS: [(&str, u64); 5] = [
    ("d", 24 * 3_600_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1000),
    ("ms", 1),
];

impl Limit for Duration {
    fn read(text: &str) -> Result<Duration, String> {
        let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = UNITS
            .iter()
            .find(|(unit, _)| *unit == &text[number.len()..]);
        let of = unit.and_then(|(_, of)| number.parse::<u64>().ok()?.checked_mul(*of));
        match of {
            Some(0) => Err("must be longer than nothing".into()),
            // Times are added to the present one, which has room for that.
            Some(ms) if ms <= 100 * 365 * 24 * 3_600_000 => Ok(Duration::from_millis(ms)),
            Some(_) => Err("may be a hundred years at most".into()),
            None => Err(format!(
                "takes a time such as `500ms`, `30s`, `10m`, `24h` or `30d`, not `{text}`"
            )),
        }
    }

    fn write(&self) -> String {
        let ms = u64::try_from(self.as_millis()).unwrap_or(u64::MAX);
        let (unit, of) = UNITS
            .iter()
            .find(|(_, of)| ms % of == 0)
            .unwrap_or(&("ms", 1));
        format!("{}{unit}", ms / of)
    }
}

macro_rules! limits {
    ($($(#[$about:meta])* $name:ident: $of:ty = $usual:expr,)*) => {
        /// The limits. What a client can hit is answered `INVALID_ARGUMENT` or `RESOURCE_EXHAUSTED`.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Limits {
            $($(#[$about])* pub $name: $of,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Limits { $($name: $usual,)* }
            }
        }

        impl Limits {
            /// Their names.
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            /// Every limit as [`set`](Self::set) takes it.
            pub fn all(&self) -> impl Iterator<Item = (&'static str, String)> {
                [$((stringify!($name), self.$name.write())),*].into_iter()
            }

            /// Sets a limit to what an operator writes: a number, or a time such as `30s`.
            ///
            /// # Errors
            ///
            /// Says what is wrong with the name or the value.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
                match name {
                    $(stringify!($name) => {
                        let value = <$of>::read(value);
                        self.$name = value.map_err(|why| format!("the limit `{name}` {why}"))?;
                    })*
                    _ => {
                        let near = did_you_mean(name, Limits::NAMES.iter().copied());
                        let near = near.map_or_else(String::new, |near| format!("{near}; "));
                        return Err(format!(
                            "there is no limit `{name}`; {near}there are {}",
                            Limits::NAMES.join(", ")
                        ));
                    }
                }
                Ok(())
            }
        }
    };
}

/// Hands the list of all limits to a macro.
#[macro_export]
macro_rules! every_limit {
    ($then:ident) => {
        $then! {
            /// Bytes of a request.
            request_bytes: u32 = 64 << 10,
            /// Bytes of a response.
            response_bytes: u32 = 4 << 20,
            /// Items of a page when a request does not say.
            default_page_size: u32 = 50,
            /// Items of a page at most.
            max_page_size: u32 = 1000,
            /// Events in one message of a stream.
            max_event_batch: u32 = 256,
            /// Messages of a stream that wait for a slow reader.
            stream_queue: u32 = 16,
            /// How long a full queue waits for its reader before the stream is ended.
            stream_stall: Duration = seconds(10),
            /// Longest time between two messages of a stream.
            heartbeat: Duration = seconds(10),
            /// How long nothing was written until it is tried whether anything can be; how often it is noted that there is a
            /// referee: of a time without one, players may gain so much.
            store_probe: Duration = seconds(10),
            /// Longest time of a unary call.
            call_time: Duration = seconds(10),
            /// Streams and calls at once on one connection.
            streams_per_connection: u32 = 256,
            /// Streams that watch one match at once. Spectators have half of them at most.
            watchers_per_match: u32 = 64,
            /// Streams of one seat that watch its match at once.
            watchers_per_seat: u32 = 6,
            /// Matches held in memory at once; idle ones make room.
            open_matches: u32 = 4096,
            /// Moves of one match.
            moves_per_match: u32 = 100_000,
            /// Characters of a display name.
            display_name_chars: u32 = 64,
            /// Bytes of a request that brings a package or a record.
            upload_bytes: u32 = 4 << 20,
            /// Files of a package.
            package_files: u32 = 512,
            /// Bytes of one file of a package.
            package_file_bytes: u32 = 256 << 10,
            /// Diagnostics in one response.
            diagnostics: u32 = 200,
            /// Proposals of one seat in its match; those to take moves back count that were refused.
            proposals_per_seat: u32 = 200,
            /// Longest time for a question, where a match has a clock.
            question_time: Duration = days(30),
            /// Connections at once.
            connections: u32 = 4096,
            /// Connections from one address at once; proxies that the operator names may have all.
            connections_per_address: u32 = 1024,
            /// How long a connection may say nothing at first.
            connection_silence: Duration = seconds(10),
            /// Failed authentications of one address in a minute.
            failed_authentications: u32 = 600,
            /// Packages of one token that are checked at once.
            package_checks: u32 = 2,
            /// Units of work that a package may take to be checked in all configurations that it offers. The largest title that
            /// comes with the referee takes about a third of the default.
            package_work: u32 = 500_000_000,
            /// Records of one token that are imported at once.
            record_imports: u32 = 2,
            /// MiB of memory that a process may take which tries a stranger's package.
            sandbox_mib: u32 = 1024,
            /// Processor time that it may take, in whole seconds.
            sandbox_time: Duration = seconds(120),
            /// Calls of one token in a second, on average; as many at once. Methods that need no token may be called so often from
            /// one address.
            calls_per_second: u32 = 2000,
            /// Streams of `WatchLobbies` at once; those from one address have a sixteenth of them.
            lobby_watchers: u32 = 1024,
            /// Matches that one stream of `WatchMyMatches` tells of.
            matches_per_stream: u32 = 64,
            /// Streams of `WatchMyMatches` of one player at once.
            streams_per_player: u32 = 16,
            /// How old a connection may be that takes new calls.
            connection_age: Duration = days(1),
            /// How long calls under way have then.
            connection_grace: Duration = seconds(60),
            /// Moves that spectators may be behind the table.
            spectator_delay_moves: u32 = 1000,
            /// How far behind the table spectators may be, in time.
            spectator_delay_time: Duration = days(1),
            /// How long a lobby waits in which nothing happens, before it ends.
            lobby_idle: Duration = days(30),
            /// How long after the end of a match its requests are remembered.
            request_memory: Duration = days(1),
            /// Moves in one request.
            moves_per_request: u32 = 16,
            /// How long a read waits for what its `at_least` stands for.
            at_least_wait: Duration = seconds(2),
            /// Channels of one ruleset, beside `stable`.
            channels_per_ruleset: u32 = 16,
            /// Bytes of what is made of a ruleset.
            artifact_bytes: u32 = 16 << 20,
            /// Bytes of such things that are remembered.
            artifact_cache_bytes: u32 = 64 << 20,
            /// MiB of resident memory, above which nothing more is taken into memory; idle matches make room.
            memory_mib: u32 = $crate::memory::sensible_mib(),
        }
    };
}
every_limit!(limits);

impl Limits {
    /// The size of a page that a request asks for: zero is the default, too much is the most.
    /// None if it is negative.
    pub fn page(&self, asked: i32) -> Option<usize> {
        match u32::try_from(asked).ok()? {
            0 => Some(to_usize(self.default_page_size)),
            n => Some(to_usize(n.min(self.max_page_size))),
        }
    }
}
