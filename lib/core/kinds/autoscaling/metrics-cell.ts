// The metrics of an autoscaler in one cell: current over target, the first two of them.
// As pkg/printers/internalversion/printers.go, formatHPAMetrics.
import type {
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../types/autoscaling-v2.generated.js';
import type { Loose } from '../loose.js';

const shownMax = 2;
const unknown = '<unknown>';

/** `cpu: 10%/80%, 3/5 + 1 more...`. */
export function metricsCell(
  metrics: readonly Loose<MetricSpec>[] = [],
  current: readonly Loose<MetricStatus>[] = [],
): string {
  if (metrics.length === 0) return '<none>';
  const shown = metrics.slice(0, shownMax).map((metric, index) => metricText(metric, current[index] ?? {}));
  const more = metrics.length - shown.length;
  return more > 0 ? `${shown.join(', ')} + ${more} more...` : shown.join(', ');
}

function metricText(metric: Loose<MetricSpec>, status: Loose<MetricStatus>): string {
  switch (metric.type) {
    case 'External':
      return valueText(metric.external?.target ?? {}, status.external?.current);
    case 'Object':
      return valueText(metric.object?.target ?? {}, status.object?.current);
    case 'Pods':
      return `${amount(status.pods?.current, 'averageValue')}/${metric.pods?.target?.averageValue ?? none}`;
    case 'Resource':
      return `${metric.resource?.name ?? ''}: ${resourceText(metric.resource?.target ?? {}, status.resource?.current)}`;
    case 'ContainerResource':
      return `${metric.containerResource?.name ?? ''}: ${resourceText(metric.containerResource?.target ?? {}, status.containerResource?.current)}`;
    default:
      return '<unknown type>';
  }
}

function valueText(target: Loose<MetricTarget>, current: Loose<MetricValueStatus> | undefined): string {
  if (target.averageValue === undefined) return `${amount(current, 'value')}/${target.value ?? none}`;
  return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
}

function resourceText(target: Loose<MetricTarget>, current: Loose<MetricValueStatus> | undefined): string {
  if (target.averageValue !== undefined) return `${amount(current, 'averageValue')}/${target.averageValue}`;
  const share = current?.averageUtilization;
  const aim = target.averageUtilization;
  return `${share === undefined ? unknown : `${share}%`}/${aim === undefined ? '<auto>' : `${aim}%`}`;
}

/** How Go prints an amount that is not there. */
const none = '<nil>';

function amount(current: Loose<MetricValueStatus> | undefined, field: 'value' | 'averageValue'): string {
  return current === undefined ? unknown : (current[field] ?? none);
}
