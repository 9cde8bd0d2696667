// Profiles of seccomp and AppArmor, as fields and as the annotations that came before them; and that both agree.
// As pkg/apis/core/validation/validation.go, validateSeccompProfileField …
// validateAppArmorAnnotationsAndFieldsMatchOnCreate.
import { collect, findingsMax } from '../../errors/collect.js';
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
} from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { quote } from '../../go/format.js';
import { utf8Length } from '../../objects/names.js';
import type { Frozen } from '../../objects/meta.js';
import type { AppArmorProfile, PodSpec, SeccompProfile } from '../../types/core-v1.generated.js';
import { internalForm } from '../internal-form.js';
import { printedWord } from '../printed-values.js';
import { trimSpace } from '../../go/trim-space.js';
import { noErrors } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { validateDescendingPath } from './path-validation.js';
import { containersOf } from './pod-containers.js';

/** The annotation of a container's AppArmor profile, before its name. */
export const appArmorAnnotationPrefix = 'container.apparmor.security.beta.kubernetes.io/';

/** The annotation of the pod's seccomp profile. */
export const seccompPodAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';

/** The annotation of a container's seccomp profile, before its name. */
export const seccompContainerAnnotationPrefix = 'container.seccomp.security.alpha.kubernetes.io/';

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const localhostPrefix = 'localhost/';

type Annotations = Readonly<Record<string, string>>;

/** A seccomp profile. */
export function validateSeccompProfile(profile: Frozen<SeccompProfile> | undefined, path: FieldPath): FieldErrors {
  if (profile === undefined) return noErrors;
  const type: string = profile.type;
  const { localhostProfile } = profile;
  const errors: FieldError[] = [];
  if (type === '') errors.push(fieldRequired(path.child('type'), 'type is required when seccompProfile is set'));
  else if (!profileTypes.includes(type))
    errors.push(fieldNotSupported(path.child('type'), printedWord(type), profileTypes));
  const at = path.child('localhostProfile');
  if (type !== 'Localhost') {
    if (localhostProfile === undefined) return errors;
    return [
      ...errors,
      fieldInvalid(at, internalForm('SeccompProfile', profile), 'can only be set when seccomp type is Localhost'),
    ];
  }
  if (localhostProfile === undefined)
    return [...errors, fieldRequired(at, 'must be set when seccomp type is Localhost')];
  return [...errors, ...validateDescendingPath(localhostProfile, at)];
}

/** An AppArmor profile. */
export function validateAppArmorProfile(profile: Frozen<AppArmorProfile> | undefined, path: FieldPath): FieldErrors {
  if (profile === undefined) return noErrors;
  const type: string = profile.type;
  const { localhostProfile } = profile;
  const at = path.child('localhostProfile');
  switch (type) {
    case 'Localhost':
      return validateLocalhostProfile(localhostProfile, at);
    case 'RuntimeDefault':
    case 'Unconfined':
      return localhostProfile === undefined
        ? noErrors
        : [fieldInvalid(at, printedWord(localhostProfile), 'can only be set when AppArmor type is Localhost')];
    case '':
      return [fieldRequired(path.child('type'), 'type is required when appArmorProfile is set')];
    default:
      return [fieldNotSupported(path.child('type'), printedWord(type), profileTypes)];
  }
}

/** Annotations that name seccomp profiles. */
export function validateSeccompAnnotations(annotations: Annotations, path: FieldPath): FieldErrors {
  const keys = Object.keys(annotations);
  const named = [
    ...keys.filter((key) => key === seccompPodAnnotation),
    ...keys.filter((key) => key.startsWith(seccompContainerAnnotationPrefix)),
  ];
  return collect(named, (key) => {
    const profile = annotations[key] ?? '';
    if (profile === 'runtime/default' || profile === 'docker/default' || profile === 'unconfined') return noErrors;
    const at = path.child(key);
    if (profile.startsWith(localhostPrefix)) return validateDescendingPath(profile.slice(localhostPrefix.length), at);
    return [fieldInvalid(at, profile, 'must be a valid seccomp profile')];
  });
}

/** Annotations that name AppArmor profiles of containers. */
export function validateAppArmorAnnotations(
  annotations: Annotations,
  spec: Frozen<PodSpec>,
  path: FieldPath,
): FieldErrors {
  const named = Object.entries(annotations).filter(([key]) => key.startsWith(appArmorAnnotationPrefix));
  if (named.length === 0) return noErrors;
  const names = new Set(containersOf(spec, path).map(({ container }) => container.name));
  const errors: FieldError[] = [];
  for (const [key, profile] of named) {
    if (errors.length > findingsMax) break;
    const name = key.slice(appArmorAnnotationPrefix.length);
    if (!names.has(name)) errors.push(fieldInvalid(path.key(key), name, 'container not found'));
    const wellFormed =
      profile === '' ||
      profile === 'runtime/default' ||
      profile === 'unconfined' ||
      profile.startsWith(localhostPrefix);
    if (!wellFormed)
      errors.push(fieldInvalid(path.key(key), profile, `invalid AppArmor profile name: ${quote(profile)}`));
  }
  return errors;
}

/** Where a seccomp profile is in a field and in an annotation, both must say the same. */
export function validateSeccompAgreement(
  annotations: Annotations,
  spec: Frozen<PodSpec>,
  path: FieldPath,
): FieldErrors {
  const places = [
    { key: seccompPodAnnotation, profile: spec.securityContext?.seccompProfile, at: path },
    ...containersOf(spec, path).map(({ container, at }) => ({
      key: `${seccompContainerAnnotationPrefix}${container.name}`,
      profile: container.securityContext?.seccompProfile,
      at,
    })),
  ];
  return collect(places, ({ key, profile, at }) => {
    if (profile === undefined || !Object.hasOwn(annotations, key)) return noErrors;
    const said = {
      annotation: annotations[key] ?? '',
      aliases: ['runtime/default', 'docker/default'],
      subject: 'seccomp',
    };
    return validateAgreement(profile, said, at.child('securityContext').child('seccompProfile'));
  });
}

/** The same for AppArmor, whose profile for the pod holds for containers without one. */
export function validateAppArmorAgreement(
  annotations: Annotations,
  spec: Frozen<PodSpec>,
  path: FieldPath,
): FieldErrors {
  if (spec.os?.name === 'windows') return noErrors;
  return collect(containersOf(spec, path), ({ container, at }) => {
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    const key = `${appArmorAnnotationPrefix}${container.name}`;
    if (profile === undefined || !Object.hasOwn(annotations, key)) return noErrors;
    const said = { annotation: annotations[key] ?? '', aliases: ['runtime/default'], subject: 'apparmor' };
    return validateAgreement(profile, said, at.child('securityContext').child('appArmorProfile'));
  });
}

/**
 * The profile that an annotation means; undefined if it means none. As pkg/api/pod/util.go, ApparmorFieldForAnnotation.
 */
export function appArmorProfileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  if (!annotation.startsWith(localhostPrefix) || annotation === localhostPrefix) return undefined;
  return { type: 'Localhost', localhostProfile: annotation.slice(localhostPrefix.length) };
}

function validateLocalhostProfile(profile: string | undefined, path: FieldPath): FieldErrors {
  const missing = fieldRequired(path, 'must be set when AppArmor type is Localhost');
  if (profile === undefined) return [missing];
  const errors: FieldError[] = [];
  if (trimSpace(profile) !== profile) errors.push(fieldInvalid(path, profile, 'must not be padded with whitespace'));
  else if (profile === '') errors.push(missing);
  if (utf8Length(profile) > pathBytesMax) errors.push(fieldTooLong(path, pathBytesMax));
  return errors;
}

const pathBytesMax = 4095;

interface Said {
  readonly annotation: string;
  /** How annotations write RuntimeDefault. */
  readonly aliases: readonly string[];
  readonly subject: string;
}

function validateAgreement(
  profile: Frozen<AppArmorProfile | SeccompProfile>,
  { annotation, aliases, subject }: Said,
  path: FieldPath,
): FieldErrors {
  const otherType = [fieldForbidden(path.child('type'), `${subject} type in annotation and field must match`)];
  switch (profile.type) {
    case 'Unconfined':
      return annotation === 'unconfined' ? noErrors : otherType;
    case 'RuntimeDefault':
      return aliases.includes(annotation) ? noErrors : otherType;
    case 'Localhost':
      if (!annotation.startsWith(localhostPrefix)) return otherType;
      if (annotation.slice(localhostPrefix.length) === profile.localhostProfile) return noErrors;
      return [fieldForbidden(path.child('localhostProfile'), `${subject} profile in annotation and field must match`)];
    default:
      return noErrors;
  }
}
