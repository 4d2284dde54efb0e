import type { ProjectKind } from '../../core/data/repositories/project-kind.js';
import type { MediaItem } from '../../core/ports/engine.js';
import type { Clock } from '../../core/ports/clock.js';
import type { LoadFlow } from '../../core/services/callflows/flow-cache.js';
import type { FlowVerification } from '../../core/services/callflows/verification.js';
import type { FlowRequests } from '../../core/services/callflows/requests.js';

/** What the flows of phone calls need from the platform. */
export interface FlowDeps {
  readonly load: LoadFlow;
  readonly requests: Pick<FlowRequests, 'send'>;
  readonly verification: Pick<FlowVerification, 'send' | 'check'>;
  /** The id of the project's number of this kind; null if the project does not have it. */
  readonly numberId: (of: ProjectKind, e164: string) => Promise<string | null>;
  /** The path at which engines find an uploaded audio file. */
  readonly audioPath: (audioId: string) => string;
  /** The recording announcement; empty if the project wants none, null if it cannot be played, in which case nobody may be recorded. */
  readonly announcement: (projectId: string) => Promise<readonly MediaItem[] | null>;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
}
