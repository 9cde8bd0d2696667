// CertificateApproval, CertificateSigning and ClusterTrustBundleAttest: who may approve, sign and attest for a signer.
// The user needs the verb on the resource `signers`, for the name of the signer or for all of its domain. As
// plugin/pkg/admission/certificates and pkg/certauthorization.
import { deepEqual, firstOf } from '../core/index.js';
import type { ApiObject, Frozen } from '../core/index.js';
import type { CertificateSigningRequest, UserInfo } from '../core/types/index.js';
import type { AccessAttributes, Decision, ServerTools } from '../auth/index.js';
import type { AdmissionPlugin, AdmissionReview } from './plugin.js';
import { refusal } from './refusal.js';

type Tools = Pick<ServerTools, 'authorizer'>;
type Request = Frozen<CertificateSigningRequest>;

/** Creates CertificateApproval. */
export function certificateApproval(tools: Tools): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    handles: { operations: ['UPDATE'], resources: [requests], subresources: ['approval'] },
    validate: (review) => {
      const { signerName } = (review.oldObject as Request).spec;
      return requireVerb(tools, review, 'approve', signerName, 'approve requests with');
    },
  };
}

/** Creates CertificateSigning. */
export function certificateSigning(tools: Tools): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    handles: { operations: ['UPDATE'], resources: [requests], subresources: ['status'] },
    validate: (review) => {
      const [request, old] = [review.object as Request, review.oldObject as Request];
      const isSame =
        request.status?.certificate === old.status?.certificate &&
        deepEqual(request.status?.conditions ?? [], old.status?.conditions ?? []);
      return isSame ? undefined : requireVerb(tools, review, 'sign', old.spec.signerName, 'sign requests with');
    },
  };
}

/** Creates ClusterTrustBundleAttest. ClusterTrustBundles are served only where a host adds their kind. */
export function clusterTrustBundleAttest(tools: Tools): AdmissionPlugin {
  return {
    name: 'ClusterTrustBundleAttest',
    handles: { operations: ['CREATE', 'UPDATE'], resources: ['clustertrustbundles.certificates.k8s.io'] },
    validate: (review) => {
      const { object, oldObject } = review;
      const { spec } = object as Frozen<ApiObject> & { readonly spec?: { readonly signerName?: string } };
      const signerName = spec?.signerName ?? '';
      if (signerName === '' || (oldObject !== undefined && onlyCollectorFieldsDiffer(object ?? {}, oldObject)))
        return undefined;
      return requireVerb(tools, review, 'attest', signerName, 'attest for');
    },
  };
}

const requests = 'certificatesigningrequests.certificates.k8s.io';

async function requireVerb(
  tools: Tools,
  review: AdmissionReview,
  verb: string,
  signerName: string,
  permitted: string,
): Promise<void> {
  const [domain] = signerName.split('/');
  if (await isAllowed(tools, review.user, verb, signerName)) return;
  if (await isAllowed(tools, review.user, verb, `${domain ?? ''}/*`)) return;
  throw refusal(review, `user not permitted to ${permitted} signerName ${JSON.stringify(signerName)}`);
}

async function isAllowed({ authorizer }: Tools, user: Frozen<UserInfo>, verb: string, name: string): Promise<boolean> {
  const attributes: AccessAttributes = {
    user,
    verb,
    isResource: true,
    path: '',
    group: 'certificates.k8s.io',
    version: '*',
    resource: 'signers',
    subresource: '',
    namespace: '',
    name,
  };
  const { decision } = await firstOf<Decision>(authorizer()(attributes), { decision: 'noOpinion', reason: '' });
  return decision === 'allow';
}

/** The garbage collector changes owners and finalizers, which says nothing about the bundle. */
function onlyCollectorFieldsDiffer(object: Frozen<ApiObject>, old: Frozen<ApiObject>): boolean {
  const { ownerReferences, finalizers, managedFields, selfLink } = old.metadata ?? {};
  const kept = { ownerReferences, finalizers, managedFields, selfLink };
  return deepEqual(
    { ...object, metadata: { ...object.metadata, ...kept } },
    { ...old, metadata: { ...old.metadata, ...kept } },
  );
}
