/**
 * The document that says which resources are encrypted and how: `EncryptionConfiguration` of
 * apiserver.config.k8s.io/v1, the file behind kube-apiserver's `--encryption-provider-config`. Here it is an object
 * already parsed; reading the file is the host's matter. Decoding is strict, as there: an unknown field is refused, for
 * a misspelt provider would otherwise leave secrets in the clear.
 */
import type { JsonObject, StructType } from '../../core/index.js';
import {
  applyValidation,
  decodeValue,
  field,
  fieldErrorsText,
  isDecodeError,
  isJsonObject,
  listOf,
  scalars,
  structType,
} from '../../core/index.js';
import { StoreError } from '../store-error.js';
import { validateEncryptionConfiguration } from './configuration-validation.js';

/** What to encrypt, and how. */
export interface EncryptionConfiguration {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly resources?: readonly ResourceConfiguration[];
}

/** How some resources are stored. */
export interface ResourceConfiguration {
  /** `secrets`, `deployments.apps`; `*.` is the core group, `*.apps` another, `*.*` everything. */
  readonly resources?: readonly string[];
  /** The first one writes, all of them read. */
  readonly providers?: readonly ProviderConfiguration[];
}

/** One provider: exactly one of the fields is set. */
export interface ProviderConfiguration {
  readonly aesgcm?: KeysConfiguration;
  readonly aescbc?: KeysConfiguration;
  readonly secretbox?: KeysConfiguration;
  readonly identity?: object;
  readonly kms?: unknown;
}

/** The keys of a provider. The first one writes, all of them read. */
export interface KeysConfiguration {
  readonly keys?: readonly KeyConfiguration[];
}

/** A key. */
export interface KeyConfiguration {
  /** Stored with every value, in the clear, to find the key again. */
  readonly name?: string;
  /** The key itself, in base64. */
  readonly secret?: string;
}

/**
 * Reads a parsed document. Whatever is wrong with it is the StoreError `invalid`, in Kubernetes' words but without
 * secrets.
 */
export function readEncryptionConfiguration(document: unknown): EncryptionConfiguration {
  const configuration = decode(document);
  const errors = validateEncryptionConfiguration(configuration);
  if (errors.length > 0) throw new StoreError('invalid', `invalid EncryptionConfiguration: ${fieldErrorsText(errors)}`);
  return configuration;
}

function decode(document: unknown): EncryptionConfiguration {
  if (isJsonObject(document)) checkKind(document);
  try {
    return applyValidation(decodeValue(configurationType, document), 'Strict').object;
  } catch (error) {
    throw isDecodeError(error)
      ? new StoreError('invalid', `error decoding encryption provider configuration: ${error.message}`, {
          cause: error,
        })
      : error;
  }
}

function checkKind({ apiVersion = '', kind = '' }: JsonObject): void {
  if (typeof apiVersion === 'string' && typeof kind === 'string' && knownTypes.has(`${apiVersion}, ${kind}`)) return;
  throw new StoreError(
    'invalid',
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
  );
}

/** The second is what the first was called until Kubernetes 1.13; it is still read. */
const knownTypes: ReadonlySet<string> = new Set([
  'apiserver.config.k8s.io/v1, EncryptionConfiguration',
  'v1, EncryptionConfig',
]);

const keyType: StructType = structType('apiserver/v1.Key', () => [
  field('name', scalars.string),
  field('secret', scalars.string),
]);

const keysType = (name: string): StructType => structType(name, () => [field('keys', listOf(keyType))]);

const providerType: StructType = structType('apiserver/v1.ProviderConfiguration', () => [
  field('aesgcm', keysType('apiserver/v1.AESConfiguration')),
  field('aescbc', keysType('apiserver/v1.AESConfiguration')),
  field('secretbox', keysType('apiserver/v1.SecretboxConfiguration')),
  field(
    'identity',
    structType('apiserver/v1.IdentityConfiguration', () => []),
  ),
  field('kms', scalars.json),
]);

const resourceType: StructType = structType('apiserver/v1.ResourceConfiguration', () => [
  field('resources', listOf(scalars.string)),
  field('providers', listOf(providerType)),
]);

const configurationType: StructType = structType('apiserver/v1.EncryptionConfiguration', () => [
  field('apiVersion', scalars.string),
  field('kind', scalars.string),
  field('resources', listOf(resourceType)),
]);
