// The checked tree: every node has a type, names are resolved to variables, calls to their possible overloads. It is
// what evaluation is compiled from and costs are estimated of.
import type { CelType, FieldDeclaration } from '../cel-type.js';
import type { CelValue } from '../cel-value.js';
import type { Fold } from '../expression.js';
import type { Overload } from '../library.js';

interface Node {
  readonly at: number;
  /** Final after the whole expression is checked. */
  type: CelType;
}

/** A node of the checked tree. */
export type Checked =
  | ConstantNode
  | VariableNode
  | LocalNode
  | SelectNode
  | CallNode
  | LogicalNode
  | ConditionalNode
  | ListNode
  | MapNode
  | StructNode
  | ComprehensionNode
  | BindNode
  | OptionalMapNode;

/** A literal, or the name of a constant of a library. */
export interface ConstantNode extends Node {
  readonly kind: 'constant';
  readonly value: CelValue;
  /** Whether it is a name: the estimate counts it as one. */
  readonly isName: boolean;
}

/** A variable of the environment. */
export interface VariableNode extends Node {
  readonly kind: 'variable';
  readonly name: string;
}

/** A variable of a comprehension or a binding, by its place in the frame. */
export interface LocalNode extends Node {
  readonly kind: 'local';
  readonly name: string;
  readonly slot: number;
  /** Whether it is of a binding, which computes its value when it is read first. */
  readonly isLazy: boolean;
}

/** A selection of a field, a test of one, or an optional selection. */
export interface SelectNode extends Node {
  readonly kind: 'select';
  readonly operand: Checked;
  readonly field: string;
  readonly mode: 'value' | 'test' | 'optional';
  readonly declaration: FieldDeclaration | undefined;
}

/** A call with the overloads that fit the types of its arguments. The target is the first of the values. */
export interface CallNode extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly isMember: boolean;
  readonly overloads: readonly Overload[];
  readonly values: readonly Checked[];
}

/** `&&` or `||`. */
export interface LogicalNode extends Node {
  readonly kind: 'logical';
  readonly operator: '_&&_' | '_||_';
  readonly operands: readonly Checked[];
}

/** `?:`. */
export interface ConditionalNode extends Node {
  readonly kind: 'conditional';
  readonly condition: Checked;
  readonly yes: Checked;
  readonly no: Checked;
}

/** A list literal. */
export interface ListNode extends Node {
  readonly kind: 'list';
  readonly elements: readonly { readonly value: Checked; readonly isOptional: boolean }[];
}

/** A map literal. */
export interface MapNode extends Node {
  readonly kind: 'map';
  readonly entries: readonly { readonly key: Checked; readonly value: Checked; readonly isOptional: boolean }[];
}

/** A struct literal. */
export interface StructNode extends Node {
  readonly kind: 'struct';
  readonly fields: readonly { readonly property: string; readonly value: Checked; readonly isOptional: boolean }[];
}

/** A loop. The slots hold the variables. */
export interface ComprehensionNode extends Node {
  readonly kind: 'comprehension';
  readonly fold: Fold;
  readonly range: Checked;
  readonly slots: readonly [number] | readonly [number, number];
  readonly filter: Checked | undefined;
  readonly body: Checked;
}

/** A named value. */
export interface BindNode extends Node {
  readonly kind: 'bind';
  readonly slot: number;
  readonly value: Checked;
  readonly body: Checked;
}

/** optMap or optFlatMap. */
export interface OptionalMapNode extends Node {
  readonly kind: 'optionalMap';
  readonly target: Checked;
  readonly slot: number;
  readonly body: Checked;
  readonly isFlat: boolean;
}

/** Returns whether a selection of fields of a variable occurs below a node: `a.b.c` for `a`, `['b', 'c']`. */
export function selectsField(node: Checked, variable: string, path: readonly string[]): boolean {
  return isSelection(node, variable, path) || childrenOf(node).some((child) => selectsField(child, variable, path));
}

function isSelection(node: Checked, variable: string, path: readonly string[]): boolean {
  const field = path.at(-1);
  if (field === undefined) return node.kind === 'variable' && node.name === variable;
  return node.kind === 'select' && node.field === field && isSelection(node.operand, variable, path.slice(0, -1));
}

function childrenOf(node: Checked): readonly Checked[] {
  switch (node.kind) {
    case 'constant':
    case 'variable':
    case 'local':
      return [];
    case 'select':
      return [node.operand];
    case 'call':
      return node.values;
    case 'logical':
      return node.operands;
    case 'conditional':
      return [node.condition, node.yes, node.no];
    case 'list':
      return node.elements.map(({ value }) => value);
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return node.fields.map(({ value }) => value);
    case 'comprehension':
      return [node.range, ...(node.filter === undefined ? [] : [node.filter]), node.body];
    case 'bind':
      return [node.value, node.body];
    case 'optionalMap':
      return [node.target, node.body];
  }
}
