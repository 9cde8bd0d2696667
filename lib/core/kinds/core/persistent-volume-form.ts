// PersistentVolumes as errors print them: with the Go names of Kubernetes' inner types, in their order, absent fields
// included. As the types of pkg/apis/core/types.go.
import type { Frozen } from '../../objects/meta.js';
import type { PersistentVolumeSpec, VolumeNodeAffinity } from '../../types/core-v1.generated.js';
import { goForms } from '../../go/struct-form.js';

/** The source of a volume: all that are possible, mostly null. */
export function printedVolumeSource(spec: Frozen<PersistentVolumeSpec>): unknown {
  return print('PersistentVolumeSource', spec);
}

/** Where a volume can be reached from. */
export function printedNodeAffinity(affinity: Frozen<VolumeNodeAffinity> | undefined): unknown {
  return print('VolumeNodeAffinity', affinity);
}

/** The fields of a specification that say where the volume comes from. */
export const volumeSourceFields: readonly (keyof PersistentVolumeSpec)[] = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'hostPath',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'flexVolume',
  'cinder',
  'cephfs',
  'fc',
  'flocker',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'local',
  'storageos',
  'csi',
];

const print = goForms({
  PersistentVolumeSource:
    'gcePersistentDisk=GCEPersistentDisk:GcePersistentDisk awsElasticBlockStore=AWSElasticBlockStore:AwsElasticBlockStore hostPath:HostPath ' +
    'glusterfs:Glusterfs nfs=NFS:Nfs rbd=RBD:Rbd quobyte:Quobyte iscsi=ISCSI:Iscsi flexVolume:FlexVolume cinder:Cinder cephfs=CephFS:Cephfs ' +
    'fc=FC:Fc flocker:Flocker azureFile:AzureFile vsphereVolume:VsphereVolume azureDisk:AzureDisk photonPersistentDisk:PhotonPersistentDisk ' +
    'portworxVolume:PortworxVolume scaleIO:ScaleIo local:Local storageos=StorageOS:StorageOs csi=CSI:Csi',
  GcePersistentDisk: 'pdName=PDName! fsType=FSType! partition# readOnly?',
  AwsElasticBlockStore: 'volumeID! fsType=FSType! partition# readOnly?',
  HostPath: 'path! type',
  Glusterfs: 'endpoints=EndpointsName! path! readOnly? endpointsNamespace',
  Nfs: 'server! path! readOnly?',
  Rbd: 'monitors=CephMonitors image=RBDImage! fsType=FSType! pool=RBDPool! user=RadosUser! keyring! secretRef:SecretReference readOnly?',
  Quobyte: 'registry! volume! readOnly? user! group! tenant!',
  Iscsi:
    'targetPortal! iqn=IQN! lun# iscsiInterface=ISCSIInterface! fsType=FSType! readOnly? portals chapAuthDiscovery=DiscoveryCHAPAuth? ' +
    'chapAuthSession=SessionCHAPAuth? secretRef:SecretReference initiatorName',
  FlexVolume: 'driver! fsType=FSType! secretRef:SecretReference readOnly? options',
  Cinder: 'volumeID! fsType=FSType! readOnly? secretRef:SecretReference',
  Cephfs: 'monitors path! user! secretFile! secretRef:SecretReference readOnly?',
  Fc: 'targetWWNs lun fsType=FSType! readOnly? wwids=WWIDs',
  Flocker: 'datasetName! datasetUUID!',
  AzureFile: 'secretName! shareName! readOnly? secretNamespace',
  VsphereVolume: 'volumePath! fsType=FSType! storagePolicyName! storagePolicyID!',
  AzureDisk: 'diskName! diskURI=DataDiskURI! cachingMode fsType=FSType readOnly kind',
  PhotonPersistentDisk: 'pdID=PdID! fsType=FSType!',
  PortworxVolume: 'volumeID! fsType=FSType! readOnly?',
  ScaleIo:
    'gateway! system! secretRef:SecretReference sslEnabled=SSLEnabled? protectionDomain! storagePool! storageMode! volumeName! fsType=FSType! readOnly?',
  Local: 'path! fsType=FSType',
  StorageOs: 'volumeName! volumeNamespace! fsType=FSType! readOnly? secretRef:ObjectReference',
  Csi:
    'driver! volumeHandle! readOnly? fsType=FSType! volumeAttributes controllerPublishSecretRef:SecretReference nodeStageSecretRef:SecretReference ' +
    'nodePublishSecretRef:SecretReference controllerExpandSecretRef:SecretReference nodeExpandSecretRef:SecretReference',
  SecretReference: 'name! namespace!',
  ObjectReference: 'kind! namespace! name! uid=UID! apiVersion=APIVersion! resourceVersion! fieldPath!',
  VolumeNodeAffinity: 'required:NodeSelector',
  NodeSelector: 'nodeSelectorTerms:NodeSelectorTerm',
  NodeSelectorTerm: 'matchExpressions:NodeSelectorRequirement matchFields:NodeSelectorRequirement',
  NodeSelectorRequirement: 'key! operator! values',
});
