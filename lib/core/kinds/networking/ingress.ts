// Ingresses: HTTP routes from hosts and paths to Services.
// As pkg/registry/networking/ingress/strategy.go and the printer of its table.
import { collect } from '../../errors/collect.js';
import { fieldInvalid } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { warningsForIp } from '../../objects/ip-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { Ingress, IngressRule, IngressStatus } from '../../types/networking-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import type { KindTable } from '../kind-table.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { ingressTolerance, validateIngressSpec, validateIngressStatus } from './ingress-validation.js';

const classAnnotation = 'kubernetes.io/ingress.class';

const table: KindTable<Ingress> = {
  columns: [
    nameColumn,
    textColumn('Class', 'The IngressClass that serves it.'),
    textColumn('Hosts', 'The hosts of its rules.'),
    textColumn('Address', 'Where its load balancer listens.'),
    textColumn('Ports', 'The ports it opens.'),
    ageColumn,
  ],
  row: (ingress, now) => ({
    cells: [
      ingress.metadata?.name ?? '',
      ingress.spec?.ingressClassName ?? '<none>',
      hosts(ingress.spec?.rules ?? []),
      addresses(ingress.status),
      (ingress.spec?.tls ?? []).length > 0 ? '80, 443' : '80',
      age(ingress, now),
    ],
  }),
};

/** The strategy of Ingresses. */
export const ingress: KindStrategy<Ingress> = {
  nameRule: nameIsDnsSubdomain,
  changesGeneration: (object, old) => !deepEqual(object.spec, old.spec),
  validate: ({ metadata, spec = {} }) => {
    const annotation = classOf(metadata?.annotations);
    const differs =
      annotation !== undefined && spec.ingressClassName !== undefined && annotation !== spec.ingressClassName;
    return [
      ...validateIngressSpec(spec),
      ...(differs
        ? [
            fieldInvalid(
              fieldPath('annotations', classAnnotation),
              annotation,
              'must match `ingressClassName` when both are specified',
            ),
          ]
        : []),
    ];
  },
  warningsOnCreate: ({ metadata, spec }) =>
    classOf(metadata?.annotations) !== undefined && spec?.ingressClassName === undefined
      ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  validateUpdate: ({ spec = {} }, old) => validateIngressSpec(spec, ingressTolerance(old.spec ?? {})),
  subresources: {
    status: {
      validateUpdate: ({ status }, old) => validateIngressStatus(status, old.status),
      warningsOnUpdate: ({ status }) =>
        collect(status?.loadBalancer?.ingress ?? [], ({ ip = '' }, index) =>
          ip === '' ? [] : warningsForIp(ip, fieldPath('status', 'loadBalancer', 'ingress').index(index)),
        ),
    },
  },
  table,
};

function classOf(annotations: Readonly<Record<string, string>> | undefined): string | undefined {
  return annotations !== undefined && Object.hasOwn(annotations, classAnnotation)
    ? annotations[classAnnotation]
    : undefined;
}

/** Three hosts; whether there are more is asked of the rules behind the third, with a host or without. */
function hosts(rules: readonly Frozen<IngressRule>[]): string {
  const shown: string[] = [];
  let more = false;
  for (const { host = '' } of rules) {
    if (shown.length === hostsMax) more = true;
    else if (host !== '') shown.push(host);
  }
  if (shown.length === 0) return '*';
  return more ? `${shown.join(',')} + ${rules.length - hostsMax} more...` : shown.join(',');
}

const hostsMax = 3;

function addresses(status: Frozen<IngressStatus> | undefined): string {
  const found = (status?.loadBalancer?.ingress ?? []).map(({ ip = '', hostname = '' }) => (ip === '' ? hostname : ip));
  return [...new Set(found)]
    .filter((address) => address !== '')
    .sort()
    .join(',');
}
