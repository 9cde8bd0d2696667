// Bootstrap tokens, with which new nodes join: one controller signs the ConfigMap kube-public/cluster-info with every
// token that may sign, so that a node can verify it; the other deletes tokens that have expired. Both are off by
// default. As pkg/controller/bootstrap.
import { awaitChange, controller, informers, requeueAfter, watching } from '../../client/index.js';
import type { ControllerActivity, Informers, Stored } from '../../client/index.js';
import { decodeBase64, encodeBase64, namespacedName, parseTime, printNamespacedName } from '../../core/index.js';
import type { Frozen, Informer, NamespacedName, Part } from '../../core/index.js';
import type { ConfigMap, Secret } from '../../core/types/index.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { ignoreError } from '../ignore-error.js';
import { hmacSha256 } from './hmac-sha256.js';

/** The signatures of cluster-info were written, or an expired token was deleted. */
export interface BootstrapTokensChange {
  readonly type: 'signed' | 'expired';
  readonly object: NamespacedName;
}

/** A controller of this file. */
export type BootstrapTokens = Part<ControllerActivity<NamespacedName, BootstrapTokensChange>>;

/** Creates the bootstrap signer. */
export function bootstrapSigner(environment: ControllerEnvironment): BootstrapTokens {
  const { client, clock } = environment;
  const shared = sharedInformers(environment);
  const secrets = tokensIn(shared);
  const configMaps = shared.kind('v1', 'ConfigMap');
  return controller<NamespacedName, BootstrapTokensChange>({
    name: 'bootstrap-signer-controller',
    clock,
    steps$: environment.steps$,
    watches: [
      watching(configMaps, ({ type, object }) =>
        type !== 'deleted' && printNamespacedName(namespacedName(object)) === clusterInfoKey ? [clusterInfo] : [],
      ),
      watching(secrets, () => [clusterInfo]),
    ],
    reconcile: async (_item, { emit, signal, cause }) => {
      const configMap = configMaps.get(clusterInfoKey);
      const data = configMap && signedData(configMap, secrets.list(), clock.now());
      if (configMap === undefined || data === undefined) return awaitChange;
      const writable = client.kind('v1', 'ConfigMap').in(clusterInfo.namespace);
      const update = writable.update({ ...configMap, data }, { signal, cause });
      const written = await ignoreError('NotFound', ignoreError('Conflict', update));
      if (written !== undefined) emit({ type: 'signed', object: clusterInfo });
      return awaitChange;
    },
  });
}

/** Creates the cleaner of bootstrap tokens. A timer runs for each token that expires. */
export function bootstrapTokenCleanup(environment: ControllerEnvironment): BootstrapTokens {
  const { client, clock } = environment;
  const secrets = tokensIn(sharedInformers(environment));
  return controller<NamespacedName, BootstrapTokensChange>({
    name: 'token-cleaner-controller',
    clock,
    steps$: environment.steps$,
    watches: [watching(secrets, ({ type, object }) => (type === 'deleted' ? [] : [namespacedName(object)]))],
    reconcile: async (item, { emit, signal, cause }) => {
      const secret = secrets.get(printNamespacedName(item));
      const leftMs = secret === undefined ? Infinity : expiresAtMs(secret) - clock.now();
      if (secret === undefined || leftMs === Infinity) return awaitChange;
      if (leftMs > 0) return requeueAfter(leftMs);
      const { uid } = secret.metadata;
      const deletion = client.kind('v1', 'Secret').delete(item, { preconditions: { uid }, signal, cause });
      const deleted = await ignoreError('NotFound', ignoreError('Conflict', deletion));
      if (deleted !== undefined) emit({ type: 'expired', object: item });
      return awaitChange;
    },
  });
}

/** Returns the data of cluster-info with a signature of each token; undefined if it has them, or nothing to sign. */
export function signedData(
  { data = {} }: Frozen<ConfigMap>,
  secrets: readonly Frozen<Secret>[],
  nowMs: number,
): Record<string, string> | undefined {
  const { kubeconfig } = data;
  if (kubeconfig === undefined) return undefined;
  const unsigned = Object.entries(data).filter(([key]) => !key.startsWith(signaturePrefix));
  const signatures = new Map<string, string>();
  for (const secret of secrets) {
    const id = textOf(secret, 'token-id');
    const key = textOf(secret, 'token-secret');
    const isUsable =
      id !== '' &&
      key !== '' &&
      secret.metadata?.name === `bootstrap-token-${id}` &&
      textOf(secret, 'usage-bootstrap-signing') === 'true' &&
      expiresAtMs(secret) > nowMs;
    if (isUsable) signatures.set(`${signaturePrefix}${id}`, detachedSignature(kubeconfig, id, key));
  }
  const isCurrent =
    Object.keys(data).length === unsigned.length + signatures.size &&
    [...signatures].every(([key, signature]) => data[key] === signature);
  return isCurrent ? undefined : Object.fromEntries([...unsigned, ...signatures]);
}

const clusterInfo: NamespacedName = { namespace: 'kube-public', name: 'cluster-info' };
const clusterInfoKey = printNamespacedName(clusterInfo);
const signaturePrefix = 'jws-kubeconfig-';

function sharedInformers({ client, clock, random, informers: shared }: ControllerEnvironment): Informers {
  return shared ?? informers(client, { clock, random });
}

function tokensIn(shared: Informers): Informer<Stored<Secret>> {
  const fieldSelector = 'type=bootstrap.kubernetes.io/token';
  return shared.kind('v1', 'Secret', { namespace: 'kube-system', fieldSelector });
}

function textOf({ data = {} }: Frozen<Secret>, key: string): string {
  return new TextDecoder().decode(decodeBase64((Object.hasOwn(data, key) ? data[key] : undefined) ?? ''));
}

/** When a token expires; Infinity for never. A time that cannot be read has passed. */
function expiresAtMs(secret: Frozen<Secret>): number {
  const text = textOf(secret, 'expiration');
  if (text === '') return Infinity;
  try {
    return parseTime(text);
  } catch {
    return -Infinity;
  }
}

/** A JSON Web Signature without its payload. As RFC 7515, appendix F. */
function detachedSignature(content: string, id: string, key: string): string {
  const header = base64Url(bytesOf(JSON.stringify({ alg: 'HS256', kid: id })));
  const code = hmacSha256(bytesOf(key), bytesOf(`${header}.${base64Url(bytesOf(content))}`));
  return `${header}..${base64Url(code)}`;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function base64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
