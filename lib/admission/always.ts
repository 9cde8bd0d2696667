// AlwaysAdmit, which does nothing, and AlwaysDeny, which refuses every write. As plugin/pkg/admission/{admit,deny}.
import type { AdmissionPlugin, AdmissionReview } from './plugin.js';
import { refusal } from './refusal.js';

/** Creates AlwaysAdmit. */
export function admitAllAdmission(): AdmissionPlugin {
  return { name: 'AlwaysAdmit', handles: { operations: [], resources: [] } };
}

/** Creates AlwaysDeny. */
export function denyAllAdmission(): AdmissionPlugin {
  const refuse = (review: AdmissionReview): never => {
    throw refusal(review, 'admission control is denying all modifications');
  };
  return {
    name: 'AlwaysDeny',
    handles: { operations: '*', resources: '*', subresources: '*' },
    mutate: refuse,
    validate: refuse,
  };
}
