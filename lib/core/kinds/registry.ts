// All built-in kinds with what is particular to them, by `apiVersion/kind`, one folder per API group (pods, the largest
// kind, have their own). A host's kinds come in by the same door: KindOptions of the scheme.
import type { KindParticulars } from '../scheme/kind-definition.js';
import { admissionregistrationKinds } from './admissionregistration/kinds.js';
import { apiextensionsKinds } from './apiextensions/kinds.js';
import { apiregistrationKinds } from './apiregistration/kinds.js';
import { appsKinds } from './apps/kinds.js';
import { autoscalingKinds } from './autoscaling/kinds.js';
import { batchKinds } from './batch/kinds.js';
import { certificatesKinds } from './certificates/kinds.js';
import { coordinationKinds } from './coordination/kinds.js';
import { coreKinds } from './core/kinds.js';
import { discoveryKinds } from './discovery/kinds.js';
import { flowcontrolKinds } from './flowcontrol/kinds.js';
import { networkingKinds } from './networking/kinds.js';
import { nodeKinds } from './node/kinds.js';
import { podsKinds } from './pods/kinds.js';
import { policyKinds } from './policy/kinds.js';
import { rbacKinds } from './rbac/kinds.js';
import { resourceKinds } from './resource/kinds.js';
import { schedulingKinds } from './scheduling/kinds.js';
import { storageKinds } from './storage/kinds.js';

/** The strategy of the built-in kinds. */
export const builtinParticulars: Readonly<Record<string, KindParticulars>> = {
  ...coreKinds,
  ...podsKinds,
  ...appsKinds,
  ...batchKinds,
  ...autoscalingKinds,
  ...policyKinds,
  ...networkingKinds,
  ...rbacKinds,
  ...storageKinds,
  ...schedulingKinds,
  ...coordinationKinds,
  ...nodeKinds,
  ...discoveryKinds,
  ...certificatesKinds,
  ...apiregistrationKinds,
  ...flowcontrolKinds,
  ...admissionregistrationKinds,
  ...apiextensionsKinds,
  ...resourceKinds,
};
