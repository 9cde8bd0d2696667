// Whether bytes are a certificate or a request for one, by their outline: the structures of X.509 and PKCS #10, without
// a look at names, dates and extensions. Signatures are not verified here: that takes cryptography, which the engine
// leaves to its adapters. As crypto/x509 ParseCertificateRequest and ParseCertificates; messages only roughly.
import { derChildren, readDer } from '../core/der.js';
import type { Der } from '../core/der.js';

/** What is wrong with a PKCS #10 request. */
export function certificateRequestProblem(bytes: Uint8Array): string | undefined {
  const outer = outline(bytes);
  if (typeof outer === 'string') return outer;
  const [info, algorithm, signature] = outer;
  const [version, subject, key] = info?.tag === sequence ? derChildren(info) : [];
  const complete =
    version?.tag === integer &&
    subject?.tag === sequence &&
    key?.tag === sequence &&
    algorithm?.tag === sequence &&
    signature?.tag === bitString;
  return complete ? undefined : malformed;
}

/** What is wrong with one or more certificates behind each other. */
export function certificatesProblem(bytes: Uint8Array): string | undefined {
  for (let at = 0; at < bytes.length;) {
    const certificate = readDer(bytes, at);
    const [body, algorithm, signature] = certificate?.tag === sequence ? derChildren(certificate) : [];
    if (
      certificate === undefined ||
      body?.tag !== sequence ||
      algorithm?.tag !== sequence ||
      signature?.tag !== bitString
    )
      return 'x509: malformed certificate';
    at = certificate.end;
  }
  return undefined;
}

const integer = 0x02;
const bitString = 0x03;
const sequence = 0x30;
const indefinite = 0x80;
const malformed = 'asn1: syntax error: sequence truncated';

/** The parts of the one sequence that the bytes are, or what is wrong with it in the words of Go's encoding/asn1. */
function outline(bytes: Uint8Array): readonly Der[] | string {
  if (bytes.length === 0) return malformed;
  if (bytes[1] === indefinite) return 'asn1: syntax error: indefinite length found (not DER)';
  const outer = readDer(bytes);
  if (outer === undefined) return 'asn1: syntax error: data truncated';
  if (outer.tag !== sequence) return malformed;
  return outer.end < bytes.length ? 'asn1: syntax error: trailing data' : derChildren(outer);
}
