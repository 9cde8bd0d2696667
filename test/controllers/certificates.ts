// Requests for certificates: which are approved and signed, what the certificates say, and when requests are deleted.
import { X509Certificate, generateKeyPairSync } from 'node:crypto';
import t from 'tap';
import { isOutdated } from '../../lib/controllers/certificates/certificate-requests.js';
import { signerProblem, validityMs } from '../../lib/controllers/certificates/request-rules.js';
import { encodeBase64, printTime, random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import type { CertificateSigningRequest, CertificateSigningRequestSpec } from '../../lib/core/types/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster } from '../../lib/index.js';
import { createAuthority } from '../../lib/pki/index.js';
import { parseCertificate } from '../../lib/pki/certificate.js';
import { clientAuth, commonName, organization, requestCertificate, serverAuth } from '../support/certificates.js';
import type { Name, RequestDraft } from '../support/certificates.js';
import { fc, runs } from '../support/properties.js';

const hour = 3_600_000;
const clientSigner = 'kubernetes.io/kube-apiserver-client';
const kubeletSigner = 'kubernetes.io/kube-apiserver-client-kubelet';
const jane: Name = [
  [commonName, 'jane'],
  [organization, 'devs'],
];
const node: Name = [
  [organization, 'system:nodes'],
  [commonName, 'system:node:n1'],
];
const dns = [2, Buffer.from('n1.example')] as const;
const ip = [7, Uint8Array.of(10, 0, 0, 1)] as const;
const email = [1, Buffer.from('a@example')] as const;
const uri = [6, Buffer.from('spiffe://x')] as const;

function base64(text: string): string {
  return encodeBase64(new TextEncoder().encode(text));
}

function requestOf(draft: RequestDraft, spec: Partial<CertificateSigningRequestSpec> = {}): CertificateSigningRequest {
  return {
    metadata: { name: 'r' },
    spec: { request: base64(requestCertificate(draft)), signerName: clientSigner, usages: ['client auth'], ...spec },
  };
}

async function newCluster(): Promise<Cluster<VirtualClock>> {
  return createCluster({
    clock: virtualClock({ start: Date.UTC(2026, 10, 18) }),
    random: random(1),
    scheduler: false,
    controllers: [
      'certificatesigningrequest-approving-controller',
      'certificatesigningrequest-signing-controller',
      'certificatesigningrequest-cleaner-controller',
    ],
  });
}

const approval = { type: 'Approved', status: 'True' as const, reason: 'Test', message: 'said so' };

t.test('an approved request is signed, by an authority that clients trust', async (t) => {
  await using cluster = await newCluster();
  const requests = cluster.client.kind('certificates.k8s.io/v1', 'CertificateSigningRequest');
  const created = await requests.create(requestOf({ name: jane, alternativeNames: [dns, ip] }));
  await cluster.settled();
  t.equal((await requests.get('r')).status?.certificate, undefined, 'not without approval');
  await requests.approval.update({ ...created, status: { conditions: [approval] } });
  const { status } = (await requests.waitFor('r', (request) => request?.status?.certificate !== undefined)) ?? {};
  const certificate = new X509Certificate(Buffer.from(status?.certificate ?? '', 'base64'));
  t.equal(certificate.subject, 'O=devs\nCN=jane', 'in the order of Go');
  t.equal(certificate.subjectAltName, 'DNS:n1.example, IP Address:10.0.0.1');
  t.same(certificate.keyUsage, ['1.3.6.1.5.5.7.3.2']);
  t.equal(certificate.ca, false);
});

t.test('a signer refuses what it does not issue, once', async (t) => {
  await using cluster = await newCluster();
  const requests = cluster.client.kind('certificates.k8s.io/v1', 'CertificateSigningRequest');
  const created = await requests.create(requestOf({ name: jane }, { usages: ['server auth'] }));
  await requests.approval.update({ ...created, status: { conditions: [approval] } });
  await cluster.settled();
  const refused = await requests.get('r');
  t.match(refused.status?.conditions?.at(-1), {
    type: 'Failed',
    status: 'True',
    reason: 'SignerValidationFailure',
    message: 'invalid usage for client certificate: server auth',
  });
  await requests.patch('r', { merge: { metadata: { labels: { a: 'b' } } } });
  await cluster.settled();
  t.equal((await requests.get('r')).status?.conditions?.length, 2);
});

t.test('each signer checks the subject, the names and the usages', (t) => {
  const kubelet: Partial<CertificateSigningRequestSpec> = {
    signerName: kubeletSigner,
    usages: ['digital signature', 'client auth'],
  };
  const serving: Partial<CertificateSigningRequestSpec> = {
    signerName: 'kubernetes.io/kubelet-serving',
    usages: ['digital signature', 'key encipherment', 'server auth'],
  };
  const cases: readonly (readonly [
    RequestDraft,
    Partial<CertificateSigningRequestSpec>,
    string | undefined | false,
  ])[] = [
    [{ name: jane }, { usages: ['digital signature', 'key encipherment', 'client auth'] }, undefined],
    [{ name: jane }, { usages: ['digital signature'] }, 'missing required usage for client certificate: client auth'],
    [{ name: node }, kubelet, undefined],
    [{ name: node }, { ...kubelet, usages: ['client auth', 'key encipherment', 'digital signature'] }, undefined],
    [{ name: jane }, kubelet, 'subject organization is not system:nodes'],
    [{ name: [...node, [organization, 'x']] }, kubelet, 'subject organization is not system:nodes'],
    [{ name: node, alternativeNames: [dns] }, kubelet, 'DNS subjectAltNames are not allowed'],
    [{ name: node, alternativeNames: [email] }, kubelet, 'Email subjectAltNames are not allowed'],
    [{ name: node, alternativeNames: [ip] }, kubelet, 'IP subjectAltNames are not allowed'],
    [{ name: node, alternativeNames: [uri] }, kubelet, 'URI subjectAltNames are not allowed'],
    [
      {
        name: [
          [organization, 'system:nodes'],
          [commonName, 'x'],
        ],
      },
      kubelet,
      'subject common name does not begin with system:node:',
    ],
    [
      { name: node },
      { ...kubelet, usages: ['client auth'] },
      'usages did not match [client auth digital signature key encipherment]',
    ],
    [{ name: node, alternativeNames: [dns, ip] }, serving, undefined],
    [{ name: node }, serving, 'DNS or IP subjectAltName is required'],
    [{ name: node, alternativeNames: [ip, email] }, serving, 'Email subjectAltNames are not allowed'],
    [{ name: node, alternativeNames: [ip, uri] }, serving, 'URI subjectAltNames are not allowed'],
    [
      { name: node, alternativeNames: [ip] },
      { ...serving, usages: ['server auth'] },
      'usages did not match [digital signature key encipherment server auth]',
    ],
    [{ name: jane }, { signerName: 'kubernetes.io/legacy-unknown', usages: ['any'] }, undefined],
    [{ name: jane }, { signerName: 'example.com/own' }, false],
  ];
  for (const [draft, spec, problem] of cases) t.equal(signerProblem(requestOf(draft, spec)), problem);
  t.equal(validityMs(requestOf({ name: jane }, { expirationSeconds: 60 }), hour), 600_000);
  t.equal(validityMs(requestOf({ name: jane }, { expirationSeconds: 1800 }), hour), 1_800_000);
  t.equal(validityMs(requestOf({ name: jane }, { expirationSeconds: 7200 }), hour), hour);
  t.equal(validityMs(requestOf({ name: jane }), hour), hour);
  t.end();
});

t.test('the request of a kubelet is approved when it may renew its certificate, and not before', async (t) => {
  await using cluster = await newCluster();
  const username = 'system:node:n1';
  const kubelet = cluster.as({ username, groups: ['system:nodes', 'system:authenticated'] });
  const requests = cluster.client.kind('certificates.k8s.io/v1', 'CertificateSigningRequest');
  await kubelet
    .kind('certificates.k8s.io/v1', 'CertificateSigningRequest')
    .create(requestOf({ name: node }, { signerName: kubeletSigner, usages: ['digital signature', 'client auth'] }));
  await cluster.advance('10s');
  t.same((await requests.get('r')).status?.conditions ?? [], []);
  await cluster.client.kind('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding').create({
    metadata: { name: 'renew' },
    roleRef: {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: username }],
  });
  await cluster.advance('20s');
  const { status } = await requests.get('r');
  t.match(status?.conditions, [
    {
      type: 'Approved',
      reason: 'AutoApproved',
      message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
    },
  ]);
  const certificate = parseCertificate(new X509Certificate(Buffer.from(status?.certificate ?? '', 'base64')).raw);
  t.same([certificate.commonName, certificate.organizations], [username, ['system:nodes']]);
});

t.test('requests are deleted on the hour when they are old enough', async (t) => {
  await using cluster = await newCluster();
  const requests = cluster.client.kind('certificates.k8s.io/v1', 'CertificateSigningRequest');
  await cluster.advance('30m');
  const created = await requests.create(requestOf({ name: jane }));
  await requests.approval.update({ ...created, status: { conditions: [{ ...approval, type: 'Denied' }] } });
  await cluster.advance('89m');
  t.ok(await requests.find('r'), 'at the first hour it was too young');
  await cluster.advance('1m');
  t.equal(await requests.find('r'), undefined);
  await requests.create(requestOf({ name: jane }));
  await cluster.advance('24h');
  t.ok(await requests.find('r'));
  await cluster.advance('1h');
  t.equal(await requests.find('r'), undefined);
});

t.test('the age of a request is measured by its state', (t) => {
  const nowMs = Date.UTC(2030, 0, 10);
  const aged = (type: string | undefined, ageMs: number, certificate?: string): boolean =>
    isOutdated(
      {
        ...requestOf({ name: jane }),
        metadata: { creationTimestamp: printTime(nowMs - ageMs) },
        status: {
          ...(type !== undefined && {
            conditions: [{ type, status: 'True', lastUpdateTime: printTime(nowMs - ageMs) }],
          }),
          ...(certificate !== undefined && { certificate }),
        },
      },
      nowMs,
    );
  const authority = createAuthority({ now: nowMs });
  const sign = (validMs: number, now: number): string =>
    base64(authority.signRequest(requestCertificate({ name: jane }), { usages: ['client auth'], validMs, now }));
  const [valid, expired] = [sign(24 * hour, nowMs), sign(hour, nowMs - 2 * hour)];
  t.same([aged(undefined, 24 * hour), aged(undefined, 24 * hour + 1000)], [false, true]);
  t.same([aged('Denied', hour), aged('Denied', hour + 1000)], [false, true]);
  t.same([aged('Failed', hour), aged('Failed', hour + 1000)], [false, true]);
  t.same([aged('Approved', 24 * hour), aged('Approved', 24 * hour + 1000)], [false, true]);
  t.same([aged('Approved', hour, valid), aged('Approved', hour + 1000, valid)], [false, true]);
  t.same([aged('Approved', 1000, valid), aged('Approved', 1000, expired)], [false, true]);
  t.end();
});

t.test('a signed certificate has what was requested, verifies, and ends when it should', (t) => {
  const start = Date.UTC(2030, 0, 1);
  const authority = createAuthority({ now: start, validMs: 100 * hour });
  const root = new X509Certificate(authority.certificate);
  const word = fc.stringMatching(/^[a-zA-Zäß0-9:*&@. -]{1,20}$/);
  const keys = [
    generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ];
  fc.assert(
    fc.property(
      word,
      fc.array(word, { maxLength: 3 }),
      fc.subarray([dns, email, ip, uri]),
      fc.subarray([
        'digital signature',
        'key encipherment',
        'cert sign',
        'decipher only',
        'client auth',
        'server auth',
      ]),
      fc.integer({ min: 600, max: 3_600_000 }),
      fc.integer({ min: 0, max: 2 }),
      (cn, organizations, alternativeNames, usages, seconds, key) => {
        const name: Name = [[commonName, cn], ...organizations.map((each) => [organization, each] as const)];
        const keyPair = keys[key];
        const request = requestCertificate({ name, alternativeNames, ...(keyPair !== undefined && { keys: keyPair }) });
        const pem = authority.signRequest(request, { usages, validMs: seconds * 1000, now: start });
        const certificate = new X509Certificate(pem);
        const parsed = parseCertificate(certificate.raw);
        t.ok(certificate.verify(root.publicKey) && certificate.checkIssued(root));
        t.equal(parsed.commonName, cn);
        t.same(parsed.organizations.toSorted(), organizations.toSorted());
        t.equal(parsed.notBeforeMs, start - 300_000);
        const end = start + seconds * 1000 - (seconds < 8 * 3600 ? 0 : 300_000);
        t.equal(parsed.notAfterMs, Math.min(end, Date.parse(root.validTo)));
        t.equal(parsed.hasAlternativeNames, alternativeNames.length > 0);
        const extended = [
          ...(usages.includes('server auth') ? [serverAuth] : []),
          ...(usages.includes('client auth') ? [clientAuth] : []),
        ];
        t.same((certificate.keyUsage as readonly string[] | undefined) ?? [], extended);
        t.equal(parsed.isAuthority, false);
      },
    ),
    { numRuns: runs(300) },
  );
  t.throws(
    () =>
      authority.signRequest(requestCertificate({ name: jane, isForged: true }), {
        usages: [],
        validMs: hour,
        now: start,
      }),
    {
      message: 'unable to verify certificate request signature: x509: verification error',
    },
  );
  t.throws(
    () => authority.signRequest('nothing', { usages: [], validMs: hour, now: start }),
    /unable to parse certificate request/,
  );
  const sound = requestCertificate({ name: jane });
  t.throws(
    () => authority.signRequest(sound, { usages: ['tea'], validMs: hour, now: start }),
    /unrecognized usage values: \["tea"\]/,
  );
  t.throws(
    () => authority.signRequest(sound, { usages: [], validMs: hour, now: start + 1001 * hour }),
    /the signer has expired/,
  );
  t.end();
});
