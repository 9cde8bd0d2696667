// Refuses addresses of endpoints that other machines cannot reach (loopback, link-local …). Also the rule of
// EndpointSlices and, for historical reasons, of a Service's externalIPs. As ValidateEndpointIP in
// pkg/apis/core/validation/validation.go.
import { fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { parseIp } from '../../objects/ip-address.js';
import type { IpAddress } from '../../objects/ip-address.js';

/** Validates the address of an endpoint. */
export function validateEndpointIp(value: string, path: FieldPath): readonly FieldError[] {
  const ip = parseIp(value);
  if (ip === undefined) return [fieldInvalid(path, value, 'must be a valid IP address')];
  const sentences = [
    isUnspecified(ip) && `may not be unspecified (${value})`,
    isLoopback(ip) && 'may not be in the loopback range (127.0.0.0/8, ::1/128)',
    isLinkLocalUnicast(ip) && 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    isLinkLocalMulticast(ip) && 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  ];
  return sentences.filter((sentence) => sentence !== false).map((sentence) => fieldInvalid(path, value, sentence));
}

/** Returns whether nothing at all is wrong with the address, its spelling included. */
export function isSoundEndpointIp(value: string): boolean {
  const ip = parseIp(value);
  if (ip?.strict !== true || ip.mapped) return false;
  return !isUnspecified(ip) && !isLoopback(ip) && !isLinkLocalUnicast(ip) && !isLinkLocalMulticast(ip);
}

function isUnspecified({ family, groups }: IpAddress): boolean {
  return family === 4 ? groups[6] === 0 && groups[7] === 0 : groups.every((group) => group === 0);
}

function isLoopback({ family, groups }: IpAddress): boolean {
  return family === 4 ? high(groups) >> 8 === 127 : groups.every((group, i) => group === (i === 7 ? 1 : 0));
}

function isLinkLocalUnicast({ family, groups }: IpAddress): boolean {
  return family === 4 ? high(groups) === 0xa9fe : ((groups[0] ?? 0) & 0xffc0) === 0xfe80;
}

/** `224.0.0.0/24`, and any multicast address of link-local scope. */
function isLinkLocalMulticast({ family, groups }: IpAddress): boolean {
  return family === 4 ? high(groups) === 0xe000 && (groups[7] ?? 0) < 0x100 : ((groups[0] ?? 0) & 0xff0f) === 0xff02;
}

/** The first two octets of an IPv4 address. */
function high(groups: readonly number[]): number {
  return groups[6] ?? 0;
}
