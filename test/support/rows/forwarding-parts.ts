import type { Database } from '../../../core/data/database.js';
import { Agents } from '../../../core/data/repositories/accounts/agents.js';
import { Calls } from '../../../core/data/repositories/calls/calls.js';
import { VoicemailBoxes } from '../../../core/data/repositories/voicemail/voicemail-boxes.js';
import { EMERGENCY_NUMBERS } from '../../../core/model/phone-numbers.js';
import type { Clock } from '../../../core/ports/clock.js';
import { ManageForwarding } from '../../../core/services/agents/forwarding.js';
import { ForwardingByPhone } from '../../../core/services/agents/forwarding-by-phone.js';
import { AgentForwarding } from '../../../core/services/live-calls/routing/forwarding.js';
import { OnwardRouter } from '../../../core/services/live-calls/routing/onward.js';
import type { QueueCoordinator } from '../../../core/services/queues/coordinator.js';
import { agentChangeReporter } from '../../../core/services/queues/facts.js';
import { DirectoryRouting } from '../../../core/services/routing/destinations.js';
import type { CachedDirectory } from '../../../core/services/routing/directory.js';
import type { VoicemailBoxLookup } from '../../../core/services/voicemail/box-lookup.js';

export interface ForwardingParts {
  /** Sets where agents forward their calls to. */
  readonly manage: ManageForwarding;
  readonly byPhone: ForwardingByPhone;
  /** Decides where calls go. */
  readonly routing: AgentForwarding;
}

export interface ForwardingPartsOptions {
  readonly directory: CachedDirectory;
  readonly coordinator: QueueCoordinator;
  readonly boxes: Pick<VoicemailBoxLookup, 'open'>;
  readonly clock: Clock;
}

/** Call forwarding on a database. */
export function forwardingParts(
  db: Database,
  { directory, coordinator, boxes, clock }: ForwardingPartsOptions,
): ForwardingParts {
  const emergency = new Set(EMERGENCY_NUMBERS);
  const manage = new ManageForwarding({
    ...{ db, directory, emergency, clock },
    agents: new Agents(db),
    boxes: new VoicemailBoxes(db),
    announce: () => {
      directory.invalidate();
      return Promise.resolve();
    },
    wake: () => undefined,
  });
  return {
    manage,
    byPhone: new ForwardingByPhone({ manage, emergency, reportChange: agentChangeReporter(coordinator) }),
    routing: new AgentForwarding({
      ...{ directory, emergency, clock },
      calls: new Calls(db),
      routing: new DirectoryRouting(directory),
      onward: new OnwardRouter({ directory, boxes }),
    }),
  };
}
