// A server for tests of admission policies, and short forms of policies, bindings and writes.
import type { Test } from 'tap';
import { admissionPlugins } from '../../lib/admission/index.js';
import { administrator } from '../../lib/auth/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { isApiError, random, virtualClock } from '../../lib/core/index.js';
import type { Status } from '../../lib/core/index.js';
import type {
  MutatingAdmissionPolicyBindingSpec,
  MutatingAdmissionPolicySpec,
  NamedRuleWithOperations,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from '../../lib/core/types/index.js';
import { createServer } from '../../lib/server/index.js';
import type { ApiServer, AuditEvent } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';

/** A server and its administrator. */
export interface PolicyServer {
  readonly server: ApiServer;
  readonly client: Client;
  /** Warnings of the administrator's requests. */
  readonly warnings: readonly string[];
  /** Returns the audit events of completed requests so far. */
  readonly audits: () => readonly AuditEvent[];
}

/** Creates a server with the default admission plugins. */
export function policyServer(test: Test): PolicyServer {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const server = createServer({
    store,
    clock,
    random: random(1),
    audit: { rules: [{ level: 'Request' }] },
    admission: admissionPlugins(),
  });
  test.teardown(async () => {
    await server.close();
    await store.close();
  });
  const warnings: string[] = [];
  const audited: AuditEvent[] = [];
  server.audit$.subscribe((event) => audited.push(event));
  const onWarning = (text: string): void => void warnings.push(text);
  const audits = (): readonly AuditEvent[] => audited;
  return { server, warnings, audits, client: inProcessClient(server.handler, { user: administrator, onWarning }) };
}

/** Rules for writes of ConfigMaps. */
export const onConfigMaps: NamedRuleWithOperations[] = [
  { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
];

/** Creates a validating policy and a binding of the same name. */
export async function validate(
  client: Client,
  name: string,
  spec: Partial<ValidatingAdmissionPolicySpec>,
  binding: Partial<ValidatingAdmissionPolicyBindingSpec> = {},
): Promise<void> {
  await client.kind('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy').create({
    metadata: { name },
    spec: { matchConstraints: { resourceRules: onConfigMaps }, ...spec },
  });
  await client.kind('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding').create({
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'], ...binding },
  });
}

/** Creates a mutating policy and a binding of the same name. Each mutation is an expression. */
export async function mutate(
  client: Client,
  name: string,
  mutations: readonly string[],
  spec: Partial<MutatingAdmissionPolicySpec> = {},
  binding: Partial<MutatingAdmissionPolicyBindingSpec> = {},
): Promise<void> {
  const rule = { operations: ['CREATE' as const, 'UPDATE' as const], apiGroups: [''], apiVersions: ['v1'] };
  await client.kind('admissionregistration.k8s.io/v1', 'MutatingAdmissionPolicy').create({
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [{ ...rule, resources: ['configmaps'] }] },
      reinvocationPolicy: 'Never',
      mutations: mutations.map((expression) =>
        expression.startsWith('[')
          ? { patchType: 'JSONPatch', jsonPatch: { expression } }
          : { patchType: 'ApplyConfiguration', applyConfiguration: { expression } },
      ),
      ...spec,
    },
  });
  await client.kind('admissionregistration.k8s.io/v1', 'MutatingAdmissionPolicyBinding').create({
    metadata: { name },
    spec: { policyName: name, ...binding },
  });
}

/** Returns the Status of a request that is refused. */
export async function refusalOf(promise: Promise<unknown>): Promise<Status> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isApiError(error)) throw new Error('the request was not refused', { cause: error });
  return error.status;
}
