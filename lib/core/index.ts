/**
 * What the core offers to the other folders and to users.
 */
export type { JsonObject, JsonValue } from './objects/json.js';
export { isJsonObject, setOwn } from './objects/json.js';
export { deepFreeze } from './objects/freeze.js';
export { deepEqual } from './objects/deep-equal.js';
export type { Clock } from './time/clock.js';
export { systemClock } from './time/system-clock.js';
export { virtualClock } from './time/virtual-clock.js';
