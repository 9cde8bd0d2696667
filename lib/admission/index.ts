// Admission: the contract of its plugins, and their chain.
export type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
export type { AdmissionTools } from './admission-tools.js';
export { priorityAdmission } from './priority.js';
export type { AdmissionChain } from './chain.js';
export { admissionChain } from './chain.js';
