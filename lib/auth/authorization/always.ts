// Authorizers without configuration: AlwaysAllow, AlwaysDeny, and the group `system:masters`.
import type { AccessRules, Authorizer, Decision } from '../authorizer.js';
import { systemMasters } from '../system-users.js';

/** Allows everything, as `--authorization-mode=AlwaysAllow`. */
export const alwaysAllow: Authorizer = listing(() => allow, {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
});

/** Has no opinion on anything, so a later authorizer may still allow. As `--authorization-mode=AlwaysDeny`. */
export const alwaysDeny: Authorizer = listing(() => nothing, {
  resourceRules: [],
  nonResourceRules: [],
  incomplete: false,
});

/** Allows members of `system:masters` everything. Servers call it first, so no other authorizer can lock them out. */
export const mastersAllowed: Authorizer = listing(
  ({ user }) => (user.groups?.includes(systemMasters) === true ? allow : unknown),
  {
    resourceRules: [],
    nonResourceRules: [],
    incomplete: false,
  },
);

function listing(
  decide: (attributes: Parameters<Authorizer>[0]) => readonly Decision[],
  rules: AccessRules,
): Authorizer {
  const listed = [rules];
  return Object.freeze(Object.defineProperty(decide, 'rules', { value: () => listed })) as Authorizer;
}

const allow: readonly Decision[] = Object.freeze([Object.freeze({ decision: 'allow', reason: '' })]);
const nothing: readonly Decision[] = Object.freeze([
  Object.freeze({ decision: 'noOpinion', reason: 'Everything is forbidden.' }),
]);
const unknown: readonly Decision[] = Object.freeze([Object.freeze({ decision: 'noOpinion', reason: '' })]);
