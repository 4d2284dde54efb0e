import type { Settings } from '../../../../config/settings.js';
import type { Answer } from '../../api.js';
import { WhatsApp } from '../../peers/chat/whatsapp.js';
import { testDatabase, type TestDatabase } from '../../platform/database.js';
import { MessageStage, type Writer } from './message-stage.js';

const NOTICES = '/v1/messages/providers/chatapp/notices';

/** Messages over WhatsApp: a project that has connected its number. */
export class ChatappStage {
  private constructor(
    readonly database: TestDatabase,
    readonly provider: WhatsApp,
    readonly messages: MessageStage,
    readonly writer: Writer,
    /** The id of the number. */
    readonly accountId: string,
  ) {}

  static async start(settings: Partial<Settings> = {}): Promise<ChatappStage> {
    const database = await testDatabase();
    const provider = await WhatsApp.start();
    const messages = await MessageStage.start(database, { CHATAPP_URL: provider.url, ...settings });
    const writer = await messages.writer([], { chatapp: true });
    const { id } = await messages.good(writer.live, 'POST', '/messages/chatapp-accounts', provider.account);
    return new ChatappStage(database, provider, messages, writer, String(id));
  }

  /** Posts a notice as the provider does. */
  notify({ raw, headers }: ReturnType<WhatsApp['signed']>): Promise<Answer> {
    return this.messages.api.request('POST', NOTICES, { raw, headers });
  }

  confirm(query: Readonly<Record<string, string>>): Promise<Answer> {
    return this.messages.api.request('GET', `${NOTICES}?${String(new URLSearchParams(query))}`);
  }

  /** A person writes, so that anything may be sent to the person. */
  async writes(from: string, text = 'Hello'): Promise<void> {
    await this.notify(this.provider.notice(this.provider.incoming(from, { type: 'text', text: { body: text } })));
  }

  /** Sends a message. @returns its id */
  async send(to: string, json: object): Promise<string> {
    const body = { channel: 'chatapp', to, ...json };
    return String((await this.messages.good(this.writer.live, 'POST', '/messages', body)).message_id);
  }

  refused(to: string, json: object, key = this.writer.live): Promise<string> {
    return this.messages.refused(key, 'POST', '/messages', { channel: 'chatapp', to, ...json });
  }

  reaches(id: string, status: string): Promise<Record<string, unknown>> {
    return this.messages.reaches(this.writer.live, id, status);
  }

  async close(): Promise<void> {
    await this.messages.close();
    await this.provider.close();
    await this.database.close();
  }
}
