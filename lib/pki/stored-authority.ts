// The certificate authority of a server that is restarted, stored in a folder as `ca.key` and `ca.crt`. It is created
// if both files are missing. One file without the other, or an unusable pair, is an error: replacing the authority
// silently would invalidate every kubeconfig that trusts it.
import { errorText } from '../core/index.js';
import { createAuthority, restoreAuthority } from './certificate-authority.js';
import type { CertificateAuthority } from './certificate-authority.js';

/** Access to the files of a stored authority. */
export interface AuthorityFiles {
  /** Resolves to the text of a file; undefined if it does not exist. */
  readonly findFile: (path: string) => Promise<string | undefined>;
  /** Writes a file that only its owner may read. */
  readonly writeFile: (path: string, text: string) => Promise<void>;
}

/**
 * Reads the authority of `folder`, or creates and stores one. `now` is in milliseconds since 1970. Rejects with an
 * Error that names the unusable file.
 */
export async function openStoredAuthority(
  folder: string,
  { findFile, writeFile }: AuthorityFiles,
  now: number,
): Promise<CertificateAuthority> {
  const keyPath = `${folder}/ca.key`;
  const certificatePath = `${folder}/ca.crt`;
  const [key, certificate] = await Promise.all([findFile(keyPath), findFile(certificatePath)]);
  if (key === undefined && certificate === undefined) {
    const created = createAuthority({ now });
    await writeFile(keyPath, created.key);
    await writeFile(certificatePath, created.certificate);
    return created;
  }
  if (key === undefined || certificate === undefined) {
    const [present, missing] = key === undefined ? [certificatePath, keyPath] : [keyPath, certificatePath];
    throw new Error(`--cert-dir: there is ${present} but no ${missing}; ${remedy}`);
  }
  try {
    return restoreAuthority({ key, certificate }, { now });
  } catch (error) {
    throw new Error(`--cert-dir: ${certificatePath} and ${keyPath} cannot be used: ${errorText(error)}; ${remedy}`, {
      cause: error,
    });
  }
}

const remedy = 'put it right, or remove both files to have new ones made';
