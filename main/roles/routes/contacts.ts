import type { Route } from '../../../api/http/route.js';
import { consentRoutes } from '../../../api/routes/contacts/consents.js';
import { contactGroupRoutes } from '../../../api/routes/contacts/contact-groups.js';
import { contactImportRoutes } from '../../../api/routes/contacts/contact-imports.js';
import { contactRoutes } from '../../../api/routes/contacts/contacts.js';
import { Consents } from '../../../core/data/repositories/contacts/consents.js';
import { ContactGroups } from '../../../core/data/repositories/contacts/contact-groups.js';
import { ContactImports } from '../../../core/data/repositories/contacts/contact-imports.js';
import { Contacts } from '../../../core/data/repositories/contacts/contacts.js';
import type { ConsentService } from '../../../core/services/contacts/consents.js';
import { ContactService } from '../../../core/services/contacts/contacts.js';
import { ContactGroupService } from '../../../core/services/contacts/groups.js';
import { ContactImportService } from '../../../core/services/contacts/import/imports.js';
import type { RouteOptions } from './options.js';

export interface ContactRoutesOptions extends Pick<RouteOptions, 'stores' | 'clock'> {
  readonly consents: ConsentService;
  readonly wake: (lanes: readonly string[]) => void;
}

/** Routes for contacts, their groups, imports and consents. */
export function openContactRoutes({ stores: { db }, consents, wake, clock }: ContactRoutesOptions): Route[] {
  const [contacts, groups] = [new Contacts(db), new ContactGroups(db)];
  return [
    // Before the contacts, whose ids would match `import`.
    ...contactImportRoutes({ imports: new ContactImportService({ imports: new ContactImports(db), groups, clock }) }),
    ...contactRoutes({
      contacts: new ContactService({ db, contacts, groups, consents: new Consents(db), wake, clock }),
    }),
    ...consentRoutes({ consents }),
    ...contactGroupRoutes({ groups: new ContactGroupService({ groups, clock }) }),
  ];
}
