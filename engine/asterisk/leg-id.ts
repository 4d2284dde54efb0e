import { createHash } from 'node:crypto';
import { isId } from '../../core/model/ids.js';
import type { AriChannel } from './ari/ari-types.js';
import { INSIDE_CONTEXT } from './sip/dial-string.js';

/**
 * Returns the leg id of a channel. A channel that Hatif originated has its leg's id. An inbound channel has an id from
 * Asterisk; its leg id is derived from that and from the channel's creation time, so that it is the same in every
 * process and after every restart of the application without being stored. The result is a well-formed UUID v7
 * (RFC 9562 §5.7). For the far half of a call inside, the time in the calling leg's id is used instead.
 *
 * @param entityId the engine's own id, because two engines may assign equal channel ids
 */
export function legIdOf(channel: Pick<AriChannel, 'id' | 'creationtime'>, entityId: string): string {
  if (isId(channel.id)) return channel.id;
  const caller = callingLegOf(channel.id);
  const createdMs = caller === null ? Date.parse(channel.creationtime) : createdMsOf(caller);
  const hash = createHash('sha256').update(`${entityId}/${channel.id}/${createdMs}`).digest();
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(createdMs, 0, 6);
  hash.copy(bytes, 6, 0, 10);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Returns the creation time in a UUID v7 (RFC 9562 §5.7). */
export function createdMsOf(legId: string): number {
  return Number.parseInt(legId.slice(0, 8) + legId.slice(9, 13), 16);
}

const FAR_HALF = '-inside';

/** Returns the id of the far half of the Local channel of a leg that calls inside: the channel that comes in. */
export function farHalfOf(legId: string): string {
  return legId + FAR_HALF;
}

/** Returns the leg whose call inside came in as this channel; null for any other channel. */
export function callingLegOf(channelId: string): string | null {
  const legId = channelId.slice(0, -FAR_HALF.length);
  return channelId.endsWith(FAR_HALF) && isId(legId) ? legId : null;
}

const INSIDE = new RegExp(`^Local/.*@${INSIDE_CONTEXT}-`);

/** Whether a channel is one of the two legs of a call inside. */
export function isInside({ name }: Pick<AriChannel, 'name'>): boolean {
  return INSIDE.test(name);
}

/** Whether a channel is a party's leg, not a helper channel of Asterisk or the adapter (echo, announcements). */
export function isLegChannel(channel: Pick<AriChannel, 'name'>): boolean {
  return channel.name.startsWith('PJSIP/') || isInside(channel);
}
