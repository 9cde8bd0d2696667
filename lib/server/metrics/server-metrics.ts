// `/metrics`: the server's metrics, collected at each scrape. Names and labels are those of a kube-apiserver, so that
// its dashboards work; metrics of the process (memory, descriptors) are the host's.
import type { CacherFigures } from '../../cacher/index.js';
import type { Clock, GroupResource, MetricFamily, Sample } from '../../core/index.js';
import { labelText, printGroupResource, prometheusText, prometheusType } from '../../core/index.js';
import type { Audit } from '../audit/audit.js';
import type { DocumentRoute } from '../documents/documents.js';
import { gitVersion } from '../documents/version.js';
import type { FlowControl } from '../fairness/flow-control.js';
import type { Registry } from '../registry/registry.js';
import type { RequestMetrics } from './request-metrics.js';

/** The sources of the metrics. */
export interface MetricSources {
  readonly clock: Clock;
  readonly requests: RequestMetrics;
  readonly registry: Registry;
  readonly audit: Pick<Audit, 'eventsTotal'>;
  readonly flowControl: FlowControl | undefined;
  /** Metrics of other parts of the process. */
  readonly others: () => readonly MetricFamily[];
}

/** Serves `/metrics`. */
export function metricsRoute({ clock, requests, registry, audit, flowControl, others }: MetricSources): DocumentRoute {
  const startSeconds = Math.floor(clock.now() / 1000);
  return {
    path: '/metrics',
    answer: () => {
      const families = [
        ...requests.families(),
        ...storageFamilies(registry),
        ...serverFamilies(startSeconds, audit.eventsTotal),
        ...(flowControl === undefined ? [] : flowFamilies(flowControl)),
        ...others(),
      ];
      const headers = { 'Process-Start-Time-Unix': `${startSeconds}` };
      return Promise.resolve({
        type: 'raw',
        code: 200,
        contentType: prometheusType,
        content: prometheusText(families),
        headers,
      });
    },
  };
}

function serverFamilies(startSeconds: number, auditEvents: number): readonly MetricFamily[] {
  const build = { git_version: gitVersion, major: '1', minor: '36' };
  return [
    gauge('kubernetes_build_info', '[ALPHA] Which Kubernetes this behaves like.', () => [
      { labels: labelText(build), value: 1 },
    ]),
    gauge('process_start_time_seconds', '[ALPHA] When the server was made.', () => [
      { labels: '', value: startSeconds },
    ]),
    counter('apiserver_audit_event_total', '[ALPHA] Events of the audit log.', () => [
      { labels: '', value: auditEvents },
    ]),
  ];
}

/** Metrics of kinds whose cache was read; the number of objects of others is unknown. */
function storageFamilies({ storedKinds }: Registry): readonly MetricFamily[] {
  const kinds = Array.from(storedKinds, ({ ref, cacher }) => ({ ref, figures: cacher.figures() })).filter(
    ({ figures }) => figures.revision > 0,
  );
  const samples =
    (labelsOf: (ref: GroupResource) => Readonly<Record<string, string>>, valueOf: (figures: CacherFigures) => number) =>
    (): readonly Sample[] =>
      kinds.map(({ ref, figures }) => ({ labels: labelText(labelsOf(ref)), value: valueOf(figures) }));
  const both = ({ group, resource }: GroupResource): Readonly<Record<string, string>> => ({ group, resource });
  return [
    gauge(
      'apiserver_storage_objects',
      '[STABLE] Objects of a resource.',
      samples(
        (ref) => ({ resource: printGroupResource(ref) }),
        ({ objects }) => objects,
      ),
    ),
    gauge(
      'apiserver_resource_objects',
      '[ALPHA] Objects of a resource.',
      samples(both, ({ objects }) => objects),
    ),
    gauge(
      'apiserver_watch_cache_resource_version',
      '[ALPHA] How far the cache of a resource has come.',
      samples(both, ({ revision }) => revision),
    ),
    gauge(
      'apiserver_watch_cache_window_events',
      'Events kept for watches that resume.',
      samples(both, ({ windowEvents }) => windowEvents),
    ),
    gauge(
      'apiserver_watch_cache_window_bytes',
      'Estimated bytes of replaced objects that these events keep.',
      samples(both, ({ windowBytes }) => windowBytes),
    ),
    gauge(
      'apiserver_watch_cache_watchers',
      'Watches of a resource.',
      samples(both, ({ watchers }) => watchers),
    ),
  ];
}

function flowFamilies({ flows, levels }: FlowControl): readonly MetricFamily[] {
  const byFlow = (valueOf: (counts: (typeof flows)[number]['counts']) => number) => (): readonly Sample[] =>
    flows.map(({ schema, level, counts }) => ({
      labels: labelText({ flow_schema: schema, priority_level: level.name }),
      value: valueOf(counts),
    }));
  const all = [...levels];
  const byLevel = (valueOf: (level: (typeof all)[number]) => number) => (): readonly Sample[] =>
    all.map((level) => ({ labels: labelText({ priority_level: level.name }), value: valueOf(level) }));
  const rejected = (): readonly Sample[] =>
    flows.flatMap(({ schema, level, counts }) =>
      Array.from(counts.rejected, ([reason, value]) => ({
        labels: labelText({ flow_schema: schema, priority_level: level.name, reason }),
        value,
      })),
    );
  const prefix = 'apiserver_flowcontrol';
  return [
    counter(
      `${prefix}_dispatched_requests_total`,
      '[BETA] Requests that got seats.',
      byFlow(({ dispatched }) => dispatched),
    ),
    counter(`${prefix}_rejected_requests_total`, '[BETA] Requests that were turned away.', rejected),
    gauge(
      `${prefix}_current_executing_requests`,
      '[BETA] Requests that have seats.',
      byFlow(({ executing }) => executing),
    ),
    gauge(
      `${prefix}_current_executing_seats`,
      '[BETA] Seats that requests have.',
      byFlow(({ executingSeats }) => executingSeats),
    ),
    gauge(
      `${prefix}_current_inqueue_requests`,
      '[BETA] Requests that wait for seats.',
      byFlow(({ waiting }) => waiting),
    ),
    gauge(
      `${prefix}_nominal_limit_seats`,
      '[BETA] Seats of a level by its share.',
      byLevel(({ limits }) => limits.nominal),
    ),
    gauge(
      `${prefix}_lower_limit_seats`,
      '[ALPHA] Seats that a level keeps.',
      byLevel(({ limits }) => limits.lower),
    ),
    gauge(
      `${prefix}_upper_limit_seats`,
      '[ALPHA] Seats that a level can have at most.',
      byLevel(({ limits }) => limits.upper),
    ),
    gauge(
      `${prefix}_current_limit_seats`,
      '[ALPHA] Seats that a level has, with what is lent and borrowed.',
      byLevel(({ queues }) => queues.limit),
    ),
  ];
}

function gauge(name: string, help: string, samples: () => readonly Sample[]): MetricFamily {
  return { name, help, type: 'gauge', samples };
}

function counter(name: string, help: string, samples: () => readonly Sample[]): MetricFamily {
  return { name, help, type: 'counter', samples };
}
