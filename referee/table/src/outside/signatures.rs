//! Signatures of tokens, by the library that this program verifies everything with.
//!
//! `jsonwebtoken` reads tokens and judges their claims; how a signature is verified it leaves to whoever uses it.

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use signature::Verifier;

/// Algorithms by which a token may be signed. Whoever can verify one cannot sign it: no secret is shared.
pub const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
];

/// How `jsonwebtoken` verifies.
static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(ErrorKind::InvalidAlgorithm.into()),
    verifier_factory: |algorithm, key| Ok(Box::new(Signature::of(*algorithm, key)?)),
    key_utils: KeyUtils::new_unimplemented(),
};

/// Lets `jsonwebtoken` verify so.
pub fn install() {
    // It was installed before.
    let _ = PROVIDER.install_default();
}

enum By {
    Rsa(&'static RsaParameters),
    Other(&'static dyn VerificationAlgorithm),
}

struct Signature {
    algorithm: Algorithm,
    by: By,
    key: DecodingKeyKind,
}

impl Signature {
    fn of(algorithm: Algorithm, key: &DecodingKey) -> Result<Signature, Error> {
        let by = match algorithm {
            Algorithm::RS256 => By::Rsa(&RSA_PKCS1_2048_8192_SHA256),
            Algorithm::RS384 => By::Rsa(&RSA_PKCS1_2048_8192_SHA384),
            Algorithm::RS512 => By::Rsa(&RSA_PKCS1_2048_8192_SHA512),
            Algorithm::PS256 => By::Rsa(&RSA_PSS_2048_8192_SHA256),
            Algorithm::PS384 => By::Rsa(&RSA_PSS_2048_8192_SHA384),
            Algorithm::PS512 => By::Rsa(&RSA_PSS_2048_8192_SHA512),
            Algorithm::ES256 => By::Other(&ECDSA_P256_SHA256_FIXED),
            Algorithm::ES384 => By::Other(&ECDSA_P384_SHA384_FIXED),
            Algorithm::EdDSA => By::Other(&ED25519),
            _ => return Err(ErrorKind::InvalidAlgorithm.into()),
        };
        Ok(Signature {
            algorithm,
            by,
            key: key.kind().clone(),
        })
    }
}

impl Verifier<Vec<u8>> for Signature {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let verified = match (&self.by, &self.key) {
            (By::Rsa(by), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(by, message, signature)
            }
            (By::Other(by), DecodingKeyKind::SecretOrDer(key)) => {
                UnparsedPublicKey::new(*by, key).verify(message, signature)
            }
            _ => Err(ring::error::Unspecified),
        };
        verified.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Signature {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
