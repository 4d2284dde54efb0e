import { z } from 'zod';
import type { Account } from '../../../core/services/provisioning/account.js';
import { phoneServerFields, presentPhoneServer } from '../../http/schema/phone-server.js';

/** The softphone that a new organization starts with. */
export const softphoneObject = z
  .strictObject({
    agent: z.string().describe('Its extension'),
    sip_username: z.string().describe('Username with which it registers'),
    sip_password: z.string().describe('Shown only once'),
    ...phoneServerFields,
  })
  .meta({ id: 'NewSoftphone' });

export function presentSoftphone({
  agent,
  sipPassword,
  sipServer,
}: Pick<Account, 'agent' | 'sipPassword' | 'sipServer'>): z.output<typeof softphoneObject> {
  return {
    ...{ agent: agent.agent, sip_username: agent.aor, sip_password: sipPassword },
    ...presentPhoneServer(sipServer),
  };
}
