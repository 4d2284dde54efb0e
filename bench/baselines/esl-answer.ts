/** Answers and hangs up every inbound call. */
import { channelOf, connect, logFailure } from './esl.js';

const esl = await connect(['CHANNEL_PARK'], (event) => {
  logFailure(answer(channelOf(event)));
});

async function answer(channel: string): Promise<void> {
  await esl.api(`uuid_answer ${channel}`);
  await esl.api(`uuid_kill ${channel}`);
}

process.send?.({});
