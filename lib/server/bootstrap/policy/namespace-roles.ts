// The Roles of the system namespaces and their bindings, in the notation of policy-notation.ts. A binding has the name
// of its role unless it names another.
// As plugin/pkg/auth/authorizer/rbac/bootstrappolicy/namespace_policy.go.

/** The policy of a namespace. */
export interface NamespacePolicy {
  readonly namespace: string;
  readonly roles: string;
  readonly bindings: string;
}

/** The policies of the system namespaces. */
export const namespacePolicies: readonly NamespacePolicy[] = [
  {
    namespace: 'kube-system',
    roles: `
extension-apiserver-authentication-reader
  core: configmaps named extension-apiserver-authentication = read

system:controller:bootstrap-signer
  core: secrets = read

system:controller:cloud-provider
  core: configmaps = read create

system:controller:token-cleaner
  core: secrets = read delete
  records events

system::leader-locking-kube-controller-manager
  coordination.k8s.io: leases = read create update
  coordination.k8s.io: leasecandidates = read create update

system::leader-locking-kube-scheduler
  coordination.k8s.io: leases = read create update
  coordination.k8s.io: leasecandidates = read create update
`,
    bindings: `
system::extension-apiserver-authentication-reader of extension-apiserver-authentication-reader = user system:kube-controller-manager, user system:kube-scheduler
system::leader-locking-kube-controller-manager = user system:kube-controller-manager, account kube-system/kube-controller-manager, account kube-system/leader-election-controller
system::leader-locking-kube-scheduler = user system:kube-scheduler, account kube-system/kube-scheduler
system:controller:bootstrap-signer = account kube-system/bootstrap-signer
system:controller:cloud-provider = account kube-system/cloud-provider
system:controller:token-cleaner = account kube-system/token-cleaner
`,
  },
  {
    namespace: 'kube-public',
    roles: `
system:controller:bootstrap-signer
  core: configmaps = read
  core: configmaps named cluster-info = update
  records events
`,
    bindings: `
system:controller:bootstrap-signer = account kube-system/bootstrap-signer
`,
  },
];
