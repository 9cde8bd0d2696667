// The mandatory and the suggested FlowSchemas and PriorityLevelConfigurations of Kubernetes. An annotation states that
// the server maintains them.
// As apiserver/pkg/apis/flowcontrol/bootstrap/default.go.
import {
  everythingOf,
  groupSubject,
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
  printTime,
} from '../../core/index.js';
import type {
  FlowSchema,
  FlowSchemaCondition,
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  Subject,
} from '../../core/types/index.js';

/** The priority levels, mandatory ones first. */
export function priorityLevels(): readonly PriorityLevelConfiguration[] {
  const suggested = suggestedLevels.map((level) => [level.name, queued(level)] as const);
  return [...mandatoryPriorityLevels(), ...suggested].map(([name, spec]) => ({
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name, generation: 1, annotations: { [autoUpdate]: 'true' } },
    spec,
    status: {},
  }));
}

/** The schemas, mandatory ones first. */
export function flowSchemas(now: number): readonly FlowSchema[] {
  return [...mandatoryFlowSchemas(), ...suggestedSchemas()].map(([name, spec]) => ({
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name, generation: 1, annotations: { [autoUpdate]: 'true' } },
    spec,
    status: { conditions: [danglingCondition(spec.priorityLevelConfiguration.name, true, now)] },
  }));
}

const autoUpdate = 'apf.kubernetes.io/autoupdate-spec';

/** The condition `Dangling` of a FlowSchema: whether the priority level that it names is missing. */
export function danglingCondition(level: string, exists: boolean, now: number): FlowSchemaCondition {
  const found = exists ? 'and it exists' : 'but there is no such object';
  return {
    type: 'Dangling',
    status: exists ? 'False' : 'True',
    lastTransitionTime: printTime(now),
    reason: exists ? 'Found' : 'NotFound',
    message: `This FlowSchema references the PriorityLevelConfiguration object named "${level}" ${found}`,
  };
}

/** A level with queues of at most 50 requests: its share, how much of it others may borrow, and its queues. */
interface Level {
  readonly name: string;
  readonly shares: number;
  readonly lendablePercent: number;
  readonly queues: number;
  readonly handSize: number;
}

const suggestedLevels: readonly Level[] = [
  { name: 'system', shares: 30, lendablePercent: 33, queues: 64, handSize: 6 },
  { name: 'node-high', shares: 40, lendablePercent: 25, queues: 64, handSize: 6 },
  { name: 'leader-election', shares: 10, lendablePercent: 0, queues: 16, handSize: 4 },
  { name: 'workload-high', shares: 40, lendablePercent: 50, queues: 128, handSize: 6 },
  { name: 'workload-low', shares: 100, lendablePercent: 90, queues: 128, handSize: 6 },
  { name: 'global-default', shares: 20, lendablePercent: 50, queues: 128, handSize: 6 },
];

function queued({ shares, lendablePercent, queues, handSize }: Level): PriorityLevelConfigurationSpec {
  const limitResponse = { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } };
  return { type: 'Limited', limited: { nominalConcurrencyShares: shares, limitResponse, lendablePercent } };
}

const nodes = groupSubject('system:nodes');
const controllerManager = userSubject('system:kube-controller-manager');
const scheduler = userSubject('system:kube-scheduler');
const systemAccounts: Subject = { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } };
const allUsers = [groupSubject('system:unauthenticated'), groupSubject('system:authenticated')];

/** In order of precedence. */
function suggestedSchemas(): readonly (readonly [string, FlowSchemaSpec])[] {
  const probes = {
    subjects: allUsers,
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  };
  const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] };
  const nodeStatus = {
    verbs: ['*'],
    apiGroups: [''],
    resources: ['nodes', 'nodes/status'],
    clusterScope: true,
    namespaces: ['*'],
  };
  const electing = {
    subjects: [controllerManager, scheduler, systemAccounts],
    resourceRules: [{ verbs: ['get', 'create', 'update'], ...leases }],
  };
  return [
    schema('probes', 'exempt', 2, undefined, probes),
    schema('system-leader-election', 'leader-election', 100, 'ByUser', electing),
    schema('system-node-high', 'node-high', 400, 'ByUser', {
      subjects: [nodes],
      resourceRules: [nodeStatus, { verbs: ['*'], ...leases }],
    }),
    schema('system-nodes', 'system', 500, 'ByUser', everythingOf(nodes)),
    schema('kube-controller-manager', 'workload-high', 800, 'ByNamespace', everythingOf(controllerManager)),
    schema('kube-scheduler', 'workload-high', 800, 'ByNamespace', everythingOf(scheduler)),
    schema('kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', everythingOf(systemAccounts)),
    schema('service-accounts', 'workload-low', 9000, 'ByUser', everythingOf(groupSubject('system:serviceaccounts'))),
    schema('global-default', 'global-default', 9900, 'ByUser', everythingOf(...allUsers)),
  ];
}

function schema(
  ...parts: readonly [
    name: string,
    level: string,
    precedence: number,
    method: string | undefined,
    rules: PolicyRulesWithSubjects,
  ]
): readonly [string, FlowSchemaSpec] {
  const [name, level, matchingPrecedence, type, rules] = parts;
  const distinguisherMethod = type === undefined ? {} : { distinguisherMethod: { type } };
  return [
    name,
    { priorityLevelConfiguration: { name: level }, matchingPrecedence, ...distinguisherMethod, rules: [rules] },
  ];
}

function userSubject(name: string): Subject {
  return { kind: 'User', user: { name } };
}
