import { CdrExport } from '../../../core/services/cdr/export.js';
import { OperatorCdr } from '../../../core/services/cdr/operator-export.js';
import { agentChangeReporter } from '../../../core/services/queues/facts.js';
import { CreateProjects } from '../../../core/services/projects/create.js';
import type { Route } from '../../../api/http/route.js';
import { administeredForwardingRoutes } from '../../../api/routes/administration/projects/agent-forwarding.js';
import { administeredAgentRoutes } from '../../../api/routes/administration/projects/agents.js';
import { administeredBillingRoutes } from '../../../api/routes/administration/projects/billing.js';
import { administeredCallRoutes } from '../../../api/routes/administration/projects/calls.js';
import { administeredCdrRoutes } from '../../../api/routes/administration/projects/cdr.js';
import { administeredFraudRoutes } from '../../../api/routes/administration/projects/fraud.js';
import { administeredKeyRoutes } from '../../../api/routes/administration/projects/keys.js';
import { administeredProjectNumberRoutes } from '../../../api/routes/administration/projects/numbers.js';
import type { FindProject } from '../../../api/routes/administration/projects/project.js';
import { administeredProjectRoutes } from '../../../api/routes/administration/projects/projects.js';
import { administeredQueueRoutes } from '../../../api/routes/administration/projects/queues.js';
import { administeredRecordingRoutes } from '../../../api/routes/administration/projects/recordings.js';
import { administeredWebhookRoutes } from '../../../api/routes/administration/projects/webhooks.js';
import { administeredWidgetRoutes } from '../../../api/routes/administration/projects/widgets.js';
import { newOrganizationFlags } from '../../wiring/flags.js';
import type { Operating } from '../../wiring/operator/operating.js';
import type { RouteOptions } from './options.js';

type Options = Pick<RouteOptions, 'settings' | 'stores' | 'cipher' | 'billing' | 'management' | 'clock'> & {
  readonly queues: Pick<RouteOptions['queues'], 'coordinator'>;
};

/** Routes of administrators on things of one project. */
export function openAdministeredProjectRoutes(
  { settings, stores, cipher, billing, management, queues: { coordinator }, clock }: Options,
  operating: Operating,
  find: FindProject,
  clearCaches: () => void,
): Route[] {
  const { db, projects, registrations, callflows } = stores;
  const { agents, forwarding, fraud, keys, limits, numbers, recordings, voicemailPins, widgets } = management;
  const { calls, queues, removal, webhooks } = operating;
  return [
    ...administeredProjectRoutes({
      ...{ projects, find, limits, recordings },
      createProjects: new CreateProjects({ ...stores, flags: newOrganizationFlags(settings), cipher, clock }),
    }),
    ...administeredKeyRoutes({ find, keys, clearCaches }),
    ...administeredAgentRoutes({ find, agents, registrations, removal }),
    ...administeredForwardingRoutes({ find, forwarding, reportChange: agentChangeReporter(coordinator) }),
    ...administeredQueueRoutes({ find, queues, callflows }),
    ...administeredWidgetRoutes({ find, widgets }),
    ...administeredProjectNumberRoutes({ find, numbers, removal, voicemailPins }),
    ...administeredCallRoutes({ find, calls }),
    ...administeredRecordingRoutes({ find, recordings }),
    ...administeredWebhookRoutes({ find, webhooks }),
    ...administeredFraudRoutes({ find, fraud }),
    ...administeredBillingRoutes({ find, account: billing.account, balances: billing.balances }),
    ...administeredCdrRoutes({ find, cdr: new OperatorCdr({ db, exports: new CdrExport(stores.cdr), clock }) }),
  ];
}
