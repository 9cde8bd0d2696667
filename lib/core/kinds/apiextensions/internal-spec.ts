// A definition as Kubernetes checks it. Inside the API server, what all versions have in common stands once, beside
// them, as in the API's first version; errors name those places. As apiextensions-apiserver/pkg/apis/apiextensions/v1,
// Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_CustomResourceDefinitionSpec.
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import type {
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '../../types/apiextensions-v1.generated.js';
import type { Schema } from './schema-value.js';

/** One version, without what it shares with all others. */
export type CrdVersion = Frozen<CustomResourceDefinitionVersion>;

/** A specification with its shared parts beside the versions. */
export interface InternalSpec extends Omit<Frozen<CustomResourceDefinitionSpec>, 'versions'> {
  readonly versions: readonly CrdVersion[];
  /** There is a list of versions, if an empty one. */
  readonly listsVersions: boolean;
  readonly shared: Pick<CrdVersion, SharedPart>;
}

/** The parts that versions may share. */
export type SharedPart = (typeof sharedParts)[number];

/** Takes out what all versions have in common. */
export function internalSpec(spec: Frozen<CustomResourceDefinitionSpec>): InternalSpec {
  const given = (spec as Partial<typeof spec>).versions;
  const versions = given ?? [];
  const [first] = versions;
  const common = sharedParts.filter((part) => versions.every((version) => deepEqual(version[part], first?.[part])));
  return {
    ...spec,
    listsVersions: given !== undefined,
    versions: versions.map((version) => omit(version, common)),
    shared:
      first === undefined
        ? {}
        : omit(
            first,
            Object.keys(first).filter((key) => !(common as readonly string[]).includes(key)),
          ),
  };
}

/** The schema of a version. */
export function schemaOf({ schema }: Pick<CrdVersion, SharedPart>): Schema | undefined {
  return schema?.openAPIV3Schema;
}

/** All schemas there are. */
export function schemasOf({ shared, versions }: InternalSpec): readonly Schema[] {
  return [shared, ...versions].map(schemaOf).filter((schema) => schema !== undefined);
}

const sharedParts = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

function omit(version: CrdVersion, parts: readonly string[]): CrdVersion {
  return Object.fromEntries(Object.entries(version).filter(([key]) => !parts.includes(key))) as unknown as CrdVersion;
}
