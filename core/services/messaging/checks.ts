import { HatifError } from '../../model/errors/index.js';
import { destinationClassOf } from '../../model/number/destination-class.js';
import { isAdvertising } from '../../model/messaging/message.js';
import { arabic } from '../../model/wording/wording.js';
import type { DiallingRights } from '../dialling/policy-stage.js';
import type { AdmissionCheck, MessageSubject } from './gate.js';
import type { UnsubscribeLinks } from './unsubscribe-links.js';

/** The numbers that messages of the sandbox can reach. */
const SANDBOX_DELIVERED = '+966500000001';
export const SANDBOX_FAILED = '+966500000002';
export const SANDBOX_OPTED_OUT = '+966500000003';
const SANDBOX_NUMBERS: ReadonlySet<string> = new Set([SANDBOX_DELIVERED, SANDBOX_FAILED, SANDBOX_OPTED_OUT]);

/** The sandbox writes to its own numbers only. */
export const sandboxDestinationCheck: AdmissionCheck = {
  rule: 'sandbox_destination',
  source: 'platform',
  // The visitors of its widgets are its own.
  concerns: ({ sandbox, channel }) => sandbox && channel !== 'webchat',
  check: ({ to }) =>
    SANDBOX_NUMBERS.has(to) ? Promise.resolve() : Promise.reject(new HatifError('SANDBOX_DESTINATION_NOT_ALLOWED')),
};

type Rights = Pick<DiallingRights, 'project' | 'highRiskPrefixes'>;

/** The destination classes that a project may call are those that it may write to: messages to others cost as much. */
export function destinationClassCheck(rights: Rights): AdmissionCheck {
  const refusals = async (messages: readonly MessageSubject[]): Promise<readonly (HatifError | null)[]> => {
    const [first] = messages;
    if (first?.sandbox !== false || !first.to.startsWith('+')) return messages.map(() => null);
    const [highRisk, project] = await Promise.all([rights.highRiskPrefixes(), rights.project(first.projectId)]);
    return messages.map(({ to }) => {
      const needed = destinationClassOf(to, highRisk);
      return project?.destination_classes.includes(needed) === true ? null : classRefused(needed);
    });
  };
  return {
    rule: 'destination_class',
    source: 'project',
    check: async (message) => {
      const [refusal] = await refusals([message]);
      if (refusal) throw refusal;
    },
    checkAll: refusals,
  };
}

export function classRefused(needed: string): HatifError {
  return new HatifError('INSUFFICIENT_PERMISSIONS', {
    permission: {
      en: `messages to the destination class ${needed}`,
      ar: arabic`إرسال الرسائل إلى فئة الوجهات ${needed}`,
    },
  });
}

/** A mail that advertises must let its reader unsubscribe by one click (RFC 8058), which needs an address with HTTPS. */
export function unsubscribingCheck({ isOffered }: Pick<UnsubscribeLinks, 'isOffered'>): AdmissionCheck {
  return {
    rule: 'unsubscribing',
    source: 'regulation',
    concerns: ({ channel, class: of }) => !isOffered && channel === 'email' && isAdvertising(of),
    check: ({ channel }) =>
      Promise.reject(new HatifError('CHANNEL_VERB_UNSUPPORTED', { channel, action: ADVERTISING })),
  };
}

const ADVERTISING = {
  en: 'messages that advertise or inform, as long as no HTTPS address is set to which their readers unsubscribe',
  ar: 'الرسائل الترويجية والتوعوية ما لم يُضبط عنوان HTTPS يلغي عنده قارئها اشتراكه',
};
