// Formats the activity of parts as lines of output.
import { filter, map } from 'rxjs';
import type { Observable } from 'rxjs';
import type { AuthenticationReload } from '../auth/node/index.js';
import type { Leadership } from '../client/index.js';
import type { ClusterActivity } from '../cluster/index.js';
import { errorText, objectKey } from '../core/index.js';
import type { RequestFailed } from '../server/index.js';
import type { CommandLogEntry } from './environment.js';
import type { SchedulerActivity } from '../scheduling/index.js';

/** The activities that are printed; others have no line. */
type Printed = SchedulerActivity | Leadership | AuthenticationReload;

/** `verbose` prints every scheduling result; `problems` only failures. */
export type Verbosity = 'verbose' | 'problems';

/** Emits an entry of the log for each activity that is printed. */
export function activityEntries(
  activity$: Observable<ClusterActivity>,
  verbosity: Verbosity,
): Observable<CommandLogEntry> {
  return activity$.pipe(
    map((activity) => entryOf(activity, verbosity)),
    filter((entry) => entry !== undefined),
  );
}

function entryOf(clusterActivity: ClusterActivity, verbosity: Verbosity): CommandLogEntry | undefined {
  const { part, activity } = clusterActivity;
  if (part === 'apiserver' && activity.type === 'request-failed') return failedRequest(activity as RequestFailed);
  const message = formatActivity(clusterActivity, verbosity);
  if (message === undefined) return undefined;
  return { level: part === 'scheduler' && progressTypes.has(activity.type) ? 'info' : 'error', part, message };
}

const progressTypes: ReadonlySet<string> = new Set(['bound', 'unschedulable', 'preempted', 'leader', 'leading']);

function failedRequest({ error, auditId, method, path }: RequestFailed): CommandLogEntry {
  const request = auditId === undefined ? 'a connection' : `${method} ${path} (audit ID ${auditId})`;
  return {
    level: 'error',
    part: 'apiserver',
    message: `apiserver: ${request} failed: ${errorText(error)}`,
    ...(auditId !== undefined && { auditId }),
  };
}

/** Returns the line of an activity; undefined if it is not printed. */
export function formatActivity({ part, activity }: ClusterActivity, verbosity: Verbosity): string | undefined {
  if (activity.type === 'part-failed' && 'error' in activity)
    return `vivarium: ${part} has stopped: ${errorText(activity.error)}`;
  if (part === 'compactor' && 'reason' in activity) return `compactor: ${String(activity.reason)}`;
  if (part !== 'scheduler' && part !== 'authentication') return undefined;
  const printed = activity as Printed; // the name of the part says which activities it has
  return (verbosity === 'verbose' ? progressLine(printed) : undefined) ?? problemLine(printed);
}

function progressLine(activity: Printed): string | undefined {
  switch (activity.type) {
    case 'bound':
      return `${objectKey(activity.pod)} goes to ${activity.nodeName}`;
    case 'unschedulable':
      return `${objectKey(activity.pod)}: ${activity.message}`;
    case 'preempted':
      return `${objectKey(activity.pod)} has to leave${activity.by === undefined ? '' : ` for ${objectKey(activity.by)}`}`;
    case 'leader':
      return `waits: ${activity.identity} schedules`;
    case 'leading':
      return 'schedules now';
    default:
      return undefined;
  }
}

function problemLine(activity: Printed): string | undefined {
  switch (activity.type) {
    case 'failed':
    case 'binding-failed':
      return `scheduler: ${objectKey(activity.pod)}: ${errorText(activity.error)}`;
    case 'write-failed':
      return `scheduler: ${objectKey(activity.pod)}: cannot write its ${activity.what}: ${errorText(activity.error)}`;
    case 'watch-failed':
      return `scheduler: cannot follow ${activity.kind}: ${errorText(activity.error)}; again in ${seconds(activity)}`;
    case 'not-served':
      return `scheduler: the server does not know ${activity.kind}`;
    case 'extender-failed':
      return `scheduler: extender ${activity.extender}: ${errorText(activity.error)}`;
    case 'background-failed':
      return `scheduler: ${errorText(activity.error)}`;
    case 'election-failed':
      return `scheduler: cannot ask for the lease: ${errorText(activity.error)}; again in ${seconds(activity)}`;
    case 'lost':
      return lostLine(activity.reason);
    case 'configuration-refused':
      return `the authentication configuration was not taken over: ${activity.problem}`;
    default:
      return undefined;
  }
}

function lostLine(reason: Extract<Leadership, { readonly type: 'lost' }>['reason']): string | undefined {
  if (reason === 'stopped') return undefined;
  const why = reason === 'taken' ? 'the lease is no longer held' : 'the lease could not be renewed in time';
  return `scheduler: ${why}; waits`;
}

function seconds({ retryInMs }: { readonly retryInMs: number }): string {
  return `${Math.ceil(retryInMs / 1000)} s`;
}
