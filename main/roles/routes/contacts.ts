import type { Route } from '../../../api/http/route.js';
import { contactGroupRoutes } from '../../../api/routes/contacts/contact-groups.js';
import { contactImportRoutes } from '../../../api/routes/contacts/contact-imports.js';
import { contactRoutes } from '../../../api/routes/contacts/contacts.js';
import { ContactGroups } from '../../../core/data/repositories/contacts/contact-groups.js';
import { ContactImports } from '../../../core/data/repositories/contacts/contact-imports.js';
import { Contacts } from '../../../core/data/repositories/contacts/contacts.js';
import { ContactService } from '../../../core/services/contacts/contacts.js';
import { ContactImportService } from '../../../core/services/contacts/import/imports.js';
import { ContactGroupService } from '../../../core/services/contacts/groups.js';
import type { RouteOptions } from './options.js';

/** Routes for contacts and their groups. */
export function openContactRoutes({ stores: { db }, clock }: Pick<RouteOptions, 'stores' | 'clock'>): Route[] {
  const groups = new ContactGroups(db);
  return [
    // Before the contacts, whose ids would match `import`.
    ...contactImportRoutes({
      imports: new ContactImportService({ imports: new ContactImports(db), groups, clock }),
    }),
    ...contactRoutes({ contacts: new ContactService({ contacts: new Contacts(db), clock }) }),
    ...contactGroupRoutes({ groups: new ContactGroupService({ groups, clock }) }),
  ];
}
