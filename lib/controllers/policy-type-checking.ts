// The validatingadmissionpolicy-status controller: compiles the rules of each new generation of a policy with the types
// of the kinds that it matches, and writes what does not compile to `status.typeChecking`. Warnings only: policies are
// evaluated without types. Kinds are those that the rules name without `*`, at most ten; kinds that are not built in
// are not checked. As pkg/controller/validatingadmissionpolicystatus.
import { kindTypes, policyCompiler } from '../cel/admission/index.js';
import { dynType } from '../cel/index.js';
import type { ObjectTypes, PolicyCompiler } from '../cel/admission/index.js';
import type { CelType } from '../cel/index.js';
import { awaitChange, controller, watching } from '../client/index.js';
import type { ControllerActivity } from '../client/index.js';
import { builtinScheme, namespacedName, parseGroupVersion, printGroupVersionKind } from '../core/index.js';
import type {
  Frozen,
  GroupVersionKind,
  GroupVersionResource,
  NamespacedName,
  Part,
  Scheme,
  StructType,
} from '../core/index.js';
import type { ExpressionWarning, ValidatingAdmissionPolicy } from '../core/types/index.js';
import { informersOf } from './controller-environment.js';
import type { ControllerEnvironment } from './controller-environment.js';
import { ignoreError } from './ignore-error.js';

/** A policy was checked. */
export interface PolicyChecked {
  readonly type: 'checked';
  readonly policy: string;
  readonly warnings: number;
}

/** Creates the controller. */
export function policyTypeChecking(
  environment: ControllerEnvironment,
): Part<ControllerActivity<NamespacedName, PolicyChecked>> {
  const { client, clock, concurrency = 5 } = environment;
  const policies = informersOf(environment).kind('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy');
  const writable = client.kind('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy');
  const check = policyTypeCheck();
  return controller<NamespacedName, PolicyChecked>({
    name: 'validatingadmissionpolicy-status-controller',
    clock,
    concurrency,
    watches: [watching(policies, (event) => ('object' in event ? [namespacedName(event.object)] : []))],
    reconcile: async ({ name }, { emit, signal, cause }) => {
      const policy = policies.get(name);
      const { generation = 0 } = policy?.metadata ?? {};
      if (policy === undefined || (policy.status?.observedGeneration ?? 0) >= generation) return awaitChange;
      const warnings = check(policy);
      const typeChecking = { expressionWarnings: warnings.length === 0 ? null : [...warnings] };
      const merge = { status: { observedGeneration: generation, typeChecking } };
      const options = { fieldManager: 'validatingadmissionpolicy-status', signal, cause };
      const written = await ignoreError('NotFound', writable.status.patch(name, { merge }, options));
      if (written !== undefined) emit({ type: 'checked', policy: name, warnings: warnings.length });
      return awaitChange;
    },
  });
}

/** Returns the check of policies against built-in kinds. */
export function policyTypeCheck(
  scheme: Scheme = builtinScheme(),
): (policy: Frozen<ValidatingAdmissionPolicy>) => readonly ExpressionWarning[] {
  const compiler = policyCompiler();
  const typeOf = kindTypes();
  return (policy) => {
    const kinds = matchedKinds(policy, scheme).map((kind) => ({
      kind,
      types: objectTypes(typeOf(scheme.typeOf(kind)), policy, scheme, typeOf),
    }));
    return kinds.length === 0 ? [] : warningsOf(policy, kinds, compiler);
  };
}

interface CheckedKind {
  readonly kind: GroupVersionKind;
  readonly types: ObjectTypes;
}

function objectTypes(
  object: CelType,
  { spec = {} }: Frozen<ValidatingAdmissionPolicy>,
  scheme: Scheme,
  typeOf: (type: StructType) => CelType,
): ObjectTypes {
  const { apiVersion = '', kind = '' } = spec.paramKind ?? {};
  const param = { ...parseGroupVersion(apiVersion), kind };
  return { object, params: scheme.kind(param) === undefined ? dynType : typeOf(scheme.typeOf(param)) };
}

/** The kinds that rules name, by group, version and resource. */
function matchedKinds({ spec = {} }: Frozen<ValidatingAdmissionPolicy>, scheme: Scheme): readonly GroupVersionKind[] {
  const named = new Map<string, GroupVersionResource>();
  for (const { apiGroups = [], apiVersions = [], resources = [] } of spec.matchConstraints?.resourceRules ?? [])
    for (const group of apiGroups)
      for (const version of apiVersions)
        for (const resource of resources)
          if (![group, version, resource].some((each) => each.includes('*')) && !resource.includes('/'))
            named.set(`${group}/${version}/${resource}`, { group, version, resource });
  return [...named.keys()]
    .toSorted()
    .flatMap((key) => scheme.resource(named.get(key) ?? { group: '', version: '', resource: '' }) ?? [])
    .slice(0, kindsMax)
    .map(({ group, version, kind }) => ({ group, version, kind }));
}

const kindsMax = 10;

function warningsOf(
  { spec = {} }: Frozen<ValidatingAdmissionPolicy>,
  kinds: readonly CheckedKind[],
  compiler: PolicyCompiler,
): readonly ExpressionWarning[] {
  const checks = kinds.map(({ kind, types }) => ({ kind, expressions: compiler.policy(spec, types) }));
  const warningOf = (use: 'validation' | 'message', text: string, fieldRef: string): readonly ExpressionWarning[] => {
    const problems = checks.flatMap(({ kind, expressions }) => {
      const { compilation } = expressions.programOf(use, text);
      // A result of another type is refused when the policy is written.
      const isWrong = !compilation.ok && compilation.issues.length > 0;
      return isWrong ? [`${printGroupVersionKind(kind)}: ${compilation.message}`] : [];
    });
    return problems.length === 0 ? [] : [{ fieldRef, warning: problems.join('\n') }];
  };
  return (spec.validations ?? []).flatMap(({ expression, messageExpression = '' }, index) => [
    ...warningOf('validation', expression, `spec.validations[${index}].expression`),
    ...(messageExpression === ''
      ? []
      : warningOf('message', messageExpression, `spec.validations[${index}].messageExpression`)),
  ]);
}
