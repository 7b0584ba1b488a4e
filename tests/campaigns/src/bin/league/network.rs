//! The network between a referee and its database: it can stall, so that nothing arrives and nobody is told, and be cut.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What becomes of bytes.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    stalled: bool,
    /// How often every connection was cut.
    cuts: u64,
}

/// One way through the network: whatever connects to its port is connected to a server's.
pub struct Line {
    /// The port at this end.
    pub port: u16,
    state: Arc<watch::Sender<State>>,
}

impl Line {
    /// A way to a port on loopback, for as long as the runtime lives.
    ///
    /// # Errors
    ///
    /// When no port is free.
    pub async fn to(server: u16) -> io::Result<Line> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let state = Arc::new(watch::Sender::default());
        let states = state.clone();
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                tokio::spawn(connected(near, server, states.subscribe()));
            }
        });
        Ok(Line { port, state })
    }

    /// Lets nothing through, or all again.
    pub fn stall(&self, stalled: bool) {
        self.state.send_modify(|state| state.stalled = stalled);
    }

    /// Ends every connection.
    pub fn cut(&self) {
        self.state.send_modify(|state| state.cuts += 1);
    }
}

async fn connected(near: TcpStream, server: u16, mut state: watch::Receiver<State>) {
    let cuts = state.borrow().cuts;
    let carried = async {
        // Whoever connects during a stall waits, as everybody does.
        flows(&state).await;
        let far = TcpStream::connect(("127.0.0.1", server)).await?;
        let _ = (near.set_nodelay(true), far.set_nodelay(true));
        let ((near_out, near_in), (far_out, far_in)) = (near.into_split(), far.into_split());
        tokio::select! {
            carried = carry(near_out, far_in, state.clone()) => carried,
            carried = carry(far_out, near_in, state.clone()) => carried,
        }
    };
    let cut = async {
        let _ = state.clone().wait_for(|state| state.cuts > cuts).await;
    };
    tokio::select! {
        // However it ends, the other side sees the connection end.
        _ = carried => {}
        () = cut => {}
    }
    state.mark_unchanged();
}

async fn flows(state: &watch::Receiver<State>) {
    let _ = state.clone().wait_for(|state| !state.stalled).await;
}

async fn carry(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    state: watch::Receiver<State>,
) -> io::Result<()> {
    let mut bytes = vec![0; 16 << 10];
    loop {
        let read = from.read(&mut bytes).await?;
        if read == 0 {
            return Ok(());
        }
        flows(&state).await;
        to.write_all(&bytes[..read]).await?;
    }
}
