// ServiceAccounts: little more than a name. Of the secrets they mention only the names are kept.
// As pkg/registry/core/serviceaccount/strategy.go.
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { ServiceAccount } from '../../types/core-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { age, ageColumn, nameColumn } from '../table-cells.js';

/** The strategy of ServiceAccounts. */
export const serviceAccount: KindStrategy<ServiceAccount> = {
  nameRule: nameIsDnsSubdomain,
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
  warningsOnCreate: (object) => (isEnforcing(object) ? [deprecated] : []),
  warningsOnUpdate: (object, old) => (isEnforcing(object) && !isEnforcing(old) ? [deprecated] : []),
  answersDeleted: true,
  table: {
    columns: [nameColumn, ageColumn],
    row: (object, now) => ({ cells: [object.metadata?.name ?? '', age(object, now)] }),
  },
};

const annotation = 'kubernetes.io/enforce-mountable-secrets';
const deprecated = `metadata.annotations[${annotation}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`;

function isEnforcing({ metadata }: Frozen<ServiceAccount>): boolean {
  return Object.hasOwn(metadata?.annotations ?? {}, annotation);
}

function keepSecretNames(object: ServiceAccount): void {
  if (object.secrets !== undefined)
    object.secrets = object.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}
