// What is served besides stored objects: subresources that do something, and resources that only answer.
import { unknownResource } from '../../core/index.js';
import type { Endpoint } from '../registry/endpoint.js';
import type { Registry } from '../registry/registry.js';
import type { SpecialResource, VirtualResource } from '../serve.js';
import type { WriteTools } from '../writes/write.js';
import { bind } from './binding.js';
import { evict } from './eviction.js';
import { scaleSubresource } from './scale.js';

/** Subresources that are more than a part of their object. */
export function specialResources(registry: Registry, tools: WriteTools): ReadonlyMap<string, SpecialResource> {
  const budgets = (): Endpoint => required(registry, 'policy', 'poddisruptionbudgets');
  return new Map<string, SpecialResource>([
    ['any/scale', scaleSubresource(tools)],
    ['/pods/binding', { answer: (exchange, pods) => bind(pods, exchange, tools) }],
    ['/pods/eviction', { answer: (exchange, pods) => evict(pods, budgets(), exchange, tools) }],
  ]);
}

/** Resources without storage. */
export function virtualResources(registry: Registry, tools: WriteTools): ReadonlyMap<string, VirtualResource> {
  return new Map<string, VirtualResource>([['/bindings', (exchange) => bind(required(registry, '', 'pods'), exchange, tools)]]);
}

function required(registry: Registry, group: string, resource: string): Endpoint {
  const endpoint = registry.endpoint({ group, version: 'v1', resource });
  if (endpoint === undefined) throw unknownResource();
  return endpoint;
}
