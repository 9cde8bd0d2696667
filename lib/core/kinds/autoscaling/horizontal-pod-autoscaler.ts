// HorizontalPodAutoscalers: how many pods a workload should have, from what is measured. The hub version is v2.
// As pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go. They have no generation.
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { HorizontalPodAutoscaler } from '../../types/autoscaling-v2.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateAutoscalerSpec, validateAutoscalerStatus } from './horizontal-pod-autoscaler-validation.js';
import { metricsCell } from './metrics-cell.js';

/** The strategy of HorizontalPodAutoscalers. */
export const horizontalPodAutoscaler: KindStrategy<HorizontalPodAutoscaler> = {
  nameRule: nameIsDnsSubdomain,
  validate: ({ spec }) => validateAutoscalerSpec(spec),
  validateUpdate: ({ spec }, old) => validateAutoscalerSpec(spec, old.spec),
  subresources: { status: { validateUpdate: ({ status }) => validateAutoscalerStatus(status ?? {}) } },
  table: {
    columns: [
      nameColumn,
      textColumn('Reference', 'The workload that is scaled.'),
      textColumn('Targets', 'What is measured, over what is aimed at.'),
      textColumn('MinPods', 'The fewest pods.'),
      textColumn('MaxPods', 'The most pods.'),
      textColumn('Replicas', 'Pods that exist.'),
      ageColumn,
    ],
    row(object, now) {
      const { metadata, spec, status } = object;
      return {
        cells: [
          metadata?.name ?? '',
          `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
          metricsCell(spec.metrics, status?.currentMetrics),
          spec.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
          spec.maxReplicas,
          status?.currentReplicas ?? 0,
          age(object, now),
        ],
      };
    },
  },
};
