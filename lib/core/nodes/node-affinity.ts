// Node selection of a pod, compiled once and matched against every node by labels and name. Terms are ORed,
// requirements within a term ANDed. A term without requirements, or one that cannot be parsed, matches nothing. As
// component-helpers/scheduling/corev1/nodeaffinity and the plugin NodeAffinity.
import { fieldErrorText, fieldInvalid, fieldNotSupported } from '../errors/field-error.js';
import type { FieldError } from '../errors/field-error.js';
import { fieldPath } from '../errors/field-path.js';
import type { FieldPath } from '../errors/field-path.js';
import { labelRequirement } from '../objects/label-requirement.js';
import type { LabelOperator, LabelRequirement, Labels } from '../objects/label-requirement.js';
import { matchesLabels, selectorFromLabels, selectorOf } from '../objects/label-selector.js';
import type { Selector } from '../objects/label-selector.js';
import type { Frozen } from '../objects/meta.js';
import { isParseError } from '../objects/parse-error.js';
import { readable } from '../objects/structured-selector.js';
import type {
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  PreferredSchedulingTerm,
} from '../types/core-v1.generated.js';

/** A compiled node selector term. */
export interface NodeTerm {
  /** The label requirements; undefined if there are none. */
  readonly labels: Selector | undefined;
  /** The field requirements. */
  readonly fields: readonly FieldTest[];
}

/** A field requirement. The only known field is `metadata.name`; any other is empty. */
export interface FieldTest {
  readonly field: string;
  readonly value: string;
  readonly equal: boolean;
}

/** A preferred term and its weight. */
export interface WeightedNodeTerm extends NodeTerm {
  readonly weight: number;
}

/** The required node selection. Absent parts require nothing; an empty list of terms matches no node. */
export interface RequiredNodes {
  readonly labels: Selector | undefined;
  readonly terms: readonly NodeTerm[] | undefined;
  /** The only nodes that can match, if every term restricts the name; empty if the terms contradict each other. */
  readonly names: ReadonlySet<string> | undefined;
}

/** Compiled terms, and the errors of those left out. */
export interface CompiledTerms<T> {
  readonly terms: readonly T[];
  readonly problems: readonly string[];
}

/** Returns the nodeSelector and required affinity of a pod; undefined if it has neither. */
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

/** Returns the preferred terms of a pod. */
export function preferredNodes({ spec }: Frozen<Pod>): CompiledTerms<WeightedNodeTerm> {
  const preferred = spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
  return preferred === undefined ? noTerms : compilePreferredTerms(preferred);
}

/** Compiles required terms, without empty ones. `path` is their location in messages. */
export function compileNodeTerms(
  terms: readonly Frozen<NodeSelectorTerm>[],
  path: FieldPath = fieldPath('nodeSelectorTerms'),
): CompiledTerms<NodeTerm> {
  return compileEach(terms, (term, index) => (isEmptyTerm(term) ? [] : [compileTerm(term, path.index(index))]));
}

/** Compiles preferred terms, without those that have no weight or no requirements. */
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

/** Returns whether a node satisfies the required selection. */
export function matchesRequired(
  { labels: selector, terms }: RequiredNodes,
  labels: Labels | undefined,
  name: string,
): boolean {
  if (selector !== undefined && !matchesLabels(selector, labels)) return false;
  return terms === undefined || matchesAnyTerm(terms, labels, name);
}

/** Returns whether a node matches any of the terms. */
export function matchesAnyTerm(terms: readonly NodeTerm[], labels: Labels | undefined, name: string): boolean {
  for (const term of terms) if (matchesTerm(term, labels, name)) return true;
  return false;
}

/** Returns the sum of the weights of the terms that a node matches. */
export function preferenceScore(terms: readonly WeightedNodeTerm[], labels: Labels | undefined, name: string): number {
  let score = 0;
  for (const term of terms) if (matchesTerm(term, labels, name)) score += term.weight;
  return score;
}

/** Returns whether a node matches a term. */
export function matchesTerm(term: NodeTerm, labels: Labels | undefined, name: string): boolean {
  if (term.labels !== undefined && !matchesLabels(term.labels, labels)) return false;
  for (const { field, value, equal } of term.fields)
    if (((field === nameField ? name : '') === value) !== equal) return false;
  return true;
}

const nameField = 'metadata.name';

/** Returns the union over terms of the names that each allows; undefined if a term allows any name. */
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

/** Returns the compiled value, or nothing after adding the error to `problems`. */
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
    // A single error starts with a child field; several are in brackets.
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
