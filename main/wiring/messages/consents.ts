import type { Settings } from '../../../config/settings.js';
import type { Database } from '../../../core/data/database.js';
import { Consents } from '../../../core/data/repositories/contacts/consents.js';
import { Contacts } from '../../../core/data/repositories/contacts/contacts.js';
import type { Clock } from '../../../core/ports/clock.js';
import { ConsentService } from '../../../core/services/contacts/consents.js';
import { messageHours } from './message-hours.js';

export interface ConsentsOptions {
  readonly settings: Pick<Settings, 'MESSAGE_HOURS'>;
  readonly stores: { readonly db: Database };
  readonly clock: Clock;
  readonly wake: (lanes: readonly string[]) => void;
}

/**
 * What people want to get, and when.
 * @throws Error if the setting is wrong: the process does not start
 */
export function openConsents({ settings, stores: { db }, clock, wake }: ConsentsOptions): ConsentService {
  const hours = messageHours(settings);
  return new ConsentService({ db, contacts: new Contacts(db), consents: new Consents(db), hours, wake, clock });
}
