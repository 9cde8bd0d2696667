// Admission: the contract of its plugins, and their chain.
export type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
export type { AdmissionChain } from './chain.js';
export { admissionChain } from './chain.js';
