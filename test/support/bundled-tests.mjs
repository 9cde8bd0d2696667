// Runs every test file as one bundle. Node spends about half a millisecond on each module it imports and a TypeScript
// loader several more; a test reaches up to 1,100 modules of the engine, which used to cost 8 s of processor time per
// test file. esbuild bundles the same modules in a fraction of a second. Packages stay outside of the bundle.
//
// .taprc preloads this file. Its loader comes after tap's own for TypeScript, so it sees a test file first.
import { register } from 'node:module';

register('./bundled-tests-loader.mjs', import.meta.url);
