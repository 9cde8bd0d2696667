// The headers of requests, and the warnings in those of answers.
import type { Frozen } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { TransportRequest, TransportResponse } from './transport.js';

/** Acting as somebody else. As client-go/transport/round_trippers.go, impersonatingRoundTripper. */
export function impersonationHeaders({
  username = '',
  uid = '',
  groups = [],
  extra = {},
}: Frozen<UserInfo>): TransportRequest['headers'] {
  const headers: Record<string, string | readonly string[]> = { 'Impersonate-User': username };
  if (uid !== '') headers['Impersonate-Uid'] = uid;
  if (groups.length > 0) headers['Impersonate-Group'] = groups;
  for (const [key, values] of Object.entries(extra))
    headers[`Impersonate-Extra-${encodeURIComponent(key).replace(/[!'()*]/g, escaped)}`] = values;
  return headers;
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** The texts of an answer's Warning headers: those of code 299, which API servers use. */
export function warningsOf({ headers }: TransportResponse): readonly string[] {
  const header = headers.get('warning');
  if (header === null) return [];
  return [...header.slice(0, headerMax).matchAll(warning)].map(([, text = '']) => text.replace(/\\(.)/gs, '$1'));
}

const headerMax = 65_536;
const warning = /(?:^|,)\s*299 [^\s"]{1,256} "((?:[^"\\]|\\.)*)"/gs;
