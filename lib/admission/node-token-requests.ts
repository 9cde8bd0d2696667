// The tokens of service accounts that a node may request: bound to a pod that runs on it, for an audience that the pod
// or one of its CSI drivers names. Part of the plugin NodeRestriction. As admitServiceAccount of
// plugin/pkg/admission/noderestriction/admission.go; in-tree volumes count as their own driver here.
import { ephemeralClaimName, firstOf, notFound } from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type {
  CSIDriver,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  TokenRequest,
  Volume,
} from '../core/types/index.js';
import type { AccessAttributes, Decision, ServerTools } from '../auth/index.js';
import { followedResource } from './followed-resource.js';
import type { FollowedResource } from './followed-resource.js';
import type { AdmissionReview } from './plugin.js';
import { refusal } from './refusal.js';

/** Returns the check of a token request. It rejects with a refusal. */
export function nodeTokenRequests(
  tools: ServerTools,
  pods: FollowedResource<Pod>,
): (review: AdmissionReview, node: string) => Promise<void> {
  const { reader, authorizer } = tools;
  const drivers = followedResource<CSIDriver>(tools, { group: 'storage.k8s.io', resource: 'csidrivers' });
  const driverOf = async (pod: Frozen<Pod>, volume: Frozen<Volume>): Promise<string | undefined> => {
    if (volume.csi !== undefined) return volume.csi.driver;
    const claimName =
      volume.ephemeral === undefined ? volume.persistentVolumeClaim?.claimName : ephemeralClaimName(pod, volume.name);
    if (claimName === undefined) return undefined;
    const claims = { group: '', resource: 'persistentvolumeclaims' };
    const claim = await reader.get<PersistentVolumeClaim>(claims, claimName, pod.metadata?.namespace);
    const volumes = { group: '', resource: 'persistentvolumes' };
    return (await reader.get<PersistentVolume>(volumes, claim?.spec?.volumeName ?? ''))?.spec?.csi?.driver;
  };
  const names = async (pod: Frozen<Pod>, audience: string): Promise<boolean> => {
    for (const volume of pod.spec?.volumes ?? []) {
      const isProjected = (volume.projected?.sources ?? []).some(
        ({ serviceAccountToken: token }) => token !== undefined && (token.audience ?? '') === audience,
      );
      if (isProjected) return true;
      const driver = await driverOf(pod, volume);
      const known = driver === undefined ? undefined : await drivers.find(driver);
      if ((known?.spec.tokenRequests ?? []).some((request) => request.audience === audience)) return true;
    }
    return false;
  };
  const isAllowed = async ({ user, namespace, name }: AdmissionReview, audience: string): Promise<boolean> => {
    const attributes: AccessAttributes = {
      user,
      verb: 'request-serviceaccounts-token-audience',
      isResource: true,
      path: '',
      group: '',
      version: 'v1',
      resource: audience,
      subresource: '',
      namespace,
      name,
    };
    const { decision } = await firstOf<Decision>(authorizer()(attributes), { decision: 'noOpinion', reason: '' });
    return decision === 'allow';
  };

  return async (review, node) => {
    if (review.operation !== 'CREATE' || review.subresource !== 'token') return;
    const { boundObjectRef: ref, audiences = [] } = (review.object as Frozen<TokenRequest>).spec ?? {};
    if (ref?.apiVersion !== 'v1' || ref.kind !== 'Pod' || (ref.name ?? '') === '')
      throw refusal(review, 'node requested token not bound to a pod');
    if ((ref.uid ?? '') === '') throw refusal(review, 'node requested token with a pod binding without a uid');
    const name = ref.name ?? '';
    const pod = await pods.find(name, review.namespace);
    if (pod === undefined) throw notFound({ group: '', resource: 'pods', name });
    if (ref.uid !== pod.metadata?.uid)
      throw refusal(
        review,
        `the UID in the bound object reference (${ref.uid ?? ''}) does not match the UID in record. The object might have been deleted and then recreated`,
      );
    if (pod.spec?.nodeName !== node)
      throw refusal(review, 'node requested token bound to a pod scheduled on a different node');
    if (audiences.length > 1) throw refusal(review, 'node may only request 0 or 1 audiences');
    const [audience = ''] = audiences;
    if ((await names(pod, audience)) || (await isAllowed(review, audience))) return;
    throw refusal(
      review,
      `audience ${JSON.stringify(audience)} not found in pod spec volume, ${review.user.username ?? ''} is not authorized to request tokens for this audience`,
    );
  };
}
