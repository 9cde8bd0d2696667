// Files that hold credentials: kubeconfigs, keys and what stands beside them. A file is written under a new name with
// O_EXCL and O_NOFOLLOW and then renamed, so that it has mode 0600 whatever was there, and so that another user who
// may write to the folder can neither redirect the text by a symbolic link nor keep an open handle on it.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
const ownerOnly = 0o600;

/**
 * Writes a file that only its owner may read. Missing folders are created with mode 0700. Rejects if the path is a
 * symbolic link or anything else than a regular file.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await checkReplaceable(path);
  const written = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    const file = await open(written, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, ownerOnly);
    try {
      await file.chmod(ownerOnly); // whatever the umask is
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(written, path);
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  }
}

/**
 * Reads a file of secrets; resolves to undefined if it does not exist. A mode that lets others read it is reduced to
 * 0600. Rejects if the path is a symbolic link.
 */
export async function findPrivateFile(path: string): Promise<string | undefined> {
  let file;
  try {
    file = await open(path, O_RDONLY | O_NOFOLLOW);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === 'ELOOP') throw isLink(path, error);
    throw error;
  }
  try {
    const { mode } = await file.stat();
    if ((mode & 0o077) !== 0) await file.chmod(ownerOnly);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Reads a file; resolves to undefined if it does not exist. */
export async function findFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Creates a folder with an unpredictable name that only this user may enter. */
export function createPrivateFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'vivarium-'));
}

/**
 * Replaces the text of a file by what `change` returns for it; leaves the file alone if that is undefined. Holds
 * `<path>.lock` meanwhile, as kubectl does with kubeconfigs. Rejects if another process holds it.
 */
export async function changePrivateFile(
  path: string,
  change: (text: string | undefined) => Promise<string | undefined>,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await checkReplaceable(path);
  const lock = `${path}.lock`;
  try {
    await (await open(lock, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, ownerOnly)).close();
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new Error(`${path} is being changed by another program; if none is, remove ${lock}`, { cause: error });
  }
  try {
    const changed = await change(await findPrivateFile(path));
    if (changed !== undefined) await writePrivateFile(path, changed);
  } finally {
    await rm(lock, { force: true });
  }
}

/** Rejects unless the path is free or names a regular file. */
async function checkReplaceable(path: string): Promise<void> {
  let found;
  try {
    found = await lstat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if (found.isSymbolicLink()) throw isLink(path);
  if (!found.isFile()) throw new Error(`${path} is not a regular file; credentials are not written to it`);
}

function isLink(path: string, cause?: unknown): Error {
  return new Error(`${path} is a symbolic link; credentials are not read or written through it`, { cause });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
