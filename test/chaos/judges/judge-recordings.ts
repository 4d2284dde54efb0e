import { join } from 'node:path';
import type { RecordingRow } from '../../../core/data/rows.js';
import { readChannels, slice, toneSeconds, type Audio } from '../../support/judges/audio.js';
import type { Conversation } from '../phones/conversation.js';
import type { CallRecord } from './loss.js';
import { endTimesOf, type ReportLoss } from './judge-call.js';
import type { LegFacts } from '../phones/leg.js';
import { crashedAt, type Evidence, type Outage } from './evidence.js';
import { latenessBetween } from './lateness.js';

/** A recording that can be played. */
export interface PlayableRecording {
  readonly seconds: number;
}

/** The tolerance between the length and the talk time. */
const TOLERANCE_SECONDS = 2.5;
/** The length of each window in which the tone is searched. */
const WINDOW_SECONDS = 0.2;
const MAX_GAP_SECONDS = 1;
const SAME_MOMENT_MS = 1_000;
/** An engine that is commanded to record receives the first audio within this time. */
const FIRST_AUDIO_SECONDS = 0.25;
/** From the creation of the row to the engine's confirmation. */
const START_LIMIT_MS = 2_500;
/** A process that is ready adopts its calls within this time. */
const ADOPTION_LIMIT_MS = 5_000;

/**
 * A call that should be recorded must have exactly one recording, with its whole length from the start of the
 * recording, in which the customer's tone has no gap.
 */
export function judgeRecordings(
  conversation: Conversation,
  { recordings, adoptedAt }: CallRecord,
  evidence: Evidence,
  loss: ReportLoss,
): PlayableRecording[] {
  const outages = evidence.outagesOf(conversation);
  if (!isExpectedCount(conversation, recordings.length, outages)) {
    loss(
      'recording',
      `${recordings.length} recordings of a call that was recorded ${conversation.plan.recording ?? 'never'}`,
    );
  }
  return recordings.flatMap((recording) => {
    const { id, status, storage_key, duration_ms } = recording;
    // The engine's part of the recording was lost with the engine.
    if (crashedAt(conversation) !== null && (status === 'failed' || status === 'available')) return [];
    // The row exists, but the call ended before a process was available to start the recording.
    const isLegallyEmpty = outages.some(({ at, readyAt }) => {
      const wasRequested = Math.abs(at - recording.started_at.getTime()) < START_LIMIT_MS;
      return wasRequested && (conversation.customer?.facts.endedAt ?? 0) < (readyAt ?? Infinity) + ADOPTION_LIMIT_MS;
    });
    const { longest, shortest } = lengths(conversation, recording, outages, adoptedAt);
    if (status === 'failed' && (isLegallyEmpty || shortest < FIRST_AUDIO_SECONDS)) return [];
    if (status !== 'available' || storage_key === null) {
      loss('recording', `${id} is ${status}`);
      return [];
    }
    const [customerAudio, otherAudio] = readChannels(join(evidence.recordingDir, storage_key));
    if (!customerAudio || !otherAudio) {
      loss('recording', `${id} does not have two channels`);
      return [];
    }
    const { seconds } = customerAudio;
    if (Math.abs(seconds - (duration_ms ?? 0) / 1000) > 0.1) {
      loss('recording', `${id} has ${seconds.toFixed(1)} s, its row says ${String(duration_ms)} ms`);
    }
    if (seconds > longest + TOLERANCE_SECONDS || seconds < shortest - TOLERANCE_SECONDS) {
      loss(
        'recording',
        `${id} has ${seconds.toFixed(1)} s instead of ${shortest.toFixed(1)} to ${longest.toFixed(1)} s`,
      );
    }
    const part = connectedPart(conversation, recording, customerAudio);
    const gap = longestGap(slice(customerAudio, part.from, part.to), conversation.plan.customerHz);
    // At the earliest: the engine may have begun later than the row says.
    const missingFrom = recording.started_at.getTime() + (part.from + gap.from) * 1_000;
    const missingTo = missingFrom + gap.seconds * 1_000 + SAME_MOMENT_MS;
    const lateSeconds = latenessBetween(evidence.media.lateness, missingFrom, missingTo) / 1_000;
    const isMuted = conversation.controls.some(({ control }) => control.leg === 'customer');
    if (!isMuted && gap.seconds - lateSeconds > MAX_GAP_SECONDS) {
      const where = `${(part.from + gap.from).toFixed(1)} s after its start, of ${seconds.toFixed(1)} s`;
      const late = `the phone itself was late by ${lateSeconds.toFixed(1)} s`;
      loss('recording', `${id} lacks the customer's tone for ${gap.seconds.toFixed(1)} s, ${where}; ${late}`);
    }
    return [{ seconds }];
  });
}

function isExpectedCount(
  { plan, customer, recording }: Conversation,
  recordings: number,
  outages: readonly Outage[],
): boolean {
  const facts = customer?.facts;
  if (plan.recording === null || facts?.confirmedAt == null) return recordings === 0;
  if (recordings === 1) return true;
  if (recordings > 1) return false;
  // Without a confirmation there may be none, nor if the call ended before a process was available to start it.
  if (plan.recording !== 'from the answer') return recording === null;
  return outages.some(({ at, readyAt }) => endedWhileDown(facts, at, readyAt));
}

/** The expected limits of the length in seconds, as far as the phone and the client know. */
function lengths(
  { customer, recording }: Conversation,
  { started_at }: RecordingRow,
  outages: readonly Outage[],
  adoptedAt: readonly Date[],
): { readonly longest: number; readonly shortest: number } {
  const from = started_at.getTime();
  // A recording that was requested but not started when the application died starts after its restart.
  const died = outages.some(({ at }) => Math.abs(at - from) < START_LIMIT_MS);
  const restartedAt = adoptedAt.find((at) => at.getTime() > from)?.getTime() ?? Infinity;
  const latest = died ? restartedAt + SAME_MOMENT_MS : from;
  const [earliestEnd, latestEnd] = customer ? endTimesOf(customer.facts) : [from, from];
  const longest = (Math.min(latestEnd, recording?.stoppedAt ?? Infinity) - from) / 1000;
  return { longest, shortest: (Math.min(earliestEnd, recording?.stopRequestedAt ?? Infinity) - latest) / 1000 };
}

/**
 * The part in which the parties were connected, in seconds. While a party hears ringback, the engine does not read its
 * audio.
 */
function connectedPart(
  { plan, customer, other, recording }: Conversation,
  { started_at }: RecordingRow,
  received: Audio,
): { readonly from: number; readonly to: number } {
  const heardTimes = plan.kind === 'idle' ? [0] : [customer, other].map((leg) => leg?.stream?.heardAt ?? Infinity);
  const connectedAt = Math.max(started_at.getTime(), ...heardTimes);
  const [, heardAt] = customer ? endTimesOf(customer.facts) : [0, 0];
  const end = Math.min(heardAt, recording?.stoppedAt ?? Infinity);
  // The engine records until it receives the end.
  const endDelayMs = Math.max(0, end - (customer?.facts.endedAt ?? 0));
  const to = Math.max(0, received.seconds - endDelayMs / 1000);
  return { from: Math.min(to, Math.max(0, received.seconds - (end - connectedAt) / 1000)), to };
}

/** Whether the call was answered and ended while no process could act. */
function endedWhileDown(facts: LegFacts | undefined, from: number, to: number | null): boolean {
  if (facts?.confirmedAt == null || facts.endedAt === null) return false;
  return facts.confirmedAt > from - SAME_MOMENT_MS && facts.endedAt < (to ?? Infinity) + ADOPTION_LIMIT_MS;
}

/** The longest span without the tone, in seconds. */
function longestGap(audio: Audio, hz: number): { readonly from: number; readonly seconds: number } {
  let longest = { from: 0, seconds: 0 };
  let from = 0;
  for (let at = 0; at + WINDOW_SECONDS <= audio.seconds; at += WINDOW_SECONDS) {
    const isThere = toneSeconds(slice(audio, at, at + WINDOW_SECONDS), hz) > WINDOW_SECONDS / 2;
    if (isThere) from = at + WINDOW_SECONDS;
    else if (at + WINDOW_SECONDS - from > longest.seconds) longest = { from, seconds: at + WINDOW_SECONDS - from };
  }
  return longest;
}
