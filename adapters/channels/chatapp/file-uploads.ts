import { LRUCache } from 'lru-cache';
import { FormData } from 'undici';
import { z } from 'zod';
import { isId } from '../../../core/model/ids.js';
import type { ChatappAccount } from '../../../core/ports/messaging/chatapp-accounts.js';
import type { OutgoingMessage, SubmitOutcome } from '../../../core/ports/messaging/message-channel.js';
import type { MessageFiles } from '../../../core/ports/messaging/message-files.js';
import { verdictOf } from './codes.js';
import type { GraphClient } from './graph.js';

export type Uploaded =
  | { readonly kind: 'ready'; readonly message: OutgoingMessage }
  | Extract<SubmitOutcome, { readonly kind: 'not_submitted' | 'refused' }>;

const DAY_MS = 86_400_000;
/** WhatsApp keeps what was uploaded for 30 days. */
const REMEMBERED_MS = 28 * DAY_MS;
const MOST_REMEMBERED = 10_000;

const uploaded = z.object({ id: z.string().min(1) });

/** Gives WhatsApp the files of messages before the messages that name them (Cloud API, `POST /{phone-number-id}/media`). */
export class FileUploads {
  /** The provider's ids, by number and file. */
  readonly #known = new LRUCache<string, string>({ max: MOST_REMEMBERED, ttl: REMEMBERED_MS });

  constructor(
    private readonly graph: Pick<GraphClient, 'upload'>,
    private readonly files: MessageFiles,
  ) {}

  /** The message with the provider's id of its file. Never rejects. */
  async withFile(message: OutgoingMessage, account: ChatappAccount): Promise<Uploaded> {
    const { content, projectId } = message;
    const media = content?.media ?? null;
    const id = media?.media_id ?? null;
    if (content === null || media === null || id === null || !isId(id)) return { kind: 'ready', message };
    const key = `${account.phoneNumberId} ${id}`;
    const known = this.#known.get(key) ?? (await this.#upload(projectId, id, account).catch(() => NOT_SUBMITTED));
    if (typeof known !== 'string') return known;
    this.#known.set(key, known);
    return { kind: 'ready', message: { ...message, content: { ...content, media: { ...media, media_id: known } } } };
  }

  async #upload(
    projectId: string,
    id: string,
    { phoneNumberId, accessToken }: ChatappAccount,
  ): Promise<string | Exclude<Uploaded, { readonly kind: 'ready' }>> {
    const file = await this.files.read({ projectId, sandbox: false }, id);
    if (!file) return { kind: 'refused', reason: 'content_refused', providerCode: null };
    const form = new FormData();
    form.set('messaging_product', 'whatsapp');
    form.set('type', file.mediaType);
    form.set('file', new Blob([file.bytes], { type: file.mediaType }), file.name);
    const answer = await this.graph.upload(`/${encodeURIComponent(phoneNumberId)}/media`, accessToken, form);
    if (answer.kind === 'ok') return uploaded.safeParse(answer.body).data?.id ?? NOT_SUBMITTED;
    if (answer.kind !== 'refused') return NOT_SUBMITTED;
    const verdict = verdictOf(answer.code);
    if (verdict === 'slow_down' || verdict === 'away') return NOT_SUBMITTED;
    return { kind: 'refused', reason: verdict, providerCode: String(answer.code) };
  }
}

const NOT_SUBMITTED = { kind: 'not_submitted' } as const;
