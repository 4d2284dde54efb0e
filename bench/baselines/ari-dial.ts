/** Places so many calls at so many a second when it is asked to, and says how many were answered and ended. */
import { randomUUID } from 'node:crypto';
import { connect, told } from './ari.js';
import { paced } from '../lib/paced.js';

const answered = new Set<string>();
let ended = 0;
let finished: (() => void) | null = null;

const ari = await connect(({ type, channel }) => {
  if (!channel) return;
  // Not before: a channel that has not entered the application yet cannot be dialled.
  if (type === 'StasisStart') told(ari.command('POST', `/channels/${channel.id}/dial?timeout=30`));
  else if (type === 'ChannelStateChange' && channel.state === 'Up') answered.add(channel.id);
  else if (type === 'ChannelDestroyed' && answered.delete(channel.id)) {
    ended += 1;
    finished?.();
  }
});

process.on(
  'message',
  ({ calls, callsPerSecond, limitMs }: { calls: number; callsPerSecond: number; limitMs: number }) => {
    const limit = setTimeout(() => finish(), limitMs);
    const finish = (): void => {
      clearTimeout(limit);
      finished = null;
      process.send?.({ ended });
      ended = 0;
      answered.clear();
    };
    finished = () => {
      if (ended === calls) finish();
    };
    told(paced(calls, callsPerSecond, dial));
  },
);
process.send?.({});

async function dial(): Promise<void> {
  await ari.command('POST', '/channels/create', {
    endpoint: `PJSIP/bench-bare/sip:+966501234567@127.0.0.1:${process.env.CALLEE_PORT ?? ''}`,
    app: 'bench',
    channelId: randomUUID(),
  });
}
