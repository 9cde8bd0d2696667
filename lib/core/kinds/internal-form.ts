// How errors print parts of a pod template that they refuse. Inside the API server objects have no JSON names, so such
// a value shows every field under its Go name, absent ones included. Only for the value given to a field error.
// As encoding/json prints the types of pkg/apis/core/types.go (internal-form-table.ts).
import { isJsonObject, setOwn } from '../objects/json.js';
import { internalStructures } from './internal-form-table.js';
import { printedMap, printedSelector } from './printed-values.js';

type Part = Readonly<Record<string, unknown>>;
type Structures = ReadonlyMap<string, readonly string[]>;

/** A structure in the form of its internal type: `internalForm('PodTemplateSpec', template)`. */
export function internalForm(structure: string, value: object): unknown {
  const lines = internalStructures
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  const structures: Structures = new Map(lines.map(([name = '', ...fields]) => [name, fields]));
  return printStructure(structure, { ...value }, structures);
}

function printStructure(name: string, part: Part, structures: Structures): unknown {
  const value = name === 'PodSpec' ? withInternalPlaces(part) : part;
  const printed: Record<string, unknown> = {};
  for (const field of structures.get(name) ?? []) {
    const [goName = '', shape = '', jsonName = `${goName.charAt(0).toLowerCase()}${goName.slice(1)}`] =
      field.split(':');
    if (shape === '@')
      for (const [key, given] of Object.entries(printMetadata(value.metadata))) setOwn(printed, key, given);
    else setOwn(printed, goName, printField(shape, value[jsonName], structures));
  }
  return printed;
}

/** What a pod shares with its host is part of the security context inside; the name of the account has one place. */
function withInternalPlaces(spec: Part): Part {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers, serviceAccount } = spec;
  const securityContext = {
    ...asPart(spec.securityContext),
    hostNetwork,
    hostPID,
    hostIPC,
    shareProcessNamespace,
    hostUsers,
  };
  return { ...spec, securityContext, serviceAccountName: spec.serviceAccountName ?? serviceAccount };
}

function printField(shape: string, value: unknown, structures: Structures): unknown {
  switch (shape) {
    case 's':
      return value ?? '';
    case 'n':
      return value ?? 0;
    case 'b':
      return value ?? false;
    case 'q':
      return value ?? '0';
    case '?':
      return value ?? null;
    case 'm':
      return printedMap(asTexts(value));
    case 'l':
      return value === undefined ? null : printedSelector(asPart(value));
    default:
      return printNested(shape, value, structures);
  }
}

function printNested(shape: string, value: unknown, structures: Structures): unknown {
  if (shape.startsWith('['))
    return Array.isArray(value) ? value.map((item) => printStructure(shape.slice(1), asPart(item), structures)) : null;
  if (shape.startsWith('*'))
    return value === undefined ? null : printStructure(shape.slice(1), asPart(value), structures);
  return printStructure(shape, asPart(value), structures);
}

/** Metadata has its JSON names inside as well, and is printed among the fields of the template. */
function printMetadata(metadata: unknown): Part {
  const { labels, annotations, ...rest } = asPart(metadata);
  return {
    ...rest,
    ...(labels !== undefined && { labels: printedMap(asTexts(labels)) }),
    ...(annotations !== undefined && { annotations: printedMap(asTexts(annotations)) }),
  };
}

function asPart(value: unknown): Part {
  return isJsonObject(value) ? value : {};
}

function asTexts(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, typeof text === 'string' ? text : '']));
}
