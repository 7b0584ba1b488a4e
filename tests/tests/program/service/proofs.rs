//! Proofs: what the record of a match is so far, without what is in it.

use referee::client::{Chooser, Client};
use referee::wire::v1::{self, ProposalKind};
use ring::signature::{ED25519, UnparsedPublicKey};
use tonic::Status;

use super::records::{export, resealed, script};
use super::world::{World, expect};

async fn prove(client: &Client, name: &str) -> Result<v1::Proof, Status> {
    let asked = v1::GetProofRequest { name: name.into() };
    let proved = client.call(asked).await?;
    Ok(proved.proof.expect("a proof"))
}

/// What the contract says that is signed.
fn told(proof: &v1::Proof) -> Vec<u8> {
    let id = proof.name.strip_prefix("matches/").expect("a name");
    [
        b"referee/proof/v1\n",
        id.as_bytes(),
        b"\n",
        &proof.entries.to_le_bytes(),
        &proof.head,
        &proof.seed_commitment,
        &proof.committed_digest,
    ]
    .concat()
}

#[tokio::test]
async fn a_proof_is_signed_binds_what_was_and_tells_nothing_of_it() {
    let world = World::new().await;
    let (table, _) = world.table(3, 7).await;
    table.play(4, &mut Chooser::new(1)).await;
    let proof = prove(&table.host, &table.name).await.expect("a proof");
    let again = prove(&world.admin(), &table.name).await.expect("the same");
    assert_eq!(proof, again);
    let seen = table.get().await;
    assert_eq!(
        (&proof.seed_commitment, &proof.committed_digest),
        (&seen.seed_commitment, &seen.committed_digest)
    );
    let info = world.client().call(v1::GetServerInfoRequest {}).await;
    assert_eq!(proof.key, info.expect("it").record_key);
    let key = UnparsedPublicKey::new(&ED25519, &proof.key);
    key.verify(&told(&proof), &proof.signature).expect("signed");
    let other = v1::Proof {
        entries: proof.entries + 1,
        ..proof.clone()
    };
    key.verify(&told(&other), &proof.signature)
        .expect_err("of these entries only");

    // How many entries there are tells who has answered: seats have to wait, and so have those who look on.
    let early = prove(table.seats[0].client(), &table.name).await;
    expect(early, "RECORD_SEALED");
    table.play(3, &mut Chooser::new(1)).await;
    let later = prove(&table.host, &table.name).await.expect("a proof");
    assert!(later.entries > proof.entries && later.head != proof.head);
    table.agree(ProposalKind::Draw, 0).await;
    let last = prove(table.seats[0].client(), &table.name).await;
    assert!(last.expect("it is over").entries > later.entries);

    // Whoever noted a proof finds it in the record.
    let record = export(&table.host, &table.name).await.expect("a record");
    let folder = tempfile::tempdir().expect("a folder");
    let noted = |name: &str, proof: &v1::Proof| {
        let path = folder.path().join(name);
        let json = referee_tests::json::of("Proof", proof);
        std::fs::write(&path, json.to_string()).expect("writable");
        path.to_str().expect("text").to_owned()
    };
    let path = noted("proof.json", &proof);
    let words = ["--proof", path.as_str()];
    let Some((good, said)) = script(&record, &words) else {
        return;
    };
    assert!(good && said.contains("goes on from the proof"), "{said}");
    let chain: String = proof.head.iter().map(|b| format!("{b:02x}")).collect();
    let bent = resealed(&record, &chain, &"0".repeat(64));
    let (good, said) = script(&bent, &words).expect("Python is there");
    assert!(!good && said.contains("is not tied to"), "{said}");
    for (name, wrong, why) in [
        ("unsigned", other, "is not signed"),
        (
            "elsewhere",
            v1::Proof {
                head: later.head.clone(),
                ..proof.clone()
            },
            "is not signed",
        ),
    ] {
        let path = noted(name, &wrong);
        let (good, said) = script(&record, &["--proof", path.as_str()]).expect("Python");
        assert!(!good && said.contains(why), "{said}");
    }
    // A proof of another match, however well signed.
    let (other, _) = world.table(3, 8).await;
    let other = prove(&other.host, &other.name).await.expect("a proof");
    let path = noted("other.json", &other);
    let (good, said) = script(&record, &["--proof", path.as_str()]).expect("Python");
    assert!(!good && said.contains("of another match"), "{said}");
}
