import { Contacts } from '../../core/data/repositories/contacts/contacts.js';
import type { Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import type { MediaStore } from '../../core/ports/media-store.js';
import type { Speech } from '../../core/ports/speech.js';
import { AllocateVirtualNumber } from '../../core/services/virtual-numbers/allocate.js';
import { PrepareInstructions } from '../../core/services/virtual-numbers/instructions.js';
import { ManageVirtualNumbers } from '../../core/services/virtual-numbers/manage.js';
import type { Numbering } from './numbering.js';
import type { Stores } from './stores.js';

export interface VirtualNumbersOptions {
  readonly stores: Pick<Stores, 'db' | 'numbers' | 'virtualNumbers'>;
  readonly numbering: Pick<Numbering, 'assigner' | 'order'>;
  readonly media: MediaStore;
  readonly speech: Speech;
  readonly checkDestination: (number: string, field: string) => Promise<void>;
  readonly announce: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Services for virtual numbers. */
export function openVirtualNumbers(options: VirtualNumbersOptions): {
  allocate: AllocateVirtualNumber;
  manage: ManageVirtualNumbers;
} {
  const { stores, numbering, media, speech, checkDestination, announce, clock, log } = options;
  const { numbers, virtualNumbers } = stores;
  const { assigner, order } = numbering;
  const contacts = new Contacts(stores.db);
  const prepare = new PrepareInstructions({ media, speech, checkDestination, clock, log });
  return {
    allocate: new AllocateVirtualNumber({ virtualNumbers, contacts, order, assigner, prepare, clock }),
    manage: new ManageVirtualNumbers({ virtualNumbers, numbers, assigner, prepare, clock, announce }),
  };
}
