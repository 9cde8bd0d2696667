// The points right after the choice of a node, Reserve and Permit: all plugins agree to it, or the pod gives the node
// back. As pkg/scheduler/framework/runtime, RunReservePlugins… and RunPermitPlugins.
import { errorText } from '../../core/index.js';
import type { Cycle } from '../framework/cycle.js';
import { PluginError } from '../framework/plugin-error.js';
import { rejectedBy } from '../framework/profile-filters.js';
import type { ProfilePlugins } from '../framework/profile-plugins.js';
import type { Rejected } from '../framework/rejection.js';
import { statusOfRejection, succeeded, timedPoint } from '../framework/timings.js';
import type { PointStatus } from '../framework/timings.js';

/** What plugins said to a node: no, wait, or (undefined) yes. */
export type PermitAnswer =
  { readonly rejected: Rejected } | { readonly waitMs: ReadonlyMap<string, number> } | undefined;

/** Has plugins reserve what the pod needs; the first no ends it. Throws what plugins throw. */
export function runReserve(cycle: Cycle, { reserve }: ProfilePlugins, nodeName: string): Rejected | undefined {
  return timedPoint(cycle.timings, 'Reserve', statusOfRejection, () => {
    for (const plugin of reserve) {
      const rejection = during('Reserve', plugin.name, () => plugin.reserve?.(cycle, nodeName));
      if (rejection !== undefined) return rejectedBy(plugin.name, rejection);
    }
    return undefined;
  });
}

/** Takes back what was reserved, in reverse order. One that fails does not keep the others from it; it is answered. */
export function runUnreserve(cycle: Cycle, { reserve }: ProfilePlugins, nodeName: string): readonly unknown[] {
  const errors: unknown[] = [];
  timedPoint(cycle.timings, 'Unreserve', succeeded, () => {
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

/** Asks for the last word. A no counts more than a wait. Throws what plugins throw. */
export function runPermit(cycle: Cycle, { permit }: ProfilePlugins, nodeName: string): PermitAnswer {
  if (permit.length === 0) {
    cycle.timings?.idle('Permit', 'Success');
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

function statusOfPermit(answer: PermitAnswer): PointStatus {
  if (answer === undefined) return 'Success';
  return 'waitMs' in answer ? 'Wait' : answer.rejected.code;
}

/** No pod waits longer. */
const waitMsMax = 15 * 60_000;

function during<T>(point: string, plugin: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new PluginError(plugin, `running ${point} plugin "${plugin}": ${errorText(error)}`, error);
  }
}
