import { Uses } from '../../../core/data/repositories/maintenance/uses.js';
import { ResetTokens } from '../../../core/data/repositories/accounts/reset-tokens.js';
import { AdministerOrganizations } from '../../../core/services/administration/organizations.js';
import { AdministerUsers } from '../../../core/services/administration/users.js';
import { ReadAudit } from '../../../core/services/audit/read.js';
import { removeTrunk } from '../../../core/services/removal/removal.js';
import { DeliveryLog } from '../../../core/services/webhooks/delivery-log.js';
import type { Route } from '../../../api/http/route.js';
import { auditRoutes } from '../../../api/routes/administration/audit.js';
import { administeredBrandRoutes } from '../../../api/routes/administration/brands.js';
import { deadLetterRoutes } from '../../../api/routes/administration/dead-letters.js';
import { administeredEngineRoutes } from '../../../api/routes/administration/engines.js';
import { administratorRoutes } from '../../../api/routes/administration/installation/administrators.js';
import { administeredCallerRoutes } from '../../../api/routes/administration/installation/caller-lists.js';
import { fraudDefaultRoutes } from '../../../api/routes/administration/installation/fraud-defaults.js';
import { administeredInvoiceRoutes } from '../../../api/routes/administration/installation/invoices.js';
import { administeredMoneyRoutes } from '../../../api/routes/administration/installation/money.js';
import { inventoryRoutes } from '../../../api/routes/administration/installation/numbers.js';
import { sipGuardRoutes } from '../../../api/routes/administration/installation/sip-guards.js';
import { sipTargetRoutes } from '../../../api/routes/administration/installation/sip-targets.js';
import { administeredStatusRoutes } from '../../../api/routes/administration/installation/status.js';
import { FindProject } from '../../../api/routes/administration/projects/project.js';
import { administeredFlagRoutes } from '../../../api/routes/administration/flags.js';
import { organizationEndRoutes } from '../../../api/routes/administration/organization-ends.js';
import { administeredSenderRoutes } from '../../../api/routes/administration/message-senders.js';
import { administeredOrganizationRoutes } from '../../../api/routes/administration/organizations.js';
import { administeredOwnNumberRoutes } from '../../../api/routes/administration/own-numbers.js';
import { administeredPaymentRoutes } from '../../../api/routes/administration/payments.js';
import { administeredPortingRoutes } from '../../../api/routes/administration/porting.js';
import { productionReviewRoutes } from '../../../api/routes/administration/production-requests.js';
import { administeredPlanRoutes } from '../../../api/routes/administration/rate-plans.js';
import { administratorSessionRoutes } from '../../../api/routes/administration/sessions.js';
import { setupRoutes } from '../../../api/routes/administration/setup.js';
import { trunkFigureRoutes } from '../../../api/routes/administration/trunks/figures.js';
import { trunkRouteRoutes } from '../../../api/routes/administration/trunks/routes.js';
import { administeredTrunkRoutes } from '../../../api/routes/administration/trunks/trunks.js';
import { administeredUserRoutes } from '../../../api/routes/administration/users.js';
import type { Administration } from '../../wiring/administration.js';
import { openProductionAccess } from '../../wiring/production-access.js';
import { environmentFlags } from '../../wiring/flags.js';
import { openInvoicing } from '../../wiring/invoices.js';
import { openOperating } from '../../wiring/operator/operating.js';
import { openAdministeredProjectRoutes } from './administered-projects.js';
import { openEndOrganizations } from '../../wiring/privacy/requests.js';
import type { RouteOptions, SharedParts } from './options.js';
import { openProvisioning } from './provisioning.js';

type Options = Pick<
  RouteOptions,
  | 'parts'
  | 'settings'
  | 'stores'
  | 'storages'
  | 'cipher'
  | 'bus'
  | 'jobs'
  | 'billing'
  | 'paymentAdministration'
  | 'clock'
  | 'log'
> &
  Pick<RouteOptions, 'management'> & {
    /** Null: its state is unknown. */
    readonly redis: RouteOptions['redis'] | null;
    readonly queues: Pick<RouteOptions['queues'], 'coordinator'>;
  };

/** Routes of the installation's administrators, and of the audit log. */
export function openAdministrationRoutes(
  options: Options,
  publicUrl: SharedParts['publicUrl'],
  administration: Administration,
  wake: (lanes: readonly string[]) => void,
  clearCaches: () => void,
): Route[] {
  const { settings, stores, cipher, jobs, billing, paymentAdministration, clock, management, redis, bus } = options;
  const { brands, engines, numbering, refusedCalls, sipGuards, sipTargets, trunks } = management;
  const { db, projects, sessions, users } = stores;
  const announce = async (): Promise<void> => {
    clearCaches();
    await options.management.announce();
  };
  const uses = new Uses(db);
  const organizations = new AdministerOrganizations({
    ...{ projects, cipher, publicUrl, clock },
    organizations: stores.organizations,
    provisioning: openProvisioning(options),
    resetTokens: new ResetTokens(db),
    passwords: administration.passwords,
    onChanged: clearCaches,
  });
  const find = new FindProject(projects);
  const operating = openOperating({
    ...{ stores, redis, management, bus, clock },
    coordinator: options.queues.coordinator,
    deliveries: new DeliveryLog({ db, jobs, clock, wake }),
  });
  const { compareRatings, bookRatings, balances, plans } = billing;
  return [
    ...setupRoutes(administration),
    ...administratorSessionRoutes(administration),
    ...administeredOrganizationRoutes({ organizations }),
    ...organizationEndRoutes({ ends: openEndOrganizations(options, announce) }),
    ...administeredUserRoutes({ users: new AdministerUsers({ db, users, sessions, clock, onChanged: clearCaches }) }),
    ...administeredBrandRoutes({ brands }),
    ...administeredSenderRoutes({ senders: options.management.messageSenders }),
    ...administeredOwnNumberRoutes(numbering),
    ...administeredPortingRoutes(numbering),
    ...productionReviewRoutes(openProductionAccess({ stores, settings, documents: numbering.documents, clock })),
    ...administeredFlagRoutes({ organizations, flags: environmentFlags(settings) }),
    ...administeredEngineRoutes({ engines }),
    ...administeredTrunkRoutes({ trunks, remove: (name) => removeTrunk({ trunks, uses }, name, 'request') }),
    ...trunkRouteRoutes({ routes: management.trunkRoutes }),
    ...trunkFigureRoutes({ rates: management.trunkRates, figures: management.trunkFigures }),
    ...administeredPaymentRoutes({ administration: paymentAdministration }),
    ...administeredPlanRoutes({ plans: billing.plans, organizations, clock }),
    ...deadLetterRoutes({ webhooks: operating.webhooks }),
    ...openAdministeredProjectRoutes(options, operating, find, clearCaches),
    ...administeredStatusRoutes({ status: operating.status, refusedCalls }),
    ...administeredCallerRoutes({ find, ...management }),
    ...fraudDefaultRoutes({ organizations, ...management }),
    ...sipTargetRoutes({ sipTargets }),
    ...sipGuardRoutes({ sipGuards }),
    ...inventoryRoutes(numbering),
    ...administeredMoneyRoutes({ organizations, balances, plans, compareRatings, bookRatings }),
    ...administeredInvoiceRoutes(openInvoicing(stores, settings, clock, wake)),
    ...administratorRoutes(administration),
    ...auditRoutes({ audit: new ReadAudit(db), verify: administration.audit }),
  ];
}
