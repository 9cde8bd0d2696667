// Fetches documents of issuers over https. Responses are limited in size and time, and redirects are followed only
// within the same origin, so that an issuer cannot make this server call other hosts.
import { request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { Observable, firstValueFrom, fromEvent, map, mergeMap, of, race, take, throwError } from 'rxjs';
import type { Clock } from '../../../core/index.js';
import type { DocumentRequest, FetchDocument, FetchedDocument } from './documents.js';

/** Limits of a document request. */
export interface HttpsDocumentOptions {
  readonly clock: Clock;
  /** Time limit including redirects. Default 30 s, as Kubernetes. */
  readonly timeoutMs?: number;
  /** Maximum size in bytes. Default 1 MiB. */
  readonly sizeMax?: number;
}

/** Returns a fetcher over https. Connections are not reused: documents are fetched rarely. */
export function httpsDocuments({
  clock,
  timeoutMs = 30_000,
  sizeMax = 1024 * 1024,
}: HttpsDocumentOptions): FetchDocument {
  return async (request) => {
    const timeoutError$ = clock
      .timer(timeoutMs)
      .pipe(mergeMap(() => throwError(() => new Error(`${request.url}: no answer within ${timeoutMs} ms`))));
    const aborted$: Observable<unknown> = request.signal.aborted ? of(true) : fromEvent(request.signal, 'abort');
    const abortError$ = aborted$.pipe(
      mergeMap(() => throwError(() => new Error(`${request.url}: the request was aborted`))),
    );
    return firstValueFrom(race(timeoutError$, abortError$, followed(request, request.url, sizeMax, redirectsMax)), {
      defaultValue: noAnswer,
    });
  };
}

const noAnswer: FetchedDocument = { status: 0, body: '' };

const redirectsMax = 5;

function followed(
  request: DocumentRequest,
  url: string,
  sizeMax: number,
  redirectsLeft: number,
): Observable<FetchedDocument> {
  return answered(request, url, sizeMax).pipe(
    mergeMap((answer) => {
      if (!redirects.has(answer.status) || answer.location === undefined)
        return of({ status: answer.status, body: answer.body });
      const next = URL.canParse(answer.location, url) ? new URL(answer.location, url) : undefined;
      if (next?.origin !== new URL(url).origin)
        return throwError(() => new Error(`${url}: redirected to another origin, which is not followed`));
      if (redirectsLeft === 0)
        return throwError(() => new Error(`${request.url}: stopped after ${redirectsMax} redirects`));
      return followed(request, next.href, sizeMax, redirectsLeft - 1);
    }),
  );
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

interface Answer extends FetchedDocument {
  readonly location: string | undefined;
}

function answered(
  { bearer, certificateAuthority, egress }: DocumentRequest,
  url: string,
  sizeMax: number,
): Observable<Answer> {
  return new Observable<IncomingMessage>((subscriber) => {
    if (egress !== undefined) throw new Error(`oidc: egress lookup for "${egress}" is not configured`);
    if (!url.startsWith('https://')) throw new Error(`${url}: only https is asked`);
    const headers = { accept: 'application/json', ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) };
    const call = httpsRequest(url, {
      agent: false,
      headers,
      ...(certificateAuthority !== undefined && { ca: certificateAuthority }),
    });
    call.once('response', (response) => {
      subscriber.next(response);
    });
    call.once('error', (error) => {
      subscriber.error(error);
    });
    call.end();
    return () => {
      call.destroy();
    };
  }).pipe(
    mergeMap((response) =>
      bodyOf(response, url, sizeMax).pipe(
        map((body) => ({ status: response.statusCode ?? 0, location: response.headers.location, body })),
      ),
    ),
    take(1),
  );
}

function bodyOf(response: IncomingMessage, url: string, sizeMax: number): Observable<string> {
  return new Observable((subscriber) => {
    const utf8 = new TextDecoder();
    let body = '';
    let size = 0;
    response.on('data', (chunk: Uint8Array) => {
      size += chunk.length;
      if (size > sizeMax) subscriber.error(new Error(`${url}: the document has more than ${sizeMax} bytes`));
      else body += utf8.decode(chunk, { stream: true });
    });
    response.once('end', () => {
      subscriber.next(body + utf8.decode());
      subscriber.complete();
    });
    response.once('error', (error) => {
      subscriber.error(error);
    });
    return () => {
      response.destroy();
    };
  });
}
