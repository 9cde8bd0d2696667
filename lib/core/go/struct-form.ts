// How Kubernetes prints whole structures that it refuses. Inside the API server objects have no JSON names, so errors
// show every field of the structure, in order, under its Go name, absent ones included. Only for the value of a field
// error.
//
// A form is a line of text: `name! count# adminAccess devices:Claim! selectors:Selector cel=CEL:Expression`. A field is
// its JSON name, `=Go` where the Go name is more than the same with a capital, `:Form` where the value (or every item
// of a list, or value of a map) is a structure too, and a mark for what an absent one prints: `!` an empty text or
// structure,
// `#` zero, `?` false, otherwise null.
import { isJsonObject, setOwn } from '../objects/json.js';

/** Prints a value by a named form. */
export type GoPrinter = (form: string, value: unknown) => unknown;

/** Reads forms, by name. */
export function goForms(texts: Readonly<Record<string, string>>): GoPrinter {
  const forms = new Map(Object.entries(texts).map(([name, text]) => [name, text.split(' ').map(readField)]));

  const print: GoPrinter = (form, value) => {
    const fields = forms.get(form);
    if (fields === undefined) throw new Error(`there is no form ${form}`);
    if (value === undefined || value === null) return null;
    if (Array.isArray(value)) return value.map((item) => print(form, item));
    if (!isJsonObject(value)) return value;
    const members = value;
    return Object.fromEntries(fields.map((field) => [field.go, printField(field, members[field.json])]));
  };

  const printField = ({ form, keyed, absent }: GoField, value: unknown): unknown => {
    if (value === undefined) return absent === 'empty' ? print(form ?? '', {}) : absent;
    if (form === undefined) return sorted(value);
    return keyed && isJsonObject(value) ? mapped(value, (item) => print(form, item)) : print(form, value);
  };

  return print;
}

interface GoField {
  readonly json: string;
  readonly go: string;
  readonly form: string | undefined;
  /** The structures are values of a map. */
  readonly keyed: boolean;
  readonly absent: '' | 0 | false | null | 'empty';
}

function readField(text: string): GoField {
  const mark = /[!#?]$/.exec(text)?.[0] ?? '';
  const [names = '', form] = text.slice(0, text.length - mark.length).split(':', 2);
  const [json = '', go = `${json.slice(0, 1).toUpperCase()}${json.slice(1)}`] = names.split('=', 2);
  const keyed = form?.startsWith('{') === true;
  const empty = form === undefined ? '' : 'empty';
  const absent = mark === '!' ? empty : mark === '#' ? 0 : mark === '?' ? false : null;
  return { json, go, form: keyed ? form.slice(1, -1) : form, keyed, absent };
}

/** JSON as Go prints what it read: maps in the order of their keys, all the way down. */
export function sortedJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedJson);
  return isJsonObject(value) ? mapped(value, sortedJson) : value;
}

/** Maps print in the order of their keys. What a user embedded as JSON was kept as text and is not reordered. */
function sorted(value: unknown): unknown {
  return isJsonObject(value) && Object.values(value).every((item) => typeof item === 'string')
    ? mapped(value, (item) => item)
    : value;
}

function mapped(map: Readonly<Record<string, unknown>>, print: (item: unknown) => unknown): unknown {
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(map).sort()) setOwn(out, key, print(map[key]));
  return out;
}
