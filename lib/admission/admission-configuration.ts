// AdmissionConfiguration: the configuration of plugins, by their names. The document itself and that of each plugin are
// decoded strictly; unknown and repeated fields are errors. As apiserver/pkg/admission/config.go and
// apiserver/pkg/apis/apiserver/v1/types_admission.go.
import { DecodeError, decodeValue, field, listOf, parseYaml, scalars, structType, typeMetaOf } from '../core/index.js';
import type { Field, StructType } from '../core/index.js';

/** The configuration of plugins. */
export interface AdmissionConfiguration {
  /** `apiserver.config.k8s.io/v1`, or `apiserver.k8s.io/v1alpha1`, which is the same. */
  readonly apiVersion?: string;
  /** `AdmissionConfiguration`. */
  readonly kind?: string;
  readonly plugins?: readonly AdmissionPluginConfiguration[];
}

/** The configuration of one plugin. Of several for one plugin the first counts. */
export interface AdmissionPluginConfiguration {
  readonly name: string;
  /** A file with the configuration, relative to the file of the document. Read by the command line only. */
  readonly path?: string;
  /** The configuration as a document of the plugin's own kind. Preferred over `path`. */
  readonly configuration?: unknown;
}

/** Reads the document, YAML or JSON. Throws `DecodeError`. */
export async function parseAdmissionConfiguration(text: string): Promise<AdmissionConfiguration> {
  const { value, problems } = await parseYaml(text);
  return decodeConfiguration(configurationDocument, value, problems) as AdmissionConfiguration;
}

/** Checks a document that a host wrote as an object. Throws `DecodeError`. */
export function checkAdmissionConfiguration(configuration: AdmissionConfiguration): AdmissionConfiguration {
  const { apiVersion = configurationDocument.apiVersions[0], kind = configurationDocument.kind } = configuration;
  return decodeConfiguration(configurationDocument, { ...configuration, apiVersion, kind }) as AdmissionConfiguration;
}

/** A kind of configuration: of all plugins, or of one of them. */
export interface ConfigurationDocument {
  readonly kind: string;
  /** All of one shape. */
  readonly apiVersions: readonly string[];
  readonly type: StructType;
}

/**
 * Decodes a document that was parsed as YAML or JSON. `repeated` are the fields that the parser found twice. Throws
 * `DecodeError`. Returns an object of the type that the document describes.
 */
export function decodeConfiguration(
  { kind, apiVersions, type }: ConfigurationDocument,
  value: unknown,
  repeated: readonly string[] = [],
): unknown {
  const given = typeMetaOf(value);
  const { apiVersion: givenVersion = '', kind: givenKind = '' } = given;
  if (givenKind === '') throw new DecodeError(`Object 'Kind' is missing in '${JSON.stringify(value)}'`);
  if (givenVersion === '') throw new DecodeError(`Object 'apiVersion' is missing in '${JSON.stringify(value)}'`);
  if (givenKind !== kind || !apiVersions.includes(givenVersion))
    throw new DecodeError(
      `no kind "${givenKind}" is registered for version "${givenVersion}": expected ${kind} of ${apiVersions.join(', ')}`,
    );
  const { object, problems } = decodeValue(type, value);
  const all = [...repeated, ...problems];
  if (all.length > 0) throw new DecodeError(`strict decoding error: ${all.join(', ')}`);
  return object;
}

/** The fields that every configuration has, and its own. */
export function configurationType(name: string, fields: readonly Field[]): StructType {
  return structType(name, () => [field('apiVersion', scalars.string), field('kind', scalars.string), ...fields]);
}

const configurationDocument: ConfigurationDocument = {
  kind: 'AdmissionConfiguration',
  apiVersions: ['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1'],
  type: configurationType('apiserver.config.k8s.io/v1.AdmissionConfiguration', [
    field(
      'plugins',
      listOf(
        structType('apiserver.config.k8s.io/v1.AdmissionPluginConfiguration', () => [
          field('name', scalars.string, { presence: 'always' }),
          field('path', scalars.string),
          field('configuration', scalars.json, { presence: 'pointer' }),
        ]),
      ),
    ),
  ]),
};
