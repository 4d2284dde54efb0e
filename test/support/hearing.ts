import { expect } from 'chai';
import { slice, toneSeconds, type Audio } from './audio.js';
import type { Baresip } from './phones/index.js';

/** For {@link Baresip.waitToHear}: a tone of `hz` for that long, all in all. */
export const hears =
  (hz: number, seconds = 0.4) =>
  (audio: Audio): boolean =>
    toneSeconds(audio, hz) >= seconds;

/** One end of a conversation: a phone that sends a tone of its own. */
export interface Talker {
  readonly phone: Baresip;
  readonly hz: number;
  readonly callId?: string;
}

/** Resolves when each hears the other's tone; neither may have heard its own. */
export async function talk(one: Talker, other: Talker): Promise<void> {
  await Promise.all([listen(one, other.hz), listen(other, one.hz)]);
  for (const { phone, hz, callId } of [one, other]) {
    expect(toneSeconds(phone.heard(callId), hz), `${phone.options.user} hears itself`).to.equal(0);
  }
}

async function listen({ phone, callId }: Talker, hz: number): Promise<void> {
  await phone.waitToHear(hears(hz), callId === undefined ? {} : { callId });
}

/** What the phone hears of its call from now on, each time it is asked. */
export function since(phone: Baresip, callId: string): () => Audio {
  const from = phone.heard(callId).seconds;
  return () => slice(phone.heard(callId), from);
}

/** Resolves when the phone has heard a tone of `hz` for so long, from now on. */
export async function hearsMore(phone: Baresip, callId: string, hz: number, seconds: number): Promise<void> {
  const heard = since(phone, callId);
  await phone.waitToHear(() => toneSeconds(heard(), hz) >= seconds, { callId });
}
