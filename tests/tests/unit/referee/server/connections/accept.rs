//! Tests of the module `server::connections::accept`.

use std::future::poll_fn;
use std::io::{ErrorKind, Read as _};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use referee::limits::Limits;
use referee::server::connections::accept::{Counted, GATHERED, Link, MANY, Room};
use tokio::io::{AsyncReadExt as _, AsyncWrite as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A connection that may be silent for so long at first, and its other end.
async fn connected(silence: Duration) -> (Counted, TcpStream) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let there = TcpStream::connect(listener.local_addr().unwrap());
    let there = there.await.unwrap();
    let (here, _) = listener.accept().await.unwrap();
    let pass = room(1, silence).enter(None).unwrap();
    (Counted::of(Link::Plain(here), None, pass), there)
}

fn room(connections_per_address: u32, silence: Duration) -> Room {
    let limits = Limits {
        connections: 3,
        connections_per_address,
        connection_silence: silence,
        ..Limits::default()
    };
    Room::of(&limits, ["10.0.0.9".parse().unwrap()].into())
}

#[test]
fn nobody_takes_all_the_room_but_a_proxy() {
    let room = room(1, Duration::from_secs(10));
    let from = |text: &str| Some(text.parse().unwrap());
    let one = room.enter(from("10.0.0.1"));
    assert!(one.is_some() && room.enter(from("10.0.0.1")).is_none());
    assert!(room.enter(from("10.0.0.2")).is_some());
    drop(one);
    assert!(room.enter(from("10.0.0.1")).is_some() && !room.has_addresses());
    let all: Vec<_> = (0..4).map(|_| room.enter(from("10.0.0.9"))).collect();
    assert_eq!(all.iter().flatten().count(), 3);
}

#[tokio::test]
async fn whoever_says_nothing_is_shown_out() {
    let (mut here, mut there) = connected(Duration::from_millis(20)).await;
    let mut read = [0; 8];
    let silent = here.read(&mut read).await;
    assert_eq!(silent.unwrap_err().kind(), ErrorKind::TimedOut);
    // Who has said something may be silent.
    let (mut here, mut there_too) = connected(Duration::from_millis(20)).await;
    there_too.write_all(b"PRI").await.unwrap();
    assert_eq!(here.read(&mut read).await.unwrap(), 3);
    let waits = tokio::time::timeout(Duration::from_millis(60), here.read(&mut read));
    assert!(waits.await.is_err());
    let _ = there.shutdown().await;
}

#[tokio::test]
async fn what_is_flushed_goes_out_at_the_next_turn_with_whatever_came_meanwhile() {
    let (mut here, there) = connected(Duration::from_secs(10)).await;
    let mut there = there.into_std().unwrap();
    let mut turns = 0;
    poll_fn(|cx| {
        turns += 1;
        let mut write = |bytes: &[u8]| Pin::new(&mut here).poll_write(cx, bytes);
        match turns {
            1 => assert!(write(b"an answer").is_ready()),
            _ => assert!(write(b", another").is_ready()),
        }
        let flushed = Pin::new(&mut here).poll_flush(cx);
        assert!(matches!(flushed, Poll::Ready(Ok(()))));
        if turns == 1 {
            let early = there.read(&mut [0; 64]).map_err(|error| error.kind());
            assert_eq!(early, Err(ErrorKind::WouldBlock));
            // Nobody else wakes the task.
            return Poll::Pending;
        }
        Poll::Ready(())
    })
    .await;
    let mut read = [0; 64];
    there.set_nonblocking(false).unwrap();
    let length = there.read(&mut read).unwrap();
    assert_eq!(&read[..length], b"an answer, another");
}

#[tokio::test]
async fn whatever_is_written_arrives_in_order_however_much_it_is() {
    let (mut here, mut there) = connected(Duration::from_secs(10)).await;
    let sizes = [
        1,
        5,
        MANY,
        GATHERED - 1,
        GATHERED,
        GATHERED + 1,
        3 * GATHERED,
        7,
    ];
    let sent: Vec<u8> = (0..sizes.iter().sum())
        .map(|n: usize| (n % 251) as u8)
        .collect();
    let expected = sent.clone();
    let writing = tokio::spawn(async move {
        let mut rest = &sent[..];
        for size in sizes {
            let (piece, others) = rest.split_at(size);
            here.write_all(piece).await.unwrap();
            if size % 2 == 0 {
                here.flush().await.unwrap();
            }
            rest = others;
        }
        // What was not flushed goes out before the end.
        here.shutdown().await.unwrap();
        assert_eq!(here.reserved_bytes(), 0);
    });
    let mut read = Vec::new();
    there.read_to_end(&mut read).await.unwrap();
    writing.await.unwrap();
    assert!(read == expected);
}
