// Kinds that extend Kubernetes: admission webhooks and policies, custom resource definitions, dynamic resources.
// The tables hold what Kubernetes v1.36 answers: an object that is fine, changes to it, and the errors that follow.
import t from 'tap';
import { fieldInvalid } from '../../lib/core/errors/field-error.js';
import { mutatingAdmissionPolicy } from '../../lib/core/kinds/admissionregistration/mutating-admission-policy.js';
import { validatingAdmissionPolicy } from '../../lib/core/kinds/admissionregistration/validating-admission-policy.js';
import { webhookConfiguration } from '../../lib/core/kinds/admissionregistration/webhook-configuration.js';
import { customResourceDefinition } from '../../lib/core/kinds/apiextensions/custom-resource-definition.js';
import type { ExpressionCheck } from '../../lib/core/kinds/expression-check.js';
import type { KindStrategy } from '../../lib/core/kinds/kind-strategy.js';
import { deviceClass } from '../../lib/core/kinds/resource/device-class.js';
import { MatchSteps, matcher } from '../../lib/core/go/regexp-match.js';
import { parseGoRegexp } from '../../lib/core/go/regexp.js';
import { parseGoUrl } from '../../lib/core/go/url.js';
import { parseGroupVersion } from '../../lib/core/objects/gvk.js';
import { setIn } from '../../lib/core/objects/path-copy.js';
import { builtinScheme } from '../../lib/core/scheme/builtin.js';
import { random } from '../../lib/core/time/random.js';
import { create, row, strategyOf, update } from '../support/strategy.js';
import { fc } from '../support/properties.js';

type Changes = Readonly<Record<string, unknown>>;
type Case = readonly [kind: keyof typeof bases, changes: Changes, errors: readonly string[]];

const registration = 'admissionregistration.k8s.io/v1/';
const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const webhook = {
  name: 'a.b.c',
  clientConfig: { url: 'https://h' },
  rules: [rule],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const policy = { matchConstraints: { resourceRules: [rule] } };
const request = { name: 'r', exactly: { deviceClassName: 'c' } };
const result = { request: 'r', driver: 'd.com', pool: 'p', device: 'd' };
const meta = { name: 'ext' };

const bases = {
  mutating: { metadata: meta, webhooks: [webhook] },
  validating: { metadata: meta, webhooks: [webhook, { ...webhook, name: 'd.e.f' }] },
  policy: { metadata: meta, spec: { ...policy, validations: [{ expression: 'true' }] } },
  mutation: {
    metadata: meta,
    spec: {
      ...policy,
      reinvocationPolicy: 'Never',
      mutations: [
        { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "test", path: "/x", value: "y"}]' } },
      ],
    },
  },
  binding: {
    metadata: meta,
    spec: {
      policyName: 'p',
      validationActions: ['Deny'],
      paramRef: { name: 'n', parameterNotFoundAction: 'Deny' },
      matchResources: { resourceRules: [rule] },
    },
  },
  mutationBinding: { metadata: meta, spec: { policyName: 'p', matchResources: { resourceRules: [rule] } } },
  definition: {
    metadata: { name: 'foos.ext.example.com' },
    spec: {
      group: 'ext.example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: {
                    a: { type: 'string' },
                    n: { type: 'integer' },
                    l: { type: 'array', items: { type: 'string' } },
                  },
                },
              },
            },
          },
        },
      ],
    },
  },
  class: {
    metadata: meta,
    spec: { selectors: [{ cel: { expression: 'true' } }], config: [{ opaque: { driver: 'd.com', parameters: {} } }] },
  },
  claim: { metadata: { ...meta, namespace: 'ext' }, spec: { devices: { requests: [request] } } },
  template: { metadata: { ...meta, namespace: 'ext' }, spec: { spec: { devices: { requests: [request] } } } },
  slice: {
    metadata: meta,
    spec: {
      driver: 'd.com',
      pool: { name: 'p', generation: 0, resourceSliceCount: 1 },
      nodeName: 'n',
      devices: [{ name: 'd', attributes: { a: { int: 1 } }, capacity: { c: { value: '10' } } }],
    },
  },
} as const;

const kinds: Readonly<Record<keyof typeof bases, string>> = {
  mutating: `${registration}MutatingWebhookConfiguration`,
  validating: `${registration}ValidatingWebhookConfiguration`,
  policy: `${registration}ValidatingAdmissionPolicy`,
  mutation: `${registration}MutatingAdmissionPolicy`,
  binding: `${registration}ValidatingAdmissionPolicyBinding`,
  mutationBinding: `${registration}MutatingAdmissionPolicyBinding`,
  definition: 'apiextensions.k8s.io/v1/CustomResourceDefinition',
  class: 'resource.k8s.io/v1/DeviceClass',
  claim: 'resource.k8s.io/v1/ResourceClaim',
  template: 'resource.k8s.io/v1/ResourceClaimTemplate',
  slice: 'resource.k8s.io/v1/ResourceSlice',
};

/** The object with other values at some paths; `undefined` takes a value away. */
function changed(object: object, changes: Changes): object {
  return Object.entries(changes).reduce((current, [path, value]) => {
    const steps = path.split('/').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    return setIn<object, readonly (string | number)[]>(current, steps, value);
  }, object);
}

const cases: readonly Case[] = [
  ['mutating', {}, []],
  [
    'mutating',
    { 'webhooks/0/name': 'a.b', 'webhooks/0/sideEffects': 'Some', 'webhooks/0/timeoutSeconds': 31 },
    [
      'webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
      'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
    ],
  ],
  [
    'mutating',
    {
      'webhooks/0/sideEffects': undefined,
      'webhooks/0/admissionReviewVersions': [],
      'webhooks/0/reinvocationPolicy': 'Often',
    },
    [
      'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
      'webhooks[0].reinvocationPolicy: Unsupported value: "Often": supported values: "IfNeeded", "Never"',
      'webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1',
    ],
  ],
  [
    'mutating',
    { 'webhooks/0/clientConfig': { url: 'http://u:p@/x?q#f' } },
    [
      'webhooks[0].clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
      'webhooks[0].clientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]',
      'webhooks[0].clientConfig.url: Invalid value: "u:p": user information is not permitted in the URL',
      'webhooks[0].clientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
      'webhooks[0].clientConfig.url: Invalid value: "q": query parameters are not permitted in the URL',
    ],
  ],
  [
    'mutating',
    { 'webhooks/0/clientConfig': { url: 'https://[::1' } },
    [
      'webhooks[0].clientConfig.url: Required value: url must be a valid URL: parse "https://[::1": missing \']\' in host; desired format: https://host[/path]',
    ],
  ],
  [
    'mutating',
    { 'webhooks/0/clientConfig': { service: { name: '', namespace: 'n', path: 'a//B', port: 0 } } },
    [
      'webhooks[0].clientConfig.service.namespace: Required value',
      'webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      'webhooks[0].clientConfig.service.path: Invalid value: "a//B": must start with a \'/\'',
      'webhooks[0].clientConfig.service.path: Invalid value: "a//B": segment[0] may not be empty',
      'webhooks[0].clientConfig.service.path: Invalid value: "a//B": segment[1] may not be empty',
      "webhooks[0].clientConfig.service.path: Invalid value: \"a//B\": segment[2]: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    'mutating',
    { 'webhooks/0/clientConfig': {} },
    ['webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
  ],
  [
    'validating',
    { 'webhooks/1/name': 'a.b.c', 'webhooks/0/admissionReviewVersions': ['v2', 'v2'] },
    [
      'webhooks[0].admissionReviewVersions[1]: Invalid value: "v2": duplicate version',
      'webhooks[0].admissionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1',
      'webhooks[1].name: Duplicate value: "a.b.c"',
    ],
  ],
  [
    'validating',
    {
      'webhooks/0/rules/0': {
        operations: ['*', 'CREATE', 'GET'],
        apiGroups: ['*', 'x'],
        apiVersions: [''],
        resources: ['pods/*', 'pods/log', '*/*', '*', 'x'],
        scope: 'All',
      },
    },
    [
      'webhooks[0].rules[0].operations: Invalid value: ["*","CREATE","GET"]: if \'*\' is present, must not specify other operations',
      'webhooks[0].rules[0].operations[2]: Unsupported value: "GET": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      'webhooks[0].rules[0].apiGroups: Invalid value: ["*","x"]: if \'*\' is present, must not specify other API groups',
      'webhooks[0].rules[0].apiVersions[0]: Required value',
      'webhooks[0].rules[0].resources[1]: Invalid value: "pods/log": if \'pods/*\' is present, must not specify pods/log',
      'webhooks[0].rules[0].resources: Invalid value: ["pods/*","pods/log","*/*","*","x"]: if \'*/*\' is present, must not specify other resources',
      'webhooks[0].rules[0].resources: Invalid value: ["pods/*","pods/log","*/*","*","x"]: if \'*\' is present, must not specify other resources without subresources',
      'webhooks[0].rules[0].scope: Unsupported value: "All": supported values: "*", "Cluster", "Namespaced"',
    ],
  ],
  [
    'validating',
    {
      'webhooks/0/rules/0': {},
      'webhooks/0/matchConditions': [
        { name: 'a b', expression: ' ' },
        { name: 'a b', expression: 'true' },
      ],
    },
    [
      'webhooks[0].rules[0].operations: Required value',
      'webhooks[0].rules[0].apiGroups: Required value',
      'webhooks[0].rules[0].apiVersions: Required value',
      'webhooks[0].rules[0].resources: Required value',
      'webhooks[0].matchConditions[0].expression: Required value',
      "webhooks[0].matchConditions[0].name: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      "webhooks[0].matchConditions[1].name: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'webhooks[0].matchConditions[1].name: Duplicate value: "a b"',
    ],
  ],
  ['policy', {}, []],
  [
    'policy',
    { 'spec/validations': undefined, 'spec/paramKind': { apiVersion: 'a/b/c' }, 'spec/failurePolicy': 'Maybe' },
    [
      'spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"',
      'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      'spec.paramKind.kind: Required value',
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
      'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
    ],
  ],
  [
    'policy',
    {
      'spec/matchConstraints': undefined,
      'spec/variables': [
        { name: 'in', expression: 'true' },
        { name: ' ', expression: '' },
      ],
    },
    [
      'spec.matchConstraints: Required value',
      'spec.variables[0].name: Invalid value: "in": must be a valid CEL identifier',
      'spec.variables[1].name: Required value: name is not specified',
      'spec.variables[1].expression: Required value: expression is not specified',
    ],
  ],
  [
    'policy',
    {
      'spec/matchConstraints/resourceRules': [],
      'spec/validations/0': { expression: ' ', message: 'a\nb', messageExpression: ' ', reason: 'Gone' },
      'spec/auditAnnotations': [{ key: 'a b', valueExpression: '' }],
    },
    [
      'spec.matchConstraints.resourceRules: Required value',
      'spec.validations[0].expression: Required value: expression is not specified',
      'spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
      'spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks',
      'spec.validations[0].reason: Unsupported value: "Gone": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      "spec.auditAnnotations[0].key: Invalid value: \"ext/a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified',
    ],
  ],
  [
    'mutation',
    {
      'spec/reinvocationPolicy': '',
      'spec/mutations/0': { patchType: 'ApplyConfiguration', jsonPatch: { expression: 'x' } },
      'spec/matchConstraints/resourceRules/0/operations': ['DELETE'],
    },
    [
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      'spec.mutations[0].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration',
      'spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
      'spec.reinvocationPolicy: Required value',
    ],
  ],
  [
    'mutation',
    { 'spec/mutations/0/patchType': 'Merge' },
    ['spec.mutations[0].patchType: Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"'],
  ],
  ['mutation', { 'spec/mutations': [] }, ['spec.mutations: Required value: mutations must contain at least one item']],
  [
    'binding',
    { 'spec/policyName': '', 'spec/validationActions': ['Deny', 'Warn', 'Deny', 'Log'] },
    [
      'spec.policyName: Required value',
      'spec.validationActions[2]: Duplicate value: "Deny"',
      'spec.validationActions[3]: Unsupported value: "Log": supported values: "Audit", "Deny", "Warn"',
      'spec.validationActions: Invalid value: ["Deny","Warn","Deny","Log"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ],
  ],
  [
    'binding',
    { 'spec/validationActions': [], 'spec/paramRef': { name: 'a/b', selector: {}, parameterNotFoundAction: 'Fail' } },
    [
      'spec.paramRef.name: Invalid value: "a/b": may not contain \'/\'',
      'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.parameterNotFoundAction: Unsupported value: "Fail": supported values: "Deny", "Allow"',
      'spec.validationActions: Required value: at least one validation action is required',
    ],
  ],
  [
    'binding',
    {
      'spec/paramRef': {},
      'spec/matchResources/matchPolicy': 'Loose',
      'spec/matchResources/resourceRules/0/resourceNames': ['x', 'x', '..'],
    },
    [
      'spec.paramRef: Required value: one of name or selector must be specified',
      'spec.paramRef.parameterNotFoundAction: Required value',
      'spec.matchResources.matchPolicy: Unsupported value: "Loose": supported values: "Equivalent", "Exact"',
      'spec.matchResources.resourceRules[0].resourceNames[1]: Duplicate value: "x"',
      'spec.matchResources.resourceRules[0].resourceNames[2]: Invalid value: "..": may not be \'..\'',
    ],
  ],
  [
    'mutationBinding',
    { 'spec/policyName': 'P', 'spec/matchResources/resourceRules/0/operations': ['DELETE'] },
    [
      "spec.policyName: Invalid value: \"P\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.matchResources.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ],
  ],
  ['definition', {}, []],
  [
    'definition',
    {
      'metadata/name': 'bars.ext.example.com',
      'spec/group': 'x',
      'spec/scope': 'Global',
      'spec/names/kind': 'F_o',
      'spec/names/listKind': 'F_o',
    },
    [
      'metadata.name: Invalid value: "bars.ext.example.com": must be spec.names.plural+"."+spec.group',
      'spec.group: Invalid value: "x": should be a domain with at least one dot',
      'spec.scope: Unsupported value: "Global": supported values: "Cluster", "Namespaced"',
      "spec.names.singular: Invalid value: \"f_o\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.names.kind: Invalid value: \"F_o\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.names.listKind: Invalid value: \"F_o\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      'spec.names.listKind: Invalid value: "F_o": kind and listKind may not be the same',
    ],
  ],
  [
    'definition',
    { 'metadata/name': 'foos.x.k8s.io', 'spec/group': 'x.k8s.io' },
    [
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ],
  ['definition', { 'spec/versions/0/schema': undefined }, ['spec.versions[0].schema.openAPIV3Schema: Required value']],
  [
    'definition',
    { 'spec/preserveUnknownFields': true },
    [
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
  ],
  [
    'definition',
    {
      'spec/versions/0/schema/openAPIV3Schema': {
        properties: { a: {}, l: { type: 'array' }, metadata: { type: 'object', description: 'd' } },
        additionalProperties: true,
      },
    },
    [
      'spec.validation.openAPIV3Schema.additionalProperties: Forbidden: must not be used at the root',
      'spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields',
      'spec.validation.openAPIV3Schema.properties[l].items: Required value: must be specified',
      'spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
      'spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root',
    ],
  ],
  [
    'definition',
    {
      'spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a': {
        type: 'string',
        pattern: 'a**',
        anyOf: [{ type: 'string', nullable: true }],
        not: { properties: { q: {} } },
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].anyOf[0].nullable: Forbidden: must be false to be structural',
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].anyOf[0].type: Forbidden: must be empty to be structural',
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].pattern: Invalid value: "a**": must be a valid regular expression, but isn\'t: error parsing regexp: invalid nested repetition operator: `**`',
    ],
  ],
  [
    'definition',
    {
      'spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a': {
        type: 'text',
        $ref: '#/x',
        uniqueItems: true,
        default: 1,
        'x-kubernetes-preserve-unknown-fields': false,
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].$ref: Forbidden: $ref is not supported',
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined',
    ],
  ],
  [
    'definition',
    { 'spec/versions/0/schema/openAPIV3Schema/$schema': 's' },
    ['spec.validation.openAPIV3Schema: Invalid value: "": OpenAPIV3Schema \'schema\' is not supported'],
  ],
  [
    'definition',
    {
      'spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/l': {
        type: 'array',
        items: { type: 'object', properties: { k: { type: 'object' } } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k', 'z', 'k'],
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[l].items.properties[k].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
      'spec.validation.openAPIV3Schema.properties[spec].properties[l].x-kubernetes-list-map-keys: Invalid value: ["k","z","k"]: entries must all be names of item properties',
      'spec.validation.openAPIV3Schema.properties[spec].properties[l].items.properties[k].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
      'spec.validation.openAPIV3Schema.properties[spec].properties[l].x-kubernetes-list-map-keys: Invalid value: ["k","z","k"]: must not contain duplicate entries',
      'spec.validation.openAPIV3Schema.properties[spec].properties[l].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      'spec.validation.openAPIV3Schema.properties[spec].properties[l].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
  ],
  [
    'definition',
    {
      'spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/l': {
        type: 'array',
        items: { type: 'object', nullable: true },
        'x-kubernetes-list-type': 'set',
        'x-kubernetes-map-type': 'odd',
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[l].type: Invalid value: "array": must be object if x-kubernetes-map-type is specified',
      'spec.validation.openAPIV3Schema.properties[spec].properties[l].x-kubernetes-map-type: Unsupported value: "odd": supported values: "atomic", "granular"',
      'spec.validation.openAPIV3Schema.properties[spec].properties[l].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
      'spec.validation.openAPIV3Schema.properties[spec].properties[l].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set',
    ],
  ],
  [
    'definition',
    {
      'spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/n': {
        type: 'integer',
        format: 'int32',
        minimum: 5,
        multipleOf: 3,
        default: 4,
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[n].default: Invalid value: 4:  in body should be a multiple of 3',
      'spec.validation.openAPIV3Schema.properties[spec].properties[n].default: Invalid value: 4:  in body should be greater than or equal to 5',
    ],
  ],
  [
    'definition',
    {
      'spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a': {
        type: 'string',
        maxLength: 1,
        enum: ['b'],
        default: 'aa',
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Too long: may not be more than 1 byte',
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Unsupported value: "aa": supported values: "b"',
    ],
  ],
  [
    'definition',
    {
      'spec/versions/0/schema/openAPIV3Schema/properties/spec/default': { l: ['x', 2], z: 1 },
      'spec/versions/0/schema/openAPIV3Schema/properties/spec/required': ['n'],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: {"l":["x",2],"z":1}: must not have unknown fields',
      'spec.validation.openAPIV3Schema.properties[spec].default.l[1]: Invalid value: "integer": l[1] in body must be of type string: "integer"',
      'spec.validation.openAPIV3Schema.properties[spec].default.n: Required value',
    ],
  ],
  [
    'definition',
    {
      'spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a': {
        type: 'string',
        pattern: '^[a-c]+$',
        minLength: 2,
        default: 'd',
        oneOf: [{ minLength: 3 }, { maxLength: 0 }],
        anyOf: [{ format: 'uuid' }],
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: "": "" must validate at least one schema (anyOf)',
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: "d":  in body must be of type uuid: "d"',
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: "": "" must validate one and only one schema (oneOf). Found none valid',
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: "d":  in body should be at least 3 chars long',
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: "d":  in body should be at least 2 chars long',
    ],
  ],
  [
    'definition',
    {
      'spec/versions/0/schema/openAPIV3Schema/properties/metadata': {
        type: 'object',
        properties: { name: { type: 'string', default: 'x' } },
      },
      'spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/r': {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        default: { kind: 'a_b', metadata: { name: 'a/b' } },
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[r].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      'spec.validation.openAPIV3Schema.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata',
    ],
  ],
  [
    'definition',
    {
      'spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations': [
        { rule: ' ' },
        { rule: 'true', message: ' ', reason: 'Bad', fieldPath: '.zz' },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Required value: rule is not specified',
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[1].message: Invalid value: " ": must be non-empty if specified',
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[1].reason: Unsupported value: "Bad": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[1].fieldPath: Invalid value: ".zz": must be a valid path',
    ],
  ],
  [
    'definition',
    {
      'spec/versions/0/subresources': {
        status: {},
        scale: { specReplicasPath: 'spec.n', statusReplicasPath: '.spec.n', labelSelectorPath: '.x' },
      },
      'spec/versions/0/additionalPrinterColumns': [{ name: '', type: 'text', format: 'x', jsonPath: 'a' }],
    },
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: "spec.n": must be a simple json path starting with .',
      'spec.subresources.scale.statusReplicasPath: Invalid value: ".spec.n": should be a json path under .status',
      'spec.subresources.scale.labelSelectorPath: Invalid value: ".x": should be a json path under either .spec or .status',
      'spec.additionalPrinterColumns[0].name: Required value',
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].format: Invalid value: "x": must be one of byte,date,date-time,double,float,int32,int64,password',
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "a": must be a simple json path starting with .',
    ],
  ],
  [
    'definition',
    {
      'spec/versions/0/selectableFields': [
        { jsonPath: '.spec.a' },
        { jsonPath: '.spec.a' },
        { jsonPath: '.spec.l' },
        { jsonPath: '.spec.zz' },
        { jsonPath: ".spec['a']" },
      ],
    },
    [
      'spec.selectableFields[1].jsonPath: Duplicate value: ".spec.a"',
      'spec.selectableFields[2].jsonPath: Invalid value: ".spec.l": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      'spec.selectableFields[3].jsonPath: Invalid value: ".spec.zz": is an invalid path: does not refer to a valid field',
      'spec.selectableFields[4].jsonPath: Invalid value: ".spec[\'a\']": is an invalid path: array notation is not allowed',
    ],
  ],
  [
    'definition',
    {
      'spec/versions/0/deprecationWarning': 'old',
      'spec/conversion': { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v3', 'v3'] } },
    },
    [
      'spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions',
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
      'spec.conversion.conversionReviewVersions[1]: Invalid value: "v3": duplicate version',
      'spec.conversion.conversionReviewVersions: Invalid value: ["v3","v3"]: must include at least one of v1, v1beta1',
    ],
  ],
  [
    'definition',
    { 'spec/versions': [] },
    [
      'spec.versions: Invalid value: []: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: null: must have at least one stored version',
    ],
  ],
  [
    'class',
    {
      'spec/selectors/0': {},
      'spec/config/0/opaque': { driver: 'a_b', parameters: 1 },
      'spec/extendedResourceName': 'cpu',
    },
    [
      'spec.selectors[0].cel: Required value',
      "spec.config[0].opaque.driver: Invalid value: \"a_b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
      'spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name',
    ],
  ],
  ['claim', {}, []],
  [
    'claim',
    {
      'spec/devices/requests': [
        { name: 'R' },
        {
          name: 'R',
          exactly: {
            deviceClassName: '',
            allocationMode: 'All',
            count: 1,
            tolerations: [{ key: 'a b', operator: 'Exists', value: 'v', effect: 'Now' }],
          },
          firstAvailable: [],
        },
      ],
    },
    [
      "spec.devices.requests[0].name: Invalid value: \"R\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      'spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required',
      "spec.devices.requests[1].name: Invalid value: \"R\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      'spec.devices.requests[1].exactly.deviceClassName: Required value',
      "spec.devices.requests[1].exactly.count: Invalid value: 1: must not be specified when allocationMode is 'All'",
      "spec.devices.requests[1].exactly.tolerations[0].key: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.devices.requests[1].exactly.tolerations[0].value: Invalid value: "v": must be empty for operator `Exists`',
      'spec.devices.requests[1].exactly.tolerations[0].effect: Unsupported value: "Now": supported values: "NoExecute", "NoSchedule", "None"',
      'spec.devices.requests[1]: Duplicate value: "R"',
    ],
  ],
  [
    'claim',
    {
      'spec/devices/constraints': [{ requests: ['x', 'r/s', 'a/b/c'], matchAttribute: 'a' }, {}],
      'spec/devices/config': [{ requests: ['r', 'r'] }],
    },
    [
      'spec.devices.constraints[0].requests[0]: Invalid value: "x": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.devices.constraints[0].requests[1]: Invalid value: "r/s": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.devices.constraints[0].requests[2]: Invalid value: "a/b/c": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.devices.constraints[0].matchAttribute: Invalid value: "a": a fully qualified name must be a domain and a name separated by a slash',
      'spec.devices.constraints[1]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
      'spec.devices.config[0].requests[1]: Duplicate value: "r"',
      'spec.devices.config[0].opaque: Required value',
    ],
  ],
  [
    'claim',
    {
      'spec/devices/requests/0': {
        name: 'r',
        firstAvailable: [
          { name: 's', deviceClassName: 'c', allocationMode: 'Any' },
          { name: 's', deviceClassName: 'C', count: -1 },
        ],
      },
    },
    [
      'spec.devices.requests[0].firstAvailable[0].allocationMode: Unsupported value: "Any": supported values: "All", "ExactCount"',
      "spec.devices.requests[0].firstAvailable[1].deviceClassName: Invalid value: \"C\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.devices.requests[0].firstAvailable[1].count: Invalid value: -1: must be greater than zero',
      'spec.devices.requests[0].firstAvailable[1]: Duplicate value: "s"',
    ],
  ],
  [
    'template',
    { 'spec/metadata': { name: 'x', labels: { 'a b': 'c' } } },
    [
      "spec.metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.metadata.name: Forbidden: cannot be set',
    ],
  ],
  ['slice', {}, []],
  [
    'slice',
    { 'spec/driver': '', 'spec/pool': { name: 'A/b', generation: -1, resourceSliceCount: 0 }, 'spec/allNodes': true },
    [
      'spec.driver: Required value',
      "spec.pool.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
      'spec.pool.generation: Invalid value: -1: must be greater than or equal to zero',
      'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
    ],
  ],
  [
    'slice',
    { 'spec/nodeName': undefined, 'spec/perDeviceNodeSelection': false },
    [
      'spec.perDeviceNodeSelection: Invalid value: false: must be either unset or set to true',
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
    ],
  ],
  [
    'slice',
    { 'spec/devices/0/attributes': { 'a-b': { version: '1.2' } } },
    [
      "spec.devices[0].attributes: Invalid value: \"a-b\": a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')",
      'spec.devices[0].attributes[a-b].version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0',
    ],
  ],
  [
    'slice',
    { 'spec/devices/0/attributes': { 'd.com/': { int: 1, bool: true } } },
    [
      'spec.devices[0].attributes: Invalid value: "": the name must not be empty',
      'spec.devices[0].attributes[d.com/]: Invalid value: {"IntValue":1,"BoolValue":true,"StringValue":null,"VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: exactly one value must be specified',
    ],
  ],
  [
    'slice',
    { 'spec/devices/0/attributes': { c: {} } },
    ['spec.devices[0].attributes[c]: Invalid value: "": exactly one value must be specified'],
  ],
  [
    'slice',
    {
      'spec/devices/0/taints': [{ key: '', effect: '' }],
      'spec/devices/0/bindingConditions': ['a', 'a'],
      'spec/devices/0/nodeName': 'x',
    },
    [
      'spec.devices[0].taints[0].key: Invalid value: "": name part must be non-empty',
      "spec.devices[0].taints[0].key: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.devices[0].taints[0].effect: Required value',
      'spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
      'spec.devices[0].bindingConditions[1]: Duplicate value: "a"',
      'spec.devices[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions',
    ],
  ],
  [
    'slice',
    {
      'spec/devices/0/allowMultipleAllocations': true,
      'spec/devices/0/capacity/c/requestPolicy': { default: '20', validRange: { min: '3', max: '11', step: '3' } },
    },
    [
      'spec.devices[0].capacity[c].requestPolicy.validRange.max: Invalid value: "11": max is larger than capacity value: 10',
      'spec.devices[0].capacity[c].requestPolicy.validRange.max: Invalid value: "20": default is more than max: 11',
      'spec.devices[0].capacity[c].requestPolicy.validRange.step: Invalid value: "20": value is not a multiple of a given step (3) from (3)',
      'spec.devices[0].capacity[c].requestPolicy.validRange.step: Invalid value: "11": value is not a multiple of a given step (3) from (3)',
    ],
  ],
  [
    'slice',
    { 'spec/devices/0/capacity/c/requestPolicy': { default: '20', validValues: ['3'] } },
    ['spec.devices[0].capacity[c].requestPolicy: Forbidden: allowMultipleAllocations must be true'],
  ],
  [
    'slice',
    {
      'spec/devices': undefined,
      'spec/sharedCounters': [
        { name: '', counters: {} },
        { name: 'A', counters: { B_: { value: '1' } } },
      ],
    },
    [
      'spec.sharedCounters[0].name: Required value',
      'spec.sharedCounters[0].counters: Required value',
      "spec.sharedCounters[1].name: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      "spec.sharedCounters[1].counters: Invalid value: \"B_\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
];

t.test('objects are refused for the reasons Kubernetes gives, in its order', (t) => {
  for (const [kind, changes, errors] of cases) {
    t.same(
      create(kinds[kind], changed(bases[kind], changes)).texts,
      errors,
      `${kind} ${JSON.stringify(Object.keys(changes))}`,
    );
  }
  t.end();
});

t.test('defaults are filled in', (t) => {
  const { webhooks } = create(
    kinds.mutating,
    changed(bases.mutating, { 'webhooks/0/clientConfig': { service: { name: 's', namespace: 'n' } } }),
  ).object;
  t.match(webhooks, [
    {
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      reinvocationPolicy: 'Never',
      rules: [{ scope: '*' }],
      clientConfig: { service: { port: 443 } },
    },
  ]);
  t.match(create(kinds.policy, bases.policy).object.spec, {
    failurePolicy: 'Fail',
    matchConstraints: { matchPolicy: 'Equivalent', resourceRules: [{ scope: '*' }] },
  });
  const { metadata, spec, status } = create(kinds.definition, bases.definition).object;
  t.equal(metadata?.generation, 1);
  t.match(spec, { names: { singular: 'foo', listKind: 'FooList' }, conversion: { strategy: 'None' } });
  t.same(status, { acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] });
  t.match(create(kinds.claim, bases.claim).object.spec, {
    devices: { requests: [{ exactly: { allocationMode: 'ExactCount', count: 1 } }] },
  });
  const all = changed(bases.claim, { 'spec/devices/requests/0/exactly/allocationMode': 'All' });
  t.notHas(
    create(kinds.claim, all).object.spec,
    { devices: { requests: [{ exactly: { count: 1 } }] } },
    'all devices are not counted',
  );
  t.end();
});

t.test('taints of devices are dated when they appear, and what is still switched off is dropped', (t) => {
  const attributes = { a: { int: 1 }, b: { string: 'x', strings: ['y'] } };
  const slice = changed(bases.slice, {
    'spec/devices/0/taints': [{ key: 'k', effect: 'None' }],
    'spec/devices/0/attributes': attributes,
  });
  t.match(create(kinds.slice, slice).object.spec, {
    devices: [
      { taints: [{ timeAdded: '2026-01-02T03:04:05Z' }], attributes: { b: { string: 'x', strings: undefined } } },
    ],
  });
  t.end();
});

t.test('updates keep what must not change', (t) => {
  const errorsOf = (kind: keyof typeof bases, changes: Changes, before: Changes = {}): readonly string[] =>
    update(kinds[kind], changed(bases[kind], { ...before, ...changes }), changed(bases[kind], before)).texts;
  t.match(errorsOf('claim', { 'spec/devices/requests/0/name': 'x' }), [
    /^spec: Invalid value: \{"Devices":\{"Requests":\[\{"Name":"x","Exactly":.*\}: field is immutable$/,
  ]);
  t.match(errorsOf('template', { 'spec/metadata': { labels: { b: '2', a: '1' } } }), [
    /^spec: Invalid value: \{"labels":\{"a":"1","b":"2"\},"Spec":\{"Devices":.*\}: field is immutable$/,
  ]);
  t.same(errorsOf('slice', { 'spec/driver': 'e.com', 'spec/nodeName': undefined, 'spec/allNodes': true }), [
    'spec.driver: Invalid value: "e.com": field is immutable',
    'spec.nodeName: Invalid value: null: field is immutable',
  ]);
  const established = {
    'status/conditions': [{ type: 'Established', status: 'True' }],
    'status/storedVersions': ['v1'],
  };
  t.same(errorsOf('definition', { 'spec/scope': 'Cluster', 'spec/names/kind': 'Bar' }, established), [
    'spec.scope: Invalid value: "Cluster": field is immutable',
    'spec.names.kind: Invalid value: "Bar": field is immutable',
  ]);
  t.same(errorsOf('definition', { 'spec/scope': 'Cluster' }), [], 'before it is established the scope may change');
  t.match(errorsOf('definition', { 'spec/versions/0/name': 'v2' }, established), [
    /^status\.storedVersions\[0\]: Invalid value: "v1": missing from spec\.versions; v1 was previously a storage version/,
  ]);
  t.end();
});

t.test('what an older release accepted may stay', (t) => {
  const old = changed(bases.validating, {
    'webhooks/0/sideEffects': 'Some',
    'webhooks/1/name': 'a.b.c',
    'webhooks/0/admissionReviewVersions': ['v0'],
  });
  t.same(update(kinds.validating, old, old).texts, []);
  t.match(
    update(kinds.validating, changed(bases.validating, { 'webhooks/0/sideEffects': 'Some' }), bases.validating).texts,
    [/sideEffects: Unsupported value/],
  );
  const loose = changed(bases.definition, {
    'spec/preserveUnknownFields': true,
    'spec/versions/0/schema/openAPIV3Schema/properties/spec': {},
  });
  t.same(update(kinds.definition, loose, loose).texts, [], 'a schema that is not structural');
  t.end();
});

t.test('a definition remembers every version it stored objects in', (t) => {
  const second = { name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
  const old = create(kinds.definition, bases.definition).object;
  const outcome = update(
    kinds.definition,
    changed(bases.definition, { 'spec/versions/0/storage': false, 'spec/versions/1': second }),
    old,
  );
  t.same(outcome.texts, []);
  t.match(outcome.object, { metadata: { generation: 2 }, status: { storedVersions: ['v1', 'v2'] } });
  t.end();
});

t.test('unknown formats are worth a warning, once', (t) => {
  const path = 'spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a/format';
  const odd = changed(bases.definition, { [path]: 'odd' });
  t.same(create(kinds.definition, odd).warnings, ['unrecognized format "odd"']);
  t.same(update(kinds.definition, odd, odd).warnings, []);
  t.same(create(kinds.definition, changed(bases.definition, { [path]: 'date-time' })).warnings, []);
  t.match(create(kinds.mutating, changed(bases.mutating, { 'metadata/name': 'x.static.k8s.io' })).warnings, [
    /^metadata\.name: names ending with "\.static\.k8s\.io" are reserved/,
  ]);
  t.same(create(kinds.slice, changed(bases.slice, { 'spec/driver': 'D.com' })).warnings, [
    'spec.driver: driver names should be lowercase; "D.com" contains uppercase characters',
  ]);
  t.end();
});

t.test('the status of a claim is written once and cleaned when the allocation goes', (t) => {
  const allocation = { devices: { results: [result] } };
  const device = { driver: 'd.com', pool: 'p', device: 'd' };
  const allocated = changed(bases.claim, { status: { allocation, devices: [device] } });
  const statusOf = (changes: Changes, old: object): ReturnType<typeof update> =>
    update(kinds.claim, changed(bases.claim, changes), old, 'status');
  t.same(statusOf({ status: { allocation, devices: [device] } }, bases.claim).texts, []);
  t.same(statusOf({ status: {} }, allocated).object.status, {});
  t.same(statusOf({ status: { devices: [device] } }, allocated).object.status, {}, 'devices go with the allocation');
  t.same(
    statusOf(
      {
        status: { allocation: { devices: { results: [{ ...result, request: 'x', driver: '' }] } }, reservedFor: [{}] },
      },
      bases.claim,
    ).texts,
    [
      'status.reservedFor[0].resource: Required value',
      'status.reservedFor[0].name: Required value',
      'status.reservedFor[0].uid: Required value',
      'status.allocation.devices.results[0].request: Invalid value: "x": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'status.allocation.devices.results[0].driver: Required value',
    ],
  );
  t.match(statusOf({ status: { allocation: { devices: {} } } }, allocated).texts, [
    /^status\.allocation: Invalid value: \{"Devices":\{"Results":null,"Config":null\},.*field is immutable$/,
  ]);
  t.same(
    statusOf(
      { status: { devices: [{ ...device, networkData: { ips: ['10.0.0.1/33', '010.0.0.1/8'] } }] } },
      bases.claim,
    ).texts,
    [
      'status.devices[0]: Invalid value: {"Driver":"d.com","Pool":"p","Device":"d","ShareID":""}: must be an allocated device in the claim',
      'status.devices[0].networkData.ips[0]: Invalid value: "10.0.0.1/33": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)',
      'status.devices[0].networkData.ips[1]: Invalid value: "010.0.0.1/8": must be in canonical form ("10.0.0.1/8")',
    ],
  );
  t.end();
});

t.test('the status of policies and definitions is checked by itself', (t) => {
  const status = {
    conditions: [{ type: 'A', status: 'Maybe', reason: '1' }, { type: 'A' }],
    typeChecking: { expressionWarnings: [{}] },
  };
  t.same(
    update(
      kinds.policy,
      changed(bases.policy, { status, 'metadata/labels': { a: 'b' } }),
      bases.policy,
      'status',
    ).texts.map((text) => text.replace(/ \(e\.g.*/, '')),
    [
      'status.typeChecking.expressionWarnings[0].warning: Required value',
      'status.typeChecking.expressionWarnings[0].fieldRef: Required value',
      'status.conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
      'status.conditions[0].lastTransitionTime: Required value',
      `status.conditions[0].reason: Invalid value: "1": a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'`,
      'status.conditions[1].type: Duplicate value: "A"',
      'status.conditions[1].status: Unsupported value: "": supported values: "False", "True", "Unknown"',
      'status.conditions[1].lastTransitionTime: Required value',
      'status.conditions[1].reason: Required value',
    ],
  );
  t.notHas(
    update(kinds.policy, changed(bases.policy, { 'metadata/labels': { a: 'b' } }), bases.policy, 'status').object
      .metadata,
    { labels: { a: 'b' } },
  );
  const names = update(
    kinds.definition,
    changed(bases.definition, { 'status/acceptedNames': { plural: 'A' }, 'metadata/labels': { a: 'b' } }),
    bases.definition,
    'status',
  );
  t.match(names.texts, [/^status\.acceptedNames\.plural: Invalid value: "A": a DNS-1035 label/]);
  t.match(names.object.metadata, { labels: { a: 'b' } }, 'labels of a definition may change with its status');
  t.end();
});

t.test('lists print as kubectl shows them', (t) => {
  const cells = (kind: keyof typeof bases, changes: Changes = {}): unknown =>
    row(kinds[kind], changed(bases[kind], changes))?.cells;
  t.same(cells('validating'), ['ext', 2, '<unknown>']);
  t.same(cells('policy', { 'spec/paramKind': { apiVersion: 'a/v1', kind: 'K' } }), ['ext', 1, 'a/v1/K', '<unknown>']);
  t.same(cells('mutation'), ['ext', 1, '<unset>', '<unknown>']);
  t.same(cells('binding'), ['ext', 'p', '*/n', '<unknown>']);
  const selector = {
    matchLabels: { b: 'c', a: 'x' },
    matchExpressions: [{ key: 'k', operator: 'In', values: ['1', '2'] }],
  };
  t.same(cells('binding', { 'spec/paramRef': { selector } }), [
    'ext',
    'p',
    '&LabelSelector{MatchLabels:map[string]string{a: x,b: c,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[1 2],},},}',
    '<unknown>',
  ]);
  t.same(cells('claim'), ['ext', 'pending', '<unknown>']);
  t.same(cells('claim', { 'metadata/deletionTimestamp': '2026-01-01T00:00:00Z' }), ['ext', 'deleted', '<unknown>']);
  t.same(cells('claim', { status: { allocation: {}, reservedFor: [{}] } }), ['ext', 'allocated,reserved', '<unknown>']);
  t.same(cells('slice'), ['ext', 'n', 'd.com', 'p', '<unknown>']);
  t.same(cells('class'), ['ext', '<unknown>']);
  t.same(cells('template'), ['ext', '<unknown>']);
  t.equal(cells('definition'), undefined, 'definitions have the table of kinds without one');
  t.end();
});

t.test('kinds say how they are updated, deleted and selected', (t) => {
  for (const kind of [
    'mutating',
    'validating',
    'policy',
    'mutation',
    'binding',
    'mutationBinding',
    'definition',
  ] as const) {
    t.match(strategyOf(kinds[kind]), { requiresResourceVersion: true, answersDeleted: undefined });
  }
  for (const kind of ['class', 'claim', 'template', 'slice'] as const)
    t.match(strategyOf(kinds[kind]), { requiresResourceVersion: undefined, answersDeleted: true });
  t.same(Object.keys(strategyOf(kinds.slice).selectableFields ?? {}), ['spec.nodeName', 'spec.driver']);
  t.equal(strategyOf(kinds.slice).selectableFields?.['spec.nodeName']?.(bases.slice), 'n');
  const counted = update(
    kinds.slice,
    changed(bases.slice, { 'spec/pool/generation': 1 }),
    changed(bases.slice, { 'metadata/generation': 3 }),
  );
  t.equal(counted.object.metadata?.generation, 4);
  t.end();
});

t.test('regular expressions are read as Go reads them', (t) => {
  for (const [pattern, error] of [
    ['a**', 'invalid nested repetition operator: `**`'],
    ['*', 'missing argument to repetition operator: `*`'],
    ['(a', 'missing closing ): `(a`'],
    ['a)', 'unexpected ): `a)`'],
    ['[a', 'missing closing ]: `[a`'],
    ['[b-a]', 'invalid character class range: `b-a`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['(a{100}){11}', 'invalid repeat count: `{11}`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(?P<a b>x)', 'invalid named capture: `(?P<a b>`'],
    ['\\8', 'invalid escape sequence: `\\8`'],
    ['\\x{110000}', 'invalid escape sequence: `\\x{110000`'],
    ['\\p{Nope}', 'invalid character class range: `\\p{Nope}`'],
    ['a\\', 'trailing backslash at end of expression: ``'],
    ['('.repeat(2000), `expression nests too deeply: \`${'('.repeat(2000)}\``],
  ] as const) {
    t.same(parseGoRegexp(pattern), { error: `error parsing regexp: ${error}` }, pattern.slice(0, 20));
  }
  t.ok('error' in parseGoRegexp('a{1000}'.repeat(1000)), 'the size is bounded');
  t.end();
});

t.test('regular expressions match in linear time what Go matches', (t) => {
  const matches = (pattern: string, text: string): boolean => {
    const parsed = parseGoRegexp(pattern);
    return 'expression' in parsed && matcher(parsed.expression)(text) === true;
  };
  for (const [pattern, yes, no] of [
    ['^[a-c]+$', 'abc', 'abd'],
    ['(?i)^straße|k$', '\u212a', 'x'],
    ['^(?:a|b){2,3}$', 'aba', 'abab'],
    ['^\\p{Lu}\\P{Lu}*$', 'Äb', 'äb'],
    ['^[[:alpha:]_\\d]*\\z', 'a_1', 'a-1'],
    ['\\bfoo\\b', 'a foo.', 'afoo'],
    ['(?m)^b$', 'a\nb\nc', 'ab'],
    ['^.$', '😀', '\n'],
    ['(?s)^.$', '\n', 'ab'],
    ['\\Q.*\\E', 'a.*', 'ab'],
    ['^(?i:A)b$', 'ab', 'aB'],
    ['^[^\\W\\d]$', 'x', '1'],
  ] as const) {
    t.ok(matches(pattern, yes), `${pattern} matches ${yes}`);
    t.notOk(matches(pattern, no), `${pattern} does not match ${no}`);
  }
  t.notOk(matches('^(a+)+$', `${'a'.repeat(5000)}b`), 'no expression makes it backtrack');
  fc.assert(
    fc.property(fc.string(), (text) => matches(`^\\Q${text.replaceAll('\\E', '')}\\E$`, text.replaceAll('\\E', ''))),
  );
  t.end();
});

t.test('the steps of a match are counted and bounded', (t) => {
  const match = (pattern: string): ReturnType<typeof matcher> => {
    const parsed = parseGoRegexp(pattern);
    if ('error' in parsed) throw new Error(parsed.error);
    return matcher(parsed.expression);
  };
  const steps = new MatchSteps(100_000);
  t.equal(match('(a?){900}b')('a'.repeat(100_000), steps), undefined, 'size times length exceeds the budget');
  t.ok(steps.left < 0 && steps.left > -10_000, `it ends soon after: ${steps.left}`);
  const few = new MatchSteps(100_000);
  t.equal(match('^[a-z]+$')('a'.repeat(10_000), few), true);
  t.ok(few.left > 0, 'a plain pattern takes a few steps per character');
  const classes = `[${Array.from({ length: 9_000 }, (_, index) => String.fromCodePoint(0x4e00 + 2 * index)).join('')}]`;
  t.equal(match(classes)('\u4e02'), true);
  t.equal(match(classes)('\u4e01'), false);
  t.equal(match('^[\\d\\d-a-cb-e]+$')('1-ae'), true, 'ranges that overlap are merged');
  t.match(parseGoRegexp(`[${'[:'.repeat(100_000)}`), { error: /expression too large/ });
  t.end();
});

t.test('defaults that take too many steps to validate are refused by name', (t) => {
  const errorsOf = (property: object): readonly string[] =>
    create(
      kinds.definition,
      changed(bases.definition, { 'spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a': property }),
    ).texts;
  const tooMany = /default: Invalid value: takes too many steps to validate against its schema$/;
  t.match(errorsOf({ type: 'string', pattern: '(a?){900}b', default: 'a'.repeat(100_000) }), [tooMany]);
  t.same(errorsOf({ type: 'string', pattern: '^(a|b)*$', default: 'ab'.repeat(50_000) }), []);
  const numbers = Array.from({ length: 2_000 }, (_, index) => index);
  const listed = { type: 'array', items: { type: 'integer', enum: numbers }, default: numbers };
  t.match(errorsOf(listed), [tooMany], 'lists times enumerations');
  t.end();
});

t.test('malformed URLs are refused in the words of Go', (t) => {
  for (const [url, error] of [
    ['://x', 'missing protocol scheme'],
    ['https://a:b/', 'invalid port ":b" after host'],
    ['https://[::1', "missing ']' in host"],
    ['https://%zz', 'invalid URL escape "%zz"'],
    ['https://a b', 'invalid character " " in host name'],
    ['a:b', ''],
    ['1:2', 'first path segment in URL cannot contain colon'],
    ['https://a\n', 'net/url: invalid control character in URL'],
    ['https://u@h/%41?q#f', ''],
  ] as const) {
    const parsed = parseGoUrl(url);
    t.equal('error' in parsed ? parsed.error : '', error === '' ? '' : `parse ${JSON.stringify(url)}: ${error}`, url);
  }
  t.same(parseGoUrl('HTTPS://u:%40@h:1/p?q#%66'), {
    url: { scheme: 'https', host: 'h:1', user: 'u:%40', escapedPath: '/p', query: 'q', fragment: 'f' },
  });
  t.end();
});

t.test('every expression is handed to the check, with what it may refer to', (t) => {
  const seen: string[] = [];
  const check: ExpressionCheck = (checked) => {
    const text =
      checked.kind === 'schema' ? JSON.stringify(checked.schema['x-kubernetes-validations']) : checked.expression;
    const use =
      checked.kind === 'admission'
        ? `${checked.use} params ${checked.hasParams} variables ${checked.variables.map(({ name }) => name).join()}`
        : checked.kind;
    seen.push(`${checked.path.toString()}: ${use}: ${text}`);
    return [fieldInvalid(checked.path, text, 'does not compile')];
  };
  const context = {
    user: { username: 'a' },
    now: 0,
    random: random(1),
    dryRun: false,
    version: { group: '', version: 'v1' },
    checkExpression: check,
  };
  const judge = (kind: keyof typeof bases, strategy: KindStrategy, changes: Changes): number | undefined =>
    strategy.validate?.(create(kinds[kind], changed(bases[kind], changes)).object, context).length;
  const spec = {
    ...policy,
    paramKind: { apiVersion: 'v1', kind: 'K' },
    matchConditions: [{ name: 'c', expression: ' m ' }],
    variables: [
      { name: 'a', expression: '1' },
      { name: 'b', expression: '2' },
    ],
    validations: [{ expression: 'v', messageExpression: 'x' }],
    auditAnnotations: [{ key: 'k', valueExpression: 'w' }],
  };
  t.equal(judge('policy', validatingAdmissionPolicy, { spec }), 6);
  t.equal(judge('mutation', mutatingAdmissionPolicy, {}), 1);
  t.equal(
    judge('validating', webhookConfiguration, {
      'webhooks/0/matchConditions': [{ name: 'c', expression: 'm' }],
    }),
    1,
  );
  t.equal(judge('class', deviceClass(check), {}), 1);
  const rules = [{ rule: 'self.a' }];
  t.equal(
    judge('definition', customResourceDefinition(check), {
      'spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations': rules,
    }),
    1,
  );
  t.same(seen, [
    'spec.matchConditions[0].expression: matchCondition params true variables : m',
    'spec.variables[0].expression: variable params true variables : 1',
    'spec.variables[1].expression: variable params true variables a: 2',
    'spec.validations[0].expression: validation params true variables a,b: v',
    'spec.validations[0].messageExpression: message params true variables a,b: x',
    'spec.auditAnnotations[0].valueExpression: auditAnnotation params true variables a,b: w',
    'spec.mutations[0].jsonPatch.expression: jsonPatch params false variables : [JSONPatch{op: "test", path: "/x", value: "y"}]',
    'webhooks[0].matchConditions[0].expression: matchCondition params false variables : m',
    'spec.selectors[0].cel.expression: device: true',
    'spec.validation.openAPIV3Schema.properties[spec]: schema: [{"rule":"self.a"}]',
  ]);
  t.end();
});

t.test('the first shape of dynamic resources is converted to the present one and back', (t) => {
  const scheme = builtinScheme();
  const [older, newer] = [parseGroupVersion('resource.k8s.io/v1beta1'), parseGroupVersion('resource.k8s.io/v1')];
  const asks = { deviceClassName: 'c', allocationMode: 'ExactCount', count: 1 };
  const basic = { attributes: { a: { int: 1 } }, nodeName: 'n' };
  const shared = { metadata: { name: 'x' } };
  for (const [kind, old, now] of [
    [
      'ResourceClaim',
      { devices: { requests: [{ name: 'r', ...asks }] } },
      { devices: { requests: [{ name: 'r', exactly: asks }] } },
    ],
    [
      'ResourceClaimTemplate',
      {
        spec: { devices: { requests: [{ name: 'r', deviceClassName: '', firstAvailable: [{ name: 's', ...asks }] }] } },
      },
      { spec: { devices: { requests: [{ name: 'r', firstAvailable: [{ name: 's', ...asks }] }] } } },
    ],
    [
      'ResourceSlice',
      { driver: 'd', devices: [{ name: 'a', basic }] },
      { driver: 'd', devices: [{ name: 'a', ...basic }] },
    ],
  ] as const) {
    const before = { apiVersion: 'resource.k8s.io/v1beta1', kind, ...shared, spec: old };
    const after = { apiVersion: 'resource.k8s.io/v1', kind, ...shared, spec: now };
    t.same(scheme.convert(before, newer), after);
    t.same(scheme.convert(after, older), before);
  }
  const decoded = create('resource.k8s.io/v1beta1/ResourceClaim', {
    ...shared,
    spec: { devices: { requests: [{ name: 'r', deviceClassName: 'c' }, { name: 's' }] } },
  });
  t.same(
    decoded.object.spec,
    { devices: { requests: [{ name: 'r', exactly: asks }, { name: 's' }] } },
    'only requests that name a class count devices',
  );
  t.same(decoded.texts, [
    'spec.devices.requests[1]: Required value: exactly one of `exactly` or `firstAvailable` is required',
  ]);
  t.end();
});
