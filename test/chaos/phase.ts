import type { Disturbance } from './disturbances.js';
import type { Outage } from './judges/evidence.js';
import type { Conversation } from './phones/conversation.js';

/** One disturbance and its calls. */
export interface Phase {
  readonly disturbance: Pick<Disturbance, 'what' | 'engine'>;
  readonly conversations: readonly Conversation[];
  readonly outage: Outage;
  /** The engines whose calls may have been affected. */
  readonly affected: readonly string[];
  /** When the disturbance ended; recovery may take longer. */
  readonly endedAt: number;
  /** The maximum number of changes that waited in the journals. */
  readonly maxJournalEntries: number;
}
