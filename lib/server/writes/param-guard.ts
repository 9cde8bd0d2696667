// Who makes a policy read parameters must be able to read them: otherwise its verdicts would tell what they may not
// see. A policy names the kind of its parameters, and all objects of it have to be readable; a binding names some of
// them, and is judged anew whenever it is written. Members of system:masters may everything. As authz.go beside the
// strategies of pkg/registry/admissionregistration.
import { systemMasters } from '../../auth/index.js';
import type { AccessAttributes, Authorizer } from '../../auth/index.js';
import { deepEqual, fieldForbidden, fieldPath, isParseError, parseGroupVersion } from '../../core/index.js';
import type { FieldError, Frozen, GroupVersion, Kinds, ObjectReader, Scheme } from '../../core/index.js';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ParamKind,
  UserInfo,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../core/types/index.js';
import type { Exchange } from '../requests/exchange.js';
import { decide } from '../steps.js';
import type { WriteGuard } from './kind-behaviour.js';

type Policy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy;
type Binding = ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding;

/** The group of policies and their bindings. */
export const policyGroup = 'admissionregistration.k8s.io';

/** The guard of policies. */
export function policyGuard(kinds: Kinds, authorizer: Authorizer): WriteGuard {
  return {
    async errors(object, old, exchange) {
      // The decoder made it a policy.
      const { paramKind } = (object as Policy).spec ?? {};
      const before = (old as Frozen<Policy> | undefined)?.spec?.paramKind;
      if (paramKind === undefined || passes(exchange) || deepEqual(paramKind, before)) return [];
      const { user } = exchange;
      const { attributes } = objectsOf(paramKind, user, kinds.current);
      if (await allows(authorizer, { ...attributes, verb: 'get', name: '*', namespace: '*' })) return [];
      const { kind = '', apiVersion = '' } = paramKind;
      return refused(
        'paramKind',
        `user ${printed(user)} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`,
      );
    },
  };
}

/** The guard of what binds the policies of a resource. */
export function policyBindingGuard(
  policies: string,
  reader: ObjectReader,
  kinds: Kinds,
  authorizer: Authorizer,
): WriteGuard {
  return {
    async errors(object, _old, exchange) {
      const { paramRef, policyName = '' } = (object as Binding).spec ?? {};
      if (paramRef === undefined || passes(exchange)) return [];
      const { user } = exchange;
      const policy = await reader.get<Policy>({ group: policyGroup, resource: policies }, policyName);
      const paramKind = policy?.spec?.paramKind;
      const { attributes, unknown } = objectsOf(paramKind, user, kinds.current);
      const { name = '', namespace = '' } = paramRef;
      const verb = name === '' ? 'list' : 'get';
      if (await allows(authorizer, { ...attributes, verb, name, namespace })) return [];
      const needed = `to determine minimum required permissions and user ${printed(user)} does not have "${verb}" permission for all groups, versions and resources`;
      if (policy === undefined) return refused('paramRef', `unable to get policy ${policyName} ${needed}`);
      if (unknown !== undefined)
        return refused(
          'paramRef',
          `unable to ${unknown} paramKind &{${paramKind?.apiVersion ?? ''} ${paramKind?.kind ?? ''}} ${needed}`,
        );
      // Kubernetes takes one for the other where the policy mutates.
      const [who, what] = policies === 'mutatingadmissionpolicies' ? [verb, printed(user)] : [printed(user), verb];
      return refused('paramRef', `user ${who} does not have "${what}" permission on the object referenced by paramRef`);
    },
  };
}

function passes({ user, request }: Exchange): boolean {
  return request.info.subresource !== '' || user.groups?.includes(systemMasters) === true;
}

interface Objects {
  readonly attributes: Omit<AccessAttributes, 'verb' | 'name' | 'namespace'>;
  /** What could not be done about the kind. */
  readonly unknown?: 'parse' | 'resolve';
}

/** What is asked about the objects of a kind: about everything, as far as nobody knows what the kind is. */
function objectsOf(paramKind: Frozen<ParamKind> | undefined, user: Frozen<UserInfo>, scheme: Scheme): Objects {
  const anything = { user, isResource: true, path: '', subresource: '', group: '*', version: '*', resource: '*' };
  if (paramKind === undefined) return { attributes: anything };
  const parsed = groupVersionOf(paramKind.apiVersion ?? '');
  if (parsed === undefined) return { attributes: anything, unknown: 'parse' };
  const served = scheme.resourcesOf(parsed).find(({ kind }) => kind === paramKind.kind);
  const attributes = { ...anything, ...parsed };
  return served === undefined
    ? { attributes, unknown: 'resolve' }
    : { attributes: { ...attributes, resource: served.resource.plural } };
}

function groupVersionOf(apiVersion: string): GroupVersion | undefined {
  try {
    return parseGroupVersion(apiVersion);
  } catch (error) {
    if (isParseError(error)) return undefined;
    throw error;
  }
}

async function allows(authorizer: Authorizer, attributes: AccessAttributes): Promise<boolean> {
  return (await decide(authorizer, attributes)).decision === 'allow';
}

function refused(field: string, why: string): readonly FieldError[] {
  return [fieldForbidden(fieldPath('spec', field), why)];
}

/** As Go prints a user. */
function printed({ username = '', uid = '', groups = [], extra = {} }: Frozen<UserInfo>): string {
  const values = Object.entries(extra)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, texts]) => `${key}:[${texts.join(' ')}]`);
  return `&{${username} ${uid} [${groups.join(' ')}] map[${values.join(' ')}]}`;
}
