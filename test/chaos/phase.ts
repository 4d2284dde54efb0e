import type { Disturbance } from './disturbances.js';
import type { Kill } from './judges/evidence.js';
import type { Conversation } from './phones/conversation.js';

/** One disturbance, with the calls that lived through it. */
export interface Phase {
  readonly disturbance: Pick<Disturbance, 'what' | 'engine'>;
  readonly conversations: readonly Conversation[];
  readonly kill: Kill;
  /** The engines whose calls may have noticed. */
  readonly affected: readonly string[];
  /** When it was undone, which may be some time before all was well again. */
  readonly undoneAt: number;
  /** The most changes of calls that waited in the journals. */
  readonly journalled: number;
}
