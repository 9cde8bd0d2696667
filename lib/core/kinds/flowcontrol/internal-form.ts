// How errors print the specs of this group: with the Go names of Kubernetes' inner types, in their order.
// As the types of pkg/apis/flowcontrol/types.go.
import { goForms } from '../../go/struct-form.js';
import type { GoPrinter } from '../../go/struct-form.js';

/** Prints a part of a spec by the name of its form. */
export const printFlowControl: GoPrinter = /* @__PURE__ */ goForms({
  FlowSchemaSpec:
    'priorityLevelConfiguration:Name! matchingPrecedence# distinguisherMethod:DistinguisherMethod rules:Rules',
  Name: 'name!',
  DistinguisherMethod: 'type!',
  Rules: 'subjects:Subject resourceRules:ResourceRule nonResourceRules:NonResourceRule',
  Subject: 'kind! user:Name group:Name serviceAccount:ServiceAccount',
  ServiceAccount: 'namespace! name!',
  ResourceRule: 'verbs apiGroups=APIGroups resources clusterScope? namespaces',
  NonResourceRule: 'verbs nonResourceURLs',
  PriorityLevelConfigurationSpec: 'type! limited:Limited exempt:Exempt',
  Limited: 'nominalConcurrencyShares# limitResponse:LimitResponse! lendablePercent borrowingLimitPercent',
  LimitResponse: 'type! queuing:Queuing',
  Queuing: 'queues# handSize# queueLengthLimit#',
  Exempt: 'nominalConcurrencyShares lendablePercent',
});
