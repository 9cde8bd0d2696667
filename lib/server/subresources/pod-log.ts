// The log of a container: the request is checked here, the NodeConnector of the node reads the log.
import {
  badRequest,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  invalid,
  quote,
  unclassifiedError,
} from '../../core/index.js';
import type { FieldError, ApiResponse, LogOptions } from '../../core/index.js';
import type { Exchange } from '../pipeline.js';
import { tablelessOffer } from '../registry/endpoint.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import type { ConnectorRegistry } from './node-connectors.js';
import type { Parameters } from './pod-target.js';
import { addressOf, containerOf, firstParameter, findNode, findPod } from './pod-target.js';

/** Finds nodes and their connectors. */
export interface NodeAccess {
  readonly nodes: () => ResourceEndpoint;
  readonly connectors: ConnectorRegistry;
}

/** Responds with the log of a container; empty where the pod has no node yet. */
export async function podLog(
  pods: ResourceEndpoint,
  exchange: Exchange,
  { nodes, connectors }: NodeAccess,
): Promise<ApiResponse> {
  const { request } = exchange;
  const { transform } = request.negotiate(tablelessOffer);
  const parameters = request.options().parameters ?? {};
  const options = logOptions(parameters);
  const errors = logErrors(options);
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, request.info.name, errors);
  const pod = await findPod(pods, exchange);
  const container = containerOf(pod, firstParameter(parameters, 'container'));
  const nodeName = pod.spec?.nodeName ?? '';
  if (transform !== undefined) throw unclassifiedError('object does not implement the Object interfaces');
  if (nodeName === '') return { type: 'raw', code: 204, contentType: 'text/plain', content: '' };
  const target = { node: await findNode(nodes(), nodeName), pod, container };
  const content = await connectors.find(nodeName)?.log?.(target, options);
  if (content === undefined) {
    const address = addressOf(target.node);
    throw unclassifiedError(
      `Get "https://${address}/containerLogs/${request.info.namespace}/${request.info.name}/${container}": dial tcp ${address}: connect: connection refused`,
    );
  }
  return { type: 'raw', code: 200, contentType: 'text/plain', content };
}

function logOptions(parameters: Parameters): LogOptions {
  const flag = (name: string): boolean => !['', '0', 'false'].includes(firstParameter(parameters, name).toLowerCase());
  const number = (name: 'tailLines' | 'limitBytes' | 'sinceSeconds'): Partial<LogOptions> => {
    const text = firstParameter(parameters, name);
    if (text === '') return {};
    if (!/^[-+]?[0-9]{1,18}$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${quote(text)}: invalid syntax`);
    return { [name]: Number(text) };
  };
  const sinceTime = firstParameter(parameters, 'sinceTime');
  const stream = firstParameter(parameters, 'stream');
  return {
    follow: flag('follow'),
    previous: flag('previous'),
    timestamps: flag('timestamps'),
    ...number('tailLines'),
    ...number('limitBytes'),
    ...number('sinceSeconds'),
    ...(sinceTime !== '' && { sinceTime }),
    ...(stream !== '' && { stream: stream as NonNullable<LogOptions['stream']> }),
  };
}

const logStreams: readonly string[] = ['All', 'Stderr', 'Stdout'];

function logErrors({ tailLines, limitBytes, sinceSeconds, sinceTime, stream }: LogOptions): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0)
    errors.push(fieldInvalid(fieldPath('tailLines'), tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(fieldInvalid(fieldPath('limitBytes'), limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push(fieldForbidden(fieldPath(''), 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(fieldInvalid(fieldPath('sinceSeconds'), sinceSeconds, 'must be greater than 0'));
  }
  if (stream !== undefined && !logStreams.includes(stream))
    errors.push(fieldNotSupported(fieldPath('stream'), stream, logStreams));
  else if (stream !== undefined && stream !== 'All' && tailLines !== undefined)
    errors.push(fieldForbidden(fieldPath(''), '`tailLines` and specific `stream` are mutually exclusive for now'));
  return errors;
}
