//! Who starts and stops a referee: told when it serves and when it stops, heard when it shall stop.

/// Tells a supervisor that asked to be told, as systemd does (sd_notify(3)).
pub fn tell(state: &str) {
    #[cfg(unix)]
    if let Some(socket) = std::env::var_os("NOTIFY_SOCKET") {
        let told = notified(&socket, state);
        if let Err(error) = told {
            tracing::warn!(%error, state, "the supervisor could not be told");
        }
    }
    #[cfg(not(unix))]
    let _ = state;
}

#[cfg(unix)]
fn notified(socket: &std::ffi::OsStr, state: &str) -> std::io::Result<()> {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::net::{SocketAddr, UnixDatagram};
    let address = match socket.as_bytes() {
        #[cfg(target_os = "linux")]
        [b'@', name @ ..] => {
            <SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(name)?
        }
        _ => SocketAddr::from_pathname(socket)?,
    };
    UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address)?;
    Ok(())
}

/// Interruptions of this process. From its making on they end [`came`](Self::came) and not the process.
pub struct Interruption {
    #[cfg(unix)]
    signals: [tokio::signal::unix::Signal; 2],
}

impl Interruption {
    #[cfg(unix)]
    pub fn expect() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let signals = [
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
        ];
        Ok(Interruption { signals })
    }

    #[cfg(unix)]
    pub async fn came(mut self) -> std::io::Result<()> {
        let [interrupt, terminate] = &mut self.signals;
        tokio::select! {
            _ = interrupt.recv() => Ok(()),
            _ = terminate.recv() => Ok(()),
        }
    }

    #[cfg(not(unix))]
    pub fn expect() -> std::io::Result<Self> {
        Ok(Interruption {})
    }

    #[cfg(not(unix))]
    pub async fn came(self) -> std::io::Result<()> {
        tokio::signal::ctrl_c().await
    }
}
