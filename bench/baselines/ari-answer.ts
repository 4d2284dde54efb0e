/** Answers whatever comes in, and hangs up. */
import { connect, told } from './ari.js';

const ari = await connect(({ type, channel }) => {
  if (!channel) return;
  if (type === 'StasisStart') told(ari.command('POST', `/channels/${channel.id}/answer`));
  else if (type === 'ChannelStateChange' && channel.state === 'Up')
    told(ari.command('DELETE', `/channels/${channel.id}`));
});
process.send?.({});
