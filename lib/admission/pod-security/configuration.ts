// PodSecurityConfiguration: what a cluster holds pods to in namespaces without labels, and what is exempt. As
// pod-security-admission/admission/api.
import {
  aggregateText,
  field,
  fieldDuplicate,
  fieldErrorText,
  fieldInvalid,
  fieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  listOf,
  scalars,
  structType,
} from '../../core/index.js';
import type { FieldError, SyntaxRule } from '../../core/index.js';
import { configurationType, decodeConfiguration } from '../admission-configuration.js';
import type { ConfigurationDocument } from '../admission-configuration.js';
import { isLevel, isPolicyVersion, levelProblem, versionProblem } from './policy.js';
import type { PodSecurityLevel, LevelVersion, Mode, Policy } from './policy.js';

/** What is configured, ready for use. */
export interface PodSecuritySettings {
  /** The policy of namespaces without labels. Default: everything is allowed. */
  readonly defaults: Policy;
  readonly exemptUsernames: ReadonlySet<string>;
  readonly exemptNamespaces: ReadonlySet<string>;
  readonly exemptRuntimeClasses: ReadonlySet<string>;
}

/** Reads a PodSecurityConfiguration; undefined stands for the default one. Throws `DecodeError` or RangeError. */
export function podSecuritySettings(document: unknown): PodSecuritySettings {
  const { defaults = {}, exemptions = {} } =
    document === undefined ? {} : (decodeConfiguration(configurationDocument, document) as Document);
  const { usernames = [], namespaces = [], runtimeClasses = [] } = exemptions;
  const errors = [
    ...defaultErrors(defaults),
    ...exemptionErrors('namespaces', namespaces, isDns1123Label),
    ...exemptionErrors('runtimeClasses', runtimeClasses, isDns1123Subdomain),
    ...exemptionErrors('usernames', usernames, (name) => (name === '' ? ['username must not be empty'] : [])),
  ];
  if (errors.length > 0) throw new RangeError(aggregateText(errors.map(fieldErrorText)));
  const levelVersion = (mode: Mode): LevelVersion => ({
    level: (defaults[mode] ?? 'privileged') as PodSecurityLevel,
    version: defaults[`${mode}-version`] ?? 'latest',
  });
  return {
    defaults: { enforce: levelVersion('enforce'), audit: levelVersion('audit'), warn: levelVersion('warn') },
    exemptUsernames: new Set(usernames),
    exemptNamespaces: new Set(namespaces),
    exemptRuntimeClasses: new Set(runtimeClasses),
  };
}

interface Document {
  readonly defaults?: Defaults;
  readonly exemptions?: {
    readonly usernames?: readonly string[];
    readonly namespaces?: readonly string[];
    readonly runtimeClasses?: readonly string[];
  };
}

/** Empty texts are dropped when the document is decoded. */
type Defaults = Readonly<Partial<Record<Mode | `${Mode}-version`, string>>>;

const modesInOrder = ['enforce', 'warn', 'audit'] as const;

const configurationDocument: ConfigurationDocument = {
  kind: 'PodSecurityConfiguration',
  apiVersions: ['v1', 'v1beta1', 'v1alpha1'].map((version) => `pod-security.admission.config.k8s.io/${version}`),
  type: configurationType('pod-security.admission.config.k8s.io/v1.PodSecurityConfiguration', [
    field(
      'defaults',
      structType('pod-security.admission.config.k8s.io/v1.PodSecurityDefaults', () =>
        modesInOrder.flatMap((mode) => [field(mode, scalars.string), field(`${mode}-version`, scalars.string)]),
      ),
    ),
    field(
      'exemptions',
      structType('pod-security.admission.config.k8s.io/v1.PodSecurityExemptions', () =>
        ['usernames', 'namespaces', 'runtimeClasses'].map((name) => field(name, listOf(scalars.string))),
      ),
    ),
  ]),
};

function defaultErrors(defaults: Defaults): readonly FieldError[] {
  const path = fieldPath('defaults');
  return modesInOrder.flatMap((mode) => {
    const level = defaults[mode] ?? 'privileged';
    const version = defaults[`${mode}-version`] ?? 'latest';
    return [
      ...(isLevel(level) ? [] : [fieldInvalid(path.child(mode), level, levelProblem)]),
      ...(isPolicyVersion(version) ? [] : [fieldInvalid(path.child(`${mode}-version`), version, versionProblem)]),
    ];
  });
}

function exemptionErrors(name: string, values: readonly string[], rule: SyntaxRule): readonly FieldError[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    const path = fieldPath('exemptions', name).index(index);
    const problems = rule(value);
    if (problems.length > 0) return [fieldInvalid(path, value, problems.join(', '))];
    if (seen.has(value)) return [fieldDuplicate(path, value)];
    seen.add(value);
    return [];
  });
}
