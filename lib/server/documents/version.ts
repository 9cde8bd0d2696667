// `/version`: which Kubernetes this behaves like. Clients compare the numbers with their own.
import type { RawResponse } from '../../client/index.js';

/** The release whose behaviour is followed; what comes after the plus says who does. */
export const gitVersion = 'v1.36.4+vivarium';

/** The version document. */
export function version(): RawResponse {
  const document = {
    major: '1',
    minor: '36',
    emulationMajor: '1',
    emulationMinor: '36',
    minCompatibilityMajor: '1',
    minCompatibilityMinor: '35',
    gitVersion,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: 'none',
    compiler: 'none',
    platform: 'javascript/any',
  };
  return { type: 'raw', code: 200, contentType: 'application/json', content: JSON.stringify(document, undefined, 2) };
}
