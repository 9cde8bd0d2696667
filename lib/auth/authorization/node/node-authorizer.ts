// The node authorizer, `--authorization-mode=Node`: allows node agents their API calls, and reads of objects related to
// their node. Has no opinion on other users and never denies. As plugin/pkg/auth/authorizer/node/node_authorizer.go.
import type { Frozen } from '../../../core/index.js';
import type { UserInfo } from '../../../core/types/index.js';
import type { ServerTools } from '../../server-tools.js';
import type { AccessAttributes, AccessRules, Authorizer, Decision } from '../../authorizer.js';
import { systemNodes } from '../../system-users.js';
import { followedGraph } from './followed-graph.js';
import type { NodeGraph } from './node-graph.js';
import { judge } from './node-rules.js';
import { reference } from './object-references.js';

/** Authorizes nodes. The first decision about an object waits until the graph is loaded. */
export function nodeAuthorizer(tools: Pick<ServerTools, 'informers' | 'closed$'>): Authorizer {
  const graphOf = followedGraph(tools);
  const authorizer = (attributes: AccessAttributes): readonly Decision[] | Promise<Decision> => {
    const node = nodeBehind(attributes.user);
    if (node === undefined) return unspoken;
    if (node === '') return [refused(`unknown node for user "${attributes.user.username ?? ''}"`)];
    const verdict = judge(node, attributes);
    if (verdict === 'allow') return allowed;
    if ('reason' in verdict) return verdict.reason === '' ? unspoken : [refused(verdict.reason)];
    const object = reference(verdict.ifRelated, attributes.namespace, attributes.name);
    const graph = graphOf();
    return graph instanceof Promise
      ? graph.then((known) => related(known, node, object))
      : [related(graph, node, object)];
  };
  authorizer.rules = (user: Frozen<UserInfo>): readonly AccessRules[] =>
    nodeBehind(user) === undefined ? nothing : unlisted;
  return authorizer;
}

function related(graph: NodeGraph, node: string, object: string): Decision {
  return graph.isRelated(node, object)
    ? allow
    : refused(`no relationship found between node '${node}' and this object`);
}

/**
 * Returns the node of a user: identified by the user name, and confirmed by the group `system:nodes`. The name is
 * compared, not parsed.
 */
function nodeBehind({ username = '', groups }: Frozen<UserInfo>): string | undefined {
  return username.startsWith(userPrefix) && groups?.includes(systemNodes) === true
    ? username.slice(userPrefix.length)
    : undefined;
}

const userPrefix = 'system:node:';

function refused(reason: string): Decision {
  return { decision: 'noOpinion', reason };
}

const allow: Decision = Object.freeze({ decision: 'allow', reason: '' });
const allowed: readonly Decision[] = Object.freeze([allow]);
const unspoken: readonly Decision[] = Object.freeze([Object.freeze(refused(''))]);
const nothing: readonly AccessRules[] = Object.freeze([
  Object.freeze({ resourceRules: [], nonResourceRules: [], incomplete: false }),
]);
const unlisted: readonly AccessRules[] = Object.freeze([
  Object.freeze({
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    error: 'node authorizer does not support user rule resolution',
  }),
]);
