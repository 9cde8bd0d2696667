// Defaults of HorizontalPodAutoscalers, in place on a freshly decoded object.
// As pkg/apis/autoscaling/v1/defaults.go and v2/defaults.go. The conversion is in scheme/conversions.
import { defaultCpuUtilization, roundTripAnnotations } from '../../scheme/conversions/horizontal-pod-autoscaler.js';
import type * as autoscalingV1 from '../../types/autoscaling-v1.generated.js';
import type { HPAScalingRules, HorizontalPodAutoscaler } from '../../types/autoscaling-v2.generated.js';

/**
 * Defaults of autoscaling/v1. The metric that v1 also has by default is added in conversion, which knows all of them.
 */
export function horizontalPodAutoscalerV1Defaults({ spec }: autoscalingV1.HorizontalPodAutoscaler): void {
  spec.minReplicas ??= 1;
}

/**
 * Defaults of autoscaling/v2. The annotations that only v1 may carry are dropped here: Kubernetes drops them on the way
 * into its internal form, which every object takes.
 */
export function horizontalPodAutoscalerV2Defaults({ metadata, spec }: HorizontalPodAutoscaler): void {
  if (metadata?.annotations !== undefined) {
    for (const name of Object.values(roundTripAnnotations)) delete metadata.annotations[name];
    if (Object.keys(metadata.annotations).length === 0) delete metadata.annotations;
  }
  spec.minReplicas ??= 1;
  if (spec.metrics === undefined || spec.metrics.length === 0) {
    spec.metrics = [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: defaultCpuUtilization } },
      },
    ];
  }
  if (spec.behavior !== undefined) {
    spec.behavior.scaleUp = { ...scaleUpRules(), ...spec.behavior.scaleUp };
    spec.behavior.scaleDown = { ...scaleDownRules(), ...spec.behavior.scaleDown };
  }
}

/** The larger of four pods and doubling, every 15 seconds, at once. */
function scaleUpRules(): HPAScalingRules {
  return {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  };
}

/** Everything at once; how long to wait first is a setting of the controller. */
function scaleDownRules(): HPAScalingRules {
  return { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };
}
