/**
 * The limits that every store keeps to, so that what one backend takes the others take too. They are etcd's defaults
 * where etcd has one (server/embed/config.go: DefaultMaxTxnOps, DefaultMaxRequestBytes; server/lease/lessor.go:
 * MaxLeaseTTL).
 */

/** The limits of every store. */
export const storeLimits: StoreLimits = Object.freeze({
  keyBytesMax: 4_096,
  changesMax: 128,
  comparisonsMax: 128,
  transactionBytesMax: 1_572_864,
  leaseTtlMsMax: 9_000_000_000_000,
});

/** The limits by name. */
export interface StoreLimits {
  /** The length of a key in UTF-8. The longest that Kubernetes makes have some 700 bytes. */
  readonly keyBytesMax: number;
  /** Puts and deletes of one transaction. */
  readonly changesMax: number;
  /** Conditions of one transaction. */
  readonly comparisonsMax: number;
  /** All keys and values (as JSON) of one transaction together. */
  readonly transactionBytesMax: number;
  /** The longest lease: 285 years. */
  readonly leaseTtlMsMax: number;
}
