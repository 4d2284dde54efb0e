import type { Database } from '../../../core/data/database.js';
import type { WebhookReceiver } from '../../support/peers/receiver.js';
import type { Application } from '../application.js';
import type { Carrier } from '../phones/carrier.js';
import type { Conversation } from '../phones/conversation.js';
import type { Media } from '../phones/media.js';

/** What was done to the platform: a process or an engine was killed, a connection cut, a part stopped. */
export interface Outage {
  readonly what: 'process' | 'engine' | 'control' | 'sip' | 'redis' | 'database';
  /** The name of the point, or of the whole. */
  readonly point: string;
  readonly at: number;
  /** When everything was there again; null when it was killed again before. */
  readyAt: number | null;
}

/** Everything that was there for a run, for those who judge it. */
export interface Evidence {
  readonly db: Database;
  /** Where finished recordings are. */
  readonly recordingDir: string;
  readonly carrier: Carrier;
  readonly media: Media;
  readonly receiver: WebhookReceiver;
  readonly processes: readonly Application[];
  readonly conversations: readonly Conversation[];
  readonly outages: readonly Outage[];
  /** Those that the call's engine, or whoever conducts it, was affected by; of a call that has no engine all of them. */
  outagesOf(conversation: Conversation): readonly Outage[];
  /** What the engines hold, in words. */
  describeChannels(): Promise<readonly string[]>;
}

/** Whose phone knows where the call lives; null where none rang. */
export function engineOf({ customer, other }: Conversation): string | null {
  return (customer ?? other)?.facts.engine ?? null;
}

/** When the call's engine died under it; null where it did not. */
export function crashedAt({ customer, other }: Conversation): number | null {
  const crashed = [customer, other].filter((leg) => leg?.facts.endedBy === 'crash');
  return crashed.length === 0 ? null : Math.min(...crashed.map((leg) => leg?.facts.endedAt ?? Infinity));
}
