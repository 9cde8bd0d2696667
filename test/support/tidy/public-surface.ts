// The size of the public surface.

/**
 * The most names that an entry of `exports` in package.json may export; 40 for entries that are not listed. A name that
 * is public has to be documented and kept: raise a figure only for names that users need, and lower it when names go.
 */
export const publicNamesMax: Readonly<Record<string, number>> = {
  './core': 344,
  // The objects of the Kubernetes API, generated.
  './types': 699,
  // With the contract of node connectors the channels of exec, attach and port-forward, and subresources by kind.
  './client': 112,
  './auth': 114,
  './auth/node': 49,
  './scheduling': 179,
};

/** The most names of an entry that has no figure of its own. */
export const defaultPublicNamesMax = 40;
