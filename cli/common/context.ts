import type { Organizations } from '../../core/data/repositories/accounts/organizations.js';
import type { Callflows } from '../../core/data/repositories/calls/callflows.js';
import type { Registrations } from '../../core/data/repositories/engines/registrations.js';
import type { ProjectRow } from '../../core/data/rows.js';
import type { Administrators } from '../../core/services/administration/administrators.js';
import type { ScriptTokens } from '../../core/services/administration/script-tokens.js';
import type { KeyService } from '../../core/services/access/keys.js';
import type { AgentService } from '../../core/services/agents/agents.js';
import type { SimulateFlow } from '../../core/services/callflows/manage.js';
import type { ManageBlockedCallers } from '../../core/services/blocked-callers/manage.js';
import type { VerifyAudit } from '../../core/services/audit/verify.js';
import type { BillingAccount } from '../../core/services/billing/account.js';
import type { Balances } from '../../core/services/billing/balances.js';
import type { PlanService } from '../../core/services/billing/plans.js';
import type { RatingReport } from '../../core/services/billing/rerating.js';
import type { OperateCalls } from '../../core/services/calls/operate.js';
import type { OperatorCdr } from '../../core/services/cdr/operator-export.js';
import type { ManageFraud } from '../../core/services/dialling/manage-fraud.js';
import type { ProjectLimits } from '../../core/services/dialling/project-limits.js';
import type { SipTargets } from '../../core/services/dialling/sip-targets.js';
import type { EngineService } from '../../core/services/engines/manage.js';
import type { CreditInvoices } from '../../core/services/invoices/crediting.js';
import type { ReadCreditNotes } from '../../core/services/invoices/credit-notes.js';
import type { IssueInvoices } from '../../core/services/invoices/issuing.js';
import type { ReadInvoices } from '../../core/services/invoices/reading.js';
import type { ReadStatus } from '../../core/services/overview/status.js';
import type { OwnerContacts } from '../../core/services/owners/contacts.js';
import type { VoicemailPins } from '../../core/services/voicemail/pins.js';
import type { NumberAdministration } from '../../core/services/number-administration/number-administration.js';
import type { ImportNumbers } from '../../core/services/numbers/import.js';
import type { NumberService } from '../../core/services/numbers/numbers.js';
import type { PaymentAdministration } from '../../core/services/payments/administration.js';
import type { CreateProjects } from '../../core/services/projects/create.js';
import type { ReadQueues } from '../../core/services/queues/read.js';
import type { Removal } from '../../core/services/removal/removal.js';
import type { ManageRecordings } from '../../core/services/recordings/manage.js';
import type { ReadRefusedCalls } from '../../core/services/refused-calls/reading.js';
import type { TrunkService } from '../../core/services/trunks/trunks.js';
import type { Brands } from '../../core/services/brands/brands.js';
import type { OperateWebhooks } from '../../core/services/webhooks/operate.js';
import type { WidgetService } from '../../core/services/widgets/manage.js';
import type { Commands } from '../../core/model/commands.js';
import type { ApiClient } from './api-client.js';
import { chosen } from './names.js';
import type { Output } from './output.js';

/** Prices and balances. */
export interface PlatformBilling {
  readonly plans: PlanService;
  readonly balances: Balances;
  readonly account: BillingAccount;
  /** @param from a day of Riyadh, `YYYY-MM-DD` @param to included */
  compareRatings(from: string, to: string): Promise<RatingReport>;
  /** As {@link compareRatings}, and books the differences. */
  bookRatings(from: string, to: string): Promise<RatingReport>;
}

/** Services on the platform's database. */
export interface Platform {
  readonly projects: readonly ProjectRow[];
  readonly organizations: Pick<Organizations, 'get' | 'setFlag'>;
  readonly createProjects: CreateProjects;
  readonly registrations: Pick<Registrations, 'ofProject'>;
  readonly callflows: Pick<Callflows, 'list'>;
  /** Feature flags of this environment. */
  readonly flags: Readonly<Record<string, boolean>>;
  readonly status: ReadStatus;
  readonly calls: OperateCalls;
  readonly queues: ReadQueues;
  readonly webhooks: OperateWebhooks;
  readonly removal: Removal;
  readonly keys: KeyService;
  readonly trunks: TrunkService;
  readonly refusedCalls: ReadRefusedCalls;
  readonly blockedCallers: ManageBlockedCallers;
  readonly numbers: NumberService;
  readonly voicemailPins: VoicemailPins;
  readonly numbering: { readonly administration: NumberAdministration; readonly imports: ImportNumbers };
  readonly agents: AgentService;
  readonly recordings: ManageRecordings;
  readonly limits: ProjectLimits;
  readonly fraud: ManageFraud;
  readonly contacts: OwnerContacts;
  readonly sipTargets: SipTargets;
  readonly engines: EngineService;
  readonly billing: PlatformBilling;
  readonly invoicing: {
    readonly issue: IssueInvoices;
    readonly read: ReadInvoices;
    readonly credit: CreditInvoices;
    readonly readCredits: ReadCreditNotes;
  };
  readonly cdr: OperatorCdr;
  readonly paying: { readonly administration: PaymentAdministration };
  readonly brands: Brands;
  readonly widgets: WidgetService;
  readonly audit: VerifyAudit;
  readonly administrators: Administrators;
  readonly scriptTokens: ScriptTokens;
}

/** The API that a command names; the rest comes from the bootstrap file. */
export interface ApiChoice {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly sandbox?: boolean;
}

export interface AsteriskConfigRequest {
  readonly folder: string;
  readonly ariBind: string;
  readonly ariPort: number;
  /** File mode. */
  readonly mode: number;
}

export interface FreeswitchConfigRequest {
  readonly folder: string;
  /** Name of the engine. */
  readonly name: string;
  /** URLs of the API processes; null: the one on this machine. */
  readonly applications: readonly string[] | null;
  readonly eventSocket: {
    readonly bind: string;
    readonly port: number;
    readonly password: string;
    /** Networks that may connect, besides the loopback. */
    readonly allow: readonly string[];
  };
  readonly musicDir: string;
  readonly detailDir: string;
  /** File mode. */
  readonly mode: number;
}

/** The contents of a backup; printed as JSON. */
export interface BackupSummary {
  readonly file: string;
  readonly bytes: number;
  readonly created_at: string;
  /** Rows by table. */
  readonly tables: Readonly<Record<string, number>>;
  /** Audio and recordings. */
  readonly files: number;
  /** Files that the database names and that do not exist. */
  readonly missing_files: number;
  /** `setting`: HATIF_SECRET holds it, and the backup does not. */
  readonly secret: 'file' | 'setting';
}

export interface RestoreSummary {
  readonly file: string;
  /** When and by which version the backup was made. */
  readonly created_at: string;
  readonly hatif: string;
  readonly tables: Readonly<Record<string, number>>;
  readonly files: number;
  /** Migrations that were applied after the restore. */
  readonly migrated: readonly string[];
}

/** Reports the progress of a long command; `fraction` is 0 to 1. */
export type CommandProgress = (text: string, fraction?: number) => void;

/** The context of the commands. `main/command/command-line.ts` implements it; tests use their own. */
export interface CliContext {
  readonly version: string;
  /** How commands are typed here. */
  readonly commands: Commands;
  /** Opens the database for the work. @throws CliError if it is unreachable or nothing is set up yet */
  withPlatform<T>(work: (platform: Platform) => Promise<T>): Promise<T>;
  /** @throws CliError if no key is known */
  api(choice: ApiChoice): Promise<ApiClient>;
  /** @returns the names of the files */
  writeAsteriskConfig(request: AsteriskConfigRequest): Promise<readonly string[]>;
  /** @returns the path of the file */
  writeFreeswitchConfig(request: FreeswitchConfigRequest): Promise<string>;
  /** The platform may be running. @throws CliError */
  backup(file: string, overwrite: boolean, onProgress: CommandProgress): Promise<BackupSummary>;
  /** All or nothing. @throws CliError */
  restore(file: string, replace: boolean, onProgress: CommandProgress): Promise<RestoreSummary>;
  /** Makes the platform's processes on this machine hand their engines over and exit. @returns how many have exited */
  handover(): Promise<number>;
  /** Simulates a call flow. */
  readonly simulateFlow: SimulateFlow;
  /** Shows progress to a person. */
  readonly progress: CommandProgress;
  output(json: boolean): Output;
  /** Reads a line from the terminal without echo, or from standard input. */
  readSecret(prompt: string): Promise<string>;
  /** Aborted by Ctrl-C. */
  readonly interrupted: AbortSignal;
}

const NO_PROJECT = {
  problem: 'There is no project yet.',
  hint: ({ start }: Commands) => `The first start of the platform creates one: ${start()}`,
};

/** Finds the project by id or name; without either, the only one. @throws CliError */
export function projectOf({ projects }: Platform, wanted: string | undefined): ProjectRow {
  return chosen(projects, wanted, 'project', NO_PROJECT);
}
