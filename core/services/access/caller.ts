import type { OrganizationRow, ProjectRow } from '../../data/rows.js';
import type { KeyKind } from '../../model/access/keys.js';
import type { Permission, Role } from '../../model/access/roles.js';

/** A user of an organization who is signed in. */
export interface SignedInUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly permissions: ReadonlySet<Permission>;
  /** The projects that the user may use; null: all of the organization. */
  readonly projectIds: readonly string[] | null;
  /** The extension that the user answers calls at. */
  readonly agent: string | null;
  readonly organizationId: string;
  readonly sessionId: string;
  /** When the user last proved who it is in this session. */
  readonly confirmedAt: Date | null;
  /** Whether an administrator acts as the user; then the session only reads. */
  readonly impersonated: boolean;
  /** This administrator. */
  readonly impersonatedBy: string | null;
  /** The organization requires a second factor, and none was given in this session: only one may be set up. */
  readonly needsSecondFactor: boolean;
}

/** Who makes a request on a project: an API key, or a signed-in user. */
export interface Caller {
  /** Of the key, or of the user. */
  readonly id: string;
  readonly name: string;
  /** Of the key, or the mode that the user works in. */
  readonly kind: KeyKind;
  /** A sandbox caller sees and creates only sandbox rows. */
  readonly sandbox: boolean;
  readonly scopes: ReadonlySet<string>;
  /** Overrides the default limit of requests. */
  readonly rateLimitPerMinute: number | null;
  readonly projectId: string;
  readonly organizationId: string;
  readonly project: ProjectRow;
  readonly organization: OrganizationRow;
  /** Null for an API key. */
  readonly user: SignedInUser | null;
}
