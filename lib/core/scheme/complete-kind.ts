// Fills in the optional parts of a definition and refuses names that would be ambiguous in URLs and keys.
// For version-kinds.ts alone.
import { printGroupVersionKind } from '../objects/gvk.js';
import { builtinSchema } from '../schema/builtin.js';
import type { StructType } from '../schema/type.js';
import { field, listOf, scalars, structType, once } from '../schema/type.js';
import type { KindDefinition, KindOptions, ResourceDefinition, ResourceOptions } from './kind-definition.js';
import { standardVerbs } from './kind-definition.js';

/** The definition with all defaults in place. */
export function completeKind(options: KindOptions): KindDefinition {
  const { resource: endpoint, ...rest } = options;
  const { group, version, kind, conversion } = rest;
  const names = [version, kind, endpoint?.plural ?? 'none'];
  if (group.includes('/') || names.some((name) => name === '' || name.includes('/'))) {
    throw new Error(`not the name of a kind: ${printGroupVersionKind(options)}`);
  }

  const resource = endpoint && completeResource(endpoint, kind);
  const listable = resource?.verbs.includes('list') === true;
  const listType =
    rest.listType ?? (listable ? once(() => genericListType(rest.type(), resource.listKind)) : undefined);
  return Object.freeze({
    ...rest,
    hub: conversion?.hub ?? { group, version, kind },
    ...(listType && { listType }),
    ...(resource && { resource }),
  });
}

function completeResource(options: ResourceOptions, kind: string): ResourceDefinition {
  return Object.freeze({
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    verbs: standardVerbs,
    subresources: [],
    listKind: `${kind}List`,
    deprecation: undefined,
    scale: undefined,
    ...options,
  });
}

/** As every list of Kubernetes: type metadata, list metadata, items. */
function genericListType(item: StructType, kind: string): StructType {
  return structType(item.name.replace(/[^.]*$/, kind), () => {
    const metadata = builtinSchema.struct('meta/v1.ListMeta');
    if (metadata === undefined) throw new Error('the built-in schema lacks meta/v1.ListMeta');
    return [
      field('kind', scalars.string),
      field('apiVersion', scalars.string),
      field('metadata', metadata, { presence: 'always', tags: [1] }),
      field('items', listOf(item), { presence: 'always', required: true, tags: [2] }),
    ];
  });
}
