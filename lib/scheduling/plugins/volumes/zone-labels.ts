// The labels of zones and regions, current and legacy.

/** The zone of a node or volume. */
export const zoneLabel = 'topology.kubernetes.io/zone';

/** The region of a node or volume. */
export const regionLabel = 'topology.kubernetes.io/region';

/** The legacy zone label. */
export const legacyZoneLabel = 'failure-domain.beta.kubernetes.io/zone';

/** The legacy region label. */
export const legacyRegionLabel = 'failure-domain.beta.kubernetes.io/region';

/** Separates the zones of a volume in several zones. */
export const zoneSeparator = '__';
