// The default ClusterRoles, for users and for system components, in the notation of policy-notation.ts. `admin`, `edit`
// and `view` have no rules of their own: they aggregate roles by label.
// As plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.

/** The rules of the ClusterRoles. */
export const clusterRoles = `
cluster-admin
  *: * = *
  urls: * = *

system:discovery
  urls: /api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/ = get

system:monitoring
  urls: /flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz = get
  core: nodes/metrics = get

system:basic-user
  authorization.k8s.io: selfsubjectaccessreviews selfsubjectrulesreviews = create
  authentication.k8s.io: selfsubjectreviews = create

system:public-info-viewer
  urls: /healthz /livez /readyz /version /version/ = get

admin

edit

view

system:aggregate-to-admin
  authorization.k8s.io: localsubjectaccessreviews = create
  rbac.authorization.k8s.io: rolebindings roles = read write

system:aggregate-to-edit
  core: pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy = read
  core: serviceaccounts = impersonate
  core: pods pods/attach pods/exec pods/portforward pods/proxy = write
  core: pods/eviction = create
  core: configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy = write
  core: serviceaccounts/token = create
  core events.k8s.io: events = write
  apps: daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale = write
  autoscaling: horizontalpodautoscalers = write
  batch: cronjobs jobs = write
  extensions: daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale = write
  policy: poddisruptionbudgets = write
  networking.k8s.io: ingresses networkpolicies = write
  coordination.k8s.io: leases = read write
  resource.k8s.io: resourceclaims resourceclaimtemplates = write

system:aggregate-to-view
  core: configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status = read
  core: bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status = read
  core: namespaces = read
  core events.k8s.io: events = read
  discovery.k8s.io: endpointslices = read
  apps: controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status = read
  autoscaling: horizontalpodautoscalers horizontalpodautoscalers/status = read
  batch: cronjobs cronjobs/status jobs jobs/status = read
  extensions: daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale = read
  policy: poddisruptionbudgets poddisruptionbudgets/status = read
  networking.k8s.io: ingresses ingresses/status networkpolicies = read
  resource.k8s.io: resourceclaims resourceclaims/status resourceclaimtemplates = read

system:heapster
  core: events namespaces nodes pods = read
  extensions: deployments = read

system:node
  authentication.k8s.io: tokenreviews = create
  authorization.k8s.io: localsubjectaccessreviews subjectaccessreviews = create
  core: services = read
  core: nodes = read create
  core: nodes/status = patch update
  core: nodes = patch update
  records events
  core: pods = read
  core: pods = create delete
  core: pods/status = patch update
  core: pods/eviction = create
  core: configmaps secrets = read
  core: persistentvolumeclaims persistentvolumes = get
  core: endpoints = get
  certificates.k8s.io: certificatesigningrequests = read create
  coordination.k8s.io: leases = create delete get patch update
  storage.k8s.io: volumeattachments = get
  core: serviceaccounts/token = create
  core: persistentvolumeclaims/status = get patch update
  storage.k8s.io: csidrivers = read
  storage.k8s.io: csinodes = create delete get patch update
  node.k8s.io: runtimeclasses = read
  resource.k8s.io: resourceclaims = get
  resource.k8s.io: resourceslices = deletecollection
  core: serviceaccounts = get

system:node-problem-detector
  core: nodes = get
  core: nodes/status = patch
  records events

system:node-bootstrapper
  certificates.k8s.io: certificatesigningrequests = read create

system:auth-delegator
  authentication.k8s.io: tokenreviews = create
  authorization.k8s.io: subjectaccessreviews = create

system:kube-aggregator
  core: endpoints services = read

system:kube-controller-manager
  records events
  coordination.k8s.io: leases = create
  coordination.k8s.io: leases named kube-controller-manager = get update
  core: secrets serviceaccounts = create
  core: secrets = delete
  core: configmaps namespaces secrets serviceaccounts = get
  core: secrets serviceaccounts = update
  authentication.k8s.io: tokenreviews = create
  authorization.k8s.io: subjectaccessreviews = create
  *: * = list watch
  core: serviceaccounts/token = create

system:kube-dns
  core: endpoints services = list watch

system:persistent-volume-provisioner
  core: persistentvolumes = read create delete
  core: persistentvolumeclaims = read update
  storage.k8s.io: storageclasses = read
  core: events = watch
  records events

system:certificates.k8s.io:certificatesigningrequests:nodeclient
  certificates.k8s.io: certificatesigningrequests/nodeclient = create

system:certificates.k8s.io:certificatesigningrequests:selfnodeclient
  certificates.k8s.io: certificatesigningrequests/selfnodeclient = create

system:volume-scheduler
  core: persistentvolumes = read patch update
  storage.k8s.io: storageclasses = read
  core: persistentvolumeclaims = read patch update

system:certificates.k8s.io:legacy-unknown-approver
  certificates.k8s.io: signers named kubernetes.io/legacy-unknown = approve

system:certificates.k8s.io:kubelet-serving-approver
  certificates.k8s.io: signers named kubernetes.io/kubelet-serving = approve

system:certificates.k8s.io:kube-apiserver-client-approver
  certificates.k8s.io: signers named kubernetes.io/kube-apiserver-client = approve

system:certificates.k8s.io:kube-apiserver-client-kubelet-approver
  certificates.k8s.io: signers named kubernetes.io/kube-apiserver-client-kubelet = approve

system:service-account-issuer-discovery
  urls: /.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/ = get

system:kubelet-api-admin
  core: nodes = read
  core: nodes = proxy
  core: nodes/log nodes/metrics nodes/proxy nodes/stats = *
  core: nodes/configz nodes/healthz nodes/pods = *

system:node-proxier
  core: endpoints services = list watch
  core: nodes = read
  records events
  networking.k8s.io: servicecidrs = list watch
  discovery.k8s.io: endpointslices = list watch

system:kube-scheduler
  records events
  coordination.k8s.io: leases = create
  coordination.k8s.io: leases named kube-scheduler = read update
  coordination.k8s.io: leasecandidates = read write
  core: nodes = read
  core: pods = read delete
  core: bindings pods/binding = create
  core: pods/status = patch update
  core: replicationcontrollers services = read
  apps extensions: replicasets = read
  apps: statefulsets = read
  policy: poddisruptionbudgets = read
  core: persistentvolumeclaims persistentvolumes = read
  authentication.k8s.io: tokenreviews = create
  authorization.k8s.io: subjectaccessreviews = create
  storage.k8s.io: csinodes = read
  storage.k8s.io: volumeattachments = read
  core: namespaces = read
  storage.k8s.io: csidrivers = read
  storage.k8s.io: csistoragecapacities = read
  resource.k8s.io: deviceclasses = read
  resource.k8s.io: resourceclaims = read patch update
  resource.k8s.io: resourceclaims/status = read patch update
  core: pods/finalizers = update
  resource.k8s.io: resourceslices = read
  resource.k8s.io: resourceclaims = create delete
  resource.k8s.io: resourceclaims/binding = patch update
`;

/**
 * The label by which a role selects the roles that it aggregates, by the name of the role. A role comes after those
 * that it aggregates.
 */
export const aggregatingRoles: ReadonlyMap<string, string> = new Map(
  ['view', 'edit', 'admin'].map((name) => [name, aggregateTo(name)]),
);

/** The role that aggregates each of these roles. */
export const aggregatedRoles: ReadonlyMap<string, string> = new Map([
  ['edit', aggregateTo('admin')],
  ['view', aggregateTo('edit')],
  ['system:aggregate-to-admin', aggregateTo('admin')],
  ['system:aggregate-to-edit', aggregateTo('edit')],
  ['system:aggregate-to-view', aggregateTo('view')],
]);

/**
 * The subjects of the ClusterRoleBindings; a binding has the name of its role. `system:node` has none: the Node
 * authorizer decides.
 */
export const clusterRoleBindings = `
cluster-admin = group system:masters
system:monitoring = group system:monitoring
system:discovery = group system:authenticated
system:basic-user = group system:authenticated
system:public-info-viewer = group system:authenticated, group system:unauthenticated
system:node-proxier = user system:kube-proxy
system:kube-controller-manager = user system:kube-controller-manager
system:kube-dns = account kube-system/kube-dns
system:kube-scheduler = user system:kube-scheduler
system:volume-scheduler = user system:kube-scheduler
system:node =
system:service-account-issuer-discovery = group system:serviceaccounts
`;

function aggregateTo(name: string): string {
  return `rbac.authorization.k8s.io/aggregate-to-${name}`;
}
