// IP addresses and CIDR blocks as text and as numbers. Parsing is as lenient as Kubernetes has to be for old data
// (octets with leading zeros); `strict` says whether a modern parser would take the text too. An IPv4 address is kept
// as its IPv4-mapped IPv6 one, and an address that was written so prints as IPv4: both as Go's net.IP.
// As utils/net ParseIPSloppy and ParseCIDRSloppy, net.IP.String, netip.ParseAddr. Every function is one scan.

/** An address of either family. */
export interface IpAddress {
  /** Eight numbers of sixteen bits; IPv4 is `::ffff:a.b.c.d`. */
  readonly groups: readonly number[];
  readonly family: 4 | 6;
  /** Written as `::ffff:…`, so that others may take it for either family. */
  readonly mapped: boolean;
  /** No octet has leading zeros and no group more than four digits. */
  readonly strict: boolean;
}

/** An address and how many of its leading bits name the network. */
export interface Cidr {
  readonly address: IpAddress;
  readonly network: IpAddress;
  readonly prefixLength: number;
  /** How many bits the written form has: 32 or 128. */
  readonly bits: 32 | 128;
  readonly strict: boolean;
}

/** Reads an address; undefined if the text is none. */
export function parseIp(text: string): IpAddress | undefined {
  const dot = text.indexOf('.');
  const colon = text.indexOf(':');
  if (dot >= 0 && (colon < 0 || dot < colon)) return parseIpv4(text);
  return colon < 0 ? undefined : parseIpv6(text);
}

/** Reads `address/length`; undefined if the text is none. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  const address = slash < 0 ? undefined : parseIp(text.slice(0, slash));
  const length = readNumber(text, slash + 1, 10);
  if (address === undefined || length?.end !== text.length) return undefined;
  const bits = address.family === 4 && !address.mapped ? 32 : 128;
  if (length.value > bits) return undefined;
  const strict = address.strict && (length.end - slash === 2 || text[slash + 1] !== '0');
  const network = masked(address, length.value + 128 - bits);
  return { address, network, prefixLength: length.value, bits, strict };
}

/** The canonical text: dotted for IPv4, RFC 5952 for IPv6. */
export function printIp({ groups, family }: IpAddress): string {
  if (family === 4)
    return groups
      .slice(6)
      .map((group) => `${group >> 8}.${group & 255}`)
      .join('.');
  const { start, end } = longestZeros(groups);
  if (end === 0) return groups.map(hex).join(':');
  return `${groups.slice(0, start).map(hex).join(':')}::${groups.slice(end).map(hex).join(':')}`;
}

/** The canonical text of the network: a mapped one of at least 96 bits prints as IPv4. */
export function printNetwork({ network, prefixLength, bits }: Cidr): string {
  const length = network.family === 4 && bits === 128 ? prefixLength - 96 : prefixLength;
  return `${printIp(network)}/${length}`;
}

/** Returns whether an address belongs to a network; families never mix. */
export function cidrContains(cidr: Cidr, address: IpAddress): boolean {
  if (cidr.network.family !== address.family) return false;
  return sameGroups(masked(address, cidr.prefixLength + 128 - cidr.bits).groups, cidr.network.groups);
}

/** Returns whether two addresses are the same, however they were written. */
export function sameIp(a: IpAddress, b: IpAddress): boolean {
  return sameGroups(a.groups, b.groups);
}

/** The address `offset` places after another. Throws beyond the last address. */
export function addToIp(address: IpAddress, offset: number): IpAddress {
  const groups = [...address.groups];
  let carry = offset;
  for (let i = 7; i >= (address.family === 4 ? 6 : 0) && carry > 0; i--) {
    const sum = (groups[i] ?? 0) + carry;
    groups[i] = sum % 0x10000;
    carry = Math.floor(sum / 0x10000);
  }
  if (carry > 0) throw new RangeError('there is no such address');
  return { ...address, groups };
}

/** Reads digits from `start`; undefined without any or when the number is absurd. */
function readNumber(text: string, start: number, radix: 10 | 16): { value: number; end: number } | undefined {
  let value = 0;
  let end = start;
  for (; end < text.length; end++) {
    const digit = digitValue(text.charCodeAt(end));
    if (digit >= radix) break;
    value = value * radix + digit;
    if (value >= 0xffffff) return undefined;
  }
  return end === start ? undefined : { value, end };
}

function digitValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 && code < 0x80 ? lower - 0x57 : 16;
}

function parseIpv4(text: string): IpAddress | undefined {
  const octets = readOctets(text, 0);
  return (
    octets && { groups: [0, 0, 0, 0, 0, 0xffff, ...octets.groups], family: 4, mapped: false, strict: octets.strict }
  );
}

/** Four octets up to the end of the text, as two groups. */
function readOctets(text: string, start: number): { groups: readonly [number, number]; strict: boolean } | undefined {
  let strict = true;
  let value = 0;
  let at = start;
  for (let i = 0; i < 4; i++) {
    if (i > 0 && text[at++] !== '.') return undefined;
    const octet = readNumber(text, at, 10);
    if (octet === undefined || octet.value > 255) return undefined;
    if (octet.end - at > 1 && text[at] === '0') strict = false;
    value = value * 256 + octet.value;
    at = octet.end;
  }
  return at === text.length ? { groups: [Math.floor(value / 0x10000), value % 0x10000], strict } : undefined;
}

function parseIpv6(text: string): IpAddress | undefined {
  const groups: number[] = [];
  let strict = true;
  let ellipsis = text.startsWith('::') ? 0 : -1;
  let at = ellipsis === 0 ? 2 : 0;
  while (at < text.length && groups.length < 8) {
    const group = readNumber(text, at, 16);
    if (group === undefined || group.value > 0xffff) return undefined;
    if (text[group.end] === '.') {
      const octets = ellipsis < 0 && groups.length !== 6 ? undefined : readOctets(text, at);
      if (octets === undefined || groups.length > 6) return undefined;
      groups.push(...octets.groups);
      strict &&= octets.strict;
      at = text.length;
      break;
    }
    if (group.end - at > 4) strict = false;
    groups.push(group.value);
    at = group.end;
    if (at === text.length) break;
    // A colon, and something behind it.
    if (text[at] !== ':' || at + 1 === text.length) return undefined;
    at++;
    if (text[at] === ':') {
      if (ellipsis >= 0) return undefined;
      ellipsis = groups.length;
      at++;
    }
  }
  if (at !== text.length || groups.length < 8 === ellipsis < 0) return undefined;
  if (ellipsis >= 0) groups.splice(ellipsis, 0, ...Array.from({ length: 8 - groups.length }, () => 0));
  return familiar(groups, strict);
}

/** Returns the family: an address that looks like IPv4 is IPv4. */
function familiar(groups: readonly number[], strict: boolean): IpAddress {
  const mapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  return { groups, family: mapped ? 4 : 6, mapped, strict };
}

/** The first `bits` of 128, the others zero. */
function masked(address: IpAddress, bits: number): IpAddress {
  const groups = address.groups.map((group, i) => {
    const kept = Math.min(16, Math.max(0, bits - i * 16));
    return group & (0xffff << (16 - kept)) & 0xffff;
  });
  return address.family === 4 && !address.mapped ? { ...address, groups } : familiar(groups, address.strict);
}

/** The first of the longest runs of at least two zero groups; `end` is 0 if there is none. */
function longestZeros(groups: readonly number[]): { start: number; end: number } {
  let longest = { start: 0, end: 0 };
  for (let start = 0; start < 8; start++) {
    let end = start;
    while (end < 8 && groups[end] === 0) end++;
    if (end - start >= 2 && end - start > longest.end - longest.start) longest = { start, end };
    start = Math.max(start, end - 1);
  }
  return longest;
}

function hex(group: number): string {
  return group.toString(16);
}

function sameGroups(a: readonly number[], b: readonly number[]): boolean {
  return a.every((group, i) => group === b[i]);
}
