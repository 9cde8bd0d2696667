// Reserve and Permit: after a node is chosen all plugins must accept it, otherwise the pod is unreserved. As
// pkg/scheduler/framework/runtime, RunReservePlugins… and RunPermitPlugins.
import { errorText } from '../../core/index.js';
import type { Cycle } from '../framework/cycle-state.js';
import { PluginError } from '../framework/rejection.js';
import { rejectedBy } from '../framework/profile-filters.js';
import type { ProfilePlugins } from '../framework/profile-plugins.js';
import type { Rejected } from '../framework/rejection.js';
import { statusOfRejection, alwaysSuccess, timedPoint } from '../framework/timings.js';
import type { PointStatus } from '../framework/timings.js';

/** The result of Permit: a rejection, delays by plugin, or undefined to proceed. */
export type PermitDecision =
  { readonly rejected: Rejected } | { readonly waitMs: ReadonlyMap<string, number> } | undefined;

/** Runs Reserve; the first rejection ends it. Throws what plugins throw. */
export function runReserve(cycle: Cycle, { reserve }: ProfilePlugins, nodeName: string): Rejected | undefined {
  return timedPoint(cycle.timings, 'Reserve', statusOfRejection, () => {
    for (const plugin of reserve) {
      const rejection = during('Reserve', plugin.name, () => plugin.reserve?.(cycle, nodeName));
      if (rejection !== undefined) return rejectedBy(plugin.name, rejection);
    }
    return undefined;
  });
}

/** Runs Unreserve of all plugins in reverse order. Returns the errors: one failure does not stop the others. */
export function runUnreserve(cycle: Cycle, { reserve }: ProfilePlugins, nodeName: string): readonly unknown[] {
  const errors: unknown[] = [];
  timedPoint(cycle.timings, 'Unreserve', alwaysSuccess, () => {
    for (const plugin of reserve.toReversed()) {
      try {
        plugin.unreserve?.(cycle, nodeName);
      } catch (error) {
        errors.push(
          new PluginError(plugin.name, `running Unreserve plugin "${plugin.name}": ${errorText(error)}`, error),
        );
      }
    }
  });
  return errors;
}

/** Runs Permit. A rejection takes precedence over a delay. Throws what plugins throw. */
export function runPermit(cycle: Cycle, { permit }: ProfilePlugins, nodeName: string): PermitDecision {
  if (permit.length === 0) {
    cycle.timings?.recordSkippedPoint('Permit', 'Success');
    return undefined;
  }
  return timedPoint(cycle.timings, 'Permit', statusOfPermit, () => {
    const waitMs = new Map<string, number>();
    for (const plugin of permit) {
      const answer = during('Permit', plugin.name, () => plugin.permit(cycle, nodeName));
      if (answer === undefined) continue;
      if ('code' in answer) return { rejected: rejectedBy(plugin.name, answer) };
      waitMs.set(plugin.name, Math.min(answer.waitMs, waitMsMax));
    }
    return waitMs.size === 0 ? undefined : { waitMs };
  });
}

function statusOfPermit(answer: PermitDecision): PointStatus {
  if (answer === undefined) return 'Success';
  return 'waitMs' in answer ? 'Wait' : answer.rejected.code;
}

/** The longest wait at Permit. */
const waitMsMax = 15 * 60_000;

function during<T>(point: string, plugin: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new PluginError(plugin, `running ${point} plugin "${plugin}": ${errorText(error)}`, error);
  }
}
