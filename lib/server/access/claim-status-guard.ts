// The status of a ResourceClaim has several writers with different permissions: allocation and reservation need
// `resourceclaims/binding`, the status of a device needs `resourceclaims/driver` by the name of its driver, either on
// the node of the driver or on any node. New in v1.36. As pkg/registry/resource/utils.go, AuthorizedForBinding and
// AuthorizedForDeviceStatus.
import { serviceAccountOf } from '../../auth/index.js';
import type { AccessAttributes, Authorizer } from '../../auth/index.js';
import { deepEqual, errorText, fieldForbidden, fieldPath, nameIsDnsSubdomain } from '../../core/index.js';
import type { FieldError, Frozen } from '../../core/index.js';
import type { UserInfo, resourceV1 } from '../../core/types/index.js';
import { attributesOf, decide, refused } from './access-steps.js';
import type { WriteGuard } from '../writes/kind-behaviour.js';

/** The guard of ResourceClaims; checks only writes of their status. */
export function claimStatusGuard(authorizer: Authorizer): WriteGuard {
  return {
    async errors(object, old, exchange) {
      if (exchange.request.info.subresource !== 'status') return [];
      // The decoder guarantees a claim.
      const now = (object as resourceV1.ResourceClaim).status ?? {};
      const before = (old as Frozen<resourceV1.ResourceClaim> | undefined)?.status ?? {};
      const attributes = attributesOf(exchange);
      return [
        ...(await bindingErrors(now, before, attributes, authorizer)),
        ...(await deviceErrors(now, before, attributes, authorizer)),
      ];
    },
  };
}

type Status = Frozen<resourceV1.ResourceClaimStatus>;
type DeviceStatus = Frozen<resourceV1.AllocatedDeviceStatus>;

async function bindingErrors(
  now: Status,
  before: Status,
  attributes: AccessAttributes,
  authorizer: Authorizer,
): Promise<readonly FieldError[]> {
  if (deepEqual(now.allocation, before.allocation) && deepEqual(now.reservedFor ?? [], before.reservedFor ?? []))
    return [];
  const { verb } = attributes;
  const reason = await refusalOf({ ...attributes, subresource: 'binding', namespace: '', name: '' }, authorizer);
  if (reason === undefined) return [];
  return [
    fieldForbidden(
      fieldPath('status', 'allocation'),
      `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission: ${reason}`,
    ),
  ];
}

/** Without an allocation the device statuses are removed with it, which needs no permission. */
async function deviceErrors(
  now: Status,
  before: Status,
  attributes: AccessAttributes,
  authorizer: Authorizer,
): Promise<readonly FieldError[]> {
  if (now.allocation === undefined) return [];
  const runsOnAllocatedNode = runsOn(attributes.user, allocatedNode(now));
  const verbs = [
    ...(runsOnAllocatedNode ? [`associated-node:${attributes.verb}`] : []),
    `arbitrary-node:${attributes.verb}`,
  ];
  const errors: FieldError[] = [];
  for (const name of changedDrivers(now.devices ?? [], before.devices ?? [])) {
    const refusals: string[] = [];
    for (const verb of verbs) {
      const reason = await refusalOf({ ...attributes, verb, subresource: 'driver', name }, authorizer);
      if (reason === undefined) break;
      refusals.push(reason);
    }
    if (refusals.length < verbs.length) continue;
    errors.push(
      fieldForbidden(
        fieldPath('status', 'devices'),
        `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission: ${refusals[0] ?? ''}`,
      ),
    );
  }
  return errors;
}

/** Returns why the request is not allowed, in the words of a refusal; undefined where it is allowed. */
async function refusalOf(attributes: AccessAttributes, authorizer: Authorizer): Promise<string | undefined> {
  const { decision, reason, error } = await decide(authorizer, attributes);
  if (decision === 'allow') return undefined;
  const detail = [error, reason].filter((each) => each !== undefined && each !== '').join(': ');
  return errorText(refused(attributes, detail));
}

/** The drivers whose device statuses were added, changed or removed; sorted. */
function changedDrivers(now: readonly DeviceStatus[], before: readonly DeviceStatus[]): readonly string[] {
  const key = ({ driver, pool, device, shareID = '' }: DeviceStatus): string =>
    JSON.stringify([driver, pool, device, shareID]);
  const remaining = new Map(before.map((each) => [key(each), each]));
  const drivers = new Set<string>();
  for (const device of now) {
    if (!deepEqual(remaining.get(key(device)), device)) drivers.add(device.driver);
    remaining.delete(key(device));
  }
  for (const { driver } of remaining.values()) drivers.add(driver);
  return [...drivers].sort();
}

/** The only node that an allocation selects, where its node selector has the scheduler's form. */
function allocatedNode({ allocation }: Status): string | undefined {
  const [term, ...otherTerms] = allocation?.nodeSelector?.nodeSelectorTerms ?? [];
  const [field, ...otherFields] = term?.matchFields ?? [];
  if (
    field === undefined ||
    otherTerms.length > 0 ||
    otherFields.length > 0 ||
    (term?.matchExpressions ?? []).length > 0
  )
    return undefined;
  const [name, ...otherNames] = field.values ?? [];
  return field.key === 'metadata.name' && field.operator === 'In' && otherNames.length === 0 ? name : undefined;
}

/** Whether the user is a ServiceAccount whose token is bound to the node. */
function runsOn({ username = '', extra = {} }: Frozen<UserInfo>, node: string | undefined): boolean {
  const [name, ...others] = (Object.hasOwn(extra, nodeNameKey) ? extra[nodeNameKey] : undefined) ?? [];
  return (
    node !== undefined &&
    name === node &&
    others.length === 0 &&
    nameIsDnsSubdomain(name, false).length === 0 &&
    serviceAccountOf(username) !== undefined
  );
}

const nodeNameKey = 'authentication.kubernetes.io/node-name';
