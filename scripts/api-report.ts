// Writes the reports of the public surface, api/*.txt: `npm run api-report`. With `--check` it writes nothing, lists
// the reports that are not current and exits with 1 if there are any.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { apiReport, publicNames, reportFile, reportedEntries } from '../test/support/api-report.js';

const check = process.argv.includes('--check');
const read = (file: string): string => readFileSync(file, 'utf8');
const reports = new Map(
  [...reportedEntries(read)].map(([subpath, file]) => [
    reportFile(subpath),
    apiReport(subpath, publicNames(file, read)),
  ]),
);
const present = existsSync('api') ? readdirSync('api').map((name) => `api/${name}`) : [];
const outdated = [
  ...[...reports].filter(([file, text]) => !present.includes(file) || read(file) !== text).map(([file]) => file),
  ...present.filter((file) => !reports.has(file)),
];

if (check) {
  for (const file of outdated) console.error(`${file} is not current: run npm run api-report`);
  process.exitCode = outdated.length > 0 ? 1 : 0;
} else {
  mkdirSync('api', { recursive: true });
  for (const file of outdated) {
    const text = reports.get(file);
    if (text === undefined) rmSync(file);
    else writeFileSync(file, text);
    console.log(file);
  }
}
