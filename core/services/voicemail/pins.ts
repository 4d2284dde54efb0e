import type { Numbers } from '../../data/repositories/numbers/numbers.js';
import type { PinOutcome, VoicemailBoxes } from '../../data/repositories/voicemail/voicemail-boxes.js';
import type { Cipher } from '../../model/access/cipher.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { parseNumber } from '../../model/phone-numbers.js';
import { PIN_PATTERN } from '../../model/voicemail.js';
import type { Clock } from '../../ports/clock.js';
import { defaultBox } from './default-box.js';

export interface VoicemailPinsOptions {
  readonly boxes: VoicemailBoxes;
  readonly numbers: Pick<Numbers, 'listByProject'>;
  readonly cipher: Cipher;
  readonly clock: Clock;
}

/** Manages the PINs of voicemail boxes, which are stored as keyed hashes only. */
export class VoicemailPins {
  constructor(private readonly options: VoicemailPinsOptions) {}

  /** The stored form. It depends on the box: the same PIN has a different hash in another box. */
  hash(numberId: string, pin: string): string {
    return this.options.cipher.mac('pin', `${numberId}/${pin}`);
  }

  /** Checks a PIN. Every attempt counts towards the lock, whatever its outcome. */
  try(numberId: string, pin: string): Promise<PinOutcome> {
    return this.options.boxes.tryPin(numberId, this.hash(numberId, pin));
  }

  /**
   * Sets or, with null, removes a box's PIN; other settings of the box are not changed.
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
    const box = (await boxes.get(row.id)) ?? defaultBox(row);
    await boxes.put(box, { ...box, pin_hash: pin === null ? null : this.hash(row.id, pin) }, clock.now());
  }
}
