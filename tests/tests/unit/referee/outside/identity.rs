//! Tests of the module `outside::identity`.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use referee::outside::identity::{Identity, Provider, Rejected, Signed, kept_as};
use referee::secrets::token_hash;
use referee::store::Store as _;
use referee::store::memory::Memory;
use referee::threads::Threads;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};

const ISSUER: &str = "https://id.example.org";

/// Keys and tokens that another program has made: `openssl dgst -sign`.
fn vectors() -> Value {
    serde_json::from_str(include_str!("vectors/tokens.json")).unwrap()
}

async fn identity(keys: &Value) -> Identity {
    let provider = Provider {
        issuer: ISSUER.into(),
        audience: "referee".into(),
    };
    let store = Arc::new(Memory::default());
    let kept = serde_json::to_vec(keys).unwrap();
    store.learn(&kept_as(&provider), &kept).unwrap();
    let identity = Identity::of(provider, store, Threads::of_tokio()).unwrap();
    // Nobody is asked.
    identity.postpone_fetch().await;
    identity
}

async fn verified(identity: &Identity, token: &str) -> Result<Arc<Signed>, Rejected> {
    identity.verify(&token_hash(token), token).await
}

struct Signer(Ed25519KeyPair);

impl Signer {
    fn new() -> Signer {
        Signer(Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap())
    }

    fn keys(&self) -> Value {
        let x = URL_SAFE_NO_PAD.encode(self.0.public_key());
        json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "own", "use": "sig", "x": x}]})
    }

    fn sign(&self, header: &Value, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(header), part(claims));
        let signature = self.0.sign(message.as_bytes());
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

fn claims() -> Value {
    json!({"iss": ISSUER, "aud": "referee", "sub": "ada", "exp": 4_102_444_800_u64})
}

/// The claims with some of them otherwise; null takes one away.
fn with(changes: &Value) -> Value {
    let mut claims = claims();
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
            value => claims[name] = value.clone(),
        }
    }
    claims
}

#[tokio::test]
async fn tokens_of_every_algorithm_are_verified() {
    let vectors = vectors();
    let identity = identity(&vectors["keys"]).await;
    for (algorithm, token) in vectors["tokens"].as_object().unwrap() {
        let token = token.as_str().unwrap();
        let signed = verified(&identity, token).await.unwrap();
        assert_eq!(signed.label, format!("{ISSUER} ada"), "{algorithm}");
        assert_eq!(signed.expires_ms, (4_102_444_800 + 30) * 1000);
        // Another signature, other claims, the same signature by another algorithm.
        let (message, signature) = token.rsplit_once('.').unwrap();
        let (head, _) = message.split_once('.').unwrap();
        let mut bytes = URL_SAFE_NO_PAD.decode(signature).unwrap();
        bytes[3] ^= 1;
        let bent = format!("{message}.{}", URL_SAFE_NO_PAD.encode(&bytes));
        let eve = with(&json!({"sub": "eve"})).to_string();
        let eve = format!("{head}.{}.{signature}", URL_SAFE_NO_PAD.encode(eve));
        for wrong in [bent, eve, format!("{message}.")] {
            let rejected = verified(&identity, &wrong).await.unwrap_err();
            assert!(matches!(rejected, Rejected::Invalid(_)), "{algorithm}");
        }
    }
}

#[tokio::test]
async fn claims_are_judged() {
    let signer = Signer::new();
    let identity = identity(&signer.keys()).await;
    let header = json!({"alg": "EdDSA", "kid": "own"});
    let good = [
        json!({}),
        json!({"aud": ["referee", "others"]}),
        json!({"nbf": 1}),
        json!({"sub": "a".repeat(255)}),
    ];
    for good in good {
        let token = signer.sign(&header, &with(&good));
        verified(&identity, &token).await.unwrap();
    }
    let now = jsonwebtoken::get_current_timestamp();
    let bad = [
        json!({"iss": "https://id.example.com"}),
        json!({"iss": null}),
        json!({"aud": "others"}),
        json!({"aud": null}),
        json!({"aud": []}),
        json!({"exp": now - 60}),
        json!({"exp": null}),
        json!({"exp": "4102444800"}),
        json!({"exp": -1}),
        json!({"nbf": now + 60}),
        json!({"nbf": "soon"}),
        json!({"sub": ""}),
        json!({"sub": null}),
        json!({"sub": 7}),
        json!({"sub": "a".repeat(256)}),
        json!({"sub": "a\nb"}),
        json!({"sub": "\u{202e}ada"}),
    ];
    for bad in bad {
        let token = signer.sign(&header, &with(&bad));
        let rejected = verified(&identity, &token).await;
        assert!(matches!(rejected, Err(Rejected::Invalid(_))), "{bad}");
    }
}

#[tokio::test]
async fn a_token_chooses_neither_its_algorithm_nor_its_key() {
    let signer = Signer::new();
    let vectors = vectors();
    let mut keys = vectors["keys"].clone();
    let own = signer.keys()["keys"][0].clone();
    keys["keys"].as_array_mut().unwrap().push(own);
    let identity = identity(&keys).await;
    let embedded = signer.keys()["keys"][0].clone();
    for header in [
        json!({"alg": "none", "kid": "own"}),
        json!({"alg": "HS256", "kid": "own"}),
        json!({"alg": "HS256", "kid": "shared"}),
        json!({"alg": "RS256", "kid": "own"}),
        json!({"alg": "ES256", "kid": "own"}),
        json!({"alg": "EdDSA", "kid": "rsa"}),
        json!({"alg": "EdDSA", "kid": "encrypts"}),
        json!({"alg": "EdDSA", "kid": "unknown"}),
        json!({"alg": "EdDSA", "kid": "unknown", "jwk": embedded}),
        // There are several.
        json!({"alg": "EdDSA"}),
        json!({"alg": "EdDSA", "kid": "own", "crit": ["b64"], "b64": false}),
        json!({"alg": "EdDSA", "kid": 7}),
        json!({"kid": "own"}),
    ] {
        let token = signer.sign(&header, &claims());
        let rejected = verified(&identity, &token).await;
        assert!(matches!(rejected, Err(Rejected::Invalid(_))), "{header}");
    }
    for text in ["..", "a.b.c", "\u{fffd}.x.y", "e30.e30.", "e30.e30.e30"] {
        let rejected = verified(&identity, text).await;
        assert!(matches!(rejected, Err(Rejected::Invalid(_))), "{text}");
    }
}

#[tokio::test]
async fn only_identity_and_access_tokens_identify_a_player() {
    let signer = Signer::new();
    let identity = identity(&signer.keys()).await;
    let sign = |typ: Option<&str>, claims: &Value| {
        let mut header = json!({"alg": "EdDSA", "kid": "own"});
        if let Some(typ) = typ {
            header["typ"] = typ.into();
        }
        signer.sign(&header, claims)
    };
    for typ in ["JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt"] {
        let token = sign(Some(typ), &claims());
        verified(&identity, &token).await.expect(typ);
    }
    for typ in [
        "logout+jwt",
        "secevent+jwt",
        "dpop+jwt",
        "application/",
        "",
        "JW",
    ] {
        let token = sign(Some(typ), &claims());
        let rejected = verified(&identity, &token).await.expect_err(typ);
        assert!(matches!(rejected, Rejected::Invalid(_)), "{typ}");
    }
    let logout = json!({"http://schemas.openid.net/event/backchannel-logout": {}});
    for typ in [None, Some("JWT")] {
        let token = sign(typ, &with(&json!({"events": logout})));
        let rejected = verified(&identity, &token)
            .await
            .expect_err("a logout token");
        assert!(matches!(rejected, Rejected::Invalid(_)), "{typ:?}");
    }
}

#[tokio::test]
async fn without_keys_nobody_can_say() {
    let signer = Signer::new();
    let identity = identity(&json!({"keys": []})).await;
    let token = signer.sign(&json!({"alg": "EdDSA", "kid": "own"}), &claims());
    let unknown = verified(&identity, &token).await;
    assert_eq!(unknown, Err(Rejected::Unavailable));
}
