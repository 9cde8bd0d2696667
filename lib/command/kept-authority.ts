// The certificate authority of a server that is started again: kept in a folder as `ca.key` and `ca.crt`, made when
// neither is there. One without the other, or one that is no longer good, is a reason to stop and say so: an authority
// is never replaced behind the back of the kubeconfigs that trust it.
import { createAuthority, restoreAuthority } from '../server/node/index.js';
import type { CertificateAuthority } from '../server/node/index.js';
import type { CommandEnvironment } from './environment.js';

/**
 * Reads the authority kept in a folder, or makes and keeps one. Rejects with an Error that says which file is wrong.
 */
export async function keptAuthority(
  folder: string,
  { findFile, writeFile }: Pick<CommandEnvironment, 'findFile' | 'writeFile'>,
  now: number,
): Promise<CertificateAuthority> {
  const keyPath = `${folder}/ca.key`;
  const certificatePath = `${folder}/ca.crt`;
  const [key, certificate] = await Promise.all([findFile(keyPath), findFile(certificatePath)]);
  if (key === undefined && certificate === undefined) {
    const made = createAuthority({ now });
    await writeFile(keyPath, made.key);
    await writeFile(certificatePath, made.certificate);
    return made;
  }
  if (key === undefined || certificate === undefined) {
    const [there, missing] = key === undefined ? [certificatePath, keyPath] : [keyPath, certificatePath];
    throw new Error(`--cert-dir: there is ${there} but no ${missing}; ${remedy}`);
  }
  try {
    return restoreAuthority({ key, certificate }, { now });
  } catch (error) {
    throw new Error(
      `--cert-dir: ${certificatePath} and ${keyPath} cannot be used: ${error instanceof Error ? error.message : String(error)}; ${remedy}`,
      { cause: error },
    );
  }
}

const remedy = 'put it right, or remove both files to have new ones made';
