import { createHash } from 'node:crypto';
import { isId } from '../../core/model/ids.js';

/**
 * Returns the leg id of a channel. A channel that Hatif originated has its leg's id. An inbound channel has an id from
 * FreeSWITCH; its leg id is derived from that and the second of its creation, so that it is the same in every process and
 * after every restart of the application without being stored. The result is a well-formed UUID v7 (RFC 9562 §5.7).
 */
export function legIdOf(channelId: string, createdSeconds: number): string {
  if (isId(channelId)) return channelId;
  const hash = createHash('sha256').update(`${channelId}/${createdSeconds}`).digest();
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(createdSeconds * 1_000, 0, 6);
  hash.copy(bytes, 6, 0, 10);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The SIP profile's name in the configuration. */
export const PROFILE = 'hatif';

/** The dialplan context for calls that another engine owns and that only pass through; `hatif_passed` marks both of their halves. */
const PASSING = 'hatif-peer';

/** Whether another engine owns the channel's call. @param dump the channel's variables, as in its events */
export function isPassing(dump: Readonly<Record<string, string | undefined>>): boolean {
  return dump.variable_hatif_passed === 'true' || dump['Caller-Context'] === PASSING;
}

/** The two halves of a call inside: `loopback/+966112345678-a` dials, `-b` comes in. Helpers dial no number. */
const INSIDE = /^loopback\/\+\d+-([ab])$/;

/** Whether a channel is the half of a call inside that comes in. */
export function comesFromInside(name: string): boolean {
  return INSIDE.exec(name)?.[1] === 'b';
}

/** Whether a channel is a party's leg, not a helper channel of FreeSWITCH or the adapter (echo). */
export function isLegChannel(name: string): boolean {
  return name.startsWith(`sofia/${PROFILE}/`) || INSIDE.test(name);
}
