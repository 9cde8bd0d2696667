// Users who write admission policies with parameters need permission to read them: the verdicts of the policy would
// reveal their content otherwise. A policy names the kind of its parameters and needs `get` on all objects of that
// kind; a binding names some of them, and is checked on every write. Members of system:masters pass. As authz.go beside
// the strategies of pkg/registry/admissionregistration.
import { systemMasters } from '../../auth/index.js';
import type { AccessAttributes, Authorizer } from '../../auth/index.js';
import { deepEqual, fieldForbidden, fieldPath, formatGo, isParseError, parseGroupVersion } from '../../core/index.js';
import type { FieldError, Frozen, GroupVersion, Kinds, ObjectReader, Scheme } from '../../core/index.js';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ParamKind,
  UserInfo,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../core/types/index.js';
import type { Exchange } from '../pipeline.js';
import { decide } from './access-steps.js';
import type { WriteGuard } from '../writes/kind-behaviour.js';

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
      if (paramKind === undefined || isExempt(exchange) || deepEqual(paramKind, before)) return [];
      const { user } = exchange;
      const { attributes } = paramAttributesOf(paramKind, user, kinds.current);
      if (await allows(authorizer, { ...attributes, verb: 'get', name: '*', namespace: '*' })) return [];
      const { kind = '', apiVersion = '' } = paramKind;
      return refused(
        'paramKind',
        `user ${printed(user)} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`,
      );
    },
  };
}

/** The guard of bindings of the policies of a resource. */
export function policyBindingGuard(
  policies: string,
  reader: ObjectReader,
  kinds: Kinds,
  authorizer: Authorizer,
): WriteGuard {
  return {
    async errors(object, _old, exchange) {
      const { paramRef, policyName = '' } = (object as Binding).spec ?? {};
      if (paramRef === undefined || isExempt(exchange)) return [];
      const { user } = exchange;
      const policy = await reader.get<Policy>({ group: policyGroup, resource: policies }, policyName);
      const paramKind = policy?.spec?.paramKind;
      const { attributes, unknown } = paramAttributesOf(paramKind, user, kinds.current);
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
      // Kubernetes swaps the two in the message about mutating policies.
      const [first, second] = policies === 'mutatingadmissionpolicies' ? [verb, printed(user)] : [printed(user), verb];
      return refused(
        'paramRef',
        `user ${first} does not have "${second}" permission on the object referenced by paramRef`,
      );
    },
  };
}

function isExempt({ user, request }: Exchange): boolean {
  return request.info.subresource !== '' || user.groups?.includes(systemMasters) === true;
}

interface ParamAttributes {
  readonly attributes: Omit<AccessAttributes, 'verb' | 'name' | 'namespace'>;
  /** Why the kind is unknown: its apiVersion does not parse, or no such resource is served. */
  readonly unknown?: 'parse' | 'resolve';
}

/** Returns the attributes to authorize reading objects of a kind; `*` for what is not known of the kind. */
function paramAttributesOf(
  paramKind: Frozen<ParamKind> | undefined,
  user: Frozen<UserInfo>,
  scheme: Scheme,
): ParamAttributes {
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

/** Prints a user as Go does. */
function printed({ username = '', uid = '', groups = [], extra = {} }: Frozen<UserInfo>): string {
  return `&{${username} ${uid} ${formatGo(groups)} ${formatGo(extra)}}`;
}
