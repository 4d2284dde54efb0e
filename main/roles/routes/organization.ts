import { inviteRoutes } from '../../../api/routes/accounts/invites.js';
import { keyRoutes } from '../../../api/routes/accounts/keys.js';
import { memberRoutes } from '../../../api/routes/accounts/members.js';
import { organizationRoutes } from '../../../api/routes/accounts/organization.js';
import { projectRoutes } from '../../../api/routes/accounts/projects.js';
import type { Route } from '../../../api/http/route.js';
import type { Database } from '../../../core/data/database.js';
import { Invites } from '../../../core/data/repositories/accounts/invites.js';
import { MemberKeys } from '../../../core/data/repositories/accounts/member-keys.js';
import { MemberProjects } from '../../../core/data/repositories/accounts/member-projects.js';
import { Members } from '../../../core/data/repositories/accounts/members.js';
import { OrganizationSettings } from '../../../core/data/repositories/accounts/organization-settings.js';
import { Users } from '../../../core/data/repositories/accounts/users.js';
import type { Cipher } from '../../../core/model/access/cipher.js';
import type { Clock } from '../../../core/ports/clock.js';
import { AcceptInvite } from '../../../core/services/accounts/accept-invite.js';
import { InviteService } from '../../../core/services/accounts/invites.js';
import { MemberKeyService } from '../../../core/services/accounts/keys.js';
import { MemberService } from '../../../core/services/accounts/members.js';
import { OrganizationService } from '../../../core/services/accounts/organization.js';
import { ProjectService } from '../../../core/services/accounts/projects.js';
import { openPasswords } from '../../wiring/accounts.js';

export interface OrganizationParts {
  readonly db: Database;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly publicUrl: () => string;
  /** Notifies the processes that own engines that softphones changed. */
  readonly announce: () => Promise<void>;
  /** Drops what this process caches of keys, sessions, organizations and projects. */
  readonly clearCaches: () => void;
}

/** Routes on an organization for its members: settings, projects, keys, members and invitations. */
export function openOrganizationRoutes(parts: OrganizationParts): Route[] {
  const { db, cipher, clock, publicUrl, announce, clearCaches } = parts;
  const members = new Members(db);
  const invites = new Invites(db);
  const users = new Users(db);
  const settings = new OrganizationSettings(db);
  const passwords = openPasswords();
  return [
    ...organizationRoutes({ organization: new OrganizationService({ settings, onChanged: clearCaches }) }),
    ...projectRoutes({
      projects: new ProjectService({
        projects: new MemberProjects(db),
        cipher,
        clock,
        announce,
        onChanged: clearCaches,
      }),
    }),
    ...keyRoutes({
      keys: new MemberKeyService({
        keys: new MemberKeys(db),
        cipher,
        clock,
        revealAllowed: async (id) => (await settings.get(id))?.key_reveal === true,
        onChanged: clearCaches,
      }),
    }),
    ...memberRoutes({ members: new MemberService({ members, onChanged: clearCaches }) }),
    ...inviteRoutes({
      invites: new InviteService({ invites, members, cipher, clock, publicUrl }),
      accept: new AcceptInvite({
        invites,
        members,
        passwords,
        clock,
        addUser: (tx, row) => users.create(row, tx),
      }),
      now: () => clock.now(),
    }),
  ];
}
