// The environment variables of a container: values, references to ConfigMaps, Secrets and fields of the pod, and
// expansion of `$(NAME)`. As makeEnvironmentVariables of pkg/kubelet/kubelet_pods.go.
import { decodeBase64, isConfigMapKey } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { EnvFromSource, EnvVar, EnvVarSource, Pod } from '../../core/types/index.js';
import type { EnvironmentVariable } from '../runtime/container-config.js';
import { StartFailure } from '../pod/start-failure.js';
import type { PodContainer } from '../pod/pod-knowledge.js';
import { fieldText, resourceFieldText } from './downward-api.js';
import type { DownwardContext } from './downward-api.js';
import type { PodObjects } from './pod-objects.js';

/**
 * Resolves the environment of a container. Rejects with StartFailure CreateContainerConfigError if something that it
 * requires is missing.
 */
export async function environmentOf(
  pod: Frozen<Pod>,
  container: PodContainer,
  objects: PodObjects,
  context: DownwardContext,
): Promise<readonly EnvironmentVariable[]> {
  const values = new Map<string, string>();
  for (const source of container.spec.envFrom ?? [])
    for (const [key, value] of await entriesOf(source, pod, objects)) values.set(`${source.prefix ?? ''}${key}`, value);
  for (const variable of container.spec.env ?? []) {
    const { name, value = '', valueFrom } = variable;
    if (valueFrom === undefined) values.set(name, expandVariables(value, values));
    else {
      const text = await referencedValue(variable, valueFrom, { pod, container, objects, context });
      if (text !== undefined) values.set(name, text);
    }
  }
  return Array.from(values, ([name, value]) => ({ name, value }));
}

/** Replaces `$(NAME)` by the value of a known variable; `$$` stands for a dollar sign. */
export function expandVariables(text: string, values: ReadonlyMap<string, string>): string {
  if (!text.includes('$')) return text;
  return text.replace(/\$\$|\$\(([^()]*)\)/g, (whole, name: string | undefined) => {
    if (name === undefined) return '$';
    return values.get(name) ?? whole;
  });
}

async function entriesOf(
  { configMapRef, secretRef }: Frozen<EnvFromSource>,
  { metadata }: Frozen<Pod>,
  objects: PodObjects,
): Promise<readonly (readonly [string, string])[]> {
  const namespace = metadata?.namespace ?? '';
  if (configMapRef !== undefined) {
    const { name = '', optional = false } = configMapRef;
    const found = await objects.configMap(namespace, name);
    if (found === undefined && !optional) throw configError(`configmap "${name}" not found`);
    return Object.entries(found?.data ?? {}).filter(([key]) => isConfigMapKey(key).length === 0);
  }
  if (secretRef === undefined) return [];
  const { name = '', optional = false } = secretRef;
  const found = await objects.secret(namespace, name);
  if (found === undefined && !optional) throw configError(`secret "${name}" not found`);
  return Object.entries(found?.data ?? {}).map(([key, value]) => [key, textOfBase64(value)] as const);
}

interface ReferenceContext {
  readonly pod: Frozen<Pod>;
  readonly container: PodContainer;
  readonly objects: PodObjects;
  readonly context: DownwardContext;
}

async function referencedValue(
  { name: variable }: Frozen<EnvVar>,
  { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef }: Frozen<EnvVarSource>,
  { pod, container, objects, context }: ReferenceContext,
): Promise<string | undefined> {
  const namespace = pod.metadata?.namespace ?? '';
  if (fieldRef !== undefined) {
    const text = fieldText(pod, fieldRef.fieldPath, context);
    if (text === undefined) throw configError(`unsupported fieldPath: ${fieldRef.fieldPath} of ${variable}`);
    return text;
  }
  if (resourceFieldRef !== undefined) return resourceFieldText(pod, resourceFieldRef, context, container.spec.name);
  if (configMapKeyRef !== undefined) {
    const { name = '', key, optional = false } = configMapKeyRef;
    const found = await objects.configMap(namespace, name);
    if (found === undefined && !optional) throw configError(`configmap "${name}" not found`);
    const value = found?.data?.[key];
    if (value === undefined && !optional)
      throw configError(`couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
    return value;
  }
  if (secretKeyRef === undefined) return undefined;
  const { name = '', key, optional = false } = secretKeyRef;
  const found = await objects.secret(namespace, name);
  if (found === undefined && !optional) throw configError(`secret "${name}" not found`);
  const value = found?.data?.[key];
  if (value === undefined && !optional) throw configError(`couldn't find key ${key} in Secret ${namespace}/${name}`);
  return value === undefined ? undefined : textOfBase64(value);
}

function textOfBase64(text: string): string {
  return new TextDecoder().decode(decodeBase64(text));
}

function configError(message: string): StartFailure {
  return new StartFailure('CreateContainerConfigError', message);
}
