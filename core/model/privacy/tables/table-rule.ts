/**
 * - `shown`: in the archive
 * - `internal`: left out: state of the platform that repeats other columns
 */
export type Exporting = 'shown' | 'internal';

/**
 * - `deleted`: with its row
 * - `emptied`: the row stays without it
 * - `cdr`, `billing`: stays for the years of KEEP_CDR_YEARS or KEEP_INVOICES_YEARS; a number is then emptied
 * - `audit`: stays until the retention of the audit log
 * - `block`: stays, so that the caller stays blocked, or the person opted out
 * - `in_use`: a number or setting of the organization, which the report names
 * - `unlinked`: stays, but nothing says any more whose it was
 * - `expires`: deleted by retention, within days
 * - `operator`: of the people who run the installation; an organization does not reach it
 */
export type Erasing =
  'deleted' | 'emptied' | 'cdr' | 'billing' | 'audit' | 'block' | 'in_use' | 'unlinked' | 'expires' | 'operator';

/**
 * How the rows of an organization end with it:
 *
 * - `deleted`: they go
 * - `cdr`, `billing`: they stay for the years of KEEP_CDR_YEARS or KEEP_INVOICES_YEARS
 * - `released`: they return to the installation
 * - `retention`: their own retention deletes them
 * - `installation`: they belong to no organization
 */
export type Ending = 'deleted' | 'cdr' | 'billing' | 'released' | 'retention' | 'installation';

export interface TableRule {
  readonly end: Ending;
  /** Columns with personal data: what the export and the erasure of a person do with each. */
  readonly personal?: Readonly<Record<string, `${Exporting} ${Erasing}`>>;
  /** Names of columns that hold secrets, of nobody in particular: no archive has them. */
  readonly secrets?: string;
  /** Names of the other columns. */
  readonly others?: string;
}
