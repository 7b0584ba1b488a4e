//! Tests of the module `threads`.

use referee::threads::{Job, Stopped, Threads};

#[tokio::test]
async fn work_is_done_or_says_why_not() {
    let apart = |job: Job| drop(tokio::spawn(async { job()() }));
    for threads in [Threads::of_tokio(), Threads::own(1, apart)] {
        assert_eq!(threads.run(|| 7).await.expect("it is done"), 7);
        let stopped = threads.run(|| panic!("on purpose")).await;
        let why: Result<(), Stopped> = stopped;
        assert!(why.is_err());
        assert_eq!(threads.run(|| 8).await.expect("others are done"), 8);
    }
    let gone = Threads::own(1, drop).run(|| 7).await;
    assert!(gone.is_err(), "nobody does it");
    let untold = Threads::own(1, |job| drop(tokio::spawn(async { drop(job()) })));
    let gone = untold.run(|| 7).await;
    assert!(gone.is_err(), "nobody says that it is done");
}
