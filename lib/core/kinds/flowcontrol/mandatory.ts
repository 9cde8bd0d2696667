// The FlowSchemas and PriorityLevelConfigurations every server has and nobody may change: without them requests of
// administrators could starve, or some requests belong nowhere. As pkg/apis/flowcontrol/internalbootstrap and
// apiserver/pkg/apis/flowcontrol/bootstrap/default.go. Validation compares with these; the server creates them.
import type { FlowSchemaSpec, PolicyRulesWithSubjects, PriorityLevelConfigurationSpec, Subject } from '../../types/flowcontrol-v1.generated.js';
import type { Frozen } from '../../objects/meta.js';

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

/** By name. */
export const mandatoryFlowSchemas: ReadonlyMap<string, Frozen<FlowSchemaSpec>> = new Map<string, FlowSchemaSpec>([
  ['exempt', { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 1, rules: [everythingOf(groupSubject('system:masters'))] }],
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

/** By name. */
export const mandatoryPriorityLevels: ReadonlyMap<string, Frozen<PriorityLevelConfigurationSpec>> = new Map([
  ['exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  ['catch-all', { type: 'Limited', limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } } }],
]);
