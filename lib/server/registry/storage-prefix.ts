// Where a kube-apiserver keeps a resource below `/registry`, so that tools for etcd find everything where they expect
// it. As pkg/kubeapiserver/default_storage_factory_builder.go; the two extension servers put their group first.
import type { GroupResource } from '../../core/index.js';

/** The prefix of a resource's keys, which go on `namespace/name`, or `name` alone. */
export function storagePrefix({ group, resource }: GroupResource): string {
  const special = specialPaths[`${group}/${resource}`];
  if (special !== undefined) return `/registry/${special}/`;
  // Custom groups have a dot of their own; the built-in ones end in one of these or have none.
  const isBuiltin = group === '' || !group.includes('.') || builtinSuffixes.some((suffix) => group.endsWith(suffix));
  return isBuiltin && !extensionGroups.has(group) ? `/registry/${resource}/` : `/registry/${group}/${resource}/`;
}

const specialPaths: Readonly<Record<string, string>> = {
  '/replicationcontrollers': 'controllers',
  '/endpoints': 'services/endpoints',
  '/nodes': 'minions',
  '/services': 'services/specs',
  'networking.k8s.io/ingresses': 'ingress',
};
const builtinSuffixes: readonly string[] = ['.k8s.io'];
const extensionGroups: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);
