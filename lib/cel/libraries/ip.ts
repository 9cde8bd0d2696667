// IP addresses as values: `ip(text)` and what kind of address it is. IPv4-mapped IPv6 addresses and zones are refused.
import { printIp, quote } from '../../core/index.js';
import type { IpAddress } from '../../core/index.js';
import { boolType, intType, opaqueType, stringType } from '../cel-type.js';
import type { OpaqueType } from '../cel-type.js';
import { OpaqueValue, TypeValue } from '../cel-value.js';
import type { CelValue } from '../cel-value.js';
import { EvaluationError } from '../library.js';
import type { FunctionDeclaration, Library } from '../library.js';
import { readsFirst, sizeEstimate, traversalCost, traversalEstimate, traversalFactor } from './costs.js';
import { parseAddress } from './ip-parsing.js';
import { declareFunction, globalOverload, memberOverload } from './overloads.js';

/** The type of IP addresses. */
export const ipType: OpaqueType = opaqueType('net.IP');

/** An IP address. */
export class IpValue extends OpaqueValue {
  readonly type: OpaqueType = ipType;
  readonly address: IpAddress;

  constructor(address: IpAddress) {
    super();
    this.address = address;
  }

  equals(other: CelValue): boolean {
    return other instanceof IpValue && this.address.groups.every((group, i) => group === other.address.groups[i]);
  }
}

/** Reads an address. Throws `EvaluationError`. */
export function parseIpValue(text: string): IpValue {
  const parsed = parseAddress(text);
  if ('error' in parsed)
    throw new EvaluationError(`IP Address ${quote(text)} parse error during conversion from string: ${parsed.error}`);
  if (parsed.zone !== undefined) throw new EvaluationError(`IP address ${quote(text)} with zone value is not allowed`);
  if (parsed.address.mapped) throw new EvaluationError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  return new IpValue(parsed.address);
}

const reads = { cost: ([text]: readonly CelValue[]) => traversalCost(text), estimate: readsFirst };

const functions: readonly FunctionDeclaration[] = [
  declareFunction(
    'ip',
    globalOverload('string_to_ip', [stringType], ipType, (text) => parseIpValue(text as string), reads),
  ),
  declareFunction(
    'isIP',
    globalOverload('is_ip', [stringType], boolType, (text) => isIp(text as string), reads),
  ),
  declareFunction(
    'ip.isCanonical',
    globalOverload(
      'ip_is_canonical',
      [stringType],
      boolType,
      (text) => printIp(parseIpValue(text as string).address) === text,
      {
        cost: ([text]) => traversalCost(text, 2 * traversalFactor),
        estimate: ([text]) => ({ cost: traversalEstimate(sizeEstimate(text), 2 * traversalFactor) }),
      },
    ),
  ),
  declareFunction(
    'string',
    globalOverload('ip_to_string', [ipType], stringType, (value) => printIp((value as IpValue).address)),
  ),
  declareFunction(
    'family',
    memberOverload('ip_family', [ipType], intType, (value) => (value as IpValue).address.family),
  ),
  declareFunction('isUnspecified', test('ip_is_unspecified', isUnspecified)),
  declareFunction('isLoopback', test('ip_is_loopback', isLoopback)),
  declareFunction('isLinkLocalMulticast', test('ip_is_link_local_multicast', isLinkLocalMulticast)),
  declareFunction('isLinkLocalUnicast', test('ip_is_link_local_unicast', isLinkLocalUnicast)),
  declareFunction('isGlobalUnicast', test('ip_is_global_unicast', isGlobalUnicast)),
];

/** The functions of IP addresses. */
export const ipLibrary: Library = {
  name: 'kubernetes.net.ip',
  functions,
  constants: { [ipType.name]: { type: { kind: 'type', of: ipType }, value: new TypeValue(ipType) } },
};

function test(id: string, holds: (address: IpAddress) => boolean): ReturnType<typeof memberOverload> {
  return memberOverload(id, [ipType], boolType, (value) => holds((value as IpValue).address));
}

function isIp(text: string): boolean {
  const parsed = parseAddress(text);
  return 'address' in parsed && parsed.zone === undefined && !parsed.address.mapped;
}

function group(address: IpAddress, index: number): number {
  return address.groups[index] ?? 0;
}

function isUnspecified(address: IpAddress): boolean {
  const from = address.family === 4 ? 6 : 0;
  return address.groups.slice(from).every((value) => value === 0);
}

function isLoopback(address: IpAddress): boolean {
  if (address.family === 4) return group(address, 6) >> 8 === 127;
  return group(address, 7) === 1 && address.groups.slice(0, 7).every((value) => value === 0);
}

function isLinkLocalMulticast(address: IpAddress): boolean {
  if (address.family === 4) return group(address, 6) === 0xe000 && group(address, 7) >> 8 === 0;
  return (group(address, 0) & 0xff0f) === 0xff02;
}

function isLinkLocalUnicast(address: IpAddress): boolean {
  return address.family === 4 ? group(address, 6) === 0xa9fe : (group(address, 0) & 0xffc0) === 0xfe80;
}

function isMulticast(address: IpAddress): boolean {
  return address.family === 4 ? group(address, 6) >> 12 === 0xe : group(address, 0) >> 8 === 0xff;
}

function isGlobalUnicast(address: IpAddress): boolean {
  const isBroadcast = address.family === 4 && group(address, 6) === 0xffff && group(address, 7) === 0xffff;
  return (
    !isBroadcast &&
    !isUnspecified(address) &&
    !isLoopback(address) &&
    !isMulticast(address) &&
    !isLinkLocalUnicast(address)
  );
}
