import type { HighRiskPrefixes } from '../../data/repositories/calls/fraud-defaults.js';
import type { HighRiskPrefixRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { readPrefix } from '../../model/number/search.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';

export interface ManageHighRiskPrefixesOptions {
  readonly table: Pick<HighRiskPrefixes, 'list' | 'add' | 'remove'>;
  /** Notifies the processes that dial. */
  readonly announce: () => Promise<void>;
  readonly clock: Clock;
}

export const MAX_PREFIX_NOTE = 200;
/** Each of them is compared with every number that is dialled. */
const MAX_PREFIXES = 1_000;
/** The shortest country codes that concern a country of its own have two digits. */
const FORM = /^\+[1-9]\d{1,14}$/;

/** The operator's prefixes whose numbers count as premium, on top of those that the numbering plans name. */
export class ManageHighRiskPrefixes {
  constructor(private readonly options: ManageHighRiskPrefixesOptions) {}

  list(): Promise<HighRiskPrefixRow[]> {
    return this.options.table.list();
  }

  /**
   * A prefix that is known stays as it is, with its note.
   * @param text at least two digits of a number in E.164, such as `+252`
   * @throws HatifError VALIDATION_ERROR
   */
  async add(text: string, note: string | null): Promise<HighRiskPrefixRow> {
    const { table, announce, clock } = this.options;
    const prefix = prefixIn(text);
    const row = await table.add({ prefix, note, created_at: clock.now() }, MAX_PREFIXES);
    if (!row) {
      throw invalidField('prefix', {
        en: `there are ${MAX_PREFIXES} prefixes already, the maximum`,
        ar: arabic`عدد البادئات ${MAX_PREFIXES}، وهو الحد الأقصى`,
      });
    }
    await announce();
    return row;
  }

  /** @throws HatifError VALIDATION_ERROR, NOT_FOUND */
  async remove(text: string): Promise<void> {
    const prefix = prefixIn(text);
    if (!(await this.options.table.remove(prefix))) {
      throw new HatifError('NOT_FOUND', { what: { en: `the prefix ${prefix}`, ar: arabic`البادئة ${prefix}` } });
    }
    await this.options.announce();
  }
}

/** @throws HatifError VALIDATION_ERROR */
function prefixIn(text: string): string {
  const prefix = readPrefix(text);
  if (prefix !== null && FORM.test(prefix)) return prefix;
  throw invalidField('prefix', {
    en: 'must be the first digits of a number in E.164, at least two (+252)',
    ar: 'يجب أن تكون أول أرقام رقم هاتف بصيغة E.164، رقمين على الأقل (`+252`)',
  });
}
