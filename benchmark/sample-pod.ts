// A pod as a controller would send it: two containers, probes, volumes, resources. About 2.5 KB of JSON.
import type { Container, Pod } from '../lib/core/types/index.js';

const container = (name: string): Container => ({
  name,
  image: `registry.example/team/${name}:1.27.3`,
  args: ['--listen=:8080', '--log-level=info'],
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
  env: [
    { name: 'LOG_FORMAT', value: 'json' },
    { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'web-token', key: 'token' } } },
  ],
  resources: { limits: { cpu: '500m', memory: '128Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
  volumeMounts: [
    { name: 'config', mountPath: '/etc/web' },
    { name: 'data', mountPath: '/var/lib/web' },
  ],
  livenessProbe: { httpGet: { path: '/healthz', port: 8080 }, initialDelaySeconds: 5, periodSeconds: 10 },
  readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5 },
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
});

export const samplePod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    generateName: 'web-6d4cf56db6-',
    namespace: 'default',
    labels: { app: 'web', tier: 'frontend', 'pod-template-hash': '6d4cf56db6' },
    annotations: {
      'example.com/description': 'serves the front page and what hangs off it',
      'prometheus.io/scrape': 'true',
    },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'web-6d4cf56db6',
        uid: '6b1b6f0e-1d2c-4a7e-9c3f-0a1b2c3d4e5f',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  },
  spec: {
    containers: [container('web'), container('sidecar')],
    volumes: [
      { name: 'config', configMap: { name: 'web-config' } },
      { name: 'data', emptyDir: { sizeLimit: '1Gi' } },
    ],
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { app: 'web' } },
      },
    ],
    serviceAccountName: 'web',
    securityContext: { runAsNonRoot: true, fsGroup: 2000 },
  },
};
