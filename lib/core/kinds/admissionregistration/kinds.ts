// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';

/** What is particular to each kind of the group. */
export const admissionregistrationKinds: Readonly<Record<string, KindParticulars>> = {
  'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy': { storage: { group: 'admissionregistration.k8s.io', version: 'v1beta1' } },
  'admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding': { storage: { group: 'admissionregistration.k8s.io', version: 'v1beta1' } },
};
