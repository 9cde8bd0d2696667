// The structures of a pod template as they are inside Kubernetes, with Go's names in Go's order: facts for
// internal-form.ts. A line is a structure and its fields, `Name:shape` or `Name:shape:jsonName` where the JSON name is
// not the Go name with a small first letter. Shapes: s text, n number, b truth, q amount, ? whatever is given or null,
// m map, l label selector, @ metadata, Name a structure, *Name one that may be absent, [Name a list of them.
// Taken from pkg/apis/core/types.go of v1.36.

/** One line a structure. */
export const internalStructures = `
AWSElasticBlockStoreVolumeSource VolumeID:s FSType:s:fsType Partition:n ReadOnly:b
Affinity NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity
AppArmorProfile Type:s LocalhostProfile:?
AzureDiskVolumeSource DiskName:s DataDiskURI:s:diskURI CachingMode:? FSType:?:fsType ReadOnly:? Kind:?
AzureFileVolumeSource SecretName:s ShareName:s ReadOnly:b
CSIVolumeSource Driver:s ReadOnly:? FSType:?:fsType VolumeAttributes:m NodePublishSecretRef:*LocalObjectReference
Capabilities Add:? Drop:?
CephFSVolumeSource Monitors:? Path:s User:s SecretFile:s SecretRef:*LocalObjectReference ReadOnly:b
CinderVolumeSource VolumeID:s FSType:s:fsType ReadOnly:b SecretRef:*LocalObjectReference
ClusterTrustBundleProjection Name:? SignerName:? LabelSelector:l Optional:? Path:s
ConfigMapEnvSource Name:s Optional:?
ConfigMapKeySelector Name:s Key:s Optional:?
ConfigMapProjection Name:s Items:[KeyToPath Optional:?
ConfigMapVolumeSource Name:s Items:[KeyToPath DefaultMode:? Optional:?
Container Name:s Image:s Command:? Args:? WorkingDir:s Ports:[ContainerPort EnvFrom:[EnvFromSource Env:[EnvVar Resources:ResourceRequirements ResizePolicy:[ContainerResizePolicy RestartPolicy:? RestartPolicyRules:[ContainerRestartRule VolumeMounts:[VolumeMount VolumeDevices:[VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY:b:tty
ContainerPort Name:s HostPort:n ContainerPort:n Protocol:s HostIP:s
ContainerResizePolicy ResourceName:s RestartPolicy:s
ContainerRestartRule Action:s ExitCodes:*ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes Operator:s Values:?
DownwardAPIProjection Items:[DownwardAPIVolumeFile
DownwardAPIVolumeFile Path:s FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode:?
DownwardAPIVolumeSource Items:[DownwardAPIVolumeFile DefaultMode:?
EmptyDirVolumeSource Medium:s SizeLimit:?
EnvFromSource Prefix:s ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource
EnvVar Name:s Value:s ValueFrom:*EnvVarSource
EnvVarSource FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector FileKeyRef:*FileKeySelector
EphemeralContainer Name:s Image:s Command:? Args:? WorkingDir:s Ports:[ContainerPort EnvFrom:[EnvFromSource Env:[EnvVar Resources:ResourceRequirements ResizePolicy:[ContainerResizePolicy RestartPolicy:? RestartPolicyRules:[ContainerRestartRule VolumeMounts:[VolumeMount VolumeDevices:[VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY:b:tty TargetContainerName:s
EphemeralVolumeSource VolumeClaimTemplate:*PersistentVolumeClaimTemplate
ExecAction Command:?
FCVolumeSource TargetWWNs:? Lun:? FSType:s:fsType ReadOnly:b WWIDs:?:wwids
FileKeySelector VolumeName:s Path:s Key:s Optional:?
FlexVolumeSource Driver:s FSType:s:fsType SecretRef:*LocalObjectReference ReadOnly:b Options:m
FlockerVolumeSource DatasetName:s DatasetUUID:s
GCEPersistentDiskVolumeSource PDName:s:pdName FSType:s:fsType Partition:n ReadOnly:b
GRPCAction Port:n Service:?
GitRepoVolumeSource Repository:s Revision:s Directory:s
GlusterfsVolumeSource EndpointsName:s:endpoints Path:s ReadOnly:b
HTTPGetAction Path:s Port:n Host:s Scheme:s HTTPHeaders:[HTTPHeader:httpHeaders
HTTPHeader Name:s Value:s
HostAlias IP:s:ip Hostnames:?
HostPathVolumeSource Path:s Type:?
ISCSIVolumeSource TargetPortal:s IQN:s:iqn Lun:n ISCSIInterface:s:iscsiInterface FSType:s:fsType ReadOnly:b Portals:? DiscoveryCHAPAuth:b:chapAuthDiscovery SessionCHAPAuth:b:chapAuthSession SecretRef:*LocalObjectReference InitiatorName:?
ImageVolumeSource Reference:s PullPolicy:s
KeyToPath Key:s Path:s Mode:?
Lifecycle PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:?
LifecycleHandler Exec:*ExecAction HTTPGet:*HTTPGetAction:httpGet TCPSocket:*TCPSocketAction:tcpSocket Sleep:*SleepAction
LocalObjectReference Name:s
NFSVolumeSource Server:s Path:s ReadOnly:b
NodeAffinity RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm
NodeSelector NodeSelectorTerms:[NodeSelectorTerm
NodeSelectorRequirement Key:s Operator:s Values:?
NodeSelectorTerm MatchExpressions:[NodeSelectorRequirement MatchFields:[NodeSelectorRequirement
ObjectFieldSelector APIVersion:s:apiVersion FieldPath:s
PersistentVolumeClaimSpec AccessModes:? Selector:l Resources:VolumeResourceRequirements VolumeName:s StorageClassName:? VolumeMode:? DataSource:*TypedLocalObjectReference DataSourceRef:*TypedObjectReference VolumeAttributesClassName:?
PersistentVolumeClaimTemplate ObjectMeta:@:metadata Spec:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource ClaimName:s ReadOnly:b
PhotonPersistentDiskVolumeSource PdID:s FSType:s:fsType
PodAffinity RequiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm
PodAffinityTerm LabelSelector:l Namespaces:? TopologyKey:s NamespaceSelector:l MatchLabelKeys:? MismatchLabelKeys:?
PodAntiAffinity RequiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm
PodCertificateProjection SignerName:s KeyType:s MaxExpirationSeconds:? CredentialBundlePath:s KeyPath:s CertificateChainPath:s UserAnnotations:m
PodDNSConfig Nameservers:? Searches:? Options:[PodDNSConfigOption
PodDNSConfigOption Name:s Value:?
PodOS Name:s
PodReadinessGate ConditionType:s
PodResourceClaim Name:s ResourceClaimName:? ResourceClaimTemplateName:?
PodSchedulingGate Name:s
PodSchedulingGroup PodGroupName:?
PodSecurityContext HostNetwork:b HostPID:b HostIPC:b ShareProcessNamespace:? HostUsers:? SELinuxOptions:*SELinuxOptions:seLinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:? RunAsGroup:? RunAsNonRoot:? SupplementalGroups:? SupplementalGroupsPolicy:? FSGroup:?:fsGroup FSGroupChangePolicy:?:fsGroupChangePolicy Sysctls:[Sysctl SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile SELinuxChangePolicy:?:seLinuxChangePolicy
PodSpec Volumes:[Volume InitContainers:[Container Containers:[Container EphemeralContainers:[EphemeralContainer RestartPolicy:s TerminationGracePeriodSeconds:? ActiveDeadlineSeconds:? DNSPolicy:s:dnsPolicy NodeSelector:m ServiceAccountName:s AutomountServiceAccountToken:? NodeName:s SecurityContext:*PodSecurityContext ImagePullSecrets:[LocalObjectReference Hostname:s Subdomain:s SetHostnameAsFQDN:? Affinity:*Affinity SchedulerName:s Tolerations:[Toleration HostAliases:[HostAlias PriorityClassName:s Priority:? PreemptionPolicy:? DNSConfig:*PodDNSConfig:dnsConfig ReadinessGates:[PodReadinessGate RuntimeClassName:? Overhead:m EnableServiceLinks:? TopologySpreadConstraints:[TopologySpreadConstraint OS:*PodOS:os SchedulingGates:[PodSchedulingGate ResourceClaims:[PodResourceClaim Resources:*ResourceRequirements HostnameOverride:? SchedulingGroup:*PodSchedulingGroup
PodTemplateSpec ObjectMeta:@:metadata Spec:PodSpec
PortworxVolumeSource VolumeID:s FSType:s:fsType ReadOnly:b
PreferredSchedulingTerm Weight:n Preference:NodeSelectorTerm
Probe Exec:*ExecAction HTTPGet:*HTTPGetAction:httpGet TCPSocket:*TCPSocketAction:tcpSocket GRPC:*GRPCAction:grpc InitialDelaySeconds:n TimeoutSeconds:n PeriodSeconds:n SuccessThreshold:n FailureThreshold:n TerminationGracePeriodSeconds:?
ProjectedVolumeSource Sources:[VolumeProjection DefaultMode:?
QuobyteVolumeSource Registry:s Volume:s ReadOnly:b User:s Group:s Tenant:s
RBDVolumeSource CephMonitors:?:monitors RBDImage:s:image FSType:s:fsType RBDPool:s:pool RadosUser:s:user Keyring:s SecretRef:*LocalObjectReference ReadOnly:b
ResourceClaim Name:s Request:s
ResourceFieldSelector ContainerName:s Resource:s Divisor:q
ResourceRequirements Limits:m Requests:m Claims:[ResourceClaim
SELinuxOptions User:s Role:s Type:s Level:s
ScaleIOVolumeSource Gateway:s System:s SecretRef:*LocalObjectReference SSLEnabled:b:sslEnabled ProtectionDomain:s StoragePool:s StorageMode:s VolumeName:s FSType:s:fsType ReadOnly:b
SeccompProfile Type:s LocalhostProfile:?
SecretEnvSource Name:s Optional:?
SecretKeySelector Name:s Key:s Optional:?
SecretProjection Name:s Items:[KeyToPath Optional:?
SecretVolumeSource SecretName:s Items:[KeyToPath DefaultMode:? Optional:?
SecurityContext Capabilities:*Capabilities Privileged:? SELinuxOptions:*SELinuxOptions:seLinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:? RunAsGroup:? RunAsNonRoot:? ReadOnlyRootFilesystem:? AllowPrivilegeEscalation:? ProcMount:? SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile
ServiceAccountTokenProjection Audience:s ExpirationSeconds:n Path:s
SleepAction Seconds:n
StorageOSVolumeSource VolumeName:s VolumeNamespace:s FSType:s:fsType ReadOnly:b SecretRef:*LocalObjectReference
Sysctl Name:s Value:s
TCPSocketAction Port:n Host:s
Toleration Key:s Operator:s Value:s Effect:s TolerationSeconds:?
TopologySpreadConstraint MaxSkew:n TopologyKey:s WhenUnsatisfiable:s LabelSelector:l MinDomains:? NodeAffinityPolicy:? NodeTaintsPolicy:? MatchLabelKeys:?
TypedLocalObjectReference APIGroup:?:apiGroup Kind:s Name:s
TypedObjectReference APIGroup:?:apiGroup Kind:s Name:s Namespace:?
Volume Name:s HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource GCEPersistentDisk:*GCEPersistentDiskVolumeSource:gcePersistentDisk AWSElasticBlockStore:*AWSElasticBlockStoreVolumeSource:awsElasticBlockStore GitRepo:*GitRepoVolumeSource Secret:*SecretVolumeSource NFS:*NFSVolumeSource:nfs ISCSI:*ISCSIVolumeSource:iscsi Glusterfs:*GlusterfsVolumeSource PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD:*RBDVolumeSource:rbd Quobyte:*QuobyteVolumeSource FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource CephFS:*CephFSVolumeSource:cephfs Flocker:*FlockerVolumeSource DownwardAPI:*DownwardAPIVolumeSource FC:*FCVolumeSource:fc AzureFile:*AzureFileVolumeSource ConfigMap:*ConfigMapVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource Projected:*ProjectedVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOVolumeSource StorageOS:*StorageOSVolumeSource:storageos CSI:*CSIVolumeSource:csi Ephemeral:*EphemeralVolumeSource Image:*ImageVolumeSource
VolumeDevice Name:s DevicePath:s
VolumeMount Name:s ReadOnly:b RecursiveReadOnly:? MountPath:s SubPath:s MountPropagation:? SubPathExpr:s
VolumeProjection Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection ServiceAccountToken:*ServiceAccountTokenProjection ClusterTrustBundle:*ClusterTrustBundleProjection PodCertificate:*PodCertificateProjection
VolumeResourceRequirements Limits:m Requests:m
VsphereVirtualDiskVolumeSource VolumePath:s FSType:s:fsType StoragePolicyName:s StoragePolicyID:s
WeightedPodAffinityTerm Weight:n PodAffinityTerm:PodAffinityTerm
WindowsSecurityContextOptions GMSACredentialSpecName:?:gmsaCredentialSpecName GMSACredentialSpec:?:gmsaCredentialSpec RunAsUserName:? HostProcess:?
`;
