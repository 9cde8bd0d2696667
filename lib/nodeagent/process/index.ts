// Containers as child processes, on Node. What other folders and users import.
export type { ProcessImage } from './process-host.js';
export type { ProcessRuntimeOptions } from './process-runtime.js';
export { processRuntime } from './process-runtime.js';
