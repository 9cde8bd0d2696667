// Makes sure that the image of a container is on the node: pull policies, back-off and Events. Pulls of one node run
// one after the other, as by default in Kubernetes. As pkg/kubelet/images/image_manager.go.
import { backoffLadders, decodeBase64, errorText, printDuration, stopwatch } from '../../core/index.js';
import type { Clock, Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { BackoffEntry, PodContainer } from '../pod/pod-knowledge.js';
import type { ContainerRuntime } from '../runtime/container-runtime.js';
import { isRuntimeError } from '../runtime/container-runtime.js';
import type { RegistryCredentials, RuntimeImage } from '../runtime/runtime-state.js';
import type { PodObjects } from '../volumes/pod-objects.js';
import { StartFailure } from '../pod/start-failure.js';
import type { NodePodEvent } from '../node-tools.js';

/** Options of a puller. */
export interface ImagePullerOptions {
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly objects: PodObjects;
  readonly record: (event: NodePodEvent) => void;
  /** Called after an image was pulled. */
  readonly onPulled: () => void;
}

/** The images of a node. */
export interface ImagePuller {
  /**
   * Resolves with the identifier of the image of a container. Rejects with StartFailure, whose `pullBackoff` replaces
   * the one given.
   */
  ensure(pod: Frozen<Pod>, container: PodContainer, backoff: BackoffEntry | undefined): Promise<string>;
}

/** Creates the puller of a node. */
export function imagePuller({ runtime, clock, objects, record, onPulled }: ImagePullerOptions): ImagePuller {
  let queue: Promise<unknown> = Promise.resolve();
  const elapsed = stopwatch(clock);

  const pull = async (pod: Frozen<Pod>, image: string): Promise<RuntimeImage | undefined> => {
    const credentials = await pullCredentials(objects, pod, image);
    const { uid = '' } = pod.metadata ?? {};
    const id = await runtime.pullImage(image, { credentials, podUid: uid });
    return (await runtime.imageStatus(image)) ?? (await runtime.imageStatus(id));
  };
  /** Runs after the pulls before it. */
  const enqueue = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  };

  return {
    ensure: async (pod, container, backoff) => {
      const { image = '', imagePullPolicy: policy = 'IfNotPresent', name } = container.spec;
      const event = (type: NodePodEvent['type'], reason: string, message: string): void =>
        record({ pod, container: { sort: container.sort, name }, type, reason, message });
      const fail = (reason: string, message: string, more: Partial<StartFailure> = {}): never => {
        throw new StartFailure(reason, message, more);
      };
      if (!imageName.test(image)) {
        const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`;
        event('Warning', 'InspectFailed', message);
        event('Warning', 'Failed', 'Error: InvalidImageName');
        fail('InvalidImageName', message);
      }
      const present = await runtime.imageStatus(image);
      if (present !== undefined && policy !== 'Always') {
        event(
          'Normal',
          'Pulled',
          `Container image "${image}" already present on machine and can be accessed by the pod`,
        );
        return present.id;
      }
      if (policy === 'Never') {
        const message = `Container image "${image}" is not present with pull policy of Never`;
        event('Warning', 'ErrImageNeverPull', message);
        event('Warning', 'Failed', 'Error: ErrImageNeverPull');
        fail('ErrImageNeverPull', message);
      }
      const nowMs = clock.now();
      if (backoff !== undefined && nowMs - backoff.updatedAtMs < backoff.delayMs) {
        event('Normal', 'BackOff', `Back-off pulling image "${image}"`);
        event('Warning', 'Failed', 'Error: ImagePullBackOff');
        fail('ImagePullBackOff', `Back-off pulling image "${image}"`, {
          retryAtMs: backoff.updatedAtMs + backoff.delayMs,
        });
      }
      event('Normal', 'Pulling', `Pulling image "${image}"`);
      const requestedAt = elapsed();
      try {
        return await enqueue(async () => {
          const startedAt = elapsed();
          const pulled = await pull(pod, image);
          const [took, inAll] = [elapsed() - startedAt, elapsed() - requestedAt].map(textOfMs);
          const size = pulled?.sizeBytes ?? 0;
          const message = `Successfully pulled image "${image}" in ${took} (${inAll} including waiting). Image size: ${size} bytes.`;
          event('Normal', 'Pulled', message);
          onPulled();
          return pulled?.id ?? image;
        });
      } catch (error) {
        const reason = isRuntimeError(error) && error.code in pullReasons ? error.code : 'ErrImagePull';
        event('Warning', 'Failed', `Failed to pull image "${image}": ${errorText(error)}`);
        event('Warning', 'Failed', `Error: ${reason}`);
        const failedAtMs = clock.now();
        const delayMs = nextDelay(backoff, failedAtMs);
        return fail(reason, errorText(error), {
          pullBackoff: { delayMs, updatedAtMs: failedAtMs },
          retryAtMs: failedAtMs + 1_000,
        });
      }
    },
  };
}

/** The grammar of references as far as clients get it wrong: a lower-case path, perhaps with a tag or a digest. */
const imageName =
  /^(?:[a-zA-Z0-9.-]{1,253}(?::[0-9]{1,5})?\/)?[a-z0-9._/-]{1,255}(?::[\w.-]{1,128})?(?:@[a-z0-9]{1,32}:[a-f0-9]{32,128})?$/;

const pullReasons: Readonly<Record<string, true>> = {
  ErrImagePull: true,
  InvalidImageName: true,
  RegistryUnavailable: true,
  SignatureValidationFailed: true,
};

const ladder = backoffLadders.imagePull;

function nextDelay(backoff: BackoffEntry | undefined, nowMs: number): number {
  if (backoff === undefined || nowMs - backoff.updatedAtMs > ladder.resetAfterMs) return ladder.baseMs;
  return Math.min(backoff.delayMs * ladder.factor, ladder.maxMs);
}

function textOfMs(ms: number): string {
  return printDuration(BigInt(Math.floor(ms)) * 1_000_000n);
}

/** The credentials of the pod's image pull secrets for the registry of the image. Missing secrets are skipped. */
async function pullCredentials(
  objects: PodObjects,
  { metadata, spec }: Frozen<Pod>,
  image: string,
): Promise<readonly RegistryCredentials[]> {
  const found: RegistryCredentials[] = [];
  for (const { name = '' } of spec?.imagePullSecrets ?? []) {
    const secret = await objects.secret(metadata?.namespace ?? '', name);
    const encoded = secret?.data?.['.dockerconfigjson'];
    if (encoded === undefined) continue;
    found.push(...credentialsFor(image, new TextDecoder().decode(decodeBase64(encoded))));
  }
  return found;
}

function credentialsFor(image: string, text: string): readonly RegistryCredentials[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return [];
  }
  if (!isRecord(document) || !isRecord(document.auths)) return [];
  return Object.entries(document.auths).flatMap(([registry, entry]) => {
    if (!isRecord(entry) || !image.startsWith(registry.replace(/^https?:\/\//, '').replace(/\/.*$/, ''))) return [];
    const { username, password, auth } = entry;
    return [
      {
        ...(typeof username === 'string' && { username }),
        ...(typeof password === 'string' && { password }),
        ...(typeof auth === 'string' && { auth }),
      },
    ];
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
