// Admission: the contract of its plugins, those that are built in, and their chain. Hosts give plugins to
// `createServer`, their own or these.
export type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
export type { AdmissionTools } from './admission-tools.js';
export { priorityAdmission } from './priority.js';
export type { AdmissionChain } from './chain.js';
export { admissionChain } from './chain.js';
