import type { MessageSenders } from '../../data/repositories/messaging/senders.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { MessageThreadRow } from '../../data/rows.js';
import { HatifError, invalidField, type Phrase } from '../../model/errors/index.js';
import type { Channel } from '../../model/messaging/channels.js';
import type { MessageClass } from '../../model/messaging/message.js';
import { fitsClass, pickSender } from '../../model/messaging/sender.js';
import { arabic } from '../../model/wording/wording.js';

/** Chooses the name or number under which a message is sent. */
export class ChooseSender {
  constructor(private readonly senders: Pick<MessageSenders, 'approved'>) {}

  /**
   * An agent writes in own conversations only.
   * @throws HatifError INSUFFICIENT_PERMISSIONS
   */
  assertOwn(thread: MessageThreadRow | null, agent: string | null): void {
    const owner = thread?.agent ?? null;
    if (agent === null || owner === null || owner === agent) return;
    throw new HatifError('INSUFFICIENT_PERMISSIONS', { permission: OTHER_AGENT });
  }

  /**
   * The named sender; without one, that of the conversation if it suits the class, otherwise one of the project's pool.
   * @returns null for mail without a sender, and in the sandbox
   * @throws HatifError VALIDATION_ERROR for a sender that is not approved or does not suit the class, and if there is none
   */
  async choose(
    { channel, to, from }: { readonly channel: Channel; readonly to: string; readonly from: string | null },
    of: MessageClass,
    thread: MessageThreadRow | null,
    kind: ProjectKind,
  ): Promise<string | null> {
    return (await this.chooser(channel, from, of, kind))(to, thread);
  }

  /**
   * The same for many people: reads the senders once.
   * @returns chooses for one of them, or throws as {@link choose} does
   * @throws HatifError VALIDATION_ERROR for a named sender, as {@link choose} does
   */
  async chooser(
    channel: Channel,
    from: string | null,
    of: MessageClass,
    kind: ProjectKind,
  ): Promise<(to: string, thread: Pick<MessageThreadRow, 'sender'> | null) => string | null> {
    if (channel === 'webchat') return () => from;
    const approved = await this.senders.approved(kind, channel);
    if (from !== null) {
      const known = approved.find((sender) => sender.toLowerCase() === from.toLowerCase());
      if (known === undefined) throw invalidField('from', NOT_APPROVED);
      if (channel === 'sms' && !fitsClass(known, of)) throw invalidField('from', otherClass(of));
      return () => known;
    }
    const pool = channel !== 'sms' ? approved : approved.filter((sender) => fitsClass(sender, of));
    return (to, thread) => {
      const sticky = thread?.sender ?? null;
      if (sticky !== null && pool.includes(sticky)) return sticky;
      const picked = pickSender(pool, to);
      // Mail without a sender is from the installation's own address.
      if (picked === null && !kind.sandbox && channel === 'sms') throw invalidField('from', noSender(of));
      return picked;
    };
  }
}

const OTHER_AGENT: Phrase = {
  en: 'conversations of another agent',
  ar: 'محادثات موظف آخر',
};
const NOT_APPROVED: Phrase = {
  en: 'is not an approved sender of this project',
  ar: 'ليس اسم مُرسِل معتمدًا لهذا المشروع',
};

function otherClass(of: MessageClass): Phrase {
  return of === 'promotional'
    ? { en: 'must end with -AD for a promotional message', ar: 'يجب أن ينتهي بـ `-AD` في الرسائل الترويجية' }
    : { en: 'ends with -AD, which is for promotional messages only', ar: 'ينتهي بـ `-AD`، وهو للرسائل الترويجية فقط' };
}

function noSender(of: MessageClass): Phrase {
  return {
    en: `is required: the project has no approved sender for the class ${of}`,
    ar: arabic`مطلوب: لا يوجد اسم مُرسِل معتمد لهذا المشروع للفئة ${of}`,
  };
}
