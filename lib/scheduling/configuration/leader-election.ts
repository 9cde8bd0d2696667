// How one of several schedulers is chosen, with what Kubernetes fills in. As component-base/config/v1alpha1/defaults.go
// and pkg/scheduler/apis/config/v1/defaults.go. What has to be true of it is in configuration-validation.ts.
import { canonicalDuration, parseDurationMs } from '../../core/index.js';
import type { LeaderElectionDocument } from './configuration-document.js';

/** How one of several schedulers is chosen: by a Lease. */
export interface LeaderElectionSettings {
  /** Undefined where nothing was said. Kubernetes elects then; who knows that nobody else can be there need not. */
  readonly leaderElect: boolean | undefined;
  /** Default 15 s. */
  readonly leaseDurationMs: number;
  /** Default 10 s. */
  readonly renewDeadlineMs: number;
  /** Default 2 s. */
  readonly retryPeriodMs: number;
  /** Default `kube-scheduler`. */
  readonly resourceName: string;
  /** Default `kube-system`. */
  readonly resourceNamespace: string;
}

/** The durations of a document as they are printed; zero is the same as nothing. */
export function electionDurations({
  leaseDuration,
  renewDeadline,
  retryPeriod,
}: LeaderElectionDocument): Readonly<Record<'leaseDuration' | 'renewDeadline' | 'retryPeriod', string>> {
  return {
    leaseDuration: durationOr(leaseDuration, '15s'),
    renewDeadline: durationOr(renewDeadline, '10s'),
    retryPeriod: durationOr(retryPeriod, '2s'),
  };
}

/** Fills in what a document leaves out. */
export function completeLeaderElection(document: LeaderElectionDocument): LeaderElectionSettings {
  const { leaderElect, resourceName = '', resourceNamespace = '' } = document;
  const { leaseDuration, renewDeadline, retryPeriod } = electionDurations(document);
  return {
    leaderElect,
    leaseDurationMs: parseDurationMs(leaseDuration),
    renewDeadlineMs: parseDurationMs(renewDeadline),
    retryPeriodMs: parseDurationMs(retryPeriod),
    resourceName: resourceName === '' ? 'kube-scheduler' : resourceName,
    resourceNamespace: resourceNamespace === '' ? 'kube-system' : resourceNamespace,
  };
}

function durationOr(text = '', otherwise: string): string {
  return text === '' || parseDurationMs(text) === 0 ? otherwise : canonicalDuration(text);
}
