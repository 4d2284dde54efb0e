import type { Database } from '../../../core/data/database.js';
import type { WebhookReceiver } from '../../support/peers/receiver.js';
import type { Application } from '../application.js';
import type { Carrier } from '../phones/carrier.js';
import type { Conversation } from '../phones/conversation.js';
import type { Media } from '../phones/media.js';

/** An injected failure: a process or an engine was killed, a connection cut, or a service stopped. */
export interface Outage {
  readonly what: 'process' | 'engine' | 'control' | 'sip' | 'redis' | 'database';
  /** The name of the kill point or of the disturbance. */
  readonly point: string;
  readonly at: number;
  /** The time of recovery; null if another kill came before. */
  readyAt: number | null;
}

/** What a run observed, for the judges. */
export interface Evidence {
  readonly db: Database;
  /** The folder of finished recordings. */
  readonly recordingDir: string;
  readonly carrier: Carrier;
  readonly media: Media;
  readonly receiver: WebhookReceiver;
  readonly processes: readonly Application[];
  readonly conversations: readonly Conversation[];
  readonly outages: readonly Outage[];
  /** The outages that affected the call's engine or its owner; all of them if the call has no engine. */
  outagesOf(conversation: Conversation): readonly Outage[];
  /** Describes the channels and bridges that the engines still have. */
  describeChannels(): Promise<readonly string[]>;
}

/** The name of the call's engine, as its phones saw it; null if no phone rang. */
export function engineOf({ customer, other }: Conversation): string | null {
  return (customer ?? other)?.facts.engine ?? null;
}

/** The time at which the call ended because its engine died; null if it ended otherwise. */
export function crashedAt({ customer, other }: Conversation): number | null {
  const crashed = [customer, other].filter((leg) => leg?.facts.endedBy === 'crash');
  return crashed.length === 0 ? null : Math.min(...crashed.map((leg) => leg?.facts.endedAt ?? Infinity));
}
