// Conversion of custom resources by webhook: objects are sent in a ConversionReview and come back in the requested
// version. The webhook may change everything but identity: of metadata only labels and annotations are taken from its
// answer. As apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go.
import {
  deepEqual,
  errorText,
  fieldErrorsText,
  fieldPath,
  groupVersionKindOf,
  isJsonObject,
  printGroupVersionKind,
  quote,
  unclassifiedError,
  validateAnnotations,
  validateLabels,
} from '../../core/index.js';
import type { Frozen, JsonObject, Random, ConvertObjects } from '../../core/index.js';
import type { CustomResourceDefinition } from '../../core/types/index.js';
import type { WebhookClients } from '../../admission/index.js';

/** Dependencies of conversion. */
export interface ConversionParts {
  readonly clients: WebhookClients;
  readonly random: Random;
}

/**
 * Returns the conversion of a definition; undefined where versions differ in their name only. What it returns rejects
 * with ApiError 500.
 */
export function conversionOf(
  { spec }: Frozen<CustomResourceDefinition>,
  { clients, random }: ConversionParts,
): ConvertObjects | undefined {
  const { strategy, webhook } = spec.conversion ?? { strategy: 'None' };
  if (strategy !== 'Webhook' || webhook?.clientConfig === undefined) return undefined;
  const { clientConfig, conversionReviewVersions } = webhook;
  return async (objects, apiVersion) => {
    const [first] = objects;
    if (first === undefined) return objects;
    const kind = printGroupVersionKind(groupVersionKindOf(first));
    const fail = (what: string): Error => unclassifiedError(`conversion webhook for ${kind} ${what}`);
    const version = conversionReviewVersions.find((each) => each === 'v1' || each === 'v1beta1');
    if (version === undefined) throw unclassifiedError('no supported conversion review versions');
    const uid = random.uuid();
    const review: JsonObject = {
      kind: 'ConversionReview',
      apiVersion: `apiextensions.k8s.io/${version}`,
      request: { uid, desiredAPIVersion: apiVersion, objects },
    };
    let answer: JsonObject;
    try {
      answer = await clients.callOf(clientConfig, timeoutMs)(review);
    } catch (error) {
      throw fail(`failed: ${errorText(error)}`);
    }
    const converted = convertedObjects(answer, version, uid);
    if (typeof converted === 'string') throw fail(`failed: ${converted}`);
    if (converted.length !== objects.length)
      throw fail(`returned ${converted.length} objects, expected ${objects.length}`);
    return objects.map((original, index) => {
      const result = checkedObject(original, converted[index], apiVersion);
      if (typeof result === 'string')
        throw fail(
          result.replace('AT', objects.length > 1 ? `converted object at index ${index}` : 'object at index 0'),
        );
      return result;
    });
  };
}

/** The time limit of a call, as that of any request of the server. */
const timeoutMs = 30_000;

/** The objects of an answer, or what is wrong with it. Answers in v1beta1 need not name the review. */
function convertedObjects(
  { apiVersion, kind, response }: JsonObject,
  version: string,
  uid: string,
): readonly unknown[] | string {
  const expected = `apiextensions.k8s.io/${version}`;
  if (version === 'v1' && (kind !== 'ConversionReview' || apiVersion !== expected)) {
    const got = printGroupVersionKind(groupVersionKindOf({ apiVersion: textOf(apiVersion), kind: textOf(kind) }));
    return `expected webhook response of ${expected}, Kind=ConversionReview, got ${got}`;
  }
  if (!isJsonObject(response)) return 'no response provided';
  if (version === 'v1' && response.uid !== uid)
    return `expected response.uid=${quote(uid)}, got ${quote(textOf(response.uid))}`;
  const result = isJsonObject(response.result) ? response.result : {};
  if (result.status !== 'Success') {
    const message = textOf(result.message);
    return message === '' ? `response.result.status was '${textOf(result.status)}', not 'Success'` : message;
  }
  const { convertedObjects } = response;
  return Array.isArray(convertedObjects) ? (convertedObjects as readonly unknown[]) : [];
}

/** The object to go on with, or what is wrong with it; `AT` stands for its place. */
function checkedObject(original: JsonObject, converted: unknown, apiVersion: string): JsonObject | string {
  if (!isJsonObject(converted)) return 'returned invalid AT: it is no object';
  if (converted.apiVersion !== apiVersion)
    return `returned invalid AT: invalid groupVersion (expected ${apiVersion}, received ${textOf(converted.apiVersion)})`;
  if (converted.kind !== original.kind)
    return `returned invalid AT: invalid kind (expected ${textOf(original.kind)}, received ${textOf(converted.kind)})`;
  const before = isJsonObject(original.metadata) ? original.metadata : {};
  if (converted.metadata === undefined) return 'returned invalid metadata: missing metadata in converted object';
  if (!isJsonObject(converted.metadata))
    return 'returned invalid metadata: invalid metadata of another type in converted object';
  const after = converted.metadata;
  for (const [field, name] of identity) {
    if ((before[field] ?? '') !== (after[field] ?? ''))
      return `returned invalid object: must have the same ${name}: ${textOf(before[field])} != ${textOf(after[field])}`;
  }
  const metadata: Record<string, JsonObject[string]> = { ...before };
  for (const field of ['labels', 'annotations'] as const) {
    const given = after[field];
    delete metadata[field];
    if (given === undefined || given === null) continue;
    if (!isJsonObject(given)) return `returned invalid metadata: invalid metadata.${field} in converted object`;
    const wrong = deepEqual(given, before[field]) ? '' : textMapProblem(field, given);
    if (wrong !== '') return `returned invalid metadata: ${wrong}`;
    metadata[field] = given;
  }
  return { ...converted, metadata };
}

const identity = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

function textMapProblem(field: 'labels' | 'annotations', given: JsonObject): string {
  const other = Object.entries(given).find(([, value]) => typeof value !== 'string');
  if (other !== undefined) return `metadata.${field}[${other[0]}] must be a string`;
  const texts = given as Readonly<Record<string, string>>;
  const path = fieldPath('metadata', field);
  return fieldErrorsText(field === 'labels' ? validateLabels(texts, path) : validateAnnotations(texts, path));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
