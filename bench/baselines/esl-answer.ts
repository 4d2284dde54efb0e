/** Answers whatever comes in, and hangs up. */
import { channelOf, connect, told } from './esl.js';

const esl = await connect(['CHANNEL_PARK'], (event) => {
  told(answer(channelOf(event)));
});

async function answer(channel: string): Promise<void> {
  await esl.api(`uuid_answer ${channel}`);
  await esl.api(`uuid_kill ${channel}`);
}

process.send?.({});
