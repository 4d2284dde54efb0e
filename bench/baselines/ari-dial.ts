/** Places calls at the rate that each request gives, and reports how many were answered and ended. */
import { connect, logFailure } from './ari.js';
import { Calls } from './calls.js';

const ari = await connect(({ type, channel }) => {
  if (!channel) return;
  // Not earlier: a channel cannot be dialled before it has entered the application.
  if (type === 'StasisStart') logFailure(ari.command('POST', `/channels/${channel.id}/dial?timeout=30`));
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
