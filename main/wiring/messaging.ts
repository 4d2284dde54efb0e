import type { Settings } from '../../config/settings.js';
import type { Clock } from '../../core/ports/clock.js';
import { ApproveTemplates } from '../../core/services/messaging/approve-templates.js';
import { ChannelAccess } from '../../core/services/messaging/channel-access.js';
import { TemplateService } from '../../core/services/messaging/templates.js';
import type { PeriodicTask } from '../../core/services/runtime/periodic-task.js';
import { environmentFlags } from './flags.js';
import type { Stores } from './stores.js';

/** Messages, their templates and channels. */
export interface Messaging {
  readonly templates: TemplateService;
  /** Background work. */
  readonly tasks: readonly PeriodicTask[];
}

export interface MessagingOptions {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly wake: (lanes: readonly string[]) => void;
}

export function openMessaging({ settings, stores, clock, wake }: MessagingOptions): Messaging {
  const templates = stores.messageTemplates;
  const access = new ChannelAccess({
    flags: environmentFlags(settings),
    // This release has no provider of a channel.
    isConfigured: () => Promise.resolve(false),
  });
  return {
    templates: new TemplateService({ templates, access, clock, wake }),
    tasks: [new ApproveTemplates({ templates, clock, onLanes: wake })],
  };
}
