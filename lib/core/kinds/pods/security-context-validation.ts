// Security settings of containers and pods: users and groups, privileges, sysctls, options of Windows.
// As pkg/apis/core/validation/validation.go, ValidateSecurityContext and validatePodSpecSecurityContext.
import { findingsMax } from '../../errors/collect.js';
import { fieldDuplicate, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import type { PodSecurityContext, PodSpec, SecurityContext } from '../../types/core-v1.generated.js';
import { internalForm } from '../internal-form.js';
import { each, noErrors, validateOneOf, unixId } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import type { PodValidationOptions } from './pod-validation-options.js';
import { validateAppArmorProfile, validateSeccompProfile } from './security-profile-validation.js';
import { validateWindowsOptions } from './windows-validation.js';

/** The settings of a container; `hostUsers` says whether its users are those of the node. */
export function validateSecurityContext(
  context: Frozen<SecurityContext> | undefined,
  path: FieldPath,
  hostUsers: boolean,
): FieldErrors {
  if (context === undefined) return noErrors;
  const { procMount, allowPrivilegeEscalation, privileged, capabilities } = context;
  const errors: FieldError[] = [
    ...unixId(context.runAsUser, path.child('runAsUser')),
    ...unixId(context.runAsGroup, path.child('runAsGroup')),
    ...validateOneOf(procMount, ['Default', 'Unmasked'], path.child('procMount')),
  ];
  if (hostUsers && procMount === 'Unmasked') {
    errors.push(fieldInvalid(path.child('procMount'), procMount, '`hostUsers` must be false to use `Unmasked`'));
  }
  errors.push(...validateSeccompProfile(context.seccompProfile, path.child('seccompProfile')));
  if (allowPrivilegeEscalation === false) {
    const denied = 'cannot set `allowPrivilegeEscalation` to false and';
    if (privileged === true)
      errors.push(fieldInvalid(path, internalForm('SecurityContext', context), `${denied} \`privileged\` to true`));
    for (const added of capabilities?.add ?? []) {
      if (errors.length > findingsMax) break;
      if (added === 'CAP_SYS_ADMIN') {
        errors.push(
          fieldInvalid(path, internalForm('SecurityContext', context), `${denied} \`capabilities.Add\` CAP_SYS_ADMIN`),
        );
      }
    }
  }
  return [
    ...errors,
    ...validateWindowsOptions(context.windowsOptions, path.child('windowsOptions')),
    ...validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile')),
  ];
}

/** The settings of a pod. */
export function validatePodSecurityContext(
  spec: Frozen<PodSpec>,
  path: FieldPath,
  options: PodValidationOptions,
): FieldErrors {
  const { securityContext: context, shareProcessNamespace } = spec;
  const errors: FieldError[] = [
    ...unixId(context?.fsGroup, path.child('fsGroup')),
    ...unixId(context?.runAsUser, path.child('runAsUser')),
    ...unixId(context?.runAsGroup, path.child('runAsGroup')),
    ...each(context?.supplementalGroups, path.child('supplementalGroups'), unixId),
  ];
  if (shareProcessNamespace === true && spec.hostPID === true) {
    errors.push(
      fieldInvalid(
        path.child('shareProcessNamespace'),
        true,
        'ShareProcessNamespace and HostPID cannot both be enabled',
      ),
    );
  }
  if (context === undefined) return errors;
  // The last policy is on trial: the other one may only be kept.
  const changePolicies =
    options.allowOnlyRecursiveSELinuxChange === true ? ['Recursive'] : ['MountOption', 'Recursive'];
  return [
    ...errors,
    ...validateSysctls(spec, context, path.child('sysctls'), options),
    ...validateOneOf(context.fsGroupChangePolicy, ['Always', 'OnRootMismatch'], path.child('fsGroupChangePolicy')),
    ...validateSeccompProfile(context.seccompProfile, path.child('seccompProfile')),
    ...validateWindowsOptions(context.windowsOptions, path.child('windowsOptions')),
    ...validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile')),
    ...validateOneOf(context.supplementalGroupsPolicy, ['Merge', 'Strict'], path.child('supplementalGroupsPolicy')),
    ...validateOneOf(context.seLinuxChangePolicy, changePolicies, path.child('seLinuxChangePolicy')),
  ];
}

/** Returns whether the pod sets a sysctl of a namespace that it shares with the node. */
export function hasHostSysctl(spec: Frozen<PodSpec>): boolean {
  return (spec.securityContext?.sysctls ?? []).some(({ name }) => hostSysctlProblem(name, spec) !== undefined);
}

function validateSysctls(
  spec: Frozen<PodSpec>,
  { sysctls }: Frozen<PodSecurityContext>,
  path: FieldPath,
  options: PodValidationOptions,
): FieldErrors {
  const seen = new Set<string>();
  return each(sysctls, path, ({ name }, at) => {
    const errors: FieldError[] = [];
    const where = at.child('name');
    if (name === '') errors.push(fieldRequired(where));
    else if (!isSysctlName(name)) {
      errors.push(fieldInvalid(where, name, `must have at most 253 characters and match regex ${sysctlFormat}`));
    } else if (seen.has(name)) errors.push(fieldDuplicate(where, name));
    seen.add(name);
    const problem = options.allowHostSysctls === true ? undefined : hostSysctlProblem(name, spec);
    return problem === undefined ? errors : [...errors, fieldInvalid(where, name, problem)];
  });
}

const sysctlFormat = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const sysctlSegment = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;

function isSysctlName(name: string): boolean {
  return name.length <= 253 && name.split(/[./]/).every((segment) => sysctlSegment.test(segment));
}

function hostSysctlProblem(name: string, spec: Frozen<PodSpec>): string | undefined {
  const namespace = sysctlNamespace(name);
  if (spec.hostNetwork === true && namespace === 'Net') return "may not be specified when 'hostNetwork' is true";
  if (spec.hostIPC === true && namespace === 'IPC') return "may not be specified when 'hostIPC' is true";
  return undefined;
}

const ipcSysctls: ReadonlySet<string> = new Set([
  'kernel.sem',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
  'kernel.shm_rmid_forced',
  'kernel.shm',
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
  'kernel.msg',
]);

/** As component-helpers/node/util/sysctl, GetNamespace: names with slashes mean the same, a star ends the name. */
function sysctlNamespace(name: string): 'IPC' | 'Net' | undefined {
  const separator = /[./]/.exec(name)?.[0];
  // After a first slash, slashes separate and dots are slashes inside a part.
  const dotted = separator === '/' ? name.replace(/[./]/g, (sign) => (sign === '/' ? '.' : '/')) : name;
  const star = dotted.indexOf('*');
  const known = star < 0 ? dotted : dotted.slice(0, star);
  if (ipcSysctls.has(known) || known.startsWith('fs.mqueue.')) return 'IPC';
  return known.startsWith('net.') ? 'Net' : undefined;
}
