/**
 * Media types and their negotiation. Headers are read as RFC 9110 has them (whitespace, quoted strings, any case); the
 * choice is Kubernetes' own (as apiserver/pkg/endpoints/handlers/negotiation/negotiate.go over munnerz/goautoneg):
 * clauses by weight, a refused parameter skips the clause, a weight of zero only puts it last. Parsing never throws: a
 * header that makes no sense has no clauses. Headers longer than any honest one are cut.
 */

/** The names on the wire. */
export const mediaTypes = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
  jsonPatch: 'application/json-patch+json',
  mergePatch: 'application/merge-patch+json',
  strategicMergePatch: 'application/strategic-merge-patch+json',
  applyPatch: 'application/apply-patch+yaml',
} as const;

/** A media type with its parameters. */
export interface MediaType {
  /** In lower case, for instance `application/json`; in an Accept header either half may be `*`. */
  readonly name: string;
  /** By name in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The kind that a response is converted to, for instance meta.k8s.io/v1 Table. */
export interface Transform {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The forms of a response that an endpoint offers. */
export interface Offer {
  /** Media types without parameters, the preferred one first. */
  readonly mediaTypes: readonly string[];
  /** Returns whether the endpoint offers this transform of its objects or, for undefined, the objects themselves. */
  readonly allows: (mediaType: string, transform: Transform | undefined) => boolean;
}

/** The choice. */
export interface Negotiated {
  readonly mediaType: string;
  readonly transform?: Transform;
  /** The client requested the form that a watch has. */
  readonly stream?: 'watch';
  /** The client requested indentation. */
  readonly pretty: boolean;
}

/** Parses a Content-Type header; undefined where it is malformed (as Go's mime.ParseMediaType). */
export function parseMediaType(header: string): MediaType | undefined {
  const [range = '', ...rest] = split(header.slice(0, lengthMax), ';');
  const name = range.trim().toLowerCase();
  if (!mediaRange.test(name)) return undefined;
  const parameters = new Map<string, string>();
  for (const text of rest) {
    if (text.trim() === '') continue;
    const parameter = parseParameter(text);
    if (parameter === undefined || parameters.has(parameter[0])) return undefined;
    parameters.set(...parameter);
  }
  return { name, parameters };
}

/** Parses an Accept header into the clauses that make sense, the preferred one first. */
export function parseAccept(header: string): readonly MediaType[] {
  const clauses: Clause[] = [];
  for (const text of split(header.slice(0, lengthMax), ',').slice(0, clausesMax)) {
    const [range = '', ...rest] = split(text, ';');
    const name = range.trim() === '*' ? '*/*' : range.trim().toLowerCase();
    if (!mediaRange.test(name)) continue;
    const parameters = new Map(rest.map(parseParameter).filter((each) => each !== undefined));
    const weight = parameters.get('q');
    parameters.delete('q');
    insert(clauses, { name, parameters, weight: weight === undefined ? 1 : decimal.test(weight) ? Number(weight) : 0 });
  }
  return clauses;
}

/** Chooses the form of a response; undefined if the client accepts none that the endpoint offers (406). */
export function negotiate(accept: string | undefined, { mediaTypes: offered, allows }: Offer): Negotiated | undefined {
  const [preferred] = offered;
  if (accept === undefined || accept === '')
    return preferred === undefined ? undefined : { mediaType: preferred, pretty: false };
  for (const { name, parameters } of parseAccept(accept)) {
    for (const mediaType of offered) {
      if (name !== mediaType && name !== '*/*' && name !== `${mediaType.slice(0, mediaType.indexOf('/'))}/*`) continue;
      const transform = transformOf(parameters);
      const stream = parameters.get('stream') ?? '';
      if (stream !== '' && (stream !== 'watch' || !isStreamable(mediaType))) continue;
      // The version of the meta group, of which there is one.
      if ((parameters.get('sv') ?? 'v1') !== 'v1' || !allows(mediaType, transform)) continue;
      return {
        mediaType,
        pretty: parameters.get('pretty') === '1',
        ...(transform && { transform }),
        ...(stream === 'watch' && { stream }),
      };
    }
  }
  return undefined;
}

/** Returns whether a watch can be sent in this form: YAML cannot. */
export function isStreamable(mediaType: string): boolean {
  return mediaType === mediaTypes.json || mediaType === mediaTypes.protobuf;
}

/** What endpoints of built-in kinds allow (as apiserver/pkg/endpoints/handlers/rest.go, AllowsMediaTypeTransform). */
export function allowsObjectTransform(mediaType: string, transform: Transform | undefined): boolean {
  if (transform === undefined) return true;
  if (transform.group !== 'meta.k8s.io' || (transform.version !== 'v1' && transform.version !== 'v1beta1'))
    return false;
  if (transform.kind === 'Table') return mediaType === mediaTypes.json || mediaType === mediaTypes.yaml;
  return transform.kind === 'PartialObjectMetadata' || transform.kind === 'PartialObjectMetadataList';
}

/** What aggregated discovery demands: a client that does not name it gets the plain lists of groups. */
export function isAggregatedDiscovery(transform: Transform | undefined): boolean {
  return (
    transform?.group === 'apidiscovery.k8s.io' &&
    transform.version === 'v2' &&
    transform.kind === 'APIGroupDiscoveryList'
  );
}

interface Clause extends MediaType {
  readonly weight: number;
}

const lengthMax = 8192;
const clausesMax = 64;
const mediaRange = /^[!#$%&'*+\-.^`|~\w]+\/[!#$%&'*+\-.^`|~\w]+$/;
const token = /^[!#$%&'*+\-.^`|~\w]+$/;
const decimal = /^\d*\.?\d+$|^\d+\.$/;

/** The pieces between separators, of which those inside of quotes do not count. */
function split(text: string, separator: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\\' && isQuoted) at++;
    else if (character === separator && !isQuoted) {
      pieces.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...pieces, text.slice(from)];
}

function parseParameter(text: string): [name: string, value: string] | undefined {
  const equals = text.indexOf('=');
  const name = text.slice(0, Math.max(equals, 0)).trim().toLowerCase();
  const value = text.slice(equals + 1).trim();
  if (!token.test(name)) return undefined;
  if (token.test(value)) return [name, value];
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(value) ?? [];
  return quoted === undefined ? undefined : [name, quoted.replace(/\\(.)/gs, '$1')];
}

/**
 * Sorts by insertion, for goautoneg's order is none to sort by otherwise: a wildcard yields even to a lesser weight.
 */
function insert(clauses: Clause[], clause: Clause): void {
  let at = clauses.length;
  while (at > 0 && precedes(clause, clauses[at - 1] ?? clause)) at--;
  clauses.splice(at, 0, clause);
}

function precedes(a: Clause, b: Clause): boolean {
  if (a.weight > b.weight) return true;
  if (!a.name.startsWith('*/') && b.name.startsWith('*/')) return true;
  return !a.name.endsWith('/*') && b.name.endsWith('/*');
}

function transformOf(parameters: ReadonlyMap<string, string>): Transform | undefined {
  if (!parameters.has('as') && !parameters.has('g') && !parameters.has('v')) return undefined;
  return { group: parameters.get('g') ?? '', version: parameters.get('v') ?? '', kind: parameters.get('as') ?? '' };
}
