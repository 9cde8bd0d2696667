// The types of the variables that expressions about requests may use. `object`, `oldObject` and `params` are dyn: a
// policy may match many kinds. What the values hold is in request-variables.ts.
import { boolType, dynType, intType, listType, mapType, stringType, timestampType } from '../cel-type.js';
import { Timestamp } from '../cel-value.js';
import type { CelType, FieldDeclaration, ObjectType } from '../cel-type.js';
import { parseTime } from '../../core/index.js';

/** Returns an object type with fields, each a type or a declaration. */
export function objectTypeOf(name: string, fields: Readonly<Record<string, CelType | FieldDeclaration>>): ObjectType {
  const declared = new Map(
    Object.entries(fields).map(([field, type]) => [field, 'kind' in type ? { type } : type] as const),
  );
  return { kind: 'object', name, field: (field) => declared.get(field), fieldNames: [...declared.keys()] };
}

const groupVersionKind = objectTypeOf('kubernetes.GroupVersionKind', {
  group: stringType,
  version: stringType,
  kind: stringType,
});

const groupVersionResource = objectTypeOf('kubernetes.GroupVersionResource', {
  group: stringType,
  version: stringType,
  resource: stringType,
});

const userInfo = objectTypeOf('kubernetes.UserInfo', {
  username: stringType,
  uid: stringType,
  groups: listType(stringType),
  extra: mapType(stringType, listType(stringType)),
});

/** The type of `request`: an AdmissionRequest without its objects. */
export const requestType: ObjectType = objectTypeOf('kubernetes.AdmissionRequest', {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: stringType,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo,
  dryRun: boolType,
  options: dynType,
});

const time: FieldDeclaration = {
  type: timestampType,
  read: (json) => new Timestamp(Math.floor(parseTime(String(json)) / 1000), 0),
};

/** The type of `namespaceObject`: a Namespace without managed fields and owner references. */
export const namespaceType: ObjectType = objectTypeOf('kubernetes.Namespace', {
  metadata: objectTypeOf('kubernetes.NamespaceMetadata', {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: mapType(stringType, stringType),
    annotations: mapType(stringType, stringType),
    uid: stringType,
    creationTimestamp: time,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: time,
    generation: intType,
    resourceVersion: stringType,
    finalizers: listType(stringType),
  }),
  spec: objectTypeOf('kubernetes.NamespaceSpec', { finalizers: listType(stringType) }),
  status: objectTypeOf('kubernetes.NamespaceStatus', {
    conditions: listType(
      objectTypeOf('kubernetes.NamespaceCondition', {
        type: stringType,
        status: stringType,
        lastTransitionTime: time,
        reason: stringType,
        message: stringType,
      }),
    ),
    phase: stringType,
  }),
});
