// Names of workloads become part of the names of their pods. As WarningsOnCreate of pkg/registry/apps/deployment and
// others.
import { isDns1123Label } from '../../objects/names.js';

/** What the author of a workload of that name should know. */
export function podNameWarnings(name = ''): readonly string[] {
  const wrong = isDns1123Label(name);
  if (wrong.length === 0) return [];
  const advice =
    'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended';
  return [`${advice}: [${wrong.join(' ')}]`];
}
