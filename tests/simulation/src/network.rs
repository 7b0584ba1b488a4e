//! A network of bytes between clients and the referee.
//!
//! What is written on one side arrives on the other in order, some milliseconds later. Now and then something is lost on
//! the way: then the connection breaks, as connections do, and neither side knows how much the other has read. When the
//! referee's machine is gone, so are its connections.

use std::collections::VecDeque;
use std::io::{Error, ErrorKind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use fastrand::Rng;
use referee::server::{Connection, Connections};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc;
use tokio::time::{Instant, Sleep};

/// Connections that wait to be let in.
const WAITING: usize = 64;

/// The network. Copies are the same one.
#[derive(Clone)]
pub struct Network(Arc<Mutex<State>>);

struct State {
    random: Rng,
    /// Nothing is lost or late.
    calm: bool,
    /// Where connections are let in, if somebody listens.
    listening: Option<mpsc::Sender<Box<dyn Connection>>>,
    cables: Vec<Weak<Mutex<Cable>>>,
    broken: u64,
}

/// Both directions of a connection.
#[derive(Default)]
struct Cable {
    broken: bool,
    ways: [Way; 2],
}

/// What was written in one direction and not yet read.
#[derive(Default)]
struct Way {
    pieces: VecDeque<(Instant, Vec<u8>)>,
    /// Nothing more will come.
    ended: bool,
    reader: Option<Waker>,
}

impl Cable {
    fn wake(&mut self) {
        for way in &mut self.ways {
            if let Some(reader) = way.reader.take() {
                reader.wake();
            }
        }
    }
}

/// One end of a connection.
pub struct End {
    network: Network,
    cable: Arc<Mutex<Cable>>,
    /// The way on which it writes; it reads on the other.
    side: usize,
    sleep: Option<Pin<Box<Sleep>>>,
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Network {
    /// A network on which nobody listens.
    pub fn new(random: Rng) -> Network {
        Network(Arc::new(Mutex::new(State {
            random,
            calm: false,
            listening: None,
            cables: Vec::new(),
            broken: 0,
        })))
    }

    /// Nothing is lost or late from now on, or again some is.
    pub fn set_calm(&self, calm: bool) {
        held(&self.0).calm = calm;
    }

    /// How many connections were broken by loss.
    pub fn broken(&self) -> u64 {
        held(&self.0).broken
    }

    /// A referee listens.
    pub fn listen(&self) -> Connections {
        let (listening, connections) = mpsc::channel(WAITING);
        held(&self.0).listening = Some(listening);
        connections
    }

    /// The referee's machine is gone, with every connection.
    pub fn unplug(&self) {
        let mut state = held(&self.0);
        state.listening = None;
        for cable in state.cables.drain(..) {
            if let Some(cable) = cable.upgrade() {
                let mut cable = held(&cable);
                cable.broken = true;
                cable.wake();
            }
        }
    }

    /// Connects a client.
    ///
    /// # Errors
    ///
    /// When nobody listens.
    pub async fn connect(&self) -> Result<End, Error> {
        let latency = self.latency();
        tokio::time::sleep(latency).await;
        let refused = || Error::from(ErrorKind::ConnectionRefused);
        let cable = Arc::new(Mutex::new(Cable::default()));
        let end = |side| End {
            network: self.clone(),
            cable: cable.clone(),
            side,
            sleep: None,
        };
        let mut state = held(&self.0);
        let listening = state.listening.as_ref().ok_or_else(refused)?;
        listening
            .try_send(Box::new(end(1)))
            .map_err(|_| refused())?;
        state.cables.retain(|cable| cable.strong_count() > 0);
        state.cables.push(Arc::downgrade(&cable));
        drop(state);
        Ok(end(0))
    }

    fn latency(&self) -> Duration {
        let mut state = held(&self.0);
        let late = !state.calm && state.random.u16(0..400) == 0;
        Duration::from_millis(match late {
            true => state.random.u64(50..3000),
            false => state.random.u64(1..4),
        })
    }

    /// Whether what is written now is lost.
    fn loses(&self) -> bool {
        let mut state = held(&self.0);
        let lost = !state.calm && state.random.u16(0..2000) == 0;
        state.broken += u64::from(lost);
        lost
    }
}

impl AsyncRead for End {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<Result<(), Error>> {
        let cable = self.cable.clone();
        let mut cable = held(&cable);
        if cable.broken {
            return Poll::Ready(Err(ErrorKind::ConnectionReset.into()));
        }
        let way = &mut cable.ways[1 - self.side];
        way.reader = Some(cx.waker().clone());
        let now = Instant::now();
        let mut read = false;
        while into.remaining() > 0 {
            let Some((arrives, piece)) = way.pieces.front_mut() else {
                if way.ended {
                    return Poll::Ready(Ok(()));
                }
                break;
            };
            if *arrives > now {
                let arrives = *arrives;
                let sleep = self
                    .sleep
                    .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(arrives)));
                sleep.as_mut().reset(arrives);
                if !read && sleep.as_mut().poll(cx).is_ready() {
                    cx.waker().wake_by_ref();
                }
                break;
            }
            let length = piece.len().min(into.remaining());
            into.put_slice(&piece[..length]);
            read = true;
            if length == piece.len() {
                way.pieces.pop_front();
            } else {
                piece.drain(..length);
            }
        }
        match read || into.remaining() == 0 {
            true => Poll::Ready(Ok(())),
            false => Poll::Pending,
        }
    }
}

impl AsyncWrite for End {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize, Error>> {
        let lost = self.network.loses();
        let latency = self.network.latency();
        let mut cable = held(&self.cable);
        if lost {
            cable.broken = true;
            cable.wake();
        }
        if cable.broken {
            return Poll::Ready(Err(ErrorKind::BrokenPipe.into()));
        }
        let way = &mut cable.ways[self.side];
        let arrives = Instant::now() + latency;
        let last = way.pieces.back().map_or(arrives, |(last, _)| *last);
        way.pieces.push_back((arrives.max(last), bytes.to_vec()));
        if let Some(reader) = way.reader.take() {
            reader.wake();
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let mut cable = held(&self.cable);
        cable.ways[self.side].ended = true;
        cable.wake();
        Poll::Ready(Ok(()))
    }
}

impl Drop for End {
    fn drop(&mut self) {
        let mut cable = held(&self.cable);
        cable.ways[self.side].ended = true;
        cable.wake();
    }
}
