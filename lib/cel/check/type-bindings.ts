// Inference of types: type parameters are variables that are bound while arguments are compared with the parameters of
// declarations. Bindings form a forest (a parameter points to a type, perhaps another parameter); a trail of changes
// lets a failed overload be undone. dyn fits everything, and makes what it meets dyn.
import type { CelType, TypeParameter } from '../cel-type.js';
import { dynType, listType, mapType } from '../cel-type.js';

/** The bindings of the type parameters of one expression. */
export class TypeBindings {
  readonly #bound = new Map<string, CelType>();
  readonly #trail: { readonly name: string; readonly before: CelType | undefined }[] = [];
  #fresh = 0;

  /** Returns a new unbound type parameter. */
  fresh(): TypeParameter {
    return { kind: 'parameter', name: `%${this.#fresh++}` };
  }

  /** Returns the type with the parameters of a declaration replaced by new ones, the same for the same name. */
  instantiate(type: CelType, names: Map<string, TypeParameter>): CelType {
    switch (type.kind) {
      case 'parameter': {
        if (type.name.startsWith('%')) return type;
        let fresh = names.get(type.name);
        if (fresh === undefined) {
          fresh = this.fresh();
          names.set(type.name, fresh);
        }
        return fresh;
      }
      case 'list':
        return listType(this.instantiate(type.element, names));
      case 'map':
        return mapType(this.instantiate(type.key, names), this.instantiate(type.value, names));
      case 'opaque':
        return type.parameters.length === 0
          ? type
          : { ...type, parameters: type.parameters.map((parameter) => this.instantiate(parameter, names)) };
      case 'type':
        return { kind: 'type', of: this.instantiate(type.of, names) };
      default:
        return type;
    }
  }

  /** Returns what a parameter is bound to, or the type itself. */
  find(type: CelType): CelType {
    let found = type;
    while (found.kind === 'parameter') {
      const next = this.#bound.get(found.name);
      if (next === undefined) return found;
      found = next;
    }
    return found;
  }

  /** Returns a type without bound parameters; unbound ones become dyn where `isFinal`. */
  resolve(type: CelType, isFinal: boolean): CelType {
    const found = this.find(type);
    switch (found.kind) {
      case 'parameter':
        return isFinal ? dynType : found;
      case 'list':
        return listType(this.resolve(found.element, isFinal));
      case 'map':
        return mapType(this.resolve(found.key, isFinal), this.resolve(found.value, isFinal));
      case 'opaque':
        return found.parameters.length === 0
          ? found
          : { ...found, parameters: found.parameters.map((parameter) => this.resolve(parameter, isFinal)) };
      case 'type':
        return { kind: 'type', of: this.resolve(found.of, isFinal) };
      default:
        return found;
    }
  }

  /** Runs a comparison; undoes what it bound where it fails. */
  attempt(compare: () => boolean): boolean {
    const mark = this.#trail.length;
    if (compare()) return true;
    while (this.#trail.length > mark) {
      const change = this.#trail.pop();
      if (change?.before === undefined) this.#bound.delete(change?.name ?? '');
      else this.#bound.set(change.name, change.before);
    }
    return false;
  }

  /** Returns whether a value of type `from` may stand where `to` is expected. Binds parameters of both. */
  isAssignable(to: CelType, from: CelType): boolean {
    return this.attempt(() => this.#assign(to, from));
  }

  /** Returns the type of what is either: the more general one, or dyn. */
  join(one: CelType, other: CelType): CelType {
    if (this.isAssignable(one, other)) return this.#moreGeneral(one, other);
    return this.isAssignable(other, one) ? other : dynType;
  }

  #assign(to: CelType, from: CelType): boolean {
    const expected = this.find(to);
    const given = this.find(from);
    if (expected === given) return true;
    if (to.kind === 'parameter') return this.#assignParameter(to, expected, given);
    if (from.kind === 'parameter') return this.#assignParameter(from, given, expected);
    return this.#assignStructure(expected, given);
  }

  #assignParameter(parameter: TypeParameter, bound: CelType, given: CelType): boolean {
    const root = this.#root(parameter);
    if (bound.kind === 'parameter') {
      if (this.#occurs(root, given)) return false;
      this.#bind(root, given);
      return true;
    }
    if (given.kind === 'parameter') {
      if (this.#occurs(this.#root(given), bound)) return false;
      this.#bind(this.#root(given), bound);
      return true;
    }
    if (!this.#assignStructure(bound, given) && !this.#assignStructure(given, bound)) return false;
    const general = this.#moreGeneral(bound, given);
    if (general !== bound) this.#bind(root, general);
    return true;
  }

  #root(parameter: TypeParameter): string {
    let name = parameter.name;
    for (;;) {
      const next = this.#bound.get(name);
      if (next?.kind !== 'parameter') return name;
      name = next.name;
    }
  }

  #bind(name: string, type: CelType): void {
    this.#trail.push({ name, before: this.#bound.get(name) });
    this.#bound.set(name, type);
  }

  #assignStructure(to: CelType, from: CelType): boolean {
    if (isOpen(to) || isOpen(from)) return true;
    if (from.kind === 'null_type') return to.kind === 'null_type' || isNullable(to);
    if (to.kind !== from.kind) return false;
    switch (to.kind) {
      case 'list':
        return from.kind === 'list' && this.#assign(to.element, from.element);
      case 'map':
        return from.kind === 'map' && this.#assign(to.key, from.key) && this.#assign(to.value, from.value);
      case 'object':
        return from.kind === 'object' && to.name === from.name;
      case 'opaque':
        return (
          from.kind === 'opaque' &&
          to.name === from.name &&
          to.parameters.length === from.parameters.length &&
          to.parameters.every((parameter, i) => this.#assign(parameter, from.parameters[i] ?? dynType))
        );
      default:
        return true;
    }
  }

  /** Returns the one that says less: dyn before others, a nullable type before null. */
  #moreGeneral(one: CelType, other: CelType): CelType {
    const [a, b] = [this.find(one), this.find(other)];
    if (a.kind === 'parameter') return b;
    if (b.kind === 'parameter' || a === b) return a;
    if (a.kind === 'error' || b.kind === 'error') return a.kind === 'error' ? b : a;
    if (a.kind === 'dyn' || b.kind === 'null_type') return a;
    if (b.kind === 'dyn' || a.kind === 'null_type') return b;
    if (a.kind === 'list' && b.kind === 'list') {
      const element = this.#moreGeneral(a.element, b.element);
      return element === this.find(a.element) ? a : listType(element);
    }
    if (a.kind === 'map' && b.kind === 'map')
      return mapType(this.#moreGeneral(a.key, b.key), this.#moreGeneral(a.value, b.value));
    if (a.kind === 'opaque' && b.kind === 'opaque' && a.parameters.length > 0)
      return { ...a, parameters: a.parameters.map((p, i) => this.#moreGeneral(p, b.parameters[i] ?? p)) };
    return a;
  }

  #occurs(name: string, type: CelType): boolean {
    const found = this.find(type);
    switch (found.kind) {
      case 'parameter':
        return found.name === name;
      case 'list':
        return this.#occurs(name, found.element);
      case 'map':
        return this.#occurs(name, found.key) || this.#occurs(name, found.value);
      case 'opaque':
        return found.parameters.some((parameter) => this.#occurs(name, parameter));
      default:
        return false;
    }
  }
}

function isOpen({ kind }: CelType): boolean {
  return kind === 'dyn' || kind === 'error';
}

function isNullable({ kind }: CelType): boolean {
  return kind === 'object' || kind === 'timestamp' || kind === 'duration' || kind === 'opaque';
}
