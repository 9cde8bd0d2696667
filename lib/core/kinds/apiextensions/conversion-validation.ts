// How objects get from one version to another. As apiextensions-apiserver/pkg/apis/apiextensions/validation,
// validateCustomResourceConversion. Whether a CA bundle holds certificates is asked of its frame only, not of what is
// in it.
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import type { CustomResourceConversion, CustomResourceDefinition } from '../../types/apiextensions-v1.generated.js';
import {
  isReviewVersion,
  validateReviewVersions,
  validateWebhookClient,
} from '../admissionregistration/webhook-client.js';

/** Validates a conversion; `old` is the definition to be replaced. */
export function validateConversion(
  conversion: Frozen<CustomResourceConversion> | undefined,
  old: Frozen<CustomResourceDefinition> | undefined,
): readonly FieldError[] {
  if (conversion === undefined) return [];
  const path = fieldPath('spec', 'conversion');
  const { strategy, webhook } = conversion;
  const [clientPath, versionsPath] = [path.child('webhookClientConfig'), path.child('conversionReviewVersions')];
  const versions = (webhook as Partial<NonNullable<typeof webhook>> | undefined)?.conversionReviewVersions ?? [];
  const errors: FieldError[] = [];
  if (strategy === '') errors.push(fieldRequired(path.child('strategy')));
  else if (strategy !== 'None' && strategy !== 'Webhook')
    errors.push(fieldNotSupported(path.child('strategy'), strategy, ['None', 'Webhook']));
  if (strategy !== 'Webhook') {
    const rule = 'should not be set when strategy is not set to Webhook';
    if (webhook?.clientConfig !== undefined) errors.push(fieldForbidden(clientPath, rule));
    if (versions.length > 0) errors.push(fieldForbidden(versionsPath, rule));
    return errors;
  }
  if (webhook?.clientConfig === undefined)
    errors.push(fieldRequired(clientPath, 'required when strategy is set to Webhook'));
  else {
    const { caBundle } = webhook.clientConfig;
    errors.push(...validateWebhookClient(webhook.clientConfig, clientPath, { allowsProcess: true }));
    if (!allowsInvalidBundle(old)) errors.push(...validateBundle(caBundle, clientPath.child('caBundle')));
  }
  const before = old?.spec.conversion?.webhook?.conversionReviewVersions ?? [];
  return [
    ...errors,
    ...validateReviewVersions(versions, versionsPath, {
      requireKnown: before.length === 0 || before.some(isReviewVersion),
    }),
  ];
}

/** Returns whether objects of the definition may exist. */
export function isEstablished({ status }: Frozen<CustomResourceDefinition>): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') === true;
}

/** A definition that serves nothing yet may have any bundle, and one with a wrong bundle another wrong one. */
function allowsInvalidBundle(old: Frozen<CustomResourceDefinition> | undefined): boolean {
  if (old === undefined || !isEstablished(old)) return true;
  return validateBundle(old.spec.conversion?.webhook?.clientConfig?.caBundle, fieldPath('caBundle')).length > 0;
}

function validateBundle(bundle: string | undefined, path: FieldPath): readonly FieldError[] {
  if (bundle === undefined || bundle === '') return [];
  const certificate = /-----BEGIN CERTIFICATE-----\s[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/;
  return certificate.test(atob(bundle))
    ? []
    : [fieldInvalid(path, bundle, 'unable to load root certificates: unable to parse bytes as PEM block')];
}
