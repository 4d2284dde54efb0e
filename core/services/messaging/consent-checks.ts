import { CONSENT_CHANNELS, type ConsentChannel } from '../../model/contacts/consent.js';
import { HatifError } from '../../model/errors/index.js';
import type { Channel } from '../../model/messaging/channels.js';
import type { ConsentService, MessageCheck, MessageVerdict, PlannedMessage } from '../contacts/consents.js';
import { SANDBOX_OPTED_OUT } from './checks.js';
import type { AdmissionCheck, MessageSubject } from './gate.js';

type Consents = Pick<ConsentService, 'mayMessageAll'>;

/** The checks by the wishes and the clock of people, which both come from one look-up for a message. */
export function consentChecks(consents: Consents): readonly [AdmissionCheck, AdmissionCheck] {
  const verdicts = new Verdicts(consents);
  return [consentCheck(verdicts), messageHoursCheck(verdicts)];
}

/**
 * Refuses with RECIPIENT_OPTED_OUT what a person does not want; messages of the class `service` always pass. One number
 * of the sandbox has opted out of everything else.
 */
function consentCheck(verdicts: Verdicts): AdmissionCheck {
  return judging({ rule: 'consent', source: 'recipient' }, verdicts, ({ sandbox, to, class: of }, found) => {
    const isTrial = sandbox && to === SANDBOX_OPTED_OUT && of !== 'service';
    return isTrial || found?.isPassed === false ? new HatifError('RECIPIENT_OPTED_OUT') : null;
  });
}

/**
 * Refuses with QUIET_HOURS_ACTIVE what may not be sent at this time of the day. A scheduled message passes, and so does
 * the sandbox, which sends nothing.
 */
function messageHoursCheck(verdicts: Verdicts): AdmissionCheck {
  return judging({ rule: 'message_hours', source: 'regulation' }, verdicts, ({ isScheduled, sandbox }, found) => {
    if (isScheduled || sandbox || found?.isPassed !== false) return null;
    return new HatifError('QUIET_HOURS_ACTIVE', { until: found.until?.toISOString() ?? '' });
  });
}

/** What was found about the messages of a batch, and the place of one of them in it. */
interface Found {
  readonly all: Promise<readonly (MessageVerdict | null)[]>;
  readonly place: number;
}

/** What was found about messages, as long as somebody has them. */
class Verdicts {
  readonly #found = new WeakMap<MessageSubject, Found>();

  constructor(private readonly consents: Consents) {}

  /** In the order of the messages, which are of one project and channel. */
  async of(messages: readonly MessageSubject[]): Promise<readonly (MessageVerdict | null)[]> {
    const missing = messages.filter((message) => !this.#found.has(message));
    if (missing.length > 0) {
      const all = this.consents.mayMessageAll(missing.map(plannedOf));
      for (const [place, message] of missing.entries()) this.#found.set(message, { all, place });
    }
    const verdicts: (MessageVerdict | null)[] = [];
    for (const message of messages) {
      const found = this.#found.get(message);
      verdicts.push(found ? ((await found.all)[found.place] ?? null) : null);
    }
    return verdicts;
  }
}

/** A check by the wishes and the clock of people. */
function judging(
  of: Pick<AdmissionCheck, 'source'> & { readonly rule: MessageCheck['rule'] },
  verdicts: Verdicts,
  refusalFor: (message: MessageSubject, found: MessageCheck | null) => HatifError | null,
): AdmissionCheck {
  const checkAll = async (messages: readonly MessageSubject[]): Promise<readonly (HatifError | null)[]> => {
    const found = await verdicts.of(messages);
    return messages.map((message, index) =>
      refusalFor(message, found[index]?.checks.find(({ rule }) => rule === of.rule) ?? null),
    );
  };
  return {
    ...of,
    check: async (message) => {
      const [refusal] = await checkAll([message]);
      if (refusal) throw refusal;
    },
    checkAll,
  };
}

/** Null if the channel reaches nobody by a number or an address. */
function plannedOf({ projectId, sandbox, channel, to, class: of }: MessageSubject): PlannedMessage | null {
  if (!isConsentChannel(channel)) return null;
  return { projectId, sandbox, channel, address: channel === 'email' ? to.toLowerCase() : to, class: of };
}

export function isConsentChannel(channel: Channel): channel is ConsentChannel {
  return CONSENT_CHANNELS.some((known) => known === channel);
}
