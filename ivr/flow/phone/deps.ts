import type { MediaItem } from '../../../core/ports/engine.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { LoadFlow } from '../../../core/services/callflows/flow-cache.js';
import type { FlowVerification } from '../../../core/services/callflows/verification.js';
import type { FlowRequests } from '../../../core/services/callflows/requests.js';

/** What flows of telephone calls need of the platform. */
export interface FlowDeps {
  readonly load: LoadFlow;
  readonly requests: Pick<FlowRequests, 'send'>;
  readonly verification: Pick<FlowVerification, 'send' | 'check'>;
  /** The id of a number of the project's; null where it has no such number. */
  readonly numberId: (projectId: string, e164: string) => Promise<string | null>;
  /** Where engines find an uploaded audio file. */
  readonly audioPath: (audioId: string) => string;
  /** What customers are told before they are recorded; null when it cannot be said: then nobody may be recorded. */
  readonly announcement: (projectId: string) => Promise<readonly MediaItem[] | null>;
  readonly clock: Clock;
}
