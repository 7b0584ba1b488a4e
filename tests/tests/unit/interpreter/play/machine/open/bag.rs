use interpreter::play::TroubleKind;
use interpreter::play::machine::open::BagDomain;

fn listed_bags(domain: &BagDomain) -> Vec<Vec<u32>> {
    let mut all = vec![vec![]];
    for a in &domain.available {
        all = all
            .into_iter()
            .flat_map(|c| (0..=*a).map(move |n| [c.clone(), vec![n]].concat()))
            .collect();
    }
    all.retain(|c| domain.contains(c));
    all
}

#[test]
fn counts_beyond_counting_are_no_choice() {
    let domain = |available, loose_beyond| BagDomain::new(available, 0..=6, loose_beyond, None);
    let most = u32::MAX;
    for loose_beyond in [None, Some((1, 1))] {
        let few = domain(vec![3, 4], loose_beyond);
        assert!(!few.contains(&[most, most]));
        // Of what is endless.
        let endless = domain(vec![most, most], loose_beyond);
        assert!(!endless.contains(&[most, most]));
        assert!(endless.contains(&[1, 1]));
        let mut seen = 0;
        endless
            .each_choice(&mut |_| {
                seen += 1;
                seen == 10
            })
            .unwrap();
        assert_eq!(seen, 10);
    }
}

#[test]
fn what_takes_too_much_to_count_is_refused_at_once() {
    let most = u32::MAX;
    for (available, least, loose_beyond, kinds) in [
        (vec![most], 0, None, None),
        (vec![1 << 31, 1 << 31], 0, None, Some(1)),
        (vec![most], 1 << 31, Some((most, 2)), None),
        (vec![100, 100, 100, 100], 0, Some((400, 1)), None),
    ] {
        let domain = BagDomain::new(available, least..=most, loose_beyond, kinds);
        assert_eq!(domain.count(), Err(TroubleKind::TooManyChoices));
        assert!(domain.pick(0, &mut [0; 4]).is_err());
    }
    // Few choices of many pieces.
    let domain = BagDomain::new(vec![most, 2], most..=most, Some((most, 2)), None);
    assert_eq!(domain.count(), Ok(3));
}

#[test]
fn bags_are_counted_as_they_are_listed() {
    for loose_beyond in [None, Some((1, 0)), Some((1, 1)), Some((4, 2)), Some((0, 3))] {
        for kinds in [None, Some(2)] {
            let domain = BagDomain::new(vec![3, 0, 2, 4, 1], 0..=6, loose_beyond, kinds);
            let listed = listed_bags(&domain);
            assert_eq!(domain.count(), Ok(listed.len() as u128));
            let picked = (0..listed.len() as u128).map(|index| {
                let mut counts = vec![-1; domain.available.len()];
                domain.pick(index, &mut counts).unwrap();
                counts.into_iter().map(|n| n as u32).collect::<Vec<_>>()
            });
            let mut picked: Vec<_> = picked.collect();
            picked.sort();
            picked.dedup();
            assert_eq!(picked.len(), listed.len());
            assert!(picked.iter().all(|p| listed.contains(p)));
            let in_order = |domain: &BagDomain| {
                let mut all = Vec::new();
                domain
                    .each_choice(&mut |counts| {
                        all.push(counts.to_vec());
                        false
                    })
                    .unwrap();
                all
            };
            let simplified = domain.clone().simplified();
            assert_eq!(in_order(&simplified), in_order(&domain));
            assert_eq!(simplified.count(), domain.count());
        }
    }
}
