import { z } from 'zod';
import type { Account } from '../../../core/services/provisioning/account.js';

/** The softphone that a new organization starts with. */
export const softphoneObject = z
  .strictObject({
    agent: z.string().describe('Its extension'),
    sip_username: z.string().describe('Username with which it registers'),
    sip_password: z.string().describe('Shown only once'),
    sip_server: z.string().describe('Where it registers, over UDP or TCP: `host:port`'),
  })
  .meta({ id: 'NewSoftphone' });

export function presentSoftphone({
  agent,
  sipPassword,
  sipServer,
}: Pick<Account, 'agent' | 'sipPassword' | 'sipServer'>): z.output<typeof softphoneObject> {
  const { host, port } = sipServer;
  const sip_server = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { agent: agent.agent, sip_username: agent.aor, sip_password: sipPassword, sip_server };
}
