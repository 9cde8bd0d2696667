// How a webhook is called: by URL or by service, and with which versions of reviews. Shared by admission webhooks and
// the conversion webhooks of custom resource definitions. As apiserver/pkg/util/webhook/validation.go.
import { collect, visitUntilFull } from '../../errors/collect.js';
import { fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { isDns1035Label, isDns1123Subdomain, isPortNumber } from '../../objects/names.js';
import type { ServiceReference, WebhookClientConfig } from '../../types/admissionregistration-v1.generated.js';
import type { Loose } from '../loose.js';
import { parseGoUrl } from '../../go/url.js';

/**
 * Validates the way to a webhook. `path` is that of the whole configuration. With `allowsProcess` the URL may be
 * `process://name`: a function that the host of the server registered, which Kubernetes does not have.
 */
export function validateWebhookClient(
  config: Loose<WebhookClientConfig>,
  path: FieldPath,
  { allowsProcess = false }: { readonly allowsProcess?: boolean } = {},
): readonly FieldError[] {
  const { url, service } = config;
  if (url !== undefined && service === undefined)
    return allowsProcess && processUrl.test(url) ? [] : validateUrl(url, path.child('url'));
  if (service !== undefined && url === undefined) return validateService(service, path.child('service'));
  return [fieldRequired(path, 'exactly one of url or service is required')];
}

const processUrl = /^process:\/\/[^/?#@\s]+$/;

const form = '; desired format: https://host[/path]';

function validateUrl(text: string, path: FieldPath): readonly FieldError[] {
  const parsed = parseGoUrl(text);
  if ('error' in parsed) return [fieldRequired(path, `url must be a valid URL: ${parsed.error}${form}`)];
  const { scheme, host, user, fragment, query } = parsed.url;
  const errors: FieldError[] = [];
  if (scheme !== 'https') errors.push(fieldInvalid(path, scheme, `'https' is the only allowed URL scheme${form}`));
  if (host === '') errors.push(fieldInvalid(path, host, `host must be specified${form}`));
  if (user !== undefined) errors.push(fieldInvalid(path, user, 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(fieldInvalid(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(fieldInvalid(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

/** Kubernetes mixes up the two names: each is reported missing at the other's place. */
function validateService(
  { name = '', namespace = '', port = 0, path: urlPath = '' }: Loose<ServiceReference>,
  path: FieldPath,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (namespace === '') errors.push(fieldRequired(path.child('name')));
  if (name === '') errors.push(fieldRequired(path.child('namespace')));
  const wrongPort = isPortNumber(port);
  if (wrongPort.length > 0)
    errors.push(fieldInvalid(path.child('port'), port, `port is not valid: ${wrongPort.join(', ')}`));
  return [...errors, ...validateUrlPath(urlPath, path.child('path'))];
}

function validateUrlPath(urlPath: string, path: FieldPath): readonly FieldError[] {
  if (urlPath === '' || urlPath === '/') return [];
  if (urlPath === '//') return [fieldInvalid(path, urlPath, 'segment[0] may not be empty')];
  const errors = urlPath.startsWith('/') ? [] : [fieldInvalid(path, urlPath, "must start with a '/'")];
  // The first character goes whether or not it is a slash, and so does one slash at the end.
  const segments = urlPath.slice(1).replace(/\/$/, '').split('/');
  visitUntilFull(segments.slice(0, segmentsMax), errors, (segment, index) => {
    const wrong =
      segment === ''
        ? [`segment[${index}] may not be empty`]
        : isDns1123Subdomain(segment).map((sentence) => `segment[${index}]: ${sentence}`);
    errors.push(...wrong.map((sentence) => fieldInvalid(path, urlPath, sentence)));
  });
  return errors;
}

/** Every error quotes the whole path, so their number must not grow with it; Kubernetes has no such limit. */
const segmentsMax = 100;

/** The versions of reviews that the server sends to webhooks, of admission and of conversion. */
export const reviewVersions: readonly string[] = ['v1', 'v1beta1'];

/** Returns whether the server can send reviews of a version. */
export function isReviewVersion(version: string): boolean {
  return reviewVersions.includes(version);
}

/** Validates the versions of reviews that a webhook accepts. `hint` follows `Required value` where there is none. */
export function validateReviewVersions(
  versions: readonly string[] | undefined,
  path: FieldPath,
  { requireKnown, hint }: { readonly requireKnown: boolean; readonly hint?: string },
): readonly FieldError[] {
  if (versions === undefined || versions.length === 0) return [fieldRequired(path, hint)];
  const seen = new Set<string>();
  const errors = collect(versions, (version, index) => {
    const at = path.index(index);
    const repeated = seen.has(version);
    seen.add(version);
    return repeated
      ? [fieldInvalid(at, version, 'duplicate version')]
      : isDns1035Label(version).map((wrong) => fieldInvalid(at, version, wrong));
  });
  if (!requireKnown || versions.some(isReviewVersion)) return errors;
  return [...errors, fieldInvalid(path, versions, `must include at least one of ${reviewVersions.join(', ')}`)];
}
