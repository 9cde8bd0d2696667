// The ports of a Service: each on its own, then against each other. Several ports need names; a port, and a port on
// nodes, may serve several protocols but each only once. As validateServicePort and validateService in
// pkg/apis/core/validation/validation.go.
import { collect, findingsMax } from '../../errors/collect.js';
import { fieldDuplicate, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import { isDns1123Label, isPortName, isPortNumber, isQualifiedName } from '../../objects/names.js';
import type { ServicePort } from '../../types/core-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import { printedWord } from '../printed-values.js';
import { portProtocols } from './endpoints.js';

type Ports = readonly Frozen<ServicePort>[];
type FieldErrors = readonly FieldError[];

/** Validates each port. */
export function validateServicePorts(ports: Ports, path: FieldPath): FieldErrors {
  const names = new Set<string>();
  return collect(ports, (port, index) => {
    const at = path.index(index);
    const { name = '' } = port;
    const errors: FieldError[] = [];
    if (name === '' && ports.length > 1) errors.push(fieldRequired(at.child('name')));
    if (name !== '') errors.push(...invalidEach(at.child('name'), name, isDns1123Label(name)));
    if (names.has(name)) errors.push(fieldDuplicate(at.child('name'), name));
    if (name !== '') names.add(name);
    return [...errors, ...validatePort(port, at)];
  });
}

/** Ports, and ports on nodes, that occur twice for a protocol. */
export function validateDistinctPorts(ports: Ports, path: FieldPath): FieldErrors {
  const nodePorts = new Set<string>();
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, { protocol = '', nodePort = 0 }] of ports.entries()) {
    if (errors.length > findingsMax) break;
    const key = `${nodePort}/${protocol}`;
    if (nodePort !== 0 && nodePorts.has(key))
      errors.push(fieldDuplicate(path.index(index).child('nodePort'), nodePort));
    nodePorts.add(key);
  }
  for (const [index, { protocol = '', port }] of ports.entries()) {
    if (errors.length > findingsMax) break;
    const key = `${port}/${protocol}`;
    if (seen.has(key)) errors.push(fieldDuplicate(path.index(index), goPort(protocol, port)));
    seen.add(key);
  }
  return errors;
}

function validatePort(servicePort: Frozen<ServicePort>, path: FieldPath): FieldErrors {
  const { port, protocol = '', targetPort = 0, appProtocol } = servicePort;
  const errors: FieldError[] = [...invalidEach(path.child('port'), port, isPortNumber(port))];
  if (protocol === '') errors.push(fieldRequired(path.child('protocol')));
  else if (!portProtocols.includes(protocol))
    errors.push(fieldNotSupported(path.child('protocol'), printedWord(protocol), portProtocols));
  const wrongTarget = typeof targetPort === 'number' ? isPortNumber(targetPort) : isPortName(targetPort);
  errors.push(...invalidEach(path.child('targetPort'), targetPort, wrongTarget));
  if (appProtocol !== undefined)
    errors.push(...invalidEach(path.child('appProtocol'), appProtocol, isQualifiedName(appProtocol)));
  return errors;
}

/** As Go prints it: every field, by its Go name, although only two are set. */
function goPort(protocol: string, port: number): object {
  return { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
}
