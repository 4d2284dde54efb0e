import type { Database } from '../../../core/data/database.js';
import type { Organizations } from '../../../core/data/repositories/accounts/organizations.js';
import { ContactGroups } from '../../../core/data/repositories/contacts/contact-groups.js';
import { BroadcastMessages } from '../../../core/data/repositories/messaging/broadcast-messages.js';
import { BroadcastRecipients } from '../../../core/data/repositories/messaging/broadcast-recipients.js';
import type { MessageLinks } from '../../../core/data/repositories/messaging/links.js';
import { Broadcasts } from '../../../core/data/repositories/messaging/broadcasts.js';
import type { Channel } from '../../../core/model/messaging/channels.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { Logger } from '../../../core/ports/logger.js';
import type { MessageChannel } from '../../../core/ports/messaging/message-channel.js';
import type { Credit } from '../../../core/services/billing/credit.js';
import { AcceptRecipients } from '../../../core/services/broadcasts/accept.js';
import { ControlBroadcast } from '../../../core/services/broadcasts/control.js';
import { CreateBroadcast } from '../../../core/services/broadcasts/create.js';
import { PrepareRecipients } from '../../../core/services/broadcasts/prepare.js';
import { ReadBroadcasts } from '../../../core/services/broadcasts/read.js';
import { BroadcastRunner, type BroadcastRunnerOptions } from '../../../core/services/broadcasts/runner.js';
import { BroadcastSteps } from '../../../core/services/broadcasts/steps.js';
import { UploadRecipients } from '../../../core/services/broadcasts/upload.js';
import type { ChannelAccess } from '../../../core/services/messaging/channel-access.js';
import type { ChooseSender } from '../../../core/services/messaging/choose-sender.js';
import type { MessageTexts } from '../../../core/services/messaging/content.js';
import type { MessageGate } from '../../../core/services/messaging/gate.js';
import type { MessageVelocity } from '../../../core/services/messaging/velocity.js';
import type { ShortLinks } from '../../../core/services/messaging/links/short-links.js';
import type { MessagePrices } from '../../../core/services/messaging/prices.js';

/** Messages to many people. */
export interface Broadcasting {
  readonly create: CreateBroadcast;
  readonly upload: UploadRecipients;
  readonly control: ControlBroadcast;
  readonly read: ReadBroadcasts;
  /** Moves broadcasts on in this process, once it is started. */
  readonly runner: BroadcastRunner;
}

/** What broadcasts share with single messages. */
export interface BroadcastingOptions {
  readonly stores: { readonly db: Database; readonly organizations: Pick<Organizations, 'get'> };
  readonly channels: (channel: Channel, sandbox: boolean) => MessageChannel | null;
  readonly texts: MessageTexts;
  readonly access: ChannelAccess;
  readonly senders: ChooseSender;
  readonly gate: MessageGate;
  readonly prices: MessagePrices;
  readonly shortLinks: ShortLinks;
  readonly links: MessageLinks;
  readonly credit: Pick<Credit, 'admitAmount'>;
  readonly velocity: MessageVelocity;
  readonly clock: Clock;
  readonly log: Logger;
  readonly wake: (lanes: readonly string[]) => void;
  readonly onMessages: BroadcastRunnerOptions['onMessages'];
}

export function openBroadcasting(options: BroadcastingOptions): Broadcasting {
  const { stores, channels, velocity, clock } = options;
  const { db, organizations } = stores;
  const shared = {
    broadcasts: new Broadcasts(db),
    recipients: new BroadcastRecipients(db),
    messages: new BroadcastMessages(db),
    groups: new ContactGroups(db),
  };
  const steps = new BroadcastSteps({
    ...shared,
    prepare: new PrepareRecipients(shared.recipients),
    accept: new AcceptRecipients({ ...options, ...shared }),
    organization: (id) => organizations.get(id),
    isConfigured: async (channel, projectId) => (await channels(channel, false)?.isConfigured(projectId)) ?? false,
    ...{ velocity, clock },
  });
  const runner = new BroadcastRunner({ ...options, ...shared, steps });
  return {
    create: new CreateBroadcast({ ...options, ...shared }),
    upload: new UploadRecipients({ ...shared, clock }),
    control: new ControlBroadcast({ ...options, ...shared, onDue: () => runner.signal() }),
    read: new ReadBroadcasts(shared),
    runner,
  };
}
