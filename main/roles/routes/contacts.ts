import type { Route } from '../../../api/http/route.js';
import { consentRoutes } from '../../../api/routes/contacts/consents.js';
import { contactGroupRoutes } from '../../../api/routes/contacts/contact-groups.js';
import { contactImportRoutes } from '../../../api/routes/contacts/contact-imports.js';
import { contactRoutes } from '../../../api/routes/contacts/contacts.js';
import { Consents } from '../../../core/data/repositories/contacts/consents.js';
import { ContactGroups } from '../../../core/data/repositories/contacts/contact-groups.js';
import { ContactImports } from '../../../core/data/repositories/contacts/contact-imports.js';
import { Contacts } from '../../../core/data/repositories/contacts/contacts.js';
import type { MessageHours } from '../../../core/model/contacts/message-hours.js';
import { ConsentService } from '../../../core/services/contacts/consents.js';
import { ContactService } from '../../../core/services/contacts/contacts.js';
import { ContactGroupService } from '../../../core/services/contacts/groups.js';
import { ContactImportService } from '../../../core/services/contacts/import/imports.js';
import type { RouteOptions } from './options.js';

export interface ContactRoutesOptions extends Pick<RouteOptions, 'stores' | 'clock'> {
  /** When messages may be sent. */
  readonly hours: readonly MessageHours[];
  readonly wake: (lanes: readonly string[]) => void;
}

/** Routes for contacts, their groups, imports and consents. */
export function openContactRoutes({ stores: { db }, hours, wake, clock }: ContactRoutesOptions): Route[] {
  const [contacts, groups, consents] = [new Contacts(db), new ContactGroups(db), new Consents(db)];
  return [
    // Before the contacts, whose ids would match `import`.
    ...contactImportRoutes({ imports: new ContactImportService({ imports: new ContactImports(db), groups, clock }) }),
    ...contactRoutes({ contacts: new ContactService({ db, contacts, groups, consents, wake, clock }) }),
    ...consentRoutes({ consents: new ConsentService({ db, contacts, consents, hours, wake, clock }) }),
    ...contactGroupRoutes({ groups: new ContactGroupService({ groups, clock }) }),
  ];
}
