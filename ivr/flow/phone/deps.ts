import type { MediaItem } from '../../../core/ports/engine.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { LoadFlow } from '../../../core/services/callflows/book.js';
import type { FlowRequests } from '../../../core/services/callflows/requests.js';

/** What flows of telephone calls need of the platform. */
export interface FlowDeps {
  readonly load: LoadFlow;
  readonly requests: Pick<FlowRequests, 'send'>;
  /** Where engines find an uploaded audio file. */
  readonly audioPath: (audioId: string) => string;
  /** What customers are told before they are recorded; null when it cannot be said: then nobody may be recorded. */
  readonly announcement: (projectId: string) => Promise<readonly MediaItem[] | null>;
  readonly clock: Clock;
}
