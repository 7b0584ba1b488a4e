//! Every limit of the referee: finite, named, and told to clients by `GetServerInfo`.

use std::time::Duration;

use crate::numbers::to_usize;
use interpreter::diagnostic::did_you_mean;

/// The limits. What a client can hit is answered `INVALID_ARGUMENT` or `RESOURCE_EXHAUSTED`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request.
    pub request_bytes: u32,
    /// Bytes of a response.
    pub response_bytes: u32,
    /// Items of a page when a request does not say.
    pub default_page: u32,
    /// Items of a page at most.
    pub max_page: u32,
    /// Events in one message of a stream.
    pub event_batch: u32,
    /// Messages of a stream that wait for a slow reader.
    pub stream_queue: u32,
    /// How long a full queue waits for its reader before the stream is ended.
    pub stream_stall: Duration,
    /// Longest time between two messages of a stream.
    pub heartbeat: Duration,
    /// How long nothing was written until it is tried whether anything can be.
    pub store_probe: Duration,
    /// Longest time of a unary call.
    pub call: Duration,
    /// Streams and calls at once on one connection.
    pub streams_per_connection: u32,
    /// Streams that watch one match at once. Spectators have half of them at most.
    pub watchers_per_match: u32,
    /// Streams of one seat that watch its match at once.
    pub watchers_per_seat: u32,
    /// Matches held in memory at once; idle ones make room.
    pub open_matches: u32,
    /// Moves of one match.
    pub moves_per_match: u32,
    /// Characters of a display name.
    pub display_name_chars: u32,
    /// Bytes of a request that brings a package or a record.
    pub upload_bytes: u32,
    /// Files of a package.
    pub package_files: u32,
    /// Bytes of one file of a package.
    pub package_file_bytes: u32,
    /// Diagnostics in one response.
    pub diagnostics: u32,
    /// Proposals of one seat in its match; those to take moves back count that were refused.
    pub proposals_per_seat: u32,
    /// Seconds for a question at most, where a match has a clock.
    pub question_seconds: u32,
    /// Connections at once.
    pub connections: u32,
    /// Connections from one address at once; proxies that the operator names may have all.
    pub connections_per_address: u32,
    /// How long a connection may say nothing at first.
    pub silence: Duration,
    /// Failed authentications in a minute, for all callers together.
    pub failed_authentications: u32,
    /// Packages of one token that are checked at once.
    pub package_checks: u32,
    /// Records of one token that are imported at once.
    pub record_imports: u32,
    /// MiB of memory that a process may take which tries a stranger's package.
    pub sandbox_mib: u32,
    /// Seconds of processor time that it may take.
    pub sandbox_seconds: u32,
    /// Calls of one token in a second, on average; as many at once. Methods that need no token may be called so often from
    /// one address.
    pub calls_per_second: u32,
    /// Seconds after which a connection takes no new calls.
    pub connection_age_seconds: u32,
    /// Seconds that calls under way have then.
    pub connection_grace_seconds: u32,
    /// Moves that spectators may be behind the table.
    pub spectator_delay_moves: u32,
    /// Seconds that spectators may be behind the table.
    pub spectator_delay_seconds: u32,
    /// Days after which a lobby ends in which nothing happens.
    pub lobby_days: u32,
    /// Hours after the end of a match for which its requests are remembered.
    pub request_hours: u32,
    /// Moves in one request.
    pub moves_per_request: u32,
    /// How long a read waits for what its `at_least` stands for.
    pub at_least: Duration,
    /// Channels of one ruleset, beside `stable`.
    pub channels_per_ruleset: u32,
    /// Bytes of what is made of a ruleset.
    pub artifact_bytes: u32,
    /// Bytes of such things that are remembered.
    pub artifact_cache_bytes: u32,
    /// MiB of resident memory, above which nothing more is taken into memory; idle matches make room.
    pub memory_mib: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            request_bytes: 64 << 10,
            response_bytes: 4 << 20,
            default_page: 50,
            max_page: 1000,
            event_batch: 256,
            stream_queue: 16,
            stream_stall: Duration::from_secs(10),
            heartbeat: Duration::from_secs(10),
            store_probe: Duration::from_secs(10),
            call: Duration::from_secs(10),
            streams_per_connection: 256,
            watchers_per_match: 64,
            watchers_per_seat: 6,
            open_matches: 4096,
            moves_per_match: 100_000,
            display_name_chars: 64,
            upload_bytes: 4 << 20,
            package_files: 512,
            package_file_bytes: 256 << 10,
            diagnostics: 200,
            proposals_per_seat: 200,
            question_seconds: 30 * 24 * 3600,
            connections: 4096,
            connections_per_address: 1024,
            silence: Duration::from_secs(10),
            failed_authentications: 600,
            package_checks: 2,
            record_imports: 2,
            sandbox_mib: 1024,
            sandbox_seconds: 120,
            calls_per_second: 2000,
            connection_age_seconds: 24 * 3600,
            connection_grace_seconds: 60,
            spectator_delay_moves: 1000,
            spectator_delay_seconds: 24 * 3600,
            lobby_days: 30,
            request_hours: 24,
            moves_per_request: 16,
            at_least: Duration::from_secs(2),
            channels_per_ruleset: 16,
            artifact_bytes: 16 << 20,
            artifact_cache_bytes: 64 << 20,
            memory_mib: crate::memory::sensible_mib(),
        }
    }
}

/// Limits that an operator may set, by the names that `GetServerInfo` and this file give them.
macro_rules! settable {
    ($($name:ident),* $(,)?) => {
        impl Limits {
            /// Names of the limits that can be set.
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            /// Every limit that can be set, as it is.
            pub fn all(&self) -> impl Iterator<Item = (&'static str, u32)> {
                [$((stringify!($name), self.$name)),*].into_iter()
            }

            /// Sets a limit.
            ///
            /// # Errors
            ///
            /// Says what is wrong with the name or the number.
            pub fn set(&mut self, name: &str, value: u32) -> Result<(), String> {
                if value == 0 {
                    return Err(format!("the limit `{name}` must be at least 1"));
                }
                match name {
                    $(stringify!($name) => self.$name = value,)*
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

settable!(
    request_bytes,
    response_bytes,
    default_page,
    max_page,
    event_batch,
    stream_queue,
    streams_per_connection,
    watchers_per_match,
    watchers_per_seat,
    open_matches,
    moves_per_match,
    display_name_chars,
    upload_bytes,
    package_files,
    package_file_bytes,
    diagnostics,
    proposals_per_seat,
    question_seconds,
    connections,
    connections_per_address,
    failed_authentications,
    package_checks,
    record_imports,
    sandbox_mib,
    sandbox_seconds,
    calls_per_second,
    connection_age_seconds,
    connection_grace_seconds,
    spectator_delay_moves,
    spectator_delay_seconds,
    lobby_days,
    request_hours,
    moves_per_request,
    channels_per_ruleset,
    artifact_bytes,
    artifact_cache_bytes,
    memory_mib,
);

impl Limits {
    /// The size of a page that a request asks for: zero is the default, too much is the most.
    /// None if it is negative.
    pub fn page(&self, asked: i32) -> Option<usize> {
        match u32::try_from(asked).ok()? {
            0 => Some(to_usize(self.default_page)),
            n => Some(to_usize(n.min(self.max_page))),
        }
    }
}
