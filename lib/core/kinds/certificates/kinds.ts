// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { certificateSigningRequest } from './certificate-signing-request.js';

/** The strategy of each kind of the group. */
export const certificatesKinds: Readonly<Record<string, KindParticulars>> = {
  'certificates.k8s.io/v1/CertificateSigningRequest': { strategy: certificateSigningRequest },
};
