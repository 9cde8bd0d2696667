// How Kubernetes prints the specs of this group that it refuses: inside the API server objects have no JSON names, so
// errors show every field under its Go name, absent ones included. Only for the value given to a field error.
// As the types of pkg/apis/flowcontrol/types.go, in their order.
import type { FlowSchemaSpec, PriorityLevelConfigurationSpec, Subject } from '../../types/flowcontrol-v1.generated.js';
import type { Loose } from '../loose.js';

/** The spec of a FlowSchema. */
export function printedFlowSchemaSpec(spec: Loose<FlowSchemaSpec>): unknown {
  const { priorityLevelConfiguration, matchingPrecedence = 0, distinguisherMethod, rules } = spec;
  return {
    PriorityLevelConfiguration: { Name: priorityLevelConfiguration?.name ?? '' },
    MatchingPrecedence: matchingPrecedence,
    DistinguisherMethod: distinguisherMethod === undefined ? null : { Type: distinguisherMethod.type ?? '' },
    Rules: list(rules, ({ subjects, resourceRules, nonResourceRules }) => ({
      Subjects: list(subjects, printedSubject),
      ResourceRules: list(resourceRules, ({ verbs = null, apiGroups = null, resources = null, clusterScope = false, namespaces = null }) => ({
        Verbs: verbs,
        APIGroups: apiGroups,
        Resources: resources,
        ClusterScope: clusterScope,
        Namespaces: namespaces,
      })),
      NonResourceRules: list(nonResourceRules, ({ verbs = null, nonResourceURLs = null }) => ({ Verbs: verbs, NonResourceURLs: nonResourceURLs })),
    })),
  };
}

/** The spec of a PriorityLevelConfiguration. */
export function printedPriorityLevelSpec({ type = '', limited, exempt }: Loose<PriorityLevelConfigurationSpec>): unknown {
  const { limitResponse } = limited ?? {};
  const { queuing } = limitResponse ?? {};
  return {
    Type: type,
    Limited: limited === undefined ? null : {
      NominalConcurrencyShares: limited.nominalConcurrencyShares ?? 0,
      LimitResponse: {
        Type: limitResponse?.type ?? '',
        Queuing: queuing === undefined ? null : { Queues: queuing.queues ?? 0, HandSize: queuing.handSize ?? 0, QueueLengthLimit: queuing.queueLengthLimit ?? 0 },
      },
      LendablePercent: limited.lendablePercent ?? null,
      BorrowingLimitPercent: limited.borrowingLimitPercent ?? null,
    },
    Exempt: exempt === undefined ? null : { NominalConcurrencyShares: exempt.nominalConcurrencyShares ?? null, LendablePercent: exempt.lendablePercent ?? null },
  };
}

function printedSubject({ kind = '', user, group, serviceAccount }: Loose<Subject>): unknown {
  return {
    Kind: kind,
    User: user === undefined ? null : { Name: user.name ?? '' },
    Group: group === undefined ? null : { Name: group.name ?? '' },
    ServiceAccount: serviceAccount === undefined ? null : { Namespace: serviceAccount.namespace ?? '', Name: serviceAccount.name ?? '' },
  };
}

function list<T>(items: readonly T[] | undefined, print: (item: T) => unknown): readonly unknown[] | null {
  return items === undefined ? null : items.map(print);
}
