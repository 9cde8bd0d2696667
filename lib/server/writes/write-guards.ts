// Who guards which kind.
import { rbacGroup } from '../../auth/index.js';
import type { Authorizer, RbacRules } from '../../auth/index.js';
import type { Kinds, ObjectReader } from '../../core/index.js';
import type { WriteTools } from './write.js';
import { claimStatusGuard } from './claim-status-guard.js';
import { escalationGuard } from './escalation-guard.js';
import { policyBindingGuard, policyGroup, policyGuard } from './param-guard.js';
import type { WriteGuard } from './write-guard.js';

/** What guards ask. */
export interface GuardParts {
  readonly rbac: RbacRules;
  readonly authorizer: Authorizer;
  readonly reader: ObjectReader;
  readonly kinds: Kinds;
}

/** The guards of a server. */
export function writeGuards({ rbac, authorizer, reader, kinds }: GuardParts): WriteTools['guardOf'] {
  const escalation = escalationGuard(rbac, authorizer);
  const policies = policyGuard(kinds, authorizer);
  const guards = new Map<string, WriteGuard>([
    [`${policyGroup}/validatingadmissionpolicies`, policies],
    [`${policyGroup}/mutatingadmissionpolicies`, policies],
    [
      `${policyGroup}/validatingadmissionpolicybindings`,
      policyBindingGuard('validatingadmissionpolicies', reader, kinds, authorizer),
    ],
    [
      `${policyGroup}/mutatingadmissionpolicybindings`,
      policyBindingGuard('mutatingadmissionpolicies', reader, kinds, authorizer),
    ],
    ['resource.k8s.io/resourceclaims', claimStatusGuard(authorizer)],
  ]);
  return ({ ref }) => (ref.group === rbacGroup ? escalation : guards.get(`${ref.group}/${ref.resource}`));
}
