// The text form of metrics that Prometheus reads (exposition format 0.0.4), printed as Kubernetes prints it: families
// by name, labels by name with `le` last, numbers as Go writes them.

/** Metrics of one name. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Called when the text is printed. */
  samples(): Iterable<Sample>;
}

/** One number. */
export interface Sample {
  /** Of histograms: `_bucket`, `_sum` or `_count`. */
  readonly suffix?: string;
  /** As `labelText` made them. */
  readonly labels: string;
  readonly value: number;
}

/** The media type of the text. */
export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** Labels as they stand between the braces; made once, since they never change. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  const names = Object.keys(labels).sort();
  return names.map((name) => `${name}="${escaped(labels[name] ?? '')}"`).join(',');
}

/** The whole text. A family without numbers is left out. */
export function prometheusText(families: readonly MetricFamily[]): string {
  const sorted = [...families].sort((a, b) => (a.name < b.name ? -1 : 1));
  return sorted.map(familyText).join('');
}

function familyText(family: MetricFamily): string {
  const { name, help, type } = family;
  const lines = Array.from(
    family.samples(),
    ({ suffix = '', labels, value }) =>
      `${name}${suffix}${labels === '' ? '' : `{${labels}}`} ${printSampleValue(value)}\n`,
  );
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function escaped(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"');
}

/** As strconv.FormatFloat(value, 'g', -1, 64): from a million on with an exponent. */
export function printSampleValue(value: number): string {
  if (value === Infinity) return '+Inf';
  if (value === -Infinity) return '-Inf';
  const exponent = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  if (exponent >= -4 && exponent < 6) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}
