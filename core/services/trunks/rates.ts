import type { TrunkRate, TrunkRates } from '../../data/repositories/engines/trunk-rates.js';
import type { Trunks } from '../../data/repositories/engines/trunks.js';
import { invalidField } from '../../model/errors/index.js';
import { arabic } from '../../model/wording/wording.js';
import { checkPrefix } from './routes.js';
import { unknownTrunk } from './trunks.js';

export interface TrunkRateServiceOptions {
  readonly rates: TrunkRates;
  readonly trunks: Pick<Trunks, 'list'>;
  /** Makes every process read the rates again. */
  readonly announce: () => Promise<void>;
}

/** Manages what the operator pays the carrier of each trunk. */
export class TrunkRateService {
  constructor(private readonly options: TrunkRateServiceOptions) {}

  /** By prefix. @throws HatifError NOT_FOUND */
  async list(name: string): Promise<readonly TrunkRate[]> {
    return this.options.rates.list(await this.#idOf(name));
  }

  /**
   * Replaces all rates of a trunk, or changes nothing.
   * @throws HatifError NOT_FOUND, VALIDATION_ERROR for a prefix that is none or that is named twice
   */
  async replace(name: string, rates: readonly TrunkRate[]): Promise<void> {
    const id = await this.#idOf(name);
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
    if (!(await this.options.rates.replace(id, checked))) throw unknownTrunk(name);
    await this.options.announce();
  }

  async #idOf(name: string): Promise<string> {
    const trunk = (await this.options.trunks.list()).find((other) => other.name === name);
    if (!trunk) throw unknownTrunk(name);
    return trunk.id;
  }
}
