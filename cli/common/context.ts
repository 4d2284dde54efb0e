import type { CaughtMessage } from '../../core/ports/messaging/message-catcher.js';
import type { SimulateFlow } from '../../core/services/callflows/manage.js';
import type { Commands } from '../../core/model/commands.js';
import type { ApiClient } from './api-client.js';
import { chosen } from './names.js';
import type { Output } from './output.js';
import type { Platform, ProjectView } from './platform.js';

export type { Platform } from './platform.js';

/** The API that a command names; the rest comes from the bootstrap file. */
export interface ApiChoice {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** The address and the authority of another installation, in place of `baseUrl`: its key is not in the bootstrap file. */
  readonly installation?: Installation;
}

/** Another installation, which a command reaches over HTTPS. */
export interface Installation {
  /** Origin: `https://hatif.example.com`. */
  readonly url: string;
  /** File with the certificates of the authorities that are trusted in place of the usual ones; null: the usual ones. */
  readonly caFile: string | null;
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
  /** Where it takes browsers. */
  readonly webSocket: { readonly bind: string; readonly port: number };
  readonly musicDir: string;
  readonly detailDir: string;
  /** How FreeSWITCH records the ends of legs. */
  readonly legEnds: 'file' | 'http';
  /** File mode. */
  readonly mode: number;
}

export interface DrachtioConfigRequest {
  readonly folder: string;
  /** Where it accepts applications. */
  readonly adminBind: string;
  /** File mode. */
  readonly mode: number;
}

/** Servers that show messages. They listen on the loopback; port `0` chooses a free port. */
export interface CatchRequest {
  readonly smsPort: number;
  readonly mailPort: number;
  readonly onMessage: (message: CaughtMessage) => void;
  readonly onProblem: (problem: string) => void;
}

export interface MessageCatcher {
  readonly smsPort: number;
  readonly mailPort: number;
  close(): Promise<void>;
}

/** A certificate that this machine uses; printed as JSON. */
export interface UsedCertificate {
  readonly for: 'https' | 'sip';
  readonly file: string;
  readonly names: readonly string[];
  readonly issuer: string | null;
  readonly expires_at: Date | null;
  /** Why it cannot be used; null if it can. */
  readonly problem: string | null;
}

export interface CertificateReport {
  readonly used: readonly UsedCertificate[];
  /** Those that an ACME authority issues. */
  readonly ordered: readonly {
    readonly authority: string;
    readonly names: readonly string[];
    readonly expires_at: Date | null;
    readonly next_attempt_at: Date;
    /** Since the last success. */
    readonly failures: number;
    readonly failure: string | null;
  }[];
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
  /** Reaches another installation for the work. @throws CliError without a token, and if the installation is unreachable */
  withInstallation<T>(installation: Installation, work: (platform: Platform) => Promise<T>): Promise<T>;
  /** @throws CliError if no key is known */
  api(choice: ApiChoice): Promise<ApiClient>;
  /** @returns the names of the files */
  writeAsteriskConfig(request: AsteriskConfigRequest): Promise<readonly string[]>;
  /** @returns the path of the file */
  writeFreeswitchConfig(request: FreeswitchConfigRequest): Promise<string>;
  /** @returns the path of the file. @throws CliError */
  writeDrachtioConfig(request: DrachtioConfigRequest): Promise<string>;
  certificates(): Promise<CertificateReport>;
  /** Makes the next attempts of failing renewals due. @returns how many there are */
  retryCertificates(): Promise<number>;
  /** Writes the files of SIP over TLS for an engine. @returns false if SIP has no certificate. @throws CliError */
  writeCertificates(folder: string, mode: number): Promise<boolean>;
  /** Listens until it is closed. @throws CliError */
  catchMessages(request: CatchRequest): Promise<MessageCatcher>;
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
export function projectOf({ projects }: Platform, wanted: string | undefined): ProjectView {
  return chosen(projects, wanted, 'project', NO_PROJECT);
}
