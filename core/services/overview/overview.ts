import type { Engines } from '../../data/repositories/engines/engines.js';
import type { OverviewRows, Page, PhoneRow, ReachRow } from '../../data/repositories/engines/overview-rows.js';
import type { Projects } from '../../data/repositories/accounts/projects.js';
import { isTelephony } from '../../model/engine-kinds.js';
import type { HostPort } from '../../model/host-port.js';

/** An engine that carries telephone calls. */
export interface EngineView {
  readonly name: string;
  readonly kind: string;
  readonly version: string | null;
  readonly isUp: boolean;
  readonly liveCalls: number;
}

/** What the operator of an installation wants to know first. It contains no secret and no customer's number. */
export interface Overview {
  readonly engines: readonly EngineView[];
  readonly phones: Page<PhoneRow> & { readonly registered: number };
  readonly numbers: Page<ReachRow>;
  /** Ids of all projects. If there are several, commands must name one. */
  readonly projectIds: readonly string[];
}

/** Facts of this start that the database does not know. */
export interface Place {
  /** The programs that this process started, with their versions. */
  readonly parts: readonly string[];
  /** Where phones register. */
  readonly sip: HostPort;
  /** The file with the demo's passwords and keys; null if there is no demo. */
  readonly bootstrapFile: string | null;
  /** Whether the page for trying the click-to-call widget is served. */
  readonly hasWidgetDemo: boolean;
  /** Whether the API's port serves the metrics, too. */
  readonly servesMetrics: boolean;
}

export interface OverviewOptions {
  readonly engines: Pick<Engines, 'listWithLoad'>;
  readonly projects: Pick<Projects, 'list'>;
  readonly rows: OverviewRows;
}

/** How many phones, and how many numbers, are listed. */
const LISTED = 25;

/** Reads the state of the installation. @throws DatabaseUnavailable */
export async function readOverview({ engines, projects, rows }: OverviewOptions): Promise<Overview> {
  const [all, phones, numbers, known] = await Promise.all([
    engines.listWithLoad(),
    rows.phones(LISTED),
    rows.numbers(LISTED),
    projects.list(),
  ]);
  return {
    engines: all
      .filter(({ kind }) => isTelephony(kind))
      .map(({ name, kind, version, status, leased, sip_status: sip, live_calls: liveCalls }) => ({
        name,
        kind,
        version,
        isUp: status === 'up' && leased && sip !== 'down',
        liveCalls,
      })),
    phones,
    numbers,
    projectIds: known.map(({ id }) => id),
  };
}
