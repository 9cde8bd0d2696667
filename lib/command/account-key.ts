// The key that signs tokens of ServiceAccounts: that of a file, one kept in the folder of `--cert-dir`, or a new one.
import { generateKeyPairSync } from 'node:crypto';
import type { CommandEnvironment } from './environment.js';

/** Where the key may be. */
export interface AccountKeyPlaces {
  readonly file?: string | undefined;
  /** Looked for here, and kept here once it was made. */
  readonly folder?: string | undefined;
}

/** A private key in PEM. */
export async function accountKey(
  { file, folder }: AccountKeyPlaces,
  { readFile, findFile, writeFile }: CommandEnvironment,
): Promise<string> {
  if (file !== undefined) return readFile(file);
  if (folder === undefined) return newKey();
  const path = `${folder}/sa.key`;
  const kept = await findFile(path);
  if (kept !== undefined) return kept;
  const made = newKey();
  await writeFile(path, made);
  return made;
}

function newKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
}
