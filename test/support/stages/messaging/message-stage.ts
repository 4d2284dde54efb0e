import { expect } from 'chai';
import type { Settings } from '../../../../config/settings.js';
import { broadcastRoutes } from '../../../../api/routes/messaging/broadcasts.js';
import { chatappAccountRoutes } from '../../../../api/routes/messaging/chatapp-accounts.js';
import { fileRoutes } from '../../../../api/routes/messaging/files.js';
import { linkRoutes } from '../../../../api/routes/messaging/links.js';
import { messageRoutes } from '../../../../api/routes/messaging/messages.js';
import { noticeRoutes } from '../../../../api/routes/messaging/notices.js';
import { senderRoutes } from '../../../../api/routes/messaging/senders.js';
import { templateRoutes } from '../../../../api/routes/messaging/templates.js';
import { threadRoutes } from '../../../../api/routes/messaging/threads.js';
import { unsubscribeRoutes } from '../../../../api/routes/messaging/unsubscribe.js';
import { systemClock } from '../../../../core/ports/clock.js';
import { openContactRoutes } from '../../../../main/roles/routes/contacts.js';
import { openBilling, type Billing } from '../../../../main/wiring/billing.js';
import { openMessaging, type Messaging } from '../../../../main/wiring/messaging.js';
import { openStores, type Stores } from '../../../../main/wiring/stores.js';
import { ReviewSenders } from '../../../../core/services/messaging/reviewing/review-senders.js';
import { testApi, type Owner, type TestApi } from '../../api.js';
import { NO_FILES } from './files.js';
import { TEST_CIPHER } from '../../cipher.js';
import { eventually } from '../../eventually.js';
import { quiet } from '../../logger.js';
import { LocalChatSignals } from '../../peers/chat/local-signals.js';
import { Smsc } from '../../peers/smsc.js';
import type { TestDatabase } from '../../platform/database.js';
import { ApiStage } from './api-stage.js';
import { NotedSoftphones } from './softphones.js';

/** A project with an approved sender. */
export interface Writer extends Owner {
  readonly live: string;
  readonly sandbox: string;
}

/** The routes of messages on a real port and database, with an SMSC. */
export class MessageStage extends ApiStage {
  readonly #stops: (() => Promise<void>)[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly smsc: Smsc,
    readonly stores: Stores,
    readonly billing: Billing,
    readonly messaging: Messaging,
    readonly api: TestApi,
    readonly review: ReviewSenders,
    readonly softphones: NotedSoftphones,
  ) {
    super();
  }

  static async start(database: TestDatabase, settings: Partial<Settings> = {}): Promise<MessageStage> {
    const smsc = await Smsc.start();
    const stores = openStores(database.url, 5);
    const wake = (): void => undefined;
    const billing = openBilling(stores, systemClock, wake);
    const softphones = new NotedSoftphones();
    const messaging = openMessaging({
      settings: {
        ...NO_MAIL,
        SMPP_URLS: [account(smsc)],
        SMPP_LONG_MESSAGES: 'udh8',
        MESSAGE_HOURS: 'promotional+awareness always 00:00-24:00 tests run at night, too',
        ...{ PUBLIC_URL: undefined, SHORT_LINK_URL: undefined, PLAY_URL_ALLOW_LOOPBACK: true },
        ...{ CHATAPP_URL: 'http://127.0.0.1:9', CHATAPP_MESSAGES_PER_SECOND: 80 },
        CHATS_PER_AGENT: 2,
        HATIF_FLAGS_OFF: [],
        HATIF_FLAGS_ON: [],
        ...settings,
      },
      ...NO_FILES,
      ...{ mailer: null, chatSignals: new LocalChatSignals(), softphones },
      ...{ stores, cipher: TEST_CIPHER, credit: billing.credit, clock: systemClock, log: quiet, wake },
    });
    const routes = [
      ...templateRoutes(messaging),
      ...senderRoutes(messaging),
      ...threadRoutes(messaging),
      ...noticeRoutes(messaging),
      ...unsubscribeRoutes(messaging),
      ...chatappAccountRoutes(messaging),
      ...fileRoutes(messaging),
      ...linkRoutes(messaging),
      ...messageRoutes(messaging),
      ...broadcastRoutes(messaging),
      ...openContactRoutes({ stores, consents: messaging.consents, clock: systemClock, wake }),
    ];
    const api = await testApi({ db: database.db, routes, limits: { sandboxPerMinute: 100_000 } });
    const review = new ReviewSenders(stores.messageSenders, systemClock);
    const stage = new MessageStage(database, smsc, stores, billing, messaging, api, review, softphones);
    stage.#stops.push(messaging.start());
    if (!settings.SMPP_URLS) await smsc.until(() => smsc.binds > 0);
    return stage;
  }

  async writer(senders: readonly string[] = ['HATIF'], flags: Readonly<Record<string, boolean>> = {}): Promise<Writer> {
    const owner = await this.api.owner(flags);
    const { projectId } = owner;
    const live = (await this.api.key({ projectId })).key;
    const sandbox = (await this.api.key({ projectId, kind: 'sandbox' })).key;
    for (const sender of senders) {
      const { id } = await this.good(live, 'POST', '/messages/senders', { sender });
      await this.review.approve(String(id));
    }
    return { ...owner, live, sandbox };
  }

  /** Sends an SMS. @returns its id */
  async sms(key: string, json: object = {}): Promise<string> {
    const body = { channel: 'sms', to: '+966501234517', text: 'Hello', ...json };
    return String((await this.good(key, 'POST', '/messages', body)).message_id);
  }

  /** Resolves when the message has the status. @returns the message */
  async reaches(key: string, id: string, status: string): Promise<Record<string, unknown>> {
    let message: Record<string, unknown> = {};
    await eventually(async () => {
      message = await this.good(key, 'GET', `/messages/${id}`);
      return message.status === status;
    }, `the message is ${status}`);
    return message;
  }

  /** The types of the project's message events about a message, oldest first. */
  async events(id: string): Promise<string[]> {
    const rows = await this.database.db.query<{ type: string }>(
      `SELECT type FROM events WHERE data->>'message_id' = $1 ORDER BY created_at, id`,
      [id],
    );
    return rows.map(({ type }) => type.replace('message.', ''));
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) await stop();
    await this.smsc.close();
    await this.api.close();
    await this.stores.db.close();
    expect(this.api.faults).to.deep.equal([]);
  }
}

/** Settings without a mail server. */
const NO_MAIL = {
  ...{ SMTP_URL: undefined, MAIL_FROM: undefined, MAIL_DKIM_DOMAIN: undefined, MAIL_DKIM_SELECTOR: undefined },
  ...{ MAIL_DKIM_KEY: undefined, MESSAGE_BOUNCES_TO: undefined, MESSAGE_NOTICE_SECRET: undefined },
};

function account({ port, password }: Smsc): Settings['SMPP_URLS'][number] {
  return { host: '127.0.0.1', port, tls: false, systemId: 'hatif', password, systemType: '', window: 10 };
}
