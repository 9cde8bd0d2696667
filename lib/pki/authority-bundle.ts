// Bundles of trusted authorities in PEM, and their reload while a server runs. The first bundle has to be usable. A
// later one that is not is reported and ignored, so that a truncated file does not lock every client out. As
// apiserver/pkg/server/dynamiccertificates/dynamic_cafile_content.go.
import { X509Certificate } from 'node:crypto';
import { concat, concatMap } from 'rxjs';
import type { Observable } from 'rxjs';
import { errorText } from '../core/index.js';

/** Returns why the PEM text is no usable bundle, in Kubernetes' words where it has some; undefined if it is one. */
export function bundleProblem(pem: string): string | undefined {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return 'data does not contain any valid RSA or ECDSA certificates';
  for (const block of blocks) {
    try {
      new X509Certificate(block);
    } catch (error) {
      return `x509: malformed certificate: ${errorText(error)}`;
    }
  }
  return undefined;
}

/** A bundle that may change, and what is created from each version of it. */
export interface ReloadingBundle<T> {
  /** The first version, in PEM. */
  readonly first: string;
  /** Emits later versions. */
  readonly changes$: Observable<string>;
  /** Creates a value that trusts these authorities. May throw. */
  readonly create: (authorities: string) => T;
  /** Called with the error of a later version that is ignored. */
  readonly onRejected: (error: unknown) => void;
}

/** Emits what `create` returns for the first and every later usable version. Throws Error if the first is unusable. */
export function reloadBundle<T>({ first, changes$, create, onRejected }: ReloadingBundle<T>): Observable<T> {
  const createChecked = (authorities: string): T => {
    const problem = bundleProblem(authorities);
    if (problem !== undefined) throw new Error(problem);
    return create(authorities);
  };
  const createLater = (authorities: string): readonly T[] => {
    try {
      return [createChecked(authorities)];
    } catch (error) {
      onRejected(error);
      return [];
    }
  };
  return concat([createChecked(first)], changes$.pipe(concatMap(createLater)));
}
