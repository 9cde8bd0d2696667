// Which certificates the signers of Kubernetes issue, and which requests of kubelets are approved without an
// administrator. Pure. As pkg/controller/certificates/signer, pkg/apis/certificates/helpers.go and
// pkg/controller/certificates/approver.
import { certificateRequestNames, certificateRequestSubject } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { CertificateSigningRequest } from '../../core/types/index.js';

/** A request as the server stores it. */
export type CertificateRequest = Frozen<CertificateSigningRequest>;

/** Returns whether a request is approved and not denied. */
export function isApproved(request: CertificateRequest): boolean {
  return hasRequestCondition(request, 'Approved') && !hasRequestCondition(request, 'Denied');
}

/** Returns whether a request has a condition of that type, whatever its status. */
export function hasRequestCondition({ status }: CertificateRequest, type: string): boolean {
  return (status?.conditions ?? []).some((condition) => condition.type === type);
}

/** Returns whether a signer has refused the request. */
export function hasFailed({ status }: CertificateRequest): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: is }) => type === 'Failed' && is !== 'False' && is !== 'Unknown',
  );
}

/** Returns why the signer of a request refuses it; undefined if it does not. `false` if the signer is another's. */
export function signerProblem({ spec }: CertificateRequest): string | undefined | false {
  const { request, usages = [] } = spec;
  switch (spec.signerName) {
    case 'kubernetes.io/kube-apiserver-client':
      return clientUsagesProblem(usages);
    case kubeletClientSigner:
      return kubeletClientProblem(request, usages);
    case 'kubernetes.io/kubelet-serving':
      return kubeletServingProblem(request, usages);
    case 'kubernetes.io/legacy-unknown':
      return undefined;
    default:
      return false;
  }
}

/** A permission with which a kubelet's request is approved. */
export interface ApprovalPermission {
  /** The subresource of certificatesigningrequests that the requester has to be allowed to create. */
  readonly subresource: 'selfnodeclient' | 'nodeclient';
  /** The message of the condition. */
  readonly message: string;
}

/** Returns the permissions that may approve a request, in the order in which they are reviewed. */
export function approvalPermissions({ spec }: CertificateRequest): readonly ApprovalPermission[] {
  const { request, usages = [], signerName, username } = spec;
  if (signerName !== kubeletClientSigner || kubeletClientProblem(request, usages) !== undefined) return [];
  const isOwn = certificateRequestSubject(request).commonName === username;
  return isOwn ? [ownNode, anyNode] : [anyNode];
}

/** Returns how long a certificate is valid: as long as requested, from ten minutes to the maximum. */
export function validityMs({ spec }: CertificateRequest, maxMs: number): number {
  const { expirationSeconds } = spec;
  return expirationSeconds === undefined ? maxMs : Math.min(maxMs, Math.max(validityMinMs, expirationSeconds * 1000));
}

const kubeletClientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';
const validityMinMs = 600_000;

const ownNode: ApprovalPermission = {
  subresource: 'selfnodeclient',
  message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
};
const anyNode: ApprovalPermission = {
  subresource: 'nodeclient',
  message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
};

function clientUsagesProblem(usages: readonly string[]): string | undefined {
  const invalid = usages.find((usage) => !['digital signature', 'key encipherment', 'client auth'].includes(usage));
  if (invalid !== undefined) return `invalid usage for client certificate: ${invalid}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

function kubeletClientProblem(request: string, usages: readonly string[]): string | undefined {
  const names = certificateRequestNames(request);
  const { commonName } = certificateRequestSubject(request);
  if (!isOfNodes(request)) return notOfNodes;
  if (names.dnsNames > 0) return 'DNS subjectAltNames are not allowed';
  if (names.emailAddresses > 0) return 'Email subjectAltNames are not allowed';
  if (names.ipAddresses > 0) return 'IP subjectAltNames are not allowed';
  if (names.uris > 0) return 'URI subjectAltNames are not allowed';
  if (!commonName.startsWith(nodePrefix)) return notANode;
  return usagesProblem(usages, 'client auth');
}

function kubeletServingProblem(request: string, usages: readonly string[]): string | undefined {
  const names = certificateRequestNames(request);
  const { commonName } = certificateRequestSubject(request);
  if (!isOfNodes(request)) return notOfNodes;
  if (names.dnsNames === 0 && names.ipAddresses === 0) return 'DNS or IP subjectAltName is required';
  if (names.emailAddresses > 0) return 'Email subjectAltNames are not allowed';
  if (names.uris > 0) return 'URI subjectAltNames are not allowed';
  return usagesProblem(usages, 'server auth') ?? (commonName.startsWith(nodePrefix) ? undefined : notANode);
}

const nodePrefix = 'system:node:';
const notOfNodes = 'subject organization is not system:nodes';
const notANode = 'subject common name does not begin with system:node:';

function isOfNodes(request: string): boolean {
  const { organizations } = certificateRequestSubject(request);
  return organizations.length === 1 && organizations[0] === 'system:nodes';
}

/** Keys that are not RSA do not encipher keys, so that usage may be absent. */
function usagesProblem(usages: readonly string[], purpose: string): string | undefined {
  const given = [...new Set(usages)].toSorted().join();
  const required = [purpose, 'digital signature', 'key encipherment'].toSorted();
  const isMatch = [required, required.filter((usage) => usage !== 'key encipherment')].some(
    (set) => set.join() === given,
  );
  return isMatch ? undefined : `usages did not match [${required.join(' ')}]`;
}
