// What a Kubernetes v1.36 API server answered when it was given objects of the smaller API groups with one mistake
// each: an example that it accepts, then the place of a change, the new value there (or `absent`: the place was
// removed), and what was said. Texts that end in an ellipsis are the beginnings of longer ones.

/** The place is removed. */
export const absent: unique symbol = Symbol('absent');

/** A change of the example, and what was said about it; warnings begin with `warning: `. */
export type Case = readonly [place: string, value: unknown, said: readonly string[]];

/** An accepted object and changes of it, in a new object and in an update. */
export interface KindCases {
  readonly object: Readonly<Record<string, unknown>>;
  readonly create: readonly Case[];
  readonly update: readonly Case[];
}

/** By `apiVersion/kind`. */
export const groupCases: Readonly<Record<string, KindCases>> = {
  'networking.k8s.io/v1/Ingress': {
    object: {
      metadata: { name: 'n', labels: { app: 'x' }, annotations: { 'kubernetes.io/ingress.class': 'c' } },
      spec: {
        ingressClassName: 'c',
        defaultBackend: { service: { name: 's', port: { number: 80 } } },
        tls: [{ hosts: ['a.com', '*.b.com'], secretName: 's' }],
        rules: [
          {
            host: 'a.com',
            http: {
              paths: [
                { path: '/a', pathType: 'Prefix', backend: { service: { name: 's', port: { name: 'http' } } } },
                { path: '/b', pathType: 'Exact', backend: { resource: { apiGroup: 'g.io', kind: 'K', name: 'n' } } },
              ],
            },
          },
          {
            host: '*.c.com',
            http: {
              paths: [
                { pathType: 'ImplementationSpecific', backend: { service: { name: 's', port: { number: 80 } } } },
              ],
            },
          },
          { host: 'd.com' },
          { host: 'e.com' },
        ],
      },
    },
    create: [
      [
        'metadata.annotations.kubernetes.io/ingress.class',
        'A',
        ['annotations.kubernetes.io/ingress.class: Invalid value: "A": must match `ingressClassNam…'],
      ],
      [
        'metadata.labels.app',
        '-a',
        ['metadata.labels: Invalid value: "-a": a valid label must be an empty string or consist o…'],
      ],
      [
        'metadata.labels.app',
        'z'.repeat(254),
        ['metadata.labels: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      ['spec', absent, ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified']],
      ['spec.defaultBackend', {}, ['spec.defaultBackend: Invalid value: "": resource or service backend is required']],
      [
        'spec.defaultBackend.service',
        {},
        [
          'spec.defaultBackend.service.name: Required value',
          'spec.defaultBackend: Required value: port name or number is required',
        ],
      ],
      [
        'spec.defaultBackend.service.name',
        '10.0.0.1',
        ['spec.defaultBackend.service.name: Invalid value: "10.0.0.1": must not contain dots'],
      ],
      [
        'spec.defaultBackend.service.name',
        'A',
        ['spec.defaultBackend.service.name: Invalid value: "A": a lowercase RFC 1123 label must co…'],
      ],
      [
        'spec.defaultBackend.service.name',
        'z'.repeat(254),
        ['spec.defaultBackend.service.name: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      [
        'spec.defaultBackend.service.port.number',
        1000000001,
        ['spec.defaultBackend.service.port.number: Invalid value: 1000000001: must be between 1 an…'],
      ],
      [
        'spec.ingressClassName',
        'A',
        [
          'spec.ingressClassName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist o…',
          'annotations.kubernetes.io/ingress.class: Invalid value: "c": must match `ingressClassNam…',
        ],
      ],
      [
        'spec.ingressClassName',
        'z'.repeat(254),
        [
          'spec.ingressClassName: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…',
          'annotations.kubernetes.io/ingress.class: Invalid value: "c": must match `ingressClassNam…',
        ],
      ],
      [
        'spec.ingressClassName',
        absent,
        [`warning: annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassNam…`],
      ],
      [
        'spec.rules.0.host',
        '*',
        [`spec.rules[0].host: Invalid value: "*": a wildcard DNS-1123 subdomain must start with '*…`],
      ],
      [
        'spec.rules.0.host',
        '10.0.0.1',
        ['spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address'],
      ],
      [
        'spec.rules.0.host',
        'A',
        ['spec.rules[0].host: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of l…'],
      ],
      [
        'spec.rules.0.host',
        'z'.repeat(254),
        ['spec.rules[0].host: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      ['spec.rules.0.http', {}, ['spec.rules[0].http.paths: Required value']],
      [
        'spec.rules.0.http.paths.0',
        {},
        ['spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified'],
      ],
      [
        'spec.rules.0.http.paths.0.backend',
        {},
        ['spec.rules[0].http.paths[0].backend: Invalid value: "": resource or service backend is required'],
      ],
      [
        'spec.rules.0.http.paths.0.backend.service',
        {},
        [
          'spec.rules[0].http.paths[0].backend.service.name: Required value',
          'spec.rules[0].http.paths[0].backend: Required value: port name or number is required',
        ],
      ],
      [
        'spec.rules.0.http.paths.0.backend.service.name',
        '-a',
        ['spec.rules[0].http.paths[0].backend.service.name: Invalid value: "-a": a lowercase RFC 1…'],
      ],
      [
        'spec.rules.0.http.paths.0.backend.service.name',
        '010.0.0.1',
        ['spec.rules[0].http.paths[0].backend.service.name: Invalid value: "010.0.0.1": must not c…'],
      ],
      [
        'spec.rules.0.http.paths.0.backend.service.name',
        'z'.repeat(254),
        ['spec.rules[0].http.paths[0].backend.service.name: Invalid value: "zzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      [
        'spec.rules.0.http.paths.0.backend.service.port.name',
        'A',
        [
          'spec.rules[0].http.paths[0].backend.service.port.name: Invalid value: "A": must contain …',
          'spec.rules[0].http.paths[0].backend.service.port.name: Invalid value: "A": must contain …',
        ],
      ],
      [
        'spec.rules.0.http.paths.0.path',
        '',
        ['spec.rules[0].http.paths[0].path: Invalid value: "": must be an absolute path'],
      ],
      [
        'spec.rules.0.http.paths.0.path',
        '/a/..',
        [`spec.rules[0].http.paths[0].path: Invalid value: "/a/..": cannot end with '/..'`],
      ],
      [
        'spec.rules.0.http.paths.0.path',
        '/a//b',
        [`spec.rules[0].http.paths[0].path: Invalid value: "/a//b": must not contain '//'`],
      ],
      [
        'spec.rules.0.http.paths.0.pathType',
        'A',
        ['spec.rules[0].http.paths[0].pathType: Unsupported value: "A": supported values: "Exact",…'],
      ],
      [
        'spec.rules.0.http.paths.1.backend.resource',
        {},
        [
          'spec.rules[0].http.paths[1].backend.resource.kind: Required value',
          'spec.rules[0].http.paths[1].backend.resource.name: Required value',
        ],
      ],
      [
        'spec.rules.0.http.paths.1.backend.resource.apiGroup',
        'a/b',
        ['spec.rules[0].http.paths[1].backend.resource.apiGroup: Invalid value: "a/b": a lowercase…'],
      ],
      [
        'spec.rules.0.http.paths.1.backend.resource.apiGroup',
        'z'.repeat(254),
        ['spec.rules[0].http.paths[1].backend.resource.apiGroup: Invalid value: "zzzzzzzzzzzzzzzzz…'],
      ],
      [
        'spec.rules.0.http.paths.1.backend.resource.kind',
        'a/b',
        [`spec.rules[0].http.paths[1].backend.resource.kind: Invalid value: "a/b": may not contain '/'`],
      ],
      [
        'spec.rules.0.http.paths.1.backend.resource.name',
        'a/b',
        [`spec.rules[0].http.paths[1].backend.resource.name: Invalid value: "a/b": may not contain '/'`],
      ],
      [
        'spec.rules.1.http.paths.0.backend.service.port.number',
        -1,
        ['spec.rules[1].http.paths[0].backend.service.port.number: Invalid value: -1: must be betw…'],
      ],
      [
        'spec.tls.0.hosts.0',
        '*',
        ['spec.tls[0].hosts[0]: Invalid value: "*": a wildcard DNS-1123 subdomain must start with …'],
      ],
      [
        'spec.tls.0.hosts.0',
        'A',
        ['spec.tls[0].hosts[0]: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of…'],
      ],
      [
        'spec.tls.0.hosts.0',
        'z'.repeat(254),
        ['spec.tls[0].hosts[0]: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      [
        'spec.tls.0.secretName',
        '-a',
        ['spec.tls[0].secretName: Invalid value: "-a": a lowercase RFC 1123 subdomain must consist…'],
      ],
      [
        'spec.tls.0.secretName',
        'z'.repeat(254),
        ['spec.tls[0].secretName: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
    ],
    update: [],
  },
  'networking.k8s.io/v1/IngressClass': {
    object: {
      metadata: { name: 'n', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
      spec: {
        controller: 'a.io/b',
        parameters: { apiGroup: 'g.io', kind: 'K', name: 'n', scope: 'Namespace', namespace: 'default' },
      },
    },
    create: [
      ['spec', {}, ['spec.controller: Required value']],
      [
        'spec.controller',
        '*',
        ['spec.controller: Invalid value: "*": must be a domain-prefixed path (such as "acme.io/foo")'],
      ],
      [
        'spec.controller',
        '2001:DB8::/32',
        ['spec.controller: Invalid value: "2001:DB8::": a lowercase RFC 1123 subdomain must consis…'],
      ],
      [
        'spec.controller',
        'z'.repeat(254),
        [
          'spec.controller: Too long: may not be more than 250 bytes',
          'spec.controller: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…',
        ],
      ],
      ['spec.parameters', {}, ['spec.parameters.kind: Required value', 'spec.parameters.name: Required value']],
      [
        'spec.parameters.apiGroup',
        '',
        ['spec.parameters.apiGroup: Invalid value: "": a lowercase RFC 1123 subdomain must consist…'],
      ],
      [
        'spec.parameters.apiGroup',
        'z'.repeat(254),
        ['spec.parameters.apiGroup: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      ['spec.parameters.kind', 'a/b', [`spec.parameters.kind: Invalid value: "a/b": may not contain '/'`]],
      ['spec.parameters.name', 'a/b', [`spec.parameters.name: Invalid value: "a/b": may not contain '/'`]],
      [
        'spec.parameters.namespace',
        '',
        ['spec.parameters.namespace: Invalid value: "": a lowercase RFC 1123 label must consist of…'],
      ],
      [
        'spec.parameters.namespace',
        '010.0.0.1',
        ['spec.parameters.namespace: Invalid value: "010.0.0.1": must not contain dots'],
      ],
      [
        'spec.parameters.namespace',
        'x'.repeat(64),
        ['spec.parameters.namespace: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'],
      ],
      [
        'spec.parameters.namespace',
        absent,
        ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
      ],
      [
        'spec.parameters.scope',
        '-a',
        ['spec.parameters.scope: Unsupported value: "-a": supported values: "Cluster", "Namespace"'],
      ],
      [
        'spec.parameters.scope',
        absent,
        ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
      ],
    ],
    update: [
      [
        'spec.controller',
        absent,
        ['spec.controller: Invalid value: "": field is immutable', 'spec.controller: Required value'],
      ],
    ],
  },
  'networking.k8s.io/v1/NetworkPolicy': {
    object: {
      metadata: { name: 'n' },
      spec: {
        podSelector: {
          matchLabels: { a: 'b' },
          matchExpressions: [
            { key: 'k', operator: 'In', values: ['v', 'w'] },
            { key: 'e', operator: 'Exists' },
          ],
        },
        policyTypes: ['Ingress', 'Egress'],
        ingress: [
          {
            ports: [{ protocol: 'TCP', port: 80, endPort: 90 }, { port: 'http' }],
            from: [
              {
                podSelector: {
                  matchLabels: { a: 'b' },
                  matchExpressions: [
                    { key: 'k', operator: 'In', values: ['v', 'w'] },
                    { key: 'e', operator: 'Exists' },
                  ],
                },
                namespaceSelector: { matchLabels: { a: 'b' } },
              },
              { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '10.2.0.0/16'] } },
            ],
          },
        ],
        egress: [
          {
            ports: [{ port: 53, protocol: 'UDP' }],
            to: [{ ipBlock: { cidr: '2001:db8::/32', except: ['2001:db8:1::/48'] } }, { namespaceSelector: {} }],
          },
        ],
      },
    },
    create: [
      [
        'spec.egress.0.ports.0.port',
        65536,
        ['spec.egress[0].ports[0].port: Invalid value: 65536: must be between 1 and 65535, inclusive'],
      ],
      [
        'spec.egress.0.ports.0.protocol',
        'A',
        ['spec.egress[0].ports[0].protocol: Unsupported value: "A": supported values: "TCP", "UDP"…'],
      ],
      ['spec.egress.0.to.0', {}, ['spec.egress[0].to[0]: Required value: must specify a peer']],
      ['spec.egress.0.to.0.ipBlock', {}, ['spec.egress[0].to[0].ipBlock.cidr: Required value']],
      [
        'spec.egress.0.to.0.ipBlock.cidr',
        '-a',
        ['spec.egress[0].to[0].ipBlock.cidr: Invalid value: "-a": must be a valid CIDR value, (e.g…'],
      ],
      [
        'spec.egress.0.to.0.ipBlock.cidr',
        '10.0.0.0/08',
        [
          'spec.egress[0].to[0].ipBlock.cidr: Invalid value: "10.0.0.0/08": must not have leading 0…',
          'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "2001:db8:1::/48": must be a stri…',
        ],
      ],
      [
        'spec.egress.0.to.0.ipBlock.cidr',
        '10.0.0.1/8',
        [
          'spec.egress[0].to[0].ipBlock.cidr: Invalid value: "10.0.0.1/8": must not have bits set b…',
          'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "2001:db8:1::/48": must be a stri…',
        ],
      ],
      [
        'spec.egress.0.to.0.ipBlock.cidr',
        '2001:DB8::/32',
        ['warning: spec.egress[0].to[0].ipBlock.cidr: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952…'],
      ],
      [
        'spec.egress.0.to.0.ipBlock.except.0',
        '',
        ['spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "": must be a valid CIDR value, (…'],
      ],
      [
        'spec.egress.0.to.0.ipBlock.except.0',
        '10.0.0.0/08',
        [
          'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "10.0.0.0/08": must not have lead…',
          'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "10.0.0.0/08": must be a strict s…',
        ],
      ],
      [
        'spec.egress.0.to.0.ipBlock.except.0',
        '10.0.0.1/8',
        [
          'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "10.0.0.1/8": must not have bits …',
          'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "10.0.0.1/8": must be a strict su…',
        ],
      ],
      ['spec.ingress.0.from.0', {}, ['spec.ingress[0].from[0]: Required value: must specify a peer']],
      [
        'spec.ingress.0.from.0.namespaceSelector.matchLabels.a',
        'a/b',
        ['spec.ingress[0].from[0].namespaceSelector.matchLabels: Invalid value: "a/b": a valid lab…'],
      ],
      [
        'spec.ingress.0.from.0.namespaceSelector.matchLabels.a',
        'x'.repeat(64),
        ['spec.ingress[0].from[0].namespaceSelector.matchLabels: Invalid value: "xxxxxxxxxxxxxxxxx…'],
      ],
      [
        'spec.ingress.0.from.0.podSelector.matchExpressions.0',
        {},
        [
          'spec.ingress[0].from[0].podSelector.matchExpressions[0].operator: Invalid value: "": not…',
          'spec.ingress[0].from[0].podSelector.matchExpressions[0].key: Invalid value: "": name par…',
          'spec.ingress[0].from[0].podSelector.matchExpressions[0].key: Invalid value: "": name par…',
        ],
      ],
      [
        'spec.ingress.0.from.0.podSelector.matchExpressions.0.key',
        absent,
        [
          'spec.ingress[0].from[0].podSelector.matchExpressions[0].key: Invalid value: "": name par…',
          'spec.ingress[0].from[0].podSelector.matchExpressions[0].key: Invalid value: "": name par…',
        ],
      ],
      [
        'spec.ingress.0.from.0.podSelector.matchExpressions.0.values',
        absent,
        ['spec.ingress[0].from[0].podSelector.matchExpressions[0].values: Required value: must be …'],
      ],
      [
        'spec.ingress.0.from.0.podSelector.matchExpressions.0.values.0',
        '-a',
        ['spec.ingress[0].from[0].podSelector.matchExpressions[0].values[0]: Invalid value: "-a": …'],
      ],
      [
        'spec.ingress.0.from.0.podSelector.matchLabels.a',
        'a/b',
        ['spec.ingress[0].from[0].podSelector.matchLabels: Invalid value: "a/b": a valid label mus…'],
      ],
      [
        'spec.ingress.0.from.0.podSelector.matchLabels.a',
        'x'.repeat(64),
        ['spec.ingress[0].from[0].podSelector.matchLabels: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxx…'],
      ],
      ['spec.ingress.0.from.1.ipBlock', {}, ['spec.ingress[0].from[1].ipBlock.cidr: Required value']],
      [
        'spec.ingress.0.from.1.ipBlock.cidr',
        '-a',
        ['spec.ingress[0].from[1].ipBlock.cidr: Invalid value: "-a": must be a valid CIDR value, (…'],
      ],
      [
        'spec.ingress.0.from.1.ipBlock.cidr',
        '10.0.0.0/08',
        ['spec.ingress[0].from[1].ipBlock.cidr: Invalid value: "10.0.0.0/08": must not have leadin…'],
      ],
      [
        'spec.ingress.0.from.1.ipBlock.cidr',
        '10.0.0.1/8',
        ['spec.ingress[0].from[1].ipBlock.cidr: Invalid value: "10.0.0.1/8": must not have bits se…'],
      ],
      [
        'spec.ingress.0.from.1.ipBlock.cidr',
        '11.0.0.0/8',
        [
          'spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: "10.1.0.0/16": must be a stric…',
          'spec.ingress[0].from[1].ipBlock.except[1]: Invalid value: "10.2.0.0/16": must be a stric…',
        ],
      ],
      [
        'spec.ingress.0.from.1.ipBlock.except.0',
        '10.0.0.0/08',
        [
          'spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: "10.0.0.0/08": must not have l…',
          'spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: "10.0.0.0/08": must be a stric…',
        ],
      ],
      [
        'spec.ingress.0.from.1.ipBlock.except.0',
        '10.0.0.1/8',
        [
          'spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: "10.0.0.1/8": must not have bi…',
          'spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: "10.0.0.1/8": must be a strict…',
        ],
      ],
      [
        'spec.ingress.0.from.1.ipBlock.except.0',
        'a/b',
        ['spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: "a/b": must be a valid CIDR va…'],
      ],
      [
        'spec.ingress.0.ports.0.endPort',
        0,
        [
          'spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`',
          'spec.ingress[0].ports[0].endPort: Invalid value: 0: must be between 1 and 65535, inclusive',
        ],
      ],
      [
        'spec.ingress.0.ports.0.port',
        0,
        ['spec.ingress[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive'],
      ],
      [
        'spec.ingress.0.ports.0.port',
        65536,
        [
          'spec.ingress[0].ports[0].port: Invalid value: 65536: must be between 1 and 65535, inclusive',
          'spec.ingress[0].ports[0].endPort: Invalid value: 65536: must be greater than or equal to `port`',
        ],
      ],
      [
        'spec.ingress.0.ports.0.port',
        absent,
        ['spec.ingress[0].ports[0].endPort: Invalid value: 90: may not be specified when `port` is…'],
      ],
      [
        'spec.ingress.0.ports.0.protocol',
        '*',
        ['spec.ingress[0].ports[0].protocol: Unsupported value: "*": supported values: "TCP", "UDP…'],
      ],
      [
        'spec.ingress.0.ports.1.port',
        '',
        [
          'spec.ingress[0].ports[1].port: Invalid value: "": must contain only alpha-numeric charac…',
          'spec.ingress[0].ports[1].port: Invalid value: "": must contain at least one letter (a-z)',
        ],
      ],
      [
        'spec.ingress.0.ports.1.port',
        '-a',
        ['spec.ingress[0].ports[1].port: Invalid value: "-a": must not begin or end with a hyphen'],
      ],
      [
        'spec.ingress.0.ports.1.port',
        'z'.repeat(254),
        ['spec.ingress[0].ports[1].port: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      [
        'spec.podSelector.matchExpressions.0',
        {},
        [
          'spec.podSelector.matchExpressions[0].operator: Invalid value: "": not a valid selector operator',
          'spec.podSelector.matchExpressions[0].key: Invalid value: "": name part must be non-empty',
          'spec.podSelector.matchExpressions[0].key: Invalid value: "": name part must consist of a…',
        ],
      ],
      [
        'spec.podSelector.matchExpressions.0.key',
        '/*a',
        [
          'spec.podSelector.matchExpressions[0].key: Invalid value: "/*a": prefix part must be non-empty',
          'spec.podSelector.matchExpressions[0].key: Invalid value: "/*a": name part must consist o…',
        ],
      ],
      [
        'spec.podSelector.matchExpressions.0.key',
        '/a//b',
        ['spec.podSelector.matchExpressions[0].key: Invalid value: "/a//b": a valid label key must…'],
      ],
      [
        'spec.podSelector.matchExpressions.0.key',
        '2001:DB8::/32',
        ['spec.podSelector.matchExpressions[0].key: Invalid value: "2001:DB8::/32": prefix part a …'],
      ],
      [
        'spec.podSelector.matchExpressions.0.key',
        absent,
        [
          'spec.podSelector.matchExpressions[0].key: Invalid value: "": name part must be non-empty',
          'spec.podSelector.matchExpressions[0].key: Invalid value: "": name part must consist of a…',
        ],
      ],
      [
        'spec.podSelector.matchExpressions.0.values',
        absent,
        ['spec.podSelector.matchExpressions[0].values: Required value: must be specified when `ope…'],
      ],
      [
        'spec.podSelector.matchExpressions.0.values.0',
        'a/b',
        ['spec.podSelector.matchExpressions[0].values[0]: Invalid value: "a/b": a valid label must…'],
      ],
      [
        'spec.podSelector.matchExpressions.0.values.0',
        'x'.repeat(64),
        ['spec.podSelector.matchExpressions[0].values[0]: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxx…'],
      ],
      [
        'spec.podSelector.matchLabels.a',
        '-a',
        ['spec.podSelector.matchLabels: Invalid value: "-a": a valid label must be an empty string…'],
      ],
      [
        'spec.podSelector.matchLabels.a',
        'x'.repeat(64),
        ['spec.podSelector.matchLabels: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'],
      ],
      [
        'spec.policyTypes',
        ['Ingress', 'Egress', 'Ingress'],
        ['spec.policyTypes: Invalid value: ["Ingress","Egress","Ingress"]: may not specify more th…'],
      ],
      ['spec.policyTypes.0', '', ['spec.policyTypes[0]: Unsupported value: "": supported values: "Ingress", "Egress"']],
    ],
    update: [],
  },
  'networking.k8s.io/v1/IPAddress': {
    object: {
      metadata: { name: '10.200.0.1' },
      spec: { parentRef: { group: 'g.io', resource: 'r', namespace: 'n', name: 'x' } },
    },
    create: [
      ['spec.parentRef', absent, ['spec.parentRef: Required value']],
      ['spec.parentRef', {}, ['spec.parentRef.resource: Required value', 'spec.parentRef.name: Required value']],
      [
        'spec.parentRef.group',
        'a/b',
        ['spec.parentRef.group: Invalid value: "a/b": a lowercase RFC 1123 subdomain must consist …'],
      ],
      [
        'spec.parentRef.group',
        'z'.repeat(254),
        ['spec.parentRef.group: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      ['spec.parentRef.name', 'a/b', [`spec.parentRef.name: Invalid value: "a/b": may not contain '/'`]],
      ['spec.parentRef.namespace', 'a/b', [`spec.parentRef.namespace: Invalid value: "a/b": may not contain '/'`]],
      ['spec.parentRef.resource', 'a/b', [`spec.parentRef.resource: Invalid value: "a/b": may not contain '/'`]],
    ],
    update: [
      ['spec', absent, ['spec.parentRef: Required value', 'spec.parentRef: Invalid value: null: field is immutable']],
      [
        'spec.parentRef.group',
        absent,
        ['spec.parentRef: Invalid value: {"Group":"","Resource":"r","Namespace":"n","Name":"x"}: f…'],
      ],
    ],
  },
  'networking.k8s.io/v1/ServiceCIDR': {
    object: { metadata: { name: 'n' }, spec: { cidrs: ['10.210.0.0/24', '2001:db8::/112'] } },
    create: [
      ['spec', absent, ['spec.cidrs: Required value: at least one CIDR required']],
      [
        'spec.cidrs',
        ['10.210.0.0/24', '2001:db8::/112', '10.210.0.0/24'],
        ['spec.cidrs: Invalid value: {"CIDRs":["10.210.0.0/24","2001:db8::/112","10.210.0.0/24"]}:…'],
      ],
      [
        'spec.cidrs.0',
        '',
        ['spec.cidrs[0]: Invalid value: "": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:…'],
      ],
      [
        'spec.cidrs.0',
        '10.0.0.0/08',
        ['spec.cidrs[0]: Invalid value: "10.0.0.0/08": must not have leading 0s in IP or prefix length'],
      ],
      [
        'spec.cidrs.0',
        '10.0.0.1/8',
        ['spec.cidrs[0]: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length'],
      ],
      [
        'spec.cidrs.0',
        '2001:DB8::/32',
        [
          'spec.cidrs[0]: Invalid value: "2001:DB8::/32": must be in canonical form ("2001:db8::/32")',
          'spec.cidrs: Invalid value: ["2001:DB8::/32","2001:db8::/112"]: may specify no more than …',
        ],
      ],
    ],
    update: [
      [
        'spec.cidrs',
        ['10.210.0.0/24', '2001:db8::/112', '10.210.0.0/24'],
        ['spec.cidrs: Invalid value: ["10.210.0.0/24","2001:db8::/112","10.210.0.0/24"]: field is …'],
      ],
      ['spec.cidrs.0', '', ['spec.cidrs[0]: Invalid value: "": field is immutable']],
    ],
  },
  'rbac.authorization.k8s.io/v1/Role': {
    object: {
      metadata: { name: 'n:X' },
      rules: [
        { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] },
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      ],
    },
    create: [
      [
        'rules.0',
        {},
        [
          'rules[0].verbs: Required value: verbs must contain at least one value',
          'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
          'rules[0].resources: Required value: resource rules must supply at least one resource',
        ],
      ],
      ['rules.0.verbs', absent, ['rules[0].verbs: Required value: verbs must contain at least one value']],
    ],
    update: [],
  },
  'rbac.authorization.k8s.io/v1/ClusterRole': {
    object: {
      metadata: { name: 'n:X' },
      rules: [
        { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
        { verbs: ['get'], nonResourceURLs: ['/x', '/y/*'] },
      ],
      aggregationRule: {
        clusterRoleSelectors: [
          {
            matchLabels: { a: 'b' },
            matchExpressions: [
              { key: 'k', operator: 'In', values: ['v', 'w'] },
              { key: 'e', operator: 'Exists' },
            ],
          },
          { matchLabels: { a: 'b' } },
        ],
      },
    },
    create: [
      [
        'aggregationRule.clusterRoleSelectors',
        [],
        ['aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector r…'],
      ],
      [
        'aggregationRule.clusterRoleSelectors.0.matchExpressions.0',
        {},
        [
          'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: "":…',
          'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].key: Invalid value: "": name…',
          'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].key: Invalid value: "": name…',
          'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
        ],
      ],
      [
        'aggregationRule.clusterRoleSelectors.0.matchExpressions.0.values',
        absent,
        [
          'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values: Required value: must…',
          'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
        ],
      ],
      [
        'aggregationRule.clusterRoleSelectors.0.matchExpressions.0.values.0',
        '-a',
        [
          'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values[0]: Invalid value: "-…',
          'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
        ],
      ],
      [
        'aggregationRule.clusterRoleSelectors.0.matchLabels.a',
        '-a',
        [
          'aggregationRule.clusterRoleSelectors[0].matchLabels: Invalid value: "-a": a valid label …',
          'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
        ],
      ],
      [
        'aggregationRule.clusterRoleSelectors.0.matchLabels.a',
        'x'.repeat(64),
        [
          'aggregationRule.clusterRoleSelectors[0].matchLabels: Invalid value: "xxxxxxxxxxxxxxxxxxx…',
          'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
        ],
      ],
      [
        'rules.0',
        {},
        [
          'rules[0].verbs: Required value: verbs must contain at least one value',
          'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
          'rules[0].resources: Required value: resource rules must supply at least one resource',
        ],
      ],
      ['rules.0.verbs', absent, ['rules[0].verbs: Required value: verbs must contain at least one value']],
    ],
    update: [],
  },
  'rbac.authorization.k8s.io/v1/RoleBinding': {
    object: {
      metadata: { name: 'n' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' },
        { kind: 'Group', name: 'g' },
        { kind: 'ServiceAccount', name: 's', namespace: 'x' },
      ],
    },
    create: [
      [
        'roleRef',
        absent,
        [
          'roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"',
          'roleRef.name: Required value',
        ],
      ],
      [
        'roleRef.apiGroup',
        '-a',
        ['roleRef.apiGroup: Unsupported value: "-a": supported values: "rbac.authorization.k8s.io"'],
      ],
      ['roleRef.name', 'a/b', [`roleRef.name: Invalid value: "a/b": may not contain '/'`]],
      [
        'subjects.0',
        {},
        [
          'subjects[0].name: Required value',
          'subjects[0].kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"',
        ],
      ],
      [
        'subjects.0.apiGroup',
        'A',
        ['subjects[0].apiGroup: Unsupported value: "A": supported values: "rbac.authorization.k8s.io"'],
      ],
      [
        'subjects.0.kind',
        '',
        ['subjects[0].kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"'],
      ],
      [
        'subjects.2.name',
        'A',
        ['subjects[2].name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of low…'],
      ],
      [
        'subjects.2.name',
        'z'.repeat(254),
        ['subjects[2].name: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
    ],
    update: [
      [
        'roleRef',
        absent,
        [
          'roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"',
          'roleRef.name: Required value',
          'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"","Name":""}: ca…',
        ],
      ],
    ],
  },
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': {
    object: {
      metadata: { name: 'n' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'Group', name: 'g' },
        { kind: 'ServiceAccount', name: 's', namespace: 'x' },
      ],
    },
    create: [
      [
        'roleRef',
        {},
        ['roleRef.kind: Unsupported value: "": supported values: "ClusterRole"', 'roleRef.name: Required value'],
      ],
      [
        'roleRef.apiGroup',
        '-a',
        ['roleRef.apiGroup: Unsupported value: "-a": supported values: "rbac.authorization.k8s.io"'],
      ],
      ['roleRef.name', 'a/b', [`roleRef.name: Invalid value: "a/b": may not contain '/'`]],
      [
        'subjects.0',
        {},
        [
          'subjects[0].name: Required value',
          'subjects[0].kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"',
        ],
      ],
      [
        'subjects.2.name',
        '-a',
        ['subjects[2].name: Invalid value: "-a": a lowercase RFC 1123 subdomain must consist of lo…'],
      ],
      [
        'subjects.2.name',
        'z'.repeat(254),
        ['subjects[2].name: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      ['subjects.2.namespace', '', ['subjects[2].namespace: Required value']],
    ],
    update: [
      [
        'roleRef',
        {},
        [
          'roleRef.kind: Unsupported value: "": supported values: "ClusterRole"',
          'roleRef.name: Required value',
          'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"","Name":""}: ca…',
        ],
      ],
    ],
  },
  'storage.k8s.io/v1/StorageClass': {
    object: {
      metadata: { name: 'n', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'a.io/B',
      parameters: { a: 'b', c: 'd' },
      reclaimPolicy: 'Retain',
      mountOptions: ['ro'],
      allowVolumeExpansion: true,
      volumeBindingMode: 'WaitForFirstConsumer',
      allowedTopologies: [
        {
          matchLabelExpressions: [
            { key: 'zone', values: ['a', 'b'] },
            { key: 'beta.kubernetes.io/arch', values: ['x'] },
          ],
        },
        { matchLabelExpressions: [{ key: 'zone', values: ['c'] }] },
      ],
    },
    create: [
      [
        'allowedTopologies',
        [
          {
            matchLabelExpressions: [
              { key: 'zone', values: ['a', 'b'] },
              { key: 'beta.kubernetes.io/arch', values: ['x'] },
            ],
          },
          { matchLabelExpressions: [{ key: 'zone', values: ['c'] }] },
          {
            matchLabelExpressions: [
              { key: 'zone', values: ['a', 'b'] },
              { key: 'beta.kubernetes.io/arch', values: ['x'] },
            ],
          },
        ],
        ['allowedTopologies[2].matchLabelExpressions: Duplicate value: ""'],
      ],
      [
        'allowedTopologies.0.matchLabelExpressions',
        [
          { key: 'zone', values: ['a', 'b'] },
          { key: 'beta.kubernetes.io/arch', values: ['x'] },
          { key: 'zone', values: ['a', 'b'] },
        ],
        ['allowedTopologies[0].matchLabelExpressions[2].key: Duplicate value: "zone"'],
      ],
      [
        'allowedTopologies.0.matchLabelExpressions.0',
        absent,
        ['warning: allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.14; use "kubernet…'],
      ],
      [
        'allowedTopologies.0.matchLabelExpressions.0',
        {},
        [
          'allowedTopologies[0].matchLabelExpressions[0].values: Required value',
          'allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "": name part must be …',
          'allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "": name part must con…',
        ],
      ],
      [
        'allowedTopologies.0.matchLabelExpressions.0.key',
        '/a/..',
        ['allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "/a/..": a valid label…'],
      ],
      [
        'allowedTopologies.0.matchLabelExpressions.0.key',
        '2001:DB8::/32',
        ['allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "2001:DB8::/32": prefi…'],
      ],
      [
        'allowedTopologies.0.matchLabelExpressions.0.values',
        ['a', 'b', 'a'],
        ['allowedTopologies[0].matchLabelExpressions[0].values[2]: Duplicate value: "a"'],
      ],
      [
        'allowedTopologies.1.matchLabelExpressions.0.key',
        'beta.kubernetes.io/arch',
        [
          'warning: allowedTopologies[0].matchLabelExpressions[1].key: deprecated since v1.14; use "kubernet…',
          'warning: allowedTopologies[1].matchLabelExpressions[0].key: deprecated since v1.14; use "kubernet…',
        ],
      ],
      [
        'metadata.annotations',
        {},
        ['warning: allowedTopologies[0].matchLabelExpressions[1].key: deprecated since v1.14; use "kubernet…'],
      ],
      [
        'provisioner',
        '-a',
        [`provisioner: Invalid value: "-a": name part must consist of alphanumeric characters, '-'…`],
      ],
      [
        'provisioner',
        '/*a',
        [
          'provisioner: Invalid value: "/*a": prefix part must be non-empty',
          `provisioner: Invalid value: "/*a": name part must consist of alphanumeric characters, '-…`,
        ],
      ],
      [
        'provisioner',
        '/a//b',
        ['provisioner: Invalid value: "/a//b": a valid label key must consist of alphanumeric char…'],
      ],
      [
        'provisioner',
        '2001:DB8::/32',
        ['provisioner: Invalid value: "2001:db8::/32": prefix part a lowercase RFC 1123 subdomain …'],
      ],
      [
        'provisioner',
        'x'.repeat(64),
        ['provisioner: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'],
      ],
      ['provisioner', absent, ['provisioner: Required value']],
      ['reclaimPolicy', 'A', ['reclaimPolicy: Unsupported value: "A": supported values: "Delete", "Retain"']],
      [
        'volumeBindingMode',
        '',
        ['volumeBindingMode: Unsupported value: "": supported values: "Immediate", "WaitForFirstConsumer"'],
      ],
    ],
    update: [
      ['parameters', absent, ['parameters: Invalid value: null: field is immutable']],
      ['parameters.a', '', ['parameters: Invalid value: {"a":"","c":"d"}: field is immutable']],
      ['parameters.a', absent, ['parameters: Invalid value: {"c":"d"}: field is immutable']],
      ['provisioner', absent, ['provisioner: Required value', 'provisioner: Invalid value: "": field is immutable']],
      ['reclaimPolicy', absent, ['reclaimPolicy: Invalid value: "Delete": field is immutable']],
      ['volumeBindingMode', absent, ['volumeBindingMode: Invalid value: "Immediate": field is immutable']],
    ],
  },
  'storage.k8s.io/v1/CSIDriver': {
    object: {
      metadata: { name: 'n' },
      spec: {
        attachRequired: true,
        podInfoOnMount: true,
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
        storageCapacity: true,
        fsGroupPolicy: 'File',
        tokenRequests: [{ audience: 'a', expirationSeconds: 600 }, { audience: 'b' }],
        requiresRepublish: true,
        seLinuxMount: true,
        nodeAllocatableUpdatePeriodSeconds: 10,
        serviceAccountTokenInSecrets: true,
        preventPodSchedulingIfMissing: true,
      },
    },
    create: [
      [
        'spec.fsGroupPolicy',
        '',
        ['spec.fsGroupPolicy: Unsupported value: "": supported values: "File", "None", "ReadWriteO…'],
      ],
      [
        'spec.nodeAllocatableUpdatePeriodSeconds',
        -1,
        ['spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: -1: must be greater than or equa…'],
      ],
      [
        'spec.serviceAccountTokenInSecrets',
        absent,
        ['warning: spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true…'],
      ],
      [
        'spec.tokenRequests',
        [{ audience: 'a', expirationSeconds: 600 }, { audience: 'b' }, { audience: 'a', expirationSeconds: 600 }],
        ['spec.tokenRequests[2].audience: Duplicate value: "a"'],
      ],
      [
        'spec.tokenRequests',
        absent,
        ['spec.serviceAccountTokenInSecrets: Invalid value: true: serviceAccountTokenInSecrets is …'],
      ],
      [
        'spec.tokenRequests.0.expirationSeconds',
        0,
        ['spec.tokenRequests[0].expirationSeconds: Invalid value: 0: may not specify a duration le…'],
      ],
      [
        'spec.volumeLifecycleModes.0',
        '',
        ['spec.volumeLifecycleModes: Unsupported value: "": supported values: "Persistent", "Ephemeral"'],
      ],
    ],
    update: [
      ['spec', absent, ['spec.volumeLifecycleModes: Invalid value: ["Persistent"]: field is immutable']],
      ['spec.attachRequired', false, ['spec.attachedRequired: Invalid value: false: field is immutable']],
    ],
  },
  'storage.k8s.io/v1/CSINode': {
    object: {
      metadata: { name: 'n' },
      spec: {
        drivers: [
          { name: 'a.io', nodeID: 'x', topologyKeys: ['k', 'l.io/m'], allocatable: { count: 3 } },
          { name: 'B', nodeID: 'y' },
        ],
      },
    },
    create: [
      [
        'spec.drivers',
        [
          { name: 'a.io', nodeID: 'x', topologyKeys: ['k', 'l.io/m'], allocatable: { count: 3 } },
          { name: 'B', nodeID: 'y' },
          { name: 'a.io', nodeID: 'x', topologyKeys: ['k', 'l.io/m'], allocatable: { count: 3 } },
        ],
        ['spec.drivers[2].name: Duplicate value: "a.io"'],
      ],
      ['spec.drivers.0', {}, ['spec.drivers[0].name: Required value', 'spec.drivers[0].nodeID: Required value']],
      [
        'spec.drivers.0.allocatable.count',
        -1,
        ['spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0'],
      ],
      [
        'spec.drivers.0.name',
        '-a',
        ['spec.drivers[0].name: Invalid value: "-a": a lowercase RFC 1123 subdomain must consist o…'],
      ],
      ['spec.drivers.0.name', 'x'.repeat(64), ['spec.drivers[0].name: Too long: may not be more than 63 bytes']],
      [
        'spec.drivers.0.name',
        'z'.repeat(254),
        [
          'spec.drivers[0].name: Too long: may not be more than 63 bytes',
          'spec.drivers[0].name: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…',
        ],
      ],
      ['spec.drivers.0.topologyKeys', ['k', 'l.io/m', 'k'], ['spec.drivers[0]: Duplicate value: "k"']],
      [
        'spec.drivers.0.topologyKeys.0',
        '',
        [
          'spec.drivers[0]: Required value',
          'spec.drivers[0]: Invalid value: "": name part must be non-empty',
          `spec.drivers[0]: Invalid value: "": name part must consist of alphanumeric characters, '…`,
        ],
      ],
      [
        'spec.drivers.0.topologyKeys.0',
        '/*a',
        [
          'spec.drivers[0]: Invalid value: "/*a": prefix part must be non-empty',
          'spec.drivers[0]: Invalid value: "/*a": name part must consist of alphanumeric characters…',
        ],
      ],
      [
        'spec.drivers.0.topologyKeys.0',
        '/a//b',
        ['spec.drivers[0]: Invalid value: "/a//b": a valid label key must consist of alphanumeric …'],
      ],
      [
        'spec.drivers.0.topologyKeys.0',
        '2001:DB8::/32',
        ['spec.drivers[0]: Invalid value: "2001:DB8::/32": prefix part a lowercase RFC 1123 subdom…'],
      ],
      [
        'spec.drivers.0.topologyKeys.0',
        'x'.repeat(64),
        ['spec.drivers[0]: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'],
      ],
    ],
    update: [
      [
        'spec.drivers.0.nodeID',
        'A',
        ['spec.drivers: Invalid value: {"Name":"a.io","NodeID":"A","TopologyKeys":["k","l.io/m"],"…'],
      ],
      [
        'spec.drivers.0.topologyKeys',
        ['k', 'l.io/m', 'k'],
        [
          'spec.drivers[0]: Duplicate value: "k"',
          'spec.drivers: Invalid value: {"Name":"a.io","NodeID":"x","TopologyKeys":["k","l.io/m","k…',
        ],
      ],
      [
        'spec.drivers.0.topologyKeys',
        [],
        ['spec.drivers: Invalid value: {"Name":"a.io","NodeID":"x","TopologyKeys":[],"Allocatable"…'],
      ],
      [
        'spec.drivers.0.topologyKeys',
        absent,
        ['spec.drivers: Invalid value: {"Name":"a.io","NodeID":"x","TopologyKeys":null,"Allocatabl…'],
      ],
      [
        'spec.drivers.0.topologyKeys.0',
        absent,
        ['spec.drivers: Invalid value: {"Name":"a.io","NodeID":"x","TopologyKeys":["l.io/m"],"Allo…'],
      ],
    ],
  },
  'storage.k8s.io/v1/CSIStorageCapacity': {
    object: {
      metadata: { name: 'n' },
      storageClassName: 'c',
      nodeTopology: {
        matchLabels: { 'beta.kubernetes.io/os': 'b' },
        matchExpressions: [{ key: 'beta.kubernetes.io/arch', operator: 'In', values: ['v', 'w'] }],
      },
      capacity: '1Gi',
      maximumVolumeSize: '1',
    },
    create: [
      [
        'nodeTopology.matchExpressions',
        [
          { key: 'beta.kubernetes.io/arch', operator: 'In', values: ['v', 'w'] },
          { key: 'beta.kubernetes.io/arch', operator: 'In', values: ['v', 'w'] },
        ],
        [
          'warning: nodeTopology.matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14;…',
          'warning: nodeTopology.matchExpressions[1].key: beta.kubernetes.io/arch is deprecated since v1.14;…',
          'warning: nodeTopology.matchLabels.beta.kubernetes.io/os: deprecated since v1.14; use "kubernetes.…',
        ],
      ],
      [
        'nodeTopology.matchExpressions.0',
        {},
        [
          'nodeTopology.matchExpressions[0].operator: Invalid value: "": not a valid selector operator',
          'nodeTopology.matchExpressions[0].key: Invalid value: "": name part must be non-empty',
          'nodeTopology.matchExpressions[0].key: Invalid value: "": name part must consist of alpha…',
        ],
      ],
      [
        'nodeTopology.matchExpressions.0.key',
        '/*a',
        [
          'nodeTopology.matchExpressions[0].key: Invalid value: "/*a": prefix part must be non-empty',
          'nodeTopology.matchExpressions[0].key: Invalid value: "/*a": name part must consist of al…',
        ],
      ],
      [
        'nodeTopology.matchExpressions.0.key',
        '/a//b',
        ['nodeTopology.matchExpressions[0].key: Invalid value: "/a//b": a valid label key must con…'],
      ],
      [
        'nodeTopology.matchExpressions.0.key',
        '2001:DB8::/32',
        ['nodeTopology.matchExpressions[0].key: Invalid value: "2001:DB8::/32": prefix part a lowe…'],
      ],
      [
        'nodeTopology.matchExpressions.0.values',
        absent,
        ['nodeTopology.matchExpressions[0].values: Required value: must be specified when `operato…'],
      ],
      [
        'nodeTopology.matchExpressions.0.values.0',
        '-a',
        ['nodeTopology.matchExpressions[0].values[0]: Invalid value: "-a": a valid label must be a…'],
      ],
      [
        'nodeTopology.matchExpressions.0.values.0',
        'x'.repeat(64),
        ['nodeTopology.matchExpressions[0].values[0]: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxx…'],
      ],
      [
        'nodeTopology.matchLabels.beta.kubernetes.io/os',
        '-a',
        ['nodeTopology.matchLabels: Invalid value: "-a": a valid label must be an empty string or …'],
      ],
      [
        'nodeTopology.matchLabels.beta.kubernetes.io/os',
        'x'.repeat(64),
        ['nodeTopology.matchLabels: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'],
      ],
      [
        'storageClassName',
        'x'.repeat(64),
        [
          'warning: nodeTopology.matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14;…',
          'warning: nodeTopology.matchLabels.beta.kubernetes.io/os: deprecated since v1.14; use "kubernetes.…',
        ],
      ],
      [
        'storageClassName',
        'z'.repeat(254),
        ['storageClassName: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      [
        'storageClassName',
        absent,
        ['storageClassName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lowe…'],
      ],
    ],
    update: [
      ['nodeTopology', absent, ['nodeTopology: Invalid value: null: field is immutable']],
      [
        'nodeTopology.matchExpressions',
        [],
        ['nodeTopology: Invalid value: {"matchLabels":{"beta.kubernetes.io/os":"b"}}: field is immutable'],
      ],
      [
        'nodeTopology.matchExpressions',
        [
          { key: 'beta.kubernetes.io/arch', operator: 'In', values: ['v', 'w'] },
          { key: 'beta.kubernetes.io/arch', operator: 'In', values: ['v', 'w'] },
        ],
        ['nodeTopology: Invalid value: {"matchLabels":{"beta.kubernetes.io/os":"b"},"matchExpressi…'],
      ],
      [
        'nodeTopology.matchExpressions.0',
        {},
        [
          'nodeTopology.matchExpressions[0].operator: Invalid value: "": not a valid selector operator',
          'nodeTopology.matchExpressions[0].key: Invalid value: "": name part must be non-empty',
          'nodeTopology.matchExpressions[0].key: Invalid value: "": name part must consist of alpha…',
          'nodeTopology: Invalid value: {"matchLabels":{"beta.kubernetes.io/os":"b"},"matchExpressi…',
        ],
      ],
      [
        'nodeTopology.matchExpressions.0.key',
        absent,
        [
          'nodeTopology.matchExpressions[0].key: Invalid value: "": name part must be non-empty',
          'nodeTopology.matchExpressions[0].key: Invalid value: "": name part must consist of alpha…',
          'nodeTopology: Invalid value: {"matchLabels":{"beta.kubernetes.io/os":"b"},"matchExpressi…',
        ],
      ],
      [
        'nodeTopology.matchExpressions.0.values',
        ['v', 'w', 'v'],
        ['nodeTopology: Invalid value: {"matchLabels":{"beta.kubernetes.io/os":"b"},"matchExpressi…'],
      ],
      [
        'nodeTopology.matchExpressions.0.values.0',
        absent,
        ['nodeTopology: Invalid value: {"matchLabels":{"beta.kubernetes.io/os":"b"},"matchExpressi…'],
      ],
      [
        'nodeTopology.matchLabels',
        absent,
        ['nodeTopology: Invalid value: {"matchExpressions":[{"key":"beta.kubernetes.io/arch","oper…'],
      ],
      [
        'storageClassName',
        '*',
        [
          'storageClassName: Invalid value: "*": a lowercase RFC 1123 subdomain must consist of low…',
          'storageClassName: Invalid value: "*": field is immutable',
        ],
      ],
    ],
  },
  'storage.k8s.io/v1/VolumeAttachment': {
    object: {
      metadata: { name: 'n' },
      spec: { attacher: 'a.io', nodeName: 'n', source: { persistentVolumeName: 'pv' } },
    },
    create: [
      [
        'spec',
        absent,
        [
          'spec.attacher: Required value',
          'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistent…',
          'spec.nodeName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower c…',
        ],
      ],
      [
        'spec.attacher',
        '-a',
        ['spec.attacher: Invalid value: "-a": a lowercase RFC 1123 subdomain must consist of lower…'],
      ],
      ['spec.attacher', 'x'.repeat(64), ['spec.attacher: Too long: may not be more than 63 bytes']],
      [
        'spec.attacher',
        'z'.repeat(254),
        [
          'spec.attacher: Too long: may not be more than 63 bytes',
          'spec.attacher: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…',
        ],
      ],
      [
        'spec.nodeName',
        'z'.repeat(254),
        ['spec.nodeName: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      [
        'spec.source.persistentVolumeName',
        '',
        [
          'spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName',
          'spec.source.persistentVolumeName: Invalid value: "": a lowercase RFC 1123 subdomain must…',
        ],
      ],
      [
        'spec.source.persistentVolumeName',
        'z'.repeat(254),
        ['spec.source.persistentVolumeName: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
    ],
    update: [
      [
        'spec',
        absent,
        [
          'spec.attacher: Required value',
          'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistent…',
          'spec.nodeName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower c…',
          'spec: Invalid value: {"Attacher":"","Source":{"PersistentVolumeName":null,"InlineVolumeS…',
        ],
      ],
      [
        'spec.attacher',
        'a/b',
        [
          'spec.attacher: Invalid value: "a/b": a lowercase RFC 1123 subdomain must consist of lowe…',
          'spec: Invalid value: {"Attacher":"a/b","Source":{"PersistentVolumeName":"pv","InlineVolu…',
        ],
      ],
    ],
  },
  'storage.k8s.io/v1/VolumeAttributesClass': {
    object: { metadata: { name: 'n' }, driverName: 'a.io', parameters: { a: 'b' } },
    create: [
      [
        'driverName',
        '/*a',
        [
          'driverName: Invalid value: "/*a": prefix part must be non-empty',
          `driverName: Invalid value: "/*a": name part must consist of alphanumeric characters, '-'…`,
        ],
      ],
      [
        'driverName',
        '/a/..',
        ['driverName: Invalid value: "/a/..": a valid label key must consist of alphanumeric chara…'],
      ],
      [
        'driverName',
        '2001:DB8::/32',
        ['driverName: Invalid value: "2001:db8::/32": prefix part a lowercase RFC 1123 subdomain m…'],
      ],
      [
        'driverName',
        'a b',
        [`driverName: Invalid value: "a b": name part must consist of alphanumeric characters, '-'…`],
      ],
      [
        'driverName',
        'x'.repeat(64),
        ['driverName: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'],
      ],
      ['driverName', absent, ['driverName: Required value']],
      ['parameters', absent, ['parameters: Required value: must contain at least one key/value pair']],
    ],
    update: [
      [
        'driverName',
        absent,
        ['driverName: Forbidden: updates to driverName are forbidden.', 'driverName: Required value'],
      ],
      [
        'parameters',
        absent,
        [
          'parameters: Forbidden: updates to parameters are forbidden.',
          'parameters: Required value: must contain at least one key/value pair',
        ],
      ],
    ],
  },
  'scheduling.k8s.io/v1/PriorityClass': {
    object: { metadata: { name: 'n' }, value: 5, globalDefault: false, description: 'd', preemptionPolicy: 'Never' },
    create: [
      ['preemptionPolicy', '', ['preemptionPolicy: Required value']],
      [
        'preemptionPolicy',
        'a/b',
        ['preemptionPolicy: Unsupported value: "a/b": supported values: "PreemptLowerPriority", "Never"'],
      ],
      ['value', 1000000001, ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000']],
    ],
    update: [
      ['preemptionPolicy', absent, ['preemptionPolicy: Invalid value: "PreemptLowerPriority": field is immutable']],
      ['value', 101, ['value: Forbidden: may not be changed in an update.']],
    ],
  },
  'coordination.k8s.io/v1/Lease': {
    object: {
      metadata: { name: 'n' },
      spec: {
        holderIdentity: 'h',
        leaseDurationSeconds: 5,
        acquireTime: '2026-01-01T00:00:00.000000Z',
        renewTime: '2026-01-01T00:00:00.000000Z',
        leaseTransitions: 1,
        strategy: 'OldestEmulationVersion',
        preferredHolder: 'x',
      },
    },
    create: [
      ['spec.leaseDurationSeconds', -1, ['spec.leaseDurationSeconds: Invalid value: -1: must be greater than 0']],
      ['spec.leaseTransitions', -1, ['spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0']],
    ],
    update: [],
  },
  'node.k8s.io/v1/RuntimeClass': {
    object: {
      metadata: { name: 'n' },
      handler: 'h',
      overhead: { podFixed: { cpu: '1', memory: '1Gi' } },
      scheduling: {
        nodeSelector: { 'beta.kubernetes.io/arch': 'b', c: 'd' },
        tolerations: [
          { key: 'k', operator: 'Equal', value: 'v', effect: 'NoExecute', tolerationSeconds: 3 },
          { operator: 'Exists' },
        ],
      },
    },
    create: [
      ['handler', '*', ['handler: Invalid value: "*": a lowercase RFC 1123 label must consist of lower case alpha…']],
      ['handler', '10.0.0.1', ['handler: Invalid value: "10.0.0.1": must not contain dots']],
      [
        'handler',
        'example',
        ['warning: scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/arch" instead'],
      ],
      [
        'handler',
        'z'.repeat(254),
        ['handler: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      ['handler', absent, ['handler: Required value']],
      [
        'scheduling.nodeSelector.beta.kubernetes.io/arch',
        '*',
        ['scheduling.nodeSelector: Invalid value: "*": a valid label must be an empty string or co…'],
      ],
      [
        'scheduling.nodeSelector.beta.kubernetes.io/arch',
        'x'.repeat(64),
        ['scheduling.nodeSelector: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'],
      ],
      [
        'scheduling.tolerations',
        [
          { key: 'k', operator: 'Equal', value: 'v', effect: 'NoExecute', tolerationSeconds: 3 },
          { operator: 'Exists' },
          { key: 'k', operator: 'Equal', value: 'v', effect: 'NoExecute', tolerationSeconds: 3 },
        ],
        ['scheduling.tolerations[2]: Duplicate value: {"Key":"k","Operator":"Equal","Value":"v","E…'],
      ],
      [
        'scheduling.tolerations.0',
        {},
        ['scheduling.tolerations[0].operator: Invalid value: "": operator must be Exists when `key…'],
      ],
      [
        'scheduling.tolerations.0.effect',
        'A',
        [
          'scheduling.tolerations[0].effect: Invalid value: "A": effect must be \'NoExecute\' when `t…',
          'scheduling.tolerations[0].effect: Unsupported value: "A": supported values: "NoSchedule"…',
        ],
      ],
      [
        'scheduling.tolerations.0.effect',
        absent,
        ['scheduling.tolerations[0].effect: Invalid value: "": effect must be \'NoExecute\' when `to…'],
      ],
      [
        'scheduling.tolerations.0.key',
        '*',
        ['scheduling.tolerations[0].key: Invalid value: "*": name part must consist of alphanumeri…'],
      ],
      [
        'scheduling.tolerations.0.key',
        '/*a',
        [
          'scheduling.tolerations[0].key: Invalid value: "/*a": prefix part must be non-empty',
          'scheduling.tolerations[0].key: Invalid value: "/*a": name part must consist of alphanume…',
        ],
      ],
      [
        'scheduling.tolerations.0.key',
        '/a//b',
        ['scheduling.tolerations[0].key: Invalid value: "/a//b": a valid label key must consist of…'],
      ],
      [
        'scheduling.tolerations.0.key',
        '2001:DB8::/32',
        ['scheduling.tolerations[0].key: Invalid value: "2001:DB8::/32": prefix part a lowercase R…'],
      ],
      [
        'scheduling.tolerations.0.key',
        'x'.repeat(64),
        ['scheduling.tolerations[0].key: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'],
      ],
      [
        'scheduling.tolerations.0.operator',
        'A',
        ['scheduling.tolerations[0].operator: Unsupported value: "A": supported values: "Equal", "Exists"'],
      ],
      [
        'scheduling.tolerations.0.value',
        'a/b',
        ['scheduling.tolerations[0].operator: Invalid value: "a/b": a valid label must be an empty…'],
      ],
      [
        'scheduling.tolerations.0.value',
        'x'.repeat(64),
        ['scheduling.tolerations[0].operator: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'],
      ],
    ],
    update: [
      [
        'handler',
        '*',
        [
          'handler: Invalid value: "*": a lowercase RFC 1123 label must consist of lower case alpha…',
          'handler: Invalid value: "*": field is immutable',
        ],
      ],
    ],
  },
  'discovery.k8s.io/v1/EndpointSlice': {
    object: {
      metadata: { name: 'n', labels: { 'kubernetes.io/service-name': 's' } },
      addressType: 'IPv4',
      endpoints: [
        {
          addresses: ['10.0.0.1', '10.0.0.2'],
          conditions: { ready: true },
          hostname: 'h',
          nodeName: 'n',
          zone: 'z',
          hints: { forZones: [{ name: 'z' }], forNodes: [{ name: 'n' }] },
          deprecatedTopology: { a: 'b' },
        },
        { addresses: ['10.0.0.3', '10.0.0.4'] },
      ],
      ports: [{ name: 'p', protocol: 'TCP', port: 80, appProtocol: 'http' }, { name: 'q' }],
    },
    create: [
      ['addressType', '', ['addressType: Required value']],
      ['addressType', 'A', ['addressType: Unsupported value: "A": supported values: "FQDN", "IPv4", "IPv6"']],
      ['endpoints.0', {}, ['endpoints[0].addresses: Required value: must contain at least 1 address']],
      [
        'endpoints.0.addresses.0',
        '',
        ['endpoints[0].addresses[0]: Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7…'],
      ],
      [
        'endpoints.0.addresses.0',
        '0.0.0.0',
        ['endpoints[0].addresses[0]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)'],
      ],
      [
        'endpoints.0.addresses.0',
        '010.0.0.1',
        ['endpoints[0].addresses[0]: Invalid value: "010.0.0.1": must not have leading 0s'],
      ],
      [
        'endpoints.0.addresses.0',
        '127.0.0.1',
        ['endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range …'],
      ],
      [
        'endpoints.0.addresses.0',
        '169.254.1.1',
        ['endpoints[0].addresses[0]: Invalid value: "169.254.1.1": may not be in the link-local ra…'],
      ],
      [
        'endpoints.0.addresses.0',
        '2001:DB8::1',
        ['endpoints[0].addresses: Invalid value: "2001:DB8::1": must be an IPv4 address'],
      ],
      [
        'endpoints.0.addresses.0',
        '224.0.0.1',
        ['endpoints[0].addresses[0]: Invalid value: "224.0.0.1": may not be in the link-local mult…'],
      ],
      [
        'endpoints.0.addresses.0',
        '::ffff:1.2.3.4',
        ['endpoints[0].addresses[0]: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped I…'],
      ],
      [
        'endpoints.0.hints.forNodes',
        [{ name: 'n' }, { name: 'n' }],
        ['endpoints[0].hints.forNodes[1].name: Duplicate value: "n"'],
      ],
      [
        'endpoints.0.hints.forNodes.0',
        {},
        ['endpoints[0].hints.forNodes[0].name: Invalid value: "": a lowercase RFC 1123 subdomain m…'],
      ],
      [
        'endpoints.0.hints.forNodes.0.name',
        'z'.repeat(254),
        ['endpoints[0].hints.forNodes[0].name: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      [
        'endpoints.0.hints.forZones',
        [{ name: 'z' }, { name: 'z' }],
        ['endpoints[0].hints.forZones[1].name: Duplicate value: "z"'],
      ],
      [
        'endpoints.0.hints.forZones.0.name',
        'a/b',
        ['endpoints[0].hints.forZones[0].name: Invalid value: "a/b": a valid label must be an empt…'],
      ],
      [
        'endpoints.0.hints.forZones.0.name',
        'x'.repeat(64),
        ['endpoints[0].hints.forZones[0].name: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'],
      ],
      [
        'endpoints.0.hostname',
        '',
        ['endpoints[0].hostname: Invalid value: "": a lowercase RFC 1123 label must consist of low…'],
      ],
      ['endpoints.0.hostname', '10.0.0.1', ['endpoints[0].hostname: Invalid value: "10.0.0.1": must not contain dots']],
      [
        'endpoints.0.hostname',
        'x'.repeat(64),
        ['endpoints[0].hostname: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'],
      ],
      [
        'endpoints.0.nodeName',
        '',
        ['endpoints[0].nodeName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of…'],
      ],
      [
        'endpoints.0.nodeName',
        'z'.repeat(254),
        ['endpoints[0].nodeName: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      [
        'metadata.labels.kubernetes.io/service-name',
        '-a',
        ['metadata.labels: Invalid value: "-a": a valid label must be an empty string or consist o…'],
      ],
      [
        'metadata.labels.kubernetes.io/service-name',
        'z'.repeat(254),
        ['metadata.labels: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      [
        'ports',
        [
          { name: 'p', protocol: 'TCP', port: 80, appProtocol: 'http' },
          { name: 'q' },
          { name: 'p', protocol: 'TCP', port: 80, appProtocol: 'http' },
        ],
        ['ports[2].name: Duplicate value: "p"'],
      ],
      [
        'ports.0.appProtocol',
        '',
        [
          'ports[0].appProtocol: Invalid value: "": name part must be non-empty',
          'ports[0].appProtocol: Invalid value: "": name part must consist of alphanumeric characte…',
        ],
      ],
      [
        'ports.0.appProtocol',
        '/*a',
        [
          'ports[0].appProtocol: Invalid value: "/*a": prefix part must be non-empty',
          'ports[0].appProtocol: Invalid value: "/*a": name part must consist of alphanumeric chara…',
        ],
      ],
      [
        'ports.0.appProtocol',
        '/a//b',
        ['ports[0].appProtocol: Invalid value: "/a//b": a valid label key must consist of alphanum…'],
      ],
      [
        'ports.0.appProtocol',
        '2001:DB8::/32',
        ['ports[0].appProtocol: Invalid value: "2001:DB8::/32": prefix part a lowercase RFC 1123 s…'],
      ],
      [
        'ports.0.appProtocol',
        'x'.repeat(64),
        ['ports[0].appProtocol: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'],
      ],
      ['ports.0.name', '10.0.0.1', ['ports[0].name: Invalid value: "10.0.0.1": must not contain dots']],
      [
        'ports.0.name',
        'A',
        ['ports[0].name: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case…'],
      ],
      [
        'ports.0.name',
        'x'.repeat(64),
        ['ports[0].name: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'],
      ],
      ['ports.0.protocol', '', ['ports[0].protocol: Unsupported value: "": supported values: "SCTP", "TCP", "UDP"']],
    ],
    update: [
      [
        'addressType',
        'A',
        [
          'addressType: Unsupported value: "A": supported values: "FQDN", "IPv4", "IPv6"',
          'addressType: Invalid value: "A": field is immutable',
        ],
      ],
    ],
  },
  'apiregistration.k8s.io/v1/APIService': {
    object: {
      metadata: { name: 'v1.g.io' },
      spec: {
        group: 'g.io',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 10,
        service: { namespace: 'n', name: 's' },
        insecureSkipTLSVerify: true,
      },
    },
    create: [
      [
        'spec',
        absent,
        [
          'metadata.name: Invalid value: "v1.g.io": must be `spec.version+"."+spec.group`: "."',
          'spec.group: Required value: only v1 may have an empty group and it better be legacy kube',
          'spec.version: Invalid value: "": a DNS-1035 label must consist of lower case alphanumeri…',
          'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000',
          'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
        ],
      ],
      [
        'spec.group',
        '-a',
        [
          'metadata.name: Invalid value: "v1.g.io": must be `spec.version+"."+spec.group`: "v1.-a"',
          'spec.group: Invalid value: "-a": a lowercase RFC 1123 subdomain must consist of lower ca…',
        ],
      ],
      [
        'spec.group',
        'z'.repeat(254),
        [
          'metadata.name: Invalid value: "v1.g.io": must be `spec.version+"."+spec.group`: "v1.z…',
          'spec.group: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…',
        ],
      ],
      [
        'spec.service',
        absent,
        ['spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecure…'],
      ],
      ['spec.service', {}, ['spec.service.namespace: Required value', 'spec.service.name: Required value']],
      [
        'spec.version',
        'x'.repeat(64),
        [
          'metadata.name: Invalid value: "v1.g.io": must be `spec.version+"."+spec.group`: "xxxx…',
          'spec.version: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…',
        ],
      ],
    ],
    update: [],
  },
  'flowcontrol.apiserver.k8s.io/v1/FlowSchema': {
    object: {
      metadata: { name: 'n' },
      spec: {
        priorityLevelConfiguration: { name: 'p' },
        matchingPrecedence: 500,
        distinguisherMethod: { type: 'ByUser' },
        rules: [
          {
            subjects: [
              { kind: 'User', user: { name: 'u' } },
              { kind: 'Group', group: { name: 'g' } },
              { kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: '*' } },
            ],
            resourceRules: [
              {
                verbs: ['get', 'list'],
                apiGroups: ['a'],
                resources: ['r'],
                clusterScope: true,
                namespaces: ['n', 'm'],
              },
            ],
            nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a', '/b/*'] }],
          },
        ],
      },
    },
    create: [
      ['spec', absent, ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level']],
      [
        'spec.distinguisherMethod',
        {},
        ['spec.distinguisherMethod.type: Unsupported value: {"Type":""}: supported values: "ByName…'],
      ],
      ['spec.matchingPrecedence', -1, ['spec.matchingPrecedence: Invalid value: -1: must be a positive value']],
      [
        'spec.matchingPrecedence',
        65536,
        ['spec.matchingPrecedence: Invalid value: 65536: must not be greater than 10000'],
      ],
      [
        'spec.priorityLevelConfiguration.name',
        'A',
        ['spec.priorityLevelConfiguration.name: Invalid value: "A": a lowercase RFC 1123 subdomain…'],
      ],
      [
        'spec.priorityLevelConfiguration.name',
        'z'.repeat(254),
        ['spec.priorityLevelConfiguration.name: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      [
        'spec.rules.0',
        {},
        [
          'spec.rules[0].subjects: Required value: subjects must contain at least one value',
          'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to…',
        ],
      ],
      [
        'spec.rules.0.nonResourceRules.0',
        {},
        [
          'spec.rules[0].nonResourceRules[0].verbs: Required value: verbs must contain at least one value',
          'spec.rules[0].nonResourceRules[0].nonResourceURLs: Required value: nonResourceURLs must …',
        ],
      ],
      [
        'spec.rules.0.nonResourceRules.0.nonResourceURLs.0',
        '',
        ['spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "": must not be empty'],
      ],
      [
        'spec.rules.0.nonResourceRules.0.nonResourceURLs.0',
        '*',
        [`spec.rules[0].nonResourceRules[0].nonResourceURLs: Invalid value: ["*","/b/*"]: if '*' i…`],
      ],
      [
        'spec.rules.0.nonResourceRules.0.nonResourceURLs.0',
        '/*a',
        ['spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "/*a": wildcard can…'],
      ],
      [
        'spec.rules.0.nonResourceRules.0.verbs',
        absent,
        ['spec.rules[0].nonResourceRules[0].verbs: Required value: verbs must contain at least one value'],
      ],
      [
        'spec.rules.0.nonResourceRules.0.verbs.0',
        '',
        ['spec.rules[0].nonResourceRules[0].verbs: Unsupported value: [""]: supported values: "cre…'],
      ],
      [
        'spec.rules.0.resourceRules.0',
        {},
        [
          'spec.rules[0].resourceRules[0].verbs: Required value: verbs must contain at least one value',
          'spec.rules[0].resourceRules[0].apiGroups: Required value: resource rules must supply at …',
          'spec.rules[0].resourceRules[0].resources: Required value: resource rules must supply at …',
          'spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not c…',
        ],
      ],
      [
        'spec.rules.0.resourceRules.0.namespaces.0',
        '*',
        [`spec.rules[0].resourceRules[0].namespaces: Invalid value: ["*","m"]: if '*' is present, …`],
      ],
      [
        'spec.rules.0.resourceRules.0.namespaces.0',
        'A',
        ['spec.rules[0].resourceRules[0].namespaces[0]: Invalid value: "A": each member of this li…'],
      ],
      [
        'spec.rules.0.resourceRules.0.verbs',
        absent,
        ['spec.rules[0].resourceRules[0].verbs: Required value: verbs must contain at least one value'],
      ],
      [
        'spec.rules.0.resourceRules.0.verbs.0',
        '',
        ['spec.rules[0].resourceRules[0].verbs: Unsupported value: ["","list"]: supported values: …'],
      ],
      [
        'spec.rules.0.resourceRules.0.verbs.0',
        '*',
        [`spec.rules[0].resourceRules[0].verbs: Invalid value: ["*","list"]: if '*' is present, mu…`],
      ],
      [
        'spec.rules.0.subjects.0',
        {},
        ['spec.rules[0].subjects[0].kind: Unsupported value: "": supported values: "Group", "Servi…'],
      ],
      [
        'spec.rules.0.subjects.0.user',
        absent,
        [`spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'`],
      ],
      ['spec.rules.0.subjects.0.user', {}, ['spec.rules[0].subjects[0].user.name: Required value']],
      [
        'spec.rules.0.subjects.1.group',
        absent,
        [`spec.rules[0].subjects[1].group: Required value: group is required when subject kind is 'Group'`],
      ],
      ['spec.rules.0.subjects.1.group', {}, ['spec.rules[0].subjects[1].group.name: Required value']],
      [
        'spec.rules.0.subjects.2.serviceAccount',
        absent,
        ['spec.rules[0].subjects[2].serviceAccount: Required value: serviceAccount is required whe…'],
      ],
      [
        'spec.rules.0.subjects.2.serviceAccount',
        {},
        [
          'spec.rules[0].subjects[2].serviceAccount.name: Required value',
          'spec.rules[0].subjects[2].serviceAccount.namespace: Required value: must specify namespa…',
        ],
      ],
      [
        'spec.rules.0.subjects.2.serviceAccount.name',
        'A',
        ['spec.rules[0].subjects[2].serviceAccount.name: Invalid value: "A": a lowercase RFC 1123 …'],
      ],
      [
        'spec.rules.0.subjects.2.serviceAccount.name',
        'z'.repeat(254),
        ['spec.rules[0].subjects[2].serviceAccount.name: Invalid value: "zzzzzzzzzzzzzzzzzzzzzzzzz…'],
      ],
      [
        'spec.rules.0.subjects.2.serviceAccount.namespace',
        'A',
        ['spec.rules[0].subjects[2].serviceAccount.namespace: Invalid value: "A": a lowercase RFC …'],
      ],
      [
        'spec.rules.0.subjects.2.serviceAccount.namespace',
        'x'.repeat(64),
        ['spec.rules[0].subjects[2].serviceAccount.namespace: Invalid value: "xxxxxxxxxxxxxxxxxxxx…'],
      ],
    ],
    update: [],
  },
  'flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration': {
    object: {
      metadata: { name: 'n' },
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 5,
          lendablePercent: 10,
          borrowingLimitPercent: 20,
          limitResponse: { type: 'Queue', queuing: { queues: 8, handSize: 2, queueLengthLimit: 5 } },
        },
      },
    },
    create: [
      ['spec.limited', absent, ['spec.limited: Required value: must not be empty when type is Limited']],
      ['spec.limited', {}, ['spec.limited.limitResponse.type: Required value']],
      [
        'spec.limited.borrowingLimitPercent',
        -1,
        ['spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negat…'],
      ],
      [
        'spec.limited.lendablePercent',
        -1,
        ['spec.limited.lendablePercent: Invalid value: -1: must be between 0 and 100, inclusive'],
      ],
      [
        'spec.limited.limitResponse.queuing',
        absent,
        ['spec.limited.limitResponse.queuing: Required value: must not be empty if limited.limitRe…'],
      ],
      [
        'spec.limited.limitResponse.queuing.handSize',
        -1,
        ['spec.limited.limitResponse.queuing.handSize: Invalid value: -1: must be positive'],
      ],
      [
        'spec.limited.limitResponse.queuing.queueLengthLimit',
        -1,
        ['spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: -1: must be positive'],
      ],
      [
        'spec.limited.limitResponse.queuing.queues',
        -1,
        [
          'spec.limited.limitResponse.queuing.queues: Invalid value: -1: must be positive',
          'spec.limited.limitResponse.queuing.handSize: Invalid value: 2: should not be greater tha…',
        ],
      ],
      [
        'spec.limited.limitResponse.queuing.queues',
        20000001,
        ['spec.limited.limitResponse.queuing.queues: Invalid value: 20000001: must not be greater …'],
      ],
      [
        'spec.limited.limitResponse.queuing.queues',
        2147483647,
        [
          'spec.limited.limitResponse.queuing.queues: Invalid value: 2147483647: must not be greate…',
          'spec.limited.limitResponse.queuing.handSize: Invalid value: 2: required entropy bits of …',
        ],
      ],
      [
        'spec.limited.limitResponse.type',
        'A',
        ['spec.limited.limitResponse.type: Unsupported value: "A": supported values: "Queue", "Reject"'],
      ],
      [
        'spec.limited.nominalConcurrencyShares',
        -1,
        ['spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer'],
      ],
      ['spec.type', '-a', ['spec.type: Unsupported value: "-a": supported values: "Exempt", "Limited"']],
      ['spec.type', absent, ['spec.type: Required value']],
    ],
    update: [],
  },
  'certificates.k8s.io/v1/CertificateSigningRequest': {
    object: {
      metadata: { name: 'n' },
      spec: {
        request:
          'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIU01Ib0NBUUF3R0RFS01BZ0dBMVVFQXd3QmVERUtNQWdHQTFVRUNnd0JlVEJaTUJNR0J5cUdTTTQ5QWdFRwpDQ3FHU000OUF3RUhBMElBQk5sVVUrYi9sNTA4STV6NmF5MWpXQ0l2RTh3eGh5T3pqS2FJUUdvR1k2ZjFHbGE3CmdNNDRxaHRCWWtVUXRVUmtBYUQ0LzZyZVNyNHM3Y2dnaURiNkRIS2dBREFLQmdncWhrak9QUVFEQWdOSUFEQkYKQWlFQTg3a2RtZ2gxOUF0L3hSRGphb3lpUTUxQ2orSU1BS0wvNzFtQ0RaWXZsVHdDSUJzK3lPQVY1YVVETk50cQpOTjJRZE1xUldSUG5sMXBEOWFpRVlOSm5UOXN1Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=',
        signerName: 'a.io/b',
        expirationSeconds: 600,
        usages: ['client auth', 'digital signature'],
        username: 'x',
        groups: ['y'],
        extra: { a: ['b'] },
      },
    },
    create: [
      [
        'spec',
        absent,
        [
          'spec.request: Invalid value: null: PEM block type must be CERTIFICATE REQUEST',
          'spec.usages: Required value',
          'spec.signerName: Required value',
        ],
      ],
      [
        'spec.expirationSeconds',
        0,
        ['spec.expirationSeconds: Invalid value: 0: may not specify a duration less than 600 secon…'],
      ],
      [
        'spec.signerName',
        '2001:DB8::/32',
        [
          'spec.signerName: Invalid value: "2001:DB8::": validating label "2001:DB8::": a lowercase…',
          'spec.signerName: Invalid value: "2001:DB8::": should be a domain with at least two segme…',
        ],
      ],
      [
        'spec.signerName',
        'A',
        ['spec.signerName: Invalid value: "A": must be a fully qualified domain and path of the fo…'],
      ],
      [
        'spec.signerName',
        'a/b',
        ['spec.signerName: Invalid value: "a": should be a domain with at least two segments separ…'],
      ],
      [
        'spec.signerName',
        'kubernetes.io/legacy-unknown',
        ['spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is…'],
      ],
      [
        'spec.usages',
        ['client auth', 'digital signature', 'client auth'],
        ['spec.usages[2]: Duplicate value: "client auth"'],
      ],
      [
        'spec.usages.0',
        '',
        ['spec.usages[0]: Unsupported value: "": supported values: "any", "cert sign", "client aut…'],
      ],
    ],
    update: [],
  },
};

/** Objects with several mistakes, or none but warnings, and what was said in order. */
export const moreCases: readonly (readonly [kind: string, object: object, said: readonly string[]])[] = [
  [
    'discovery.k8s.io/v1/EndpointSlice',
    {
      metadata: { name: 'n' },
      addressType: 'FQDN',
      endpoints: [{ addresses: ['a.b.com', 'a.b.', '', 'a', 'A.b'] }],
      ports: [{ port: 1 }, { port: 2 }],
    },
    [
      'ports[1].name: Duplicate value: ""',
      'endpoints[0].addresses[2]: Required value',
      'endpoints[0].addresses[3]: Invalid value: "a": should be a domain with at least two segments separated by dots',
      'endpoints[0].addresses[4]: Invalid value: "A.b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeri…',
    ],
  ],
  [
    'discovery.k8s.io/v1/EndpointSlice',
    {
      metadata: { name: 'n' },
      addressType: 'FQDN',
      endpoints: [{ addresses: ['a.b.com', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.com'] }],
    },
    [
      'endpoints[0].addresses[1]: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be …',
    ],
  ],
  [
    'discovery.k8s.io/v1/EndpointSlice',
    { metadata: { name: 'n' }, addressType: 'FQDN', endpoints: [{ addresses: ['a.b.com'] }] },
    ['warning: spec.addressType: FQDN endpoints are deprecated'],
  ],
  [
    'discovery.k8s.io/v1/EndpointSlice',
    {
      metadata: { name: 'n' },
      addressType: 'IPv6',
      endpoints: [
        {
          addresses: ['10.0.0.1', '::1', 'ff02::1', '2001:DB8::1'],
          hints: { forZones: [{ name: 'a' }, { name: 'a' }], forNodes: [{ name: 'A' }] },
        },
      ],
    },
    [
      'endpoints[0].addresses: Invalid value: "10.0.0.1": must be an IPv6 address',
      'endpoints[0].addresses[1]: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      'endpoints[0].addresses[2]: Invalid value: "ff02::1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
      'endpoints[0].addresses[3]: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")',
      'endpoints[0].hints.forZones[1].name: Duplicate value: "a"',
      'endpoints[0].hints.forNodes[0].name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alp…',
    ],
  ],
  [
    'discovery.k8s.io/v1/EndpointSlice',
    {
      metadata: { name: 'n' },
      addressType: 'IPv4',
      endpoints: [
        {
          addresses: ['2001:db8::1'],
          hints: {
            forZones: [
              { name: 'z0' },
              { name: 'z1' },
              { name: 'z2' },
              { name: 'z3' },
              { name: 'z4' },
              { name: 'z5' },
              { name: 'z6' },
              { name: 'z7' },
              { name: 'z8' },
            ],
          },
        },
      ],
    },
    [
      'endpoints[0].addresses: Invalid value: "2001:db8::1": must be an IPv4 address',
      'endpoints[0].hints.forZones: Too many: 9: must have at most 8 items',
    ],
  ],
  [
    'storage.k8s.io/v1/VolumeAttachment',
    {
      metadata: { name: 'n' },
      spec: {
        attacher: 'a.io',
        nodeName: 'n',
        source: { inlineVolumeSpec: { accessModes: ['x'], hostPath: { path: '/' } } },
      },
    },
    [
      'spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.accessModes: Unsupported value: "x": supported values: "ReadOnlyMany", "ReadWriteMany", "…',
    ],
  ],
  [
    'storage.k8s.io/v1/VolumeAttachment',
    {
      metadata: { name: 'n' },
      spec: { attacher: 'a.io', nodeName: 'n', source: { persistentVolumeName: '', inlineVolumeSpec: {} } },
    },
    [
      'spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
      'spec.source.persistentVolumeName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower case alphanu…',
    ],
  ],
  [
    'scheduling.k8s.io/v1/PriorityClass',
    { metadata: { name: 'system-x' }, value: 1 },
    [
      `metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-x…`,
    ],
  ],
  [
    'scheduling.k8s.io/v1/PriorityClass',
    { metadata: { name: 'system-node-critical' }, value: 1 },
    [
      `metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: value of…`,
    ],
  ],
  [
    'scheduling.k8s.io/v1/PriorityClass',
    { metadata: { name: 'system-node-critical' }, value: 2000001000, globalDefault: true },
    [
      `metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: globalDe…`,
    ],
  ],
  [
    'rbac.authorization.k8s.io/v1/Role',
    { metadata: { name: 'n' }, rules: [{ verbs: ['get'], nonResourceURLs: ['/x'], resources: ['y'] }] },
    [
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
  ],
  [
    'rbac.authorization.k8s.io/v1/ClusterRole',
    {
      metadata: { name: 'n' },
      rules: [{ nonResourceURLs: ['/x'], resourceNames: ['y'] }],
      aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }] },
    },
    [
      'rules[0].verbs: Required value: verbs must contain at least one value',
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
      'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values: Required value: must be specified when `operator` …',
      'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
    ],
  ],
  [
    'storage.k8s.io/v1/StorageClass',
    {
      metadata: { name: 'n' },
      provisioner: 'a',
      parameters: { '': 'x', y: 'z'.repeat(262144) },
      allowedTopologies: [
        {},
        { matchLabelExpressions: [{ key: 'a', values: ['b', 'c'] }] },
        { matchLabelExpressions: [{ key: 'a', values: ['c', 'b'] }] },
        {
          matchLabelExpressions: [
            { key: 'a', values: ['b'] },
            { key: 'a', values: ['c'] },
          ],
        },
      ],
    },
    [
      'parameters: Invalid value: "": field can not be empty.',
      'parameters: Too long: may not be more than 262144 bytes',
      'allowedTopologies[0].matchLabelExpressions: Duplicate value: ""',
      'allowedTopologies[2].matchLabelExpressions: Duplicate value: ""',
      'allowedTopologies[3].matchLabelExpressions[1].key: Duplicate value: "a"',
    ],
  ],
  [
    'storage.k8s.io/v1/CSIDriver',
    {
      metadata: { name: 'n' },
      spec: {
        tokenRequests: [{ audience: 'a', expirationSeconds: 4294967297 }, { audience: 'a' }],
        volumeLifecycleModes: ['x'],
      },
    },
    [
      'spec.tokenRequests[0].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
      'spec.volumeLifecycleModes: Unsupported value: "x": supported values: "Persistent", "Ephemeral"',
    ],
  ],
  [
    'storage.k8s.io/v1/CSIDriver',
    { metadata: { name: 'n' }, spec: { tokenRequests: [{ audience: 'a' }] } },
    [
      'warning: spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible …',
    ],
  ],
  [
    'storage.k8s.io/v1/CSIDriver',
    { metadata: { name: 'n' }, spec: { serviceAccountTokenInSecrets: true } },
    [
      'spec.serviceAccountTokenInSecrets: Invalid value: true: serviceAccountTokenInSecrets is set but no tokenRequests are s…',
    ],
  ],
  [
    'storage.k8s.io/v1/CSINode',
    {
      metadata: { name: 'n' },
      spec: {
        drivers: [
          { name: 'a', nodeID: 'é'.repeat(129), topologyKeys: ['', 'b', 'b'] },
          { name: 'a', nodeID: 'x', allocatable: { count: -1 } },
        ],
      },
    },
    [
      'spec.drivers[0].nodeID: Invalid value: "éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé…',
      'spec.drivers[0]: Required value',
      'spec.drivers[0]: Invalid value: "": name part must be non-empty',
      `spec.drivers[0]: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start…`,
      'spec.drivers[0]: Duplicate value: "b"',
      'spec.drivers[1].allocatable.count: Invalid value: -1: must be greater than or equal to 0',
      'spec.drivers[1].name: Duplicate value: "a"',
    ],
  ],
  [
    'networking.k8s.io/v1/IngressClass',
    { metadata: { name: 'n' }, spec: { controller: 'a/?', parameters: { kind: 'K', name: 'n', scope: 'Namespace' } } },
    [
      `spec.controller: Invalid value: "?": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
      "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
    ],
  ],
  [
    'networking.k8s.io/v1/IngressClass',
    {
      metadata: { name: 'n' },
      spec: { controller: 'a'.repeat(251), parameters: { kind: 'K', name: 'n', namespace: 'x' } },
    },
    [
      'spec.controller: Too long: may not be more than 250 bytes',
      'spec.controller: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…',
      "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
    ],
  ],
  [
    'networking.k8s.io/v1/NetworkPolicy',
    {
      metadata: { name: 'n' },
      spec: {
        ingress: [
          {
            ports: [{ port: 5, endPort: 4 }, { port: 'x', endPort: 4 }, { endPort: 4 }],
            from: [
              {},
              { podSelector: {}, ipBlock: { cidr: '2001:DB8::/32', except: ['10.0.0.0/8', 'x', '2001:db8::/32'] } },
            ],
          },
        ],
      },
    },
    [
      'spec.ingress[0].ports[0].endPort: Invalid value: 5: must be greater than or equal to `port`',
      'spec.ingress[0].ports[1].endPort: Invalid value: 4: may not be specified when `port` is non-numeric',
      'spec.ingress[0].ports[2].endPort: Invalid value: 4: may not be specified when `port` is not specified',
      'spec.ingress[0].from[0]: Required value: must specify a peer',
      'spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
      'spec.ingress[0].from[1].ipBlock.except[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:d…',
      'spec.ingress[0].from[1].ipBlock.except[2]: Invalid value: "2001:db8::/32": must be a strict subset of `cidr`',
      'spec.ingress[0].from[1]: Forbidden: may not specify both ipBlock and another peer',
    ],
  ],
  [
    'networking.k8s.io/v1/NetworkPolicy',
    {
      metadata: { name: 'n' },
      spec: { egress: [{ to: [{ ipBlock: { cidr: '2001:DB8::/32', except: ['2001:DB8:1::/48'] } }] }] },
    },
    [
      'warning: spec.egress[0].to[0].ipBlock.cidr: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2…',
      'warning: spec.egress[0].to[0].ipBlock.except[0]: IPv6 CIDR value "2001:DB8:1::/48" should be in RFC 5952 canonical for…',
    ],
  ],
  [
    'networking.k8s.io/v1/Ingress',
    {
      metadata: { name: 'n' },
      spec: {
        defaultBackend: { service: { name: 's', port: { name: 'x', number: 1 } } },
        rules: [
          {
            http: {
              paths: [
                { pathType: 'Exact', path: 'x' },
                {
                  pathType: 'ImplementationSpecific',
                  path: 'x',
                  backend: { resource: { apiGroup: 'G', kind: 'a/b', name: '.' } },
                },
                {
                  pathType: 'Prefix',
                  path: '/a//b/./c/../%2f/..',
                  backend: { service: { name: 's', port: { name: 'x' } }, resource: { kind: 'k', name: 'n' } },
                },
              ],
            },
          },
        ],
      },
    },
    [
      'spec.defaultBackend: Invalid value: "": cannot set both port name & port number',
      'spec.rules[0].http.paths[0].path: Invalid value: "x": must be an absolute path',
      'spec.rules[0].http.paths[0].backend: Invalid value: "": resource or service backend is required',
      'spec.rules[0].http.paths[1].path: Invalid value: "x": must be an absolute path',
      'spec.rules[0].http.paths[1].backend.resource.apiGroup: Invalid value: "G": a lowercase RFC 1123 subdomain must consist…',
      `spec.rules[0].http.paths[1].backend.resource.kind: Invalid value: "a/b": may not contain '/'`,
      `spec.rules[0].http.paths[1].backend.resource.name: Invalid value: ".": may not be '.'`,
      `spec.rules[0].http.paths[2].path: Invalid value: "/a//b/./c/../%2f/..": must not contain '//'`,
      `spec.rules[0].http.paths[2].path: Invalid value: "/a//b/./c/../%2f/..": must not contain '/./'`,
      `spec.rules[0].http.paths[2].path: Invalid value: "/a//b/./c/../%2f/..": must not contain '/../'`,
      `spec.rules[0].http.paths[2].path: Invalid value: "/a//b/./c/../%2f/..": must not contain '%2f'`,
      `spec.rules[0].http.paths[2].path: Invalid value: "/a//b/./c/../%2f/..": cannot end with '/..'`,
      'spec.rules[0].http.paths[2].backend: Invalid value: "": cannot set both resource and service backends',
    ],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1/FlowSchema',
    {
      metadata: { name: 'n' },
      spec: {
        priorityLevelConfiguration: { name: 'p' },
        matchingPrecedence: 1,
        rules: [
          {
            subjects: [{ kind: 'User', group: { name: 'g' }, serviceAccount: { name: 'n', namespace: 'n' } }],
            nonResourceRules: [
              { verbs: ['*', 'get'], nonResourceURLs: ['', '/', 'a', '/a b', '/a//b', '/a*', '/a/*', '*/'] },
            ],
          },
          {
            subjects: [{ kind: 'ServiceAccount', serviceAccount: { name: 'A', namespace: '' }, user: { name: 'u' } }],
            resourceRules: [
              { verbs: ['get'], apiGroups: ['*', 'a'], resources: ['*', 'b'], namespaces: ['*', 'c'] },
              { verbs: ['x'], apiGroups: ['a'], resources: ['b'], clusterScope: true },
            ],
          },
        ],
      },
    },
    [
      `spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1`,
      `spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'`,
      `spec.rules[0].subjects[0].serviceAccount: Forbidden: serviceAccount is forbidden when subject kind is not 'ServiceAccount'`,
      `spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'`,
      `spec.rules[0].nonResourceRules[0].verbs: Invalid value: ["*","get"]: if '*' is present, must not specify other verbs`,
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "": must not be empty',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[2]: Invalid value: "a": must start with slash',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[3]: Invalid value: "/a b": must not contain white-space',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[4]: Invalid value: "/a//b": must not contain double slash',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[5]: Invalid value: "/a*": wildcard can only do suffix matching',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[7]: Invalid value: "*/": must start with slash',
      'spec.rules[1].subjects[0].serviceAccount.name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lowe…',
      'spec.rules[1].subjects[0].serviceAccount.namespace: Required value: must specify namespace for service account',
      `spec.rules[1].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'`,
      `spec.rules[1].resourceRules[0].apiGroups: Invalid value: ["*","a"]: if '*' is present, must not specify other api groups`,
      `spec.rules[1].resourceRules[0].resources: Invalid value: ["*","b"]: if '*' is present, must not specify other resources`,
      `spec.rules[1].resourceRules[0].namespaces: Invalid value: ["*","c"]: if '*' is present, must not specify other namespaces`,
      'spec.rules[1].resourceRules[1].verbs: Unsupported value: ["x"]: supported values: "create", "delete", "deletecollectio…',
    ],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration',
    {
      metadata: { name: 'n', annotations: { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' } },
      spec: {
        type: 'Limited',
        exempt: {},
        limited: {
          nominalConcurrencyShares: -1,
          borrowingLimitPercent: -1,
          limitResponse: { type: 'Queue', queuing: { queues: 20000000, handSize: 9 } },
        },
      },
    },
    [
      `metadata.annotations: Forbidden: annotation 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares' is forbidden`,
      'spec.exempt: Forbidden: must be nil if the type is Limited',
      'spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
      'spec.limited.limitResponse.queuing.queues: Invalid value: 20000000: must not be greater than 10000000',
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 9: required entropy bits of deckSize 20000000 and handSize…',
      'spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer',
    ],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration',
    {
      metadata: { name: 'exempt' },
      spec: {
        type: 'Exempt',
        limited: { limitResponse: { type: 'Reject' } },
        exempt: { nominalConcurrencyShares: -1, lendablePercent: 101 },
      },
    },
    [
      'spec.limited: Forbidden: must be nil if the type is not Limited',
      'spec.exempt.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
      'spec.exempt.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
      'spec: Invalid value: {"Type":"Exempt","Limited":{"NominalConcurrencyShares":30,"LimitResponse":{"Type":"Reject","Queui…',
    ],
  ],
  [
    'apiregistration.k8s.io/v1/APIService',
    {
      metadata: { name: 'v1.g.io' },
      spec: {
        group: 'g.io',
        version: 'v1',
        groupPriorityMinimum: 1,
        versionPriority: 1,
        caBundle: 'eHk=',
        insecureSkipTLSVerify: true,
      },
    },
    [
      'spec.caBundle: Invalid value: "2 bytes": local APIServices may not have a caBundle',
      'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
    ],
  ],
  [
    'apiregistration.k8s.io/v1/APIService',
    {
      metadata: { name: 'v1.g.io' },
      spec: {
        group: 'g.io',
        version: 'v1',
        groupPriorityMinimum: 1,
        versionPriority: 1,
        service: { port: 0 },
        caBundle: 'eHk=',
        insecureSkipTLSVerify: true,
      },
    },
    [
      'spec.service.namespace: Required value',
      'spec.service.name: Required value',
      'spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
    ],
  ],
  [
    'networking.k8s.io/v1/ServiceCIDR',
    { metadata: { name: 'n' }, spec: { cidrs: ['10.0.0.0/8', '11.0.0.0/8'] } },
    [
      'spec.cidrs: Invalid value: ["10.0.0.0/8","11.0.0.0/8"]: may specify no more than one IP for each IP family, i.e 192.16…',
    ],
  ],
];
