/**
 * What an EncryptionConfiguration must obey beyond its shape, in the words and order of
 * apiserver/pkg/apis/apiserver/validation/validation_encryption.go, with two differences: no message repeats a secret
 * (Kubernetes prints them when one element names two providers), and a KMS provider is refused.
 */
import type { FieldError, FieldPath, GroupResource } from '../../core/index.js';
import {
  decodeBase64,
  fieldForbidden,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  isParseError,
  parseGroupResource,
} from '../../core/index.js';
import type {
  EncryptionConfiguration,
  KeyConfiguration,
  KeysConfiguration,
  ProviderConfiguration,
  ResourceConfiguration,
} from './encryption-configuration.js';
import { aesKeySizes, secretboxKeySizes } from './key-sizes.js';

/** Validates a configuration; nothing, if it can be used. */
export function validateEncryptionConfiguration({ resources = [] }: EncryptionConfiguration): readonly FieldError[] {
  const root = fieldPath('resources');
  if (resources.length === 0) return [atLeastOne(root)];
  return resources.flatMap((each, index) => validateResource(each, root.index(index)));
}

function validateResource({ resources = [], providers = [] }: ResourceConfiguration, path: FieldPath): FieldError[] {
  const names = path.child('resources');
  const used = path.child('providers');
  return [
    ...(resources.length === 0 ? [atLeastOne(names)] : []),
    ...validateOverlap(resources, names),
    ...resources.flatMap((resource, index) => validateName(resource, names.index(index))),
    ...(providers.length === 0 ? [atLeastOne(used)] : []),
    ...providers.flatMap((provider, index) => validateProvider(provider, used.index(index))),
  ];
}

function validateOverlap(resources: readonly string[], path: FieldPath): FieldError[] {
  const parsed = resources.map(parseGroupResource);
  const errors: FieldError[] = [];
  if (new Set(parsed.map(({ group, resource }) => `${resource}/${group}`)).size < resources.length) {
    errors.push(fieldInvalid(path, resources, 'the same resource cannot be specified multiple times'));
  }
  if (overlaps(parsed)) {
    errors.push(
      fieldInvalid(
        path,
        resources,
        "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
      ),
    );
  }
  return errors;
}

/** Returns whether a wildcard stands beside anything that it takes in. */
function overlaps(resources: readonly GroupResource[]): boolean {
  const perGroup = new Map<string, number>();
  for (const { group } of resources) perGroup.set(group, (perGroup.get(group) ?? 0) + 1);
  return resources.some(({ group, resource }) => {
    if (resource !== '*') return false;
    return (group === '*' ? resources.length : (perGroup.get(group) ?? 0)) > 1;
  });
}

function validateName(name: string, path: FieldPath): FieldError[] {
  const complaint = complaintAbout(name);
  return complaint === undefined ? [] : [fieldInvalid(path, name, complaint)];
}

function complaintAbout(name: string): string | undefined {
  if (name.toLowerCase() !== name) return 'resource name should not contain capital letters';
  if (name === '*') return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (allocations.has(name)) return 'resources which do not have REST API/s cannot be encrypted';
  const { group, resource } = parseGroupResource(name);
  if (group === 'events.k8s.io')
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
  if (group === '*' && resource !== '*') return 'encrypting the same resource across groups is not supported';
  return undefined;
}

const allocations: ReadonlySet<string> = new Set([
  'apiserveripinfo',
  'serviceipallocations',
  'servicenodeportallocations',
]);

function validateProvider(provider: ProviderConfiguration, path: FieldPath): FieldError[] {
  const { kms, aesgcm, aescbc, secretbox, identity } = provider;
  const given = [kms, aesgcm, aescbc, secretbox, identity].filter((each) => each !== undefined).length;
  const errors: FieldError[] = [];
  if (given === 0)
    errors.push(
      fieldInvalid(
        path,
        redacted(provider),
        'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity',
      ),
    );
  if (given > 1)
    errors.push(
      fieldInvalid(
        path,
        redacted(provider),
        'more than one provider specified in a single element, should split into different list elements',
      ),
    );
  if (kms !== undefined)
    errors.push(
      fieldForbidden(path.child('kms'), 'KMS providers are not supported, use aesgcm, aescbc, secretbox or identity'),
    );
  else if (aesgcm !== undefined) errors.push(...validateKeys(aesgcm, path.child('aesgcm'), aesKeySizes));
  else if (aescbc !== undefined) errors.push(...validateKeys(aescbc, path.child('aescbc'), aesKeySizes));
  else if (secretbox !== undefined) errors.push(...validateKeys(secretbox, path.child('secretbox'), secretboxKeySizes));
  return errors;
}

/** The provider as Kubernetes prints it, without what must not be printed. */
function redacted({ aesgcm, aescbc, secretbox, identity, kms }: ProviderConfiguration): object {
  const keys = (given: KeysConfiguration | undefined): object | null =>
    given === undefined
      ? null
      : { Keys: given.keys?.map(({ name = '' }) => ({ Name: name, Secret: 'REDACTED' })) ?? null };
  return {
    AESGCM: keys(aesgcm),
    AESCBC: keys(aescbc),
    Secretbox: keys(secretbox),
    Identity: identity ?? null,
    KMS: kms === undefined ? null : 'REDACTED',
  };
}

function validateKeys({ keys = [] }: KeysConfiguration, path: FieldPath, sizes: readonly number[]): FieldError[] {
  const list = path.child('keys');
  if (keys.length === 0) return [fieldRequired(list, 'at least one keys is required')];
  return keys.flatMap((key, index) => validateKey(key, list.index(index), sizes));
}

function validateKey(
  { name = '', secret = '' }: KeyConfiguration,
  path: FieldPath,
  sizes: readonly number[],
): FieldError[] {
  const errors = name === '' ? [fieldRequired(path.child('name'), 'name is a mandatory field for a key')] : [];
  const place = path.child('secret');
  if (secret === '') return [...errors, fieldRequired(place, 'secret is a mandatory field for a key')];
  const bytes = bytesOf(secret);
  if (bytes === undefined) return [...errors, fieldInvalid(place, 'REDACTED', 'secrets must be base64 encoded')];
  if (sizes.includes(bytes.length)) return errors;
  const complaint = `secret is not of the expected length, got ${bytes.length}, expected one of [${sizes.join(' ')}]`;
  return [...errors, fieldInvalid(place, 'REDACTED', complaint)];
}

function bytesOf(secret: string): Uint8Array | undefined {
  try {
    return decodeBase64(secret);
  } catch (error) {
    if (isParseError(error)) return undefined;
    throw error;
  }
}

function atLeastOne(path: FieldPath): FieldError {
  return fieldRequired(path, `at least one ${path.toString()} is required`);
}
