//! `referee review --web`: asks on a page, in a browser on this machine, what is otherwise asked in the terminal.
//!
//! In: requests at a port of this machine, which [`doors`] let in or not. Out: pages ([`list`], [`thing`]), and `review.yaml`
//! with one more acceptance, written as the terminal writes it. Nothing else is served, nobody else is called, and it ends
//! with Ctrl-C or with `Done` on the page. Begin at [`run`], and of what is answered at [`room`].

pub mod doors;
pub mod form;
mod list;
mod looked;
mod page;
mod room;
mod serving;
mod thing;
mod view;
mod words;

use std::net::Ipv4Addr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::doors::Doors;
use self::looked::Unreadable;
use self::room::Room;
use super::asked::Through;
use super::folder::{Desk, tell_of_signatures};
use crate::cli::out::{Ink, Out};
use crate::cli::outcome::{Exit, Failure};
use referee_report::printed::Sentence;
use referee_report::prose::counted;

/// Bytes of stack: rules are read as deep as they are nested.
const STACK: usize = 8 << 20;

/// Serves the page until it is done with, and tells what came of it.
///
/// # Errors
///
/// When nothing can be written there, or nothing can listen.
pub fn run(
    args: &Through,
    desks: &[Desk],
    text: Option<Vec<Sentence>>,
    out: &mut Out<'_>,
) -> Result<Exit, Failure> {
    // Nobody reads all of it to learn that nothing can be written.
    for desk in desks {
        desk.writable()?;
    }
    let surroundings = |error: std::io::Error| Failure::Internal(error.to_string());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_stack_size(STACK)
        .enable_all()
        .build()
        .map_err(surroundings)?;
    let port = args.port.unwrap_or(0);
    let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, port)));
    let listener = listener.map_err(|error| {
        Failure::Usage(format!(
            "nothing can listen at port {port} of this machine: {error}; without --port a free one is taken"
        ))
    })?;
    let address = listener.local_addr().map_err(surroundings)?;
    let (doors, secret) = Doors::made(address).map_err(surroundings)?;
    let stop = CancellationToken::new();
    let room = Arc::new(Room::new(
        args.clone(),
        text.unwrap_or_default(),
        stop.clone(),
    ));
    let link = out.paint(Ink::Good, format!("http://{address}/{secret}/"));
    writeln!(out.data, "{link}")?;
    out.data.flush()?;
    out.note(
        "open this in a browser on this machine; whoever has it can accept, so give it to nobody",
    );
    out.note("`Done` on the page ends it, and so does Ctrl-C");
    let served = serving::serve(listener, Arc::new(doors), room.clone(), stop);
    runtime.block_on(served).map_err(surroundings)?;

    let (done, open) = room.end();
    let accepted = counted(done.accepted.len(), "thing");
    let exit = match open {
        Ok(open) => {
            writeln!(out.data, "{accepted} accepted, {open} open")?;
            if open == 0 { Exit::Clean } else { Exit::Bad }
        }
        Err(Unreadable::Folder(why)) => return Err(Failure::Usage(why)),
        Err(Unreadable::Mistakes(told)) => {
            writeln!(out.data, "{accepted} accepted")?;
            let _ = write!(out.notes, "{told}");
            Exit::Bad
        }
    };
    for path in done.signatures {
        tell_of_signatures(&path, out);
    }
    Ok(exit)
}
