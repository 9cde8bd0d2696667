// VolumeZone: volumes that are labelled with a zone or a region are for nodes of that zone or region. A node that says
// nothing of where it is takes them all: a cluster of one zone need not label its nodes.
// As pkg/scheduler/framework/plugins/volumezone.
import { classOfClaim, deepEqual, quote, volumeNameOf } from '../../../core/index.js';
import type { FrozenClaim, FrozenVolume } from '../../../core/index.js';
import type { KnownObjects } from '../../cluster/known-objects.js';
import type { NodeView } from '../../cluster/node-view.js';
import { memoryKey } from '../../framework/cycle.js';
import type { Remembered } from '../../framework/cycle.js';
import { on } from '../../framework/event-interest.js';
import type { SchedulingPlugin } from '../../framework/plugin.js';
import { unresolvable } from '../../framework/rejection.js';
import type { Rejection } from '../../framework/rejection.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { actions } from '../../queue/cluster-event.js';
import { claimOf, notFoundText, usesClaim } from './claims-and-volumes.js';
import { legacyRegionLabel, legacyZoneLabel, regionLabel, zoneLabel, zoneSeparator } from './zone-labels.js';

/** Makes the plugin. */
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
        old === undefined || volume === undefined || !deepEqual(placesOf(old), placesOf(volume)) ? 'queue' : 'skip',
      ),
    ],

    preFilter: ({ pod, cluster, memory }) => {
      const places: Place[] = [];
      for (const { claim, ephemeral } of pod.volumeClaims) {
        if (ephemeral) continue;
        const volume = volumeOf(cluster.objects, pod, claim);
        if (volume === undefined) continue;
        if ('code' in volume) return volume;
        places.push(...placesOf(volume));
      }
      if (places.length === 0) return 'skip';
      memory.set(wantedPlaces, { places });
      return undefined;
    },

    filter: ({ memory }, node) => {
      const { places } = memory.recall(wantedPlaces);
      return !isPlaced(node) || places.every((place) => isAt(node, place)) ? undefined : otherZone;
    },
  };
}

const otherZone = unresolvable('node(s) had no available volume zone');

/** A label of a volume, and the values of which a node must have one. */
interface Place {
  readonly key: string;
  readonly values: readonly string[];
}

interface WantedPlaces extends Remembered {
  readonly places: readonly Place[];
}

const wantedPlaces = memoryKey<WantedPlaces>('VolumeZone');

const placeLabels = [legacyZoneLabel, legacyRegionLabel, zoneLabel, regionLabel];

/** The volume of a claim; undefined for a claim that gets one only when its pod has a node. */
function volumeOf(objects: KnownObjects, pod: PodFacts, name: string): FrozenVolume | Rejection | undefined {
  if (name === '') return unresolvable('PersistentVolumeClaim had no name');
  const claim = claimOf(objects, pod, name);
  if (claim === undefined) return unresolvable(notFoundText('persistentvolumeclaim', name));
  const volumeName = volumeNameOf(claim.spec);
  if (volumeName === '') return whyUnbound(objects, claim);
  return objects.get('PersistentVolume', volumeName) ?? unresolvable(notFoundText('persistentvolume', volumeName));
}

function whyUnbound(objects: KnownObjects, claim: FrozenClaim): Rejection | undefined {
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

/** What the labels of a volume say; a list with an empty zone in it says nothing. */
function placesOf({ metadata }: FrozenVolume): readonly Place[] {
  const { labels } = metadata ?? {};
  if (labels === undefined) return [];
  return placeLabels.flatMap((key) => {
    const values = labels[key]?.split(zoneSeparator).map((value) => value.trim());
    return values === undefined || values.includes('') ? [] : [{ key, values }];
  });
}

function isPlaced({ labels }: NodeView): boolean {
  return placeLabels.some((key) => labels[key] !== undefined);
}

/** A node may have a label of old under its name of today. */
function isAt({ labels }: NodeView, { key, values }: Place): boolean {
  const value = labels[key] ?? labels[namesOfToday.get(key) ?? key];
  return value !== undefined && values.includes(value);
}

const namesOfToday: ReadonlyMap<string, string> = new Map([
  [legacyZoneLabel, zoneLabel],
  [legacyRegionLabel, regionLabel],
]);
