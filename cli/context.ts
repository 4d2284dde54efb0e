import type { ProjectRow } from '../core/data/rows.js';
import type { KeyService } from '../core/services/access/keys.js';
import type { AgentService } from '../core/services/agents/agents.js';
import type { SimulateFlow } from '../core/services/callflows/manage.js';
import type { BillingAccount } from '../core/services/billing/account.js';
import type { Balances } from '../core/services/billing/balances.js';
import type { PlanService } from '../core/services/billing/plans.js';
import type { RatingReport } from '../core/services/billing/rerating.js';
import type { CdrExport } from '../core/services/cdr/export.js';
import type { EngineService } from '../core/services/engines/manage.js';
import type { IssueInvoices } from '../core/services/invoices/issuing.js';
import type { ReadInvoices } from '../core/services/invoices/reading.js';
import type { VoicemailPins } from '../core/services/voicemail/pins.js';
import type { NumberAdministration } from '../core/services/number-administration/number-administration.js';
import type { ImportNumbers } from '../core/services/numbers/import.js';
import type { NumberService } from '../core/services/numbers/numbers.js';
import type { PaymentAdministration } from '../core/services/payments/administration.js';
import type { ManageRecordings } from '../core/services/recordings/manage.js';
import type { TrunkService } from '../core/services/trunks/trunks.js';
import type { Brands } from '../core/services/brands/brands.js';
import type { WidgetService } from '../core/services/widgets/manage.js';
import { CliError } from './failure.js';
import type { ApiClient } from './api-client.js';
import type { Output } from './output.js';

/** What calls cost, and who has paid. */
export interface PlatformBilling {
  readonly plans: PlanService;
  readonly balances: Balances;
  readonly account: BillingAccount;
  /** @param from a day of Riyadh, `YYYY-MM-DD`. @param to included */
  compareRatings(from: string, to: string): Promise<RatingReport>;
}

/** What commands do on the platform's own database. */
export interface Platform {
  readonly projects: readonly ProjectRow[];
  readonly keys: KeyService;
  readonly trunks: TrunkService;
  readonly numbers: NumberService;
  readonly voicemailPins: VoicemailPins;
  readonly numbering: { readonly administration: NumberAdministration; readonly imports: ImportNumbers };
  readonly agents: AgentService;
  readonly recordings: ManageRecordings;
  readonly engines: EngineService;
  readonly billing: PlatformBilling;
  readonly invoicing: { readonly issue: IssueInvoices; readonly read: ReadInvoices };
  readonly cdr: CdrExport;
  readonly paying: { readonly administration: PaymentAdministration };
  readonly brands: Brands;
  readonly widgets: WidgetService;
}

/** Which API to speak to, where the command was told; the data folder's bootstrap file says the rest. */
export interface ApiChoice {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly sandbox?: boolean;
}

export interface AsteriskConfigRequest {
  readonly folder: string;
  readonly ariBind: string;
  readonly ariPort: number;
  /** Of the files. */
  readonly mode: number;
}

export interface FreeswitchConfigRequest {
  readonly folder: string;
  /** Of the engine. */
  readonly name: string;
  /** Each process of the API as FreeSWITCH reaches it; null: the one on this machine. */
  readonly applications: readonly string[] | null;
  readonly eventSocket: {
    readonly bind: string;
    readonly port: number;
    readonly password: string;
    /** Networks, besides the loopback. */
    readonly allow: readonly string[];
  };
  readonly musicDir: string;
  readonly detailDir: string;
  /** Of the file. */
  readonly mode: number;
}

/** What a backup holds; members are printed as they are. */
export interface BackupSummary {
  readonly file: string;
  readonly bytes: number;
  readonly created_at: string;
  /** Rows by table. */
  readonly tables: Readonly<Record<string, number>>;
  /** Audio and recordings. */
  readonly files: number;
  /** Named by a row, but not there. */
  readonly missing_files: number;
  /** `setting`: it stands in HATIF_SECRET and is not in the backup. */
  readonly secret: 'file' | 'setting';
}

export interface RestoreSummary {
  readonly file: string;
  /** When the backup was made, and by which version. */
  readonly created_at: string;
  readonly hatif: string;
  readonly tables: Readonly<Record<string, number>>;
  readonly files: number;
  /** Migrations that came since. */
  readonly migrated: readonly string[];
}

/** Tells how far a long command is; `fraction` goes to 1. */
export type CommandProgress = (text: string, fraction?: number) => void;

/** What commands need from outside; cli/main.ts puts it together, tests their own. */
export interface CliContext {
  readonly version: string;
  /** Run something with the database open. @throws CliError when it cannot be reached or nothing is set up yet. */
  withPlatform<T>(work: (platform: Platform) => Promise<T>): Promise<T>;
  /** @throws CliError where no key is known. */
  api(choice: ApiChoice): Promise<ApiClient>;
  /** @returns the names of the files written. */
  writeAsteriskConfig(request: AsteriskConfigRequest): Promise<readonly string[]>;
  /** @returns the file. */
  writeFreeswitchConfig(request: FreeswitchConfigRequest): Promise<string>;
  /** Works while the platform runs. @throws CliError */
  backup(file: string, overwrite: boolean, onProgress: CommandProgress): Promise<BackupSummary>;
  /** All or nothing. @throws CliError */
  restore(file: string, replace: boolean, onProgress: CommandProgress): Promise<RestoreSummary>;
  /** Ask the platform's processes on this machine to hand their engines over. @returns how many were asked and have ended */
  handover(): Promise<number>;
  /** Runs a call flow without a phone. */
  readonly simulateFlow: SimulateFlow;
  /** Shows progress to a person. */
  readonly progress: CommandProgress;
  output(json: boolean): Output;
  /** One line from the terminal, unseen, or from standard input. */
  readSecret(prompt: string): Promise<string>;
  /** Aborted when the person wants to stop (Ctrl-C). */
  readonly interrupted: AbortSignal;
}

/** The project by id or name; without either the only one there is. */
export function projectOf({ projects }: Platform, wanted: string | undefined): ProjectRow {
  if (wanted !== undefined) {
    const found = projects.filter((project) => project.id === wanted || project.name === wanted);
    if (found.length === 1 && found[0]) return found[0];
    const problem = found.length === 0 ? 'There is no project' : 'There are several projects called';
    throw new CliError(`${problem} ${wanted}.`, undefined, `Projects: ${list(projects)}`);
  }
  const [only, ...others] = projects;
  if (!only)
    throw new CliError('There is no project yet.', undefined, 'The first start of the platform makes one: npm start');
  if (others.length > 0) throw new CliError('Which project?', undefined, `Say --project: ${list(projects)}`);
  return only;
}

function list(projects: readonly ProjectRow[]): string {
  return projects.map((project) => `${project.name} (${project.id})`).join(', ');
}
