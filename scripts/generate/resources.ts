// Prints the table of resources: a line `@group/version types` per group-version in discovery order, then one line per
// resource and subresource. lib/core/scheme/builtin.ts reads it.
import type { Model } from './model.js';
import { gvOf } from './model.js';

const standard = 'create,delete,deletecollection,get,list,patch,update,watch';

export function resourceText(model: Model): string {
  const lines: string[] = [];
  let current = '';
  for (const fact of model.resources) {
    const apiVersion = fact.group === '' ? fact.version : `${fact.group}/${fact.version}`;
    if (apiVersion !== current) lines.push(`@${apiVersion} ${typesOf(model, fact.group, fact.version)}`);
    current = apiVersion;
    const verbs = fact.verbs.join(',');
    const elsewhere =
      (fact.responseVersion ?? '') === ''
        ? fact.kind
        : `${fact.responseGroup ?? ''}/${fact.responseVersion ?? ''}.${fact.kind}`;
    const parts = [
      fact.resource,
      elsewhere,
      fact.namespaced ? 'N' : 'C',
      verbs === standard ? 'std' : verbs,
      listed(fact.short),
      listed(fact.categories),
    ];
    lines.push(parts.join(' '));
  }
  return lines.join('\n');
}

/** The group-version of the Go package, which names the types: `core/v1` for the legacy group. */
function typesOf(model: Model, group: string, version: string): string {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  for (const struct of model.structs.values()) if (struct.gvk?.apiVersion === apiVersion) return gvOf(struct.id);
  throw new Error(`no type of ${apiVersion} is known`);
}

function listed(names: readonly string[] = []): string {
  return names.length === 0 ? '-' : names.join(',');
}
