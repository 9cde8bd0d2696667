// The desired size of everything that has `spec.replicas`.

/** Returns `spec.replicas`, 1 where it is absent. */
export function replicasOf({
  spec,
}: {
  readonly spec?: { readonly replicas?: number | undefined } | undefined;
}): number {
  return spec?.replicas ?? 1;
}
