// CertificateSubjectRestriction: no certificate for the API server may make its owner an administrator. As
// plugin/pkg/admission/certificates/subjectrestriction/admission.go.
import { certificateRequestSubject } from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type { CertificateSigningRequest } from '../core/types/index.js';
import type { AdmissionPlugin } from './plugin.js';
import { refusal } from './refusal.js';

/** Creates the plugin. */
export function certificateSubjectRestriction(): AdmissionPlugin {
  return {
    name: 'CertificateSubjectRestriction',
    handles: { operations: ['CREATE'], resources: ['certificatesigningrequests.certificates.k8s.io'] },
    validate: (review) => {
      // The resource says what the object is, and validation that the request can be read.
      const { signerName, request } = (review.object as Frozen<CertificateSigningRequest>).spec;
      if (signerName !== signer) return;
      if (certificateRequestSubject(request).organizations.includes('system:masters'))
        throw refusal(review, `use of ${signer} signer with system:masters group is not allowed`);
    },
  };
}

const signer = 'kubernetes.io/kube-apiserver-client';
