// The ClusterRoles of controllers, in the notation of policy-notation.ts. Each is called `system:controller:` and the
// name here, and is bound to the ServiceAccount of that name in kube-system.
// As plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.

/** The rules of the ClusterRoles. */
export const controllerRoles = `
attachdetach-controller
  core: persistentvolumeclaims persistentvolumes = list watch
  core: nodes = read
  core: nodes/status = patch update
  core: pods = list watch
  records events
  storage.k8s.io: volumeattachments = read create delete
  storage.k8s.io: csidrivers = read
  storage.k8s.io: csinodes = read

clusterrole-aggregation-controller
  rbac.authorization.k8s.io: clusterroles = read escalate patch update

cronjob-controller
  batch: cronjobs = read update
  batch: jobs = read create delete patch update
  batch: cronjobs/status = update
  batch: cronjobs/finalizers = update
  core: pods = delete list watch
  records events

daemon-set-controller
  apps extensions: daemonsets = read
  apps extensions: daemonsets/status = update
  apps extensions: daemonsets/finalizers = update
  core: nodes = list watch
  core: pods = create delete list patch watch
  core: pods/binding = create
  apps: controllerrevisions = read create delete patch update
  records events

deployment-controller
  apps extensions: deployments = read update
  apps extensions: deployments/status = update
  apps extensions: deployments/finalizers = update
  apps extensions: replicasets = read create delete patch update
  core: pods = read update
  records events

disruption-controller
  apps extensions: deployments = read
  apps extensions: replicasets = read
  core: replicationcontrollers = read
  policy: poddisruptionbudgets = read
  apps: statefulsets = read
  policy: poddisruptionbudgets/status = update
  core: pods/status = patch update
  *: */scale = get
  records events

endpoint-controller
  core: pods services = read
  core: endpoints = read create delete update
  core: endpoints/restricted = create
  records events

endpointslice-controller
  core: nodes pods services = read
  core: services/finalizers = update
  discovery.k8s.io: endpointslices = read create delete update
  records events

endpointslicemirroring-controller
  core: endpoints services = read
  core: services/finalizers = update
  core: endpoints/finalizers = update
  discovery.k8s.io: endpointslices = read create delete update
  records events

expand-controller
  core: persistentvolumes = read patch update
  core: persistentvolumeclaims/status = patch update
  core: persistentvolumeclaims = read
  records events

ephemeral-volume-controller
  core: pods = read
  core: pods/finalizers = update
  core: persistentvolumeclaims = read create
  records events

resource-claim-controller
  core: pods = read
  core: pods/finalizers = update
  resource.k8s.io: resourceclaims = read create delete
  resource.k8s.io: resourceclaims resourceclaims/status = patch update
  core: pods/status = patch update
  records events
  resource.k8s.io: resourceclaims/binding = patch update

device-taint-eviction-controller
  core: pods = read delete
  core: pods/status = patch update
  resource.k8s.io: resourceclaims = read
  resource.k8s.io: resourceslices = read
  resource.k8s.io: deviceclasses = read
  records events

generic-garbage-collector
  *: * = read delete patch update
  records events

horizontal-pod-autoscaler
  autoscaling: horizontalpodautoscalers = read
  autoscaling: horizontalpodautoscalers/status = update
  *: */scale = get update
  core: pods = list watch
  metrics.k8s.io: pods = list watch
  custom.metrics.k8s.io: * = read
  external.metrics.k8s.io: * = read
  records events

job-controller
  batch: jobs = read patch update
  batch: jobs/status = update
  batch: jobs/finalizers = update
  core: pods = create delete list patch watch
  records events

namespace-controller
  core: namespaces = read delete
  core: namespaces/finalize namespaces/status = update
  *: * = read delete deletecollection

node-controller
  core: nodes = read delete patch update
  core: nodes/status = patch update
  core: pods/status = patch update
  core: pods = read delete
  records events

persistent-volume-binder
  core: persistentvolumes = read create delete update
  core: persistentvolumes/status = update
  core: persistentvolumeclaims = read update
  core: persistentvolumeclaims/status = update
  core: pods = read create delete
  storage.k8s.io: storageclasses = read
  core: nodes = list watch
  records events
  core: events = watch

pod-garbage-collector
  core: pods = delete list watch
  core: nodes = read
  core: pods/status = patch

replicaset-controller
  apps extensions: replicasets = read update
  apps extensions: replicasets/status = update
  apps extensions: replicasets/finalizers = update
  core: pods = create delete list patch watch
  records events

replication-controller
  core: replicationcontrollers = read update
  core: replicationcontrollers/status = update
  core: replicationcontrollers/finalizers = update
  core: pods = create delete list patch watch
  records events

resourcequota-controller
  *: * = list watch
  core: resourcequotas/status = update
  records events

route-controller
  core: nodes = list watch
  core: nodes/status = patch
  records events

service-account-controller
  core: serviceaccounts = create
  records events

service-controller
  core: services = read
  core: services/status = patch update
  core: nodes = list watch
  records events

service-cidrs-controller
  networking.k8s.io: servicecidrs = read patch update
  networking.k8s.io: servicecidrs/finalizers = patch update
  networking.k8s.io: servicecidrs/status = patch update
  networking.k8s.io: ipaddresses = read
  records events

statefulset-controller
  core: pods = list watch
  apps: statefulsets = read
  apps: statefulsets/status = update
  apps: statefulsets/finalizers = update
  core: pods = create delete get patch update
  apps: controllerrevisions = read create delete patch update
  core: persistentvolumeclaims = read create
  core: persistentvolumeclaims = delete update
  core: pods/finalizers = update
  records events

ttl-controller
  core: nodes = list patch update watch
  records events

certificate-controller
  certificates.k8s.io: certificatesigningrequests = read delete
  certificates.k8s.io: certificatesigningrequests/approval certificatesigningrequests/status = update
  certificates.k8s.io: signers named kubernetes.io/kube-apiserver-client-kubelet = approve
  certificates.k8s.io: signers named kubernetes.io/kube-apiserver-client kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving kubernetes.io/legacy-unknown = sign
  authorization.k8s.io: subjectaccessreviews = create
  records events

pvc-protection-controller
  core: persistentvolumeclaims = read update
  core: persistentvolumeclaims/status = update
  core: pods = read
  records events

pv-protection-controller
  core: persistentvolumes = read update
  records events

volumeattributesclass-protection-controller
  core: persistentvolumeclaims = read
  core: persistentvolumes = read
  storage.k8s.io: volumeattributesclasses = read update
  records events

ttl-after-finished-controller
  batch: jobs = read delete
  records events

root-ca-cert-publisher
  core: configmaps = create update
  records events

validatingadmissionpolicy-status-controller
  admissionregistration.k8s.io: validatingadmissionpolicies = read
  admissionregistration.k8s.io: validatingadmissionpolicies/status = get patch update
  records events

legacy-service-account-token-cleaner
  core: configmaps named kube-apiserver-legacy-service-account-token-tracking = get
  core: secrets = delete patch

selinux-warning-controller
  records events
  core: persistentvolumes = read
  core: persistentvolumeclaims = read
  core: pods = read
  storage.k8s.io: csidrivers = read
`;
