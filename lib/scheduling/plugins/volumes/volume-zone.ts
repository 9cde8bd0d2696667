// VolumeZone: volumes labelled with a zone or region need a node of that zone or region. A node without such labels
// accepts all volumes, so clusters with one zone need no labels. As pkg/scheduler/framework/plugins/volumezone.
import { classOfClaim, deepEqual, quote, volumeNameOf } from '../../../core/index.js';
import type { FrozenClaim, FrozenVolume } from '../../../core/index.js';
import type { ObjectLister } from '../../cluster/object-lister.js';
import type { NodeView } from '../../cluster/node-view.js';
import { stateKey } from '../../framework/cycle-state.js';
import type { StateData } from '../../framework/cycle-state.js';
import { on } from '../../framework/queueing-hints.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import { unresolvable } from '../../framework/rejection.js';
import type { Rejection } from '../../framework/rejection.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { actions } from '../../queue/cluster-event.js';
import { claimOf, notFoundText, usesClaim } from './claims-and-volumes.js';
import { legacyRegionLabel, legacyZoneLabel, regionLabel, zoneLabel, zoneSeparator } from './zone-labels.js';

/** Creates the plugin. */
export function volumeZone(): SchedulingPlugin {
  return {
    name: 'VolumeZone',
    events: [
      on('storage.k8s.io/StorageClass', actions.add, (_pod, _old, added) =>
        added?.volumeBindingMode === 'WaitForFirstConsumer' ? 'queue' : 'skip',
      ),
      on('Node', actions.add | actions.updateNodeLabel),
      on('PersistentVolumeClaim', actions.add | actions.update, (pod, _old, claim) =>
        claim !== undefined && usesClaim(pod, claim) ? 'queue' : 'skip',
      ),
      on('PersistentVolume', actions.add | actions.update, (_pod, old, volume) =>
        old === undefined || volume === undefined || !deepEqual(topologyLabelsOf(old), topologyLabelsOf(volume))
          ? 'queue'
          : 'skip',
      ),
    ],

    preFilter: ({ pod, cluster, state }) => {
      const places: TopologyLabel[] = [];
      for (const { claim, ephemeral } of pod.volumeClaims) {
        if (ephemeral) continue;
        const volume = volumeOf(cluster.objects, pod, claim);
        if (volume === undefined) continue;
        if ('code' in volume) return volume;
        places.push(...topologyLabelsOf(volume));
      }
      if (places.length === 0) return 'skip';
      state.set(zoneState, { places });
      return undefined;
    },

    filter: ({ state }, node) => {
      const { places } = state.read(zoneState);
      return !hasTopologyLabel(node) || places.every((place) => matchesTopology(node, place)) ? undefined : otherZone;
    },
  };
}

const otherZone = unresolvable('node(s) had no available volume zone');

/** A topology label of a volume and its accepted values. */
interface TopologyLabel {
  readonly key: string;
  readonly values: readonly string[];
}

interface ZoneState extends StateData {
  readonly places: readonly TopologyLabel[];
}

const zoneState = stateKey<ZoneState>('VolumeZone');

const topologyLabels = [legacyZoneLabel, legacyRegionLabel, zoneLabel, regionLabel];

/** Returns the volume of a claim; undefined for an unbound claim that waits for its first consumer. */
function volumeOf(objects: ObjectLister, pod: PodFacts, name: string): FrozenVolume | Rejection | undefined {
  if (name === '') return unresolvable('PersistentVolumeClaim had no name');
  const claim = claimOf(objects, pod, name);
  if (claim === undefined) return unresolvable(notFoundText('persistentvolumeclaim', name));
  const volumeName = volumeNameOf(claim.spec);
  if (volumeName === '') return whyUnbound(objects, claim);
  return objects.get('PersistentVolume', volumeName) ?? unresolvable(notFoundText('persistentvolume', volumeName));
}

function whyUnbound(objects: ObjectLister, claim: FrozenClaim): Rejection | undefined {
  const className = classOfClaim(claim);
  if (className === '') return unresolvable('PersistentVolumeClaim had no pv name and storageClass name');
  const storageClass = objects.get('StorageClass', className);
  if (storageClass === undefined) return unresolvable(notFoundText('storageclass.storage.k8s.io', className));
  if (storageClass.volumeBindingMode === undefined)
    return unresolvable(`VolumeBindingMode not set for StorageClass ${quote(className)}`);
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer'
    ? undefined
    : unresolvable('PersistentVolume had no name');
}

/** Returns the topology labels of a volume; one with an empty zone in its list is ignored. */
function topologyLabelsOf({ metadata }: FrozenVolume): readonly TopologyLabel[] {
  const { labels } = metadata ?? {};
  if (labels === undefined) return [];
  return topologyLabels.flatMap((key) => {
    const values = labels[key]?.split(zoneSeparator).map((value) => value.trim());
    return values === undefined || values.includes('') ? [] : [{ key, values }];
  });
}

function hasTopologyLabel({ labels }: NodeView): boolean {
  return topologyLabels.some((key) => labels[key] !== undefined);
}

/** A legacy label of a volume also matches the node's current label. */
function matchesTopology({ labels }: NodeView, { key, values }: TopologyLabel): boolean {
  const value = labels[key] ?? labels[currentNames.get(key) ?? key];
  return value !== undefined && values.includes(value);
}

const currentNames: ReadonlyMap<string, string> = new Map([
  [legacyZoneLabel, zoneLabel],
  [legacyRegionLabel, regionLabel],
]);
