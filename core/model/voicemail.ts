import { spokenDuration } from './spoken/index.js';

/** A shorter recording is a hang-up, not a message. */
export const SHORTEST_MESSAGE_MS = 1_000;
/** Share of full scale (-40 dBFS): a peak below it is the noise of a silent line. */
const SILENT_PEAK = 0.01;

/** Whether the recording contains speech. @param peak of the loudest sample, 1 is full scale */
export function isMessage(durationMs: number, peak: number): boolean {
  return durationMs >= SHORTEST_MESSAGE_MS && peak >= SILENT_PEAK;
}

/** The length of a message as people see it: at least 1 second. */
export function messageSeconds(durationMs: number): number {
  return Math.max(1, Math.round(durationMs / 1000));
}

/** The length of a message in the words of a language. */
export function writtenLength(durationMs: number, language: 'ar' | 'en'): string {
  const seconds = messageSeconds(durationMs);
  return language === 'ar' ? spokenDuration(seconds, 'ar') : `${seconds} s`;
}

/** Default length limit of a message. */
export const DEFAULT_MESSAGE_SECONDS = 120;

/** Number of messages in a box. */
export interface MessageCounts {
  /** Not heard yet. */
  readonly fresh: number;
  readonly heard: number;
}

/** PIN of a box that is accessed by phone. */
export const PIN_PATTERN = /^[0-9]{4,10}$/;
