import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openObjectStores } from '../../../../adapters/storage/index.js';
import type { Route } from '../../../../api/http/route.js';
import { chatStreamRoutes } from '../../../../api/routes/messaging/chat-stream.js';
import { chatRoutes } from '../../../../api/routes/messaging/chats.js';
import { fileRoutes } from '../../../../api/routes/messaging/files.js';
import { messageRoutes } from '../../../../api/routes/messaging/messages.js';
import { templateRoutes } from '../../../../api/routes/messaging/templates.js';
import { threadRoutes } from '../../../../api/routes/messaging/threads.js';
import { chatSocketRouter } from '../../../../api/routes/widgets/chat-socket.js';
import { widgetChatRoutes } from '../../../../api/routes/widgets/chats.js';
import type { ChatSockets } from '../../../../api/web-socket/chat-sockets.js';
import type { Settings } from '../../../../config/settings.js';
import { Organizations } from '../../../../core/data/repositories/accounts/organizations.js';
import { Projects } from '../../../../core/data/repositories/accounts/projects.js';
import { Widgets } from '../../../../core/data/repositories/accounts/widgets.js';
import type { WidgetRow } from '../../../../core/data/rows.js';
import { FLAG_DEFAULTS } from '../../../../core/model/flags.js';
import { systemClock, type Clock } from '../../../../core/ports/clock.js';
import type { Mailer } from '../../../../core/ports/mail.js';
import type { ChatSignals } from '../../../../core/ports/messaging/chat-signals.js';
import { MemoryRateLimiter } from '../../../../core/services/access/rate-limit.js';
import { WidgetGate } from '../../../../core/services/widgets/gate.js';
import { openChatSockets } from '../../../../main/roles/routes/chats.js';
import { openBilling } from '../../../../main/wiring/billing.js';
import { openMessaging, type Messaging } from '../../../../main/wiring/messaging.js';
import { openStores, type Stores } from '../../../../main/wiring/stores.js';
import { PAGE, testApi, type Owner, type TestApi } from '../../api.js';
import { TEST_CIPHER } from '../../cipher.js';
import { quiet } from '../../logger.js';
import { LocalChatSignals } from '../../peers/chat/local-signals.js';
import { VisitorPage } from '../../peers/chat/visitor.js';
import { testDatabase, type TestDatabase } from '../../platform/database.js';
import { ApiStage } from './api-stage.js';
import { NO_FILES } from './files.js';

/** A project whose pages have a chat. */
export interface ChatTenant extends Owner {
  readonly live: string;
  readonly sandbox: string;
  readonly widget: WidgetRow;
}

export interface ChatStageOptions {
  readonly signals?: ChatSignals;
  readonly clock?: Clock;
  /** Whether this process submits messages; default true. */
  readonly submits?: boolean;
  /** How often messages are looked for without a signal. */
  readonly lookMs?: number;
  readonly mailer?: Mailer;
  /** Further routes. */
  readonly routes?: readonly Route[];
}

/** One process with chats: its routes and WebSockets on a real port, and the work that submits messages. */
export class ChatStage extends ApiStage {
  #hasOwnDatabase = false;

  private constructor(
    readonly database: TestDatabase,
    readonly stores: Stores,
    readonly messaging: Messaging,
    readonly sockets: ChatSockets,
    readonly api: TestApi,
    /** Where the files of chats are. */
    readonly folder: string,
    private readonly stop: () => Promise<void>,
  ) {
    super();
  }

  /** With a database of its own, which closes with the stage. */
  static async open(options: ChatStageOptions = {}): Promise<ChatStage> {
    const stage = await ChatStage.start(await testDatabase(), options);
    stage.#hasOwnDatabase = true;
    return stage;
  }

  static async start(database: TestDatabase, options: ChatStageOptions = {}): Promise<ChatStage> {
    const { clock = systemClock, signals = new LocalChatSignals(), submits = true, lookMs, mailer = null } = options;
    const stores = openStores(database.url, 5);
    const folder = await mkdtemp(join(tmpdir(), 'hatif-chats-'));
    const storages = openObjectStores({ use: 'local', folder });
    const wake = (): void => undefined;
    const { credit } = openBilling(stores, clock, wake);
    const messaging = openMessaging({
      ...{
        settings: SETTINGS,
        stores,
        storages,
        audio: NO_FILES.audio,
        mailer,
        cipher: TEST_CIPHER,
        chatSignals: signals,
        credit,
        clock,
        log: quiet,
        wake,
      },
    });
    const limiter = new MemoryRateLimiter(clock);
    const visitorChats = messaging.chats.forVisitors(limiter);
    const sockets = openChatSockets({ messaging, stores, clock, log: quiet }, visitorChats, limiter, lookMs);
    const following = messaging.chats.openFollowing();
    const routes = [
      ...templateRoutes(messaging),
      ...chatStreamRoutes({ following, attend: messaging.chats.attend, streamsPerKey: 50 }),
      ...threadRoutes(messaging),
      ...fileRoutes(messaging),
      ...chatRoutes({
        ...messaging,
        agentByExtension: (projectId, agent) => stores.directory.agentByExtension(projectId, agent),
      }),
      ...messageRoutes(messaging),
      ...widgetChatRoutes({ visitorChats }),
      ...(options.routes ?? []),
    ];
    const publicUrl = { value: '' };
    const gate = new WidgetGate({
      widgets: new Widgets(database.db),
      projects: new Projects(database.db),
      organizations: new Organizations(database.db),
      ...{ clock, cacheMs: 1 },
    });
    const router = chatSocketRouter({
      ...{ sockets, widgets: gate, flags: FLAG_DEFAULTS },
      publicUrl: () => publicUrl.value,
    });
    const limits = { sandboxPerMinute: 100_000 };
    const api = await testApi({ db: database.db, routes, routers: [router], publicUrl, limits });
    const stop = submits ? messaging.start() : (): Promise<void> => Promise.resolve();
    const end = async (): Promise<void> => {
      await following.stop();
      await stop();
    };
    return new ChatStage(database, stores, messaging, sockets, api, folder, end);
  }

  /** A project with a widget, for pages of {@link PAGE}. */
  async tenant(widget: Parameters<TestApi['widget']>[0] = {}): Promise<ChatTenant> {
    const owner = await this.api.owner();
    const { projectId } = owner;
    return {
      ...owner,
      live: (await this.api.key({ projectId })).key,
      sandbox: (await this.api.key({ projectId, kind: 'sandbox' })).key,
      widget: await this.api.widget({ ...owner, chat: true, language: 'en', ...widget }),
    };
  }

  /** Begins a chat. @returns what the page keeps */
  async begin({ key }: Pick<WidgetRow, 'key'>, json: object = {}): Promise<{ chatId: string; token: string }> {
    const answer = await this.api.request('POST', `/v1/widget/chats?key=${key}`, { json, headers: { origin: PAGE } });
    expect(answer.status, answer.text).to.equal(201);
    return { chatId: String(answer.body?.chat_id), token: String(answer.body?.token) };
  }

  /** A page of a new visitor. */
  async visitor({ widget }: Pick<ChatTenant, 'widget'>, json: object = {}): Promise<OpenedChat> {
    const begun = await this.begin(widget, json);
    return { ...begun, page: await this.page(widget, begun.token) };
  }

  page({ key }: Pick<WidgetRow, 'key'>, token: string): Promise<VisitorPage> {
    return VisitorPage.open(this.api.url, key, token);
  }

  /** Writes to a visitor. @returns the id of the message */
  async reply(key: string, chatId: string, text: string, more: object = {}): Promise<string> {
    const json = { channel: 'webchat', to: chatId, text, ...more };
    return String((await this.good(key, 'POST', '/messages', json)).message_id);
  }

  /** The conversation with a visitor. */
  async thread(key: string, chatId: string): Promise<Record<string, unknown>> {
    const { data } = await this.good(key, 'GET', `/messages/threads?with=${chatId}`);
    const [row] = data as Record<string, unknown>[];
    if (!row) throw new Error('there is no such conversation');
    return row;
  }

  /** The types of the events of a project, oldest first. */
  async events({ projectId }: Pick<Owner, 'projectId'>): Promise<string[]> {
    const rows = await this.database.db.query<{ type: string }>(
      `SELECT type FROM events WHERE project_id = $1 ORDER BY created_at, id`,
      [projectId],
    );
    return rows.map(({ type }) => type);
  }

  async close(): Promise<void> {
    await this.sockets.close();
    await this.stop();
    await this.api.close();
    await this.stores.db.close();
    await rm(this.folder, { recursive: true, force: true });
    if (this.#hasOwnDatabase) await this.database.close();
    expect(this.api.faults).to.deep.equal([]);
  }
}

export interface OpenedChat {
  readonly chatId: string;
  readonly token: string;
  readonly page: VisitorPage;
}

const SETTINGS = {
  ...{ SMTP_URL: undefined, MAIL_FROM: undefined, MAIL_DKIM_DOMAIN: undefined, MAIL_DKIM_SELECTOR: undefined },
  ...{ MAIL_DKIM_KEY: undefined, MESSAGE_BOUNCES_TO: undefined, MESSAGE_NOTICE_SECRET: undefined },
  ...{
    SMPP_URLS: [],
    SMPP_LONG_MESSAGES: 'udh8',
    MESSAGE_HOURS: '',
    PUBLIC_URL: undefined,
    SHORT_LINK_URL: undefined,
    PLAY_URL_ALLOW_LOOPBACK: false,
  },
  ...{ CHATAPP_URL: 'http://127.0.0.1:9', CHATAPP_MESSAGES_PER_SECOND: 80, CHATS_PER_AGENT: 2 },
  ...{ HATIF_FLAGS_OFF: [], HATIF_FLAGS_ON: [] },
} as const satisfies Partial<Settings>;
