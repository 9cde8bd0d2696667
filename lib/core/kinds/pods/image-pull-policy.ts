// When to pull an image, decided by its reference: Always for the tag `latest`, named or meant, else IfNotPresent. Text
// that is no reference names no tag at all. A digest does not hide a tag written before it.
// As pkg/util/parsers/parsers.go, ParseImageName, over github.com/distribution/reference. Every expression here is
// anchored and its repeated parts start with different characters, so that none can be made to backtrack.
import type { PullPolicy } from '../../types/core-v1.generated.js';

/** The imagePullPolicy of a container or image volume that names none. */
export function defaultPullPolicy(reference: string): PullPolicy {
  return tagOf(reference) === 'latest' ? 'Always' : 'IfNotPresent';
}

/** The tag of a well-formed reference, `latest` where there is neither tag nor digest; undefined for other texts. */
function tagOf(reference: string): string | undefined {
  if (hasNumberedTag(reference) || imageId.test(reference)) return undefined;
  const { domain, remainder } = splitDomain(reference);
  if (!domainForm.test(domain) && !pathPart.test(domain)) return undefined;
  const [named, digest] = cut(remainder, '@');
  if (digest !== undefined && !digestForm.test(digest)) return undefined;
  const [path, tag] = cut(named, ':');
  if (path.length > pathLengthMax || !path.split('/').every((part) => pathPart.test(part))) return undefined;
  if (tag !== undefined) return tagForm.test(tag) ? tag : undefined;
  return digest === undefined ? 'latest' : undefined;
}

/**
 * Most references are like `nginx:1.27` or `registry.k8s.io/pause:3.10`: a tag that starts with a digit is not
 * `latest`, whatever else is right or wrong about the text.
 */
function hasNumberedTag(reference: string): boolean {
  const colon = reference.lastIndexOf(':');
  if (colon < 0 || reference.includes('/', colon) || reference.includes('@')) return false;
  const digit = reference.charCodeAt(colon + 1);
  return digit >= 0x30 && digit <= 0x39;
}

const imageId = /^[a-f0-9]{64}$/;
const domainForm =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$/;
const pathPart = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
const tagForm = /^\w[\w.-]{0,127}$/;
const digestForm = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
const pathLengthMax = 255;

/** The registry is what stands before the first slash, if it looks like a host: has a dot, a colon or a capital. */
function splitDomain(reference: string): { domain: string; remainder: string } {
  const [head, tail] = cut(reference, '/');
  const isHost = tail !== undefined && (head === 'localhost' || /[.:]/.test(head) || head !== head.toLowerCase());
  const domain = isHost && head !== 'index.docker.io' ? head : 'docker.io';
  const remainder = isHost ? tail : reference;
  return { domain, remainder: domain === 'docker.io' && !remainder.includes('/') ? `library/${remainder}` : remainder };
}

function cut(text: string, separator: string): [head: string, tail?: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
