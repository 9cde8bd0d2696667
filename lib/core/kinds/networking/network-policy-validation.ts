// Validation of a NetworkPolicy. As pkg/apis/networking/validation/validation.go, ValidateNetworkPolicySpec.
import { collect } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { cidrContains, parseCidr } from '../../objects/ip-address.js';
import type { Cidr } from '../../objects/ip-address.js';
import { validateLegacyCidr } from '../../objects/ip-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { isPortName, isPortNumber } from '../../objects/names.js';
import type {
  IPBlock,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from '../../types/networking-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import { validateLabelSelector } from '../label-selector-validation.js';
import { printedWord } from '../printed-values.js';

/** Mistakes of the old object that the new one may keep. */
export interface NetworkPolicyTolerance {
  readonly invalidLabelValues: boolean;
  /** CIDR blocks that are taken as they are. */
  readonly cidrs: ReadonlySet<string>;
}

type FieldErrors = readonly FieldError[];

/** Validates the spec of a NetworkPolicy. */
export function validateNetworkPolicySpec(
  spec: Frozen<NetworkPolicySpec>,
  tolerance: NetworkPolicyTolerance = strict,
): FieldErrors {
  const path = fieldPath('spec');
  const options = { allowInvalidValues: tolerance.invalidLabelValues };
  return [
    ...validateLabelSelector(spec.podSelector ?? {}, path.child('podSelector'), options),
    ...collect(rulesOf(spec), ({ ports, peers, path: rulePath, peerField }) => [
      ...collect(ports, (port, index) => validatePort(port, rulePath.child('ports').index(index))),
      ...collect(peers, (peer, index) => validatePeer(peer, rulePath.child(peerField).index(index), tolerance)),
    ]),
    ...validatePolicyTypes(spec.policyTypes ?? [], path.child('policyTypes')),
  ];
}

/** The blocks of addresses of all rules, with their places. */
export function ipBlocks(
  spec: Frozen<NetworkPolicySpec>,
): readonly { readonly block: Frozen<IPBlock>; readonly path: FieldPath }[] {
  return rulesOf(spec).flatMap(({ peers, path, peerField }) =>
    peers.flatMap(({ ipBlock }, index) =>
      ipBlock === undefined ? [] : [{ block: ipBlock, path: path.child(peerField).index(index).child('ipBlock') }],
    ),
  );
}

const strict: NetworkPolicyTolerance = { invalidLabelValues: false, cidrs: new Set() };
const policyTypes = ['Ingress', 'Egress'];
const protocols = ['TCP', 'UDP', 'SCTP'];

/** Rules of either direction in one form. */
interface Rule {
  readonly ports: readonly Frozen<NetworkPolicyPort>[];
  readonly peers: readonly Frozen<NetworkPolicyPeer>[];
  readonly path: FieldPath;
  readonly peerField: 'from' | 'to';
}

function rulesOf({ ingress = [], egress = [] }: Frozen<NetworkPolicySpec>): readonly Rule[] {
  const at = (direction: string, index: number): FieldPath => fieldPath('spec', direction).index(index);
  return [
    ...ingress.map(({ ports = [], from = [] }, index): Rule => ({
      ports,
      peers: from,
      path: at('ingress', index),
      peerField: 'from',
    })),
    ...egress.map(({ ports = [], to = [] }, index): Rule => ({
      ports,
      peers: to,
      path: at('egress', index),
      peerField: 'to',
    })),
  ];
}

function validatePort({ protocol, port, endPort }: Frozen<NetworkPolicyPort>, path: FieldPath): FieldErrors {
  const wrongProtocol =
    protocol !== undefined && !protocols.includes(protocol)
      ? [fieldNotSupported(path.child('protocol'), printedWord(protocol), protocols)]
      : [];
  if (port === undefined)
    return [...wrongProtocol, ...refuseEndPort(endPort, path, 'may not be specified when `port` is not specified')];
  if (typeof port === 'string') {
    return [
      ...wrongProtocol,
      ...refuseEndPort(endPort, path, 'may not be specified when `port` is non-numeric'),
      ...invalidEach(path.child('port'), port, isPortName(port)),
    ];
  }
  const wrongPort = [...wrongProtocol, ...invalidEach(path.child('port'), port, isPortNumber(port))];
  if (endPort === undefined) return wrongPort;
  // The port is printed here, not the end: as Kubernetes does.
  const before =
    endPort < port ? [fieldInvalid(path.child('endPort'), port, 'must be greater than or equal to `port`')] : [];
  return [...wrongPort, ...before, ...invalidEach(path.child('endPort'), endPort, isPortNumber(endPort))];
}

function refuseEndPort(endPort: number | undefined, path: FieldPath, why: string): FieldErrors {
  return endPort === undefined ? [] : [fieldInvalid(path.child('endPort'), endPort, why)];
}

function validatePeer(
  peer: Frozen<NetworkPolicyPeer>,
  path: FieldPath,
  tolerance: NetworkPolicyTolerance,
): FieldErrors {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const options = { allowInvalidValues: tolerance.invalidLabelValues };
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  const errors = [
    ...validateLabelSelector(podSelector, path.child('podSelector'), options),
    ...validateLabelSelector(namespaceSelector, path.child('namespaceSelector'), options),
    ...(ipBlock === undefined ? [] : validateIpBlock(ipBlock, path.child('ipBlock'), tolerance)),
  ];
  if (!selects && ipBlock === undefined) errors.push(fieldRequired(path, 'must specify a peer'));
  if (selects && ipBlock !== undefined)
    errors.push(fieldForbidden(path, 'may not specify both ipBlock and another peer'));
  return errors;
}

function validateIpBlock(
  { cidr, except = [] }: Frozen<IPBlock>,
  path: FieldPath,
  { cidrs }: NetworkPolicyTolerance,
): FieldErrors {
  if (cidr === '') return [fieldRequired(path.child('cidr'))];
  const errors = validateLegacyCidr(cidr, path.child('cidr'), cidrs);
  const block = parseCidr(cidr);
  if (block === undefined) return errors;
  return [
    ...errors,
    ...collect(except, (each, index) => {
      const at = path.child('except').index(index);
      const wrong = validateLegacyCidr(each, at, cidrs);
      return isStrictlyInside(parseCidr(each), block)
        ? wrong
        : [...wrong, fieldInvalid(at, each, 'must be a strict subset of `cidr`')];
    }),
  ];
}

/** Also true of text that is no block: that is said elsewhere. */
function isStrictlyInside(inner: Cidr | undefined, outer: Cidr): boolean {
  return inner === undefined || (cidrContains(outer, inner.network) && inner.prefixLength > outer.prefixLength);
}

function validatePolicyTypes(types: readonly string[], path: FieldPath): FieldErrors {
  if (types.length > policyTypes.length)
    return [fieldInvalid(path, types, 'may not specify more than two policyTypes')];
  return collect(types, (type, index) =>
    policyTypes.includes(type) ? [] : [fieldNotSupported(path.index(index), printedWord(type), policyTypes)],
  );
}
