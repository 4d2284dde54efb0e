import type { Report } from '../../model/privacy/report.js';
import type { SubjectType } from '../../model/privacy/subject.js';

export type WorkStatus = 'waiting' | 'running' | 'completed' | 'failed';

/** A file of an archive. */
export interface ArchivePart {
  readonly storage: 'local' | 's3';
  readonly storage_key: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Work that continues after a crash where it stopped. */
export interface WorkRow {
  readonly id: string;
  readonly organization_id: string;
  readonly status: WorkStatus;
  readonly step: string;
  /** How far the step is, in the step's own form; null at its beginning. */
  readonly cursor: unknown;
  readonly report: Report;
  /** Why the last attempt did not succeed; null if it did. */
  readonly problem: string | null;
  readonly attempts: number;
  /** Increased by each process that takes the work, and with each piece of it. */
  readonly version: number;
  /** When a process may work on it, or end of the current claim; null: nothing is left to do. */
  readonly due_at: Date | null;
  readonly parts: readonly ArchivePart[];
  /** When the archive is deleted; null without one. */
  readonly expires_at: Date | null;
  /** When the last of what the law keeps may go; null: nothing is kept. */
  readonly kept_until: Date | null;
  readonly request_id: string;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

/** An export or erasure of what an organization holds of a person. */
export interface PrivacyJobRow extends WorkRow {
  readonly kind: 'export' | 'erasure';
  /** Sealed; null once nothing is left to do for it. */
  readonly subject: string | null;
  readonly subject_type: SubjectType;
  readonly subject_masked: string;
  /** The member. */
  readonly requested_by: string;
}

/** The end of an organization. */
export interface OrganizationEndingRow extends WorkRow {
  readonly organization_name: string;
  /** The administrator; null: the command on the machine. */
  readonly requested_by: string | null;
}
