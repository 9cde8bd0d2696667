// What it costs to know who is asking: signatures, tokens of ServiceAccounts with and without a memory, certificates of
// clients on their first request and on those that follow.
import { X509Certificate, generateKeyPairSync } from 'node:crypto';
import {
  boundTokens,
  cachedTokens,
  clientCertificates,
  parseJws,
  serviceAccountKeys,
  signJws,
  signingKey,
  tokenIssuer,
  verifyJws,
} from '../../lib/auth/node/index.js';
import type { Credentials } from '../../lib/auth/index.js';
import { firstOf, random, systemClock } from '../../lib/core/index.js';
import { createAuthority } from '../../lib/server/node/index.js';
import { FakeObjectReader } from '../../test/support/fake-object-reader.js';
import { perSecond, perSecondAwaited } from '../measure.js';
import type { Row } from '../measure.js';

/** Tokens and certificates per second. */
export async function measureCredentials(): Promise<Row[]> {
  return [...measureSignatures(), ...(await measureTokens()), ...(await measureCertificates())];
}

const issuer = 'https://kubernetes.default.svc.cluster.local';
const rsa = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const elliptic = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

function measureSignatures(): Row[] {
  const verified = (pem: string): number => {
    const key = signingKey(pem);
    const token = signJws({ iss: issuer, sub: 'user', aud: [issuer], exp: 2_000_000_000 }, key);
    return perSecond(() => {
      const jws = parseJws(token);
      if (jws === undefined || !verifyJws(jws, key).verified) throw new Error('the signature is wrong');
    });
  };
  return [
    { name: 'read and verify a token, RS256 with 2048 bits', value: verified(rsa()), unit: '/s' },
    { name: 'read and verify a token, ES256', value: verified(elliptic()), unit: '/s' },
  ];
}

async function measureTokens(): Promise<Row[]> {
  const clock = systemClock();
  const keys = serviceAccountKeys({ signing: rsa() });
  const serviceAccount = { metadata: { name: 'robot', namespace: 'default', uid: '1' } };
  const reader = new FakeObjectReader();
  reader.set('serviceaccounts', serviceAccount);
  const tokens = tokenIssuer({ keys, issuer, clock, random: random(1) });
  const subject = { serviceAccount, audiences: [issuer], expirationSeconds: 3600 };
  const { token } = await tokens.issue(subject);
  const bound = boundTokens({ keys, issuers: [issuer], reader, clock });
  const cached = cachedTokens(bound, { clock, successTtlMs: 600_000 });
  const known = async (answer: ReturnType<typeof bound>): Promise<void> => {
    if ((await firstOf(answer, undefined)) === undefined) throw new Error('the token is not accepted');
  };
  await known(cached(token, [issuer]));
  const [fresh = 0, again = 0] = await perSecondAwaited([
    () => known(bound(token, [issuer])),
    () => known(cached(token, [issuer])),
  ]);
  return [
    { name: 'make a token of a ServiceAccount, RS256', value: perSecond(() => tokens.issue(subject)), unit: '/s' },
    { name: 'token of a ServiceAccount, RS256, its account looked up', value: fresh, unit: '/s' },
    { name: 'the same, remembered', value: again, unit: '/s' },
  ];
}

async function measureCertificates(): Promise<Row[]> {
  const clock = systemClock();
  const authority = createAuthority({ now: clock.now() });
  const { raw } = new X509Certificate(authority.issueClientCertificate('ada', ['developers']).certificate);
  const known = clientCertificates({ authorities: authority.certificate, clock });
  const presented = { raw, intermediates: [] };
  const asked = (certificate: NonNullable<Credentials['certificate']>): void => {
    const found = firstOf(known({ header: () => undefined, certificate }), undefined);
    if (found === undefined || found instanceof Promise) throw new Error('the certificate is not accepted');
  };
  return [
    {
      name: 'client certificate, first request of a connection',
      value: perSecond(() => asked({ ...presented })),
      unit: '/s',
    },
    { name: 'client certificate, requests that follow', value: perSecond(() => asked(presented)), unit: '/s' },
  ];
}
