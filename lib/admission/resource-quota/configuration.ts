// ResourceQuotaConfiguration: what may be consumed only where a quota limits it. As
// apiserver/pkg/admission/plugin/resourcequota/apis/resourcequota.
import {
  aggregateText,
  field,
  fieldErrorText,
  fieldPath,
  fieldRequired,
  listOf,
  scalars,
  structType,
  typeMetaOf,
} from '../../core/index.js';
import type { ScopedResourceSelectorRequirement } from '../../core/types/index.js';
import { configurationType, decodeConfiguration } from '../admission-configuration.js';
import type { ConfigurationDocument } from '../admission-configuration.js';

/** A resource whose consumption needs a quota. */
export interface LimitedResource {
  /** Empty for the core group. */
  readonly apiGroup?: string;
  /** The plural, such as `persistentvolumeclaims`. */
  readonly resource: string;
  /** What is consumed under a name that contains one of these texts needs a quota for that name. */
  readonly matchContains?: readonly string[];
  /** Objects of one of these scopes need a quota of that scope. */
  readonly matchScopes?: readonly ScopedResourceSelectorRequirement[];
}

/** Reads the configuration; undefined stands for one that limits nothing. Throws `DecodeError` or RangeError. */
export function limitedResourcesOf(document: unknown): readonly LimitedResource[] {
  if (document === undefined) return [];
  const { kind } = typeMetaOf(document);
  // The document's type says what is decoded.
  const { limitedResources = [] } = decodeConfiguration(
    kind === earlierDocument.kind ? earlierDocument : currentDocument,
    document,
  ) as { readonly limitedResources?: readonly LimitedResource[] };
  const errors = limitedResources.flatMap(({ resource = '' }, index) =>
    resource === '' ? [fieldRequired(fieldPath('limitedResources').index(index).child('resource'))] : [],
  );
  if (errors.length > 0) throw new RangeError(aggregateText(errors.map(fieldErrorText)));
  return limitedResources;
}

const type = configurationType('apiserver.config.k8s.io/v1.ResourceQuotaConfiguration', [
  field(
    'limitedResources',
    listOf(
      structType('apiserver.config.k8s.io/v1.LimitedResource', () => [
        field('apiGroup', scalars.string),
        field('resource', scalars.string, { presence: 'always' }),
        field('matchContains', listOf(scalars.string)),
        field(
          'matchScopes',
          listOf(
            structType('io.k8s.api.core.v1.ScopedResourceSelectorRequirement', () => [
              field('scopeName', scalars.string, { presence: 'always' }),
              field('operator', scalars.string, { presence: 'always' }),
              field('values', listOf(scalars.string)),
            ]),
          ),
        ),
      ]),
    ),
  ),
]);

const currentDocument: ConfigurationDocument = {
  kind: 'ResourceQuotaConfiguration',
  apiVersions: ['apiserver.config.k8s.io/v1'],
  type,
};

const earlierDocument: ConfigurationDocument = {
  kind: 'Configuration',
  apiVersions: ['resourcequota.admission.k8s.io/v1beta1', 'resourcequota.admission.k8s.io/v1alpha1'],
  type,
};
