import { z } from 'zod';
import type { PhoneServer } from '../../../core/model/sip-security.js';

/** Where a softphone registers, beside its name and password. */
export const phoneServerFields = {
  sip_server: z.string().describe('Where it registers: `host:port`'),
  sip_transport: z.enum(['udp', 'tls']).describe('`udp`: TCP works as well. `tls`: nothing else is taken'),
};

export function presentPhoneServer({ host, port, transport }: PhoneServer): {
  readonly sip_server: string;
  readonly sip_transport: PhoneServer['transport'];
} {
  return { sip_server: `${host.includes(':') ? `[${host}]` : host}:${port}`, sip_transport: transport };
}
