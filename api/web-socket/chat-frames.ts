import { z } from 'zod';
import type { MessageRow, WebchatRow } from '../../core/data/rows.js';
import type { HatifError } from '../../core/model/errors/index.js';
import { CHAT_CLIENT_ID, CHAT_TEXT_CHARACTERS } from '../../core/model/messaging/webchat.js';
import { isoTime } from '../../core/model/time.js';

const ids = z.array(z.string().max(64)).min(1).max(100);

/** What a visitor's page sends. The first one is `hello`. */
export const visitorFrame = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('hello'), token: z.string().max(256) }),
  z.strictObject({
    type: z.literal('message'),
    id: z.string().regex(CHAT_CLIENT_ID),
    text: z
      .string()
      .max(CHAT_TEXT_CHARACTERS)
      .refine((text) => text.trim() !== ''),
  }),
  z.strictObject({ type: z.literal('delivered'), message_ids: ids }),
  z.strictObject({ type: z.literal('read'), message_ids: ids }),
  z.strictObject({ type: z.literal('history'), before: z.string().max(64) }),
  z.strictObject({ type: z.literal('typing') }),
  z.strictObject({ type: z.literal('presence'), state: z.enum(['online', 'away']) }),
  z.strictObject({ type: z.literal('call'), answer: z.enum(['accepted', 'declined']) }),
  z.strictObject({ type: z.literal('end') }),
]);
export type VisitorFrame = z.output<typeof visitorFrame>;

/** A message as the visitor sees it. */
export interface ShownMessage {
  readonly id: string;
  /** `visitor` for the visitor's own. */
  readonly from: 'visitor' | 'agent';
  readonly text: string;
  readonly file: { readonly id: string; readonly name: string; readonly media_type: string } | null;
  readonly at: string;
}

/** Where the chat is, for the visitor: nobody learns who is asked. */
export interface ShownChat {
  readonly status: 'new' | 'waiting' | 'assigned' | 'closed';
  readonly agent: string | null;
  /** The agent who answered is away: another one is asked, if the chat has a queue. */
  readonly left: boolean;
}

/** What a visitor's page gets. */
export type PageFrame =
  | { readonly type: 'welcome'; readonly chat: ShownChat; readonly messages: readonly ShownMessage[] }
  /** `more`: there are earlier ones. */
  | { readonly type: 'history'; readonly messages: readonly ShownMessage[]; readonly more: boolean }
  | { readonly type: 'message'; readonly message: ShownMessage }
  /** The message with this `id` of the page is stored as `message_id`. */
  | { readonly type: 'accepted'; readonly id: string; readonly message_id: string }
  | ({ readonly type: 'chat' } & ShownChat)
  | { readonly type: 'typing' }
  /** An agent would like to talk. */
  | { readonly type: 'call'; readonly agent: string | null }
  | {
      readonly type: 'error';
      readonly error_code: string;
      readonly message: string;
      readonly message_ar: string;
      readonly retry_after_seconds: number | null;
      /** That of the page's message which was not stored. */
      readonly id: string | null;
    };

export function shownMessage({ id, direction, body, content, created_at }: MessageRow): ShownMessage {
  const { media_id = null, file_name = null, media_type = null } = content?.media ?? {};
  const file = media_id === null ? null : { id: media_id, name: file_name ?? '', media_type: media_type ?? '' };
  return { id, from: direction === 'inbound' ? 'visitor' : 'agent', text: body ?? '', file, at: isoTime(created_at) };
}

/** @param agent the name of who answers */
export function shownChat(
  { status, left_at }: Pick<WebchatRow, 'status' | 'left_at'>,
  agent: string | null,
): ShownChat {
  return { status: status === 'offered' ? 'waiting' : status, agent, left: left_at !== null };
}

export function errorFrame(error: HatifError, id: string | null): PageFrame {
  return {
    ...{ type: 'error', error_code: error.code, message: error.message, message_ar: error.messageAr },
    ...{ retry_after_seconds: error.retryAfterSeconds, id },
  };
}
