// A CustomResourceDefinition with a schema literal: the server prunes, defaults and validates its objects, and the
// compiler knows their type.
import { createCluster, isApiError } from 'vivarium';
import { crd } from 'vivarium/client';

const widgetKind = crd({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  shortNames: ['wd'],
  subresources: { status: {} },
  printerColumns: [{ name: 'Color', type: 'string', jsonPath: '.spec.color' }],
  schema: {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['color'],
        properties: {
          color: { type: 'string', enum: ['red', 'blue'] },
          min: { type: 'integer', minimum: 0, default: 1 },
          max: { type: 'integer', default: 9 },
        },
      },
      status: { type: 'object', properties: { phase: { type: 'string' } } },
    },
  },
});

const cluster = await createCluster();
const widgets = (await widgetKind.install(cluster.client)).in('default');

const made = await widgets.create({ metadata: { name: 'one' }, spec: { color: 'red' } });
console.log(made.spec.color, made.spec.min, made.spec.max);
await widgets.status.modify('one', (widget) => ({ ...widget, status: { phase: 'Painted' } }));
console.log((await widgets.get('one')).status?.phase);
try {
  await widgets.create({ metadata: { name: 'two' }, spec: { color: 'blue', min: -5 } });
} catch (error) {
  if (!isApiError(error, 'Invalid')) throw error;
  console.log(error.message);
}
await cluster.close();

// prints:
// red 1 9
// Painted
// Widget.example.com "two" is invalid: spec.min: Invalid value: -5: spec.min in body should be greater than or equal to 0
