import type { KeyKind } from '../../model/access/keys.js';
import type { OrganizationRow, ProjectRow } from '../../data/rows.js';

/** The key that authenticated a request, with its project and organization. */
export interface AuthenticatedKey {
  readonly id: string;
  readonly name: string;
  readonly kind: KeyKind;
  /** A sandbox key sees and creates only sandbox rows. */
  readonly sandbox: boolean;
  readonly scopes: ReadonlySet<string>;
  /** Overrides the default for keys of this kind. */
  readonly rateLimitPerMinute: number | null;
  readonly projectId: string;
  readonly organizationId: string;
  readonly project: ProjectRow;
  readonly organization: OrganizationRow;
}
