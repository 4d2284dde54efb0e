import { z } from 'zod';
import { MEDIA_KINDS } from '../../../core/model/messaging/extra.js';
import type { NewExtra } from '../../../core/services/messaging/content.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { line } from './template-fields.js';

const HTTPS = bilingual('must be an https address', 'يجب أن يكون رابط `https`');
/** For development: files of this machine, as far as the settings allow them. */
const LOOPBACK = /^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?\//;
const isAllowed = (url: string): boolean => url.startsWith('https:') || LOOPBACK.test(url);

const ONE_SOURCE = bilingual('needs one of url, media_id and audio_id', 'يتطلب واحدًا من `url` و`media_id` و`audio_id`');
const ONE_CHOICE = bilingual('needs either buttons or list', 'يتطلب إما `buttons` أو `list`');
const UNIQUE = bilingual('must have different ids', 'يجب أن تكون المعرّفات مختلفة');

/** Files: one for each message, several for an e-mail. */
export const newMedia = z
  .array(
    z
      .strictObject({
        kind: z.enum(MEDIA_KINDS),
        url: z
          .url({ protocol: /^https?$/, error: HTTPS })
          .refine(isAllowed, HTTPS)
          .max(2000)
          .optional()
          .describe('A public address. On `chatapp` the provider fetches it, otherwise the platform does, at once'),
        media_id: line(128)
          .optional()
          .describe('A file of `POST /v1/messages/media`, or on `chatapp` the provider’s id of one that it has'),
        audio_id: line(64).optional().describe('An audio file of call flows, as a WAV file'),
        caption: z.string().min(1).max(1024).optional(),
        file_name: line(240).optional().describe('Of a document'),
      })
      .refine((given) => sourcesOf(given) === 1, ONE_SOURCE),
  )
  .min(1)
  .max(10);

function sourcesOf({
  url,
  media_id,
  audio_id,
}: Partial<Record<'url' | 'media_id' | 'audio_id', string | undefined>>): number {
  return [url, media_id, audio_id].filter((source) => source !== undefined).length;
}

const choiceId = line(200);

/** Buttons or a list below the text. */
export const newInteractive = z
  .strictObject({
    header: line(60).optional(),
    footer: line(60).optional(),
    buttons: z
      .array(z.strictObject({ id: choiceId, title: line(20) }))
      .min(1)
      .max(3)
      .optional(),
    list: z
      .strictObject({
        button: line(20).describe('Opens the list'),
        sections: z
          .array(
            z.strictObject({
              title: line(24).optional(),
              rows: z
                .array(z.strictObject({ id: choiceId, title: line(24), description: line(72).optional() }))
                .min(1)
                .max(10),
            }),
          )
          .min(1)
          .max(10),
      })
      .optional(),
  })
  .refine(({ buttons, list }) => (buttons === undefined) !== (list === undefined), ONE_CHOICE)
  .refine(({ buttons = [], list }) => {
    const ids = [...buttons, ...(list?.sections.flatMap(({ rows }) => rows) ?? [])].map(({ id }) => id);
    return new Set(ids).size === ids.length;
  }, UNIQUE);

export const newReaction = z.strictObject({
  message_id: z.string().max(64).describe('A message of the conversation'),
  emoji: z.string().max(32).describe('Empty: takes the reaction back'),
});

export function toMedia(given: z.output<typeof newMedia>): NewExtra {
  const files = given.map(
    ({ kind, url = null, media_id = null, audio_id = null, caption = null, file_name = null }) => {
      return { kind, url, media_id, audio_id, caption, file_name };
    },
  );
  return { media: files };
}

export function toInteractive(given: z.output<typeof newInteractive>): NewExtra {
  const { header = null, footer = null, buttons = [], list } = given;
  const sections = list?.sections.map(({ title = null, rows }) => ({
    title,
    rows: rows.map(({ description = null, ...row }) => ({ ...row, description })),
  }));
  return {
    interactive: { header, footer, buttons, list: list && sections ? { button: list.button, sections } : null },
  };
}
