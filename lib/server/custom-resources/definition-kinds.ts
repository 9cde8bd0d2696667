// Keeps the kinds of a server in line with its CustomResourceDefinitions: each definition whose names are accepted adds
// its kinds, a changed specification replaces them, which ends their watches, and a deleted definition removes them.
// Nothing of a kind is compiled here. As apiextensions-apiserver/pkg/apiserver/customresource_handler.go.
import { customKinds, deepEqual, isDefinitionConditionTrue } from '../../core/index.js';
import type {
  CustomKindOptions,
  Frozen,
  GroupResource,
  KindOptions,
  MutableKinds,
  Scheme,
  WatcherEvent,
} from '../../core/index.js';
import type { CustomResourceDefinition } from '../../core/types/index.js';

type Definition = Frozen<CustomResourceDefinition>;

/** Registers the kinds of definitions. */
export class DefinitionKinds {
  readonly #kinds: MutableKinds;
  readonly #optionsOf: (definition: Definition) => CustomKindOptions;
  readonly #registered = new Map<string, RegisteredDefinition>();
  readonly #terminating = new Set<string>();

  constructor(kinds: MutableKinds, optionsOf: (definition: Definition) => CustomKindOptions) {
    this.#kinds = kinds;
    this.#optionsOf = optionsOf;
  }

  /** Applies an event of the definitions. */
  apply(event: WatcherEvent<Definition>): void {
    switch (event.type) {
      case 'listed':
      case 'applied':
        this.#changed(event.object);
        break;
      case 'deleted':
        this.#forget(event.object.metadata?.name ?? '');
        this.#terminating.delete(keyOf(event.object));
        break;
      default:
    }
  }

  /** Whether the definition of a resource is being deleted: no objects may be created. */
  isTerminating(resource: GroupResource): boolean {
    return this.#terminating.size > 0 && this.#terminating.has(`${resource.resource}.${resource.group}`);
  }

  /** Removes all kinds that were added. */
  clear(): void {
    for (const name of [...this.#registered.keys()]) this.#forget(name);
  }

  #changed(definition: Definition): void {
    const { metadata, spec, status } = definition;
    const name = metadata?.name ?? '';
    const key = keyOf(definition);
    if (isDefinitionConditionTrue(definition, 'Terminating')) this.#terminating.add(key);
    else this.#terminating.delete(key);
    if (
      !isDefinitionConditionTrue(definition, 'NamesAccepted') &&
      !isDefinitionConditionTrue(definition, 'Established')
    ) {
      this.#forget(name);
      return;
    }
    const known = this.#registered.get(name);
    const isSame =
      known?.uid === metadata?.uid &&
      deepEqual(known?.spec, spec) &&
      deepEqual(known?.acceptedNames, status?.acceptedNames);
    if (!isSame) this.#register(name, definition);
  }

  #register(name: string, definition: Definition): void {
    this.#forget(name);
    const kinds = customKinds(definition, this.#optionsOf(definition));
    // Kinds of Kubernetes and of the host take precedence.
    if (kinds.some((kind) => isTaken(this.#kinds.current, kind))) return;
    this.#kinds.add(...kinds);
    this.#registered.set(name, {
      uid: definition.metadata?.uid,
      spec: definition.spec,
      acceptedNames: definition.status?.acceptedNames,
      kinds,
    });
  }

  #forget(name: string): void {
    const known = this.#registered.get(name);
    if (known === undefined) return;
    this.#registered.delete(name);
    this.#kinds.remove(...known.kinds);
  }
}

interface RegisteredDefinition {
  readonly uid: string | undefined;
  readonly spec: Definition['spec'];
  readonly acceptedNames: NonNullable<Definition['status']>['acceptedNames'];
  readonly kinds: readonly KindOptions[];
}

function isTaken(scheme: Scheme, { group, version, kind, resource }: KindOptions): boolean {
  return (
    scheme.recognizes({ group, version, kind }) ||
    (resource !== undefined &&
      (scheme.recognizes({ group, version, kind: resource.listKind ?? `${kind}List` }) ||
        scheme.resource({ group, version, resource: resource.plural }) !== undefined))
  );
}

/** `resource.group`, which is also the name that a definition must have. */
function keyOf({ spec }: Definition): string {
  return `${spec.names.plural}.${spec.group}`;
}

/** The resource that a definition defines. */
export function resourceOf({ spec }: Definition): GroupResource {
  return { group: spec.group, resource: spec.names.plural };
}
