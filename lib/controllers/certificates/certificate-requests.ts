// The controllers of CertificateSigningRequests: one approves the requests of kubelets that may have a client
// certificate, one signs approved requests, and one deletes old ones. Signing needs an authority, which is passed in.
// As pkg/controller/certificates.
import { defer, exhaustMap, filter, map, mergeMap, repeat, takeWhile } from 'rxjs';
import { awaitChange, controller, informers, watching } from '../../client/index.js';
import type { Client, ControllerActivity, Stored, WriteOptions } from '../../client/index.js';
import { certificateExpiryMs, encodeBase64, namespacedName, parseTime, printTime } from '../../core/index.js';
import type { NamespacedName, Part } from '../../core/index.js';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '../../core/types/index.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { ignoreError } from '../ignore-error.js';
import {
  approvalPermissions,
  hasRequestCondition,
  hasFailed,
  isApproved,
  signerProblem,
  validityMs,
} from './request-rules.js';
import type { CertificateRequest } from './request-rules.js';

/** A certificate to sign. */
export interface CertificateToSign {
  /** The PKCS #10 request in base64 of PEM, as the API has it. */
  readonly request: string;
  /** Usages in the words of the API, such as `client auth`. */
  readonly usages: readonly string[];
  readonly validMs: number;
}

/** Options of the signing controller. */
export interface CertificateSigningOptions extends ControllerEnvironment {
  /** Returns the certificate in PEM; undefined if there is no authority. Rejects if the request cannot be signed. */
  readonly sign: (certificate: CertificateToSign) => Promise<string | undefined>;
  /** The longest validity, `--cluster-signing-duration`. Default one year. */
  readonly validMaxMs?: number;
}

/** A request was approved, signed, refused by its signer, or deleted. */
export interface CertificateRequestHandled {
  readonly type: 'approved' | 'signed' | 'refused' | 'cleaned';
  readonly request: string;
}

/** A controller of this file. */
export type CertificateRequests = Part<ControllerActivity<NamespacedName, CertificateRequestHandled>>;

/** Creates the approving controller. */
export function certificateRequestApproval(environment: ControllerEnvironment): CertificateRequests {
  return requestController('certificatesigningrequest-approving-controller', environment, async (request, options) => {
    if (hasRequestCondition(request, 'Approved') || hasRequestCondition(request, 'Denied')) return undefined;
    const permissions = approvalPermissions(request);
    for (const { subresource, message } of permissions) {
      if (!(await isAllowed(environment.client, request, subresource, options))) continue;
      const approved = { type: 'Approved', status: 'True' as const, reason: 'AutoApproved', message };
      await requestsOf(environment.client).approval.update(withCondition(request, approved), options);
      return 'approved';
    }
    const tried = permissions.map(({ subresource }) => subresource);
    // Retried: the requester may get the permission later.
    if (tried.length > 0)
      throw new Error(
        `recognized csr "${request.metadata.name}" as [${tried.join(' ')}] but subject access review was not approved`,
      );
    return undefined;
  });
}

/** Creates the signing controller. */
export function certificateRequestSigning({
  sign,
  validMaxMs = 365 * 24 * 3_600_000,
  ...environment
}: CertificateSigningOptions): CertificateRequests {
  const { client, clock } = environment;
  return requestController('certificatesigningrequest-signing-controller', environment, async (request, options) => {
    if (!isApproved(request) || hasFailed(request)) return undefined;
    const problem = signerProblem(request);
    if (problem === false) return undefined;
    if (problem !== undefined) {
      const failed = {
        type: 'Failed',
        status: 'True' as const,
        reason: 'SignerValidationFailure',
        message: problem,
        lastUpdateTime: printTime(clock.now()),
      };
      await requestsOf(client).status.update(withCondition(request, failed), options);
      return 'refused';
    }
    const { request: pem, usages = [] } = request.spec;
    const certificate = await sign({ request: pem, usages, validMs: validityMs(request, validMaxMs) });
    if (certificate === undefined) return undefined;
    const encoded = encodeBase64(new TextEncoder().encode(certificate));
    await requestsOf(client).status.update(
      { ...request, status: { ...request.status, certificate: encoded } },
      options,
    );
    return 'signed';
  });
}

/**
 * Creates the cleaning controller. It looks at all requests once an hour: those that were issued, denied or refused an
 * hour ago go, those that wait for a day, and those whose certificate has expired.
 */
export function certificateRequestCleanup(environment: ControllerEnvironment): CertificateRequests {
  const { client, clock, random, informers: shared = informers(client, { clock, random }) } = environment;
  const requests = shared.kind('certificates.k8s.io/v1', 'CertificateSigningRequest');
  const name = 'certificatesigningrequest-cleaner-controller';
  const run = (startMs: number): CertificateRequests => {
    const nextHour = (): number => hourMs - ((clock.now() - startMs) % hourMs);
    return controller<NamespacedName, CertificateRequestHandled>({
      name,
      clock,
      steps$: environment.steps$,
      watches: [watching(requests)],
      // The timer runs while there are requests.
      triggers$: requests.events$.pipe(
        filter((event) => 'object' in event),
        exhaustMap(() =>
          defer(() => clock.timer(nextHour())).pipe(
            repeat(),
            map(() => requests.list()),
            takeWhile((all) => all.length > 0),
            mergeMap((all) => all.map(namespacedName)),
          ),
        ),
      ),
      reconcile: async (item, { emit, signal, cause }) => {
        const request = requests.get(item.name);
        if (request === undefined || !isOutdated(request, clock.now())) return awaitChange;
        await ignoreError('NotFound', requestsOf(client).delete(item.name, { signal, cause }));
        emit({ type: 'cleaned', request: item.name });
        return awaitChange;
      },
    });
  };
  return { name, run: () => defer(() => run(clock.now()).run()) };
}

/** Returns whether a request is deleted at that time. */
export function isOutdated({ metadata, status }: CertificateRequest, nowMs: number): boolean {
  const { conditions = [], certificate = '' } = status ?? {};
  const isOlder = (time: string | undefined, ageMs: number): boolean =>
    time !== undefined && nowMs - parseTime(time) > ageMs;
  if (conditions.length === 0) return isOlder(metadata?.creationTimestamp, 24 * hourMs);
  return conditions.some(({ type, lastUpdateTime }) => {
    if (type === 'Denied' || type === 'Failed') return isOlder(lastUpdateTime, hourMs);
    if (type !== 'Approved') return false;
    if (certificate === '') return isOlder(lastUpdateTime, 24 * hourMs);
    return isOlder(lastUpdateTime, hourMs) || nowMs > (certificateExpiryMs(certificate) ?? Infinity);
  });
}

type Options = Pick<WriteOptions, 'signal' | 'cause'>;

const hourMs = 3_600_000;

/** Creates a controller of requests that have no certificate yet. */
function requestController(
  name: string,
  { client, clock, random, informers: shared = informers(client, { clock, random }), steps$ }: ControllerEnvironment,
  handle: (
    request: Stored<CertificateSigningRequest>,
    options: Options,
  ) => Promise<CertificateRequestHandled['type'] | undefined>,
): CertificateRequests {
  const requests = shared.kind('certificates.k8s.io/v1', 'CertificateSigningRequest');
  return controller<NamespacedName, CertificateRequestHandled>({
    name,
    clock,
    steps$,
    concurrency: 5,
    backoff: { baseMs: 200, factor: 2, maxMs: 1_000_000, jitter: 0, resetAfterMs: Infinity, attemptsMax: Infinity },
    watches: [watching(requests, ({ object }) => [namespacedName(object)])],
    reconcile: async (item, { emit, signal, cause }) => {
      const request = requests.get(item.name);
      if (request === undefined || (request.status?.certificate ?? '') !== '') return awaitChange;
      const type = await handle(request, { signal, cause });
      if (type !== undefined) emit({ type, request: item.name });
      return awaitChange;
    },
  });
}

function requestsOf(client: Client) {
  return client.kind('certificates.k8s.io/v1', 'CertificateSigningRequest');
}

function withCondition(
  request: Stored<CertificateSigningRequest>,
  condition: CertificateSigningRequestCondition,
): Stored<CertificateSigningRequest> {
  const { conditions = [] } = request.status ?? {};
  return { ...request, status: { ...request.status, conditions: [...conditions, condition] } };
}

/** Reviews whether the requester may create that subresource of certificatesigningrequests. */
async function isAllowed(
  client: Client,
  { spec }: Stored<CertificateSigningRequest>,
  subresource: string,
  options: Options,
): Promise<boolean> {
  const { username, uid, groups, extra } = spec;
  const resourceAttributes = {
    group: 'certificates.k8s.io',
    resource: 'certificatesigningrequests',
    verb: 'create',
    version: '*',
    subresource,
  };
  const review = await client.kind('authorization.k8s.io/v1', 'SubjectAccessReview').create(
    {
      spec: {
        resourceAttributes,
        ...(username !== undefined && { user: username }),
        ...(uid !== undefined && { uid }),
        ...(groups !== undefined && { groups }),
        ...(extra !== undefined && { extra }),
      },
    },
    options,
  );
  return review.status?.allowed === true;
}
