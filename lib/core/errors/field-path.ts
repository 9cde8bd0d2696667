// Where in an object a validation error lies: `spec.containers[0].name`, `data[key]`.
//
// A path is an immutable linked list from the field to its root, so walking down an object costs one small
// allocation a step and the string is built only for the field that is wrong. Printed as
// apimachinery/pkg/util/validation/field/path.go, Path.String. Any validation may use it.

/** A place in an object. Made by `fieldPath`, extended by its methods, printed by `toString`. */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  readonly #step: string | number;
  readonly #subscript: boolean;

  private constructor(parent: FieldPath | undefined, step: string | number, subscript: boolean) {
    this.#parent = parent;
    this.#step = step;
    this.#subscript = subscript;
  }

  /** No place at all: prints as `<nil>`, and its children print as if they were roots. */
  static readonly nil: FieldPath = new FieldPath(undefined, '', false);

  /** The field `name` of this object. */
  child(name: string): FieldPath {
    // Kubernetes cannot tell a field without a name from a subscript, and neither do its clients.
    return new FieldPath(this, name, name === '');
  }

  /** The element at `index` of this list. */
  index(index: number): FieldPath {
    return new FieldPath(this, index, true);
  }

  /** The value under `key` of this map. */
  key(key: string): FieldPath {
    return new FieldPath(this, key, true);
  }

  /** The path as Kubernetes prints it. */
  toString(): string {
    return FieldPath.#print(this);
  }

  static #print(path: FieldPath): string {
    if (path.#parent === undefined) return '<nil>';
    const steps: string[] = [];
    for (let at = path, parent = at.#parent; parent !== undefined; at = parent, parent = at.#parent) {
      if (at.#subscript) steps.push(`[${at.#step}]`);
      else steps.push(parent.#parent === undefined ? String(at.#step) : `.${at.#step}`);
    }
    return steps.reverse().join('');
  }
}

/** The path `first.second…` from the root of an object. */
export function fieldPath(...names: readonly string[]): FieldPath {
  return names.reduce((path, name) => path.child(name), FieldPath.nil);
}
