// Formats of texts by name: `format.dns1123Label().validate(text)` returns the problems, or nothing.
import {
  formatRule,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  parseGoRequestUri,
} from '../../core/index.js';
import { listType, opaqueType, optionalType, stringType } from '../cel-type.js';
import type { OpaqueType } from '../cel-type.js';
import { OpaqueValue, OptionalValue, TypeValue } from '../cel-value.js';
import type { CelValue } from '../cel-value.js';
import type { FunctionDeclaration, Library } from '../library.js';
import { costSize } from '../standard/costs.js';
import { multiplyRanges } from '../cost/shape.js';
import { exactly, sizeEstimate, traversalEstimate, traversalFactor } from './costs.js';
import { declareFunction, globalOverload, memberOverload } from './overloads.js';

/** The type of formats. */
const formatType: OpaqueType = opaqueType('kubernetes.NamedFormat');

interface Format {
  readonly name: string;
  /** The cost of checking ten characters, that of the longest pattern that the format uses. */
  readonly patternCost: number;
  readonly problems: (text: string) => readonly string[];
}

/** A format. */
class FormatValue extends OpaqueValue {
  readonly type: OpaqueType = formatType;
  readonly format: Format;

  constructor(format: Format) {
    super();
    this.format = format;
  }

  equals(other: CelValue): boolean {
    return other instanceof FormatValue && other.format.name === this.format.name;
  }
}

const formats: readonly Format[] = [
  { name: 'dns1123Label', patternCost: 8, problems: isDns1123Label },
  { name: 'dns1123Subdomain', patternCost: 15, problems: isDns1123Subdomain },
  { name: 'dns1035Label', patternCost: 8, problems: isDns1035Label },
  { name: 'qualifiedName', patternCost: 15, problems: isQualifiedName },
  { name: 'dns1123LabelPrefix', patternCost: 8, problems: (text) => nameIsDnsLabel(text, true) },
  { name: 'dns1123SubdomainPrefix', patternCost: 15, problems: (text) => nameIsDnsSubdomain(text, true) },
  { name: 'dns1035LabelPrefix', patternCost: 8, problems: (text) => nameIsDns1035Label(text, true) },
  { name: 'labelValue', patternCost: 10, problems: isLabelValue },
  { name: 'uri', patternCost: 276, problems: uriProblems },
  { name: 'uuid', patternCost: 18, problems: rule('uuid', 'does not match the UUID format') },
  { name: 'byte', patternCost: 21, problems: rule('byte', 'invalid base64') },
  { name: 'date', patternCost: 18, problems: rule('date', 'invalid date') },
  { name: 'datetime', patternCost: 18, problems: rule('datetime', 'invalid datetime') },
];

const values: ReadonlyMap<string, FormatValue> = new Map(
  formats.map((format) => [format.name, new FormatValue(format)]),
);

const functions: readonly FunctionDeclaration[] = [
  declareFunction(
    'format.named',
    globalOverload(
      'format-named',
      [stringType],
      optionalType(formatType),
      (name) => new OptionalValue(values.get(name as string)),
    ),
  ),
  ...[...values].map(([name, value]) =>
    declareFunction(
      `format.${name}`,
      globalOverload(`format.${name}`, [], formatType, () => value),
    ),
  ),
  declareFunction(
    'validate',
    memberOverload('format-validate', [formatType, stringType], optionalType(listType(stringType)), validate, {
      cost: ([value, text]) =>
        Math.ceil((1 + costSize(text)) * traversalFactor) *
        (value instanceof FormatValue ? value.format.patternCost : 1),
      estimate: ([, text]) => ({
        cost: multiplyRanges(traversalEstimate(sizeEstimate(text)), exactly(unknownPatternCost)),
      }),
    }),
  ),
];

/** Which format it will be is not known before evaluation. */
const unknownPatternCost = 32;

/** The functions of formats. */
export const formatsLibrary: Library = {
  name: 'format',
  functions,
  constants: { [formatType.name]: { type: { kind: 'type', of: formatType }, value: new TypeValue(formatType) } },
};

function validate(value: CelValue | undefined, text: CelValue | undefined): OptionalValue {
  const problems = (value as FormatValue).format.problems(text as string);
  return new OptionalValue(problems.length === 0 ? undefined : problems);
}

function uriProblems(text: string): readonly string[] {
  const parsed = parseGoRequestUri(text);
  return 'error' in parsed ? [parsed.error] : [];
}

function rule(name: string, problem: string): (text: string) => readonly string[] {
  return (text) => (formatRule(name)?.(text) === true ? [] : [problem]);
}
