// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { uncheckedExpressions } from '../expression-check.js';
import { customResourceDefinition, customResourceDefinitionDefaults } from './custom-resource-definition.js';

/** The strategy of each kind of the group. */
export const apiextensionsKinds: Readonly<Record<string, KindParticulars>> = {
  'apiextensions.k8s.io/v1/CustomResourceDefinition': {
    strategy: customResourceDefinition(uncheckedExpressions),
    setDefaults: customResourceDefinitionDefaults,
  },
};
