// Admission: the contract of its plugins, those that are built in, and their chain. Hosts give plugins to
// `createServer`, their own or these.
export type { AdmissionAnswer, AdmissionOperation, AdmissionPlugin, AdmissionReview, Handles } from './plugin.js';
export { priorityAdmission } from './priority.js';
export type { AdmissionChain, AdmissionSteps } from './chain.js';
export { admissionChain } from './chain.js';
