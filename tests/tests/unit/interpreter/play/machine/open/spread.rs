use interpreter::play::TroubleKind;
use interpreter::play::machine::open::{Misplaced, SpreadDomain};

fn picked(domain: &SpreadDomain) -> Vec<Vec<u32>> {
    let indices = 0..domain.count().expect("not too many plans");
    let plans = indices.map(|index| {
        let mut plan = vec![-1; domain.rooms.len() * domain.pieces.len()];
        domain.pick(index, &mut plan).expect("not too many plans");
        plan.into_iter().map(|n| n as u32).collect()
    });
    plans.collect()
}

#[test]
fn counts_beyond_counting_are_no_plan() {
    let domain = SpreadDomain::new(vec![2], vec![u32::MAX, u32::MAX]);
    assert!(!domain.contains(&[u32::MAX, 3]));
    assert!(domain.contains(&[1, 1]));
}

#[test]
fn what_is_wrong_with_a_plan_is_told_with_its_number() {
    // Two rows over two places that hold one and two.
    let domain = SpreadDomain::new(vec![2, 1], vec![1, 2]);
    for (plan, wrong) in [
        ([1, 0, 1, 1], None),
        ([1, 0, 0, 2], Some(Misplaced::Row { row: 1, asked: 2 })),
        ([1, 1, 1, 0], Some(Misplaced::Place { place: 0, asked: 2 })),
        ([0, 0, 2, 0], Some(Misplaced::Left { placed: 2, due: 3 })),
    ] {
        assert_eq!(domain.misplaced(&plan), wrong, "{plan:?}");
    }
    // What does not fit is left.
    let crowded = SpreadDomain::new(vec![5], vec![1, 2]);
    assert_eq!(crowded.misplaced(&[1, 2]), None);
    let left = Misplaced::Left { placed: 2, due: 3 };
    assert_eq!(crowded.misplaced(&[0, 2]), Some(left));
}

#[test]
fn what_takes_too_much_to_count_is_refused_at_once() {
    let most = u32::MAX;
    for (pieces, rooms) in [
        (vec![most], vec![1, 2]),
        (vec![1 << 31, 1 << 31, 0], vec![most]),
        (vec![100; 4], vec![1]),
        (vec![1 << 20], vec![1 << 20; 2]),
        (vec![3; 9], vec![9; 9]),
    ] {
        let domain = SpreadDomain::new(pieces, rooms);
        assert_eq!(domain.count(), Err(TroubleKind::TooManyChoices));
        assert!(domain.pick(0, &mut [0; 81]).is_err());
    }
}

#[test]
fn spreads_are_counted_as_they_are_picked() {
    for (pieces, rooms) in [
        (vec![3], vec![1, 2, 0, 3]),
        (vec![9], vec![1, 2, 3]),
        (vec![2, 3], vec![1, 1, 2, 3]),
        (vec![4, 2], vec![1, 2]),
        (vec![0, 3, 0], vec![2, 1, 0, 2]),
        (vec![0, 7], vec![2, 1, 0, 2]),
        (vec![0, 0], vec![2, 1]),
        (vec![2, 1, 2], vec![1, 2, 3]),
        (vec![3, 0, 2, 2], vec![2, 1, 2]),
        (vec![2, 2], vec![]),
        (vec![2, 1], vec![u32::MAX, 1, u32::MAX]),
    ] {
        let domain = SpreadDomain::new(pieces, rooms);
        let mut plans = picked(&domain);
        assert!(plans.iter().all(|p| domain.contains(p)), "{domain:?}");
        let all = plans.len();
        plans.sort();
        plans.dedup();
        assert_eq!(plans.len(), all, "no plan twice");
        // Every complete plan is among them: count by brute force.
        let cells = domain.rooms.len() * domain.pieces.len();
        let most = domain.pieces.iter().copied().fold(0, u32::saturating_add);
        let mut brute = vec![vec![]];
        for i in 0..cells {
            let most = most.min(domain.rooms[i / domain.pieces.len()]);
            brute = brute
                .into_iter()
                .flat_map(|c| (0..=most).map(move |n| [c.clone(), vec![n]].concat()))
                .collect();
        }
        brute.retain(|p| domain.contains(p));
        assert_eq!(brute.len(), all);
    }
}

/// More ways than 64 bits can tell: of 80 places that hold one piece each, which 40 get one.
#[test]
fn many_ways_are_counted_too() {
    let domain = SpreadDomain::new(vec![40], vec![1; 80]);
    let binomial = (1..=40u128).fold(1, |ways, k| ways * (40 + k) / k);
    assert_eq!(domain.count(), Ok(binomial));
    let mut plan = vec![0; 80];
    for (index, first) in [(0, 0), (binomial - 1, 1)] {
        domain.pick(index, &mut plan).unwrap();
        assert_eq!(plan.iter().sum::<i64>(), 40);
        assert_eq!(plan[0], first);
    }
}
