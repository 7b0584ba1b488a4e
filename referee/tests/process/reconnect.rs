//! A client whose referee is gone between a question and its answer.

use std::net::TcpListener;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use super::serving::{Server, table};
use referee::client::{Chooser, Chooses, SeatClient};
use referee::wire::v1;

/// Longer than the five seconds for which a client repeats a request.
const AWAY: Duration = Duration::from_millis(5500);

/// Says when it is asked for the first time, and answers when it is told to: nothing will have happened since.
struct Slow {
    player: Chooser,
    asked: u32,
    say: SyncSender<()>,
    told: Receiver<()>,
}

impl Chooses for Slow {
    fn choose(&mut self, decision: &v1::Decision, offers: &[v1::Offer]) -> v1::Move {
        self.asked += 1;
        if self.asked == 1 {
            self.say.send(()).expect("the test listens");
            self.told.recv().expect("the test says when");
        }
        self.player.choose(decision, offers)
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow"]
async fn a_question_that_waits_is_answered_after_a_reconnection() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("store.sqlite");
    let port = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = port.local_addr().expect("an address").to_string();
    drop(port);
    let again = || Server::start_at(&store, &address);
    let first = again();
    let client = first.client().await;
    let host = client.with_token(&first.host);
    let created = table::create(&host, "puerto-rico", 3, None).await;
    let created = created.expect("a match");
    let name = table::name(&created);
    table::bots(&host, &name, [2, 3]).await;
    let token = table::claim(&client, &created, 1, "slow").await;
    table::start(&host, &name).await;

    let (say, said) = sync_channel(1);
    let (tell, told) = sync_channel(1);
    let seat = SeatClient::new(client.with_token(&token), name);
    let playing = tokio::spawn(async move {
        let mut slow = Slow {
            player: Chooser::new(1),
            asked: 0,
            say,
            told,
        };
        seat.play_out(&mut slow).await
    });
    said.recv().expect("it is asked");
    drop(first);
    tell.send(()).expect("it waits");
    tokio::time::sleep(AWAY).await;
    let second = again();
    let outcome = tokio::time::timeout(Duration::from_secs(60), playing).await;
    let outcome = outcome.expect("it goes on").expect("no panic");
    assert!(!outcome.expect("the match ends").scores.is_empty());
    drop(second);
}
