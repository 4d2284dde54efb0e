import type { Submissions } from '../../../data/repositories/messaging/submissions.js';
import type { Logger } from '../../../ports/logger.js';
import type { Complaint } from '../../../ports/messaging/message-channel.js';
import type { ConsentService } from '../../contacts/consents.js';
import { isConsentChannel } from '../consent-checks.js';

export interface TakeComplaintsOptions {
  readonly submissions: Pick<Submissions, 'ofProvider'>;
  readonly consents: Pick<ConsentService, 'recordEndUserWish'>;
  readonly log: Logger;
}

/** Opts out people who reported a message as unwanted. */
export class TakeComplaints {
  constructor(private readonly options: TakeComplaintsOptions) {}

  /** A repeated complaint changes nothing; one about an unknown message is dropped. @throws DatabaseUnavailable */
  async take({ provider, providerId }: Complaint): Promise<void> {
    const { submissions, consents, log } = this.options;
    const message = await submissions.ofProvider(provider, providerId);
    if (!message || !isConsentChannel(message.channel)) {
      log.warn({ provider }, 'a complaint is about a message that nobody sent');
      return;
    }
    const { id, organization_id, project_id, sandbox, channel, recipient } = message;
    const address = channel === 'email' ? recipient.toLowerCase() : recipient;
    const person = { organizationId: organization_id, projectId: project_id, sandbox, channel, address };
    await consents.recordEndUserWish({ ...person, proof: `message ${id}` }, 'opted_out', 'complaint');
  }
}
