import { expect } from 'chai';
import { slice, toneSeconds, toneShare, type Audio } from './audio.js';
import { since, type Talker } from './hearing.js';

/** If two tones are mixed, each has about half of the energy. */
const PRESENT = 0.2;
/** A tone with a smaller share of the energy is inaudible. */
const ABSENT = 0.03;
const HEARD_SECONDS = 0.6;

/** A phone in a conference, and its call there. */
export type Member = Talker & { readonly callId: string };

/**
 * Resolves when, from now on, each phone has heard the tones of all others at the same time. No phone may have heard
 * its own tone, or that of a `silent` phone; those hear like all others.
 */
export async function talkTogether(members: readonly Member[], silent: readonly Member[] = []): Promise<void> {
  const all = [...members, ...silent];
  const hearings = all.map((member) => ({ member, hears: since(member.phone, member.callId) }));
  await Promise.all(
    hearings.map(async ({ member, hears }) => {
      const others = members.filter((other) => other !== member);
      const isHeard = (): boolean => others.every(({ hz }) => toneSeconds(hears(), hz, PRESENT) >= HEARD_SECONDS);
      await member.phone.waitToHear(isHeard, { callId: member.callId });
    }),
  );
  for (const { member, hears } of hearings) {
    for (const { hz, phone } of all) {
      if (members.some((other) => other.hz === hz && other !== member)) continue;
      const name = `${member.phone.options.user} hears ${phone.options.user}`;
      expect(toneSeconds(hears(), hz, ABSENT), name).to.be.below(0.2);
    }
  }
}

const WINDOW_SECONDS = 0.2;

/** For how long the tone is audible in the mix. */
export function partSeconds(mix: Audio, hz: number): number {
  let seconds = 0;
  for (let at = 0; at + WINDOW_SECONDS <= mix.seconds; at += WINDOW_SECONDS) {
    if (toneShare(slice(mix, at, at + WINDOW_SECONDS), hz) > 0.1) seconds += WINDOW_SECONDS;
  }
  return seconds;
}
