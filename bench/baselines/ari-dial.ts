/** Places so many calls at so many a second when it is asked to, and says how many were answered and ended. */
import { connect, told } from './ari.js';
import { Calls } from './calls.js';

const ari = await connect(({ type, channel }) => {
  if (!channel) return;
  // Not before: a channel that has not entered the application yet cannot be dialled.
  if (type === 'StasisStart') told(ari.command('POST', `/channels/${channel.id}/dial?timeout=30`));
  else if (type === 'ChannelStateChange' && channel.state === 'Up') calls.answered(channel.id);
  else if (type === 'ChannelDestroyed') calls.ended(channel.id);
});
const calls = new Calls((id) =>
  ari.command('POST', '/channels/create', {
    endpoint: `PJSIP/bench-bare/sip:+966501234567@127.0.0.1:${process.env.CALLEE_PORT ?? ''}`,
    app: 'bench',
    channelId: id,
  }),
);
