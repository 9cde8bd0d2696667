// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import { horizontalPodAutoscalerV1 } from '../../scheme/conversions/horizontal-pod-autoscaler.js';
import type { KindParticulars } from '../../scheme/kind-definition.js';
import {
  horizontalPodAutoscalerV1Defaults,
  horizontalPodAutoscalerV2Defaults,
} from './horizontal-pod-autoscaler-defaults.js';
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler.js';

/** The strategy of each kind of the group. */
export const autoscalingKinds: Readonly<Record<string, KindParticulars>> = {
  'autoscaling/v1/HorizontalPodAutoscaler': {
    conversion: horizontalPodAutoscalerV1,
    setDefaults: horizontalPodAutoscalerV1Defaults,
  },
  'autoscaling/v2/HorizontalPodAutoscaler': {
    strategy: horizontalPodAutoscaler,
    setDefaults: horizontalPodAutoscalerV2Defaults,
  },
};
