// Looks into a SQLite file from outside, as an operator would with the sqlite3 program: in a process of its own, which
// leaves no lock behind.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';

const program = `
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite') ?? require('@photostructure/sqlite');
  const database = new DatabaseSync(process.argv[1]);
  const rows = process.argv.slice(2).map((sql) => database.prepare(sql).all());
  console.log(JSON.stringify(rows.at(-1)));
`;

/** Runs statements on a file. Answers the rows of the last. */
export function sql(path: string, ...statements: string[]): unknown {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const root = join(import.meta.dirname, '..', '..');
  return JSON.parse(
    execFileSync(process.execPath, ['-e', program, path, ...statements], {
      cwd: root,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
}
