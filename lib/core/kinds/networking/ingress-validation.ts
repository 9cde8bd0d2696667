// Validation of an Ingress. As pkg/apis/networking/validation/validation.go, ValidateIngressSpec and
// ValidateIngressLoadBalancerStatus. Two mistakes that older servers let pass stay allowed where they already are.
import { collect } from '../../errors/collect.js';
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { FieldPath, fieldPath } from '../../errors/field-path.js';
import { parseIp } from '../../objects/ip-address.js';
import { validateLegacyIp } from '../../objects/ip-validation.js';
import type { Frozen } from '../../objects/meta.js';
import {
  isDns1123Subdomain,
  isPortName,
  isPortNumber,
  isWildcardDns1123Subdomain,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
} from '../../objects/names.js';
import type { TypedLocalObjectReference } from '../../types/core-v1.generated.js';
import type {
  HTTPIngressPath,
  HTTPIngressRuleValue,
  IngressBackend,
  IngressRule,
  IngressServiceBackend,
  IngressSpec,
  IngressStatus,
  IngressTLS,
} from '../../types/networking-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import { printedWord } from '../printed-values.js';
import { validateRequiredSegment } from './required-segment.js';

/** Mistakes of the old object that the new one may keep. */
export interface IngressTolerance {
  readonly secretNames: boolean;
  readonly wildcardHostRules: boolean;
}

type FieldErrors = readonly FieldError[];

/** Validates the spec of an Ingress. */
export function validateIngressSpec(spec: Frozen<IngressSpec>, tolerance: IngressTolerance = strict): FieldErrors {
  const { rules = [], defaultBackend, tls = [], ingressClassName } = spec;
  const path = fieldPath('spec');
  const empty = rules.length === 0 && defaultBackend === undefined;
  return [
    ...(empty ? [fieldInvalid(path, spec.rules ?? null, 'either `defaultBackend` or `rules` must be specified')] : []),
    ...(defaultBackend === undefined ? [] : validateBackend(defaultBackend, path.child('defaultBackend'))),
    ...collect(rules, (rule, index) => validateRule(rule, path.child('rules').index(index), tolerance)),
    ...collect(tls, (entry, index) => validateTls(entry, path.child('tls').index(index), tolerance)),
    ...(ingressClassName === undefined
      ? []
      : invalidEach(path.child('ingressClassName'), ingressClassName, nameIsDnsSubdomain(ingressClassName, false))),
  ];
}

/** What an update must tolerate because the object already has it. */
export function ingressTolerance({ rules = [], tls = [] }: Frozen<IngressSpec>): IngressTolerance {
  return {
    secretNames: tls.some(({ secretName = '' }) => secretNameProblems(secretName).length > 0),
    wildcardHostRules: rules.some(
      ({ host = '', http }) => host.includes('*') && validateHttp(http, FieldPath.nil).length > 0,
    ),
  };
}

/** Validates the status of an Ingress; addresses it already had may stay. */
export function validateIngressStatus(
  status: Frozen<IngressStatus> | undefined,
  old: Frozen<IngressStatus> | undefined,
): FieldErrors {
  const path = fieldPath('status', 'loadBalancer', 'ingress');
  const known = new Set((old?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip));
  return collect(status?.loadBalancer?.ingress ?? [], ({ ip = '', hostname = '' }, index) => [
    ...(ip === '' ? [] : validateLegacyIp(ip, path.index(index).child('ip'), known)),
    ...(hostname === ''
      ? []
      : invalidEach(path.index(index).child('hostname'), hostname, isDns1123Subdomain(hostname))),
    ...validateNotAnIp(hostname, path.index(index).child('hostname')),
  ]);
}

const strict: IngressTolerance = { secretNames: false, wildcardHostRules: false };
const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
const refusedSequences = ['//', '/./', '/../', '%2f', '%2F'];
const refusedSuffixes = ['/..', '/.'];

function validateNotAnIp(host: string, path: FieldPath): FieldErrors {
  return parseIp(host) === undefined ? [] : [fieldInvalid(path, host, 'must be a DNS name, not an IP address')];
}

function validateRule(
  { host = '', http }: Frozen<IngressRule>,
  path: FieldPath,
  tolerance: IngressTolerance,
): FieldErrors {
  const wildcard = host.includes('*');
  return [
    ...validateNotAnIp(host, path.child('host')),
    ...(host === '' ? [] : invalidEach(path.child('host'), host, hostProblems(host))),
    ...(wildcard && tolerance.wildcardHostRules ? [] : validateHttp(http, path)),
  ];
}

function hostProblems(host: string): readonly string[] {
  return host.includes('*') ? isWildcardDns1123Subdomain(host) : isDns1123Subdomain(host);
}

function validateHttp(http: Partial<Frozen<HTTPIngressRuleValue>> | undefined, path: FieldPath): FieldErrors {
  if (http === undefined) return [];
  const { paths = [] } = http;
  const at = path.child('http').child('paths');
  if (paths.length === 0) return [fieldRequired(at)];
  return collect(paths, (each, index) => validatePath(each, at.index(index)));
}

function validatePath(
  { path = '', pathType, backend = {} }: Partial<Frozen<HTTPIngressPath>>,
  at: FieldPath,
): FieldErrors {
  if (pathType === undefined) return [fieldRequired(at.child('pathType'), 'pathType must be specified')];
  return [...validatePathText(path, pathType, at), ...validateBackend(backend, at.child('backend'))];
}

function validatePathText(path: string, pathType: string, at: FieldPath): FieldErrors {
  if (!pathTypes.includes(pathType)) return [fieldNotSupported(at.child('pathType'), printedWord(pathType), pathTypes)];
  const exact = pathType !== 'ImplementationSpecific';
  const relative = !path.startsWith('/') && (exact || path !== '');
  const sentences = [
    ...(relative ? ['must be an absolute path'] : []),
    ...refusedSequences
      .filter((sequence) => exact && path.includes(sequence))
      .map((sequence) => `must not contain '${sequence}'`),
    ...refusedSuffixes
      .filter((suffix) => exact && path.endsWith(suffix))
      .map((suffix) => `cannot end with '${suffix}'`),
  ];
  return invalidEach(at.child('path'), path, sentences);
}

function validateBackend({ resource, service }: Frozen<IngressBackend>, path: FieldPath): FieldErrors {
  if (resource !== undefined && service !== undefined)
    return [fieldInvalid(path, '', 'cannot set both resource and service backends')];
  if (resource !== undefined) return validateReference(resource, path.child('resource'));
  if (service !== undefined) return validateService(service, path);
  return [fieldInvalid(path, '', 'resource or service backend is required')];
}

function validateService({ name, port = {} }: Frozen<IngressServiceBackend>, path: FieldPath): FieldErrors {
  const at = path.child('service');
  const portPath = at.child('port');
  const { name: portName = '', number = 0 } = port;
  const wrongName =
    name === '' ? [fieldRequired(at.child('name'))] : invalidEach(at.child('name'), name, nameIsDnsLabel(name, false));
  if (portName !== '' && number !== 0)
    return [...wrongName, fieldInvalid(path, '', 'cannot set both port name & port number')];
  if (portName !== '') return [...wrongName, ...invalidEach(portPath.child('name'), portName, isPortName(portName))];
  if (number !== 0) return [...wrongName, ...invalidEach(portPath.child('number'), number, isPortNumber(number))];
  return [...wrongName, fieldRequired(path, 'port name or number is required')];
}

function validateReference({ apiGroup, kind, name }: Frozen<TypedLocalObjectReference>, path: FieldPath): FieldErrors {
  return [
    ...(apiGroup === undefined ? [] : invalidEach(path.child('apiGroup'), apiGroup, isDns1123Subdomain(apiGroup))),
    ...validateRequiredSegment(kind, path.child('kind')),
    ...validateRequiredSegment(name, path.child('name')),
  ];
}

function validateTls(
  { hosts = [], secretName = '' }: Frozen<IngressTLS>,
  path: FieldPath,
  tolerance: IngressTolerance,
): FieldErrors {
  return [
    ...collect(hosts, (host, index) => invalidEach(path.child('hosts').index(index), host, hostProblems(host))),
    ...(tolerance.secretNames ? [] : invalidEach(path.child('secretName'), secretName, secretNameProblems(secretName))),
  ];
}

function secretNameProblems(name: string): readonly string[] {
  return name === '' ? [] : nameIsDnsSubdomain(name, false);
}
