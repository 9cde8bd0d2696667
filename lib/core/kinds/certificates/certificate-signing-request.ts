// CertificateSigningRequests: a user requests a certificate, an approver approves it, a signer issues it. The requestor
// is set by the server; the request never changes; approval and status, with the certificate, are subresources. As
// pkg/registry/certificates/certificates/strategy.go and the printer of its table.
import { humanDuration } from '../../go/duration.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsPathSegment } from '../../objects/names.js';
import { printTime } from '../../objects/time.js';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestSpec,
  CertificateSigningRequestStatus,
} from '../../types/certificates-v1.generated.js';
import type { UserInfo } from '../../types/authentication-v1.generated.js';
import type { KindStrategy } from '../kind-strategy.js';
import type { KindTable } from '../kind-table.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { validateRequest, validateRequestUpdate } from './certificate-signing-request-validation.js';

const table: KindTable<CertificateSigningRequest> = {
  columns: [
    nameColumn,
    ageColumn,
    textColumn('SignerName', 'Who is asked to sign.'),
    textColumn('Requestor', 'Who asks.'),
    textColumn('RequestedDuration', 'How long the certificate should last.'),
    textColumn('Condition', 'What became of the request.'),
  ],
  row: (object, now) => {
    const { signerName, username = '', expirationSeconds: seconds } = object.spec;
    const duration = seconds === undefined ? '<none>' : humanDuration(seconds * 1000);
    return {
      cells: [
        object.metadata?.name ?? '',
        age(object, now),
        signerName === '' ? '<none>' : signerName,
        username,
        duration,
        outcome(object.status),
      ],
    };
  },
};

/** The strategy of CertificateSigningRequests. */
export const certificateSigningRequest: KindStrategy<CertificateSigningRequest> = {
  nameRule: nameIsPathSegment,
  prepareForCreate: (object, { user }) => {
    object.spec = stamped(object.spec, user);
  },
  prepareForUpdate: (object, old) => {
    object.spec = stamped(old.spec, old.spec);
  },
  validate: (object) => validateRequest(object),
  validateUpdate: (object, old) => validateRequestUpdate(object, old),
  subresources: {
    status: {
      prepareForUpdate: ({ status }, old, { now }) => {
        if (status?.conditions === undefined) return;
        const kept = keepDecisions(status.conditions, old.status?.conditions ?? []);
        status.conditions = kept.map((condition) => dated(condition, old.status, now));
      },
      validateUpdate: (object, old) => validateRequestUpdate(object, old, 'certificate'),
    },
    approval: {
      writesStatus: true,
      prepareForUpdate: (object, old, { now }) => {
        const { certificate } = old.status ?? {};
        const conditions = object.status?.conditions?.map((condition) => dated(condition, old.status, now));
        object.spec = stamped(old.spec, old.spec);
        object.status = {
          ...(conditions !== undefined && { conditions }),
          ...(certificate !== undefined && { certificate }),
        };
      },
      validateUpdate: (object, old) => validateRequestUpdate(object, old, 'approval'),
    },
  },
  selectableFields: { 'spec.signerName': ({ spec }) => spec.signerName },
  table,
};

/** The request as made by a user; what it said itself about that is dropped. */
function stamped(
  spec: Frozen<CertificateSigningRequestSpec>,
  { username = '', uid = '', groups = [], extra = {} }: Frozen<UserInfo>,
): CertificateSigningRequestSpec {
  const { username: _username, uid: _uid, groups: _groups, extra: _extra, usages, ...request } = spec;
  const extras = Object.entries(extra);
  return {
    ...request,
    ...(usages !== undefined && { usages: [...usages] }),
    ...(username !== '' && { username }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(extras.length > 0 && { extra: Object.fromEntries(extras.map(([key, values]) => [key, [...values]])) }),
  };
}

type Condition = CertificateSigningRequestCondition;

/**
 * Approval and denial are not decided through the status: as long as there are as many as before, they are the old
 * ones.
 */
function keepDecisions(conditions: readonly Condition[], old: readonly Frozen<Condition>[]): readonly Condition[] {
  return ['Approved', 'Denied'].reduce((kept, type) => {
    const before = old.filter((condition) => condition.type === type);
    if (before.length !== kept.filter((condition) => condition.type === type).length) return kept;
    let next = 0;
    return kept.map((condition) => (condition.type === type ? { ...condition, ...before[next++] } : condition));
  }, conditions);
}

/** Times that were left out: those of the same condition before, or now. */
function dated(condition: Condition, old: Frozen<CertificateSigningRequestStatus> | undefined, now: number): Condition {
  const { lastUpdateTime, lastTransitionTime } = condition;
  const same = (old?.conditions ?? []).find(
    ({ type, status, lastTransitionTime: time }) =>
      type === condition.type && status === condition.status && time !== undefined,
  );
  return {
    ...condition,
    lastUpdateTime: lastUpdateTime ?? printTime(now),
    lastTransitionTime: lastTransitionTime ?? same?.lastTransitionTime ?? printTime(now),
  };
}

function outcome({ conditions = [], certificate = '' }: Frozen<CertificateSigningRequestStatus> = {}): string {
  const has = (wanted: string): boolean => conditions.some(({ type }) => type === wanted);
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${decision}${has('Failed') ? ',Failed' : ''}${certificate === '' ? '' : ',Issued'}`;
}
