// The files of lib/ that may break a rule, and why. test/tidy.ts fails when an entry is no longer needed.
import type { RuleName } from './rules.js';

/** Files that may break one rule. */
export interface Exception {
  readonly rule: RuleName;
  readonly reason: string;
  /** Paths of files, or of folders with a slash at the end. */
  readonly in: readonly string[];
}

/** All exceptions. Add one only for a file whose purpose is to be that edge, and state the purpose. */
export const exceptions: readonly Exception[] = [
  { rule: 'time', reason: 'Implements the Clock.', in: ['lib/core/time/'] },
  {
    rule: 'time',
    reason: 'Shares the event loop of the machine fairly between answers of a worker thread: always in real time.',
    in: ['lib/storage/sqlite/worker-link.ts'],
  },
  { rule: 'chance', reason: 'Implements Random.', in: ['lib/core/time/random.ts'] },
  {
    rule: 'chance',
    reason: 'Secrets: keys, nonces, serial numbers and tokens must not be predictable from a seed.',
    in: [
      'lib/auth/node/cached-tokens.ts',
      'lib/command/private-files.ts',
      'lib/command/serve.ts',
      'lib/pki/certificate-authority.ts',
      'lib/storage/encryption/encryption.ts',
    ],
  },
  {
    rule: 'node',
    reason: 'Adapters to Node.',
    in: [
      'lib/auth/node/',
      'lib/nodeagent/process/',
      'lib/pki/',
      'lib/server/node/',
      'lib/storage/encryption/',
      'lib/storage/etcd/',
      'lib/storage/sqlite/',
    ],
  },
  {
    rule: 'subscribe',
    reason: 'Drives a state machine by a timer of the Clock, which is cancelled when the machine stops.',
    in: [
      'lib/cacher/bookmarks.ts',
      'lib/cacher/fresh-reads.ts',
      'lib/server/http/deadlines.ts',
      'lib/storage/leases.ts',
    ],
  },
  {
    rule: 'subscribe',
    reason: 'Writes a stream to a connection with back-pressure: the subscription ends with the connection.',
    in: [
      'lib/server/http/stream-pump.ts',
      'lib/server/streams/channel-pump.ts',
      'lib/server/streams/spdy/spdy-pump.ts',
    ],
  },
  {
    rule: 'subscribe',
    reason: 'Iterates over a watch: the first `next` subscribes, and leaving the loop unsubscribes.',
    in: ['lib/client/resources/watch-events.ts'],
  },
  {
    rule: 'subscribe',
    reason: 'Serves the end of a stream: the subscription ends when either end closes it.',
    in: ['lib/core/streams/duplex-channels.ts', 'lib/server/subresources/proxied-http.ts'],
  },
  {
    rule: 'subscribe',
    reason: 'Runs a container: the Observable that its function returns is unsubscribed when the container ends.',
    in: ['lib/nodeagent/function/function-process.ts'],
  },
  {
    rule: 'subscribe',
    reason: 'A test suite that users run: records the events of a runtime until the check ends.',
    in: ['lib/testing/runtime-suite/pod-environment.ts'],
  },
  {
    rule: 'hiddenSubscription',
    reason: 'Takes one message of a channel at a time, so that the sender waits while the receiver is full.',
    in: [
      'lib/nodeagent/function/pod-ports.ts',
      'lib/nodeagent/hosted/hosted-container.ts',
      'lib/nodeagent/process/pod-network.ts',
      'lib/server/subresources/proxied-http.ts',
    ],
  },
  {
    rule: 'hiddenSubscription',
    reason: 'A test suite that users run: reads logs and streams to their end.',
    in: ['lib/testing/runtime-suite/harness.ts'],
  },
  {
    rule: 'subscribe',
    reason:
      'A watch of the cacher: reads history first, then takes events from the dispatcher without an operator each.',
    in: ['lib/cacher/cache-watch.ts'],
  },
  {
    rule: 'subscribe',
    reason: 'Informers share one watch: the subscription begins with the first subscriber and ends with the last.',
    in: ['lib/core/streams/informer.ts'],
  },
  {
    rule: 'subscribe',
    reason: 'Owns background work of a server: it begins with the first demand and ends when the server is closed.',
    in: ['lib/core/streams/on-demand.ts'],
  },
  {
    rule: 'subscribe',
    reason: 'Starts following the store when the cacher is created; close() ends it.',
    in: ['lib/cacher/create-cacher.ts'],
  },
  {
    rule: 'subscribe',
    reason: 'Drops caches of kinds that change, from the creation of the server on; close() ends it.',
    in: ['lib/server/start/create-server.ts'],
  },
  {
    rule: 'subscribe',
    reason: 'The program prints what its parts do until they complete.',
    in: ['lib/command/print-log.ts'],
  },
  {
    rule: 'hiddenSubscription',
    reason: 'Returns the first or last value of a stream as the one answer that the caller awaits.',
    in: [
      'lib/admission/chain.ts',
      'lib/auth/reloading.ts',
      'lib/auth/node/cached-tokens.ts',
      'lib/auth/node/oidc/https-documents.ts',
      'lib/client/resources/wait-for.ts',
      'lib/command/serve.ts',
      'lib/core/streams/settle.ts',
      'lib/core/streams/until-aborted.ts',
      'lib/scheduling/scheduler/binding-cycle.ts',
      'lib/scheduling/scheduler/create-scheduler.ts',
      'lib/scheduling/scheduler/extender-client.ts',
      'lib/storage/etcd/pause.ts',
      'lib/webhook/timed-call.ts',
    ],
  },
  {
    rule: 'hiddenSubscription',
    reason: 'Runs the parts of a cluster: the one subscription of each, which ends when the cluster is closed.',
    in: ['lib/cluster/create-cluster.ts', 'lib/cluster/run-parts.ts'],
  },
  {
    rule: 'hiddenSubscription',
    reason: 'A test suite that users run: records a watch until it is stopped.',
    in: ['lib/testing/store-suite/watch-recording.ts'],
  },
  {
    rule: 'hiddenSubscription',
    reason: 'Releases the Lease after the election was unsubscribed, when there is no subscriber to compose with.',
    in: ['lib/client/election/leader-election.ts'],
  },
  {
    rule: 'moduleState',
    reason: 'Facts computed from an immutable value, cached by its identity: the same for all users of the value.',
    in: [
      'lib/core/codec/protobuf/message-layout.ts',
      'lib/core/volumes/matching.ts',
      'lib/scheduling/cluster/node-capacity.ts',
      'lib/scheduling/fast-path/affinity-term-index.ts',
      'lib/scheduling/framework/profile-filters.ts',
      'lib/scheduling/plugins/dynamic-resources/allocation/device-counters.ts',
      'lib/scheduling/plugins/dynamic-resources/allocation/device-pools.ts',
      'lib/scheduling/plugins/dynamic-resources/allocation/devices.ts',
      'lib/scheduling/plugins/dynamic-resources/allocation/allocated-devices.ts',
      'lib/scheduling/plugins/dynamic-resources/selectors/cel-selectors.ts',
      'lib/scheduling/plugins/volumes/volume-node-affinity.ts',
      'lib/scheduling/pod/pod-facts.ts',
      'lib/scheduling/pod/pod-signature.ts',
      'lib/scheduling/pod/spec-facts.ts',
      'lib/server/node/node-http.ts',
    ],
  },
  {
    rule: 'moduleState',
    reason:
      'The result of a pure function for its last or its few arguments, bounded: printing times, equal values as one.',
    in: [
      'lib/cel/standard/functions.ts',
      'lib/cel/values/time.ts',
      'lib/core/objects/time.ts',
      'lib/scheduling/cluster/cluster-events.ts',
      'lib/scheduling/plugins/node-resources/resource-shortage.ts',
    ],
  },
  {
    rule: 'moduleState',
    reason: 'State of one cluster, signal or socket, kept by the identity of its owner and gone with it.',
    in: [
      'lib/core/streams/until-aborted.ts',
      'lib/scheduling/plugins/dynamic-resources/allocation/allocated-device-index.ts',
      'lib/scheduling/plugins/dynamic-resources/claim-tracker.ts',
      'lib/scheduling/plugins/volumes/node-volume-limits.ts',
      'lib/scheduling/plugins/volumes/binding/assumed-volumes.ts',
      'lib/server/node/node-http.ts',
    ],
  },
  {
    rule: 'moduleState',
    reason: 'A constant: immutable, computed on first use, or without state.',
    in: [
      'lib/core/errors/field-path.ts',
      'lib/scheduling/what-if/simulate.ts',
      'lib/server/bootstrap/policy/policy-objects.ts',
    ],
  },
];
