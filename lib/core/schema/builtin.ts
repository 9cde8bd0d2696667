// The schema of every kind that Kubernetes v1.36 knows, alpha and beta included. Reading is lazy: importing this file
// costs the text, not its parsing. What has been parsed is shared by all clusters of the process, since types never
// change.
import { builtinTexts } from './builtin.generated.js';
import type { SchemaSource } from './compact-form.js';
import { compactSchema } from './compact-form.js';

/** The built-in types by name, for instance `builtinSchema.struct('core/v1.Pod')`. */
export const builtinSchema: SchemaSource = /* @__PURE__ */ compactSchema(builtinTexts);
