import type { Database } from '../../data/database.js';
import type { Consents } from '../../data/repositories/contacts/consents.js';
import type { Contacts, ContactScope } from '../../data/repositories/contacts/contacts.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { ConsentChangeRow, ConsentRow, ContactRow } from '../../data/rows.js';
import { RIYADH } from '../../model/calendar/local.js';
import {
  addressOn,
  channelsOf,
  CONSENT_CLASSES,
  type ConsentChannel,
  type ConsentClass,
  type ConsentStatus,
  type EndUserSource,
} from '../../model/contacts/consent.js';
import { consentKeyword, type ConsentKeyword } from '../../model/contacts/keywords.js';
import { hoursAt, type HoursAnswer, type MessageHours } from '../../model/contacts/message-hours.js';
import { invalidField } from '../../model/errors/index.js';
import type { MessageClass } from '../../model/messaging/message.js';
import type { Clock } from '../../ports/clock.js';
import { unknownContact, type ContactOwner } from './contacts.js';
import { recordConsents } from './record-consents.js';
import { changesOf, type Wish } from './wishes.js';

export interface ConsentServiceOptions {
  readonly db: Database;
  readonly contacts: Contacts;
  readonly consents: Consents;
  /** When messages may be sent: see core/model/contacts/message-hours.ts. */
  readonly hours: readonly MessageHours[];
  /** Called after events for these delivery lanes were recorded. */
  readonly wake: (lanes: readonly string[]) => void;
  readonly clock: Clock;
}

/** Whether a contact may get messages of a class on a channel. */
export interface ConsentView {
  readonly channel: ConsentChannel;
  readonly address: string;
  readonly class: ConsentClass;
  /** Null: nothing was recorded. */
  readonly consent: ConsentRow | null;
  readonly verdict: MessageVerdict;
}

export interface NewWish extends Omit<Wish, 'givenAt'> {
  /** Null: now. */
  readonly givenAt: Date | null;
  /** Absent: all that reach the contact. */
  readonly channels?: readonly ConsentChannel[] | undefined;
  readonly classes: readonly ConsentClass[];
}

/** A message that is to be sent. */
export interface PlannedMessage extends ProjectKind {
  readonly channel: ConsentChannel;
  /** E.164, or an e-mail address in lower case. */
  readonly address: string;
  readonly class: MessageClass;
}

/** One of the rules for messages. */
export interface MessageCheck {
  readonly rule: 'consent' | 'message_hours';
  readonly isPassed: boolean;
  /** What decides: the source of a wish, or of the hours; null: no consent, or no hours. */
  readonly source: string | null;
  /** When the rule will allow the message; null: it does, or nobody knows. */
  readonly until: Date | null;
}

export interface MessageVerdict {
  readonly isAllowed: boolean;
  readonly checks: readonly MessageCheck[];
}

/** What came in from a person. */
export interface ReceivedMessage extends ContactOwner {
  readonly channel: ConsentChannel;
  readonly address: string;
  readonly text: string;
  /** Names the message, as proof. */
  readonly proof: string;
}

const FUTURE = { en: 'must not be in the future', ar: 'يجب ألا يكون في المستقبل' };
const UNREACHED = { en: 'does not reach this contact', ar: 'لا تصل هذه القناة إلى جهة الاتصال' };
/** How far the clock of a client may be ahead. */
const SLACK_MS = 60_000;

/** What people want to get, and whether a message to them may be sent. */
export class ConsentService {
  constructor(private readonly options: ConsentServiceOptions) {}

  /** Every class on every channel that reaches the contact. @throws HatifError NOT_FOUND */
  async list(scope: ContactScope, id: string): Promise<ConsentView[]> {
    const contact = await this.#contact(scope, id);
    return this.#views(contact);
  }

  /** What was recorded for the number and the address of a contact, newest first. @throws HatifError NOT_FOUND */
  async history(scope: ContactScope, id: string, beforeId: string | null, limit: number): Promise<ConsentChangeRow[]> {
    const contact = await this.#contact(scope, id);
    return this.options.consents.history(kindOf(contact), addressesOf(contact), beforeId, limit);
  }

  /**
   * Records what the organization learned of a contact's wishes, for all channels and classes or none.
   * @throws HatifError NOT_FOUND, VALIDATION_ERROR, CONSENT_LOCKED_BY_END_USER
   */
  async record(
    kind: ProjectKind,
    id: string,
    { givenAt, channels, classes, ...wish }: NewWish,
  ): Promise<ConsentView[]> {
    const { db, consents, wake, clock } = this.options;
    const contact = await this.#contact({ projectId: kind.projectId, sandboxOnly: kind.sandbox }, id);
    if (contact.sandbox !== kind.sandbox) throw unknownContact(id);
    const reached = channelsOf(contact);
    const wrong = channels?.findIndex((channel) => !reached.includes(channel)) ?? -1;
    if (wrong >= 0) throw invalidField(`channels[${wrong}]`, UNREACHED);
    const now = clock.now();
    if (givenAt !== null && givenAt.getTime() > now.getTime() + SLACK_MS) throw invalidField('given_at', FUTURE);
    const changes = changesOf(contact, { ...wish, givenAt: givenAt ?? now }, channels ?? reached, classes, now);
    const lanes = await db.transaction((tx) => recordConsents(tx, consents, changes, contact.id));
    if (lanes.length > 0) wake(lanes);
    return this.#views(contact);
  }

  /**
   * Opts a person out of everything but service messages on a channel, or in again, if the whole of a message is such a
   * keyword. Nobody else undoes the opt-out.
   * @returns the keyword, and whether the person has just opted out; null: the message is none
   */
  async recordKeyword(
    message: ReceivedMessage,
  ): Promise<{ readonly keyword: ConsentKeyword; readonly isNewOptOut: boolean } | null> {
    const keyword = consentKeyword(message.text);
    if (keyword === null) return null;
    const status = keyword === 'stop' ? 'opted_out' : 'opted_in';
    return { keyword, isNewOptOut: await this.recordEndUserWish(message, status, 'keyword') };
  }

  /**
   * Records what a person said to the platform: by a keyword, by the link of a message, or by a complaint.
   * @returns whether the person opted out, and had not done so before; of the same wish twice at one moment, one is new
   */
  async recordEndUserWish(
    { organizationId, projectId, sandbox, channel, address, proof }: Omit<ReceivedMessage, 'text'>,
    status: ConsentStatus,
    source: EndUserSource,
  ): Promise<boolean> {
    const { db, contacts, consents, wake, clock } = this.options;
    const now = clock.now();
    const kind = { projectId, sandbox };
    const contact = await contacts.having(kind, channel === 'email' ? 'email' : 'phone', address);
    const person = {
      ...{ organization_id: organizationId, project_id: projectId, sandbox },
      ...(channel === 'email' ? { phone: null, email: address } : { phone: address, email: null }),
    };
    const wish = { status, source, proof, recordedBy: null, givenAt: now };
    const changes = changesOf(person, wish, [channel], CONSENT_CLASSES, now);
    const [lanes, wasOut] = await db.transaction(async (tx) => {
      await consents.lockAddress(tx, kind, address);
      const known = await consents.of(kind, [address], tx);
      const isOut = known.some((row) => row.channel === channel && row.is_locked);
      return [await recordConsents(tx, consents, changes, contact?.id ?? null), isOut] as const;
    });
    if (lanes.length > 0) wake(lanes);
    return status === 'opted_out' && !wasOut;
  }

  /** Whether the message may be sent now: the person did not opt out, and it is no quiet hour where the person is. */
  async mayMessage(message: PlannedMessage): Promise<MessageVerdict> {
    const [verdict] = await this.mayMessageAll([message]);
    if (!verdict) throw new Error('each message has a verdict');
    return verdict;
  }

  /** The same for messages of one project and channel, in their order. Null for null. */
  async mayMessageAll(messages: readonly (PlannedMessage | null)[]): Promise<readonly (MessageVerdict | null)[]> {
    const { contacts, consents } = this.options;
    const first = messages.find((message) => message !== null);
    if (!first) return messages.map(() => null);
    const addresses = messages.flatMap((message) => message?.address ?? []);
    const [known, zones] = await Promise.all([
      consents.of(first, addresses),
      contacts.zones(first, first.channel === 'email' ? 'email' : 'phone', addresses),
    ]);
    const byAddress = new Map<string, ConsentRow[]>();
    for (const row of known) byAddress.set(row.address, [...(byAddress.get(row.address) ?? []), row]);
    const hours = this.#hours();
    return messages.map((message) => {
      if (message === null) return null;
      const { address } = message;
      return verdictOf(message, byAddress.get(address) ?? [], hours(message.class, zones.get(address) ?? null));
    });
  }

  /** Whether it is a quiet hour now, by class and time zone. Looks at the clock of each zone once. */
  #hours(): (messageClass: MessageClass, timeZone: string | null) => HoursAnswer {
    const { hours, clock } = this.options;
    const now = clock.now();
    const known = new Map<string, HoursAnswer>();
    return (messageClass, timeZone) => {
      const key = `${messageClass} ${timeZone ?? ''}`;
      const answer = known.get(key) ?? hoursAt(hours, messageClass, now, timeZone ?? RIYADH);
      known.set(key, answer);
      return answer;
    };
  }

  async #contact(scope: ContactScope, id: string): Promise<ContactRow> {
    const contact = await this.options.contacts.get(scope, id);
    if (!contact) throw unknownContact(id);
    return contact;
  }

  async #views(contact: ContactRow): Promise<ConsentView[]> {
    const known = await this.options.consents.of(kindOf(contact), addressesOf(contact));
    const hours = this.#hours();
    return channelsOf(contact).flatMap((channel) => {
      const address = addressOn(channel, contact) ?? '';
      return CONSENT_CLASSES.map((messageClass) => {
        const message = { ...kindOf(contact), channel, address, class: messageClass };
        const verdict = verdictOf(message, known, hours(messageClass, contact.time_zone));
        return { channel, address, class: messageClass, consent: consentFor(message, known), verdict };
      });
    });
  }
}

function verdictOf(message: PlannedMessage, known: readonly ConsentRow[], hours: HoursAnswer): MessageVerdict {
  const consent = consentFor(message, known);
  const checks: readonly MessageCheck[] = [
    {
      rule: 'consent',
      isPassed: consent?.status !== 'opted_out',
      source: consent?.source ?? null,
      until: null,
    },
    hours.isOpen
      ? { rule: 'message_hours', isPassed: true, source: null, until: null }
      : { rule: 'message_hours', isPassed: false, source: hours.source, until: hours.until },
  ];
  return { isAllowed: checks.every(({ isPassed }) => isPassed), checks };
}

function consentFor(message: PlannedMessage, known: readonly ConsentRow[]): ConsentRow | null {
  const { channel, address, class: messageClass } = message;
  const found = known.find((row) => row.address === address && row.channel === channel && row.class === messageClass);
  return found ?? null;
}

function kindOf({ project_id, sandbox }: ContactRow): ProjectKind {
  return { projectId: project_id, sandbox };
}

function addressesOf({ phone, email }: ContactRow): string[] {
  return [phone, email].filter((address) => address !== null);
}
