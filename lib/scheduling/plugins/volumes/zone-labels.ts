// The labels that say where nodes and volumes are, under the names of today and of old.

/** The zone. */
export const zoneLabel = 'topology.kubernetes.io/zone';

/** The region. */
export const regionLabel = 'topology.kubernetes.io/region';

/** The zone, as it was once called. */
export const legacyZoneLabel = 'failure-domain.beta.kubernetes.io/zone';

/** The region, as it was once called. */
export const legacyRegionLabel = 'failure-domain.beta.kubernetes.io/region';

/** Between the zones of a volume that is in several. */
export const zoneSeparator = '__';
