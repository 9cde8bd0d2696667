/**
 * The wire types of protobuf, the low three bits of every tag.
 */

/** By name; a start and an end bracket a group, which is only ever skipped. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;
