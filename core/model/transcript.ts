/** `disabled`: nothing in this installation writes down what is said. */
export const TRANSCRIPT_STATUSES = ['pending', 'completed', 'failed', 'disabled'] as const;
export type TranscriptStatus = (typeof TRANSCRIPT_STATUSES)[number];

/** Who is heard on a channel. */
export const SPEAKERS = ['customer', 'agent', 'transfer'] as const;
export type Speaker = (typeof SPEAKERS)[number];

/** Words that were said in one go. */
export interface Segment {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
  /** 0 to 1; null where the engine does not tell. */
  readonly confidence: number | null;
}

/** What one speaker says until another does. */
export interface Turn extends Segment {
  /** Null where all are on one channel. */
  readonly speaker: Speaker | null;
}

/** A silence that begins a new turn, though the speaker is the same. */
const TURN_GAP_MS = 2000;

/**
 * Whose voices the channels of a leg's recording are: on the first what its phone said, on the second what it heard. The customer hears the
 * agent (or whoever a transfer brought), both of these hear the customer.
 */
export function speakersOf(leg: Speaker, channels: 1 | 2): readonly (Speaker | null)[] {
  return channels === 1 ? [null] : [leg, leg === 'customer' ? 'agent' : 'customer'];
}

/** What was heard on the channels, in the order in which it was begun; segments of one speaker behind one another are one turn. */
export function turnsOf(channels: readonly { speaker: Speaker | null; segments: readonly Segment[] }[]): Turn[] {
  const told = channels
    .flatMap(({ speaker, segments }) => segments.map((segment): Turn => ({ ...segment, speaker })))
    .sort((a, b) => a.startMs - b.startMs || a.endMs - b.endMs);
  const turns: Turn[] = [];
  for (const next of told) {
    const last = turns.at(-1);
    if (last?.speaker === next.speaker && next.startMs - last.endMs < TURN_GAP_MS) {
      turns[turns.length - 1] = joined(last, next);
    } else {
      turns.push(next);
    }
  }
  return turns;
}

function joined(a: Turn, b: Turn): Turn {
  return {
    ...a,
    endMs: Math.max(a.endMs, b.endMs),
    text: `${a.text} ${b.text}`,
    confidence: confidenceOf([a, b]),
  };
}

/** The mean over what is known, by length; null when nothing is. */
export function confidenceOf(segments: readonly Segment[]): number | null {
  let [sum, length] = [0, 0];
  for (const { confidence, text } of segments) {
    if (confidence === null) continue;
    sum += confidence * text.length;
    length += text.length;
  }
  return length === 0 ? null : sum / length;
}
