import { readFileSync } from 'node:fs';
import { EmailChannel } from '../../adapters/channels/email/email-channel.js';
import { WebchatChannel } from '../../adapters/channels/webchat/webchat-channel.js';
import { SoftphoneChannel } from '../../adapters/channels/sms/softphone-channel.js';
import { SmppChannel } from '../../adapters/channels/sms/smpp-channel.js';
import type { Settings } from '../../config/settings.js';
import type { Cipher } from '../../core/model/access/cipher.js';
import { CHANNELS, type Channel } from '../../core/model/messaging/channels.js';
import type { CodeChannels } from '../../core/ports/code-channel.js';
import type { MessageRow, OrganizationRow } from '../../core/data/rows.js';
import type { MessageFileTable } from '../../core/data/repositories/messaging/files.js';
import { MessageLinks } from '../../core/data/repositories/messaging/links.js';
import type { Mailer } from '../../core/ports/mail.js';
import { SoftphoneTextTable } from '../../core/data/repositories/messaging/softphone-texts.js';
import type { Outbox } from '../../core/data/repositories/messaging/submissions.js';
import type { SoftphoneTexts } from '../../core/ports/messaging/softphone-texts.js';
import type { ChatSignals } from '../../core/ports/messaging/chat-signals.js';
import { Webchats } from '../../core/data/repositories/messaging/webchats.js';
import { Fallbacks } from '../../core/data/repositories/messaging/fallbacks.js';
import { pause, type Clock } from '../../core/ports/clock.js';
import type { MediaStore } from '../../core/ports/media-store.js';
import type { ObjectStores } from '../../core/ports/object-store.js';
import type { Logger } from '../../core/ports/logger.js';
import type { ChannelListener, MessageChannel } from '../../core/ports/messaging/message-channel.js';
import type { Billing } from './billing.js';
import type { ConsentService } from '../../core/services/contacts/consents.js';
import { ApproveTemplates } from '../../core/services/messaging/reviewing/approve-templates.js';
import { AssignThread } from '../../core/services/messaging/assign-thread.js';
import { CancelMessage } from '../../core/services/messaging/cancel.js';
import { consentChecks } from '../../core/services/messaging/consent-checks.js';
import { ConfirmOptOut } from '../../core/services/messaging/opting-out/confirm.js';
import { TakeComplaints } from '../../core/services/messaging/opting-out/complaints.js';
import { conversationWindowCheck } from '../../core/services/messaging/chatapp/conversation-window.js';
import type { ManageChatappAccounts } from '../../core/services/messaging/chatapp/manage.js';
import { MarkRead } from '../../core/services/messaging/chatapp/mark-read.js';
import { TemplateReviews } from '../../core/services/messaging/chatapp/template-reviews.js';
import type { VerifyTokens } from '../../core/services/messaging/chatapp/verify-tokens.js';
import { knownVisitorCheck } from '../../core/services/messaging/webchat/known-visitor.js';
import { ChannelAccess } from '../../core/services/messaging/channel-access.js';
import {
  destinationClassCheck,
  sandboxDestinationCheck,
  unsubscribingCheck,
} from '../../core/services/messaging/checks.js';
import { ChooseSender } from '../../core/services/messaging/choose-sender.js';
import { MessageTexts } from '../../core/services/messaging/content.js';
import { ExplainMessage } from '../../core/services/messaging/explain.js';
import { MessageDispatcher } from '../../core/services/messaging/submitting/dispatcher.js';
import { MessageGate, type AdmissionCheck } from '../../core/services/messaging/gate.js';
import { TakeIncoming } from '../../core/services/messaging/incoming.js';
import { TakeNotices } from '../../core/services/messaging/notices.js';
import { MessagePrices } from '../../core/services/messaging/prices.js';
import { MessageProgress } from '../../core/services/messaging/progress.js';
import { TakeReceipts } from '../../core/services/messaging/receipts.js';
import { rechecking } from '../../core/services/messaging/recheck.js';
import { SandboxChannel } from '../../core/services/messaging/sandbox-channel.js';
import { FileOfMessage } from '../../core/services/messaging/files/file-of-message.js';
import type { MessageFileService } from '../../core/services/messaging/files/message-files.js';
import { FollowLink } from '../../core/services/messaging/clicks/follow-link.js';
import { ShortLinks } from '../../core/services/messaging/links/short-links.js';
import { SendMessage } from '../../core/services/messaging/send.js';
import { SoftphoneRecipients } from '../../core/services/messaging/softphones/recipients.js';
import { ShowIncoming } from '../../core/services/messaging/softphone-texts/show-incoming.js';
import { TakeTexts } from '../../core/services/messaging/softphone-texts/take-texts.js';
import { StoreMessages } from '../../core/services/messaging/store-messages.js';
import { SettleMessages } from '../../core/services/messaging/settle.js';
import { SenderService } from '../../core/services/messaging/senders.js';
import { TemplateService } from '../../core/services/messaging/templates.js';
import { Unsubscribe } from '../../core/services/messaging/opting-out/unsubscribe.js';
import { UnsubscribeLinks } from '../../core/services/messaging/unsubscribe-links.js';
import { FallBack } from '../../core/services/messaging/fallback/fall-back.js';
import type { SpeakMessage } from '../../core/services/messaging/fallback/speak.js';
import { MessageCodes } from '../../core/services/messaging/codes/message-codes.js';
import { MessageVelocity } from '../../core/services/messaging/velocity.js';
import { MessageUpkeep } from '../../core/services/messaging/upkeep.js';
import { Spending } from '../../core/services/billing/spending.js';
import type { PeriodicTask } from '../../core/services/runtime/periodic-task.js';
import { openBroadcasting, type Broadcasting } from './messages/broadcasts.js';
import { openChats, type Chats, type QueueView } from './messages/chats.js';
import { openChatapp } from './messages/chatapp.js';
import { openMessageFiling } from './messages/files.js';
import { openConsents } from './messages/consents.js';
import { environmentFlags } from './flags.js';
import type { Stores } from './stores.js';

/** Messages, their templates and channels. */
export interface Messaging {
  readonly templates: TemplateService;
  readonly senders: SenderService;
  readonly send: SendMessage;
  readonly explain: ExplainMessage;
  readonly texts: MessageTexts;
  /** Whether the organization has messages over the channel. */
  readonly isEnabled: (channel: Channel, organization: OrganizationRow) => boolean;
  readonly cancel: CancelMessage;
  readonly notices: TakeNotices;
  readonly markRead: MarkRead;
  readonly chatappAccounts: ManageChatappAccounts;
  readonly verifyTokens: VerifyTokens;
  readonly assign: AssignThread;
  readonly consents: ConsentService;
  readonly unsubscribe: Unsubscribe;
  /** Channels that send one-time codes as messages. */
  readonly codeChannels: CodeChannels;
  /** The work that tries further channels of messages. */
  fallBack(speak: SpeakMessage): PeriodicTask;
  readonly messages: Stores['messages'];
  readonly broadcasts: Broadcasting;
  readonly files: MessageFileService;
  readonly fileTable: MessageFileTable;
  readonly fileOfMessage: FileOfMessage;
  readonly links: MessageLinks;
  readonly shortLinks: ShortLinks;
  readonly followLink: FollowLink;
  readonly chats: Chats;
  /** The work that offers chats to the agents of queues, and gives those back whose agents have left. */
  routeChats(queues: QueueView): readonly PeriodicTask[];
  /** Background work. */
  readonly tasks: readonly PeriodicTask[];
  /** Connects to the providers, and submits what is due. @returns stops it; submissions under way end within seconds */
  start(): () => Promise<void>;
}

export interface MessagingOptions {
  readonly settings: Pick<
    Settings,
    | 'SMPP_URLS'
    | 'SMPP_LONG_MESSAGES'
    | 'SMTP_URL'
    | 'MAIL_FROM'
    | 'MAIL_DKIM_DOMAIN'
    | 'MAIL_DKIM_SELECTOR'
    | 'MAIL_DKIM_KEY'
    | 'MESSAGE_BOUNCES_TO'
    | 'MESSAGE_NOTICE_SECRET'
    | 'MESSAGE_HOURS'
    | 'MESSAGES_PER_HOUR'
    | 'CHATAPP_URL'
    | 'CHATAPP_MESSAGES_PER_SECOND'
    | 'PLAY_URL_ALLOW_LOOPBACK'
    | 'PUBLIC_URL'
    | 'SHORT_LINK_URL'
    | 'CHATS_PER_AGENT'
    | 'HATIF_FLAGS_OFF'
    | 'HATIF_FLAGS_ON'
  >;
  readonly stores: Stores;
  /** Where files of messages are. */
  readonly storages: ObjectStores;
  /** Where uploaded prompts are. */
  readonly audio: Pick<MediaStore, 'pathOf'>;
  readonly cipher: Cipher;
  readonly chatSignals: ChatSignals;
  /** Sends texts to the phones of agents. */
  readonly softphones: SoftphoneTexts;
  /** Mails transcripts of chats; null if no mail server is set. */
  readonly mailer: Mailer | null;
  readonly credit: Billing['credit'];
  readonly clock: Clock;
  readonly log: Logger;
  readonly wake: (lanes: readonly string[]) => void;
}

/** How long submissions may take at a stop. */
const STOP_MS = 3_000;

export function openMessaging(options: MessagingOptions): Messaging {
  const { settings, stores, cipher, chatSignals, softphones, mailer, credit, clock, log, wake } = options;
  const { messages, messageReceipts: receipts, messageSenders, messageSubmissions: submissions, directory } = stores;
  const { ledger, usageEvents, ratings, messageTemplates: templates } = stores;
  const spending = new Spending(ratings, clock);
  const progress = new MessageProgress({ submissions, usageEvents, ledger, spending, clock });
  const settling = new SettleMessages({ submissions, receipts, progress, wake });
  const dispatchers = new Map<Outbox, MessageDispatcher>();
  const isCollecting = (): boolean => [...dispatchers.values()].some((dispatcher) => dispatcher.isGathering());
  const takeReceipts = new TakeReceipts({ receipts, settling, isCollecting, clock, log });
  const consents = openConsents({ settings, stores, clock, wake });
  const links = new UnsubscribeLinks(cipher, httpsOnly(settings.PUBLIC_URL));
  const complaints = new TakeComplaints({ submissions, consents, log });
  const incoming = new TakeIncoming({
    ...{ messages, senders: messageSenders, consents, clock, log, wake },
    confirm: (message) => confirmation.confirm(message),
  });
  const listener: ChannelListener = {
    receipt: (receipt) => takeReceipts.take(receipt),
    complaint: (complaint) => complaints.take(complaint),
    incoming: async (part) => {
      await incoming.take(part, (tx, message) => shown.add(tx, message));
    },
    templateReviewed: (...reviewed) => reviews.reviewed(...reviewed),
  };
  const signal = (of: Outbox) => (): void => dispatchers.get(of)?.signal();

  const { PLAY_URL_ALLOW_LOOPBACK: allowLoopback } = settings;
  const filing = openMessageFiling({ ...options, db: stores.db, allowLoopback });
  const { files } = filing;
  const sms = openSms(settings, { clock, log, listener, onFree: signal('sms') });
  const email = openEmail(settings, { files, listener, onFree: signal('email') });
  const chatapp = openChatapp({ settings, stores, cipher, clock, files, listener, onFree: signal('chatapp') });
  const softphone = new SoftphoneChannel({
    ...{ softphones, listener },
    isOf: async (aor, projectId) => (await directory.agentByAor(aor))?.project_id === projectId,
  });
  const recipients = new SoftphoneRecipients(directory);
  const shown = new ShowIncoming({ messages, recipients, softphone, cipher });
  const webchats = new Webchats(stores.db);
  const webchat = new WebchatChannel({
    signals: chatSignals,
    isOffered: (projectId) => webchats.isOffered(projectId),
  });
  const reviews = new TemplateReviews({ templates, provider: chatapp.templates, clock, log, wake });
  const live: ReadonlyMap<Channel, MessageChannel> = new Map<Channel, MessageChannel>([
    ['sms', sms],
    ['email', email],
    ['chatapp', chatapp.channel],
    ['webchat', webchat],
  ]);
  const sandbox = new Map(CHANNELS.map((channel) => [channel, new SandboxChannel(channel, listener, webchat)]));
  const access = new ChannelAccess({
    flags: environmentFlags(settings),
    isConfigured: async (channel, projectId) => (await live.get(channel)?.isConfigured(projectId)) ?? false,
  });
  // In this order: the first refusal counts.
  const checks: readonly AdmissionCheck[] = [
    sandboxDestinationCheck,
    ...consentChecks(consents),
    destinationClassCheck(directory),
    unsubscribingCheck(links),
    conversationWindowCheck(messages),
    knownVisitorCheck(messages),
  ];

  const gate = new MessageGate(checks);
  const texts = new MessageTexts(templates);
  const senders = new ChooseSender(messageSenders);
  const prices = new MessagePrices(stores.ratePlans);
  const velocity = new MessageVelocity(settings.MESSAGES_PER_HOUR ?? null, clock);

  const recheck = rechecking(gate, () => clock.now());
  const dispatching = { links, recheck, cipher, submissions, settling, receipts: takeReceipts, clock, log };
  const outboxes: readonly (readonly [Outbox, MessageChannel])[] = [
    ...live,
    ['sandbox', new SandboxChannel('sms', listener, webchat)],
    ['softphone', softphone],
  ];
  for (const [of, channel] of outboxes) dispatchers.set(of, new MessageDispatcher({ ...dispatching, channel, of }));
  const channels = (channel: Channel, isSandbox: boolean): MessageChannel | null =>
    (isSandbox ? sandbox : live).get(channel) ?? null;
  const messageLinks = new MessageLinks(stores.db);
  const shortLinks = new ShortLinks((settings.SHORT_LINK_URL ?? settings.PUBLIC_URL)?.replace(/\/+$/, '') ?? null);
  const broadcasts = openBroadcasting({
    ...{ stores, channels, texts, access, senders, gate, prices, credit, velocity, clock, log, wake },
    ...{ shortLinks, links: messageLinks },
    onMessages: (row) => signal(outboxOf(row))(),
  });
  const chats = openChats({
    ...{
      stores,
      files,
      mailer,
      log,
      chats: webchats,
      settling,
      incoming,
      receipts: takeReceipts,
      access,
    },
    ...{ signals: chatSignals, cipher, clock, wake },
  });
  const store = new StoreMessages({
    ...{ messages, credit, velocity, wake, links: messageLinks, chats: chats.assignment },
  });
  const send = new SendMessage({
    ...{ messages, texts, access, senders, gate, prices, store, clock, channels },
    ...{ shortLinks, media: filing.media, recipients, softphone },
    onDue: (row) => signal(outboxOf(row))(),
    chats: chats.assignment,
  });
  const organization = (id: string) => stores.organizations.get(id);
  const confirmation = new ConfirmOptOut({ send, organization, log });
  const codesOver = (channel: 'sms' | 'chatapp', provider: MessageChannel): MessageCodes =>
    new MessageCodes({
      ...{ channel, provider, messages, senders: messageSenders, templates, gate, prices, credit, velocity },
      ...{ cipher, clock },
      ...{ organization, project: (id) => directory.project(id), onDue: signal(channel) },
      isEnabled: (of, owner) => access.isEnabled(of, owner),
    });
  return {
    ...{ messages, consents, broadcasts, chats, shortLinks, links: messageLinks, files, fileTable: filing.table },
    fileOfMessage: new FileOfMessage(files, new Map([['chatapp', chatapp.channel]])),
    followLink: new FollowLink({ links: messageLinks, clock, wake }),
    routeChats: (queues) => chats.tasks({ queues, chatsPerAgent: settings.CHATS_PER_AGENT }),
    templates: new TemplateService({ templates, access, provider: chatapp.templates, clock, wake }),
    senders: new SenderService({ senders: messageSenders, numbers: stores.numbers, access, clock }),
    ...{ send, texts },
    isEnabled: (of, owner) => access.isEnabled(of, owner),
    codeChannels: { sms: codesOver('sms', sms), chatapp: codesOver('chatapp', chatapp.channel) },
    fallBack: (speak) => new FallBack({ fallbacks: new Fallbacks(stores.db), send, speak, organization, clock, log }),
    explain: new ExplainMessage({
      messages,
      texts,
      access,
      recipients,
      senders,
      gate,
      prices,
      credit,
      velocity,
      clock,
    }),
    cancel: new CancelMessage(messages),
    notices: new TakeNotices(
      new Map<string, MessageChannel>([
        ['email', email],
        ['chatapp', chatapp.channel],
      ]),
      new Map([['chatapp', chatapp.verifyTokens]]),
    ),
    markRead: new MarkRead({ messages, access, channels: new Map([['chatapp', chatapp.channel]]), clock }),
    chatappAccounts: chatapp.manage(access),
    verifyTokens: chatapp.verifyTokens,
    unsubscribe: new Unsubscribe({ links, consents, project: (id) => directory.project(id) }),
    assign: new AssignThread(
      messages,
      (projectId, agent) => directory.agentByExtension(projectId, agent),
      chats.assignment,
      wake,
    ),
    tasks: [
      new ApproveTemplates({ templates, clock, onLanes: wake }),
      reviews,
      filing.purge,
      chats.upkeep,
      new MessageUpkeep({ submissions, receipts, settling, clock }),
      new TakeTexts({
        ...{ texts: new SoftphoneTextTable(stores.db), directory, organization, recipients, send, softphones, log },
        isEnabled: (owner) => access.isEnabled('sms', owner),
      }),
    ],
    start() {
      sms.start();
      for (const dispatcher of dispatchers.values()) dispatcher.start();
      broadcasts.runner.start();
      return async () => {
        await broadcasts.runner.stop();
        const stopped = Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.stop()));
        await Promise.race([stopped, pause(clock, STOP_MS)]);
        // Submissions without a response end now; their outcome is stored as unknown.
        softphone.stop();
        await sms.stop();
        await stopped;
        await chatapp.close();
        await filing.close();
      };
    },
  };
}

function outboxOf({ channel, sandbox, softphone }: Pick<MessageRow, 'channel' | 'sandbox' | 'softphone'>): Outbox {
  if (sandbox) return 'sandbox';
  return typeof softphone === 'string' ? 'softphone' : channel;
}

/** The address of the installation, if links of messages may use it. */
function httpsOnly(url: string | undefined): string | null {
  return url?.startsWith('https:') === true ? url.replace(/\/+$/, '') : null;
}

function openSms(
  { SMPP_URLS, SMPP_LONG_MESSAGES }: MessagingOptions['settings'],
  parts: Pick<ConstructorParameters<typeof SmppChannel>[0], 'clock' | 'log' | 'listener' | 'onFree'>,
): SmppChannel {
  const binds = SMPP_URLS.map((account) => ({
    ...account,
    name: `${account.systemId}@${account.host}:${account.port}`,
  }));
  return new SmppChannel({ ...parts, binds, longMessages: SMPP_LONG_MESSAGES });
}

function openEmail(
  settings: MessagingOptions['settings'],
  parts: Pick<ConstructorParameters<typeof EmailChannel>[0], 'files' | 'listener' | 'onFree'>,
): EmailChannel {
  const { SMTP_URL: url, MAIL_FROM: from, MESSAGE_BOUNCES_TO, MESSAGE_NOTICE_SECRET } = settings;
  const { MAIL_DKIM_DOMAIN: domain, MAIL_DKIM_SELECTOR: selector, MAIL_DKIM_KEY: file } = settings;
  const isSigned = domain !== undefined && selector !== undefined && file !== undefined;
  return new EmailChannel({
    ...parts,
    server: url === undefined || from === undefined ? null : { url, from },
    dkim: isSigned ? { domain, selector, key: readFileSync(file, 'utf8') } : null,
    bouncesTo: MESSAGE_BOUNCES_TO ?? null,
    noticeSecret: MESSAGE_NOTICE_SECRET ?? null,
  });
}
