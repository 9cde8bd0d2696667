// The controllers of a cluster as kube-controller-manager selects, configures and authorizes them.
import t from 'tap';
import {
  completeControllerSettings,
  controllerDefinitions,
  controllerNames,
  selectControllers,
} from '../../lib/cluster/index.js';

t.test('controllers are selected as --controllers selects them', (t) => {
  const offByDefault = controllerNames.filter((name) => controllerDefinitions[name].isOffByDefault === true);
  const onByDefault = controllerNames.filter((name) => !offByDefault.includes(name));
  const selected = (...given: string[]): string[] => [...selectControllers(given)];
  t.strictSame(selected('*'), onByDefault);
  t.strictSame(selected(), []);
  t.strictSame(selected('namespace-controller'), ['namespace-controller']);
  t.strictSame(
    selected('*', '-namespace-controller'),
    onByDefault.filter((name) => name !== 'namespace-controller'),
  );
  t.strictSame(selected('-namespace-controller'), [], 'without * nothing is on by default');
  t.strictSame(
    selected('namespace-controller', '-namespace-controller'),
    ['namespace-controller'],
    'the first decides',
  );
  t.strictSame(selected('-namespace-controller', 'namespace-controller'), []);
  t.strictSame(selected('namespace'), ['namespace-controller'], 'names of before v1.29 are known');
  t.strictSame(
    selected('*', '-namespace'),
    onByDefault.filter((name) => name !== 'namespace-controller'),
  );
  for (const name of offByDefault) t.ok(selected('*', name).includes(name), 'off by default, on by name');
  t.throws(() => selectControllers(['-']), RangeError);
  t.end();
});

t.test('settings have the defaults of kube-controller-manager, and are validated', (t) => {
  t.match(completeControllerSettings(), { concurrentNamespaceSyncs: 10, resourceQuotaSyncPeriod: 300_000 });
  t.match(completeControllerSettings({ concurrentNamespaceSyncs: 3 }), { concurrentNamespaceSyncs: 3 });
  for (const value of [-1, NaN, 0.5, Infinity])
    t.throws(() => completeControllerSettings({ concurrentNamespaceSyncs: value }), RangeError);
  t.end();
});
