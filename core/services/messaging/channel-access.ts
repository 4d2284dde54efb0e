import type { OrganizationRow } from '../../data/rows.js';
import { HatifError, type Phrase } from '../../model/errors/index.js';
import { FLAG_DEFAULTS } from '../../model/flags.js';
import { isReviewedByProvider, supports, type Channel, type ChannelVerb } from '../../model/messaging/channels.js';

/** Who uses a channel. */
export interface ChannelUser {
  readonly organization: Pick<OrganizationRow, 'flags' | 'account_kind'>;
  readonly projectId: string;
  readonly sandbox: boolean;
}

export interface ChannelAccessOptions {
  /** The features of the environment. */
  readonly flags: Readonly<Record<string, boolean | undefined>>;
  /** Whether the organization of the project has what the provider of the channel needs. */
  readonly isConfigured: (channel: Channel, projectId: string) => Promise<boolean>;
}

/** Says whether an organization may use a channel for something. */
export class ChannelAccess {
  constructor(private readonly options: ChannelAccessOptions) {}

  /** @throws HatifError INSUFFICIENT_PERMISSIONS if the chat application is not enabled for the organization */
  assertEnabled(channel: Channel, { organization }: Pick<ChannelUser, 'organization'>): void {
    if (channel === 'chatapp' && !this.#has('chatapp', organization)) {
      throw new HatifError('INSUFFICIENT_PERMISSIONS', { permission: CHATAPP });
    }
  }

  /** Whether messages over the channel are enabled for the organization at all. */
  isEnabled(channel: Channel, organization: Pick<OrganizationRow, 'flags'>): boolean {
    return this.#has('messages', organization) && (channel !== 'chatapp' || this.#has('chatapp', organization));
  }

  #has(flag: 'messages' | 'chatapp', { flags }: Pick<OrganizationRow, 'flags'>): boolean {
    return flags[flag] ?? this.options.flags[flag] ?? FLAG_DEFAULTS[flag];
  }

  /**
   * The checks of every route that names a channel, after its body and before what the body names.
   * @param isInside whether no provider is needed for it
   * @throws HatifError INSUFFICIENT_PERMISSIONS if the chat application is not enabled for the organization, then
   * CHANNEL_VERB_UNSUPPORTED, then CHANNEL_NOT_CONFIGURED
   */
  async assert(channel: Channel, verb: ChannelVerb, user: ChannelUser, isInside = false): Promise<void> {
    const { isConfigured } = this.options;
    this.assertEnabled(channel, user);
    if (!supports(channel, verb)) throw new HatifError('CHANNEL_VERB_UNSUPPORTED', { channel, action: ACTIONS[verb] });
    // Nothing of the sandbox reaches a provider, and Hatif itself keeps the templates that no provider reviews.
    const needsProvider = !isInside && !user.sandbox && (verb !== 'templates' || isReviewedByProvider(channel));
    if (needsProvider && !(await isConfigured(channel, user.projectId))) {
      throw new HatifError('CHANNEL_NOT_CONFIGURED', { channel });
    }
  }
}

const CHATAPP: Phrase = {
  en: 'the channel chatapp, which is not enabled for this organization',
  ar: 'القناة `chatapp`، وهي غير مفعّلة لهذه المؤسسة',
};

const ACTIONS: Readonly<Record<ChannelVerb, Phrase>> = {
  send: { en: 'send messages', ar: 'إرسال الرسائل' },
  receive: { en: 'receive messages', ar: 'استقبال الرسائل' },
  templates: { en: 'message templates', ar: 'قوالب الرسائل' },
  broadcast: { en: 'broadcasts', ar: 'الحملات' },
  files: { en: 'send files', ar: 'إرسال الملفات' },
  interactive: { en: 'send buttons and lists', ar: 'إرسال الأزرار والقوائم' },
  reactions: { en: 'react to messages', ar: 'التفاعل مع الرسائل' },
  read_receipts: { en: 'report messages as read', ar: 'الإبلاغ بقراءة الرسائل' },
};
