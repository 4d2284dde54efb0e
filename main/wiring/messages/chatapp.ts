import { ChatappChannel } from '../../../adapters/channels/chatapp/chatapp-channel.js';
import { WhatsappCredentials } from '../../../adapters/channels/chatapp/credentials.js';
import { GraphClient } from '../../../adapters/channels/chatapp/graph.js';
import { ChatappTemplates } from '../../../adapters/channels/chatapp/templates.js';
import type { Settings } from '../../../config/settings.js';
import type { Database } from '../../../core/data/database.js';
import { ChatappAccountTable } from '../../../core/data/repositories/messaging/chatapp-accounts.js';
import type { Cipher } from '../../../core/model/access/cipher.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { MessageFiles } from '../../../core/ports/messaging/message-files.js';
import type { ChannelListener } from '../../../core/ports/messaging/message-channel.js';
import type { TemplateProvider } from '../../../core/ports/messaging/template-provider.js';
import { StoredChatappAccounts } from '../../../core/services/messaging/chatapp/accounts.js';
import { ManageChatappAccounts } from '../../../core/services/messaging/chatapp/manage.js';
import { VerifyTokens } from '../../../core/services/messaging/chatapp/verify-tokens.js';
import type { ChannelAccess } from '../../../core/services/messaging/channel-access.js';

/** The chat application. */
export interface Chatapp {
  readonly channel: ChatappChannel;
  readonly templates: TemplateProvider;
  readonly verifyTokens: VerifyTokens;
  manage(access: Pick<ChannelAccess, 'assertEnabled'>): ManageChatappAccounts;
  close(): Promise<void>;
}

export interface ChatappOptions {
  readonly settings: Pick<Settings, 'CHATAPP_URL' | 'CHATAPP_MESSAGES_PER_SECOND'>;
  readonly stores: { readonly db: Database };
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly files: MessageFiles;
  readonly listener: ChannelListener;
  readonly onFree: () => void;
}

/** WhatsApp, for the numbers that projects have connected. */
export function openChatapp(options: ChatappOptions): Chatapp {
  const { settings, stores, cipher, clock, files, listener, onFree } = options;
  const graph = new GraphClient(settings.CHATAPP_URL);
  const table = new ChatappAccountTable(stores.db);
  const accounts = new StoredChatappAccounts(table, cipher);
  const messagesPerSecond = settings.CHATAPP_MESSAGES_PER_SECOND;
  const credentials = new WhatsappCredentials(graph);
  return {
    channel: new ChatappChannel({ graph, accounts, files, messagesPerSecond, listener, clock, onFree }),
    templates: new ChatappTemplates(graph, accounts),
    verifyTokens: new VerifyTokens(cipher),
    manage: (access) => new ManageChatappAccounts({ accounts: table, access, credentials, cipher, clock }),
    close: () => graph.close(),
  };
}
