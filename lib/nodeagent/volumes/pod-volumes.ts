// The volumes of a pod as a runtime takes them: emptyDir, hostPath, and files from ConfigMaps, Secrets, the downward
// API and tokens. A missing ConfigMap or Secret keeps the pod from starting. As pkg/volume and
// pkg/kubelet/volumemanager.
//
// A runtime that ignores the content of volumes gets no tokens and no root certificate: these two need keys, which a
// simulation should not have to create.
import { decodeBase64, parseTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { DownwardAPIVolumeFile, KeyToPath, Pod, Volume, VolumeProjection } from '../../core/types/index.js';
import type { PodVolume, VolumeContent, VolumeFile } from '../runtime/container-config.js';
import { integerValue } from '../../core/index.js';
import { fieldText, resourceFieldText } from './downward-api.js';
import type { DownwardContext } from './downward-api.js';
import type { PodObjects } from './pod-objects.js';

/** What volumes are resolved with. */
export interface VolumeContext {
  readonly objects: PodObjects;
  readonly downward: DownwardContext;
  /** Whether the runtime reads the files. */
  readonly needsContent: boolean;
  /** Resolves volumes of claims and drivers; undefined for other volumes. */
  claimed(pod: Frozen<Pod>, volume: Frozen<Volume>): Promise<VolumeContent | undefined>;
}

/** A volume cannot be mounted. */
export class MountFailure extends Error {
  override readonly name = 'MountFailure';
}

/** The resolved volumes of a pod. */
export interface ResolvedVolumes {
  readonly volumes: readonly PodVolume[];
  /** When tokens have to be renewed; Infinity for never. */
  readonly refreshAtMs: number;
}

/** Resolves the volumes of a pod. Rejects with MountFailure. */
export async function resolveVolumes(pod: Frozen<Pod>, context: VolumeContext): Promise<ResolvedVolumes> {
  const volumes: PodVolume[] = [];
  let refreshAtMs = Infinity;
  for (const volume of pod.spec?.volumes ?? []) {
    const { name } = volume;
    if (volume.emptyDir !== undefined) {
      const { medium = '', sizeLimit } = volume.emptyDir;
      const limit = sizeLimit === undefined ? {} : { sizeLimitBytes: integerValue(sizeLimit) };
      volumes.push({ name, source: { type: 'emptyDir', medium, ...limit } });
    } else if (volume.hostPath !== undefined) {
      const { path, type = '' } = volume.hostPath;
      volumes.push({ name, source: { type: 'hostPath', path, pathType: type } });
    } else {
      const files = new Map<string, VolumeFile>();
      const filling = await fill(files, volume, pod, context);
      if (filling === undefined) {
        const source = await context.claimed(pod, volume);
        if (source !== undefined) volumes.push({ name, source });
        continue;
      }
      refreshAtMs = Math.min(refreshAtMs, filling.refreshAtMs);
      volumes.push({ name, source: { type: 'files', files, isSecret: filling.isSecret } });
    }
  }
  return { volumes, refreshAtMs };
}

interface Filling {
  readonly isSecret: boolean;
  readonly refreshAtMs: number;
}

/** Adds the files of a volume; undefined for a volume that has none of ours, such as a claim. */
async function fill(
  files: Map<string, VolumeFile>,
  { name, configMap, secret, downwardAPI, projected }: Frozen<Volume>,
  pod: Frozen<Pod>,
  context: VolumeContext,
): Promise<Filling | undefined> {
  const volume = JSON.stringify(name);
  if (configMap !== undefined) {
    const { name: source = '', items, optional = false, defaultMode: mode = 0o644 } = configMap;
    await addConfigMap(files, pod, context, { source, items, optional, mode, volume });
    return { isSecret: false, refreshAtMs: Infinity };
  }
  if (secret !== undefined) {
    const { secretName: source = '', items, optional = false, defaultMode: mode = 0o644 } = secret;
    await addSecret(files, pod, context, { source, items, optional, mode, volume });
    return { isSecret: true, refreshAtMs: Infinity };
  }
  if (downwardAPI !== undefined) {
    addDownward(files, pod, context, downwardAPI.items ?? [], downwardAPI.defaultMode ?? 0o644);
    return { isSecret: false, refreshAtMs: Infinity };
  }
  if (projected === undefined) return undefined;
  let refreshAtMs = Infinity;
  const isServiceAccount = (projected.sources ?? []).some(
    ({ serviceAccountToken }) => serviceAccountToken !== undefined,
  );
  for (const source of projected.sources ?? []) {
    if (!context.needsContent && isServiceAccount && isOfServiceAccount(source)) continue;
    const added = await addProjection(files, source, pod, context, projected.defaultMode ?? 0o644, volume);
    refreshAtMs = Math.min(refreshAtMs, added);
  }
  return { isSecret: true, refreshAtMs };
}

/** What admission adds to every pod: the token and the certificate of the cluster. */
function isOfServiceAccount({ serviceAccountToken, configMap }: Frozen<VolumeProjection>): boolean {
  return serviceAccountToken !== undefined || configMap?.name === 'kube-root-ca.crt';
}

async function addProjection(
  files: Map<string, VolumeFile>,
  { configMap, secret, downwardAPI, serviceAccountToken }: Frozen<VolumeProjection>,
  pod: Frozen<Pod>,
  context: VolumeContext,
  mode: number,
  volume: string,
): Promise<number> {
  if (configMap !== undefined) {
    const { name: source = '', items, optional = false } = configMap;
    await addConfigMap(files, pod, context, { source, items, optional, mode, volume });
  }
  if (secret !== undefined) {
    const { name: source = '', items, optional = false } = secret;
    await addSecret(files, pod, context, { source, items, optional, mode, volume });
  }
  if (downwardAPI !== undefined) addDownward(files, pod, context, downwardAPI.items ?? [], mode);
  if (serviceAccountToken === undefined) return Infinity;
  const { audience, expirationSeconds = 3600, path } = serviceAccountToken;
  const { namespace = '', name = '', uid = '' } = pod.metadata ?? {};
  const { token, expiresAt } = await context.objects.token({
    namespace,
    serviceAccount: pod.spec?.serviceAccountName ?? 'default',
    pod: { name, uid },
    audiences: audience === undefined ? [] : [audience],
    expirationSeconds,
  });
  addFile(files, path, new TextEncoder().encode(token), 0o600);
  // Renewed after four fifths of its life, at the latest a day after it was issued.
  const lifeMs = Math.min(expirationSeconds * 1000 * 0.8, 24 * 3_600_000);
  return expiresAt === '' ? Infinity : parseTime(expiresAt) - expirationSeconds * 1000 + lifeMs;
}

interface ObjectFiles {
  readonly source: string;
  readonly items: readonly Frozen<KeyToPath>[] | undefined;
  readonly optional: boolean;
  readonly mode: number;
  readonly volume: string;
}

async function addConfigMap(
  files: Map<string, VolumeFile>,
  { metadata }: Frozen<Pod>,
  { objects }: VolumeContext,
  wanted: ObjectFiles,
): Promise<void> {
  const found = await objects.configMap(metadata?.namespace ?? '', wanted.source);
  if (found === undefined && !wanted.optional)
    throw setUpFailure(wanted.volume, `configmap "${wanted.source}" not found`);
  const content = new Map<string, Uint8Array>();
  for (const [key, text] of Object.entries(found?.data ?? {})) content.set(key, new TextEncoder().encode(text));
  for (const [key, text] of Object.entries(found?.binaryData ?? {})) content.set(key, decodeBase64(text));
  addItems(files, content, wanted, found !== undefined);
}

async function addSecret(
  files: Map<string, VolumeFile>,
  { metadata }: Frozen<Pod>,
  { objects }: VolumeContext,
  wanted: ObjectFiles,
): Promise<void> {
  const found = await objects.secret(metadata?.namespace ?? '', wanted.source);
  if (found === undefined && !wanted.optional) throw setUpFailure(wanted.volume, `secret "${wanted.source}" not found`);
  const content = new Map<string, Uint8Array>();
  for (const [key, text] of Object.entries(found?.data ?? {})) content.set(key, decodeBase64(text));
  addItems(files, content, wanted, found !== undefined);
}

function addItems(
  files: Map<string, VolumeFile>,
  content: ReadonlyMap<string, Uint8Array>,
  { items, optional, mode, volume }: ObjectFiles,
  exists: boolean,
): void {
  if (items === undefined) {
    for (const [key, bytes] of content) addFile(files, key, bytes, mode);
    return;
  }
  for (const { key, path, mode: own = mode } of items) {
    const bytes = content.get(key);
    if (bytes !== undefined) addFile(files, path, bytes, own);
    else if (!optional && exists) throw setUpFailure(volume, `references non-existent config key: ${key}`);
  }
}

function addDownward(
  files: Map<string, VolumeFile>,
  pod: Frozen<Pod>,
  { downward }: VolumeContext,
  items: readonly Frozen<DownwardAPIVolumeFile>[],
  mode: number,
): void {
  for (const { path, fieldRef, resourceFieldRef, mode: own = mode } of items) {
    const text =
      fieldRef === undefined
        ? resourceFieldRef && resourceFieldText(pod, resourceFieldRef, downward)
        : fieldText(pod, fieldRef.fieldPath, downward);
    addFile(files, path, new TextEncoder().encode(text ?? ''), own);
  }
}

/** The API validates paths; a pod from another source may still carry one that leaves the volume. */
function addFile(files: Map<string, VolumeFile>, path: string, bytes: Uint8Array, mode: number): void {
  if (path.startsWith('/') || path.split('/').includes('..')) throw new MountFailure(`invalid path: ${path}`);
  files.set(path, { bytes, mode });
}

function setUpFailure(volume: string, why: string): MountFailure {
  return new MountFailure(`MountVolume.SetUp failed for volume ${volume} : ${why}`);
}
