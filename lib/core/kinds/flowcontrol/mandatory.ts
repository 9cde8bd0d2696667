// The FlowSchemas and PriorityLevelConfigurations that every server has and that cannot be changed: without them
// requests of administrators could starve, or some requests belong nowhere. As pkg/apis/flowcontrol/internalbootstrap
// and apiserver/pkg/apis/flowcontrol/bootstrap/default.go. Validation compares with these; the server creates them.
import type {
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  PriorityLevelConfigurationSpec,
  Subject,
} from '../../types/flowcontrol-v1.generated.js';

/** Anything that the subjects do. */
export function everythingOf(...subjects: readonly Subject[]): PolicyRulesWithSubjects {
  return {
    subjects: [...subjects],
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  };
}

/** A group of users. */
export function groupSubject(name: string): Subject {
  return { kind: 'Group', group: { name } };
}

/** By name, as the caller's own. */
export function mandatoryFlowSchemas(): ReadonlyMap<string, FlowSchemaSpec> {
  return new Map<string, FlowSchemaSpec>([
    [
      'exempt',
      {
        priorityLevelConfiguration: { name: 'exempt' },
        matchingPrecedence: 1,
        rules: [everythingOf(groupSubject('system:masters'))],
      },
    ],
    [
      'catch-all',
      {
        priorityLevelConfiguration: { name: 'catch-all' },
        matchingPrecedence: 10_000,
        distinguisherMethod: { type: 'ByUser' },
        rules: [everythingOf(groupSubject('system:unauthenticated'), groupSubject('system:authenticated'))],
      },
    ],
  ]);
}

/** By name, as the caller's own. */
export function mandatoryPriorityLevels(): ReadonlyMap<string, PriorityLevelConfigurationSpec> {
  return new Map<string, PriorityLevelConfigurationSpec>([
    ['exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
    [
      'catch-all',
      {
        type: 'Limited',
        limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
      },
    ],
  ]);
}
