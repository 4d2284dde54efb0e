import type { TrunkRate, TrunkRates } from '../../data/repositories/engines/trunk-rates.js';
import type { Trunks } from '../../data/repositories/engines/trunks.js';
import { invalidField } from '../../model/errors/index.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { auditOf, type ChangedBy } from './change-audit.js';
import { checkPrefix } from './routes.js';
import { unknownTrunk } from './trunks.js';

export interface TrunkRateServiceOptions {
  readonly rates: TrunkRates;
  readonly trunks: Pick<Trunks, 'list'>;
  readonly clock: Clock;
  /** Makes every process read the rates again. */
  readonly announce: () => Promise<void>;
}

/** The most rates of one trunk. */
export const MOST_RATES = 200_000;

/** Manages what the operator pays the carrier of each trunk. */
export class TrunkRateService {
  constructor(private readonly options: TrunkRateServiceOptions) {}

  /** By prefix. @throws HatifError NOT_FOUND */
  async list(name: string): Promise<readonly TrunkRate[]> {
    return this.options.rates.list(await this.#idOf(name));
  }

  /**
   * Replaces all rates of a trunk, or changes nothing.
   * @throws HatifError NOT_FOUND, VALIDATION_ERROR for a prefix that is none or that is named twice, and for too many
   */
  async replace(name: string, rates: readonly TrunkRate[], by: ChangedBy = 'command'): Promise<void> {
    const { rates: table, clock, announce } = this.options;
    const id = await this.#idOf(name);
    if (rates.length > MOST_RATES) {
      throw invalidField('rates', {
        en: `must be at most ${MOST_RATES} rates`,
        ar: arabic`يجب ألا يزيد عدد الأسعار على ${MOST_RATES}`,
      });
    }
    const seen = new Set<string>();
    const checked = rates.map(({ prefix, per_minute }, index) => {
      const digits = checkPrefix(`rates[${index}].prefix`, prefix);
      if (seen.has(digits)) {
        throw invalidField(`rates[${index}].prefix`, {
          en: `${digits} is named twice`,
          ar: arabic`تكررت البادئة ${digits}`,
        });
      }
      seen.add(digits);
      return { prefix: digits, per_minute };
    });
    const command = { command: 'rates import', path: `/trunks/${name}/rates`, details: { rates: checked.length } };
    if (!(await table.replace(id, checked, auditOf(by, command, clock.now())))) throw unknownTrunk(name);
    await announce();
  }

  async #idOf(name: string): Promise<string> {
    const trunk = (await this.options.trunks.list()).find((other) => other.name === name);
    if (!trunk) throw unknownTrunk(name);
    return trunk.id;
  }
}
