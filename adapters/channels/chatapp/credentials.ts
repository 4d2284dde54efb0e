import { z } from 'zod';
import type { ChatappCredentials, ProvedNumber } from '../../../core/ports/messaging/chatapp-accounts.js';
import { ProviderUnavailable } from '../../../core/ports/messaging/provider-errors.js';
import { bodyOf, type GraphClient } from './graph.js';

const number = z.object({ display_phone_number: z.string() });

/** Checks credentials of WhatsApp, and subscribes their application to the notices of the account. */
export class WhatsappCredentials implements ChatappCredentials {
  constructor(private readonly graph: Pick<GraphClient, 'ask'>) {}

  async prove({
    phoneNumberId,
    businessAccountId,
    accessToken: token,
  }: Parameters<ChatappCredentials['prove']>[0]): Promise<ProvedNumber> {
    const path = `/${encodeURIComponent(phoneNumberId)}?fields=display_phone_number`;
    const { data } = number.safeParse(bodyOf(await this.graph.ask({ method: 'GET', path, token })));
    if (!data) throw new ProviderUnavailable('the provider sent something unreadable');
    const subscription = `/${encodeURIComponent(businessAccountId)}/subscribed_apps`;
    bodyOf(await this.graph.ask({ method: 'POST', path: subscription, token }));
    return { phoneNumber: `+${data.display_phone_number.replace(/\D/g, '')}` };
  }
}
