// Which nodes a pod wants, compiled once and asked of every node: by labels and by name. Terms are ORed, the
// requirements of a term ANDed; a term without any matches nothing, and so does one that cannot be read.
// As component-helpers/scheduling/corev1/nodeaffinity and the plugin NodeAffinity.
import {
  fieldErrorText,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  isParseError,
  labelRequirement,
  matchesLabels,
  readable,
  selectorFromLabels,
  selectorOf,
} from '../../core/index.js';
import type {
  FieldError,
  FieldPath,
  Frozen,
  LabelOperator,
  LabelRequirement,
  Labels,
  Selector,
} from '../../core/index.js';
import type {
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  PreferredSchedulingTerm,
} from '../../core/types/index.js';

/** A term that can be asked of a node. */
export interface NodeTerm {
  /** What labels must be; undefined where the term says nothing of them. */
  readonly labels: Selector | undefined;
  /** What fields must be or not be. */
  readonly fields: readonly FieldTest[];
}

/** A field that must or must not have a value. Nodes have one, `metadata.name`; any other is empty. */
export interface FieldTest {
  readonly field: string;
  readonly value: string;
  readonly equal: boolean;
}

/** A term and what a node gets for matching it. */
export interface WeightedNodeTerm extends NodeTerm {
  readonly weight: number;
}

/** What a node must be. Absent parts demand nothing; an empty list of terms matches no node. */
export interface RequiredNodes {
  readonly labels: Selector | undefined;
  readonly terms: readonly NodeTerm[] | undefined;
  /** The only nodes that can match, where every term names some: empty if the terms contradict themselves. */
  readonly names: ReadonlySet<string> | undefined;
}

/** A compiled list of terms and what was wrong with those left out. */
export interface CompiledTerms<T> {
  readonly terms: readonly T[];
  readonly problems: readonly string[];
}

/** What a pod demands of nodes by nodeSelector and required affinity; undefined where it demands nothing. */
export function requiredNodes({ spec }: Frozen<Pod>): RequiredNodes | undefined {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const nodeSelector = spec?.nodeSelector;
  const hasSelector = nodeSelector !== undefined && Object.keys(nodeSelector).length > 0;
  if (required === undefined && !hasSelector) return undefined;
  const terms = required?.nodeSelectorTerms ?? [];
  return {
    labels: hasSelector ? readable(() => selectorFromLabels(nodeSelector)) : undefined,
    terms: required === undefined ? undefined : compileNodeTerms(terms).terms,
    names: namedNodes(terms),
  };
}

/** What a pod would rather have. */
export function preferredNodes({ spec }: Frozen<Pod>): CompiledTerms<WeightedNodeTerm> {
  const preferred = spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
  return preferred === undefined ? noTerms : compilePreferredTerms(preferred);
}

/** Compiles required terms; `path` is where messages find them. Those that match nothing are left out. */
export function compileNodeTerms(
  terms: readonly Frozen<NodeSelectorTerm>[],
  path: FieldPath = fieldPath('nodeSelectorTerms'),
): CompiledTerms<NodeTerm> {
  return compileEach(terms, (term, index) => (isEmptyTerm(term) ? [] : [compileTerm(term, path.index(index))]));
}

/** Compiles preferred terms; those without weight or requirements are left out. */
export function compilePreferredTerms(
  terms: readonly Frozen<PreferredSchedulingTerm>[],
  path: FieldPath = fieldPath('preferredDuringSchedulingIgnoredDuringExecution'),
): CompiledTerms<WeightedNodeTerm> {
  return compileEach(terms, ({ weight, preference }, index) => {
    if (weight === 0 || isEmptyTerm(preference)) return [];
    const { term, problems } = compileTerm(preference, path.index(index));
    return [{ term: { ...term, weight }, problems }];
  });
}

/** Whether a node is what a pod demands. */
export function matchesRequired(
  { labels: selector, terms }: RequiredNodes,
  labels: Labels | undefined,
  name: string,
): boolean {
  if (selector !== undefined && !matchesLabels(selector, labels)) return false;
  return terms === undefined || matchesAnyTerm(terms, labels, name);
}

/** Whether a node matches one of the terms. */
export function matchesAnyTerm(terms: readonly NodeTerm[], labels: Labels | undefined, name: string): boolean {
  for (const term of terms) if (matchesTerm(term, labels, name)) return true;
  return false;
}

/** The sum of the weights of the terms that a node matches. */
export function preferenceScore(terms: readonly WeightedNodeTerm[], labels: Labels | undefined, name: string): number {
  let score = 0;
  for (const term of terms) if (matchesTerm(term, labels, name)) score += term.weight;
  return score;
}

/** Whether a node matches a term. */
export function matchesTerm(term: NodeTerm, labels: Labels | undefined, name: string): boolean {
  if (term.labels !== undefined && !matchesLabels(term.labels, labels)) return false;
  for (const { field, value, equal } of term.fields)
    if (((field === nameField ? name : '') === value) !== equal) return false;
  return true;
}

const nameField = 'metadata.name';

/** The union over terms of the names that each allows; undefined as soon as one term allows any name. */
function namedNodes(terms: readonly Frozen<NodeSelectorTerm>[]): ReadonlySet<string> | undefined {
  if (terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const lists = matchFields
      .filter(({ key, operator }) => key === nameField && operator === 'In')
      .map(({ values = [] }) => values);
    const [first, ...others] = lists;
    if (first === undefined) return undefined;
    for (const name of first) if (others.every((other) => other.includes(name))) names.add(name);
  }
  return names;
}

function isEmptyTerm({ matchExpressions = [], matchFields = [] }: Frozen<NodeSelectorTerm>): boolean {
  return matchExpressions.length === 0 && matchFields.length === 0;
}

interface CompiledTerm<T> {
  readonly term: T;
  readonly problems: readonly string[];
}

function compileEach<S, T>(
  sources: readonly S[],
  compile: (source: S, index: number) => readonly CompiledTerm<T>[],
): CompiledTerms<T> {
  const compiled = sources.flatMap(compile);
  return {
    terms: compiled.filter(({ problems }) => problems.length === 0).map(({ term }) => term),
    problems: compiled.flatMap(({ problems }) => problems),
  };
}

function compileTerm(
  { matchExpressions = [], matchFields = [] }: Frozen<NodeSelectorTerm>,
  path: FieldPath,
): CompiledTerm<NodeTerm> {
  const problems: string[] = [];
  const labels = matchExpressions.flatMap((each, index) =>
    collected(problems, path.child('matchExpressions').index(index), (at) => compileLabels(each, at)),
  );
  const fields = matchFields.flatMap((each, index) =>
    collected(problems, path.child('matchFields').index(index), (at) => compileField(each, at)),
  );
  const [selector] = labels.length === 0 ? [] : collected(problems, path, () => selectorOf(labels));
  return { term: { labels: selector, fields }, problems };
}

/** What is made, or nothing and one more problem. */
function collected<T extends object>(
  problems: string[],
  path: FieldPath,
  make: (path: FieldPath) => T | FieldError,
): readonly T[] {
  try {
    const made = make(path);
    if (!isFieldError(made)) return [made];
    problems.push(fieldErrorText(made));
  } catch (error) {
    if (!isParseError(error)) throw error;
    // One problem begins with the field below this place; several stand in brackets.
    problems.push(`${path.toString()}${error.message.startsWith('[') ? ': ' : '.'}${error.message}`);
  }
  return [];
}

function isFieldError(made: object): made is FieldError {
  return 'reason' in made;
}

const labelOperators: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
  ['Gt', 'gt'],
  ['Lt', 'lt'],
]);

function compileLabels(
  { key, operator, values = [] }: Frozen<NodeSelectorRequirement>,
  path: FieldPath,
): LabelRequirement | FieldError {
  const known = labelOperators.get(operator);
  if (known === undefined) return fieldNotSupported(path.child('operator'), operator, [...labelOperators.keys()]);
  return labelRequirement(key, known, values);
}

function compileField(
  { key, operator, values = [] }: Frozen<NodeSelectorRequirement>,
  path: FieldPath,
): FieldTest | FieldError {
  if (operator !== 'In' && operator !== 'NotIn')
    return fieldNotSupported(path.child('operator'), operator, ['In', 'NotIn']);
  const [value] = values;
  if (value === undefined || values.length > 1)
    return fieldInvalid(path.child('values'), values.length === 0 ? null : values, 'must have one element');
  return { field: key, value, equal: operator === 'In' };
}

const noTerms: CompiledTerms<WeightedNodeTerm> = { terms: [], problems: [] };
