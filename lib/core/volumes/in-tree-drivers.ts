// The volume plugins that Kubernetes once had built in, and the CSI drivers that took over. As csi-translation-lib.

/** The driver in the place of each plugin. */
export const inTreeDrivers = {
  'kubernetes.io/aws-ebs': 'ebs.csi.aws.com',
  'kubernetes.io/gce-pd': 'pd.csi.storage.gke.io',
  'kubernetes.io/cinder': 'cinder.csi.openstack.org',
  'kubernetes.io/azure-disk': 'disk.csi.azure.com',
  'kubernetes.io/portworx-volume': 'pxd.portworx.com',
  'kubernetes.io/azure-file': 'file.csi.azure.com',
  'kubernetes.io/vsphere-volume': 'csi.vsphere.vmware.com',
} as const;

/** The driver in the place of a plugin; undefined for whatever was never built in, or still is. */
export function driverInPlaceOf(plugin: string): string | undefined {
  return drivers.get(plugin);
}

const drivers: ReadonlyMap<string, string> = new Map(Object.entries(inTreeDrivers));
