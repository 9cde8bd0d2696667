// Requests a volume for a claim: an annotation names the external provisioner, which watches for it. None of the
// in-tree plugins provisions volumes by default. As provisionClaim in pv_controller.go.
import { classOfClaim, driverInPlaceOf, namespacedName, quote } from '../../core/index.js';
import { provisionerAnnotation, provisionerBetaAnnotation } from './migration.js';
import { recordForClaim, writeClaim } from './storage.js';
import type { Storage, StorageOutcome, StoredClaim } from './storage.js';

/** Requests a volume from the provisioner of the claim's class, or records why that is impossible. */
export async function provision(claim: StoredClaim, storage: Storage): Promise<StorageOutcome | undefined> {
  const className = classOfClaim(claim);
  const named = storage.classes.get(className)?.provisioner;
  const problem = named === undefined ? `storageclass.storage.k8s.io ${quote(className)} not found` : problemOf(named);
  if (named === undefined || problem !== undefined) {
    recordForClaim(claim, { type: 'Warning', reason: 'ProvisioningFailed', message: problem ?? '' }, storage);
    return undefined;
  }
  const provisioner = driverInPlaceOf(named) ?? named;
  const annotations = claim.metadata.annotations ?? {};
  const isAsked = annotations[provisionerAnnotation] === provisioner;
  if (!isAsked)
    await writeClaim(
      {
        ...claim,
        metadata: {
          ...claim.metadata,
          annotations: {
            ...annotations,
            [provisionerBetaAnnotation]: provisioner,
            [provisionerAnnotation]: provisioner,
          },
        },
      },
      storage,
    );
  recordForClaim(claim, { type: 'Normal', reason: 'ExternalProvisioning', message: waitingFor(provisioner) }, storage);
  return isAsked ? undefined : { type: 'awaited', claim: namespacedName(claim), provisioner };
}

/** Returns why a provisioner cannot provision. */
function problemOf(provisioner: string): string | undefined {
  if (!provisioner.startsWith('kubernetes.io/') || driverInPlaceOf(provisioner) !== undefined) return undefined;
  if (provisioner === 'kubernetes.io/host-path')
    return `Failed to create provisioner: provisioning in volume plugin ${quote(provisioner)} is disabled`;
  return provisioner === 'kubernetes.io/nfs'
    ? 'no provisionable volume plugin matched'
    : `no volume plugin matched name: ${provisioner}`;
}

function waitingFor(provisioner: string): string {
  return `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
}
