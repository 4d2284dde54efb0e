import type { KeyKind } from '../../model/access/keys.js';
import type { OrganizationRow, ProjectRow } from '../../data/rows.js';

/** Who makes a request: a key that was checked, with the project and organization it belongs to. */
export interface AuthenticatedKey {
  readonly id: string;
  readonly name: string;
  readonly kind: KeyKind;
  /** A sandbox key sees and makes sandbox rows only. */
  readonly sandbox: boolean;
  readonly scopes: ReadonlySet<string>;
  /** Overrides the default for keys of this kind. */
  readonly rateLimitPerMinute: number | null;
  readonly projectId: string;
  readonly organizationId: string;
  readonly project: ProjectRow;
  readonly organization: OrganizationRow;
}
