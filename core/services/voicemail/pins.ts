import type { Numbers } from '../../data/repositories/numbers/numbers.js';
import type { PinOutcome, VoicemailBoxes } from '../../data/repositories/voicemail/voicemail-boxes.js';
import type { Cipher } from '../../model/access/cipher.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { parseNumber } from '../../model/phone-numbers.js';
import { PIN_PATTERN } from '../../model/voicemail.js';
import type { Clock } from '../../ports/clock.js';
import { unsetBox } from './unset-box.js';

export interface VoicemailPinsOptions {
  readonly boxes: VoicemailBoxes;
  readonly numbers: Pick<Numbers, 'listByProject'>;
  readonly cipher: Cipher;
  readonly clock: Clock;
}

/** PINs of boxes, kept as keyed hashes only. */
export class VoicemailPins {
  constructor(private readonly options: VoicemailPinsOptions) {}

  /** As it is kept. A box's own: the same PIN looks different in another. */
  hash(numberId: string, pin: string): string {
    return this.options.cipher.mac('pin', `${numberId}/${pin}`);
  }

  /** Counted whatever its outcome. */
  try(numberId: string, pin: string): Promise<PinOutcome> {
    return this.options.boxes.tryPin(numberId, this.hash(numberId, pin));
  }

  /**
   * Set a box's PIN, or with null take it away; the rest of the box stays as it is.
   * @throws HatifError INVALID_PHONE_NUMBER, NUMBER_NOT_FOUND, VALIDATION_ERROR
   */
  async set(projectId: string, number: string, pin: string | null): Promise<void> {
    const { boxes, numbers, clock } = this.options;
    const e164 = parseNumber(number, { allowForeign: true })?.e164;
    if (e164 === undefined) throw new HatifError('INVALID_PHONE_NUMBER', { field: 'number' });
    if (pin !== null && !PIN_PATTERN.test(pin)) {
      throw invalidField('pin', { en: 'must be 4 to 10 digits', ar: 'يجب أن يتكوّن من 4 إلى 10 أرقام' });
    }
    const row = (await numbers.listByProject(projectId)).find((one) => one.e164 === e164);
    if (!row) throw new HatifError('NUMBER_NOT_FOUND', { id: e164 });
    const box = (await boxes.get(row.id)) ?? unsetBox(row);
    await boxes.put(box, { ...box, pin_hash: pin === null ? null : this.hash(row.id, pin) }, clock.now());
  }
}
