import { insertAuditRows } from '../../data/repositories/accounts/audit.js';
import type { Endings } from '../../data/repositories/privacy/endings.js';
import type { OrganizationEndingRow } from '../../data/rows.js';
import { HatifError, invalidField, unknownOrganization } from '../../model/errors/index.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import type { ObjectStores } from '../../ports/object-store.js';
import { operatorAudit } from '../access/operator-audit.js';
import { openPart, type OpenArchive } from '../archives/open.js';
import { newWork } from '../resumable-work/new-work.js';

export interface EndOrganizationsOptions {
  readonly endings: Endings;
  readonly stores: ObjectStores;
  /** Makes all processes look keys, sessions, numbers and softphones up again. */
  readonly announce: () => Promise<void>;
  readonly clock: Clock;
}

/** Who ends an organization. */
export interface EndedBy {
  /** The administrator; null: the command on the machine, which leaves its own row in the audit log. */
  readonly administratorId: string | null;
  readonly requestId: string;
}

const WRONG_NAME = { en: 'is not the name of the organization', ar: 'ليس اسم المؤسسة' };
const ROUTE = '/v1/admin/organizations';

/** Ends organizations: keys, sessions and calls at once, everything else by {@link endingTask}. */
export class EndOrganizations {
  constructor(private readonly options: EndOrganizationsOptions) {}

  /**
   * Ends an organization. A repeat returns what the first request began.
   * @param name as it is stored: who ends the wrong organization cannot take it back
   * @throws HatifError NOT_FOUND, VALIDATION_ERROR
   */
  async end(organizationId: string, name: string, by: EndedBy): Promise<OrganizationEndingRow> {
    const { endings, announce, clock } = this.options;
    const ending = await endings.exclusively(organizationId, async (tx, organization) => {
      const known = await endings.ofOrganization(organizationId, tx);
      if (known) return assertNamed(known, known.organization_name, name);
      if (!organization) throw unknownOrganization(organizationId);
      assertNamed(organization, organization.name, name);
      const now = clock.now();
      const row = newRow(organization.id, organization.name, by, now);
      await endings.close(tx, organization.id, now);
      await endings.insert(row, tx);
      if (by.administratorId === null) {
        const path = `${ROUTE}/${organization.id}`;
        await insertAuditRows(tx, [operatorAudit(organization.id, path, 'hatif organizations delete', {}, now)]);
      }
      return row;
    });
    await announce();
    return ending;
  }

  /** @throws HatifError NOT_FOUND for an organization that has not ended */
  async get(organizationId: string): Promise<OrganizationEndingRow> {
    const ending = await this.options.endings.ofOrganization(organizationId);
    if (ending) return ending;
    throw new HatifError('NOT_FOUND', {
      what: { en: `the deletion of the organization ${organizationId}`, ar: arabic`حذف المؤسسة ${organizationId}` },
    });
  }

  /**
   * Opens a file of the archive, from 1.
   * @throws HatifError NOT_FOUND, ARCHIVE_NOT_READY, ARCHIVE_EXPIRED, RECORDING_SERVICE_UNAVAILABLE
   */
  async open(organizationId: string, part: number): Promise<OpenArchive> {
    return openPart(this.options.stores, await this.get(organizationId), part);
  }
}

function assertNamed<T>(row: T, name: string, given: string): T {
  if (given !== name) throw invalidField('name', WRONG_NAME);
  return row;
}

function newRow(organizationId: string, name: string, by: EndedBy, now: Date): OrganizationEndingRow {
  return {
    ...newWork(by.requestId, now),
    organization_id: organizationId,
    organization_name: name,
    requested_by: by.administratorId,
    step: 'stop',
  };
}
