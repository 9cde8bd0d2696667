// The declarations of an environment, indexed for the parser and the checker. Extending one copies only what is added.
import type { CelType } from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import type { EnvironmentOptions } from '../environment.js';
import type { FunctionDeclaration, Overload } from '../library.js';
import type { MacroDeclaration } from '../macro.js';

/** What a name stands for. */
export type NameDeclaration =
  | { readonly kind: 'variable'; readonly name: string; readonly type: CelType }
  | { readonly kind: 'constant'; readonly type: CelType; readonly value: CelValue };

/** A function with the overloads of all libraries. */
export interface DeclaredFunction {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly validate: FunctionDeclaration['validate'];
}

/** Indexed declarations. */
export class Declarations {
  readonly #parent: Declarations | undefined;
  readonly #names = new Map<string, NameDeclaration>();
  readonly #functions = new Map<string, DeclaredFunction>();
  readonly #macros = new Map<string, MacroDeclaration>();
  readonly #types: EnvironmentOptions['types'];
  /** The container, '' for none. */
  readonly container: string;

  constructor(options: Partial<EnvironmentOptions>, parent?: Declarations) {
    this.#parent = parent;
    this.#types = options.types;
    this.container = options.container ?? parent?.container ?? '';
    for (const library of options.libraries ?? []) {
      for (const macro of library.macros ?? [])
        this.#macros.set(macroKey(macro.name, macro.isMember, macro.argumentCount), macro);
      for (const [name, constant] of Object.entries(library.constants ?? {}))
        this.#names.set(name, { kind: 'constant', ...constant });
      for (const declaration of library.functions ?? []) this.#addFunction(declaration);
    }
    for (const [name, type] of Object.entries(options.variables ?? {}))
      this.#names.set(name, { kind: 'variable', name, type });
  }

  /** Returns the variable or constant of a qualified name. */
  name(name: string): NameDeclaration | undefined {
    return this.#names.get(name) ?? this.#parent?.name(name);
  }

  /** Returns the function of a qualified name. */
  function(name: string): DeclaredFunction | undefined {
    return this.#functions.get(name) ?? this.#parent?.function(name);
  }

  /** Returns the macro of a call. */
  macro(name: string, isMember: boolean, argumentCount: number): MacroDeclaration | undefined {
    return (
      this.#macros.get(macroKey(name, isMember, argumentCount)) ?? this.#parent?.macro(name, isMember, argumentCount)
    );
  }

  /** Returns the object type of a name, for literals. */
  type(name: string): CelType | undefined {
    return this.#types?.(name) ?? this.#parent?.type(name);
  }

  /** Returns the names under which a name is looked up, the innermost container first. */
  candidates(name: string): readonly string[] {
    if (name.startsWith('.')) return [name.slice(1)];
    const found: string[] = [];
    for (let scope = this.container; scope !== ''; scope = scope.slice(0, Math.max(0, scope.lastIndexOf('.'))))
      found.push(`${scope}.${name}`);
    found.push(name);
    return found;
  }

  #addFunction(declaration: FunctionDeclaration): void {
    const { name, overloads } = declaration;
    const before = this.function(name);
    const ids = new Set(overloads.map(({ id }) => id));
    this.#functions.set(name, {
      name,
      overloads: [...(before?.overloads ?? []).filter(({ id }) => !ids.has(id)), ...overloads],
      validate: declaration.validate === undefined ? before?.validate : declaration.validate.bind(declaration),
    });
  }
}

function macroKey(name: string, isMember: boolean, argumentCount: number): string {
  return `${isMember ? '.' : ''}${name}/${argumentCount}`;
}
