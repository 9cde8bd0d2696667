// The record of one audited request, collected while it is served, and the events created from it. As
// apiserver/pkg/audit/request.go.
import { parseIp, printIp, printMicroTime } from '../../core/index.js';
import type { ApiObject, Frozen, Status, ApiRequest, ApiResponse, RequestBody } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import { codeOf } from '../pipeline.js';
import type { Exchange, RequestRecorder } from '../pipeline.js';
import type { AuditEvent, AuditObjectReference, AuditResponseStatus } from './audit-event.js';
import type { AuditStage, AuditTerms } from './audit-policy.js';

/** Time of arrival and audit id of a request. */
export interface Arrival {
  readonly auditId: string;
  readonly receivedMs: number;
}

/** The record of one request. */
export class AuditRecord implements RequestRecorder {
  readonly #request: ApiRequest;
  readonly #exchange: Exchange | undefined;
  readonly #terms: AuditTerms;
  readonly #arrival: Arrival;
  #objectRef: AuditObjectReference | undefined;
  #requestObject: unknown;
  #responseObject: unknown;
  #status: AuditResponseStatus | undefined;
  #origin: Origin | undefined;

  /** `exchange` is undefined where the credentials were refused. */
  constructor(request: ApiRequest, exchange: Exchange | undefined, terms: AuditTerms, arrival: Arrival) {
    this.#request = request;
    this.#exchange = exchange;
    this.#terms = terms;
    this.#arrival = arrival;
    if (request.info.isResource) this.#objectRef = referenceTo(request);
  }

  get recordsContent(): boolean {
    return this.#terms.level !== 'Metadata';
  }

  object(object: Frozen<ApiObject>): void {
    const { name, namespace, uid, resourceVersion } = object.metadata ?? {};
    // Names of the path win over those of the body.
    this.#objectRef = inOrder({ namespace, name, uid, resourceVersion, ...this.#objectRef });
    // Copied, because the pipeline changes the object.
    if (this.#terms.level !== 'Metadata') this.#requestObject = JSON.parse(JSON.stringify(this.#shown(object)));
  }

  patch(body: RequestBody | undefined): void {
    if (this.#terms.level !== 'Metadata' && body !== undefined)
      this.#requestObject = 'object' in body ? body.object : jsonOf(body.bytes);
  }

  /** Records the response. */
  answered(response: ApiResponse): void {
    const code = codeOf(response);
    this.#status = { metadata: {}, code };
    if (response.type !== 'object') return;
    const { object } = response;
    if (isStatus(object)) this.#status = boundedStatus(object, code);
    if (this.#terms.level === 'RequestResponse') this.#responseObject = this.#shown(object);
  }

  /** Records a refusal. */
  refused(status: Status): void {
    this.#status = boundedStatus(status, status.code ?? 500);
    if (this.#terms.level === 'RequestResponse') this.#responseObject = status;
  }

  /** Records a failure that is no API error. */
  failed(text: string): void {
    this.#status = {
      metadata: {},
      status: 'Failure',
      message: `APIServer panic'd: ${text}`,
      reason: 'InternalError',
      code: 500,
    };
  }

  /** Creates the event of a stage. Members are set in the order in which they are printed. */
  event(stage: AuditStage, nowMs: number): AuditEvent {
    const { sourceIPs, userAgent, user, received } = (this.#origin ??= originOf(
      this.#request,
      this.#exchange,
      this.#arrival,
    ));
    const event: Writable<Partial<AuditEvent>> = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: this.#terms.level,
      auditID: this.#arrival.auditId,
      stage,
    };
    event.requestURI = this.#request.uri ?? this.#request.info.path;
    event.verb = this.#request.info.verb;
    event.user = user;
    const exchange = this.#exchange;
    if (exchange !== undefined && exchange.user !== exchange.requestor) {
      event.impersonatedUser = printedUser(exchange.user);
      if (exchange.constraint !== '') event.authenticationMetadata = { impersonationConstraint: exchange.constraint };
    }
    if (sourceIPs.length > 0) event.sourceIPs = sourceIPs;
    if (userAgent !== '') event.userAgent = userAgent;
    if (this.#objectRef !== undefined) event.objectRef = this.#objectRef;
    if (this.#status !== undefined) event.responseStatus = this.#status;
    if (this.#requestObject !== undefined) event.requestObject = this.#requestObject;
    if (this.#responseObject !== undefined) event.responseObject = this.#responseObject;
    event.requestReceivedTimestamp = received;
    event.stageTimestamp = stage === 'RequestReceived' ? received : printMicroTime(nowMs);
    const annotations = exchange?.annotations;
    if (annotations !== undefined)
      event.annotations = Object.fromEntries([...annotations].sort(([a], [b]) => (a < b ? -1 : 1)));
    return event as AuditEvent;
  }

  #shown(object: Frozen<ApiObject>): Frozen<ApiObject> {
    return this.#terms.omitManagedFields ? withoutManagedFields(object) : object;
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Members that all events of a request share. */
interface Origin {
  readonly user: Frozen<UserInfo>;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  readonly received: string;
}

function originOf(request: ApiRequest, exchange: Exchange | undefined, { receivedMs }: Arrival): Origin {
  const agent = request.header('User-Agent') ?? '';
  return {
    user: printedUser(exchange?.requestor),
    sourceIPs: sourceAddresses(request),
    userAgent: agent.length > userAgentCharactersMax ? `${agent.slice(0, userAgentCharactersMax)}...TRUNCATED` : agent,
    received: printMicroTime(receivedMs),
  };
}

const userAgentCharactersMax = 1024;

function referenceTo({ info }: ApiRequest): AuditObjectReference {
  const { resource, namespace, name, group, version, subresource } = info;
  return inOrder({ resource, namespace, name, apiGroup: group, apiVersion: version, subresource });
}

/** Returns the non-empty members, in the order in which Kubernetes prints them. */
function inOrder(reference: {
  readonly [K in keyof AuditObjectReference]?: AuditObjectReference[K] | undefined;
}): AuditObjectReference {
  const said: Writable<AuditObjectReference> = {};
  for (const field of referenceFields) {
    const value = reference[field];
    if (value !== undefined && value !== '') said[field] = value;
  }
  return said;
}

const referenceFields = [
  'resource',
  'namespace',
  'name',
  'uid',
  'apiGroup',
  'apiVersion',
  'resourceVersion',
  'subresource',
] as const;

function printedUser({ username = '', uid = '', groups = [], extra = {} }: Frozen<UserInfo> = {}): Frozen<UserInfo> {
  return {
    ...(username !== '' && { username }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

/**
 * Source addresses: those that proxies name, then that of the connection. As apimachinery/pkg/util/net/http.go,
 * SourceIPs.
 */
function sourceAddresses(request: ApiRequest): readonly string[] {
  const forwarded = request.header('X-Forwarded-For')?.split(',', addressesMax) ?? [];
  const found = forwarded.map((each) => address(each.trim())).filter((each) => each !== undefined);
  const real = address(request.header('X-Real-Ip') ?? '');
  if (real !== undefined && !found.includes(real)) found.push(real);
  const remote = address(request.remoteAddress ?? '');
  if (remote !== undefined && found.at(-1) !== remote) found.push(remote);
  return found;
}

const addressesMax = 100;

function address(text: string): string | undefined {
  const ip = text === '' ? undefined : parseIp(text);
  return ip && printIp(ip);
}

/** Parses a JSON patch; undefined where it is YAML or empty. */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function isStatus(object: Frozen<ApiObject>): object is Frozen<ApiObject> & Status {
  return object.kind === 'Status' && object.apiVersion === 'v1';
}

function boundedStatus({ status, message, reason, details }: Status, code: number): AuditResponseStatus {
  return {
    metadata: {},
    status,
    ...(message !== undefined && { message }),
    ...(reason !== undefined && { reason }),
    ...(details && { details }),
    code,
  };
}

/** An object, a list, or a table. */
type Shown = Frozen<ApiObject> & {
  readonly items?: readonly Frozen<ApiObject>[];
  readonly rows?: readonly { readonly object?: Frozen<ApiObject> }[];
};

function withoutManagedFields(object: Shown): Frozen<ApiObject> {
  const { items, rows, metadata } = object;
  const changed: Shown = {
    ...object,
    ...(items && { items: items.map(withoutManagedFields) }),
    ...(rows && {
      rows: rows.map((row) => (row.object === undefined ? row : { ...row, object: withoutManagedFields(row.object) })),
    }),
  };
  if (metadata?.managedFields === undefined) return changed;
  const { managedFields: _, ...rest } = metadata;
  return { ...changed, metadata: rest };
}
