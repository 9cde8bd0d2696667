// Exported names that more than one file of lib/ declares.

/** By name: why it is shared. test/tidy.ts refuses every other shared name, and entries that are no longer needed. */
export const sharedNames: Readonly<Record<string, string>> = {
  // The same thing as the type of the Kubernetes API, with narrower types or options of this client.
  AdmissionReview: 'The request part of the Kubernetes type of this name, as plugins receive it.',
  CompiledExpression: 'An expression of CEL that is ready to be evaluated; the other is the port of authentication.',
  ContainerState: 'The state of a container in its runtime, from which the Kubernetes type of this name is derived.',
  DeleteOptions: 'The Kubernetes options of this name and a signal.',
  Duration: 'A value of CEL that is the Kubernetes type of this name; the other is how options give one.',
  Expression: 'The syntax tree of an expression of CEL; the other is that of a regular expression.',
  GetOptions: 'The Kubernetes options of this name and a signal.',
  GroupResource: 'The Kubernetes type of this name with all fields present.',
  GroupVersionKind: 'The Kubernetes type of this name with all fields present.',
  GroupVersionResource: 'The Kubernetes type of this name with all fields present.',
  ListOptions: 'The Kubernetes options of this name, as far as a list takes them.',
  isList: 'Whether a value is a list: of CEL, or in a patch.',
  ServiceReference: 'The Kubernetes type of this name, which three API groups declare.',
  Status: 'The Kubernetes type of this name with known reasons.',
  StatusCause: 'The Kubernetes type of this name with known reasons.',
  StatusDetails: 'The Kubernetes type of this name with known reasons.',
};
