// The keys of a cluster's ServiceAccounts: one that signs, and all whose signatures count. Rotation replaces them as a
// whole, between two requests: first the new key is added to those that verify, then it signs, and when the last token
// of the old key has ended that one is dropped. As pkg/serviceaccount/jwt.go and client-go/util/keyutil.
import { signingKey, verificationKey } from '../signature-key.js';
import type { SigningKey, VerificationKey } from '../signature-key.js';

/** Keys in PEM, as they stand in files. */
export interface KeySource {
  /** A private key, RSA or of an elliptic curve. Without it tokens are verified but not made. */
  readonly signing?: string;
  /**
   * Public keys, private keys or certificates, any number in a text. The public half of the signing key is always one
   * of them.
   */
  readonly verification?: readonly string[];
}

/** The keys in use. */
export interface ServiceAccountKeys {
  readonly signing: SigningKey | undefined;
  /** All that verify, in the order in which they were given. */
  readonly verification: readonly VerificationKey[];
  /** The keys that may have signed a token that names this key; all where it names none. */
  candidates(kid: string): readonly VerificationKey[];
  /** Takes others into use. Throws TypeError where one of them is none, and keeps what there was. */
  replace(source: KeySource): void;
}

/** Reads keys. Throws TypeError where one of them is none, or where there are none. */
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

/** The keys of a text, which may hold other blocks besides, such as the parameters that openssl writes. */
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
