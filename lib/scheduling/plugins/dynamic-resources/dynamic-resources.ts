// The plugin DynamicResources, as far as pods without claims are concerned: it has nothing to do with them, and says so
// when it is asked to make room. As pkg/scheduler/framework/plugins/dynamicresources.
import { memoryKey } from '../../framework/cycle.js';
import type { MemoryKey, Remembered } from '../../framework/cycle.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import { unschedulable } from '../../framework/rejection.js';
import type { DeviceClaim } from '../../pod/claims.js';

/** What the plugin remembers of a pod. */
interface ClaimMemory extends Remembered {
  readonly claims: readonly DeviceClaim[];
}

const claimMemory: MemoryKey<ClaimMemory> = memoryKey<ClaimMemory>('DynamicResources');
const nothingToGiveBack = unschedulable('no new claims to deallocate');

/** Makes the plugin. */
export function dynamicResources(): SchedulingPlugin {
  return {
    name: 'DynamicResources',
    events: [],
    preFilter: ({ pod, memory }) => {
      memory.set(claimMemory, { claims: pod.deviceClaims });
      if (pod.deviceClaims.length > 0) throw new Error('resource claims cannot be allocated yet');
      return 'skip';
    },
    postFilter: ({ memory }) => {
      memory.recall(claimMemory);
      return { rejection: nothingToGiveBack };
    },
    filter: () => undefined,
  };
}
