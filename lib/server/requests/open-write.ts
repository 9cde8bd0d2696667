// Opens a write: reads what a request sends before anything is done, and refuses it in the order of a real server.
// With a body: form of the response (406) → body (413) → options (400, 422) → type of the body (415) → object (400). A
// patch names its type first; the options of a deletion may be its body.
// As apiserver/pkg/endpoints/handlers/{create,update,patch,delete}.go and apimachinery/pkg/apis/meta/v1/conversion.go.
import {
  DecodeError,
  badRequest,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  invalid,
  isDecodeError,
  isParseError,
  mediaTypes,
  parseGroupVersion,
  printGroupVersion,
  quote,
  routeUnsupportedMediaType,
  unsupportedMediaType,
  validateFieldManager,
} from '../../core/index.js';
import type {
  ApiObject,
  FieldError,
  FieldValidation,
  GroupVersionKind,
  Negotiated,
  Offer,
  Scheme,
  RequestBody,
  RequestOptions,
} from '../../core/index.js';
import type { DeleteOptions } from '../../core/types/index.js';
import type { Expected } from './decode-body.js';
import { bodyMediaType, decodeBody, readBody } from './decode-body.js';
import { customOffer } from '../registry/endpoint.js';
import type { Exchange } from '../pipeline.js';

/** A write with an object as its body. */
export interface OpenedBody {
  /** The form of the response. */
  readonly form: Negotiated;
  readonly options: RequestOptions;
  /** Decodes and defaults the body into a new object, which the caller owns. Rejects with ApiError 400, 415. */
  readonly decode: () => Promise<ApiObject>;
}

/** Opens a create or an update. Rejects with ApiError. */
export async function openBody(
  exchange: Exchange,
  expected: Omit<Expected, 'validation'> & { readonly offer: Offer },
): Promise<OpenedBody> {
  const { request } = exchange;
  const form = request.negotiate(expected.offer);
  const reading = request.body();
  const body = reading instanceof Promise ? await reading : reading;
  const isCreate = request.info.verb === 'create';
  if (isCreate && body !== undefined && 'bytes' in body) bodyMediaType(body.contentType);
  const options = request.options();
  if (isCreate) checkCreateOptions(options);
  else checkUpdateOptions(options);
  const { scheme, gvk, accepts } = expected;
  const validation = fieldValidationOf(options);
  const validated: Expected =
    accepts === undefined ? { scheme, gvk, validation } : { scheme, gvk, validation, accepts };
  return { form, options, decode: () => decodeBody(body, validated, exchange) };
}

/**
 * Returns `first` on the first call and a newly decoded object afterwards. The pipeline changes the object in place, so
 * a retry after a conflict needs another one.
 */
export function decodedOnce(first: ApiObject, decode: () => Promise<ApiObject>): () => ApiObject | Promise<ApiObject> {
  let unused: ApiObject | undefined = first;
  return () => {
    const object = unused ?? decode();
    unused = undefined;
    return object;
  };
}

/** A patch. */
export interface OpenedPatch {
  readonly form: Negotiated;
  readonly options: RequestOptions;
  readonly body: RequestBody | undefined;
  /** The media type of the patch. */
  readonly patchType: string;
}

/** Opens a patch; the offer is that of the patched kind. Rejects with ApiError 406, 415 and 422. */
export async function openPatch({ request, recorder }: Exchange, offer: Offer): Promise<OpenedPatch> {
  const body = await request.body();
  const patchType = patchTypeOf(body);
  // Custom resources have no merge keys.
  if (offer === customOffer && patchType === mediaTypes.strategicMergePatch)
    throw unsupportedMediaType([mediaTypes.jsonPatch, mediaTypes.mergePatch, mediaTypes.applyPatch]);
  const form = request.negotiate(offer);
  const options = request.options();
  checkPatchOptions(options, patchType);
  recorder?.patch(body);
  return { form, options, body, patchType };
}

const patchTypes: readonly string[] = [
  mediaTypes.jsonPatch,
  mediaTypes.mergePatch,
  mediaTypes.strategicMergePatch,
  mediaTypes.applyPatch,
];

function patchTypeOf(body: RequestBody | undefined): string {
  const sent = body === undefined ? '' : 'bytes' in body ? body.contentType : (body.patchType ?? '');
  const semicolon = sent.indexOf(';');
  const patchType = semicolon > 0 ? sent.slice(0, semicolon) : sent;
  if (!patchTypes.includes(patchType)) throw routeUnsupportedMediaType();
  return patchType;
}

/** Options of a deletion, with preconditions. */
export type Deletion = RequestOptions & Pick<DeleteOptions, 'preconditions'>;

/** A deletion. */
export interface OpenedDeletion {
  readonly form: Negotiated;
  readonly deletion: Deletion;
}

/**
 * Opens a deletion. A body of DeleteOptions, of any version, replaces the options of the query. Rejects with ApiError
 * 400, 406, 415 and 422.
 */
export async function openDeletion(
  exchange: Exchange,
  { scheme, gvk, offer }: { readonly scheme: Scheme; readonly gvk: GroupVersionKind; readonly offer: Offer },
): Promise<OpenedDeletion> {
  const { request, recorder } = exchange;
  const form = request.negotiate(offer);
  const body = await request.body();
  const isEmpty = body === undefined || ('bytes' in body && body.bytes.length === 0);
  const deletion = isEmpty ? queriedDeletion(request.options()) : await decodedDeletion(body, scheme, gvk);
  if (!isEmpty) recorder?.object(deletion as ApiObject);
  checkDeleteOptions(deletion);
  return { form, deletion };
}

async function decodedDeletion(body: RequestBody, scheme: Scheme, gvk: GroupVersionKind): Promise<Deletion> {
  const kind = { group: gvk.group, version: gvk.version, kind: 'DeleteOptions' };
  try {
    const { object } = await readBody(
      body,
      (claim) => {
        checkDeletionClaim(claim);
        return scheme.typeOf(kind);
      },
      'Ignore',
    );
    return { apiVersion: printGroupVersion(kind), ...object, kind: kind.kind } as Deletion;
  } catch (error) {
    throw isDecodeError(error) || isParseError(error) ? badRequest(error.message) : error;
  }
}

/** In a query, uid and resourceVersion are preconditions. */
function queriedDeletion(options: RequestOptions): Deletion {
  const { uid = '', resourceVersion = '' } = options;
  if (uid === '' && resourceVersion === '') return options;
  return {
    ...options,
    preconditions: { ...(uid !== '' && { uid }), ...(resourceVersion !== '' && { resourceVersion }) },
  };
}

/** Checks that a body is DeleteOptions, which every group-version has. Throws DecodeError and ParseError. */
function checkDeletionClaim({
  apiVersion = '',
  kind = '',
}: {
  readonly apiVersion?: string;
  readonly kind?: string;
}): void {
  if (apiVersion !== '') parseGroupVersion(apiVersion);
  if (kind === '' || kind === 'DeleteOptions') return;
  throw new DecodeError(
    `no kind ${quote(kind)} is registered for version ${quote(apiVersion === '' ? 'meta.k8s.io/v1' : apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

/** Checks options that contradict each other, as apimachinery/pkg/apis/meta/v1/validation. Throws ApiError 422. */
function checkCreateOptions(options: RequestOptions): void {
  refuseOptions('CreateOptions', writeErrors(options));
}

function checkUpdateOptions(options: RequestOptions): void {
  refuseOptions('UpdateOptions', writeErrors(options));
}

function checkPatchOptions(options: RequestOptions, patchType: string): void {
  const errors: FieldError[] = [];
  if (patchType === mediaTypes.applyPatch) {
    if ((options.fieldManager ?? '') === '')
      errors.push(fieldRequired(fieldPath('fieldManager'), 'is required for apply patch'));
  } else if (options.force !== undefined) {
    errors.push(fieldForbidden(fieldPath('force'), 'may not be specified for non-apply patch'));
  }
  refuseOptions('PatchOptions', [...errors, ...writeErrors(options)]);
}

/** Checks the options of a deletion. Throws ApiError 422. */
export function checkDeleteOptions({ propagationPolicy, orphanDependents, dryRun = [] }: RequestOptions): void {
  const errors: FieldError[] = [];
  const path = fieldPath('propagationPolicy');
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    errors.push(fieldInvalid(path, propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'));
  }
  if (propagationPolicy !== undefined && !propagationPolicies.includes(propagationPolicy)) {
    errors.push(fieldNotSupported(path, propagationPolicy, [...propagationPolicies, 'nil']));
  }
  refuseOptions('DeleteOptions', [...errors, ...dryRunErrors(dryRun)]);
}

/** The level of field validation; default `Warn`. */
export function fieldValidationOf({ fieldValidation = '' }: RequestOptions): FieldValidation {
  return fieldValidation === 'Ignore' || fieldValidation === 'Strict' ? fieldValidation : 'Warn';
}

/** Whether the request is a dry run: nothing is stored. */
export function isDryRun({ dryRun }: RequestOptions): boolean {
  return dryRun !== undefined && dryRun.length > 0;
}

const propagationPolicies: readonly string[] = ['Foreground', 'Background', 'Orphan'];
const none: readonly FieldError[] = [];
const fieldValidations: readonly string[] = ['', 'Ignore', 'Strict', 'Warn'];

function writeErrors({ fieldManager = '', dryRun = [], fieldValidation = '' }: RequestOptions): readonly FieldError[] {
  const isKnown = fieldValidations.includes(fieldValidation);
  if (fieldManager === '' && dryRun.length === 0 && isKnown) return none; // most of them
  const errors = [...validateFieldManager(fieldManager, fieldPath('fieldManager')), ...dryRunErrors(dryRun)];
  if (!isKnown) errors.push(fieldNotSupported(fieldPath('fieldValidation'), fieldValidation, fieldValidations));
  return errors;
}

function dryRunErrors(dryRun: readonly string[]): readonly FieldError[] {
  if (dryRun.every((each) => each === 'All')) return [];
  return [fieldNotSupported(fieldPath('dryRun'), dryRun, ['All'])];
}

/** Throws ApiError 422 where there are errors in options of that kind. */
export function refuseOptions(kind: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors);
}
