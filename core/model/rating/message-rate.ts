import type { Channel } from '../messaging/channels.js';
import type { MicroSar } from '../money.js';

/** The price of messages on a channel, for the recipients that it names. */
export interface MessageRate {
  readonly channel: Channel;
  /** Prefix of the recipient's number in E.164, without its plus; empty applies to every recipient. */
  readonly prefix: string;
  /** Of one segment: what the carrier counts as one message. */
  readonly perSegment: MicroSar;
}

/** The price of every message on a channel. */
export type MessagePrice = Pick<MessageRate, 'channel' | 'perSegment'>;
