import { expect } from 'chai';
import { slice, toneSeconds, toneShare, type Audio } from './audio.js';
import type { Baresip } from '../phones/index.js';

const MARGIN_SECONDS = 20;

/** For {@link Baresip.waitToHear}: a tone of `hz` for this time in total. */
export const hears =
  (hz: number, seconds = 0.4) =>
  (audio: Audio): boolean =>
    toneSeconds(audio, hz) >= seconds;

/** For a mix: a tone that has this share of the energy in some half second. */
export const hasPart =
  (hz: number, share: number) =>
  (audio: Audio): boolean => {
    for (let at = 0; at + 0.5 <= audio.seconds; at += 0.25) {
      if (toneShare(slice(audio, at, at + 0.5), hz) >= share) return true;
    }
    return false;
  };

/** Those of the tones that the phone hears in the next 1.5 s of audio; the engine must send some. */
export async function tonesHeard(phone: Baresip, tones: readonly number[], callId?: string): Promise<number[]> {
  // Earlier audio is still in the buffers of the engine and the phone.
  const from = phone.heard(callId).seconds + 0.8;
  await phone.waitToHear(({ seconds }) => seconds >= from + 1.5, callId === undefined ? {} : { callId });
  const audio = slice(phone.heard(callId), from);
  return tones.filter((hz) => hasPart(hz, 0.15)(audio));
}

/** One end of a conversation: a phone that sends its own tone. */
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

/** @returns a function that returns what the phone has heard of its call from now on */
export function since(phone: Baresip, callId: string): () => Audio {
  const from = phone.heard(callId).seconds;
  return () => slice(phone.heard(callId), from);
}

/** Resolves when the phone has heard a tone of `hz` for this time, from now on. */
export async function hearsMore(phone: Baresip, callId: string, hz: number, seconds: number): Promise<void> {
  const heard = since(phone, callId);
  const timeoutMs = (seconds + MARGIN_SECONDS) * 1_000;
  await phone.waitToHear(() => toneSeconds(heard(), hz) >= seconds, { callId, timeoutMs });
}
