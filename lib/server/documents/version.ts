// `/version`: the Kubernetes release that the server behaves like. Clients compare it with their own.
import type { RawResponse } from '../../core/index.js';

/** The release whose behaviour is implemented; the build metadata after the plus names the implementation. */
export const gitVersion = 'v1.36.4+vivarium';

/** Responds with the version document. */
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
