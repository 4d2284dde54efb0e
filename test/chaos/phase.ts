import type { Disturbance } from './disturbances.js';
import type { Outage } from './judges/evidence.js';
import type { Conversation } from './phones/conversation.js';

/** One disturbance, with the calls that lived through it. */
export interface Phase {
  readonly disturbance: Pick<Disturbance, 'what' | 'engine'>;
  readonly conversations: readonly Conversation[];
  readonly outage: Outage;
  /** The engines whose calls may have noticed. */
  readonly affected: readonly string[];
  /** When it was undone, which may be some time before all was well again. */
  readonly endedAt: number;
  /** The most changes of calls that waited in the journals. */
  readonly maxJournalEntries: number;
}
