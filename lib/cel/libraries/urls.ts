// URLs as values: `url(text)` and its parts.
import { parseGoRequestUri, parseGoUrl, parseQuery } from '../../core/index.js';
import type { GoUrl } from '../../core/index.js';
import { boolType, listType, mapType, opaqueType, stringType } from '../cel-type.js';
import type { OpaqueType } from '../cel-type.js';
import { OpaqueValue, TypeValue } from '../cel-value.js';
import type { CelValue } from '../cel-value.js';
import { EvaluationError } from '../library.js';
import type { FunctionDeclaration, Library } from '../library.js';
import { copiesFirst, traversalCost } from './costs.js';
import { declareFunction, globalOverload, memberOverload } from './overloads.js';

/** The type of URLs. */
const urlType: OpaqueType = opaqueType('kubernetes.URL');

/** A URL. Two are equal where they were written alike. */
class UrlValue extends OpaqueValue {
  readonly type: OpaqueType = urlType;
  readonly text: string;
  readonly url: GoUrl;

  constructor(text: string, url: GoUrl) {
    super();
    this.text = text;
    this.url = url;
  }

  equals(other: CelValue): boolean {
    return other instanceof UrlValue && other.text === this.text;
  }
}

const functions: readonly FunctionDeclaration[] = [
  declareFunction(
    'url',
    globalOverload('string_to_url', [stringType], urlType, (text) => parse(text as string), {
      cost: ([text]) => traversalCost(text),
      estimate: copiesFirst,
    }),
  ),
  declareFunction(
    'isURL',
    globalOverload('is_url_string', [stringType], boolType, (text) => 'url' in parseGoRequestUri(text as string)),
  ),
  declareFunction(
    'getScheme',
    reader('url_get_scheme', ({ scheme }) => scheme),
  ),
  declareFunction(
    'getHost',
    reader('url_get_host', ({ host }) => host),
  ),
  declareFunction(
    'getHostname',
    reader('url_get_hostname', ({ host }) => hostnameOf(host)),
  ),
  declareFunction(
    'getPort',
    reader('url_get_port', ({ host }) => /:([0-9]*)$/.exec(host)?.[1] ?? ''),
  ),
  declareFunction(
    'getEscapedPath',
    reader('url_get_escaped_path', ({ escapedPath }) => escapedPath),
  ),
  declareFunction(
    'getQuery',
    memberOverload('url_get_query', [urlType], mapType(stringType, listType(stringType)), (value) =>
      Object.fromEntries(parseQuery((value as UrlValue).url.query)),
    ),
  ),
];

/** The functions of URLs. */
export const urlsLibrary: Library = {
  name: 'kubernetes.urls',
  functions,
  constants: { [urlType.name]: { type: { kind: 'type', of: urlType }, value: new TypeValue(urlType) } },
};

function reader(id: string, read: (url: GoUrl) => string): ReturnType<typeof memberOverload> {
  return memberOverload(id, [urlType], stringType, (value) => read((value as UrlValue).url));
}

/** A URL of a request, in which a fragment is recognised nevertheless. */
function parse(text: string): UrlValue {
  const request = parseGoRequestUri(text);
  const parsed = 'error' in request ? request : parseGoUrl(text);
  if ('error' in parsed) throw new EvaluationError(`URL parse error during conversion from string: ${parsed.error}`);
  return new UrlValue(text, parsed.url);
}

function hostnameOf(host: string): string {
  const bracket = /^\[(.*)\](?::[0-9]*)?$/.exec(host);
  return bracket?.[1] ?? host.replace(/:[0-9]*$/, '');
}
