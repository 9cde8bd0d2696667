// What a load balancer reports about a Service: addresses with their mode, or names.
// As ValidateLoadBalancerStatus in pkg/apis/core/validation/validation.go.
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { parseIp } from '../../objects/ip-address.js';
import { validateLegacyIp } from '../../objects/ip-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Subdomain } from '../../objects/names.js';
import type { LoadBalancerIngress, LoadBalancerStatus } from '../../types/core-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import { printedWord } from '../printed-values.js';

/** Everything wrong with the status of a load balancer. Addresses it already had are not checked again. */
export function validateLoadBalancerStatus(
  status: Frozen<LoadBalancerStatus> | undefined,
  { old, allowed, path }: { old: Frozen<LoadBalancerStatus> | undefined; allowed: boolean; path: FieldPath },
): readonly FieldError[] {
  const { ingress = [] } = status ?? {};
  const at = path.child('ingress');
  if (!allowed)
    return ingress.length === 0 ? [] : [fieldForbidden(at, "may only be used when `spec.type` is 'LoadBalancer'")];
  const known = (old?.ingress ?? []).flatMap(({ ip = '' }) => (ip === '' ? [] : [ip]));
  return ingress.flatMap((each, index) => validateIngress(each, at.index(index), known));
}

function validateIngress(
  { ip = '', ipMode, hostname = '' }: Frozen<LoadBalancerIngress>,
  path: FieldPath,
  known: readonly string[],
): readonly FieldError[] {
  const errors: FieldError[] = ip === '' ? [] : [...validateLegacyIp(ip, path.child('ip'), known)];
  const modePath = path.child('ipMode');
  if (ipMode === undefined) {
    if (ip !== '') errors.push(fieldRequired(modePath, 'must be specified when `ip` is set'));
  } else if (ip === '') errors.push(fieldForbidden(modePath, 'may not be specified when `ip` is not set'));
  else if (ipMode !== 'VIP' && ipMode !== 'Proxy')
    errors.push(fieldNotSupported(modePath, printedWord(ipMode), ['Proxy', 'VIP']));
  if (hostname === '') return errors;
  errors.push(...invalidEach(path.child('hostname'), hostname, isDns1123Subdomain(hostname)));
  if (parseIp(hostname) !== undefined)
    errors.push(fieldInvalid(path.child('hostname'), hostname, 'must be a DNS name, not an IP address'));
  return errors;
}
