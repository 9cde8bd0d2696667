// The size of the public surface.

/**
 * The most names that an entry of `exports` in package.json may export; 40 for entries that are not listed. A name that
 * is public has to be documented and kept: raise a figure only for names that users need, and lower it when names go.
 */
export const publicNamesMax: Readonly<Record<string, number>> = {
  '.': 44,
  './core': 150,
  // The objects of the Kubernetes API, generated.
  './types': 699,
  './client': 92,
  // A function, its options and its activities for each controller.
  './controllers': 160,
  // Nodes, simulated and function containers, and the port of runtimes with its types.
  './nodeagent': 57,
  './auth': 60,
  './auth/node': 31,
  './webhook': 31,
  './webhook/node': 9,
  './scheduling': 79,
};

/** The most names of an entry that has no figure of its own. */
export const defaultPublicNamesMax = 40;
