/** Places calls at the rate that each request gives, and reports how many were answered and ended. */
import { Calls } from './calls.js';
import { channelOf, connect } from './esl.js';

const esl = await connect(['CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE'], (event) => {
  if (event['Event-Name'] === 'CHANNEL_ANSWER') calls.answered(channelOf(event));
  else calls.ended(channelOf(event));
});
const calls = new Calls(async (id) => {
  const callee = `sofia/hatif/+966501234567@127.0.0.1:${process.env.CALLEE_PORT ?? ''}`;
  await esl.command(`bgapi originate {origination_uuid=${id},ignore_early_media=true}${callee} &park()`);
});
