// ServiceAccount: every pod has a service account that exists, with its token mounted and its pull secrets, unless the
// pod or the account says otherwise. As plugin/pkg/admission/serviceaccount/admission.go.
//
// The account `default` of a new namespace is created by a controller, so its absence is waited for: 0.9 to 1.8 s, as
// Kubernetes does, but the wait ends with the event of the informer. So it needs no passing of virtual time.
//
// Kubernetes draws the name of the token's volume for each pod. Here it is drawn for each account, so that replicas
// stay equal: the server validates, freezes and keeps one specification for all of them (known-pods.ts).
import { defer, filter, from, map, merge, of, switchMap, take } from 'rxjs';
import type { Observable } from 'rxjs';
import { isMirrorPod, nameSuffix, namesSecrets, objectKey, unclassifiedError, withMembers } from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type { Container, Pod, PodSpec, ServiceAccount, Volume } from '../core/types/index.js';
import type { ServerTools } from '../auth/index.js';
import { followedResource } from './followed-resource.js';
import { enforcesMountableSecrets, forbiddenEphemeralReference, forbiddenReference } from './mountable-secrets.js';
import type { AdmissionAnswer, AdmissionPlugin, AdmissionReview } from './plugin.js';
import { refusal } from './refusal.js';

type Account = Frozen<ServiceAccount>;

/** Creates the plugin. */
export function serviceAccountAdmission(tools: ServerTools): AdmissionPlugin {
  const { clock, random } = tools;
  const accounts = followedResource<ServiceAccount>(tools, { group: '', resource: 'serviceaccounts' });
  const volumeNames = new WeakMap<Account, string>();

  const volumeNameOf = (account: Account): string => {
    let name = volumeNames.get(account);
    if (name === undefined) volumeNames.set(account, (name = `${volumePrefix}-${nameSuffix(random)}`));
    return name;
  };

  /** Emits the account once it exists, or undefined when the wait is over. */
  const awaitDefault = (namespace: string): Observable<Account | undefined> => {
    const key = `${namespace}/${defaultAccount}`;
    const created$ = accounts.cache.events$.pipe(
      filter((event) => (event.type === 'applied' || event.type === 'listed') && objectKey(event.object) === key),
      map(() => accounts.cache.get(key)),
    );
    // Ten attempts, as Kubernetes makes them, have nine pauses between them.
    const waitMs = 9 * (100 + random.integer(100));
    const over$ = clock.timer(waitMs).pipe(switchMap(() => from(accounts.read(defaultAccount, namespace))));
    return merge(created$, over$).pipe(take(1));
  };
  const withAccount = <T>(review: AdmissionReview, name: string, use: (account: Account) => T): AdmissionAnswer<T> => {
    const { namespace } = review;
    const cached = accounts.cache.get(`${namespace}/${name}`);
    if (cached !== undefined) return use(cached);
    return defer(() => Promise.resolve(accounts.find(name, namespace))).pipe(
      switchMap((live) => (live === undefined && name === defaultAccount ? awaitDefault(namespace) : of(live))),
      map((account) => {
        if (account !== undefined) return use(account);
        throw refusal(
          review,
          `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
        );
      }),
    );
  };

  return {
    name: 'ServiceAccount',
    handles: { operations: ['CREATE', 'UPDATE'], resources: ['pods'], subresources: ['', 'ephemeralcontainers'] },
    mutate: (review) => {
      // The resource says what the object is.
      const pod = review.object as Frozen<Pod>;
      if (review.operation !== 'CREATE' || review.subresource !== '' || pod.spec === undefined) return undefined;
      if (isMirrorPod(pod)) {
        checkMirrorPod(review, pod);
        return undefined;
      }
      const name = accountName(pod);
      return withAccount(review, name, (account) => {
        const completed = { ...pod, spec: completedSpec(pod.spec ?? { containers: [] }, account, volumeNameOf) };
        checkReferences(review, completed, account);
        return completed;
      });
    },
    validate: (review) => {
      const pod = review.object as Frozen<Pod>;
      const isEphemeral = review.subresource === 'ephemeralcontainers';
      if (isEphemeral ? review.operation !== 'UPDATE' : review.operation !== 'CREATE') return undefined;
      if (!isEphemeral && isMirrorPod(pod)) {
        checkMirrorPod(review, pod);
        return undefined;
      }
      const { serviceAccountName = '' } = pod.spec ?? {};
      if (serviceAccountName === '')
        throw refusal(review, `no service account specified for pod ${review.namespace}/${pod.metadata?.name ?? ''}`);
      return withAccount(review, serviceAccountName, (account) => {
        if (!isEphemeral) checkReferences(review, pod, account);
        else if (enforcesMountableSecrets(account)) {
          const problem = forbiddenEphemeralReference(pod, account);
          // Kubernetes does not wrap this one as a refusal of the plugin.
          if (problem !== undefined) throw unclassifiedError(problem);
        }
      });
    },
  };
}

const defaultAccount = 'default';

function accountName({ spec }: Frozen<Pod>): string {
  const { serviceAccountName = '' } = spec ?? {};
  return serviceAccountName === '' ? defaultAccount : serviceAccountName;
}

function checkMirrorPod(review: AdmissionReview, pod: Frozen<Pod>): void {
  if ((pod.spec?.serviceAccountName ?? '') !== '')
    throw refusal(review, 'a mirror pod may not reference service accounts');
  if (namesSecrets(pod)) throw refusal(review, 'a mirror pod may not reference secrets');
  const projects = (pod.spec?.volumes ?? []).some(({ projected }) =>
    (projected?.sources ?? []).some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  );
  if (projects) throw refusal(review, 'a mirror pod may not use ServiceAccountToken volume projections');
}

function checkReferences(review: AdmissionReview, pod: Frozen<Pod>, account: Account): void {
  if (!enforcesMountableSecrets(account)) return;
  const problem = forbiddenReference(pod, account);
  if (problem !== undefined) throw refusal(review, problem);
}

function completedSpec(
  spec: Frozen<PodSpec>,
  account: Account,
  volumeNameOf: (account: Account) => string,
): Frozen<PodSpec> {
  const { name = '' } = account.metadata ?? {};
  const automounts = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  const pullSecrets = (spec.imagePullSecrets ?? []).length === 0 ? (account.imagePullSecrets ?? []) : [];
  return withMembers(automounts ? withToken(spec, volumeNameOf(account)) : spec, {
    serviceAccountName: name,
    serviceAccount: name,
    ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets.map((secret) => ({ name: secret.name ?? '' })) }),
  });
}

/** Mounts the token into the containers that have no volume in its place. */
function withToken(spec: Frozen<PodSpec>, volumeName: string): Frozen<PodSpec> {
  // Validation comes later: required members may be absent.
  const { volumes = [], initContainers, containers = [] } = spec as Partial<Frozen<PodSpec>>;
  const existing = volumes.find((volume: { readonly name?: string }) =>
    volume.name?.startsWith(`${volumePrefix}-`),
  )?.name;
  const name = existing ?? volumeName;
  const mounted = (container: Frozen<Container>): Frozen<Container> => {
    const { volumeMounts = [] } = container;
    if (volumeMounts.some(({ mountPath }) => mountPath === tokenPath)) return container;
    return withMembers(container, { volumeMounts: [...volumeMounts, { name, readOnly: true, mountPath: tokenPath }] });
  };
  const [nextInit, next] = [initContainers?.map(mounted), containers.map(mounted)];
  const changed = next.some((each, index) => each !== containers[index]);
  const changedInit = nextInit?.some((each, index) => each !== initContainers?.[index]) ?? false;
  if (!changed && !changedInit) return spec;
  return withMembers(spec, {
    containers: next,
    ...(nextInit && { initContainers: nextInit }),
    ...(existing === undefined && { volumes: [...volumes, tokenVolume(name)] }),
  });
}

const volumePrefix = 'kube-api-access';
const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Seconds: an hour and a bit. Tokens that are requested with it live longer, so that old clients keep working. */
const tokenSeconds = 3607;

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      defaultMode: 0o644,
      sources: [
        { serviceAccountToken: { path: 'token', expirationSeconds: tokenSeconds } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
    },
  };
}
