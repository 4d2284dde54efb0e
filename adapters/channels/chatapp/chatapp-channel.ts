import { createHmac, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Clock } from '../../../core/ports/clock.js';
import type { ChatappAccount, ChatappAccounts } from '../../../core/ports/messaging/chatapp-accounts.js';
import type {
  ChannelListener,
  MessageChannel,
  OutgoingMessage,
  RawNotice,
  ReadReceipts,
  SubmitOutcome,
} from '../../../core/ports/messaging/message-channel.js';
import type { IncomingFiles, MessageFile, MessageFiles } from '../../../core/ports/messaging/message-files.js';
import { ProviderRefusal } from '../../../core/ports/messaging/provider-errors.js';
import { NoticeError } from '../../../core/ports/notice.js';
import { verdictOf } from './codes.js';
import { bodyOf, type GraphClient, type GraphRefusal } from './graph.js';
import {
  businessesIn,
  changesOf,
  contentOf,
  readMessages,
  receiptOf,
  templateIn,
  type NoticeChange,
} from './notice.js';
import { Pace } from './pace.js';
import { fetchMedia } from './fetch-media.js';
import { FileUploads } from './file-uploads.js';
import { payloadOf } from './payload.js';

export interface ChatappChannelOptions {
  readonly graph: Pick<GraphClient, 'ask' | 'upload' | 'download'>;
  readonly accounts: ChatappAccounts;
  readonly files: MessageFiles;
  /** Of each number. */
  readonly messagesPerSecond: number;
  readonly listener: Pick<ChannelListener, 'receipt' | 'incoming' | 'templateReviewed'>;
  readonly clock: Clock;
  readonly onFree: () => void;
}

/** Messages that are submitted at once. */
const MOST_AT_ONCE = 100;
/** Numbers whose pace is remembered. */
const MOST_NUMBERS = 10_000;

const accepted = z.object({ messages: z.array(z.object({ id: z.string().min(1) })).min(1) });

/** The chat application over the Cloud API of WhatsApp. */
export class ChatappChannel implements MessageChannel, ReadReceipts, IncomingFiles {
  readonly channel = 'chatapp';
  readonly #paces = new LRUCache<string, Pace>({ max: MOST_NUMBERS });
  readonly #uploads: FileUploads;
  #submitting = 0;

  constructor(private readonly options: ChatappChannelOptions) {
    this.#uploads = new FileUploads(options.graph, options.files);
  }

  isConfigured(projectId: string): Promise<boolean> {
    return this.options.accounts.isConfigured(projectId);
  }

  segments(): number {
    return 1;
  }

  parts(): number {
    return 1;
  }

  free(): number {
    return MOST_AT_ONCE - this.#submitting;
  }

  async submit(message: OutgoingMessage): Promise<SubmitOutcome> {
    this.#submitting++;
    try {
      const account = await this.options.accounts.ofProject(message.projectId, message.from).catch(() => undefined);
      if (account === undefined) return { kind: 'not_submitted' };
      // The number was deleted since the message was accepted.
      if (account === null) return { kind: 'refused', reason: 'sender_refused', providerCode: null };
      return await this.#submit(message, account);
    } finally {
      this.#submitting--;
      this.options.onFree();
    }
  }

  /** Takes statuses, messages and decisions about templates, each signed with the secret of the number's own application. */
  async takeNotice({ headers, body }: RawNotice): Promise<void> {
    const parsed = parse(body);
    const accounts = await this.options.accounts.ofBusinesses(businessesIn(parsed));
    const signature = headers['x-hub-signature-256'] ?? '';
    // One application signs for the numbers that have its secret, and for no others.
    const signed = accounts.filter(({ appSecret }) => isSigned(body, appSecret, signature));
    if (signed.length === 0) throw new NoticeError('unauthorized', 'the signature is wrong, or the account unknown');
    const changes = changesOf(parsed);
    if (changes === null) throw new NoticeError('unreadable', 'it is no notice of an account');
    for (const change of changes) {
      await this.#take(
        change,
        signed.filter(({ businessAccountId }) => businessAccountId === change.businessAccountId),
      );
    }
  }

  async markRead(projectId: string, number: string, providerId: string): Promise<void> {
    const account = await this.options.accounts.ofProject(projectId, number);
    if (!account) return;
    const json = { messaging_product: 'whatsapp', status: 'read', message_id: providerId };
    try {
      bodyOf(await this.#ask(account, json));
    } catch (error) {
      if (!(error instanceof ProviderRefusal)) throw error;
    }
  }

  async fetchFile(projectId: string, number: string, id: string): Promise<MessageFile | null> {
    const account = await this.options.accounts.ofProject(projectId, number);
    return account && fetchMedia(this.options.graph, account, id);
  }

  async #submit(message: OutgoingMessage, account: ChatappAccount): Promise<SubmitOutcome> {
    const pace = this.#paceOf(account);
    const uploaded = await this.#uploads.withFile(message, account);
    if (uploaded.kind !== 'ready') return uploaded;
    if (!(await pace.turn())) return { kind: 'not_submitted' };
    const provider = providerOf(account);
    const answer = await this.#ask(account, payloadOf(uploaded.message));
    switch (answer.kind) {
      case 'ok': {
        pace.took();
        const { data } = accepted.safeParse(answer.body);
        const providerId = data?.messages[0]?.id;
        return providerId === undefined
          ? { kind: 'unknown', provider, providerId: null }
          : { kind: 'accepted', provider, providerId };
      }
      case 'refused':
        return refusalOf(answer, pace);
      case 'unsent':
        return { kind: 'not_submitted' };
      case 'unknown':
        return { kind: 'unknown', provider, providerId: null };
    }
  }

  #ask({ phoneNumberId, accessToken: token }: ChatappAccount, json: object) {
    return this.options.graph.ask({
      method: 'POST',
      path: `/${encodeURIComponent(phoneNumberId)}/messages`,
      token,
      json,
    });
  }

  async #take({ field, value }: NoticeChange, accounts: readonly ChatappAccount[]): Promise<void> {
    const { listener } = this.options;
    if (field === 'message_template_status_update' || field === 'template_category_update') {
      const providerId = templateIn(value);
      if (providerId === null) throw new NoticeError('unreadable', 'it names no template');
      for (const { projectId } of accounts) await listener.templateReviewed(projectId, providerId);
      return;
    }
    // Applications can subscribe to more than Hatif uses.
    if (field !== 'messages') return;
    const read = readMessages(value);
    if (read === null) throw new NoticeError('unreadable', 'it has messages that cannot be read');
    const account = accounts.find(({ phoneNumberId }) => phoneNumberId === read.metadata.phone_number_id);
    if (!account) return;
    const { projectId, organizationId, phoneNumber } = account;
    const provider = providerOf(account);
    for (const status of read.statuses ?? []) {
      const receipt = receiptOf(status, provider, projectId);
      if (receipt) await listener.receipt(receipt);
    }
    for (const message of read.messages ?? []) {
      await listener.incoming({
        ...{ channel: 'chatapp', provider, from: `+${message.from}`, to: phoneNumber, series: null },
        ...{ providerId: message.id, owner: { organizationId, projectId } },
        ...contentOf(message),
      });
    }
  }

  #paceOf({ phoneNumberId }: ChatappAccount): Pace {
    const pace = this.#paces.get(phoneNumberId) ?? new Pace(this.options.messagesPerSecond, this.options.clock);
    this.#paces.set(phoneNumberId, pace);
    return pace;
  }
}

/** Ids of messages are those of one number: a notice about another one's message changes nothing. */
function providerOf({ phoneNumberId }: ChatappAccount): string {
  return `whatsapp:${phoneNumberId}`;
}

function refusalOf({ code }: GraphRefusal, pace: Pace): SubmitOutcome {
  const verdict = verdictOf(code);
  if (verdict === 'slow_down') pace.slowDown();
  if (verdict === 'slow_down' || verdict === 'away') return { kind: 'not_submitted' };
  return { kind: 'refused', reason: verdict, providerCode: String(code) };
}

function isSigned(body: Buffer, secret: string, signature: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}
