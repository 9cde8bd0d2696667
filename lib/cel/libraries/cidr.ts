// Networks as values: `cidr(text)`, what it contains and its parts.
import { cidrContains, parseCidr, printIp, printNetwork, quote } from '../../core/index.js';
import type { Cidr } from '../../core/index.js';
import { boolType, intType, opaqueType, stringType } from '../cel-type.js';
import type { OpaqueType } from '../cel-type.js';
import { OpaqueValue, TypeValue } from '../cel-value.js';
import type { CelValue } from '../cel-value.js';
import { EvaluationError } from '../library.js';
import type { CallEstimate, FunctionDeclaration, Library, ValueEstimate } from '../library.js';
import { addRanges } from '../cost/shape.js';
import { readsFirst, sizeEstimate, traversalCost, traversalEstimate } from './costs.js';
import { IpValue, ipType, parseIpValue } from './ip.js';
import { parsePrefix } from './ip-parsing.js';
import { declareFunction, globalOverload, memberOverload } from './overloads.js';

/** The type of networks. */
const cidrType: OpaqueType = opaqueType('net.CIDR');

/** A network, with the address as it was written. */
class CidrValue extends OpaqueValue {
  readonly type: OpaqueType = cidrType;
  readonly cidr: Cidr;

  constructor(cidr: Cidr) {
    super();
    this.cidr = cidr;
  }

  get text(): string {
    return `${printIp(this.cidr.address)}/${this.cidr.prefixLength}`;
  }

  equals(other: CelValue): boolean {
    return other instanceof CidrValue && other.text === this.text;
  }
}

const reads = { cost: ([text]: readonly CelValue[]) => traversalCost(text), estimate: readsFirst };

const functions: readonly FunctionDeclaration[] = [
  declareFunction(
    'cidr',
    globalOverload('string_to_cidr', [stringType], cidrType, (text) => parse(text as string), reads),
  ),
  declareFunction(
    'isCIDR',
    globalOverload('is_cidr', [stringType], boolType, (text) => isCidr(text as string), reads),
  ),
  declareFunction(
    'string',
    globalOverload('cidr_to_string', [cidrType], stringType, (value) => (value as CidrValue).text),
  ),
  declareFunction(
    'containsIP',
    memberOverload(
      'cidr_contains_ip_string',
      [cidrType, stringType],
      boolType,
      (network, text) => containsIp(network, addressOf(text as string)),
      { cost: ([network, text]) => traversalCost(text) + bitsCost(network, 0.25), estimate: estimateContainsIp },
    ),
    memberOverload('cidr_contains_ip_ip', [cidrType, ipType], boolType, containsIp, {
      cost: ([network]) => bitsCost(network, 0.25),
      estimate: estimateContainsIp,
    }),
  ),
  declareFunction(
    'containsCIDR',
    memberOverload(
      'cidr_contains_cidr_string',
      [cidrType, stringType],
      boolType,
      (network, text) => containsCidr(network, parse(text as string)),
      { cost: ([network, text]) => traversalCost(text) + containsCidrCost(network), estimate: estimateContainsCidr },
    ),
    memberOverload('cidr_contains_cidr', [cidrType, cidrType], boolType, containsCidr, {
      cost: ([network]) => containsCidrCost(network),
      estimate: estimateContainsCidr,
    }),
  ),
  declareFunction(
    'ip',
    memberOverload('cidr_ip', [cidrType], ipType, (network) => new IpValue((network as CidrValue).cidr.address)),
  ),
  declareFunction('masked', memberOverload('cidr_masked', [cidrType], cidrType, masked)),
  declareFunction(
    'prefixLength',
    memberOverload('cidr_prefix_length', [cidrType], intType, (network) => (network as CidrValue).cidr.prefixLength),
  ),
];

/** The functions of networks. */
export const cidrLibrary: Library = {
  name: 'kubernetes.net.cidr',
  functions,
  constants: { [cidrType.name]: { type: { kind: 'type', of: cidrType }, value: new TypeValue(cidrType) } },
};

const refused = 'network address parse error during conversion from string: ';

function parse(text: string): CidrValue {
  const parsed = parsePrefix(text);
  if ('error' in parsed) throw new EvaluationError(`${refused}${refused}${parsed.error}`);
  if (parsed.cidr.address.mapped)
    throw new EvaluationError(`${refused}IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  return new CidrValue(parsed.cidr);
}

function isCidr(text: string): boolean {
  const parsed = parsePrefix(text);
  return 'cidr' in parsed && !parsed.cidr.address.mapped;
}

/** An address that cannot be read has no overload, as in Kubernetes. */
function addressOf(text: string): IpValue {
  try {
    return parseIpValue(text);
  } catch (error) {
    if (error instanceof EvaluationError) throw new EvaluationError('no such overload');
    throw error;
  }
}

function containsIp(network: CelValue | undefined, address: CelValue | undefined): boolean {
  return cidrContains((network as CidrValue).cidr, (address as IpValue).address);
}

function containsCidr(network: CelValue | undefined, other: CelValue | undefined): boolean {
  const [outer, inner] = [(network as CidrValue).cidr, (other as CidrValue).cidr];
  return outer.prefixLength <= inner.prefixLength && cidrContains(outer, inner.network);
}

function masked(network: CelValue | undefined): CidrValue {
  const { cidr } = network as CidrValue;
  const text = printNetwork(cidr);
  return new CidrValue(parseCidr(text) ?? cidr);
}

/** The cost of comparing the whole bytes of a prefix. */
function bitsCost(network: CelValue | undefined, factor: number): number {
  if (!(network instanceof CidrValue)) return 0;
  return Math.ceil(Math.floor(network.cidr.prefixLength / 8) * factor);
}

function containsCidrCost(network: CelValue | undefined): number {
  return 1 + bitsCost(network, 0.25) + bitsCost(network, 0.1);
}

function estimateContainsIp(values: readonly ValueEstimate[]): CallEstimate {
  return { cost: addRanges({ min: 1, max: 4 }, parsing(values)) };
}

function estimateContainsCidr(values: readonly ValueEstimate[]): CallEstimate {
  return { cost: addRanges({ min: 3, max: 7 }, parsing(values)) };
}

/** A text is read first. */
function parsing([, argument]: readonly ValueEstimate[]): CallEstimate['cost'] {
  return argument?.type.kind === 'string' ? traversalEstimate(sizeEstimate(argument)) : { min: 0, max: 0 };
}
