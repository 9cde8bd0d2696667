// The audit log: for every request that the policy asks for, an event on arrival, one when a long answer begins, and
// one at the end. Whoever subscribes hears of the requests that come from then on; while nobody does nothing is
// gathered. Stands right behind authentication, so that refusals of all later steps are recorded, under the name of who
// asked. As apiserver/pkg/endpoints/filters/{audit,authn_audit}.go.
import { finalize } from 'rxjs';
import type { Observable } from 'rxjs';
import type { ApiRequest, ApiResponse } from '../../client/index.js';
import { withSession } from '../../client/index.js';
import { Outlet, errorText, isApiError } from '../../core/index.js';
import type { Clock, Random } from '../../core/index.js';
import { isLongRunning } from '../http/request-info.js';
import type { Pipeline, Serve, Step } from '../pipeline.js';
import type { Exchange } from '../requests/exchange.js';
import { attributesOf } from '../steps.js';
import type { AuditEvent } from './audit-event.js';
import type { AuditPolicy, AuditStage, AuditTerms } from './audit-policy.js';
import { auditTerms } from './audit-policy.js';
import { AuditRecord } from './audit-record.js';

/** What the log is made with. */
export interface AuditOptions {
  /** What to record; without one nothing is. */
  readonly policy: AuditPolicy | undefined;
  readonly clock: Clock;
  /** Draws ids of requests that brought none. */
  readonly random: Random;
}

/** The log. */
export interface Audit {
  /** Undefined where there is nothing to record. */
  readonly step: Step | undefined;
  /** The events, as they happen. Completes when the log is closed. */
  readonly events$: Observable<AuditEvent>;
  /** Records also who was refused for their credentials. */
  authenticating(authenticate: Pipeline['authenticate']): Pipeline['authenticate'];
  /** How many events there were. */
  readonly eventsTotal: number;
  close(): void;
}

/** Makes a log. Throws RangeError where the policy makes no sense. */
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

/** The answer, with a call when all of it was given: at once, or when its stream ends for the first time. */
function atEnd(response: ApiResponse, tell: () => void): ApiResponse {
  let isOver = false;
  const end = (): void => {
    if (!isOver) tell();
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
