import type { Messages } from '../../../data/repositories/messaging/messages.js';
import type { Webchats } from '../../../data/repositories/messaging/webchats.js';
import type { MessageRow, WebchatRow } from '../../../data/rows.js';
import { HatifError } from '../../../model/errors/index.js';
import { isId, newId } from '../../../model/ids.js';
import { NO_EXTRA, type MessageMedia, type StoredExtra } from '../../../model/messaging/extra.js';
import { CHAT_KEPT_MS, WEBCHAT_PROVIDER, type CallStep } from '../../../model/messaging/webchat.js';
import { fileTypeNamed } from '../../../model/messaging/file-types.js';
import type { Clock } from '../../../ports/clock.js';
import type { MessageFile } from '../../../ports/messaging/message-files.js';
import type { ChatSignals } from '../../../ports/messaging/chat-signals.js';
import type { Proof, ProofsOfWork } from '../../access/proofs-of-work.js';
import { takeOrRefuse, type RateLimiter } from '../../access/rate-limit.js';
import { subscriber } from '../../widgets/allowance.js';
import type { WidgetContext } from '../../widgets/gate.js';
import type { ChannelAccess } from '../channel-access.js';
import type { TakeIncoming } from '../incoming.js';
import { unknownFile, type MessageFileService } from '../files/message-files.js';
import type { TakeReceipts } from '../receipts.js';
import type { ChatAssignment } from './assignment.js';
import type { ChatTokens } from './token.js';
import type { ChatTranscripts } from './transcript.js';

export interface VisitorChatsOptions {
  readonly chats: Webchats;
  readonly messages: Pick<Messages, 'transaction' | 'idAt'>;
  readonly incoming: Pick<TakeIncoming, 'take'>;
  readonly receipts: Pick<TakeReceipts, 'take'>;
  readonly assignment: Pick<ChatAssignment, 'received' | 'announce' | 'close'>;
  readonly files: VisitorFiles;
  readonly transcripts: ChatTranscripts;
  readonly access: Pick<ChannelAccess, 'isEnabled'>;
  readonly tokens: ChatTokens;
  /** Whether the telephone of an agent is registered. */
  readonly canRing: (projectId: string, agent: string) => Promise<boolean>;
  readonly proofs: Pick<ProofsOfWork, 'spend'>;
  readonly limiter: Pick<RateLimiter, 'take'>;
  readonly signals: Pick<ChatSignals, 'send'>;
  readonly clock: Clock;
}

/** Where the files of messages are. */
export type VisitorFiles = Pick<MessageFileService, 'add' | 'read'>;

/** A chat that begins. */
export interface BegunChat {
  readonly row: WebchatRow;
  readonly token: string;
}

/** A chat with the visitor's token. */
export interface NamedChat {
  readonly chatId: string;
  readonly token: string;
}

/** What a visitor writes. */
export interface VisitorMessage {
  /** Chosen by the visitor's page: a repeat is not stored again. */
  readonly clientId: string;
  readonly text: string;
  readonly content: StoredExtra | null;
}

const BEGUN = { limit: 20, seconds: 600 };
const WRITTEN = { limit: 30, seconds: 60 };
const UPLOADED = { limit: 20, seconds: 3_600 };
/** Of all visitors of a widget: what they send takes room of the project. */
const UPLOADED_ON_WIDGET = 200;
const MINUTE_SECONDS = 60;
/** Of all visitors of a widget. */
const WRITTEN_ON_WIDGET = 3_000;

/** What visitors of web pages do in their chats. Everything they read and write is their own. */
export class VisitorChats {
  constructor(private readonly options: VisitorChatsOptions) {}

  /** Whether visitors of the widget may write. */
  isOffered({ row, organization }: WidgetContext): boolean {
    return row.chat && this.options.access.isEnabled('webchat', organization);
  }

  /** @throws HatifError MESSAGES_DISABLED, CHANNEL_NOT_CONFIGURED, CAPTCHA_FAILED, RATE_LIMIT_EXCEEDED */
  async begin(
    widget: WidgetContext,
    { name, language, captcha }: { name: string | null; language: 'ar' | 'en'; captcha: Proof | null },
    ip: string,
  ): Promise<BegunChat> {
    const { chats, proofs, limiter, tokens, clock } = this.options;
    const { row: of } = widget;
    this.#assertOffered(widget);
    if (of.captcha) await proofs.spend(of.id, captcha);
    await takeOrRefuse(limiter, `chat:begin:${subscriber(ip)}`, BEGUN.limit, BEGUN.seconds);
    const now = clock.now();
    const row: WebchatRow = {
      ...{ id: newId(), organization_id: of.organization_id, project_id: of.project_id, sandbox: of.sandbox },
      ...{ widget_id: of.id, thread_id: null, visitor_name: name, language, status: 'new', queue_id: null },
      ...{ declined_by: [], waiting_since: null, offered_until: null, assigned_at: null, closed_at: null },
      ...{ from_offer: null, left_at: null },
      ...{ active_at: now, expires_at: keptFrom(now), created_at: now },
    };
    await chats.create(row);
    return { row, token: tokens.make(of.id, row.id) };
  }

  /**
   * The chat that a visitor's token opens. It is kept from now on.
   * @throws HatifError MESSAGES_DISABLED, NOT_FOUND also for the token of another widget, CHANNEL_NOT_CONFIGURED
   */
  async open(widget: WidgetContext, token: string): Promise<WebchatRow> {
    const { chats, clock } = this.options;
    const row = await this.#find(widget, token);
    const now = clock.now();
    await chats.touch(row.id, now, keptFrom(now));
    return row;
  }

  /** The chat as it is now, with who answers. @throws HatifError NOT_FOUND if it was erased */
  async now({ widget_id, id }: WebchatRow): Promise<{ readonly row: WebchatRow; readonly agent: string | null }> {
    const row = await this.options.chats.get(widget_id, id);
    if (!row) throw unknownChat();
    return { row, agent: row.status === 'assigned' ? row.agent : null };
  }

  /** Up to `limit` messages, newest first. @param before the id of a later one; null: the last */
  messages({ thread_id }: WebchatRow, before: string | null, limit: number): Promise<MessageRow[]> {
    if (thread_id === null || (before !== null && !isId(before))) return Promise.resolve([]);
    return this.options.chats.messages(thread_id, before, limit);
  }

  /**
   * Stores what a visitor writes, once.
   * @returns its id, and the conversation
   * @throws HatifError RATE_LIMIT_EXCEEDED; DatabaseUnavailable
   */
  async write(
    chat: WebchatRow,
    { clientId, text, content }: VisitorMessage,
  ): Promise<{ readonly id: string; readonly isNew: boolean }> {
    const { incoming, assignment, messages, limiter, signals } = this.options;
    await takeOrRefuse(limiter, `chat:write:${chat.id}`, WRITTEN.limit, WRITTEN.seconds);
    await takeOrRefuse(limiter, `chat:widget:${chat.widget_id}`, WRITTEN_ON_WIDGET, MINUTE_SECONDS);
    const providerId = `${chat.id}/${clientId}`;
    const { organization_id, project_id, sandbox } = chat;
    const row = await incoming.take(
      {
        ...{ channel: 'webchat', provider: WEBCHAT_PROVIDER, from: chat.id, to: chat.widget_id, text, series: null },
        providerId,
        ...(content && { content }),
        owner: { organizationId: organization_id, projectId: project_id, sandbox },
      },
      (tx, taken) => assignment.received(tx, chat.id, taken),
    );
    if (row) {
      assignment.announce(chat.id);
      signals.send({ kind: 'messages', chatId: chat.id });
      return { id: row.id, isNew: true };
    }
    const id = await messages.transaction((tx) => messages.idAt(tx, WEBCHAT_PROVIDER, providerId));
    if (id === null) throw unknownChat();
    return { id, isNew: false };
  }

  /**
   * Sends a file of a visitor, as a message of its own.
   * @throws HatifError what {@link open} throws; VALIDATION_ERROR for another type, RATE_LIMIT_EXCEEDED, INTERNAL_ERROR
   * (503) while the storage is away
   */
  async upload(
    widget: WidgetContext,
    named: NamedChat,
    { clientId, file }: { readonly clientId: string; readonly file: { readonly bytes: Buffer; readonly name: string } },
  ): Promise<{ readonly id: string; readonly media: MessageMedia }> {
    const { files, limiter } = this.options;
    const chat = await this.#named(widget, named);
    await takeOrRefuse(limiter, `chat:upload:${chat.id}`, UPLOADED.limit, UPLOADED.seconds);
    await takeOrRefuse(limiter, `chat:upload:widget:${chat.widget_id}`, UPLOADED_ON_WIDGET, UPLOADED.seconds);
    const { organization_id: organizationId, project_id: projectId, sandbox } = chat;
    const owner = { organizationId, projectId, sandbox, keyId: null, requestId: null };
    const { id: fileId, name, media_type } = await files.add(file.bytes, file.name, owner);
    const [kind = 'document'] = fileTypeNamed(media_type)?.kinds ?? [];
    const media = { kind, url: null, media_id: fileId, caption: null, file_name: name, media_type };
    const { id } = await this.write(chat, { clientId, text: '', content: { ...NO_EXTRA, media } });
    return { id, media };
  }

  /** A file of the visitor's own chat. @throws HatifError what {@link open} throws */
  async file(widget: WidgetContext, named: NamedChat, fileId: string): Promise<MessageFile> {
    const { chats, files } = this.options;
    const { thread_id, project_id: projectId, sandbox } = await this.#named(widget, named);
    const isOwn = thread_id !== null && (await chats.hasFile(thread_id, fileId));
    const file = isOwn ? await files.read({ projectId, sandbox }, fileId) : null;
    if (!file) throw unknownFile(fileId);
    return file;
  }

  /** The visitor's own chat as plain text. @throws HatifError what {@link open} throws */
  async transcript(widget: WidgetContext, named: NamedChat): Promise<string> {
    const { thread_id: id, project_id, language } = await this.#named(widget, named);
    return id === null ? '' : this.options.transcripts.text({ id, project_id }, language);
  }

  /** Mails it to the visitor. @throws HatifError what {@link open} and ChatTranscripts.mail throw */
  async mailTranscript(widget: WidgetContext, named: NamedChat, to: string): Promise<void> {
    const { transcripts, limiter } = this.options;
    await transcripts.mail(await this.#named(widget, named), to, limiter);
  }

  /** The visitor's page has these messages, or shows them. Those of others are left out. */
  async acknowledge(chat: WebchatRow, state: 'delivered' | 'read', ids: readonly string[]): Promise<void> {
    const { chats, receipts, signals } = this.options;
    const { row } = await this.now(chat);
    if (row.thread_id === null) return;
    const own = await chats.received(row.thread_id, ids);
    if (own.length === 0) return;
    await Promise.all(
      own.map((id) =>
        receipts.take({
          ...{ provider: WEBCHAT_PROVIDER, providerId: id, state, failure: null, recipient: chat.id, sender: null },
          message: { id, projectId: chat.project_id },
        }),
      ),
    );
    signals.send({ kind: 'receipts', chatId: chat.id });
  }

  /** The visitor is writing. */
  typing({ id }: WebchatRow): void {
    this.options.signals.send({ kind: 'typing', chatId: id, by: 'visitor' });
  }

  /** The visitor answers an agent who would like to talk. */
  answerCall({ id }: WebchatRow, step: Exclude<CallStep, 'proposed'>): void {
    this.options.signals.send({ kind: 'call', chatId: id, step, agent: null });
  }

  /** The chat from which the visitor calls. @throws HatifError what {@link open} throws; NOT_FOUND before the first message */
  async calling(
    widget: WidgetContext,
    token: string,
  ): Promise<{ readonly threadId: string; readonly agent: string | null }> {
    const { row, agent } = await this.now(await this.open(widget, token));
    if (row.thread_id === null) throw unknownChat();
    const canRing = agent !== null && (await this.options.canRing(row.project_id, agent));
    return { threadId: row.thread_id, agent: canRing ? agent : null };
  }

  /** The visitor ends the chat. A repeat changes nothing. */
  async end(chat: WebchatRow): Promise<void> {
    const { row } = await this.now(chat);
    if (row.thread_id === null) return;
    await this.options.assignment.close({ projectId: row.project_id, sandbox: row.sandbox }, row.thread_id);
  }

  /** The chat of the token, which must be the named one. */
  async #named(widget: WidgetContext, { chatId, token }: NamedChat): Promise<WebchatRow> {
    const chat = await this.#find(widget, token);
    if (chat.id !== chatId) throw unknownChat();
    return chat;
  }

  async #find(widget: WidgetContext, token: string): Promise<WebchatRow> {
    const { chats, tokens, clock } = this.options;
    this.#assertEnabled(widget);
    const id = tokens.chatOf(widget.row.id, token);
    const row = id === null ? null : await chats.get(widget.row.id, id);
    if (!row || row.expires_at <= clock.now()) throw unknownChat();
    this.#assertOffered(widget);
    return row;
  }

  #assertEnabled({ organization }: WidgetContext): void {
    if (!this.options.access.isEnabled('webchat', organization)) throw new HatifError('MESSAGES_DISABLED');
  }

  #assertOffered(widget: WidgetContext): void {
    this.#assertEnabled(widget);
    if (!widget.row.chat) throw new HatifError('CHANNEL_NOT_CONFIGURED', { channel: 'webchat' });
  }
}

function keptFrom(now: Date): Date {
  return new Date(now.getTime() + CHAT_KEPT_MS);
}

function unknownChat(): HatifError<'NOT_FOUND'> {
  return new HatifError('NOT_FOUND', { what: { en: 'the chat of this token', ar: 'محادثة هذا الرمز' } });
}
