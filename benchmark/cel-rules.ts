// The figures of validation rules in CEL, in one run: `node scripts/run.mjs benchmark/cel-rules.ts`.
import { baseEnvironment, ruleCompiler } from '../lib/cel/index.js';
import type { ApiObject, CustomSchema } from '../lib/core/index.js';
import { compare, report } from './measure.js';
import type { Row } from './measure.js';

const rules: readonly string[] = [
  'self.replicas >= 0',
  'self.replicas <= self.maxReplicas',
  'self.minReplicas <= self.replicas',
  "self.name.startsWith('app-')",
  'self.name.size() <= 63',
  "self.image.matches('^[a-z0-9./-]+:[a-z0-9.]+$')",
  'has(self.owner)',
  "!has(self.legacy) || self.legacy == ''",
  "self.tier in ['web', 'db', 'cache']",
  "self.tier == 'db' ? self.replicas == 1 : true",
  'self.ports.all(p, p > 0 && p < 65536)',
  'self.ports.exists(p, p == 8080)',
  'self.ports.size() <= 10',
  'self.labels.all(k, k.size() < 20)',
  "'app' in self.labels",
  "self.labels['app'] == self.name",
  "self.containers.all(c, c.name != '')",
  'self.containers.all(c, c.cpu > 0)',
  'self.containers.map(c, c.cpu).sum() < 1000',
  "quantity(self.memory).isLessThan(quantity('10Gi'))",
];

const text: CustomSchema = { type: 'string', maxLength: 100 };
const integer: CustomSchema = { type: 'integer' };
const schema = (count: number): CustomSchema => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      'x-kubernetes-validations': rules.slice(0, count).map((rule) => ({ rule })),
      properties: {
        replicas: integer,
        minReplicas: integer,
        maxReplicas: integer,
        name: text,
        image: text,
        owner: text,
        legacy: text,
        tier: text,
        memory: text,
        ports: { type: 'array', items: integer, maxItems: 10 },
        labels: { type: 'object', additionalProperties: text, maxProperties: 10 },
        containers: {
          type: 'array',
          maxItems: 10,
          items: { type: 'object', properties: { name: text, cpu: integer } },
        },
      },
    },
  },
});

const object = {
  apiVersion: 'example.com/v1',
  kind: 'App',
  metadata: { name: 'a' },
  spec: {
    replicas: 3,
    minReplicas: 1,
    maxReplicas: 5,
    name: 'app-one',
    image: 'registry.example.com/app:1.2.3',
    owner: 'team',
    tier: 'web',
    memory: '512Mi',
    ports: [80, 443, 8080],
    labels: { app: 'app-one', tier: 'web' },
    containers: [
      { name: 'a', cpu: 100 },
      { name: 'b', cpu: 200 },
    ],
  },
} as ApiObject;

/** The rules alone, of one object of 600 bytes. */
function measureRules(): Row[] {
  const compile = ruleCompiler(baseEnvironment());
  const validate = compile(schema(rules.length));
  const { errors = [] } = validate?.(object, undefined) ?? {};
  if (validate === undefined || errors.length > 0) throw new Error(JSON.stringify(errors));
  const [evaluating, compiling] = compare([
    { name: 'evaluate', run: () => validate(object, undefined) },
    { name: 'compile', run: () => compile(schema(rules.length)) },
  ]);
  return [
    { name: 'objects validated by 20 rules', value: evaluating?.perSecond ?? 0, unit: '/s', goal: '≥ 5000' },
    { name: 'compiling 20 rules', value: compiling?.microseconds ?? 0, unit: 'µs' },
  ];
}

report('CEL rules', measureRules());
