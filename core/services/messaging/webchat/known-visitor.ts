import type { Messages } from '../../../data/repositories/messaging/messages.js';
import { invalidField, type Phrase } from '../../../model/errors/index.js';
import type { AdmissionCheck } from '../gate.js';

/** Nobody can write to a visitor of a web page first. */
export function knownVisitorCheck(messages: Pick<Messages, 'threadWith'>): AdmissionCheck {
  return {
    rule: 'visitor',
    source: 'platform',
    concerns: ({ channel }) => channel === 'webchat',
    check: async ({ channel, sandbox, projectId, to }) => {
      if ((await messages.threadWith({ projectId, sandbox }, channel, to)) === null)
        throw invalidField('to', UNKNOWN_VISITOR);
    },
  };
}

export const UNKNOWN_VISITOR: Phrase = {
  en: 'is not a visitor who has begun a conversation',
  ar: 'ليس زائرًا بدأ محادثة',
};
