// Prints the model in the compact form that lib/core/schema/compact-form.ts reads.
import type { Model } from './model.js';
import { gvOf, localName } from './model.js';

/** One text per group-version, in the order of their names. */
export function schemaTexts(model: Model): ReadonlyMap<string, string> {
  const blocks = new Map<string, string[]>();
  const add = (id: string, text: string): void => {
    const gv = gvOf(id);
    blocks.set(gv, [...(blocks.get(gv) ?? []), text]);
  };
  for (const [id, values] of sorted(model.enums)) if (isUsed(id)) add(id, `enum ${localName(id)} ${values.join('|')}`);
  for (const [id, goType] of sorted(model.aliases))
    add(id, `alias ${localName(id)} string${goType === '' ? '' : ` ${goType}`}`);
  for (const [id, options] of sorted(model.unions)) add(id, `union ${localName(id)} ${options}`);
  for (const [id, struct] of sorted(model.structs)) {
    const lines = struct.fields.map(({ place, name, type, marks }) => [place, name, type, ...marks].join(' '));
    add(id, [`struct ${localName(id)}${struct.atomic ? ' atomic' : ''}`, ...lines].join('\n'));
  }
  return new Map([...blocks].sort(([a], [b]) => (a < b ? -1 : 1)).map(([gv, texts]) => [gv, texts.join('\n\n')]));

  function isUsed(id: string): boolean {
    const short = localName(id);
    for (const struct of model.structs.values()) {
      for (const { type } of struct.fields) {
        const name = type.replace(/[[\]{}<>]/g, '');
        if (name === id || (name === short && gvOf(struct.id) === gvOf(id))) return true;
      }
    }
    return false;
  }
}

export function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
