// Checks the options of public constructors, for callers without a type checker: an unknown name, a missing option or a
// value of the wrong type is reported at once and by name, instead of by a failure somewhere below.

/** The type of an option. */
export type OptionType = 'array' | 'boolean' | 'function' | 'number' | 'object' | 'string';

/** The options of a constructor: the types that each accepts, and whether it must be present. */
export type OptionTable<Name extends string = string> = Readonly<Record<Name, OptionRule>>;

/** What an option accepts. */
export interface OptionRule {
  readonly types: readonly OptionType[];
  /** Methods that an object must have. */
  readonly methods?: readonly string[];
  readonly required?: true;
}

/** Throws TypeError for the first option that the table does not allow. Undefined counts as absent. */
export function checkOptions(constructorName: string, options: unknown, table: OptionTable): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${constructorName}: the options are an object, not ${typeOf(options)}`);
  for (const name of Object.keys(options))
    if (!Object.hasOwn(table, name))
      throw new TypeError(
        `${constructorName}: there is no option ${name}; options are ${Object.keys(table).join(', ')}`,
      );
  for (const [name, { types, required, methods = [] }] of Object.entries(table)) {
    const value: unknown = Reflect.get(options, name);
    if (value === undefined) {
      if (required === true) throw new TypeError(`${constructorName}: the option ${name} is required`);
      continue;
    }
    if (!types.some((type) => type === typeOf(value)))
      throw new TypeError(
        `${constructorName}: the option ${name} is of type ${types.join(' or ')}, not ${typeOf(value)}`,
      );
    for (const method of methods)
      if (typeof value === 'object' && value !== null && typeof Reflect.get(value, method) !== 'function')
        throw new TypeError(`${constructorName}: the option ${name} has no method ${method}()`);
  }
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
