// Exported names that more than one file of lib/ declares.

/** By name: why it is shared, or what still has to be renamed. test/tidy.ts refuses every other shared name. */
export const sharedNames: Readonly<Record<string, string>> = {
  // The same thing as the type of the Kubernetes API, with narrower types or options of this client.
  AdmissionReview: 'The request part of the Kubernetes type of this name, as plugins receive it.',
  DeleteOptions: 'The Kubernetes options of this name and a signal.',
  GetOptions: 'The Kubernetes options of this name and a signal.',
  GroupResource: 'The Kubernetes type of this name with all fields present.',
  GroupVersionKind: 'The Kubernetes type of this name with all fields present.',
  GroupVersionResource: 'The Kubernetes type of this name with all fields present.',
  ListOptions: 'The Kubernetes options of this name, as far as a list takes them.',
  ServiceReference: 'The Kubernetes type of this name, which three API groups declare.',
  Status: 'The Kubernetes type of this name with known reasons.',
  StatusCause: 'The Kubernetes type of this name with known reasons.',
  StatusDetails: 'The Kubernetes type of this name with known reasons.',

  // Different things: one of them is to be renamed.
  Change: 'not renamed yet',
  Endpoint: 'not renamed yet',
  Patch: 'not renamed yet',
  Scheduling: 'not renamed yet',
  Serving: 'not renamed yet',
  Stored: 'not renamed yet',
  bind: 'not renamed yet',
  everything: 'not renamed yet',
  list: 'not renamed yet',
};
