import type { Database } from '../../data/database.js';
import { lockOrganization } from '../../data/repositories/accounts/locked-organization.js';
import type { Members } from '../../data/repositories/accounts/members.js';
import type { PrivacyJobs } from '../../data/repositories/privacy/jobs.js';
import { eraseMember, type ErasedMember } from '../../data/repositories/privacy/member-data.js';
import type { PrivacyJobRow } from '../../data/rows.js';
import { withCounts, type Report } from '../../model/privacy/report.js';
import type { Clock } from '../../ports/clock.js';
import { assertNotLastOwner } from '../accounts/last-owner.js';
import type { Step } from '../resumable-work/work.js';
import type { SubjectOf } from './find.js';

export interface EraseMemberOptions {
  readonly db: Database;
  readonly members: Members;
  readonly jobs: PrivacyJobs;
  readonly subjectOf: SubjectOf;
  /** Makes all processes look sessions, members and softphones up again. */
  readonly announce: () => Promise<void>;
  readonly clock: Clock;
}

/** Erases a member of the organization. @throws HatifError LAST_OWNER if the member has become the last one */
export function eraseMemberStep(options: EraseMemberOptions): Step<PrivacyJobRow> {
  const { members, jobs, subjectOf, announce, clock } = options;
  return async (work) => {
    await work.advance(async (tx) => {
      const { row } = work;
      const organization = row.organization_id;
      await lockOrganization(tx, organization);
      const member = await members.get(organization, subjectOf(row).value, tx);
      if (member) await assertNotLastOwner(members, tx, member);
      // Somebody may have removed the member meanwhile.
      const report = member ? countedMember(row.report, await eraseMember(tx, member)) : row.report;
      await jobs.forgetSubject(tx, row.id);
      return { report, status: 'completed', finished_at: clock.now(), due_at: null };
    });
    await announce();
  };
}

function countedMember(report: Report, { erased, anonymised, audited }: ErasedMember): Report {
  const withErased = Object.entries(erased).reduce(
    (all, [table, count]) => withCounts(all, table, { found: count, erased: count }),
    report,
  );
  const withAnonymised = Object.entries(anonymised).reduce(
    (all, [table, count]) => withCounts(all, table, { found: count, anonymised: count }),
    withErased,
  );
  const kept = [{ reason: 'audit', count: audited, until: null } as const];
  return audited === 0 ? withAnonymised : withCounts(withAnonymised, 'audit_log', { found: audited, kept });
}
