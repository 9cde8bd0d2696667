// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { ingressClass } from './ingress-class.js';
import { ingress } from './ingress.js';
import { ipAddress } from './ip-address.js';
import { networkPolicy, networkPolicyDefaults } from './network-policy.js';
import { serviceCidr } from './service-cidr.js';

/** The strategy of each kind of the group. */
export const networkingKinds: Readonly<Record<string, KindParticulars>> = {
  'networking.k8s.io/v1/Ingress': { strategy: ingress },
  'networking.k8s.io/v1/IngressClass': { strategy: ingressClass },
  'networking.k8s.io/v1/IPAddress': { strategy: ipAddress },
  'networking.k8s.io/v1/NetworkPolicy': { setDefaults: networkPolicyDefaults, strategy: networkPolicy },
  'networking.k8s.io/v1/ServiceCIDR': { strategy: serviceCidr },
};
