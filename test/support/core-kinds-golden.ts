// What Kubernetes v1.36 says of objects of core kinds: golden pairs for test/core/kinds-core.ts. An entry is a kind, an
// object without its name, and the errors, or with `warnings` what a valid one is warned about.

/** A refusal. */
export type Refused = readonly [kind: string, object: object, ...errors: readonly string[]];

/** A valid object and the warnings it gets. */
export type Warned = readonly [kind: string, object: object, ...warnings: readonly string[]];

const configKey =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const storage = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const port = { ports: [{ port: 80 }] };

/** Objects that are refused when created. */
export const refusedOnCreate: readonly Refused[] = [
  ['ConfigMap', { data: { 'a b': 'x' } }, `data[a b]: Invalid value: "a b": ${configKey}`],
  ['ConfigMap', { data: { '..x': 'x' } }, `data[..x]: Invalid value: "..x": must not start with '..'`],
  [
    'ConfigMap',
    { data: { a: 'x' }, binaryData: { a: 'YQ==' } },
    'data[a]: Invalid value: "a": duplicate of key present in binaryData',
  ],
  ['ConfigMap', { data: { a: 'x'.repeat(1024 * 1024 + 1) } }, '[]: Too long: may not be more than 1048576 bytes'],
  [
    'ConfigMap',
    { metadata: { finalizers: ['x'] } },
    'metadata.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
  ],
  ['Secret', { type: 'kubernetes.io/tls', stringData: { 'tls.crt': '' } }, 'data[tls.key]: Required value'],
  [
    'Secret',
    { type: 'kubernetes.io/ssh-auth', stringData: { 'ssh-privatekey': '' } },
    'data[ssh-privatekey]: Required value',
  ],
  ['Secret', { type: 'kubernetes.io/basic-auth' }, 'data[username]: Required value', 'data[password]: Required value'],
  [
    'Secret',
    { type: 'kubernetes.io/service-account-token' },
    'metadata.annotations[kubernetes.io/service-account.name]: Required value',
  ],
  ['Secret', { type: 'kubernetes.io/dockercfg' }, 'data[.dockercfg]: Required value'],
  [
    'Secret',
    { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '[]' } },
    'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}',
  ],
  [
    'Secret',
    { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{' } },
    'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": unexpected end of JSON input',
  ],
  ['Endpoints', { subsets: [{}] }, 'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
  [
    'Endpoints',
    {
      subsets: [
        {
          addresses: [{ ip: '127.0.0.1' }, { ip: '010.0.0.1' }, { ip: 'x' }],
          ports: [{ port: 0 }, { port: 1, name: 'A' }],
        },
      ],
    },
    'subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    'subsets[0].addresses[1].ip: Invalid value: "010.0.0.1": must not have leading 0s',
    'subsets[0].addresses[2].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    'subsets[0].addresses[2].ip: Invalid value: "x": must be a valid IP address',
    'subsets[0].ports[0].name: Required value',
    'subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    "subsets[0].ports[1].name: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  ],
  [
    'Endpoints',
    {
      subsets: [
        { notReadyAddresses: [{ ip: '0.0.0.0' }, { ip: 'fe80::1' }, { ip: '224.0.0.1' }, { ip: '::ffff:1.2.3.4' }] },
      ],
    },
    'subsets[0].notReadyAddresses[0].ip: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
    'subsets[0].notReadyAddresses[1].ip: Invalid value: "fe80::1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    'subsets[0].notReadyAddresses[2].ip: Invalid value: "224.0.0.1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    'subsets[0].notReadyAddresses[3].ip: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address',
  ],
  [
    'Event',
    { involvedObject: { namespace: 'other' } },
    'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
  ],
  [
    'Event',
    {
      involvedObject: { namespace: 'default' },
      eventTime: '2020-01-01T00:00:00.000000Z',
      action: 'x'.repeat(129),
      message: 'x'.repeat(1025),
      reportingComponent: 'c',
    },
    'reportingInstance: Required value',
    'action: Invalid value: "": can have at most 128 characters',
    'reason: Required value',
    'message: Invalid value: "": can have at most 1024 characters',
  ],
  [
    'LimitRange',
    {
      spec: {
        limits: [
          { type: 'Pod', default: { cpu: '1' } },
          { type: 'Pod' },
          { type: 'x' },
          { type: 'PersistentVolumeClaim' },
        ],
      },
    },
    "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
    'spec.limits[1].type: Duplicate value: "Pod"',
    'spec.limits[2].type: Invalid value: "x": must be a standard limit type or fully qualified',
    'spec.limits[3].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
  ],
  [
    'LimitRange',
    {
      spec: {
        limits: [
          {
            type: 'Container',
            min: { cpu: '3' },
            max: { cpu: '2' },
            default: { cpu: '1' },
            defaultRequest: { cpu: '4' },
            maxLimitRequestRatio: { cpu: '500m' },
          },
        ],
      },
    },
    'spec.limits[0].min[cpu]: Invalid value: "3": min value 3 is greater than max value 2',
    'spec.limits[0].defaultRequest[cpu]: Invalid value: "4": default request value 4 is greater than max value 2',
    'spec.limits[0].defaultRequest[cpu]: Invalid value: "4": default request value 4 is greater than default limit value 1',
    'spec.limits[0].default[cpu]: Invalid value: "3": min value 3 is greater than default value 1',
    'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1',
  ],
  [
    'LimitRange',
    {
      spec: {
        limits: [{ type: 'Container', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '4' } }],
      },
    },
    'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "4": ratio 4 is greater than max/min = 2.000000',
  ],
  [
    'LimitRange',
    {
      spec: {
        limits: [{ type: 'Container', max: { 'example.com/gpu': '2' }, defaultRequest: { 'example.com/gpu': '1' } }],
      },
    },
    'spec.limits[0].defaultRequest[example.com/gpu]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in example.com/gpu',
  ],
  [
    'ResourceQuota',
    { spec: { hard: { pods: '1500m' } } },
    'spec.hard[pods]: Invalid value: "1500m": must be an integer',
  ],
  [
    'ResourceQuota',
    { spec: { hard: { cpu: '-1' } } },
    'spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0',
  ],
  [
    'ResourceQuota',
    { spec: { hard: { x: '1' } } },
    'spec.hard[x]: Invalid value: "x": must be a standard resource type or fully qualified',
    'spec.hard[x]: Invalid value: "x": must be a standard resource for quota',
  ],
  [
    'ResourceQuota',
    { spec: { hard: { cpu: '1' }, scopes: ['BestEffort', 'NotBestEffort', 'x'] } },
    'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","x"]: unsupported scope applied to resource',
    'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","x"]: unsupported scope',
    'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","x"]: conflicting scopes',
  ],
  [
    'ResourceQuota',
    {
      spec: {
        hard: { cpu: '1' },
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'BestEffort', operator: 'In' },
            { scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] },
          ],
        },
      },
    },
    'spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":"BestEffort","Operator":"In","Values":null},{"ScopeName":"PriorityClass","Operator":"Exists","Values":["a"]}]}: unsupported scope applied to resource',
    'spec.scopeSelector.matchExpressions.operator: Invalid value: "In": must be \'Exists\' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity',
    "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    "spec.scopeSelector.matchExpressions.values: Invalid value: [\"a\"]: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
  ],
  [
    'Namespace',
    { spec: { finalizers: ['x'] } },
    'spec.finalizers: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
  ],
  [
    'Node',
    {
      spec: {
        taints: [
          { key: 'a', effect: 'x' },
          { key: 'a', value: '-', effect: 'x' },
        ],
        podCIDRs: ['10.0.0.1/8', '10.1.0.0/16'],
      },
      status: { capacity: { pods: '-1' } },
    },
    'metadata.taints[0].effect: Unsupported value: "x": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    "metadata.taints[1].value: Invalid value: \"-\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    'metadata.taints[1].effect: Unsupported value: "x": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"-","Effect":"x","TimeAdded":null}: taints must be unique by key and effect pair',
    'status.capacity.pods: Invalid value: "-1": must be greater than or equal to 0',
    'status.allocatable.pods: Invalid value: "-1": must be greater than or equal to 0',
    'spec.podCIDRs[0]: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
    'spec.podCIDRs: Invalid value: ["10.0.0.1/8","10.1.0.0/16"]: may specify no more than one CIDR for each IP family',
  ],
  [
    'Node',
    {
      status: { declaredFeatures: ['B', 'A', 'A', 'x'], nodeInfo: { swap: { capacity: 0 } } },
      spec: { podCIDRs: ['x', 'fd00::/64'] },
    },
    'metadata.nodeSwapStatus.capacity: Invalid value: 0: must be greater than zero',
    'status.declaredFeatures[1]: Invalid value: "A": list must be sorted alphabetically',
    'status.declaredFeatures[2]: Duplicate value: "A"',
    `status.declaredFeatures[3]: Invalid value: "x": invalid feature name "x": must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`,
    'spec.podCIDRs[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    'spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[0]: <nil> (invalid CIDR address: x)',
    'spec.podCIDRs: Invalid value: ["x","fd00::/64"]: may specify no more than one CIDR for each IP family',
  ],
  [
    'Node',
    {
      metadata: {
        annotations: {
          'scheduler.alpha.kubernetes.io/taints': '[{"key":"a"}]',
          'scheduler.alpha.kubernetes.io/preferAvoidPods': '{"preferAvoidPods":[{}]}',
        },
      },
    },
    'metadata.annotations.scheduler.alpha.kubernetes.io/taints[0].effect: Required value',
    'metadata.annotations.scheduler.alpha.kubernetes.io/preferAvoidPods[0].PodSignature: Required value',
  ],
  [
    'PersistentVolume',
    { spec: {} },
    'spec.accessModes: Required value',
    'spec.capacity: Required value',
    'spec.capacity: Unsupported value: null: supported values: "storage"',
    'spec: Required value: must specify a volume type',
  ],
  [
    'PersistentVolume',
    {
      spec: {
        capacity: { storage: '0', cpu: '1' },
        accessModes: ['ReadWriteOncePod', 'ReadOnlyMany', 'x'],
        persistentVolumeReclaimPolicy: 'x',
        hostPath: { path: '/' },
        nfs: { server: '', path: '' },
        volumeMode: 'x',
      },
    },
    'spec.accessModes: Unsupported value: "x": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
    'spec.capacity: Unsupported value: {"cpu":"1","storage":"0"}: supported values: "storage"',
    'spec.capacity[storage]: Invalid value: "0": must be greater than zero',
    'spec.persistentVolumeReclaimPolicy: Unsupported value: "x": supported values: "Delete", "Recycle", "Retain"',
    'spec.nfs: Forbidden: may not specify more than 1 volume type',
    'spec.volumeMode: Unsupported value: "x": supported values: "Block", "Filesystem"',
  ],
  [
    'PersistentVolume',
    {
      metadata: { annotations: { 'volume.beta.kubernetes.io/mount-options': 'ro' } },
      spec: {
        ...storage,
        persistentVolumeReclaimPolicy: 'Recycle',
        hostPath: { path: '/a/..' },
        volumeAttributesClassName: '',
      },
    },
    'spec.hostPath.path: Invalid value: "/a/..": must not contain \'..\'',
    "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    'spec.volumeAttributesClassName: Required value: an empty string is disallowed',
    'spec.csi: Required value: has to be specified when using volumeAttributesClassName',
    'metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type',
  ],
  [
    'PersistentVolume',
    { spec: { ...storage, local: { path: '/a' } } },
    'spec.nodeAffinity: Required value: Local volume requires node affinity',
  ],
  [
    'PersistentVolume',
    { spec: { ...storage, csi: { driver: '', volumeHandle: '', nodePublishSecretRef: {} }, nodeAffinity: {} } },
    'spec.nodeAffinity.required: Required value: must specify required node constraints',
    'spec.csi.driver: Required value',
    'spec.csi.volumeHandle: Required value',
    'spec.csi.nodePublishSecretRef.name: Required value',
    'spec.csi.nodePublishSecretRef.namespace: Required value',
  ],
  [
    'PersistentVolume',
    {
      spec: { ...storage, iscsi: { targetPortal: 'p', iqn: 'x', lun: 256, chapAuthSession: true, initiatorName: 'y' } },
    },
    'spec.iscsi.iqn: Invalid value: "x": must be valid format',
    'spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
    'spec.iscsi.secretRef: Required value',
    'spec.iscsi.initiatorname: Invalid value: "y": must be valid format',
  ],
  [
    'PersistentVolume',
    {
      spec: {
        ...storage,
        gcePersistentDisk: { pdName: '', partition: 256 },
        flexVolume: { driver: '', options: { 'a.k8s.io/x': 'y' } },
        cephfs: { monitors: ['m'] },
      },
    },
    'spec.persistentDisk.pdName: Required value',
    'spec.persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive',
    'spec.cephFS: Forbidden: may not specify more than 1 volume type',
    'spec.flexVolume.driver: Required value',
    'spec.flexVolume.options[a.k8s.io/x]: Invalid value: "a.k8s.io/x": kubernetes.io and k8s.io namespaces are reserved',
  ],
  [
    'PersistentVolume',
    { spec: { ...storage, glusterfs: { endpoints: '', path: '', endpointsNamespace: '' } } },
    'spec.glusterfs.endpoints: Required value',
    'spec.glusterfs.path: Required value',
    'spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name',
  ],
  [
    'PersistentVolume',
    { spec: { ...storage, azureFile: { secretName: '', shareName: '', secretNamespace: '' } } },
    'spec.azureFile.secretName: Required value',
    'spec.azureFile.shareName: Required value',
    'spec.azureFile.secretNamespace: Required value',
  ],
  [
    'PersistentVolume',
    { spec: { ...storage, storageos: { volumeNamespace: '-', secretRef: {} } } },
    'spec.storageos.volumeName: Required value',
    "spec.storageos.volumeNamespace: Invalid value: \"-\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    'spec.storageos.secretRef.name: Required value',
    'spec.storageos.secretRef.namespace: Required value',
  ],
  [
    'PersistentVolume',
    { spec: { ...storage, rbd: { monitors: [], image: '' } } },
    'spec.rbd.monitors: Required value',
    'spec.rbd.image: Required value',
  ],
  [
    'PersistentVolume',
    { spec: { ...storage, cinder: { volumeID: '', secretRef: {} } } },
    'spec.cinder.volumeID: Required value',
    'spec.cinder.secretRef.name: Required value',
    'spec.cinder.secretRef.namespace: Required value',
  ],
  [
    'PersistentVolume',
    { spec: { ...storage, scaleIO: { gateway: '', system: '' } } },
    'spec.scaleIO.gateway: Required value',
    'spec.scaleIO.system: Required value',
    'spec.scaleIO.volumeName: Required value',
  ],
  [
    'PersistentVolumeClaim',
    {},
    'spec.accessModes: Required value: at least 1 access mode is required',
    'spec.resources[storage]: Required value',
  ],
  [
    'PersistentVolumeClaim',
    {
      spec: {
        ...claim,
        dataSource: { kind: 'PersistentVolumeClaim', name: 'a' },
        dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'b' },
      },
    },
    'spec: Invalid value: {}: must match dataSourceRef',
  ],
  ['Service', {}, 'spec.ports: Required value'],
  [
    'Service',
    {
      spec: {
        ports: [
          { port: 80 },
          { port: 80, name: 'a', targetPort: 'A_B', protocol: 'x', appProtocol: '-' },
          { port: 0, name: 'a' },
        ],
      },
    },
    'spec.ports[0].name: Required value',
    'spec.ports[1].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"',
    'spec.ports[1].targetPort: Invalid value: "A_B": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    'spec.ports[1].targetPort: Invalid value: "A_B": must contain at least one letter (a-z)',
    "spec.ports[1].appProtocol: Invalid value: \"-\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    'spec.ports[2].name: Duplicate value: "a"',
    'spec.ports[2].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    'spec.ports[2].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
  ],
  [
    'Service',
    {
      spec: {
        ports: [
          { port: 80, name: 'a' },
          { port: 80, name: 'b' },
        ],
      },
    },
    'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
  ],
  [
    'Service',
    { spec: { ports: [{ port: 80, nodePort: 30000 }] } },
    "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
  ],
  [
    'Service',
    {
      spec: {
        type: 'ExternalName',
        externalName: 'A',
        internalTrafficPolicy: 'x',
        clusterIP: 'None',
        clusterIPs: ['None'],
        ipFamilyPolicy: 'SingleStack',
        ipFamilies: ['IPv4'],
      },
    },
    'spec.clusterIPs: Forbidden: may not be set for ExternalName services',
    'spec.ipFamilies: Forbidden: may not be set for ExternalName services',
    'spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services',
    "spec.externalName: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    'spec.internalTrafficPolicy: Unsupported value: "x": supported values: "Cluster", "Local"',
  ],
  [
    'Service',
    {
      spec: {
        ...port,
        type: 'x',
        sessionAffinity: 'y',
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 1,
        loadBalancerClass: 'a',
        allocateLoadBalancerNodePorts: true,
        loadBalancerSourceRanges: ['z'],
        trafficDistribution: 'w',
      },
    },
    'spec.sessionAffinity: Unsupported value: "y": supported values: "ClientIP", "None"',
    'spec.type: Unsupported value: "x": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
    'spec.LoadBalancerSourceRanges[0]: Invalid value: "z": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
    "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
    'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
    "spec.healthCheckNodePort: Invalid value: 1: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    'spec.trafficDistribution: Unsupported value: "w": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
  ],
  [
    'Service',
    { spec: { ...port, sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 86401 } } } },
    'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400',
  ],
  [
    'Service',
    {
      metadata: {
        annotations: {
          'service.kubernetes.io/topology-mode': 'a',
          'service.kubernetes.io/topology-aware-hints': 'b',
          'service.beta.kubernetes.io/load-balancer-source-ranges': '10.0.0.0/8, x',
        },
      },
      spec: { ...port, externalIPs: ['127.0.0.1', 'x'] },
    },
    'metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: "a": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified',
    'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    'spec.externalIPs[1]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    "metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]: Forbidden: may only be used when `type` is 'LoadBalancer'",
    'metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  ],
];

/** Objects that are accepted, and the warnings for them. */
export const warnedOnCreate: readonly Warned[] = [
  ['ConfigMap', { data: { a: 'b' } }],
  [
    'Secret',
    { type: 'kubernetes.io/tls', stringData: { 'tls.crt': 'x', 'tls.key': 'y' } },
    'tls: failed to find any PEM data in certificate input',
  ],
  [
    'ServiceAccount',
    { metadata: { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } } },
    'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
  ],
  [
    'ResourceQuota',
    { spec: { hard: { cpu: '2', 'limits.cpu': '1' } } },
    'ResourceQuota cpu (2) should be less than limits.cpu (1)',
  ],
  [
    'Node',
    { spec: { externalID: 'x', podCIDRs: ['FD00::/64'] } },
    'spec.externalID: this field is deprecated, and is unused by Kubernetes',
    'spec.podCIDRs[0]: IPv6 CIDR value "FD00::/64" should be in RFC 5952 canonical format ("fd00::/64")',
  ],
  [
    'PersistentVolume',
    {
      spec: {
        ...storage,
        rbd: { monitors: ['m'], image: 'i' },
        persistentVolumeReclaimPolicy: 'Recycle',
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'Exists' }] }],
          },
        },
      },
    },
    'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
    'spec.rbd: deprecated in v1.28, non-functional in v1.31+',
  ],
  [
    'PersistentVolumeClaim',
    {
      metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'a' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } },
    },
    'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
    'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
  ],
  [
    'Service',
    { spec: { ...port, externalIPs: ['1.2.3.4'], externalName: 'x', trafficDistribution: 'PreferClose' } },
    'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    'spec.externalName is ignored when spec.type is not "ExternalName"',
    'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
  ],
];
