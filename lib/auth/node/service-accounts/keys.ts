// The keys of service account tokens: one that signs, and those that verify. They are replaced as a whole, between two
// requests. To rotate, add the new key to those that verify, then sign with it, and remove the old one when its last
// token has expired. As pkg/serviceaccount/jwt.go and client-go/util/keyutil.
import { signingKey, verificationKey } from '../signature-key.js';
import type { SigningKey, VerificationKey } from '../signature-key.js';

/** Keys in PEM. */
export interface KeySource {
  /** Private key, RSA or elliptic curve. Without it tokens are verified but not issued. */
  readonly signing?: string;
  /**
   * Public keys, private keys or certificates, any number per text. The public key of the signing key is always added.
   */
  readonly verification?: readonly string[];
}

/** The current keys. */
export interface ServiceAccountKeys {
  readonly signing: SigningKey | undefined;
  /** All keys that verify, in the given order. */
  readonly verification: readonly VerificationKey[];
  /** Returns the keys that may have signed a token with this key ID; all if it is empty. */
  candidates(kid: string): readonly VerificationKey[];
  /** Replaces the keys. Throws TypeError if one is unusable; the present keys then stay. */
  replace(source: KeySource): void;
}

/** Reads keys. Throws TypeError if one is unusable or there are none. */
export function serviceAccountKeys(source: KeySource): ServiceAccountKeys {
  let keys = keySet(source);
  return {
    get signing() {
      return keys.signing;
    },
    get verification() {
      return keys.verification;
    },
    candidates: (kid) => {
      if (kid === '') return keys.verification;
      const named = keys.byId.get(kid);
      return named === undefined ? [] : [named];
    },
    replace: (next) => {
      keys = keySet(next);
    },
  };
}

interface KeySet {
  readonly signing: SigningKey | undefined;
  readonly verification: readonly VerificationKey[];
  readonly byId: ReadonlyMap<string, VerificationKey>;
}

function keySet({ signing: pem, verification: texts = [] }: KeySource): KeySet {
  const signing = pem === undefined ? undefined : signingKey(pem);
  const given = texts.flatMap(keysInPem);
  const byId = new Map<string, VerificationKey>(
    [...given, ...(signing === undefined ? [] : [signing])].map((key) => [key.kid, key]),
  );
  if (byId.size === 0) throw new TypeError('no keys of service accounts were given');
  return { signing, verification: [...byId.values()], byId };
}

/** Returns the keys of a PEM text; ignores other blocks, such as the parameters that openssl writes. */
function keysInPem(text: string): readonly VerificationKey[] {
  const keys = blocksOf(text)
    .filter(({ label }) => label === 'CERTIFICATE' || label.endsWith('PUBLIC KEY') || label.endsWith('PRIVATE KEY'))
    .map(({ block }) => verificationKey(block));
  if (keys.length === 0) throw new TypeError('data does not contain any valid RSA or ECDSA public keys');
  return keys;
}

function blocksOf(text: string): readonly { readonly label: string; readonly block: string }[] {
  return text
    .split(begin)
    .slice(1)
    .flatMap((rest) => {
      const label = rest.slice(0, Math.max(rest.indexOf('-----'), 0));
      const end = `-----END ${label}-----`;
      const at = rest.indexOf(end);
      return at === -1 ? [] : [{ label, block: `${begin}${rest.slice(0, at)}${end}\n` }];
    });
}

const begin = '-----BEGIN ';
