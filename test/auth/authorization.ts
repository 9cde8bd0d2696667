// Authorization besides roles: what requests ask for, nodes, policies in a file, access reviews, and the questions the
// server itself asks. Expected answers are a real server's.
import { EMPTY, NEVER, concat, of } from 'rxjs';
import type { Observable } from 'rxjs';
import t from 'tap';
import { abac, nodeAuthorizer } from '../../lib/auth/index.js';
import type { AccessAttributes, Authenticator, Authorizer, Decision } from '../../lib/auth/index.js';
import { NodeGraph } from '../../lib/auth/authorization/node/node-graph.js';
import { podReferences, reference, volumeSecrets } from '../../lib/auth/authorization/node/object-references.js';
import { objectInformers, random, virtualClock, InProcessRequest } from '../../lib/core/index.js';
import type { ApiObject, Frozen, ObjectReader, WatcherEvent } from '../../lib/core/index.js';
import type { PersistentVolume, Pod, UserInfo } from '../../lib/core/types/index.js';
import { createServer, fetchHandler } from '../../lib/server/index.js';
import type { ApiServer, AuditEvent, ServerOptions } from '../../lib/server/index.js';
import { parseQuery } from '../../lib/core/index.js';
import { readRequestInfo } from '../../lib/server/http/request-info.js';
import { memoryStore } from '../../lib/storage/index.js';
import { fc, runs } from '../support/properties.js';

/** A token is the user's name; administrators are called admin, and nodes are nodes. */
const byToken: Authenticator = (request) => {
  const username = /^Bearer (.+)$/.exec(request.header('Authorization') ?? '')?.[1];
  if (username === undefined) return [];
  const groups =
    username === 'admin' ? ['system:masters'] : username.startsWith('system:node:') ? ['system:nodes'] : [];
  return [{ user: { username, uid: `${username}-uid`, groups: [...groups, 'system:authenticated'] } }];
};

interface Answer {
  readonly code: number;
  readonly headers: Headers;
  readonly body: {
    readonly message?: string;
    readonly kind?: string;
    readonly status?: Record<string, unknown>;
    readonly metadata?: Record<string, unknown>;
    readonly spec?: unknown;
  };
}

interface Served {
  readonly server: ApiServer;
  ask(who: string, method: string, path: string, body?: object, contentType?: string): Promise<Answer>;
}

function serve(options: Partial<ServerOptions> = {}): Served {
  const clock = virtualClock();
  const server = createServer({
    store: memoryStore({ clock }),
    clock,
    random: random(1),
    authenticators: [byToken],
    authorizers: [refusing],
    ...options,
  });
  const handle = fetchHandler(server, { clock, random: random(2) });
  return {
    server,
    async ask(who, method, path, body, contentType = 'application/json') {
      const headers = { Authorization: `Bearer ${who}`, ...(body && { 'Content-Type': contentType }) };
      const response = await handle(
        new Request(`http://x${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }),
      );
      const text = await response.text();
      return {
        code: response.status,
        headers: response.headers,
        body: text.startsWith('{') ? (JSON.parse(text) as Answer['body']) : { message: text },
      };
    },
  };
}

const refusing: Authorizer = () => [{ decision: 'noOpinion', reason: '' }];
const allowing =
  (allows: (attributes: AccessAttributes) => boolean): Authorizer =>
  (attributes) => [{ decision: allows(attributes) ? 'allow' : 'noOpinion', reason: '' }];
const mergePatch = 'application/merge-patch+json';

/** Attributes of a user, nothing else said. */
function asked(user: Frozen<UserInfo>, rest: Partial<AccessAttributes>): AccessAttributes {
  return {
    user,
    verb: 'get',
    isResource: true,
    path: '',
    group: '',
    version: 'v1',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    ...rest,
  };
}

const nodeAuthorizerOver = ({ reader }: { readonly reader: ObjectReader }): Authorizer =>
  nodeAuthorizer({ informers: objectInformers(reader), closed$: NEVER });

t.test('method and path say what is asked for', (t) => {
  const read = (method: string, target: string): string => {
    const [path = '', query = ''] = target.split('?');
    const info = readRequestInfo(method, path, parseQuery(query));
    if (info === undefined) return 'nothing';
    return info.isResource
      ? [info.verb, info.group, info.resource, info.subresource, info.namespace, info.name].join(' ')
      : `${info.verb} ${info.path}`;
  };
  const table: readonly (readonly [method: string, target: string, expected: string])[] = [
    ['POST', '/api/v1/namespaces/n/pods', 'create  pods  n '],
    ['GET', '/api/v1/namespaces/n/pods/p', 'get  pods  n p'],
    ['HEAD', '/api/v1/namespaces/n/pods/p', 'get  pods  n p'],
    ['GET', '/api/v1/pods', 'list  pods   '],
    ['HEAD', '/api/v1/pods', 'list  pods   '],
    ['GET', '/api/v1/pods?watch=true', 'watch  pods   '],
    ['GET', '/api/v1/pods?watch', 'watch  pods   '],
    ['GET', '/api/v1/pods?watch=nonsense', 'watch  pods   '],
    ['GET', '/api/v1/pods?watch=0', 'list  pods   '],
    ['GET', '/api/v1/pods?watch=FALSE', 'list  pods   '],
    ['GET', '/api/v1/pods?watch=false&watch=true', 'list  pods   '],
    ['PUT', '/apis/apps/v1/namespaces/n/deployments/d/scale', 'update apps deployments scale n d'],
    ['PATCH', '/apis/apps/v1/namespaces/n/deployments/d', 'patch apps deployments  n d'],
    ['DELETE', '/api/v1/nodes/n', 'delete  nodes   n'],
    ['DELETE', '/api/v1/nodes', 'deletecollection  nodes   '],
    ['OPTIONS', '/api/v1/nodes', '  nodes   '],
    ['GET', '/api/v1/watch/namespaces/n/pods/p', 'watch  pods  n p'],
    ['POST', '/api/v1/proxy/nodes/n/a/b', 'proxy  nodes   n'],
    ['GET', '/api/v1/watch', 'nothing'],
    ['GET', '/api/v1/namespaces/x', 'get  namespaces  x x'],
    ['PUT', '/api/v1/namespaces/x/status', 'update  namespaces status x x'],
    ['PUT', '/api/v1/namespaces/x/finalize', 'update  namespaces finalize x x'],
    ['GET', '/api/v1/namespaces/x/other', 'list  other  x '],
    ['GET', '/apis/apps/v1', 'get /apis/apps/v1'],
    ['POST', '/healthz', 'post /healthz'],
    ['GET', '/api/v1/secrets?fieldSelector=metadata.name%3Da', 'list  secrets   a'],
    ['GET', '/api/v1/secrets?fieldSelector=metadata.name%3Da&fieldSelector=metadata.name%3Db', 'list  secrets   a'],
    ['GET', '/api/v1/secrets?fieldSelector=metadata.name%3D..', 'list  secrets   '],
    ['GET', '/api/v1/secrets?fieldSelector=metadata.name!%3Da', 'list  secrets   '],
    ['GET', '/api/v1/secrets?fieldSelector=metadata.name%3Da&limit=x', 'list  secrets   '],
    ['DELETE', '/api/v1/secrets?fieldSelector=metadata.name%3Da', 'deletecollection  secrets   '],
  ];
  for (const [method, target, expected] of table) t.equal(read(method, target), expected, `${method} ${target}`);
  t.end();
});

t.test('authorizers see the selectors that will be applied, and only where selectors are', async (t) => {
  const seen: AccessAttributes[] = [];
  const { server, ask } = serve({
    authorizers: [(attributes) => (seen.push(attributes), [{ decision: 'allow', reason: '' }])],
  });
  const selectors = async (method: string, target: string): Promise<AccessAttributes['selectors']> => {
    await ask('alice', method, target);
    return seen.at(-1)?.selectors;
  };
  const field = { requirements: [{ field: 'spec.nodeName', operator: '=', value: 'a' }] };
  const label = { requirements: [{ key: 'x', operator: '=', values: ['y'] }], nothing: false };
  t.strictSame(await selectors('GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Da'), { field });
  t.strictSame(
    await selectors(
      'GET',
      '/api/v1/pods?fieldSelector=spec.nodeName%3Da&fieldSelector=spec.nodeName%3Db&labelSelector=x%3Dy',
    ),
    { field, label },
  );
  t.strictSame(await selectors('DELETE', '/api/v1/namespaces/default/pods?labelSelector=x%3Dy'), { label });
  t.strictSame(await selectors('GET', '/api/v1/pods?fieldSelector=x&labelSelector=x%3Dy'), {
    label,
    problem: "invalid selector: 'x'; can't understand 'x'",
  });
  t.strictSame(
    await selectors('GET', '/api/v1/pods?limit=none&labelSelector=x%3Dy'),
    { label },
    'whatever else makes no sense',
  );
  for (const target of [
    '/api/v1/pods',
    '/api/v1/pods?fieldSelector=',
    '/api/v1/pods?fieldSelector=%3D',
    '/api/v1/namespaces/default/pods/p?labelSelector=x%3Dy',
    '/version?labelSelector=x%3Dy',
  ]) {
    t.equal(await selectors('GET', target), undefined, target);
  }
  t.equal(
    readRequestInfo('GET', '/api/v1/watch/pods', parseQuery('labelSelector=x%3Dy'))?.selectorTexts,
    undefined,
    'a watch by its path has none',
  );
  const info = {
    verb: 'list',
    isResource: true,
    path: '',
    group: '',
    version: 'v1',
    namespace: '',
    resource: 'pods',
    subresource: '',
    name: '',
  };
  await server.handler(new InProcessRequest({ info, user: { username: 'me' }, options: { labelSelector: 'x=y' } }));
  t.strictSame(seen.at(-1)?.selectors, { label }, 'in process they are options');
  await server.close();
});

const node1: UserInfo = { username: 'system:node:node1', groups: ['system:nodes', 'system:authenticated'] };

/** A reader of events that a test gives. */
function readerOf(
  events: Readonly<Record<string, readonly WatcherEvent<Frozen<ApiObject>>[]>>,
  rest$: Observable<never> = NEVER,
): ObjectReader {
  const synced = { type: 'synced', resourceVersion: '1' } as const;
  return {
    get: () => Promise.resolve(undefined),
    changes: <T extends ApiObject>({ resource }: { readonly resource: string }) =>
      concat(of(...(events[resource] ?? [{ type: 'init' } as const, synced])), rest$) as unknown as Observable<
        WatcherEvent<Frozen<T>>
      >,
  };
}

const onePod: Pod = {
  metadata: { name: 'one', namespace: 'n', uid: '1' },
  spec: {
    nodeName: 'node1',
    serviceAccountName: 'robot',
    imagePullSecrets: [{ name: 'pull' }],
    initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 'init' } }] }],
    containers: [
      {
        name: 'c',
        env: [
          { name: 'A', valueFrom: { secretKeyRef: { name: 'env', key: 'k' } } },
          { name: 'B', valueFrom: { configMapKeyRef: { name: 'env-map', key: 'k' } } },
        ],
        envFrom: [{ configMapRef: { name: 'from-map' } }],
      },
    ],
    volumes: [
      { name: 's', secret: { secretName: 'mounted' } },
      { name: 'm', configMap: { name: 'mounted-map' } },
      {
        name: 'p',
        projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'projected-map' } }] },
      },
      { name: 'd', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'e', ephemeral: {} },
      { name: 'x', csi: { driver: 'd', nodePublishSecretRef: { name: 'csi' } } },
      { name: 'a', azureFile: { secretName: 'azure', shareName: 's' } },
      { name: 'r', rbd: { image: 'i', monitors: [], secretRef: { name: 'rbd' } } },
    ],
    resourceClaims: [
      { name: 'direct', resourceClaimName: 'claim' },
      { name: 'made', resourceClaimTemplateName: 't' },
      { name: 'coming', resourceClaimTemplateName: 't' },
    ],
  },
  status: {
    resourceClaimStatuses: [{ name: 'made', resourceClaimName: 'made-claim' }],
    extendedResourceClaimStatus: { requestMappings: [], resourceClaimName: 'extended' },
  },
};

t.test('a pod needs what it names; a mirror pod names nothing', (t) => {
  const names = [...podReferences(onePod)].map((each) => each.replace(' n/', ' ')).sort();
  const secrets = ['azure', 'csi', 'env', 'init', 'mounted', 'projected', 'pull', 'rbd'].map(
    (name) => `secret ${name}`,
  );
  const maps = ['env-map', 'from-map', 'mounted-map', 'projected-map'].map((name) => `configMap ${name}`);
  t.strictSame(
    names,
    [
      ...secrets,
      ...maps,
      'claim data',
      'claim one-e',
      'resourceClaim claim',
      'resourceClaim made-claim',
      'resourceClaim extended',
      'serviceAccount robot',
    ].sort(),
  );
  t.equal(
    podReferences({ ...onePod, metadata: { ...onePod.metadata, annotations: { 'kubernetes.io/config.mirror': '' } } })
      .size,
    0,
  );
  const csi: PersistentVolume = {
    spec: {
      claimRef: { namespace: 'n', name: 'data' },
      csi: {
        driver: 'd',
        volumeHandle: 'h',
        nodePublishSecretRef: { name: 'a', namespace: 'x' },
        nodeStageSecretRef: { name: 'b', namespace: 'x' },
        nodeExpandSecretRef: { name: 'c', namespace: 'x' },
        controllerPublishSecretRef: { name: 'd', namespace: 'x' },
        controllerExpandSecretRef: { name: 'e', namespace: 'x' },
      },
    },
  };
  t.strictSame(
    [...volumeSecrets(csi)],
    ['secret x/a', 'secret x/b', 'secret x/c'],
    'what the controllers of a driver read is not for nodes',
  );
  t.strictSame(
    [
      ...volumeSecrets({
        spec: {
          claimRef: { namespace: 'n', name: 'data' },
          iscsi: { targetPortal: '', iqn: '', lun: 0, secretRef: { name: 's' } },
        },
      }),
    ],
    ['secret n/s'],
    'the namespace of the claim, unless another is named',
  );
  t.end();
});

t.test('nodes may what they need, and see only what has to do with them', async (t) => {
  const list = (...objects: ApiObject[]): readonly WatcherEvent<Frozen<ApiObject>>[] => [
    { type: 'init' },
    ...objects.map((object) => ({ type: 'listed', object }) as const),
    { type: 'synced', resourceVersion: '1' },
  ];
  const volume: PersistentVolume = {
    metadata: { name: 'pv' },
    spec: {
      claimRef: { namespace: 'n', name: 'data' },
      csi: { driver: 'd', volumeHandle: 'h', nodePublishSecretRef: { name: 'pv-secret', namespace: 'n' } },
    },
  };
  const authorizer = nodeAuthorizerOver({
    reader: readerOf({
      pods: list(
        onePod,
        {
          metadata: { name: 'two', namespace: 'n', uid: '2' },
          spec: { nodeName: 'node2', containers: [], volumes: [{ name: 's', secret: { secretName: 'other' } }] },
        } as Pod,
        {
          metadata: { name: 'free', namespace: 'n' },
          spec: { containers: [], volumes: [{ name: 's', secret: { secretName: 'free' } }] },
        } as Pod,
      ),
      persistentvolumes: list(volume),
      volumeattachments: list({ metadata: { name: 'va' }, spec: { nodeName: 'node1' } } as ApiObject),
      resourceslices: list(
        { metadata: { name: 'slice' }, spec: { nodeName: 'node1' } } as ApiObject,
        { metadata: { name: 'shared' }, spec: { allNodes: true } } as ApiObject,
      ),
    }),
  });
  const answer = async (rest: Partial<AccessAttributes>, user: UserInfo = node1): Promise<string> => {
    const found = await authorizer(asked(user, rest));
    const { decision, reason } = (Array.isArray(found) ? found[0] : found) as Decision;
    return decision === 'allow' ? 'allow' : reason;
  };
  const unrelated = "no relationship found between node 'node1' and this object";
  const own = { field: { requirements: [{ field: 'spec.nodeName', operator: '=', value: 'node1' }] } } as const;
  const foreign = { field: { requirements: [{ field: 'spec.nodeName', operator: '=', value: 'node2' }] } } as const;
  const table: readonly (readonly [ask: Partial<AccessAttributes>, answer: string])[] = [
    [{ resource: 'secrets', namespace: 'n', name: 'mounted' }, 'allow'],
    [{ resource: 'secrets', namespace: 'n', name: 'mounted', verb: 'watch' }, 'allow'],
    [{ resource: 'secrets', namespace: 'n', name: 'pv-secret' }, 'allow'],
    [{ resource: 'secrets', namespace: 'n', name: 'other' }, unrelated],
    [{ resource: 'secrets', namespace: 'n', name: 'free' }, unrelated],
    [{ resource: 'secrets', namespace: 'm', name: 'mounted' }, unrelated],
    [{ resource: 'secrets', namespace: 'n', verb: 'list' }, 'No Object name found'],
    [{ resource: 'secrets', name: 'mounted' }, 'can only read namespaced object of this type'],
    [{ resource: 'secrets', namespace: 'n', name: 'mounted', verb: 'update' }, 'can only read resources of this type'],
    [{ resource: 'configmaps', namespace: 'n', name: 'env-map', subresource: 'x' }, 'cannot read subresource'],
    [{ resource: 'configmaps', namespace: 'n', name: 'env-map' }, 'allow'],
    [{ resource: 'persistentvolumeclaims', namespace: 'n', name: 'one-e' }, 'allow'],
    [
      { resource: 'persistentvolumeclaims', namespace: 'n', name: 'data', verb: 'list' },
      'can only get individual resources of this type',
    ],
    [
      { resource: 'persistentvolumeclaims', namespace: 'n', name: 'data', subresource: 'status', verb: 'patch' },
      'allow',
    ],
    [
      { resource: 'persistentvolumeclaims', namespace: 'n', name: 'data', subresource: 'status' },
      'can only get/update/patch this type',
    ],
    [{ resource: 'persistentvolumes', name: 'pv' }, 'allow'],
    [{ resource: 'persistentvolumes', name: 'pv', subresource: 'status' }, 'cannot get subresource'],
    [{ group: 'storage.k8s.io', resource: 'volumeattachments', name: 'va' }, 'allow'],
    [{ group: 'resource.k8s.io', resource: 'resourceclaims', namespace: 'n', name: 'extended' }, 'allow'],
    [{ resource: 'serviceaccounts', namespace: 'n', name: 'robot' }, 'allow'],
    [{ resource: 'serviceaccounts', namespace: 'n', name: 'robot', subresource: 'token', verb: 'create' }, 'allow'],
    [{ resource: 'serviceaccounts', namespace: 'n', name: 'default', subresource: 'token', verb: 'create' }, unrelated],
    [
      { resource: 'serviceaccounts', namespace: 'n', name: 'robot', verb: 'create' },
      'can only create token subresource of serviceaccount',
    ],
    [
      { resource: 'serviceaccounts', namespace: 'n', verb: 'list' },
      'can only create tokens for individual service accounts',
    ],
    [
      { group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-node-lease', name: 'node1', verb: 'update' },
      'allow',
    ],
    [{ group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-node-lease', verb: 'create' }, 'allow'],
    [
      { group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-node-lease', name: 'node2' },
      'can only access node lease with the same name as the requesting node',
    ],
    [
      { group: 'coordination.k8s.io', resource: 'leases', namespace: 'n', name: 'node1' },
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    [
      { group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-node-lease', verb: 'list' },
      'can only get, create, update, patch, or delete a node lease',
    ],
    [{ group: 'storage.k8s.io', resource: 'csinodes', name: 'node1', verb: 'delete' }, 'allow'],
    [
      { group: 'storage.k8s.io', resource: 'csinodes', name: 'node2' },
      'can only access CSINode with the same name as the requesting node',
    ],
    [{ group: 'resource.k8s.io', resource: 'resourceslices', name: 'slice', verb: 'delete' }, 'allow'],
    [{ group: 'resource.k8s.io', resource: 'resourceslices', name: 'shared' }, unrelated],
    [{ group: 'resource.k8s.io', resource: 'resourceslices', verb: 'list', selectors: own }, 'allow'],
    [
      { group: 'resource.k8s.io', resource: 'resourceslices', verb: 'deletecollection', selectors: foreign },
      'can only list/watch/deletecollection resourceslices with nodeName field selector',
    ],
    [{ resource: 'nodes', name: 'node1' }, 'allow'],
    [{ resource: 'nodes', name: 'node2' }, "node 'node1' cannot read 'node2', only its own Node object"],
    [{ resource: 'nodes', verb: 'list' }, "node 'node1' cannot read all nodes, only its own Node object"],
    [{ resource: 'nodes', name: 'node2', subresource: 'status', verb: 'patch' }, 'allow'],
    [{ resource: 'nodes', name: 'node1', verb: 'delete' }, ''],
    [{ resource: 'pods', namespace: 'n', name: 'one' }, 'allow'],
    [{ resource: 'pods', namespace: 'n', name: 'two' }, unrelated],
    [{ resource: 'pods', verb: 'watch', selectors: own }, 'allow'],
    [
      { resource: 'pods', verb: 'watch', selectors: foreign },
      'can only list/watch pods with spec.nodeName field selector',
    ],
    [{ resource: 'pods', verb: 'list', namespace: 'n', name: 'one' }, 'allow'],
    [{ resource: 'pods', namespace: 'n', name: 'one', subresource: 'eviction', verb: 'create' }, 'allow'],
    [{ resource: 'pods', namespace: 'n', name: 'one', subresource: 'log' }, ''],
    [{ resource: 'services', verb: 'list' }, 'allow'],
    [{ resource: 'services', name: 'x', subresource: 'status' }, ''],
    [{ group: 'events.k8s.io', resource: 'events', verb: 'create' }, 'allow'],
    [{ isResource: false, path: '/healthz' }, ''],
  ];
  for (const [ask, expected] of table) t.equal(await answer(ask), expected, JSON.stringify(ask));
  t.equal(
    await answer({ resource: 'nodes' }, { username: 'system:node:', groups: ['system:nodes'] }),
    'unknown node for user "system:node:"',
  );
  t.equal(
    await answer(
      { resource: 'nodes', name: 'node1' },
      { username: 'system:node:node1', groups: ['system:authenticated'] },
    ),
    '',
    'the group makes the node',
  );
  t.equal(await answer({ resource: 'nodes', name: 'node1' }, { username: 'node1', groups: ['system:nodes'] }), '');
  t.strictSame(authorizer.rules?.(node1, 'n'), [
    {
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      error: 'node authorizer does not support user rule resolution',
    },
  ]);
  t.strictSame(authorizer.rules?.({ username: 'alice' }, 'n'), [
    { resourceRules: [], nonResourceRules: [], incomplete: false },
  ]);
});

t.test('what relates nodes to objects is kept in step with the server', async (t) => {
  const { server, ask } = serve({ authorizers: (tools) => [nodeAuthorizer(tools)] });
  const reads = async (name: string): Promise<number> =>
    (await ask('system:node:node1', 'GET', `/api/v1/namespaces/default/secrets/${name}`)).code;
  const pod = (name: string, secretName: string): object => ({
    metadata: { name },
    spec: {
      nodeName: 'node1',
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 's', secret: { secretName } }],
    },
  });
  for (const name of ['a', 'b'])
    await ask('admin', 'POST', '/api/v1/namespaces/default/secrets', { metadata: { name } });
  await ask('admin', 'POST', '/api/v1/namespaces/default/pods', pod('p', 'a'));
  t.equal(await reads('a'), 200, 'the first question waits until the pods are known');
  t.equal(await reads('b'), 403);
  await ask('admin', 'POST', '/api/v1/namespaces/default/pods', pod('q', 'b'));
  t.equal(await reads('b'), 200);
  await ask('admin', 'DELETE', '/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0');
  t.equal(await reads('a'), 403);
  await server.close();
});

t.test('a list that begins anew takes away what is gone, and a stream that fails is begun anew', async (t) => {
  const gone = {
    metadata: { name: 'gone', namespace: 'n', uid: '3' },
    spec: { nodeName: 'node1', containers: [], imagePullSecrets: [{ name: 'gone' }] },
  } as Pod;
  const synced = { type: 'synced', resourceVersion: '1' } as const;
  const init = { type: 'init' } as const;
  const ask = async (authorizer: Authorizer, name: string): Promise<string> => {
    const found = await authorizer(asked(node1, { resource: 'secrets', namespace: 'n', name }));
    return ((Array.isArray(found) ? found[0] : found) as Decision).decision;
  };
  const relisted = nodeAuthorizerOver({
    reader: readerOf({
      pods: [
        init,
        { type: 'listed', object: gone },
        synced,
        init,
        { type: 'listed', object: onePod },
        synced,
        { type: 'bookmark', resourceVersion: '2' },
      ],
    }),
  });
  t.strictSame([await ask(relisted, 'gone'), await ask(relisted, 'mounted')], ['noOpinion', 'allow']);
  const ended = nodeAuthorizerOver({ reader: readerOf({ pods: [init] }, EMPTY) });
  t.equal(await ask(ended, 'mounted'), 'noOpinion', 'a server that closes resolves pending requests');
  let attempts = 0;
  const reader = readerOf({ pods: [init, { type: 'listed', object: onePod }, synced] });
  const failing = nodeAuthorizerOver({
    reader: {
      ...reader,
      changes(resource) {
        if (resource.resource === 'pods' && ++attempts === 1) throw new Error('broken');
        return reader.changes(resource);
      },
    },
  });
  await t.rejects(ask(failing, 'mounted'), { message: 'broken' });
  t.equal(await ask(failing, 'mounted'), 'allow');
});

t.test('the graph answers as a search of what was given would', (t) => {
  const names = ['x', 'y', 'z'];
  const some = fc.uniqueArray(fc.constantFrom('claim n/x', 'claim n/y', 'secret n/x', 'secret n/y'), { maxLength: 4 });
  const step = fc.oneof(
    fc.record({
      do: fc.constant('give' as const),
      source: fc.constantFrom(...names),
      node: fc.constantFrom('a', 'b'),
      objects: some,
    }),
    fc.record({ do: fc.constant('take' as const), source: fc.constantFrom(...names) }),
    fc.record({
      do: fc.constant('bind' as const),
      volume: fc.constantFrom(...names),
      claim: fc.constantFrom('claim n/x', 'claim n/y'),
      objects: fc.uniqueArray(fc.constantFrom('volume /x', 'secret n/x', 'secret n/z'), { maxLength: 3 }),
    }),
    fc.record({ do: fc.constant('unbind' as const), volume: fc.constantFrom(...names) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const graph = new NodeGraph();
      const given = new Map<string, { node: string; objects: readonly string[] }>();
      const bound = new Map<string, { claim: string; objects: readonly string[] }>();
      for (const each of steps) {
        if (each.do === 'give') {
          graph.give(each.source, each.node, new Set(each.objects));
          given.set(each.source, each);
        } else if (each.do === 'take') {
          graph.take(each.source);
          given.delete(each.source);
        } else if (each.do === 'bind') {
          graph.bind(each.volume, each.claim, new Set(each.objects));
          bound.set(each.volume, each);
        } else {
          graph.unbind(each.volume);
          bound.delete(each.volume);
        }
        for (const node of ['a', 'b']) {
          const direct = new Set(
            [...given.values()].filter((one) => one.node === node).flatMap(({ objects }) => objects),
          );
          const passed = [...bound.values()].filter(({ claim }) => direct.has(claim)).flatMap(({ objects }) => objects);
          const reached = new Set([...direct, ...passed]);
          for (const object of ['claim n/x', 'claim n/y', 'secret n/x', 'secret n/y', 'secret n/z', 'volume /x'])
            if (graph.isRelated(node, object) !== reached.has(object)) return false;
        }
      }
      for (const name of names) {
        graph.take(name);
        graph.unbind(name);
      }
      return graph.size === 0;
    }),
    { numRuns: runs(500) },
  );
  t.equal(reference('volume', '', 'x'), 'volume /x');
  t.end();
});

t.test('policies in a file allow by user, group, namespace, resource and path', (t) => {
  const current = (spec: object): string =>
    JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec });
  const decide = (line: string, user: UserInfo, rest: Partial<AccessAttributes>): string =>
    (abac(line)(asked(user, rest)) as readonly Decision[])[0]?.decision ?? '';
  const alice: UserInfo = { username: 'alice', groups: ['devs', 'system:authenticated'] };
  const pods = { resource: 'pods', namespace: 'n' };
  const table: readonly (readonly [line: string, ask: Partial<AccessAttributes>, allowed: boolean])[] = [
    [current({ user: 'alice', namespace: '*', resource: '*', apiGroup: '*' }), { ...pods, verb: 'delete' }, true],
    [
      current({ user: 'alice', namespace: 'n', resource: 'pods' }),
      { ...pods, subresource: 'exec', verb: 'create' },
      true,
    ],
    [current({ user: 'alice', namespace: 'n', resource: 'pods' }), { resource: 'pods', namespace: '' }, false],
    [current({ user: 'alice', resource: 'pods' }), { resource: 'pods', namespace: '' }, true],
    [current({ user: 'alice', namespace: 'n', resource: 'pods' }), { ...pods, group: 'apps' }, false],
    [current({ user: 'alice', namespace: 'n', resource: 'pods', readonly: true }), { ...pods, verb: 'watch' }, true],
    [current({ user: 'alice', namespace: 'n', resource: 'pods', readonly: true }), { ...pods, verb: 'create' }, false],
    [current({ user: 'alice', group: 'devs', namespace: '*', resource: '*' }), pods, true],
    [current({ user: 'alice', group: 'ops', namespace: '*', resource: '*' }), pods, false],
    [current({ user: 'bob', group: 'devs', namespace: '*', resource: '*' }), pods, false],
    [current({ user: '*', namespace: '*', resource: '*' }), pods, true],
    [current({ group: '*', namespace: '*', resource: '*' }), pods, true],
    [current({ namespace: '*', resource: '*' }), pods, false],
    [current({ user: 'alice', nonResourcePath: '/api*' }), { isResource: false, path: '/apis' }, true],
    [current({ user: 'alice', nonResourcePath: '/api' }), { isResource: false, path: '/apis' }, false],
    [current({ user: 'alice', nonResourcePath: '*' }), pods, false],
    ['{}', pods, true],
    ['{"user":"alice"}', { isResource: false, path: '/x', verb: 'post' }, true],
    ['{"kind":"Policy","user":"alice","namespace":"n"}', { isResource: false, path: '/x' }, false],
    [
      '{"apiVersion":"abac.authorization.kubernetes.io/v0","user":"alice","resource":"pods"}',
      { ...pods, group: 'any' },
      true,
    ],
    ['{"user":"*","group":"nobody"}', pods, true],
    ['{"group":"devs","readonly":true}', { ...pods, verb: 'update' }, false],
    ['# nothing\n\n   \r\n', pods, false],
  ];
  for (const [line, ask, allowed] of table)
    t.equal(decide(line, alice, ask) === 'allow', allowed, `${line} ${JSON.stringify(ask)}`);
  t.equal(
    decide('{}', { username: 'system:anonymous', groups: ['system:unauthenticated'] }, pods),
    'noOpinion',
    'the oldest form means those who are known',
  );
  t.equal((abac('')(asked(alice, pods)) as readonly Decision[])[0]?.reason, 'No policy matched.');
  t.strictSame(
    abac(
      [
        current({ user: 'alice', namespace: 'n', resource: 'pods', readonly: true }),
        current({ user: 'alice', namespace: 'm', resource: 'pods' }),
        '{"user":"alice"}',
      ].join('\n'),
    ).rules?.(alice, 'n'),
    [
      {
        resourceRules: [
          { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] },
          { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
        ],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        incomplete: false,
      },
    ],
  );
  for (const [text, message] of [
    ['{}\n# fine\nnonsense', /line 3: nonsense: /],
    ['[]', /line 1: \[\]: a policy is an object/],
    ['{"user":3}', /line 1: .*: user is a text/],
    ['{"readonly":"yes"}', /readonly is true or false/],
    ['{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":[]}', /spec is an object/],
    ['{"apiVersion":"v1","kind":"Pod"}', /no kind "Pod" is registered for version "v1"/],
  ] as const) {
    t.throws(() => abac(text), { name: 'SyntaxError', message }, text);
  }
  t.equal(decide('{"__proto__":{"user":"alice"},"user":"bob"}', alice, pods), 'noOpinion');
  t.end();
});

t.test('access reviews ask authorizers as the request itself would', async (t) => {
  const seen: AccessAttributes[] = [];
  const telling: Authorizer = (attributes) => {
    seen.push(attributes);
    if (attributes.name === 'denied') return [{ decision: 'deny', reason: 'never' }];
    return [{ decision: 'noOpinion', reason: 'unsure', ...(attributes.name === 'failing' && { error: 'no contact' }) }];
  };
  const { server, ask } = serve({ authorizers: [telling] });
  const group = '/apis/authorization.k8s.io/v1';
  const about = { verb: 'list', resource: 'pods', namespace: 'default' };
  const review = async (spec: object, metadata?: object, path = `${group}/subjectaccessreviews`): Promise<unknown> => {
    const { code, body } = await ask('admin', 'POST', path, { ...(metadata && { metadata }), spec });
    return code === 201 ? body.status : `${code} ${body.message ?? ''}`;
  };
  t.strictSame(await review({ user: 'zed', groups: ['g'], uid: 'u', extra: { k: ['v'] }, resourceAttributes: about }), {
    allowed: false,
    reason: 'unsure',
  });
  t.strictSame(seen.at(-1), {
    user: { username: 'zed', uid: 'u', groups: ['g'], extra: { k: ['v'] } },
    verb: 'list',
    isResource: true,
    path: '',
    group: '',
    version: '*',
    resource: 'pods',
    subresource: '',
    namespace: 'default',
    name: '',
  });
  t.strictSame(await review({ user: 'zed', resourceAttributes: { ...about, name: 'denied' } }), {
    allowed: false,
    denied: true,
    reason: 'never',
  });
  t.strictSame(
    await review({
      user: 'zed',
      resourceAttributes: { ...about, name: 'failing', fieldSelector: { rawSelector: 'x' } },
    }),
    {
      allowed: false,
      reason: 'unsure',
      evaluationError: 'no contact; spec.resourceAttributes.fieldSelector ignored due to parse error',
    },
  );
  t.strictSame(await review({ groups: ['system:masters'], nonResourceAttributes: { path: '/x', verb: 'get' } }), {
    allowed: true,
  });
  t.strictSame(await review({ user: 'zed', nonResourceAttributes: { path: '/x', verb: 'get' } }), {
    allowed: false,
    reason: 'unsure',
  });
  t.match(seen.at(-1), { isResource: false, path: '/x', version: '' });

  const selecting = async (selector: object, kind = 'fieldSelector'): Promise<unknown> =>
    review({ user: 'zed', resourceAttributes: { ...about, [kind]: selector } });
  const at = 'spec.resourceAttributes.fieldSelector';
  await selecting({
    requirements: [
      { key: 'a', operator: 'In', values: ['b'] },
      { key: 'c', operator: 'NotIn', values: ['d'] },
    ],
  });
  t.strictSame(seen.at(-1)?.selectors, {
    field: {
      requirements: [
        { field: 'a', operator: '=', value: 'b' },
        { field: 'c', operator: '!=', value: 'd' },
      ],
    },
  });
  await selecting(
    {
      requirements: [
        { key: 'a', operator: 'In', values: ['c', 'b'] },
        { key: 'd', operator: 'DoesNotExist' },
      ],
    },
    'labelSelector',
  );
  t.strictSame(seen.at(-1)?.selectors, {
    label: {
      requirements: [
        { key: 'a', operator: 'in', values: ['b', 'c'] },
        { key: 'd', operator: '!', values: [] },
      ],
      nothing: false,
    },
  });
  t.match(
    await selecting({
      requirements: [
        { key: 'a', operator: 'In', values: ['b'] },
        { key: 'c', operator: 'Foo' },
      ],
    }),
    { evaluationError: `${at} partially ignored due to parse error` },
  );
  for (const requirement of [
    { key: 'a', operator: 'In', values: ['b', 'c'] },
    { key: 'a', operator: 'Exists' },
    { key: 'a', operator: '' },
  ]) {
    t.match(await selecting({ requirements: [requirement] }), { evaluationError: `${at} ignored due to parse error` });
  }
  t.match(await selecting({ rawSelector: '!' }, 'labelSelector'), {
    evaluationError: 'spec.resourceAttributes.labelSelector ignored due to parse error',
  });
  const invalid = '422 .authorization.k8s.io "" is invalid: ';
  t.equal(
    await selecting({}),
    `${invalid}${at}.requirements: Required value: when ${at} is specified, requirements or rawSelector is required`,
  );
  t.equal(
    await selecting({ rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'Exists' }] }),
    `${invalid}${at}.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements`,
  );
  t.equal(
    await selecting({ requirements: [{ key: '', operator: 'In' }] }),
    `${invalid}[${at}.requirements[0].key: Required value: must be specified, ${at}.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn']`,
  );
  t.equal(
    await selecting({ requirements: [{ key: 'a', operator: 'Exists', values: ['b'] }] }),
    `${invalid}${at}.requirements[0].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
  );

  t.equal(
    await review({}),
    `${invalid}[spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified, spec.user: Invalid value: "": at least one of user or group must be specified]`,
  );
  t.equal(
    await review({ user: 'zed', resourceAttributes: about }, { name: 'x' }),
    `${invalid}metadata: Invalid value: {"name":"x"}: must be empty`,
  );
  t.match(
    await review(
      { user: 'zed', resourceAttributes: about },
      { namespace: 'x', labels: {}, uid: 'u', managedFields: [{ manager: 'x' }] },
    ),
    { allowed: false },
    'what says nothing is empty',
  );
  t.equal(
    await review({ resourceAttributes: about }, { name: 'x' }, `${group}/selfsubjectaccessreviews`),
    `${invalid}metadata: Invalid value: {"name":"x"}: must be empty`,
  );
  const local = `${group}/namespaces/default/localsubjectaccessreviews`;
  t.match((await ask('admin', 'POST', local, { spec: { user: 'zed', resourceAttributes: about } })).body.metadata, {
    namespace: 'default',
  });
  t.equal(
    await review({ user: 'zed', resourceAttributes: about }, { name: 'x' }, local),
    `${invalid}metadata: Invalid value: {"name":"x","namespace":"default"}: must be empty except for namespace`,
  );
  t.equal(
    await review({ user: 'zed', resourceAttributes: { ...about, namespace: 'other' } }, undefined, local),
    `${invalid}spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace`,
  );
  t.equal(
    await review({ user: 'zed', nonResourceAttributes: { path: '/x', verb: 'get' } }, undefined, local),
    `${invalid}spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: disallowed on this kind of request`,
  );
  t.equal(
    await review({ user: 'zed', resourceAttributes: about }, { namespace: 'other' }, local),
    '400 the namespace of the provided object does not match the namespace sent on the request',
  );
  t.equal(await review({}, undefined, `${group}/selfsubjectrulesreviews`), '400 no namespace on request');
  const { body } = await ask('admin', 'POST', `${group}/selfsubjectrulesreviews`, {
    metadata: { name: 'x' },
    spec: { namespace: 'n' },
  });
  t.match(body, { metadata: {}, spec: {}, status: { incomplete: true } });
  t.notOk(body.metadata?.name);
  await server.close();
});

t.test('some writes need more than their verb', async (t) => {
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
  const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
  const claims = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
  const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/l';
  const further: AccessAttributes[] = [];
  const plain = new Set([
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'resourceclaims',
    'resourceclaims/status',
    'leases',
    'pods/exec',
  ]);
  const { server, ask } = serve({
    authorizers: [
      allowing((attributes) => {
        const key = `${attributes.resource}${attributes.subresource === '' ? '' : `/${attributes.subresource}`}`;
        if (
          plain.has(key) &&
          !(key === 'leases' && attributes.verb === 'create') &&
          !(key === 'pods/exec' && attributes.verb === 'create')
        )
          return true;
        further.push(attributes);
        return attributes.resource === 'secrets';
      }),
    ],
  });
  const said = async (...request: Parameters<typeof ask>): Promise<string> => {
    const { code, body } = await ask(...request);
    return `${code}${code < 400 ? '' : ` ${body.message ?? ''}`}`;
  };
  const policy = (name: string, paramKind?: object): object => ({
    metadata: { name },
    spec: {
      ...(paramKind && { paramKind }),
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      validations: [{ expression: 'true' }],
    },
  });
  const binding = (name: string, policyName: string, paramRef: object): object => ({
    metadata: { name },
    spec: { policyName, validationActions: ['Deny'], paramRef: { parameterNotFoundAction: 'Deny', ...paramRef } },
  });
  const user = '&{alice alice-uid [system:authenticated] map[]}';
  t.equal(await said('alice', 'POST', policies, policy('plain')), '201');
  t.equal(
    await said('alice', 'POST', policies, policy('p', { apiVersion: 'v1', kind: 'ConfigMap' })),
    `422 ValidatingAdmissionPolicy.admissionregistration.k8s.io "p" is invalid: spec.paramKind: Forbidden: user ${user} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`,
  );
  t.match(further.at(-1), { verb: 'get', group: '', version: 'v1', resource: 'configmaps', namespace: '*', name: '*' });
  t.equal(await said('alice', 'POST', policies, policy('s', { apiVersion: 'v1', kind: 'Secret' })), '201');
  await said('alice', 'POST', policies, policy('f', { apiVersion: 'foo.example.com/v1', kind: 'Foo' }));
  t.match(
    further.at(-1),
    { group: 'foo.example.com', version: 'v1', resource: '*' },
    'an unknown kind stands for every resource of its group',
  );
  t.equal(await said('admin', 'POST', policies, policy('p', { apiVersion: 'v1', kind: 'ConfigMap' })), '201');
  t.equal(
    await said('alice', 'PATCH', `${policies}/p`, { metadata: { labels: { a: 'b' } } }, mergePatch),
    '200',
    'the kind stays the same',
  );
  t.equal(
    await said('alice', 'POST', bindings, binding('b', 'p', { name: 'x', namespace: 'n' })),
    `422 ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io "b" is invalid: spec.paramRef: Forbidden: user ${user} does not have "get" permission on the object referenced by paramRef`,
  );
  t.match(further.at(-1), { verb: 'get', resource: 'configmaps', namespace: 'n', name: 'x' });
  t.match(
    await said('alice', 'POST', bindings, binding('b', 'none', { selector: {} })),
    `unable to get policy none to determine minimum required permissions and user ${user} does not have "list" permission for all groups, versions and resources`,
  );
  t.equal(await said('alice', 'POST', bindings, binding('b', 's', { name: 'x', namespace: 'n' })), '201');

  t.equal(
    await said('alice', 'POST', claims, {
      metadata: { name: 'c' },
      spec: {
        devices: {
          requests: [{ name: 'r', exactly: { deviceClassName: 'x', allocationMode: 'ExactCount', count: 1 } }],
        },
      },
    }),
    '201',
  );
  const allocation = { devices: { results: [{ request: 'r', driver: 'd.example.com', pool: 'p', device: 'd' }] } };
  t.equal(
    await said('alice', 'PATCH', `${claims}/c/status`, { status: { allocation } }, mergePatch),
    '422 ResourceClaim.resource.k8s.io "c" is invalid: status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="patch" permission: resourceclaims.resource.k8s.io is forbidden: User "alice" cannot patch resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope',
  );
  t.equal(await said('admin', 'PATCH', `${claims}/c/status`, { status: { allocation } }, mergePatch), '200');
  const devices = [{ driver: 'd.example.com', pool: 'p', device: 'd', data: { a: 1 } }];
  const driver =
    '422 ResourceClaim.resource.k8s.io "c" is invalid: status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:patch]" permission: resourceclaims.resource.k8s.io "d.example.com" is forbidden: User "alice" cannot arbitrary-node:patch resource "resourceclaims/driver" in API group "resource.k8s.io" in the namespace "default"';
  t.equal(await said('alice', 'PATCH', `${claims}/c/status`, { status: { devices } }, mergePatch), driver);
  t.equal(await said('admin', 'PATCH', `${claims}/c/status`, { status: { devices } }, mergePatch), '200');
  t.equal(
    await said('alice', 'PATCH', `${claims}/c/status`, { status: { devices: null } }, mergePatch),
    driver,
    'also to take it back',
  );
  t.equal(await said('alice', 'PATCH', `${claims}/c/status`, { metadata: { labels: { a: 'b' } } }, mergePatch), '200');

  t.equal(
    await said('alice', 'PUT', lease, { metadata: { name: 'l' }, spec: {} }),
    '403 leases.coordination.k8s.io "l" is forbidden: User "alice" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "default"',
  );
  t.match(
    await said('alice', 'PUT', lease, { metadata: { name: 'l' }, spec: { leaseDurationSeconds: -1 } }),
    /^422 /,
    'what is wrong with it is found first',
  );
  t.match(
    await said('alice', 'GET', '/api/v1/namespaces/default/pods/p/exec'),
    '403 pods "p" is forbidden: ',
    'to run something in a pod is to change it, whatever the method',
  );
  t.match(await said('admin', 'GET', '/api/v1/namespaces/default/pods/p/exec'), '404 pods "p" not found');
  await server.close();
});

t.test('refusals say what was asked for, harmlessly, and the audit log says why', async (t) => {
  const events: AuditEvent[] = [];
  const { server, ask } = serve({
    authorizers: [() => [{ decision: 'noOpinion', reason: 'because' }]],
    audit: { rules: [{ level: 'Metadata' }], omitStages: ['RequestReceived'] },
  });
  server.audit$.subscribe((event) => events.push(event));
  const { code, headers, body } = await ask('bob', 'GET', '/api/v1/namespaces/a%3Cb%3E&c/pods/x%22y');
  t.strictSame(
    { code, sniffing: headers.get('X-Content-Type-Options'), message: body.message },
    {
      code: 403,
      sniffing: 'nosniff',
      message:
        'pods "x\\"y" is forbidden: User "bob" cannot get resource "pods" in API group "" in the namespace "a&lt;b&gt;&amp;c": because',
    },
  );
  t.strictSame(events.at(-1)?.annotations, {
    'authorization.k8s.io/decision': 'forbid',
    'authorization.k8s.io/reason': 'because',
  });
  const paths: readonly (readonly [method: string, path: string, message: string])[] = [
    ['GET', '/', 'forbidden: User "bob" cannot get path "/": because'],
    ['POST', '/apis/apps/v1', 'forbidden: User "bob" cannot post path "/apis/apps/v1": because'],
    [
      'GET',
      '/api/v1/pods?watch=1',
      'pods is forbidden: User "bob" cannot watch resource "pods" in API group "" at the cluster scope: because',
    ],
    [
      'GET',
      '/apis/apps/v1/namespaces/n/deployments/d/scale',
      'deployments.apps "d" is forbidden: User "bob" cannot get resource "deployments/scale" in API group "apps" in the namespace "n": because',
    ],
    [
      'GET',
      '/api/v1/namespaces/n',
      'namespaces "n" is forbidden: User "bob" cannot get resource "namespaces" in API group "" in the namespace "n": because',
    ],
    [
      'OPTIONS',
      '/api/v1/pods',
      'pods is forbidden: User "bob" cannot  resource "pods" in API group "" at the cluster scope: because',
    ],
    [
      'GET',
      '/apis/nobody.example.com/v1/things/x',
      'things.nobody.example.com "x" is forbidden: User "bob" cannot get resource "things" in API group "nobody.example.com" at the cluster scope: because',
    ],
  ];
  for (const [method, path, message] of paths)
    t.equal((await ask('bob', method, path)).body.message, message, `${method} ${path}`);
  t.equal((await ask('bob', 'HEAD', '/api/v1/pods')).code, 403);
  await server.close();
});

t.test('paths without a route are not found, whatever the method; others refuse the method', async (t) => {
  const { server, ask } = serve();
  const codes = async (path: string, ...methods: string[]): Promise<string> => {
    const answers = await Promise.all(
      methods.map((method) => ask('admin', method, path, ['POST', 'PUT'].includes(method) ? {} : undefined)),
    );
    return answers.map(({ code }) => code).join(' ');
  };
  const reviews = '/apis/authorization.k8s.io/v1';
  const table: readonly (readonly [path: string, codes: string])[] = [
    [`${reviews}/subjectaccessreviews`, '405 405 422 405 405'],
    [`${reviews}/subjectaccessreviews/x`, '404 404 404 404 404'],
    [`${reviews}/localsubjectaccessreviews`, '404 404 404 404 404'],
    ['/api/v1/bindings', '404 404 404 404 404'],
    ['/api/v1/namespaces/n/bindings/x', '404 404 404 404 404'],
    ['/api/v1/pods', '200 405 405 405 405'],
    ['/api/v1/pods/x', '404 404 404 404 404'],
    ['/api/v1/nodes/x', '404 405 405 400 404'],
    ['/api/v1/nope', '404 404 404 404 404'],
    ['/apis/nope/v1/x', '404 404 404 404 404'],
    ['/version', '200 405 405 405 405'],
    ['/version/x', '404 404 404 404 404'],
    ['/api', '200 405 405 405 405'],
    ['/apis', '200 200 200 200 200'],
    ['/apis/apps', '200 200 200 200 200'],
    ['/apis/apps/v1', '200 405 405 405 405'],
    ['/healthz', '200 200 200 200 200'],
    ['/healthz/', '404 404 404 404 404'],
    ['/index.html', '200 200 200 200 200'],
    ['/metrics/', '404 404 404 404 404'],
    ['/api/v1/namespaces/n/services/x/proxy', '404 404 404 404 404'],
  ];
  for (const [path, expected] of table)
    t.equal(await codes(path, 'GET', 'HEAD', 'POST', 'PUT', 'DELETE'), expected, path);
  t.equal((await ask('admin', 'GET', '/healthz/ping')).headers.get('X-Content-Type-Options'), null);
  t.equal(
    (await ask('admin', 'PUT', '/api/v1/nodes/x', {})).body.message,
    'the name of the object (x based on URL) was undeterminable: name must be provided',
  );
  const info = {
    verb: 'list',
    isResource: true,
    path: '',
    group: '',
    version: 'v1',
    namespace: '..',
    resource: 'pods',
    subresource: '',
    name: '',
  };
  await t.rejects(
    async () =>
      await server.handler(new InProcessRequest({ info, user: { username: 'admin', groups: ['system:masters'] } })),
    { message: 'invalid key: "/pods/.."' },
  );
  await server.close();
});
