// What holds for pods of one operating system: options of Windows, host processes, and fields the other one has.
// As pkg/apis/core/validation/validation.go, validateWindowsSecurityContextOptions, validateWindowsHostProcessPod,
// validateOS, validateLinux and validateWindows.
import { collect, findingsMax } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length, isDns1123Subdomain } from '../../objects/names.js';
import type { Frozen } from '../../objects/meta.js';
import type {
  PodSecurityContext,
  PodSpec,
  SecurityContext,
  WindowsSecurityContextOptions,
} from '../../types/core-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import { printedWord } from '../printed-values.js';
import { noErrors, validateOneOf } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { containersOf } from './pod-containers.js';

/** Options of Windows for a container or a pod. */
export function validateWindowsOptions(
  options: Frozen<WindowsSecurityContextOptions> | undefined,
  path: FieldPath,
): FieldErrors {
  if (options === undefined) return noErrors;
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  const errors: FieldError[] = [];
  if (gmsaCredentialSpecName !== undefined) {
    errors.push(
      ...invalidEach(
        path.child('gmsaCredentialSpecName'),
        printedWord(gmsaCredentialSpecName),
        isDns1123Subdomain(gmsaCredentialSpecName),
      ),
    );
  }
  const at = path.child('gmsaCredentialSpec');
  if (gmsaCredentialSpec === '') errors.push(fieldInvalid(at, '', 'gmsaCredentialSpec cannot be an empty string'));
  else if (gmsaCredentialSpec !== undefined && utf8Length(gmsaCredentialSpec) > 64 * 1024) {
    errors.push(fieldInvalid(at, printedWord(gmsaCredentialSpec), 'gmsaCredentialSpec size must be under 64 KiB'));
  }
  if (runAsUserName !== undefined) {
    errors.push(
      ...userNameProblems(runAsUserName).map((problem) =>
        fieldInvalid(path.child('runAsUserName'), printedWord(runAsUserName), problem),
      ),
    );
  }
  return errors;
}

/** Containers that are processes of the host: all of them or none, and only on the host's network. */
export function validateHostProcess(spec: Frozen<PodSpec>, path: FieldPath): FieldErrors {
  const errors: FieldError[] = [];
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = containersOf(spec, path);
  let hostProcesses = 0;
  for (const { container, at } of containers) {
    if (errors.length > findingsMax) break;
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const where = at.child('securityContext').child('windowsOptions').child('hostProcess');
      errors.push(
        fieldInvalid(where, own, `pod hostProcess value must be identical if both are specified, was ${ofPod}`),
      );
    }
    if (own ?? ofPod === true) hostProcesses += 1;
  }
  if (hostProcesses === 0) return errors;
  if (hostProcesses !== containers.length) {
    errors.push(
      fieldInvalid(
        path,
        '',
        'If pod contains any hostProcess containers then all containers must be HostProcess containers',
      ),
    );
  }
  if (spec.hostNetwork !== true) {
    errors.push(
      fieldInvalid(
        path.child('hostNetwork'),
        false,
        'hostNetwork must be true if pod contains any hostProcess containers',
      ),
    );
  }
  return errors;
}

/** The operating system, and the fields that mean nothing on it. */
export function validateOs(spec: Frozen<PodSpec>, path: FieldPath): FieldErrors {
  if (spec.os === undefined) return noErrors;
  const name: string = spec.os.name;
  const at = path.child('os');
  if (name === '') return [fieldRequired(at.child('name'))];
  if (name === 'windows') return validateOnWindows(spec, path);
  return name === 'linux' ? validateOnLinux(spec, path) : validateOneOf(name, ['linux', 'windows'], at);
}

function userNameProblems(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (hasControlCharacter(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const domain = parts.length === 2 ? parts[0] : undefined;
  const user = parts.at(-1) ?? '';
  const problems: string[] = [];
  if (domain !== undefined) {
    if (utf8Length(domain) >= 256) problems.push("runAsUserName's Domain length must be under 256 characters");
    if (!netBiosName.test(domain) && !isDnsName(domain))
      problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  else if (utf8Length(user) > 104) problems.push("runAsUserName's User length must not be longer than 104 characters");
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    problems.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  }
  return problems;
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
const dnsLabel = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/;

function isDnsName(text: string): boolean {
  return text.split('.').every((label) => dnsLabel.test(label));
}

function validateOnLinux(spec: Frozen<PodSpec>, path: FieldPath): FieldErrors {
  const places = [
    { context: spec.securityContext, at: path },
    ...containersOf(spec, path).map(({ container, at }) => ({ context: container.securityContext, at })),
  ];
  return collect(
    places.filter(({ context }) => context?.windowsOptions !== undefined),
    ({ at }) => [
      fieldForbidden(
        at.child('securityContext').child('windowsOptions'),
        'windows options cannot be set for a linux pod',
      ),
    ],
  );
}

/** In the order Kubernetes looks; those of the specification itself have no `securityContext` in their path. */
const linuxPodFields: readonly (
  keyof PodSecurityContext | `spec.${'hostUsers' | 'hostPID' | 'hostIPC' | 'shareProcessNamespace'}`
)[] = [
  'appArmorProfile',
  'seLinuxOptions',
  'spec.hostUsers',
  'spec.hostPID',
  'spec.hostIPC',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'spec.shareProcessNamespace',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
];

const linuxContainerFields: readonly (keyof SecurityContext)[] = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

function validateOnWindows(spec: Frozen<PodSpec>, path: FieldPath): FieldErrors {
  const detail = 'cannot be set for a windows pod';
  const errors: FieldError[] = [];
  const inSpec: Readonly<Record<string, unknown>> = {
    hostUsers: spec.hostUsers,
    hostPID: spec.hostPID === true ? true : undefined,
    hostIPC: spec.hostIPC === true ? true : undefined,
    shareProcessNamespace: spec.shareProcessNamespace,
  };
  const inContext: Readonly<Record<string, unknown>> = spec.securityContext ?? {};
  for (const field of linuxPodFields) {
    const name = field.replace('spec.', '');
    const value = name === field ? inContext[name] : inSpec[name];
    if (value !== undefined)
      errors.push(fieldForbidden((name === field ? path.child('securityContext') : path).child(name), detail));
  }
  for (const { container, at } of containersOf(spec, path)) {
    for (const field of linuxContainerFields) {
      if (container.securityContext?.[field] !== undefined)
        errors.push(fieldForbidden(at.child('securityContext').child(field), detail));
    }
  }
  return errors;
}
