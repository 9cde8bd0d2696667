/**
 * The schema of every kind that Kubernetes v1.36 knows, alpha and beta included. Reading is lazy: importing this file
 * costs the text, not its parsing.
 */
import { builtinTexts } from './builtin.generated.js';
import type { SchemaSource } from './compact-form.js';
import { compactSchema } from './compact-form.js';

/** Makes a reader of the built-in schema. It caches the types it has parsed, and nothing else does. */
export function builtinSchema(): SchemaSource {
  return compactSchema(builtinTexts);
}
