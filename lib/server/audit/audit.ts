// The audit log: for each request that the policy selects, an event on arrival, one when a long-running response
// starts, and one at the end. Requests that arrive while there are subscribers are recorded; without subscribers
// nothing is collected. The step follows authentication, so that refusals of later steps are recorded with their user.
// As apiserver/pkg/endpoints/filters/{audit,authn_audit}.go.
import { finalize } from 'rxjs';
import type { Observable } from 'rxjs';
import { Outlet, errorText, isApiError, withSession } from '../../core/index.js';
import type { Clock, Random, ApiRequest, ApiResponse } from '../../core/index.js';
import { isLongRunning } from '../http/request-info.js';
import type { Pipeline, Serve, Step, Exchange } from '../pipeline.js';
import { attributesOf } from '../access/access-steps.js';
import type { AuditEvent } from './audit-event.js';
import type { AuditPolicy, AuditStage, AuditTerms } from './audit-policy.js';
import { auditTerms } from './audit-policy.js';
import { AuditRecord } from './audit-record.js';

/** Options of the audit log. */
export interface AuditOptions {
  /** The policy; undefined records nothing. */
  readonly policy: AuditPolicy | undefined;
  readonly clock: Clock;
  /** Generates audit ids of requests without one. */
  readonly random: Random;
}

/** The audit log of a server. */
export interface Audit {
  /** The step of the pipeline; undefined where nothing is recorded. */
  readonly step: Step | undefined;
  /** Emits the events. Completes when the log is closed. */
  readonly events$: Observable<AuditEvent>;
  /** Wraps authentication so that refused credentials are recorded, too. */
  authenticating(authenticate: Pipeline['authenticate']): Pipeline['authenticate'];
  /** The number of events so far. */
  readonly eventsTotal: number;
  close(): void;
}

/** Creates an audit log. Throws RangeError where the policy is invalid. */
export function auditLog({ policy, clock, random }: AuditOptions): Audit {
  const outlet = new Outlet<AuditEvent>();
  let eventsTotal = 0;
  const termsOf = policy && auditTerms(policy);
  const begin = (request: ApiRequest, exchange: Exchange | undefined, terms: AuditTerms): Recording => {
    const record = new AuditRecord(request, exchange, terms, {
      auditId: request.auditId ?? random.uuid(),
      receivedMs: exchange?.receivedMs ?? clock.now(),
    });
    const emit = (stage: AuditStage): void => {
      if (terms.omits.has(stage)) return;
      eventsTotal += 1;
      outlet.emit(record.event(stage, clock.now()));
    };
    return { record, emit };
  };
  return {
    step:
      termsOf &&
      ((exchange, next) => {
        const terms = outlet.subscribers === 0 ? undefined : termsOf(attributesOf(exchange));
        return terms === undefined
          ? next(exchange)
          : recorded(exchange, next, begin(exchange.request, exchange, terms));
      }),
    events$: outlet.values$,
    authenticating(authenticate) {
      if (termsOf === undefined) return authenticate;
      return async (request) => {
        try {
          return await authenticate(request);
        } catch (error) {
          const terms = outlet.subscribers === 0 ? undefined : termsOf(request.info);
          if (terms !== undefined && isApiError(error)) {
            const { record, emit } = begin(request, undefined, terms);
            record.refused(error.status);
            emit('ResponseStarted');
          }
          throw error;
        }
      };
    },
    get eventsTotal() {
      return eventsTotal;
    },
    close: () => outlet.complete(),
  };
}

interface Recording {
  readonly record: AuditRecord;
  readonly emit: (stage: AuditStage) => void;
}

async function recorded(exchange: Exchange, next: Serve, { record, emit }: Recording): Promise<ApiResponse> {
  exchange.recorder = record;
  for (const [key, value] of Object.entries(exchange.identity.annotations ?? {})) exchange.annotate(key, value);
  const isLong = isLongRunning(exchange.request.info);
  emit('RequestReceived');
  try {
    const response = await next(exchange);
    record.answered(response);
    if (isLong) emit('ResponseStarted');
    return atEnd(response, () => emit('ResponseComplete'));
  } catch (error) {
    if (!isApiError(error)) {
      record.failed(errorText(error));
      emit('Panic');
      throw error;
    }
    record.refused(error.status);
    if (isLong) emit('ResponseStarted');
    emit('ResponseComplete');
    throw error;
  }
}

/** Returns the response and calls back when it is complete: at once, or when its stream first ends. */
function atEnd(response: ApiResponse, onEnd: () => void): ApiResponse {
  let isOver = false;
  const end = (): void => {
    if (!isOver) onEnd();
    isOver = true;
  };
  if (response.type === 'stream') return withSession(response, (session$) => session$.pipe(finalize(end)));
  if (response.type === 'watch') return { ...response, events: response.events.pipe(finalize(end)) };
  if (response.type === 'raw' && isStream(response.content))
    return { ...response, content: response.content.pipe(finalize(end)) };
  end();
  return response;
}

function isStream(content: string | Uint8Array | Observable<Uint8Array>): content is Observable<Uint8Array> {
  return typeof content !== 'string' && !(content instanceof Uint8Array);
}
