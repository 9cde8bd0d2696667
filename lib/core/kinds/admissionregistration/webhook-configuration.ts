// MutatingWebhookConfiguration and ValidatingWebhookConfiguration: which webhooks the server asks about which requests.
// As pkg/registry/admissionregistration/{mutating,validating}webhookconfiguration/strategy.go. They differ in one field
// of their webhooks, so one strategy serves both.
import { deepEqual } from '../../objects/json.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../../types/admissionregistration-v1.generated.js';
import { uncheckedExpressions } from '../expression-check.js';
import type { KindStrategy } from '../kind-strategy.js';
import { age, ageColumn, integerColumn, nameColumn } from '../table-cells.js';
import { warningsForName } from './static-names.js';
import { validateWebhooks } from './webhooks.js';

/** The strategy of both kinds of webhook configuration. */
export const webhookConfiguration: KindStrategy<MutatingWebhookConfiguration | ValidatingWebhookConfiguration> = {
  nameRule: nameIsDnsSubdomain,
  validate: ({ webhooks = [] }, { checkExpression = uncheckedExpressions }) =>
    validateWebhooks(webhooks, undefined, checkExpression),
  validateUpdate: ({ webhooks = [] }, old, { checkExpression = uncheckedExpressions }) =>
    validateWebhooks(webhooks, old.webhooks ?? [], checkExpression),
  warningsOnCreate: warningsForName,
  warningsOnUpdate: warningsForName,
  changesGeneration: (object, old) => !deepEqual(object.webhooks, old.webhooks),
  requiresResourceVersion: true,
  table: {
    columns: [nameColumn, integerColumn('Webhooks', 'How many webhooks there are.'), ageColumn],
    row: (object, now) => ({ cells: [object.metadata?.name ?? '', object.webhooks?.length ?? 0, age(object, now)] }),
  },
};
