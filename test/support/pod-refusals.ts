// Specifications of pods that Kubernetes v1.36 refuses, with its words for what is wrong, in its order. Each is the
// whole difference from a pod of one container `a`. Examples in the words of name rules are left out: they are tested
// elsewhere.

/** A specification and what is wrong with it. */
export interface Refusal {
  readonly about: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly texts: readonly string[];
}

/** What is refused when a pod is created. */
export const podRefusals: readonly Refusal[] = [
  {
    about: 'containers',
    spec: { containers: null },
    texts: ['spec.containers: Required value'],
  },
  {
    about: 'container names',
    spec: { containers: [{ name: 'A' }, { name: 'b', image: 'x' }, { name: 'b', image: 'x' }] },
    texts: [
      `spec.containers[0].name: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character`,
      'spec.containers[0].image: Required value',
      'spec.containers[2].name: Duplicate value: "b"',
    ],
  },
  {
    about: 'ports',
    spec: {
      containers: [
        {
          name: 'a',
          image: 'x',
          ports: [
            { name: 'http-', containerPort: 0 },
            { name: 'p', containerPort: 70000, hostPort: -1, protocol: 'tcp' },
            { name: 'p', containerPort: 1 },
          ],
        },
      ],
    },
    texts: [
      'spec.containers[0].ports[0].name: Invalid value: "http-": must not begin or end with a hyphen',
      'spec.containers[0].ports[0].containerPort: Required value',
      'spec.containers[0].ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
      'spec.containers[0].ports[1].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive',
      'spec.containers[0].ports[1].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"',
      'spec.containers[0].ports[2].name: Duplicate value: "p"',
    ],
  },
  {
    about: 'host ports',
    spec: {
      containers: [
        { name: 'a', image: 'x', ports: [{ containerPort: 1, hostPort: 5 }] },
        { name: 'b', image: 'x', ports: [{ containerPort: 2, hostPort: 5 }] },
      ],
    },
    texts: ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//5"'],
  },
  {
    about: 'host network ports',
    spec: { hostNetwork: true, containers: [{ name: 'a', image: 'x', ports: [{ containerPort: 1, hostPort: 5 }] }] },
    texts: [
      'spec.containers[0].ports[0].hostPort: Invalid value: 5: must match `containerPort` when `hostNetwork` is true',
    ],
  },
  {
    about: 'env',
    spec: {
      containers: [
        {
          name: 'a',
          image: 'x',
          env: [
            { name: 'a=b' },
            { name: 'A', valueFrom: {} },
            { name: 'B', value: 'x', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } },
            { name: 'C', valueFrom: { fieldRef: { fieldPath: 'spec.nope' } } },
            { name: 'D', valueFrom: { secretKeyRef: { name: '', key: 'a/b' } } },
            { name: 'E', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '2' } } },
          ],
        },
      ],
    },
    texts: [
      `spec.containers[0].env[0].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than '='`,
      'spec.containers[0].env[1].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      'spec.containers[0].env[2].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
      'spec.containers[0].env[2].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
      'spec.containers[0].env[3].valueFrom.fieldRef.fieldPath: Invalid value: "spec.nope": error converting fieldPath: field label not supported: spec.nope',
      `spec.containers[0].env[4].valueFrom.secretKeyRef.name: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character`,
      `spec.containers[0].env[4].valueFrom.secretKeyRef.key: Invalid value: "a/b": a valid config key must consist of alphanumeric characters, '-', '_' or '.'`,
      `spec.containers[0].env[5].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`,
    ],
  },
  {
    about: 'env from',
    spec: {
      containers: [
        {
          name: 'a',
          image: 'x',
          envFrom: [{}, { prefix: 'a=', configMapRef: { name: 'x' }, secretRef: { name: '' } }],
        },
      ],
    },
    texts: [
      'spec.containers[0].envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
      `spec.containers[0].envFrom[1].prefix: Invalid value: "a=": a valid environment variable name must consist only of printable ASCII characters other than '='`,
      'spec.containers[0].envFrom[1].secretRef.name: Required value',
      'spec.containers[0].envFrom: Invalid value: "": may not have more than one field specified at a time',
    ],
  },
  {
    about: 'env files',
    spec: {
      containers: [
        {
          name: 'a',
          image: 'x',
          env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'gone', path: '../x', key: 'K' } } }],
        },
      ],
    },
    texts: [
      `spec.containers[0].env[0].valueFrom.fileKeyRef.path: Invalid value: "../x": must not contain '..'`,
      'spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Not found: "gone"',
    ],
  },
  {
    about: 'mounts',
    spec: {
      containers: [
        {
          name: 'a',
          image: 'x',
          volumeMounts: [
            { name: 'gone', mountPath: '' },
            { name: 'v', mountPath: '/a', subPath: '/s', recursiveReadOnly: 'Enabled' },
            { name: 'v', mountPath: '/a', mountPropagation: 'Bidirectional' },
          ],
        },
      ],
      volumes: [{ name: 'v', emptyDir: {} }],
    },
    texts: [
      'spec.containers[0].volumeMounts[0].name: Not found: "gone"',
      'spec.containers[0].volumeMounts[0].mountPath: Required value',
      'spec.containers[0].volumeMounts.subPath: Invalid value: "/s": must be a relative path',
      'spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true',
      'spec.containers[0].volumeMounts[2].mountPath: Invalid value: "/a": must be unique',
      'spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers',
    ],
  },
  {
    about: 'devices',
    spec: {
      containers: [
        {
          name: 'a',
          image: 'x',
          volumeDevices: [
            { name: 'v', devicePath: '/a/../b' },
            { name: 'v', devicePath: '' },
          ],
        },
      ],
      volumes: [{ name: 'v', emptyDir: {} }],
    },
    texts: [
      'spec.containers[0].volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      `spec.containers[0].volumeDevices[0].devicePath: Invalid value: "/a/../b": can not contain backsteps ('..')`,
      'spec.containers[0].volumeDevices[1].name: Invalid value: "v": must be unique',
      'spec.containers[0].volumeDevices[1].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      'spec.containers[0].volumeDevices[1].devicePath: Required value',
    ],
  },
  {
    about: 'resources',
    spec: {
      containers: [
        {
          name: 'a',
          image: 'x',
          resources: {
            limits: { cpu: '1', foo: '1', 'example.com/gpu': '1' },
            requests: { cpu: '2', memory: '-1', 'example.com/gpu': '2' },
          },
        },
      ],
    },
    texts: [
      'spec.containers[0].resources.limits[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
      'spec.containers[0].resources.limits[foo]: Invalid value: "foo": must be a standard resource for containers',
      'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      'spec.containers[0].resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.containers[0].resources.requests: Invalid value: "2": must be equal to example.com/gpu limit of 1',
      'spec.containers[0].resources.requests[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
      'spec.containers[0].resources.requests[foo]: Invalid value: "foo": must be a standard resource for containers',
    ],
  },
  {
    about: 'huge pages',
    spec: {
      containers: [
        {
          name: 'a',
          image: 'x',
          resources: { limits: { 'hugepages-2Mi': '3Mi' }, requests: { 'hugepages-2Mi': '3Mi' } },
        },
      ],
    },
    texts: [
      'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      'spec.containers[0].resources: Forbidden: HugePages require cpu or memory',
    ],
  },
  {
    about: 'resource claims',
    spec: {
      resourceClaims: [{ name: 'c', resourceClaimName: 'x' }, { name: 'c' }],
      containers: [
        { name: 'a', image: 'x', resources: { claims: [{ name: 'c' }, { name: 'c', request: 'r' }, { name: 'd' }] } },
      ],
    },
    texts: [
      'spec.resourceClaims[1].name: Duplicate value: "c"',
      'spec.resourceClaims[1]: Invalid value: {"Name":"c","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
      'spec.containers[0].resources.claims[1]: Duplicate value: "c"',
      'spec.containers[0].resources.claims[2]: Not found: "d": must be one of the names in pod.spec.resourceClaims: c',
    ],
  },
  {
    about: 'pod resources',
    spec: {
      resources: { requests: { cpu: '100m' }, limits: { memory: '1Gi', 'example.com/x': '1' } },
      containers: [{ name: 'a', image: 'x', resources: { requests: { cpu: '1' }, limits: { memory: '2Gi' } } }],
    },
    texts: [
      'spec.resources.limits[example.com/x]: Unsupported value: "example.com/x": supported values: "cpu", "hugepages-", "memory"',
      'spec.resources.requests: Invalid value: "2Gi": must be less than or equal to memory limit of 1Gi',
      'spec.resources.requests[cpu]: Invalid value: "100m": must be greater than or equal to aggregate container requests of 1',
      'spec.resources.containers[0][memory].limits: Invalid value: "2Gi": must be less than or equal to pod limits of 1Gi',
    ],
  },
  {
    about: 'probes',
    spec: {
      containers: [
        {
          name: 'a',
          image: 'x',
          livenessProbe: { successThreshold: 2 },
          readinessProbe: { exec: {}, tcpSocket: { port: 0 }, terminationGracePeriodSeconds: 5 },
          startupProbe: { httpGet: { port: 'Bad_', httpHeaders: [{ name: 'a b' }], scheme: 'FTP' }, periodSeconds: -1 },
        },
      ],
    },
    texts: [
      'spec.containers[0].livenessProbe: Required value: must specify a handler type',
      'spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1',
      'spec.containers[0].readinessProbe.exec.command: Required value',
      'spec.containers[0].readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type',
      'spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be set for readinessProbes',
      'spec.containers[0].startupProbe.httpGet.port: Invalid value: "Bad_": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.containers[0].startupProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"',
      `spec.containers[0].startupProbe.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header must consist of alphanumeric characters or '-'`,
      'spec.containers[0].startupProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0',
    ],
  },
  {
    about: 'lifecycle',
    spec: {
      terminationGracePeriodSeconds: 3,
      containers: [{ name: 'a', image: 'x', lifecycle: { preStop: { sleep: { seconds: 5 } }, postStart: {} } }],
    },
    texts: [
      'spec.containers[0].lifecycle.postStart: Required value: must specify a handler type',
      'spec.containers[0].lifecycle.preStop.sleep: Invalid value: 5: must be non-negative and less than terminationGracePeriodSeconds (3)',
    ],
  },
  {
    about: 'init containers',
    spec: {
      initContainers: [
        {
          name: 'a',
          image: 'x',
          livenessProbe: { exec: { command: ['a'] } },
          restartPolicyRules: [{ action: 'Restart' }],
        },
        {
          name: 'i',
          image: 'x',
          restartPolicy: 'Sometimes',
          resizePolicy: [{ resourceName: 'disk', restartPolicy: 'RestartContainer' }],
        },
      ],
    },
    texts: [
      'spec.initContainers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used',
      'spec.initContainers[0].name: Duplicate value: "a"',
      'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
      'spec.initContainers[1].resizePolicy: Unsupported value: "disk": supported values: "cpu", "memory"',
      'spec.initContainers[1].restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "Never", "OnFailure"',
      `spec.initContainers[1].resizePolicy[0].restartPolicy: Invalid value: "RestartContainer": must not be set to 'RestartContainer' for non-sidecar initContainers`,
    ],
  },
  {
    about: 'restart rules',
    spec: {
      containers: [
        {
          name: 'a',
          image: 'x',
          restartPolicyRules: [{ action: 'Jump', exitCodes: { operator: 'Near', values: [1] } }, { action: 'Restart' }],
        },
      ],
    },
    texts: [
      'spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used',
      'spec.containers[0].restartPolicyRules[0].action: Unsupported value: "Jump": supported values: "Restart", "RestartAllContainers"',
      'spec.containers[0].restartPolicyRules[0].exitCodes.operator: Unsupported value: "Near": supported values: "In", "NotIn"',
      'spec.containers[0].restartPolicyRules[1].exitCodes: Required value: must be specified',
    ],
  },
  {
    about: 'ephemeral containers',
    spec: {
      ephemeralContainers: [{ name: 'a', image: ' x', ports: [{ containerPort: 1 }], targetContainerName: 'z' }],
    },
    texts: [
      'spec.ephemeralContainers[0].image: Invalid value: " x": must not have leading or trailing whitespace',
      'spec.ephemeralContainers[0].name: Duplicate value: "a"',
      'spec.ephemeralContainers[0].targetContainerName: Not found: "z"',
      'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
      'spec.ephemeralContainers: Forbidden: cannot be set on create',
    ],
  },
  {
    about: 'container security',
    spec: {
      containers: [
        {
          name: 'a',
          image: 'x',
          securityContext: {
            runAsUser: -1,
            allowPrivilegeEscalation: false,
            capabilities: { add: ['CAP_SYS_ADMIN'] },
            procMount: 'Unmasked',
            seccompProfile: { type: 'Localhost' },
            appArmorProfile: { type: 'RuntimeDefault', localhostProfile: 'x' },
          },
        },
      ],
    },
    texts: [
      'spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      'spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
      'spec.containers[0].securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
      'spec.containers[0].securityContext: Invalid value: {"Capabilities":{"Add":["CAP_SYS_ADMIN"],"Drop":null},"Privileged":null,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":-1,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":"Unmasked","SeccompProfile":{"Type":"Localhost","LocalhostProfile":null},"AppArmorProfile":{"Type":"RuntimeDefault","LocalhostProfile":"x"}}: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Invalid value: "x": can only be set when AppArmor type is Localhost',
    ],
  },
  {
    about: 'pod security',
    spec: {
      shareProcessNamespace: true,
      hostPID: true,
      hostNetwork: true,
      securityContext: {
        fsGroup: -1,
        supplementalGroups: [1, -2],
        fsGroupChangePolicy: 'Never',
        supplementalGroupsPolicy: 'x',
        seLinuxChangePolicy: 'MountOption',
        sysctls: [
          { name: 'Bad' },
          { name: 'net/core/x', value: '1' },
          { name: 'a.b', value: '1' },
          { name: 'a.b', value: '2' },
        ],
        seccompProfile: { type: 'Unconfined', localhostProfile: 'x' },
      },
    },
    texts: [
      'spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      'spec.securityContext.supplementalGroups[1]: Invalid value: -2: must be between 0 and 2147483647, inclusive',
      'spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled',
      'spec.securityContext.sysctls[0].name: Invalid value: "Bad": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
      `spec.securityContext.sysctls[1].name: Invalid value: "net/core/x": may not be specified when 'hostNetwork' is true`,
      'spec.securityContext.sysctls[3].name: Duplicate value: "a.b"',
      'spec.securityContext.fsGroupChangePolicy: Unsupported value: "Never": supported values: "Always", "OnRootMismatch"',
      'spec.securityContext.seccompProfile.localhostProfile: Invalid value: {"Type":"Unconfined","LocalhostProfile":"x"}: can only be set when seccomp type is Localhost',
      'spec.securityContext.supplementalGroupsPolicy: Unsupported value: "x": supported values: "Merge", "Strict"',
      'spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"',
    ],
  },
  {
    about: 'windows',
    spec: {
      os: { name: 'windows' },
      hostPID: true,
      resources: { requests: { cpu: '1' } },
      securityContext: { runAsUser: 1, windowsOptions: { runAsUserName: 'a\\b\\c', gmsaCredentialSpec: '' } },
      containers: [
        { name: 'a', image: 'x', securityContext: { privileged: false, windowsOptions: { runAsUserName: '..' } } },
      ],
    },
    texts: [
      `spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "..": runAsUserName's User cannot contain only periods or spaces`,
      'spec.resources: Forbidden: may not be set for a windows pod',
      'spec.securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string',
      'spec.securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": runAsUserName cannot contain more than one backslash',
      'spec.hostPID: Forbidden: cannot be set for a windows pod',
      'spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
      'spec.containers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod',
    ],
  },
  {
    about: 'linux',
    spec: { os: { name: 'linux' }, containers: [{ name: 'a', image: 'x', securityContext: { windowsOptions: {} } }] },
    texts: [
      'spec.containers[0].securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
    ],
  },
  {
    about: 'operating system',
    spec: { os: { name: 'plan9' } },
    texts: ['spec.os: Unsupported value: "plan9": supported values: "linux", "windows"'],
  },
  {
    about: 'users of the host',
    spec: { hostUsers: false, hostNetwork: true, hostIPC: true },
    texts: [
      'spec.hostNetwork: Forbidden: when `hostUsers` is false',
      'spec.HostIPC: Forbidden: when `hostUsers` is false',
    ],
  },
  {
    about: 'volume names',
    spec: {
      volumes: [
        { name: '', emptyDir: {} },
        { name: 'v', emptyDir: {} },
        { name: 'v', emptyDir: {} },
        { name: 'w', emptyDir: {}, hostPath: { path: '/x' } },
      ],
    },
    texts: [
      'spec.volumes[0].name: Required value',
      'spec.volumes[2].name: Duplicate value: "v"',
      'spec.volumes[3].hostPath: Forbidden: may not specify more than 1 volume type',
    ],
  },
  {
    about: 'host path',
    spec: { volumes: [{ name: 'v', hostPath: { path: '/a/../b', type: 'Pipe' } }] },
    texts: [
      `spec.volumes[0].hostPath.path: Invalid value: "/a/../b": must not contain '..'`,
      'spec.volumes[0].hostPath.type: Unsupported value: "Pipe": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    ],
  },
  {
    about: 'config map',
    spec: { volumes: [{ name: 'v', configMap: { items: [{ key: '', path: '/x', mode: 512 }], defaultMode: -1 } }] },
    texts: [
      'spec.volumes[0].configMap.name: Required value',
      'spec.volumes[0].configMap.defaultMode: Invalid value: -1: must be a number between 0 and 0777 (octal), both inclusive',
      'spec.volumes[0].configMap.items[0].key: Required value',
      'spec.volumes[0].configMap.items[0].path: Invalid value: "/x": must be a relative path',
      'spec.volumes[0].configMap.items[0].mode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
    ],
  },
  {
    about: 'downward API',
    spec: {
      volumes: [
        {
          name: 'v',
          downwardAPI: {
            items: [
              { path: '..x' },
              { path: 'a', fieldRef: { fieldPath: 'spec.nodeName' }, resourceFieldRef: { resource: 'x' } },
              { path: 'b', resourceFieldRef: { resource: 'limits.cpu' } },
            ],
          },
        },
      ],
    },
    texts: [
      `spec.volumes[0].downwardAPI.path: Invalid value: "..x": must not start with '..'`,
      'spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
      'spec.volumes[0].downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
      'spec.volumes[0].downwardAPI: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously',
      'spec.volumes[0].downwardAPI.resourceFieldRef.containerName: Required value',
    ],
  },
  {
    about: 'projected',
    spec: {
      volumes: [
        {
          name: 'v',
          projected: {
            sources: [
              { serviceAccountToken: { path: '', expirationSeconds: 5 } },
              {
                configMap: { name: 'c', items: [{ key: 'a', path: 'p' }] },
                secret: { items: [{ key: 'a', path: 'p' }] },
              },
            ],
          },
        },
      ],
    },
    texts: [
      'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
      'spec.volumes[0].projected.path: Required value',
      'spec.volumes[0].projected.sources[1].secret.name: Required value',
      'spec.volumes[0].projected: Invalid value: "c": conflicting duplicate paths',
      'spec.volumes[0].projected.sources[1]: Forbidden: may not specify more than 1 volume type per source',
      'spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
    ],
  },
  {
    about: 'network volumes',
    spec: {
      volumes: [
        { name: 'a', nfs: { path: 'x' } },
        { name: 'b', iscsi: { iqn: 'x', lun: 300, chapAuthSession: true } },
        { name: 'c', rbd: {} },
        { name: 'd', fc: { targetWWNs: ['a'], wwids: ['b'] } },
        { name: 'e', csi: { driver: 'a_b' } },
        { name: 'f', azureDisk: { diskName: 'd', diskURI: 'x', kind: 'Managed' } },
        { name: 'g', quobyte: { registry: 'x', volume: 'v' } },
        { name: 'h', flexVolume: { driver: 'd', options: { 'k8s.io/x': 'y' } } },
      ],
    },
    texts: [
      'spec.volumes[0].nfs.server: Required value',
      'spec.volumes[0].nfs.path: Invalid value: "x": must be an absolute path',
      'spec.volumes[1].iscsi.targetPortal: Required value',
      'spec.volumes[1].iscsi.iqn: Invalid value: "x": must be valid format starting with iqn, eui, or naa',
      'spec.volumes[1].iscsi.lun: Invalid value: 300: must be between 0 and 255, inclusive',
      'spec.volumes[1].iscsi.secretRef: Required value',
      'spec.volumes[2].rbd.monitors: Required value',
      'spec.volumes[2].rbd.image: Required value',
      'spec.volumes[3].fc.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not be specified simultaneously',
      'spec.volumes[3].fc.lun: Required value: lun is required if targetWWNs is specified',
      `spec.volumes[4].csi.driver: Invalid value: "a_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character`,
      'spec.volumes[5].azureDisk.diskURI: Unsupported value: "x": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
      'spec.volumes[6].quobyte.registry: Invalid value: "x": must be a host:port pair or multiple pairs separated by commas',
      'spec.volumes[7].flexVolume.options[k8s.io/x]: Invalid value: "k8s.io/x": kubernetes.io and k8s.io namespaces are reserved',
    ],
  },
  {
    about: 'ephemeral volume',
    spec: {
      volumes: [
        {
          name: 'v',
          ephemeral: {
            volumeClaimTemplate: {
              metadata: { name: 'x' },
              spec: {
                accessModes: ['ReadWriteOncePod', 'ReadWriteMany', 'x'],
                resources: { requests: { storage: '0' } },
                volumeMode: 'Tape',
                dataSource: { kind: 'X', name: '' },
              },
            },
          },
        },
      ],
    },
    texts: [
      'spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Unsupported value: "x": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Invalid value: "0": must be greater than zero',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.dataSource.name: Required value',
      `spec.volumes[0].ephemeral.volumeClaimTemplate.spec.dataSource: Invalid value: "X": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
    ],
  },
  {
    about: 'image volume',
    spec: { volumes: [{ name: 'v', image: { pullPolicy: 'Often' } }] },
    texts: [
      'spec.volumes[0].image.reference: Required value',
      'spec.volumes[0].image.pullPolicy: Unsupported value: "Often": supported values: "Always", "IfNotPresent", "Never"',
    ],
  },
  {
    about: 'node affinity',
    spec: {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: 'a b', operator: 'In' },
                  { key: 'n', operator: 'Gt', values: ['1', '2'] },
                  { key: 'k', operator: 'Near' },
                ],
                matchFields: [{ key: 'spec.x', operator: 'Exists' }],
              },
            ],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, preference: {} }],
        },
      },
    },
    texts: [
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`,
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[1].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[2].operator: Invalid value: "Near": not a valid selector operator',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].operator: Invalid value: "Exists": not a valid selector operator',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key: Invalid value: "spec.x": not a valid field selector key',
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100',
    ],
  },
  {
    about: 'pod affinity',
    spec: {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: '', namespaces: ['A'], matchLabelKeys: ['a'] },
          ],
        },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 0,
              podAffinityTerm: {
                topologyKey: 'z',
                labelSelector: { matchLabels: { a: 'b' } },
                matchLabelKeys: ['x'],
                mismatchLabelKeys: ['x'],
              },
            },
          ],
        },
      },
    },
    texts: [
      `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespace: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character`,
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must be non-empty',
      `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`,
      'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
      'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.matchLabelKeys[0]: Invalid value: "x": exists in both matchLabelKeys and mismatchLabelKeys',
    ],
  },
  {
    about: 'spread',
    spec: {
      topologySpreadConstraints: [
        {
          maxSkew: 0,
          topologyKey: 'z',
          whenUnsatisfiable: 'ScheduleAnyway',
          minDomains: 1,
          nodeTaintsPolicy: 'x',
          matchLabelKeys: ['a'],
        },
        { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'ScheduleAnyway' },
      ],
    },
    texts: [
      'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
      'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{z, ScheduleAnyway}"',
      'spec.topologySpreadConstraints[0].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
      'spec.topologySpreadConstraints[0].nodeTaintsPolicy: Unsupported value: "x": supported values: "Honor", "Ignore"',
      'spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
    ],
  },
  {
    about: 'tolerations',
    spec: {
      tolerations: [
        { operator: 'Equal' },
        { key: 'a', operator: 'Exists', value: 'x', tolerationSeconds: 1 },
        { key: 'a', operator: 'Gt', value: '1' },
        { key: 'a', operator: 'Near', effect: 'Often' },
      ],
    },
    texts: [
      'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      'spec.tolerations[1].effect: Invalid value: "": effect must be \'NoExecute\' when `tolerationSeconds` is set',
      'spec.tolerations[1].operator: Invalid value: "x": value must be empty when `operator` is \'Exists\'',
      'spec.tolerations[2].operator: Unsupported value: "Gt": supported values: "Equal", "Exists", "Lt", "Gt"',
      'spec.tolerations[3].operator: Unsupported value: "Near": supported values: "Equal", "Exists"',
      'spec.tolerations[3].effect: Unsupported value: "Often": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
  },
  {
    about: 'names',
    spec: {
      hostname: 'a.b',
      subdomain: 'A',
      nodeName: 'A',
      serviceAccountName: '-',
      priorityClassName: '_',
      runtimeClassName: '',
      hostnameOverride: 'A',
      setHostnameAsFQDN: true,
      preemptionPolicy: 'x',
      restartPolicy: 'x',
      dnsPolicy: 'x',
      activeDeadlineSeconds: 0,
    },
    texts: [
      'spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"',
      'spec.dnsPolicy: Unsupported value: "x": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
      'spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true',
      `spec.hostnameOverride: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character`,
      `spec.serviceAccountName: Invalid value: "-": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character`,
      `spec.nodeName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character`,
      'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
      'spec.hostname: Invalid value: "a.b": must not contain dots',
      `spec.subdomain: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character`,
      `spec.priorityClassName: Invalid value: "_": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character`,
      `spec.runtimeClassName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character`,
      'spec.preemptionPolicy: Unsupported value: "x": supported values: "PreemptLowerPriority", "Never"',
    ],
  },
  {
    about: 'DNS',
    spec: {
      dnsConfig: {
        nameservers: ['1.2.3.004', 'x', '1.1.1.1', '::ffff:1.1.1.1'],
        searches: ['a_b.c.', '.', 'A'],
        options: [{}],
      },
    },
    texts: [
      'spec.dnsConfig.nameservers: Invalid value: ["1.2.3.004","x","1.1.1.1","::ffff:1.1.1.1"]: must not have more than 3 nameservers',
      'spec.dnsConfig.nameservers[0]: Invalid value: "1.2.3.004": must not have leading 0s',
      'spec.dnsConfig.nameservers[1]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'spec.dnsConfig.nameservers[3]: Invalid value: "::ffff:1.1.1.1": must not be an IPv4-mapped IPv6 address',
      `spec.dnsConfig.searches[2]: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character`,
      'spec.dnsConfig.options[0]: Required value: must not be empty',
    ],
  },
  {
    about: 'DNS none',
    spec: { dnsPolicy: 'None' },
    texts: ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
  },
  {
    about: 'host aliases',
    spec: { hostAliases: [{ ip: '1.2.3', hostnames: ['A_'] }] },
    texts: [
      'spec.hostAliases[0].ip: Invalid value: "1.2.3": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      `spec.hostAliases[0].hostnames[0]: Invalid value: "A_": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character`,
    ],
  },
  {
    about: 'gates',
    spec: {
      nodeName: 'n',
      schedulingGates: [{ name: 'a' }, { name: 'a' }, { name: 'a b' }],
      readinessGates: [{ conditionType: 'a/b/c' }],
    },
    texts: [
      `spec.readinessGates[0].conditionType: Invalid value: "a/b/c": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`,
      'spec.schedulingGates[1]: Duplicate value: "a"',
      `spec.schedulingGates[2]: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`,
      'spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared',
    ],
  },
  {
    about: 'overhead',
    spec: { overhead: { cpu: '-1', storage: '1' } },
    texts: [
      'spec.overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.overhead.limits[storage]: Invalid value: "storage": must be a standard resource for containers',
    ],
  },
];
