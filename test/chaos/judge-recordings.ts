import { join } from 'node:path';
import { readChannels, slice, toneSeconds, type Audio } from '../support/audio.js';
import type { Conversation } from './conversation.js';
import type { Written } from './judge.js';
import type { Report } from './judge-call.js';
import type { LegFacts } from './leg.js';
import type { Evidence } from './run.js';

/** A recording that can be listened to. */
export interface Recorded {
  readonly seconds: number;
}

/** How far the length may be from the time that the phone talked. */
const TOLERANCE_SECONDS = 1.5;
/** Each so long, the tone is looked for. */
const WINDOW_SECONDS = 0.2;
const LONGEST_GAP_SECONDS = 1;
const SAME_MOMENT_MS = 500;
/** A process that is ready takes its calls over. */
const TAKEN_OVER_WITHIN_MS = 5_000;

/**
 * A call that was placed with `record: true` and answered has one recording, of its whole length from the moment that it was begun, in
 * which the customer's tone never stops.
 */
export function judgeRecordings(
  talk: Conversation,
  { recordings }: Written,
  { ground, kills }: Evidence,
  loss: Report,
): Recorded[] {
  const facts = talk.customer?.facts;
  const wanted = talk.plan.recorded && facts?.confirmedAt != null ? 1 : 0;
  // One that ended before anybody was back to begin the recording has none.
  const isEmpty = recordings.length === 0 && kills.some(({ at, readyAt }) => wasAway(facts, at, readyAt));
  if (recordings.length !== wanted && !isEmpty)
    loss('recording', `${recordings.length} recordings instead of ${wanted}`);
  return recordings.flatMap(({ id, status, storage_key, started_at, duration_ms }) => {
    if (status !== 'available' || storage_key === null) {
      loss('recording', `${id} is ${status}`);
      return [];
    }
    const [said, heard] = readChannels(join(ground.recordingDir, storage_key));
    if (!said || !heard) {
      loss('recording', `${id} has not two channels`);
      return [];
    }
    if (Math.abs(said.seconds - (duration_ms ?? 0) / 1000) > 0.1) {
      loss('recording', `${id} has ${said.seconds.toFixed(1)} s, and is said to have ${String(duration_ms)} ms`);
    }
    // What was written down and not begun when the application died begins when it is back.
    const died = kills.find(({ at }) => Math.abs(at - started_at.getTime()) < 1_500);
    const latest = Math.max(started_at.getTime(), (died?.readyAt ?? 0) + 1_000);
    const [longest, shortest] = [started_at.getTime(), latest].map((from) => ((facts?.endedAt ?? 0) - from) / 1000);
    if (said.seconds > (longest ?? 0) + TOLERANCE_SECONDS || said.seconds < (shortest ?? 0) - TOLERANCE_SECONDS) {
      loss('recording', `${id} has ${said.seconds.toFixed(1)} s of ${(longest ?? 0).toFixed(1)} s`);
    }
    // While a party hears the ringing of another the engine does not read what it says; from the talk on all is there.
    const talkedAt = Math.max(
      started_at.getTime(),
      ...[talk.customer, talk.other].map((leg) => leg?.stream?.heardAt ?? 0),
    );
    const talked = slice(said, Math.max(0, said.seconds - ((facts?.endedAt ?? 0) - talkedAt) / 1000));
    const isMuted = talk.controls.some(({ control }) => control.leg === 'customer');
    const gap = longestWithout(talked, talk.plan.sends);
    const isJoined = talk.plan.kind === 'idle' || talk.other?.stream?.heardAt != null;
    if (isJoined && !isMuted && gap > LONGEST_GAP_SECONDS) {
      loss('recording', `${id} is without the customer for ${gap.toFixed(1)} s`);
    }
    return [{ seconds: said.seconds }];
  });
}

/** From the answer to the end of the call, as far as anybody could have done something. */
function wasAway(facts: LegFacts | undefined, from: number, to: number | null): boolean {
  if (facts?.confirmedAt == null || facts.endedAt === null) return false;
  return facts.confirmedAt > from - SAME_MOMENT_MS && facts.endedAt < (to ?? Infinity) + TAKEN_OVER_WITHIN_MS;
}

/** The longest stretch in which the tone is not heard, in seconds. */
function longestWithout(audio: Audio, hz: number): number {
  let [longest, run] = [0, 0];
  for (let at = 0; at + WINDOW_SECONDS <= audio.seconds; at += WINDOW_SECONDS) {
    const isThere = toneSeconds(slice(audio, at, at + WINDOW_SECONDS), hz) > WINDOW_SECONDS / 2;
    run = isThere ? 0 : run + WINDOW_SECONDS;
    longest = Math.max(longest, run);
  }
  return longest;
}
