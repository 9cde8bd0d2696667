// How a webhook is called: by URL or by service. Shared by admission webhooks and the conversion webhooks of custom
// resource definitions. As apiserver/pkg/util/webhook/validation.go.
import { fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { isDns1123Subdomain, isPortNumber } from '../../objects/names.js';
import type { ServiceReference, WebhookClientConfig } from '../../types/admissionregistration-v1.generated.js';
import type { Loose } from '../loose.js';
import { parseGoUrl } from './go-url.js';

/** What is wrong with the way to a webhook. `path` is that of the whole configuration. */
export function validateWebhookClient(config: Loose<WebhookClientConfig>, path: FieldPath): readonly FieldError[] {
  const { url, service } = config;
  if (url !== undefined && service === undefined) return validateUrl(url, path.child('url'));
  if (service !== undefined && url === undefined) return validateService(service, path.child('service'));
  return [fieldRequired(path, 'exactly one of url or service is required')];
}

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
  segments.slice(0, segmentsMax).forEach((segment, index) => {
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
