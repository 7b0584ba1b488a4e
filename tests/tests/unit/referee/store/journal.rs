//! Tests of the module `store::journal`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use referee::store::conformance::{append_to, new_match};
use referee::store::faults::{Faulty, Moment, Operation};
use referee::store::memory::Memory;
use referee::store::{Appended, Journal, Store, StoreError};
use referee::threads::Threads;

/// Counts transactions and makes each slow, as a disk does.
fn slow(transactions: Arc<AtomicUsize>) -> Arc<dyn Store> {
    Arc::new(Faulty::new(Memory::default(), move |operation, moment| {
        if (operation, moment) == (Operation::Append, Moment::Before) {
            transactions.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }))
}

#[tokio::test]
async fn what_waits_is_committed_together() {
    let transactions = Arc::new(AtomicUsize::new(0));
    let journal = Journal::start(slow(transactions.clone()), &Threads::of_tokio()).unwrap();
    let mut tasks = Vec::new();
    for _ in 0..64 {
        let journal = journal.clone();
        tasks.push(tokio::spawn(
            async move { journal.append(new_match().0).await },
        ));
    }
    for task in tasks {
        assert_eq!(task.await.unwrap(), Ok(Appended::Done));
    }
    let transactions = transactions.load(Ordering::SeqCst);
    assert!(
        transactions < 32,
        "64 appends took {transactions} transactions"
    );
}

#[tokio::test]
async fn an_append_outlives_its_caller() {
    // The disk takes as long as it is told to.
    let (go_on, told) = std::sync::mpsc::channel();
    let told = std::sync::Mutex::new(told);
    let store = Faulty::new(Memory::default(), move |operation, moment| {
        if (operation, moment) == (Operation::Append, Moment::Before) {
            let told = told.lock().expect("nobody panicked");
            told.recv().expect("somebody tells it");
        }
        Ok(())
    });
    let store: Arc<dyn Store> = Arc::new(store);
    let journal = Journal::start(store.clone(), &Threads::of_tokio()).unwrap();
    let (create, id) = new_match();
    go_on.send(()).unwrap();
    journal.append(create).await.unwrap();
    let cut = tokio::time::timeout(
        Duration::from_millis(1),
        journal.append(append_to(&id, 1, &[b"kept"])),
    )
    .await;
    assert!(cut.is_err(), "the caller has gone away");
    drop(journal);
    go_on.send(()).unwrap();
    for _ in 0..200 {
        if store.read(&id, 1, 9).unwrap().len() == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the append was lost");
}

#[tokio::test]
async fn a_commit_that_takes_too_long_is_told_until_it_is_over() {
    let (go_on, told) = std::sync::mpsc::channel();
    let told = std::sync::Mutex::new(told);
    let store = Faulty::new(Memory::default(), move |operation, moment| {
        if (operation, moment) == (Operation::Probe, Moment::Before) {
            let told = told.lock().expect("nobody panicked");
            told.recv().expect("somebody tells it");
        }
        Ok(())
    });
    let journal = Journal::start(Arc::new(store), &Threads::of_tokio()).unwrap();
    let mut condition = journal.condition();
    let late = journal.probe_within(Duration::from_millis(20)).await;
    assert!(late.is_err() && condition.borrow_and_update().is_err());
    go_on.send(()).unwrap();
    condition.wait_for(Result::is_ok).await.expect("it is over");
}

#[tokio::test]
async fn an_append_that_takes_long_is_noticed_without_anybody_trying() {
    let (go_on, told) = std::sync::mpsc::channel();
    let told = std::sync::Mutex::new(told);
    let store = Faulty::new(Memory::default(), move |operation, moment| {
        if (operation, moment) == (Operation::Append, Moment::Before) {
            let told = told.lock().expect("nobody panicked");
            told.recv().expect("somebody tells it");
        }
        Ok(())
    });
    let journal = Journal::start(Arc::new(store), &Threads::of_tokio()).unwrap();
    let long = Duration::from_millis(50);
    let idle = tokio::time::timeout(4 * long, journal.slow(long)).await;
    assert!(idle.is_err(), "nothing is under way");
    let (asked, append) = (journal.clone(), new_match().0);
    let append = tokio::spawn(async move { asked.append(append).await });
    let began = Instant::now();
    journal.slow(long).await;
    assert!(began.elapsed() >= long);
    go_on.send(()).unwrap();
    assert_eq!(append.await.unwrap(), Ok(Appended::Done));
    let over = tokio::time::timeout(4 * long, journal.slow(long)).await;
    assert!(over.is_err(), "it is over");
}

#[tokio::test]
async fn a_failed_group_is_answered_and_the_writer_goes_on() {
    let calls = AtomicUsize::new(0);
    let store = Faulty::new(Memory::default(), move |operation, _| {
        let first = operation == Operation::Append && calls.fetch_add(1, Ordering::SeqCst) == 0;
        if first {
            Err(StoreError::Engine("the disk is full".into()))
        } else {
            Ok(())
        }
    });
    let journal = Journal::start(Arc::new(store), &Threads::of_tokio()).unwrap();
    let (create, _) = new_match();
    assert!(matches!(
        journal.append(create.clone()).await,
        Err(StoreError::Engine(_))
    ));
    assert_eq!(journal.append(create).await, Ok(Appended::Done));
    let counted = journal.outcomes().all();
    let counted: Vec<_> = counted.filter(|(_, count)| *count > 0).collect();
    assert_eq!(counted, [("done", 1), ("failed", 1)]);
}
