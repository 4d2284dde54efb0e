import { CONSENT_CHANNELS, type ConsentChannel } from '../../model/contacts/consent.js';
import { HatifError } from '../../model/errors/index.js';
import type { Channel } from '../../model/messaging/channels.js';
import type { ConsentService, MessageCheck } from '../contacts/consents.js';
import { SANDBOX_OPTED_OUT } from './checks.js';
import type { AdmissionCheck, MessageSubject } from './gate.js';

type Consents = Pick<ConsentService, 'mayMessage'>;

/**
 * Refuses with RECIPIENT_OPTED_OUT what a person does not want; messages of the class `service` always pass. One number
 * of the sandbox has opted out of everything else.
 */
export function consentCheck(consents: Consents): AdmissionCheck {
  return {
    rule: 'consent',
    source: 'recipient',
    check: async (message) => {
      const isTrial = message.sandbox && message.to === SANDBOX_OPTED_OUT && message.class !== 'service';
      const { isPassed = true } = (await judged(consents, message, 'consent')) ?? {};
      if (isTrial || !isPassed) throw new HatifError('RECIPIENT_OPTED_OUT');
    },
  };
}

/**
 * Refuses with QUIET_HOURS_ACTIVE what may not be sent at this time of the day. A scheduled message passes, and so does
 * the sandbox, which sends nothing.
 */
export function messageHoursCheck(consents: Consents): AdmissionCheck {
  return {
    rule: 'message_hours',
    source: 'regulation',
    check: async (message) => {
      if (message.isScheduled || message.sandbox) return;
      const { isPassed = true, until = null } = (await judged(consents, message, 'message_hours')) ?? {};
      if (!isPassed) throw new HatifError('QUIET_HOURS_ACTIVE', { until: until?.toISOString() ?? '' });
    },
  };
}

/** Null if the channel reaches nobody by a number or an address. */
async function judged(
  consents: Consents,
  { projectId, sandbox, channel, to, class: of }: MessageSubject,
  rule: MessageCheck['rule'],
): Promise<MessageCheck | null> {
  if (!isConsentChannel(channel)) return null;
  const address = channel === 'email' ? to.toLowerCase() : to;
  const { checks } = await consents.mayMessage({ projectId, sandbox, channel, address, class: of });
  return checks.find((check) => check.rule === rule) ?? null;
}

export function isConsentChannel(channel: Channel): channel is ConsentChannel {
  return CONSENT_CHANNELS.some((known) => known === channel);
}
