import { z } from 'zod';
import type { AudioSource } from '../../../core/services/calls/prepare-audio.js';
import { invalidField } from '../../../core/model/errors/index.js';
import { bilingual } from './bilingual.js';
import { idInput } from './schemas.js';

const ONE_SOURCE = bilingual(
  'exactly one of url, audio_id and text is required',
  'يلزم واحد فقط من `url` و`audio_id` و`text`',
);
const LANGUAGE_WITH_TEXT = bilingual('is required with text, and only with text', 'مطلوب مع `text` ولا يُستخدم من دونه');

/** Members of an object that names audio: `z.strictObject({ ...audioMembers, … }).superRefine(oneAudioSource)`. */
export const audioMembers = {
  url: z.string().max(2048).optional().describe('https, a public address, WAV or MP3 of at most 10 MB'),
  audio_id: idInput.optional().describe('An uploaded audio file'),
  text: z.string().min(1).max(4000).optional().describe('Spoken in `language`'),
  language: z.enum(['ar', 'en']).optional().describe('Needed with `text`'),
};

interface Given {
  readonly url?: string | undefined;
  readonly audio_id?: string | undefined;
  readonly text?: string | undefined;
  readonly language?: 'ar' | 'en' | undefined;
}

/** Requires exactly one of `url`, `audio_id`, and `text` with `language`. */
export function oneAudioSource(given: Given, ctx: z.core.$RefinementCtx): void {
  const sources = [given.url, given.audio_id, given.text].filter((source) => source !== undefined);
  if (sources.length !== 1) ctx.addIssue({ code: 'custom', message: ONE_SOURCE });
  if ((given.text === undefined) !== (given.language === undefined)) {
    ctx.addIssue({ code: 'custom', path: ['language'], message: LANGUAGE_WITH_TEXT });
  }
}

/** The source that {@link oneAudioSource} accepted. */
export function toAudioSource({ url, audio_id, text, language }: Given): AudioSource {
  if (url !== undefined) return { url };
  if (audio_id !== undefined) return { audioId: audio_id };
  if (text !== undefined && language !== undefined) return { text, language };
  throw invalidField('');
}
