/** Answers and hangs up every inbound call. */
import { connect, logFailure } from './ari.js';

const ari = await connect(({ type, channel }) => {
  if (!channel) return;
  if (type === 'StasisStart') logFailure(ari.command('POST', `/channels/${channel.id}/answer`));
  else if (type === 'ChannelStateChange' && channel.state === 'Up')
    logFailure(ari.command('DELETE', `/channels/${channel.id}`));
});
process.send?.({});
