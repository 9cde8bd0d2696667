// Defaults of StatefulSets that depend on other fields. As pkg/apis/apps/v1/defaults.go, SetDefaults_StatefulSet, and
// conversion.go: the claims of the pods always say what they are.
import type { StatefulSet } from '../../types/apps-v1.generated.js';
import { podSpecDefaults } from '../pods/pod-defaults.js';
import { roundResourceList } from '../resource-list.js';

/** Fills in the update strategy, the claims and the pods' defaults. */
export function statefulSetDefaults({ spec }: StatefulSet): void {
  if (spec === undefined) return;
  const strategy = (spec.updateStrategy ??= {});
  // A strategy that is set without its settings gets no default settings.
  if (strategy.type === undefined) {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate !== undefined) strategy.rollingUpdate.partition ??= 0;
  if (spec.volumeClaimTemplates !== undefined) {
    spec.volumeClaimTemplates = spec.volumeClaimTemplates.map((template) => {
      roundResourceList(template.spec?.resources?.limits);
      roundResourceList(template.spec?.resources?.requests);
      roundResourceList(template.status?.capacity);
      roundResourceList(template.status?.allocatedResources);
      return { ...template, kind: 'PersistentVolumeClaim', apiVersion: 'v1' };
    });
  }
  if (spec.template.spec !== undefined) podSpecDefaults(spec.template.spec);
}
