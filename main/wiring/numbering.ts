import { HttpNumberProvider } from '../../adapters/numbers/http-provider.js';
import { StaticRangeProvider } from '../../adapters/numbers/static-range.js';
import type { Settings } from '../../config/settings.js';
import type { Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import type { NumberProvider } from '../../core/ports/number-provider.js';
import type { ObjectStores } from '../../core/ports/object-store.js';
import { NumberAdministration } from '../../core/services/number-administration/number-administration.js';
import { DemoNumbers } from '../../core/services/numbers/demo-numbers.js';
import { Documents } from '../../core/services/numbers/documents.js';
import { ImportNumbers } from '../../core/services/numbers/import.js';
import { NumberAssigner } from '../../core/services/numbers/number-assigner.js';
import { ManageNumbers } from '../../core/services/numbers/manage.js';
import { NumberService } from '../../core/services/numbers/numbers.js';
import { OrderNumber } from '../../core/services/numbers/order.js';
import { NumberSweep } from '../../core/services/numbers/sweep.js';
import { ClaimApproval } from '../../core/services/own-numbers/approval.js';
import { PortingRequests } from '../../core/services/porting/requests.js';
import { PortingSteps } from '../../core/services/porting/steps.js';
import type { Stores } from './stores.js';

/** Services for numbers: inventory, providers, assignment, porting. */
export interface Numbering {
  readonly assigner: NumberAssigner;
  readonly service: NumberService;
  readonly order: OrderNumber;
  readonly manage: ManageNumbers;
  readonly sweep: NumberSweep;
  readonly imports: ImportNumbers;
  readonly demo: DemoNumbers;
  readonly documents: Documents;
  readonly porting: PortingRequests;
  readonly portingSteps: PortingSteps;
  readonly claimApproval: ClaimApproval;
  /** Decisions of the operator. */
  readonly administration: NumberAdministration;
}

export interface NumberingOptions {
  readonly stores: Stores;
  readonly storages: ObjectStores;
  readonly settings: Settings;
  readonly announce: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

export function openNumbering({ stores, storages, settings, announce, clock, log }: NumberingOptions): Numbering {
  const { agents, callflows, inventory, numbers, projects, queues, virtualNumbers, writer } = stores;
  const { ownNumberClaims: claims, porting } = stores;
  const providers = providersOf(settings);
  const assigner = new NumberAssigner({
    inventory,
    numbers,
    clock,
    quarantineDays: settings.NUMBER_QUARANTINE_DAYS,
    wake: (lanes) => writer.notifyLanes(lanes),
    announce,
  });
  const demo = new DemoNumbers({ inventory, hasOthers: providers.length > 0, clock });
  const documents = new Documents({ documents: stores.numberDocuments, stores: storages, clock });
  const steps = new PortingSteps({ porting, inventory, assigner, clock });
  const claimApproval = new ClaimApproval({ claims, assigner, clock });
  return {
    assigner,
    documents,
    claimApproval,
    portingSteps: steps,
    porting: new PortingRequests({ porting, documents, steps, clock }),
    administration: new NumberAdministration({
      inventory,
      porting,
      claims,
      steps,
      claimApproval,
      documents,
      assigner,
      clock,
    }),
    imports: new ImportNumbers({ inventory, demo, clock }),
    demo,
    service: new NumberService({
      numbers,
      inventory,
      assigner,
      demo,
      projects,
      agents,
      queues,
      callflows,
      virtualNumbers,
      announce,
      clock,
    }),
    order: new OrderNumber({ inventory, assigner, providers, clock }),
    manage: new ManageNumbers({ inventory, numbers, virtualNumbers, assigner, providers, log }),
    sweep: new NumberSweep({ inventory, providers, clock, log }),
  };
}

/** The operator's own ranges come first: they cost nothing. */
function providersOf(settings: Settings): readonly NumberProvider[] {
  const { NUMBER_RANGES: ranges, NUMBER_PROVIDER_URL: url, NUMBER_PROVIDER_SECRET: secret } = settings;
  const timeoutMs = settings.NUMBER_PROVIDER_TIMEOUT_SECONDS * 1000;
  return [
    ...(ranges.length > 0 ? [new StaticRangeProvider(ranges)] : []),
    ...(url !== undefined && secret !== undefined ? [new HttpNumberProvider({ url, secret, timeoutMs })] : []),
  ];
}
