/** `disabled`: this installation has no transcription. */
export const TRANSCRIPT_STATUSES = ['pending', 'completed', 'failed', 'disabled'] as const;
export type TranscriptStatus = (typeof TRANSCRIPT_STATUSES)[number];

/** The party heard on a channel. */
export const SPEAKERS = ['customer', 'agent', 'transfer'] as const;
export type Speaker = (typeof SPEAKERS)[number];

/** One continuous piece of speech. */
export interface Segment {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
  /** 0 to 1; null if the engine does not report it. */
  readonly confidence: number | null;
}

/** Speech of one speaker until another starts. */
export interface Turn extends Segment {
  /** Null if all speakers are on one channel. */
  readonly speaker: Speaker | null;
}

/** A silence of this length starts a new turn even for the same speaker. */
const TURN_GAP_MS = 2000;

/**
 * The speakers on the channels of a leg's recording: the first channel carries what its phone said,
 * the second what it heard. The customer hears the agent (or the party a transfer brought in); both
 * of these hear the customer.
 */
export function speakersOf(leg: Speaker, channels: 1 | 2): readonly (Speaker | null)[] {
  return channels === 1 ? [null] : [leg, leg === 'customer' ? 'agent' : 'customer'];
}

/**
 * Merges the channels into turns in order of start; consecutive segments of one speaker form one
 * turn.
 */
export function turnsOf(channels: readonly { speaker: Speaker | null; segments: readonly Segment[] }[]): Turn[] {
  const segments = channels
    .flatMap(({ speaker, segments }) => segments.map((segment): Turn => ({ ...segment, speaker })))
    .sort((a, b) => a.startMs - b.startMs || a.endMs - b.endMs);
  const turns: Turn[] = [];
  for (const next of segments) {
    const last = turns.at(-1);
    if (last?.speaker === next.speaker && next.startMs - last.endMs < TURN_GAP_MS) {
      turns[turns.length - 1] = mergeTurns(last, next);
    } else {
      turns.push(next);
    }
  }
  return turns;
}

function mergeTurns(a: Turn, b: Turn): Turn {
  return {
    ...a,
    endMs: Math.max(a.endMs, b.endMs),
    text: `${a.text} ${b.text}`,
    confidence: confidenceOf([a, b]),
  };
}

/** Mean of the known values, weighted by text length; null if none is known. */
export function confidenceOf(segments: readonly Segment[]): number | null {
  let [sum, length] = [0, 0];
  for (const { confidence, text } of segments) {
    if (confidence === null) continue;
    sum += confidence * text.length;
    length += text.length;
  }
  return length === 0 ? null : sum / length;
}
