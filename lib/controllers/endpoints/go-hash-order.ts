// The order of ports and subsets. Kubernetes sorts them by the FNV-1a hash, 128 bits wide, of the text that its dump
// package prints for the Go value, so clients see that order. As utils/dump, ForHash, and pkg/api/v1/endpoints/util.go,
// SortSubsets.
import type { Frozen } from '../../core/index.js';
import type { EndpointAddress, EndpointPort, EndpointSlice, EndpointSubset } from '../../core/types/index.js';

/** A port of an EndpointSlice. */
export type SlicePort = NonNullable<EndpointSlice['ports']>[number];

/** Returns the ports of a slice in Kubernetes' order. */
export function sortSlicePorts<T extends Frozen<SlicePort>>(ports: readonly T[]): readonly T[] {
  return sortByHash(ports, slicePortText);
}

/** Returns the ports of a subset in Kubernetes' order. */
export function sortSubsetPorts<T extends Frozen<EndpointPort>>(ports: readonly T[]): readonly T[] {
  return sortByHash(ports, (port) => `(v1.EndpointPort)${subsetPortText(port)}`);
}

/** Returns subsets in Kubernetes' order. Their addresses and ports are sorted already. */
export function sortSubsets<T extends Frozen<EndpointSubset>>(subsets: readonly T[]): readonly T[] {
  return sortByHash(subsets, subsetText);
}

/** Returns the FNV-1a hash of a text in UTF-8: 128 bits, as 32 hexadecimal digits. */
export function fnv128a(text: string): string {
  // The prime is 2^88 + 315: a product is one shift and one multiplication by a small number.
  let [low, second, third, high] = [0x62_95_c5_8d, 0x62_b8_21_75, 0x07_bb_01_42, 0x6c_62_27_2e];
  for (const byte of new TextEncoder().encode(text)) {
    const xored = (low ^ byte) >>> 0;
    const first = xored * 315;
    const next = second * 315 + Math.floor(first / wordSize);
    const nextButOne = third * 315 + Math.floor(next / wordSize) + ((xored << 24) >>> 0);
    const last = high * 315 + Math.floor(nextButOne / wordSize) + (((second << 24) | (xored >>> 8)) >>> 0);
    low = first % wordSize;
    second = next % wordSize;
    third = nextButOne % wordSize;
    high = last % wordSize;
  }
  return [high, third, second, low].map((word) => word.toString(16).padStart(8, '0')).join('');
}

const wordSize = 0x1_0000_0000;

function sortByHash<T>(items: readonly T[], textOf: (item: T) => string): readonly T[] {
  if (items.length < 2) return items;
  const hashed = items.map((item) => ({ item, hash: fnv128a(textOf(item)) }));
  return hashed.sort((a, b) => (a.hash < b.hash ? -1 : Number(a.hash > b.hash))).map(({ item }) => item);
}

function slicePortText({ name, protocol, port, appProtocol }: Frozen<SlicePort>): string {
  return `(v1.EndpointPort){Name:${pointer('string', name)} Protocol:${pointer('v1.Protocol', protocol)} Port:${pointer('int32', port)} AppProtocol:${pointer('string', appProtocol)}}`;
}

function subsetPortText({ name = '', port, protocol, appProtocol }: Frozen<EndpointPort>): string {
  return `{Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol ?? ''} AppProtocol:${pointer('string', appProtocol)}}`;
}

function subsetText({ addresses = [], notReadyAddresses = [], ports = [] }: Frozen<EndpointSubset>): string {
  return `(v1.EndpointSubset){Addresses:${list('EndpointAddress', addresses.map(addressText))} NotReadyAddresses:${list('EndpointAddress', notReadyAddresses.map(addressText))} Ports:${list('EndpointPort', ports.map(subsetPortText))}}`;
}

function addressText({ ip, hostname = '', nodeName, targetRef }: Frozen<EndpointAddress>): string {
  const { kind = '', namespace = '', name = '', uid = '', apiVersion = '' } = targetRef ?? {};
  const { resourceVersion = '', fieldPath = '' } = targetRef ?? {};
  const target =
    targetRef === undefined
      ? '<nil>'
      : `{Kind:(string)${kind} Namespace:(string)${namespace} Name:(string)${name} UID:(types.UID)${uid} APIVersion:(string)${apiVersion} ResourceVersion:(string)${resourceVersion} FieldPath:(string)${fieldPath}}`;
  return `{IP:(string)${ip} Hostname:(string)${hostname} NodeName:${pointer('string', nodeName)} TargetRef:(*v1.ObjectReference)${target}}`;
}

function pointer(type: string, value: string | number | undefined): string {
  return `(*${type})${value ?? '<nil>'}`;
}

/** Empty lists are nil where Kubernetes sorts. */
function list(type: string, texts: readonly string[]): string {
  return `([]v1.${type})${texts.length === 0 ? '<nil>' : `[${texts.join(' ')}]`}`;
}
