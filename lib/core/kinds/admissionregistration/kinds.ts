// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { mutatingAdmissionPolicyBinding, validatingAdmissionPolicyBinding } from './admission-policy-binding.js';
import { mutatingAdmissionPolicy } from './mutating-admission-policy.js';
import { validatingAdmissionPolicy } from './validating-admission-policy.js';
import { webhookConfiguration } from './webhook-configuration.js';

const storage = { group: 'admissionregistration.k8s.io', version: 'v1beta1' };

/** The strategy of each kind of the group. */
export const admissionregistrationKinds: Readonly<Record<string, KindParticulars>> = {
  'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy': { storage, strategy: mutatingAdmissionPolicy },
  'admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding': {
    storage,
    strategy: mutatingAdmissionPolicyBinding,
  },
  'admissionregistration.k8s.io/v1/MutatingWebhookConfiguration': { strategy: webhookConfiguration },
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy': { strategy: validatingAdmissionPolicy },
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding': { strategy: validatingAdmissionPolicyBinding },
  'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration': { strategy: webhookConfiguration },
};
