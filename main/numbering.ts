import { HttpNumberProvider } from '../adapters/numbers/http-provider.js';
import { StaticRangeProvider } from '../adapters/numbers/static-range.js';
import type { Settings } from '../config/settings.js';
import type { Clock } from '../core/ports/clock.js';
import type { Logger } from '../core/ports/logger.js';
import type { NumberProvider } from '../core/ports/number-provider.js';
import { NumberKeeper } from '../core/services/numbers/keeper.js';
import { ManageNumbers } from '../core/services/numbers/manage.js';
import { NumberService } from '../core/services/numbers/numbers.js';
import { OrderNumber } from '../core/services/numbers/order.js';
import { NumberSweep } from '../core/services/numbers/sweep.js';
import type { Stores } from './stores.js';

/** Numbers: whose they are, where they come from, and where they go. */
export interface Numbering {
  readonly keeper: NumberKeeper;
  readonly service: NumberService;
  readonly order: OrderNumber;
  readonly manage: ManageNumbers;
  readonly sweep: NumberSweep;
}

export interface NumberingOptions {
  readonly stores: Stores;
  readonly settings: Settings;
  readonly announce: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

export function openNumbering({ stores, settings, announce, clock, log }: NumberingOptions): Numbering {
  const { agents, callflows, inventory, numbers, projects, queues, virtualNumbers, writer } = stores;
  const providers = providersOf(settings);
  const keeper = new NumberKeeper({
    inventory,
    numbers,
    clock,
    quarantineDays: settings.NUMBER_QUARANTINE_DAYS,
    tellLanes: (lanes) => writer.tellLanes(lanes),
    announce,
  });
  return {
    keeper,
    service: new NumberService({
      numbers,
      inventory,
      keeper,
      projects,
      agents,
      queues,
      callflows,
      virtualNumbers,
      announce,
      clock,
    }),
    order: new OrderNumber({ inventory, keeper, providers, clock }),
    manage: new ManageNumbers({ inventory, numbers, virtualNumbers, keeper, providers, log }),
    sweep: new NumberSweep({ inventory, providers, clock, log }),
  };
}

/** The operator's own before others': they cost nothing. */
function providersOf(settings: Settings): readonly NumberProvider[] {
  const { NUMBER_RANGES: ranges, NUMBER_PROVIDER_URL: url, NUMBER_PROVIDER_SECRET: secret } = settings;
  const timeoutMs = settings.NUMBER_PROVIDER_TIMEOUT_SECONDS * 1000;
  return [
    ...(ranges.length > 0 ? [new StaticRangeProvider(ranges)] : []),
    ...(url !== undefined && secret !== undefined
      ? [new HttpNumberProvider({ url: url.replace(/\/+$/, ''), secret, timeoutMs })]
      : []),
  ];
}
