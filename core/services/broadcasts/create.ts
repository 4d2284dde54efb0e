import type { ContactGroups } from '../../data/repositories/contacts/contact-groups.js';
import type { Broadcasts } from '../../data/repositories/messaging/broadcasts.js';
import type { BroadcastRow } from '../../data/rows.js';
import { HatifError, invalidField, type Phrase } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { MAX_UNFINISHED_BROADCASTS, type BroadcastVariant } from '../../model/broadcasts/broadcast.js';
import type { Channel } from '../../model/messaging/channels.js';
import { classOf, type MessageClass } from '../../model/messaging/message.js';
import type { Clock } from '../../ports/clock.js';
import type { ChannelAccess, ChannelUser } from '../messaging/channel-access.js';
import type { ChooseSender } from '../messaging/choose-sender.js';
import type { ShortLinks } from '../messaging/links/short-links.js';
import { OTHER_COUNT, type MessageTexts } from '../messaging/content.js';

export interface NewBroadcast {
  readonly name: string;
  readonly channel: Channel;
  readonly from: string | null;
  readonly class: MessageClass | null;
  /** The first one is variant `A`. */
  readonly variants: readonly Omit<BroadcastVariant, 'kept'>[];
  /** Null: the recipients come from a file. */
  readonly groupId: string | null;
  readonly scheduledAt: Date | null;
  /** As parseWallTime reads it. */
  readonly localTime: string | null;
  readonly ratePerMinute: number | null;
  /** Whether its messages have short addresses. */
  readonly tracksLinks: boolean;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The key or member that works on a broadcast. */
export interface BroadcastEditor extends ChannelUser {
  readonly organizationId: string;
  readonly keyId: string;
  readonly requestId: string;
}

export interface CreateBroadcastOptions {
  readonly broadcasts: Broadcasts;
  readonly groups: Pick<ContactGroups, 'get'>;
  readonly texts: MessageTexts;
  readonly senders: ChooseSender;
  readonly access: Pick<ChannelAccess, 'assert'>;
  readonly shortLinks: Pick<ShortLinks, 'begin'>;
  readonly clock: Clock;
}

const LONGEST_SCHEDULE_MS = 90 * 86_400_000;

/** Makes drafts of broadcasts. Nothing is sent before somebody starts one. */
export class CreateBroadcast {
  constructor(private readonly options: CreateBroadcastOptions) {}

  /**
   * @throws HatifError what ChannelAccess.assert throws, VALIDATION_ERROR for a time, group, template or sender,
   * BROADCAST_LIMIT_EXCEEDED
   */
  async create(wanted: NewBroadcast, editor: BroadcastEditor): Promise<BroadcastRow> {
    const { broadcasts, access, senders, clock } = this.options;
    const { channel, groupId } = wanted;
    await access.assert(channel, 'broadcast', editor);
    const now = clock.now();
    assertTime(wanted.scheduledAt, now);
    // Says whether there is an address for them.
    if (wanted.tracksLinks) this.options.shortLinks.begin();
    await this.#assertGroup(groupId, editor);
    const of = await this.#class(wanted, editor);
    // Without a name, each recipient's conversation decides.
    if (wanted.from !== null) await senders.chooser(channel, wanted.from, of, editor);
    const row: BroadcastRow = {
      ...{ id: newId(), organization_id: editor.organizationId, project_id: editor.projectId },
      ...{ sandbox: editor.sandbox, name: wanted.name, channel, status: 'draft', problem: null, sender: wanted.from },
      ...{ class: of, variants: wanted.variants.map((variant) => ({ ...variant, kept: null })) },
      ...{ source: groupId === null ? 'file' : 'group', group_id: groupId, file_name: null },
      ...{ scheduled_at: wanted.scheduledAt, local_time: wanted.localTime, rate_per_minute: wanted.ratePerMinute },
      track_links: wanted.tracksLinks,
      ...{ metadata: wanted.metadata, total: 0, prepared_after: null, prepared_at: null, paced_until: null },
      ...{ due_at: null, attempts: 0, accepted_at: null, reported_at: null, reported: null },
      ...{ created_by_key: editor.keyId, request_id: editor.requestId },
      ...{ created_at: now, started_at: null, finished_at: null },
    };
    if (!(await broadcasts.add(row, MAX_UNFINISHED_BROADCASTS))) {
      throw new HatifError('BROADCAST_LIMIT_EXCEEDED', { max: MAX_UNFINISHED_BROADCASTS });
    }
    return row;
  }

  /** The broadcast that a request created before its process died. */
  createdBy(projectId: string, keyId: string, requestId: string): Promise<BroadcastRow | null> {
    return this.options.broadcasts.createdBy(projectId, keyId, requestId);
  }

  /** All variants are of one class: their recipients have agreed to that. */
  async #class(wanted: NewBroadcast, editor: BroadcastEditor): Promise<MessageClass> {
    let of = wanted.class;
    for (const [index, { template, variables }] of wanted.variants.entries()) {
      const path = `variants[${index}].template`;
      const found = await this.options.texts.template(wanted.channel, template, editor, path);
      if (found.variables.length !== variables.length) throw invalidField(`variants[${index}].variables`, OTHER_COUNT);
      const own = classOf(found.category);
      if (of !== null && own !== of) throw invalidField(wanted.class === null ? path : 'class', OTHER_CLASS);
      of = own;
    }
    return of ?? 'service';
  }

  async #assertGroup(groupId: string | null, { projectId, sandbox }: BroadcastEditor): Promise<void> {
    if (groupId === null) return;
    const group = await this.options.groups.get({ projectId, sandboxOnly: sandbox }, groupId);
    if (group?.sandbox !== sandbox) throw invalidField('group_id', NO_GROUP);
  }
}

/** @throws HatifError VALIDATION_ERROR */
function assertTime(scheduledAt: Date | null, now: Date): void {
  if (scheduledAt === null) return;
  const ahead = scheduledAt.getTime() - now.getTime();
  if (ahead <= 0 || ahead > LONGEST_SCHEDULE_MS) throw invalidField('scheduled_at', BAD_SCHEDULE);
}

const NO_GROUP: Phrase = {
  en: 'is not a contact group of this project',
  ar: 'ليس مجموعة جهات اتصال في هذا المشروع',
};
const OTHER_CLASS: Phrase = {
  en: 'is of another class than the rest of the broadcast',
  ar: 'يختلف عن فئة بقية الحملة',
};
const BAD_SCHEDULE: Phrase = {
  en: 'must be in the future, by at most 90 days',
  ar: 'يجب أن يكون في المستقبل بما لا يزيد على 90 يومًا',
};
