// Names of API types: group and version, with a kind (a wire schema) or a resource (a URL). Plain readonly values; a
// GVK also serves as its GroupKind and GroupVersion, since it has their fields. The core group is the empty string.
// Printing and parsing as apimachinery/pkg/runtime/schema/group_version.go.
import type { ApiObject, Frozen } from './meta.js';
import { ParseError } from './parse-error.js';

/** A version of a group, as in an `apiVersion` field. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** A kind in whichever version. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** A resource in whichever version. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** One schema: the `apiVersion` and `kind` of an object. */
export interface GroupVersionKind extends GroupVersion, GroupKind {}

/** One endpoint: group, version and resource, as in the path of a request. */
export interface GroupVersionResource extends GroupVersion, GroupResource {}

/** Reads an `apiVersion`: `v1`, `apps/v1`. Empty and `/` name the empty group and version. Throws ParseError. */
export function parseGroupVersion(text: string): GroupVersion {
  const groupVersion = readGroupVersion(text);
  if (groupVersion === undefined) throw new ParseError(`unexpected GroupVersion string: ${text}`);
  return groupVersion;
}

/** `v1` for the core group, else `group/version`. */
export function printGroupVersion({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/**
 * Returns the group, version and kind of an object; a malformed apiVersion counts as empty, as
 * schema.FromAPIVersionAndKind.
 */
export function groupVersionKindOf(object: Frozen<ApiObject>): GroupVersionKind {
  const { group, version } = readGroupVersion(object.apiVersion ?? '') ?? { group: '', version: '' };
  return { group, version, kind: object.kind ?? '' };
}

/** Reads `kind.group`; everything after the first dot is the group. */
export function parseGroupKind(text: string): GroupKind {
  const { head, tail } = cutAtDot(text);
  return { group: tail, kind: head };
}

/** Reads `resource.group`; everything after the first dot is the group. */
export function parseGroupResource(text: string): GroupResource {
  const { head, tail } = cutAtDot(text);
  return { group: tail, resource: head };
}

/**
 * Both readings of a command-line kind: `Deployment.v1.apps` may be a version or part of a group, and only who knows
 * the groups can tell. `versioned` is absent with fewer than two dots. As schema.ParseKindArg.
 */
export function parseKindArgument(text: string): { versioned?: GroupVersionKind; unversioned: GroupKind } {
  const unversioned = parseGroupKind(text);
  if (!unversioned.group.includes('.')) return { unversioned };
  const { head, tail } = cutAtDot(unversioned.group);
  return { versioned: { group: tail, version: head, kind: unversioned.kind }, unversioned };
}

/** Both readings of a command-line resource such as `deployments.v1.apps`. As schema.ParseResourceArg. */
export function parseResourceArgument(text: string): { versioned?: GroupVersionResource; unversioned: GroupResource } {
  const unversioned = parseGroupResource(text);
  if (!unversioned.group.includes('.')) return { unversioned };
  const { head, tail } = cutAtDot(unversioned.group);
  return { versioned: { group: tail, version: head, resource: unversioned.resource }, unversioned };
}

/** `Deployment.apps`, or `Pod` in the core group. Unique among valid names, so it serves as a Map key. */
export function printGroupKind({ group, kind }: GroupKind): string {
  return group === '' ? kind : `${kind}.${group}`;
}

/** `deployments.apps`, or `pods` in the core group. Unique among valid names, so it serves as a Map key. */
export function printGroupResource({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`: the form of Kubernetes' messages. */
export function printGroupVersionKind({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}

/** `apps/v1, Resource=deployments`: the form of Kubernetes' messages. */
export function printGroupVersionResource({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}, Resource=${resource}`;
}

/**
 * A Map key. Valid names hold no slash, so a valid key has exactly two, and no hostile triple (whose slashes would add
 * up to more) can collide with a registered one.
 */
export function groupVersionKindKey({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

/** A Map key, unique as `groupVersionKindKey` is. */
export function groupVersionResourceKey({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}/${resource}`;
}

/** Same group and version. */
export function sameGroupVersion(a: GroupVersion, b: GroupVersion): boolean {
  return a.group === b.group && a.version === b.version;
}

/** Same group and kind, in whichever versions. */
export function sameGroupKind(a: GroupKind, b: GroupKind): boolean {
  return a.group === b.group && a.kind === b.kind;
}

/** Same group and resource, in whichever versions. */
export function sameGroupResource(a: GroupResource, b: GroupResource): boolean {
  return a.group === b.group && a.resource === b.resource;
}

/** Same group, version and kind. */
export function sameGroupVersionKind(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return sameGroupVersion(a, b) && a.kind === b.kind;
}

/** Same group, version and resource. */
export function sameGroupVersionResource(a: GroupVersionResource, b: GroupVersionResource): boolean {
  return sameGroupVersion(a, b) && a.resource === b.resource;
}

function readGroupVersion(text: string): GroupVersion | undefined {
  if (text === '' || text === '/') return { group: '', version: '' };
  const slash = text.indexOf('/');
  if (slash < 0) return { group: '', version: text };
  if (text.includes('/', slash + 1)) return undefined;
  return { group: text.slice(0, slash), version: text.slice(slash + 1) };
}

function cutAtDot(text: string): { head: string; tail: string } {
  const dot = text.indexOf('.');
  return dot < 0 ? { head: text, tail: '' } : { head: text.slice(0, dot), tail: text.slice(dot + 1) };
}
