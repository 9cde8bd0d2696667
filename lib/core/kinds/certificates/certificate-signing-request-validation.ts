// Validation of a CertificateSigningRequest, and what may change through which door. Mistakes that the old object
// already has are tolerated. As pkg/apis/certificates/validation/validation.go.
import { collect } from '../../errors/collect.js';
import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { decodeBase64 } from '../../go/base64.js';
import type { Frozen } from '../../objects/meta.js';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '../../types/certificates-v1.generated.js';
import type { Loose } from '../loose.js';
import { printedWord } from '../printed-values.js';
import { validateSignerName } from '../signer-name.js';
import { readPem } from './pem.js';
import { certificateRequestProblem, certificatesProblem } from './x509.js';

type FieldErrors = readonly FieldError[];
type Conditions = readonly Loose<CertificateSigningRequestCondition>[];

/** Validates a request; `old` is the object it replaces. */
export function validateRequest(
  { spec = {}, status = {} }: Loose<CertificateSigningRequest>,
  old?: Frozen<CertificateSigningRequest>,
): FieldErrors {
  const path = fieldPath('spec');
  const { request, usages = [], signerName = '', expirationSeconds } = spec;
  const problem = requestProblem(request ?? '');
  return [
    ...(problem === undefined ? [] : [fieldInvalid(path.child('request'), request ?? null, problem)]),
    ...validateUsages(usages, old?.spec.usages ?? [], path.child('usages')),
    ...validateSigner(signerName, old?.spec.signerName, path.child('signerName')),
    ...(expirationSeconds !== undefined && expirationSeconds < secondsMin
      ? [
          fieldInvalid(
            path.child('expirationSeconds'),
            expirationSeconds,
            'may not specify a duration less than 600 seconds (10 minutes)',
          ),
        ]
      : []),
    ...validateConditions(status.conditions ?? [], old?.status?.conditions ?? [], conditionsPath),
    ...validateCertificate(status.certificate ?? '', old),
  ];
}

/** Validates an update: through the object itself, where nothing may change, or through a subresource. */
export function validateRequestUpdate(
  object: Frozen<CertificateSigningRequest>,
  old: Frozen<CertificateSigningRequest>,
  through?: 'certificate' | 'approval',
): FieldErrors {
  const count = ({ status }: Frozen<CertificateSigningRequest>, type: string): number =>
    (status?.conditions ?? []).filter((condition) => condition.type === type).length;
  const removed = decided.filter((type) => count(object, type) < count(old, type));
  const added =
    through === 'approval' ? [] : decided.slice(0, 2).filter((type) => count(object, type) > count(old, type));
  return [
    ...validateRequest(object, old),
    ...collect(removed, (type) => [
      fieldForbidden(conditionsPath, `updates may not remove a condition of type "${type}"`),
    ]),
    ...collect(added, (type) => [fieldForbidden(conditionsPath, `updates may not add a condition of type "${type}"`)]),
    ...validateCertificateChange(object.status?.certificate ?? '', old.status?.certificate ?? '', through),
  ];
}

const conditionsPath = fieldPath('status', 'conditions');
const certificatePath = fieldPath('status', 'certificate');
/** Conditions that are true or absent, and stay once they are there. */
const decided = ['Approved', 'Denied', 'Failed'];
const secondsMin = 600;
const legacySigner = 'kubernetes.io/legacy-unknown';

const knownUsages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

function requestProblem(request: string): string | undefined {
  const [block] = readPem(text(request));
  return block?.type === 'CERTIFICATE REQUEST'
    ? certificateRequestProblem(block.bytes)
    : 'PEM block type must be CERTIFICATE REQUEST';
}

function text(base64: string): string {
  return new TextDecoder('latin1').decode(decodeBase64(base64));
}

function validateUsages(usages: readonly string[], old: readonly string[], path: FieldPath): FieldErrors {
  const unknown = old.some((usage) => !knownUsages.includes(usage))
    ? []
    : usages.flatMap((usage, index) => (knownUsages.includes(usage) ? [] : [index]));
  const repeated = new Set(old).size < old.length ? [] : repeats(usages);
  return [
    ...(usages.length === 0 ? [fieldRequired(path)] : []),
    ...collect(unknown, (index) => [
      fieldNotSupported(path.index(index), printedWord(usages[index] ?? ''), knownUsages),
    ]),
    ...collect(repeated, (index) => [fieldDuplicate(path.index(index), printedWord(usages[index] ?? ''))]),
  ];
}

/** Where words come again. */
function repeats(words: readonly string[]): readonly number[] {
  const seen = new Set<string>();
  return words.flatMap((word, index) => {
    const repeated = seen.has(word);
    seen.add(word);
    return repeated ? [index] : [];
  });
}

function validateSigner(name: string, old: string | undefined, path: FieldPath): FieldErrors {
  if (name === legacySigner && old !== legacySigner)
    return [fieldInvalid(path, name, 'the legacy signerName is not allowed via this API version')];
  return validateSignerName(name, path);
}

function validateConditions(conditions: Conditions, old: Conditions, path: FieldPath): FieldErrors {
  const had = new Set(old.map(({ type = '' }) => type));
  const contradicts = !(had.has('Approved') && had.has('Denied'));
  const unique = had.size === old.length;
  const seen = new Set<string>();
  return collect(conditions, ({ type = '', status = '' }, index) => {
    const other = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    const errors = [
      ...(type === '' && !had.has('') ? [fieldRequired(path.index(index).child('type'))] : []),
      ...validateStatus(
        status,
        decided.includes(type) ? ['True'] : ['False', 'True', 'Unknown'],
        path.index(index).child('status'),
      ),
      ...(contradicts && other !== undefined && seen.has(other)
        ? [fieldInvalid(path, printedWord(type), 'Approved and Denied conditions are mutually exclusive')]
        : []),
      ...(unique && seen.has(type) ? [fieldDuplicate(path.index(index).child('type'), printedWord(type))] : []),
    ];
    seen.add(type);
    return errors;
  });
}

function validateStatus(status: string, allowed: readonly string[], path: FieldPath): FieldErrors {
  if (status === '') return [fieldRequired(path)];
  return allowed.includes(status) ? [] : [fieldNotSupported(path, printedWord(status), allowed)];
}

/** A certificate that stays the same, or replaces nonsense, may be anything. */
function validateCertificate(certificate: string, old: Frozen<CertificateSigningRequest> | undefined): FieldErrors {
  const before = old?.status?.certificate ?? '';
  if (old !== undefined && (certificate === before || certificateProblem(before) !== undefined)) return [];
  const problem = certificateProblem(certificate);
  return problem === undefined ? [] : [fieldInvalid(certificatePath, '<certificate data>', problem)];
}

function certificateProblem(certificate: string): string | undefined {
  if (certificate === '') return undefined;
  const blocks = readPem(text(certificate));
  for (const { type, headers, bytes } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (headers) return 'no PEM block headers are permitted';
    const problem =
      bytes.length === 0 ? 'found CERTIFICATE PEM block containing 0 certificates' : certificatesProblem(bytes);
    if (problem !== undefined) return problem;
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

function validateCertificateChange(
  certificate: string,
  old: string,
  through: 'certificate' | 'approval' | undefined,
): FieldErrors {
  if (certificate === old) return [];
  if (through !== 'certificate') return [fieldForbidden(certificatePath, 'updates may not set certificate content')];
  return old === '' ? [] : [fieldForbidden(certificatePath, 'updates may not modify existing certificate content')];
}
