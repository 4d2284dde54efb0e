import type { RatePlans } from '../../data/repositories/billing/rate-plans.js';
import type { OrganizationRow } from '../../data/rows.js';
import type { Channel } from '../../model/messaging/channels.js';
import type { MicroSar } from '../../model/money.js';

export interface PricedMessage {
  readonly organizationId: string;
  readonly organization: Pick<OrganizationRow, 'account_kind'>;
  readonly sandbox: boolean;
  readonly channel: Channel;
  readonly recipient: string;
  readonly segments: number;
  /** The plan in force then applies. */
  readonly at: Date;
}

/** What messages cost, by the rate plan of the organization. */
export class MessagePrices {
  constructor(private readonly plans: Pick<RatePlans, 'messagePrice'>) {}

  /** 0 in the sandbox, for sandbox accounts, and if the plan has no price. */
  async amount({
    organizationId,
    organization,
    sandbox,
    channel,
    recipient,
    segments,
    at,
  }: PricedMessage): Promise<MicroSar> {
    if (sandbox || organization.account_kind === 'sandbox') return 0;
    return ((await this.plans.messagePrice(organizationId, at, { channel, recipient })) ?? 0) * segments;
  }
}
